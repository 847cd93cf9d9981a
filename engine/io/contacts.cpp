#include "engine/io/contacts.h"
#include "engine/core/executor.h"
#include "engine/core/setup.h"
#include "engine/reference/contact_force.h"
#include <algorithm>
#include <tuple>
#include <utility>

namespace talus {
namespace {

Fields fields_with_contacts(Simulation& simulation) {
  bool starts = false;
  for (std::uint32_t w = 0; w < simulation.worlds(); ++w)
    starts = starts || simulation.time(w) == 0.0;
  if (starts)
    simulation.measure();    // builds lists
  simulation.body_buffer();  // poses the bodies
  return fields_of(simulation.executor(),
                   {FieldId::settings, FieldId::pair_laws, FieldId::worlds, FieldId::grains, FieldId::grain_tag,
                    FieldId::grain_id, FieldId::grain_spin, FieldId::contact_count, FieldId::slice_start,
                    FieldId::contact_partner, FieldId::contact_state, FieldId::bodies, FieldId::shape_data});
}

}  // namespace

ContactFields::ContactFields(Simulation& simulation)
    : fields_(std::make_shared<Fields>(fields_with_contacts(simulation))),
      substep_(static_cast<float>(substep_of(simulation.scene()))) {}

std::vector<ContactState> ContactFields::contacts() const {
  using Partner = ContactState::Partner;
  const Fields& f = *fields_;
  const WorldSettings& worlds = f.settings[0].worlds;
  std::vector<ContactState> contacts;
  Args args{};
  args.h = substep_;
  const auto add = [&](uint world, uint i, const reference::ContactForces& forces, std::size_t slot) {
    const uint partner = reference::partner_at(f, i, slot);
    if (is_grain(partner) && partner < i)
      return;  // the other one has it
    const reference::Contact c = reference::contact_with(f, i, partner, 0.0f, 1e30f);
    const float force = forces.of(slot, c), r = f.grains[i].position.w;
    if (!(force > 0.0f))
      return;
    const vec3 position(f.grains[i].position);
    ContactState state{world,
                       f.grain_id[i],
                       Partner::grain,
                       0,
                       position - (r + 0.5f * c.gap) * c.normal,
                       force * c.normal,
                       forces.friction(slot, c, force)};
    if (is_grain(partner)) {
      state.partner = f.grain_id[partner];
      if (state.partner < state.grain) {
        std::swap(state.partner, state.grain);
        state.normal = -state.normal;
        state.friction = -state.friction;
      }
    } else {
      const bool of_body = partner < wall_partner;
      state.kind = of_body ? Partner::body : Partner::wall;
      state.partner = of_body ? body_of(partner) - world * f.settings[0].bodies.count : partner - wall_partner;
      state.point = position - (r + c.gap) * c.normal;
    }
    contacts.push_back(state);
  };
  for (uint world = 0; world < worlds.count; ++world) {
    // Grains that were released in the last step have no lists yet.
    const uint first = worlds.count == 1 ? 0 : world * worlds.places, grains = f.worlds[world].lists.grains;
    for (uint i = first; i < first + grains; ++i) {
      if (reference::is_gone(f.grains[i]) || f.contact_count[i] == 0)
        continue;
      const reference::ContactForces forces(args, f, i);
      reference::each_contact(f, i, [&](std::size_t slot) { add(world, i, forces, slot); });
    }
  }
  std::ranges::stable_sort(contacts, {},
                           [](const ContactState& c) { return std::tuple(c.world, c.grain, c.kind, c.partner); });
  return contacts;
}

}  // namespace talus
