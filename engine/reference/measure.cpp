// What the report says about the state.
#include "engine/reference/contact_force.h"

namespace talus::reference {

void measure(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    GrainMeasure m{};
    const ContactForces forces(args, f, i);
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const uint partner = f.contact_partner[contact_slot(f, i, k)];
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
      const float penetration = -gap / std::min(grain.position.w, radius);
      m.contacts += 1;
      m.penetration_sum += penetration;
      m.penetration_max = std::max(m.penetration_max, penetration);
    }
    if (grain.velocity.w > 0.0f)
      m.kinetic_energy = 0.5f * squared(vec3(grain.velocity)) / grain.velocity.w;
    f.measures[i] = m;
  }
}

void contact_lines(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    const uint slice = i / slice_grains, width = f.slice_start[slice + 1] - f.slice_start[slice];
    const ContactForces forces(args, f, i);
    for (uint k = 0; k < width; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      ContactLine& line = f.contact_lines[slot] = {};
      if (k >= f.contact_count[i] || is_triangle(f.contact_partner[slot]) || is_gone(grain))
        continue;
      const uint partner = f.contact_partner[slot];
      const Contact c = contact_with(f, i, partner, 0.0f, 1e30f);
      const float force = partner < body_partner && partner < i ? 0.0f : forces.of(slot, c);
      if (force == 0.0f)
        continue;
      const float way = grain.position.w + c.gap + (partner < body_partner ? c.radius : 0.0f);
      line = {vec3(grain.position), vec3(grain.position) - way * c.normal, force};
    }
    const std::size_t rows_end = std::size_t{f.slice_start[slices_of(args.grains)]} * slice_grains;
    for (std::size_t slot = rows_end + i; slot < f.contact_lines.size(); slot += args.grains)
      f.contact_lines[slot] = {};
  }
}

}  // namespace talus::reference
