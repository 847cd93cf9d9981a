#pragma once
// The spring and the damper of a dem contact.
#include "engine/reference/space.h"

namespace talus::reference {

// Share of the greatest stiffness that a contact of two grains can have.
inline float share_of(const Grain& a, float other_w, float other_r) {
  const float w = a.velocity.w, r = a.position.w, w_sum = w + other_w, uneven = std::abs(w - other_w) / w_sum;
  const float around = 0.5f * (1.0f + r / other_r), around_other = 0.5f * (1.0f + other_r / r);
  const float crowd = (around * around * w + around_other * around_other * other_w) / w_sum;
  return (1.0f - uneven_share * uneven) / std::max(1.0f, crowd);
}

// Shares of the overlap and of the approach that a contact takes out in a substep.
struct Spring {
  float kappa, damping;
};
inline Spring spring_of(const Args& args, const Fields& f, uint i, uint partner, const Contact& c) {
  const float h = args.h, w_sum = f.grains[i].velocity.w + c.inverse_mass;
  const float share = partner < body_partner && w_sum > 0.0f ? share_of(f.grains[i], c.inverse_mass, c.radius) : 1.0f;
  const float kappa = share * dem_kappa;
  if (!(f.settings[0].options & option_material_stiffness))
    return {kappa, share * (2.0f * dem_zeta * std::sqrt(dem_kappa))};
  // Softer than asked for where the substep bears no more.
  const PairLaw& law = law_of(f, i, partner);
  const float soft = std::min(h * h * law.stiffness * w_sum, kappa);
  return {soft, law.damping >= 0.0f ? std::min(h * law.damping * w_sum, dem_damping_limit)
                                    : 2.0f * dem_zeta * std::sqrt(soft)};
}

}  // namespace talus::reference
