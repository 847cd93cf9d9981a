// What the report says about the state.
#include "engine/reference/clumps.h"
#include "engine/reference/contact_force.h"

namespace talus::reference {
namespace {

// J, of the clump of which grain i is the first sphere.
float energy_of_clump(const Fields& f, uint i) {
  const ClumpKind& kind = kind_of(f, i);
  const float size = f.grains[i].position.w;
  const ClumpMotion& clump = f.clump_motions[i];
  return clump_energy(clump.velocity, spin_of(clump, size * size * kind.inertia), clump.momentum,
                      kind.weight[0] / f.grains[i].velocity.w);
}

}  // namespace

void measure(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    GrainMeasure m{};
    const ContactForces forces(args, f, i);
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const uint partner = partner_at(f, i, contact_slot(f, i, k));
      float gap, radius = grain.position.w, inverse_mass;
      if (is_triangle(partner)) {
        const ClothTouch c = cloth_contact(f, i, partner);
        gap = c.gap;
        inverse_mass = inverse_mass_at(f, partner, c.weights);
      } else {
        const Contact c = contact_with(f, i, partner, 0.0f, 1e30f);
        gap = c.gap;
        radius = c.radius;
        inverse_mass = c.inverse_mass;
        m.force_max = std::max(m.force_max, forces.of(contact_slot(f, i, k), c));
      }
      if (gap >= 0.0f || grain.velocity.w + inverse_mass == 0.0f)  // fixed grains may lie in each other
        continue;
      TALUS_ASSERT(grain.position.w > 0.0f && radius > 0.0f, i, partner, radius);
      const float penetration = -gap / std::min(grain.position.w, radius);
      m.contacts += 1;
      m.penetration_sum += penetration;
      m.penetration_max = std::max(m.penetration_max, penetration);
    }
    if (grain.velocity.w > 0.0f)
      m.kinetic_energy = 0.5f * squared(vec3(grain.velocity)) / grain.velocity.w;
    if (const bool rotates = f.settings[0].solver.rotation != rotation_off;
        rotates && grain.velocity.w > 0.0f && f.grain_spin[i].w > 0.0f)  // I omega^2 / 2
      m.kinetic_energy += 0.5f * squared(vec3(f.grain_spin[i])) / (f.grain_spin[i].w * grain.velocity.w);
    if (const uint sphere = sphere_of(f.grain_tag[i]); sphere > 0 && grain.velocity.w > 0.0f)
      m.kinetic_energy = sphere == 1 ? energy_of_clump(f, i) : 0.0f;
    f.measures[i] = m;
  }
}

void contact_lines(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    const Settings& settings = f.settings[0];
    const uint world = world_of(f, i), first = world * settings.worlds.places,
               slices_end = slices_of(first + f.worlds[world].lists.grains), slice = i / slice_grains,
               width = slice < slices_end ? rows_of(f, slice, world) : 0;
    TALUS_ASSERT(f.contact_count[i] <= width, i, f.contact_count[i], width);
    const ContactForces forces(args, f, i);
    for (uint k = 0; k < width; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      ContactLine& line = f.contact_lines[slot] = {};
      if (k >= f.contact_count[i] || is_triangle(f.contact_partner[slot]) || is_gone(grain))
        continue;
      const uint partner = partner_at(f, i, slot);
      const Contact c = contact_with(f, i, partner, 0.0f, 1e30f);
      const float force = partner < body_partner && partner < i ? 0.0f : forces.of(slot, c);
      if (force == 0.0f)
        continue;
      const float way = grain.position.w + c.gap + (partner < body_partner ? c.radius : 0.0f);
      line = {vec3(grain.position), vec3(grain.position) - way * c.normal, force};
    }
    // Of its world; where there is one, of all that there is room for.
    const uint places = places_end(args, f, world);
    const std::size_t rows = world * std::size_t{settings.worlds.rows} + rows_before(f, slices_end, world);
    const std::size_t end_slot = settings.worlds.count == 1
                                     ? f.contact_lines.size()
                                     : (world + 1) * std::size_t{settings.worlds.rows} * slice_grains;
    for (std::size_t slot = rows * slice_grains + i - first; slot < end_slot; slot += places - first)
      f.contact_lines[slot] = {};
  }
}

}  // namespace talus::reference
