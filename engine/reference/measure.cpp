// What the report says about the state.
#include "engine/reference/triangle.h"

namespace talus::reference {

void measure(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    GrainMeasure m{};
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

}  // namespace talus::reference
