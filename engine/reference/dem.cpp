// Explicit dynamics: one pass per substep.
#include "engine/reference/finish.h"

namespace talus::reference {

void dem(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  const bool material_stiffness = settings.options & option_material_stiffness;
  const float h = args.h;
  Finish finish(args, f);
  for (uint i = begin; i < end; ++i) {
    const Grain& grain = f.grains[i];
    const vec3 v(grain.velocity);
    const float w = grain.velocity.w, r = grain.position.w;
    vec3 change(0.0f);
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = f.contact_partner[slot];
      const Contact c = contact_with(f, i, partner);
      const PairLaw& law = law_of(f, i, partner);
      vec3& shear = f.contact_shear[slot];
      const float w_sum = w + c.inverse_mass;
      float kappa = dem_kappa, damping = 2.0f * dem_zeta * std::sqrt(dem_kappa);
      if (material_stiffness) {  // softer than asked for where the substep bears no more
        kappa = std::min(h * h * law.stiffness * w_sum, dem_kappa);
        damping = law.damping >= 0.0f ? std::min(h * law.damping * w_sum, dem_damping_limit)
                                      : 2.0f * dem_zeta * std::sqrt(kappa);
      }
      // Adhesion holds over the cross-section of the smaller grain, until the spring is stretched to its force.
      const float r_min = std::min(r, c.radius);
      const float hold = h * w_sum * law.adhesion * pi * r_min * r_min;
      const float reach = hold > 0.0f ? hold * h / kappa : 0.0f;
      if (c.gap >= reach || !(w_sum > 0.0f)) {
        shear = vec3(0.0f);
        continue;
      }
      const vec3 relative = v - c.velocity;
      const float approach = glm::dot(relative, c.normal);
      const vec3 slip = relative - approach * c.normal;
      const float push = std::max(-hold, -kappa * c.gap / h - damping * approach);
      shear = shear - glm::dot(shear, c.normal) * c.normal - dem_tangential * kappa * slip;
      vec3 drag = shear - 0.5f * damping * slip;
      const float length = glm::length(drag), grip = push + hold;
      if (length > law.friction_static * grip) {
        drag *= law.friction_kinetic * grip / length;
        shear = drag;
      }
      change += w / w_sum * (push * c.normal + drag);
    }
    Grain& next = f.grains_next[i];
    const vec3 after = w > 0.0f ? v + (change + h * settings.gravity) : v;
    next = {vec4(vec3(grain.position) + h * after, r), vec4(after, w)};
    finish.grain(i, next);
  }
  finish.flush();
}

}  // namespace talus::reference
