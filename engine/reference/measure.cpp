// What the report says about the state.
#include "engine/reference/space.h"

namespace talus::reference {

void measure(const Args&, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    GrainMeasure m{};
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const Contact c = contact_with(f, i, f.contact_partner[contact_slot(f, i, k)], 0.0f, 1e30f);
      if (c.gap >= 0.0f || grain.velocity.w + c.inverse_mass == 0.0f)  // fixed grains may lie in each other
        continue;
      const float penetration = -c.gap / std::min(grain.position.w, c.radius);
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
