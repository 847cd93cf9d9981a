#pragma once
// What a contact of dem does in a substep.
#include "engine/reference/dem_spring.h"
#include "engine/reference/friction_spring.h"
#include "engine/reference/load.h"

namespace talus::reference {

// Adds what a contact does to grain i to `change`, of its velocity in this substep [m/s]; returns the contact's spring,
// which was `shear` before.
inline vec3 respond(const Args& args, Fields& f, uint i, uint partner, vec3 shear, vec3& change) {
  const Settings& settings = f.settings[0];
  const Grain& grain = f.grains[i];
  const vec3 v(grain.velocity);
  const float h = args.h, rate = 1.0f / h, w = grain.velocity.w;
  const Contact c = contact_with<true>(f, i, partner);
  const PairLaw& law = law_of(f, i, partner);
  const float w_sum = w + c.inverse_mass;
  const auto [kappa, damping] = spring_of(args, f, i, partner, c);
  const vec3 relative = v - c.velocity;
  const float approach = glm::dot(relative, c.normal);
  // Adhesion holds over the cross-section of the smaller grain. The spring bears up to its force and then yields: a
  // load put on at once stretches it further than one at rest.
  const float r_min = std::min(grain.position.w, c.radius);
  const float hold = h * w_sum * law.adhesion * pi * r_min * r_min;
  const float reach = hold > 0.0f ? std::min(dem_hold_stretch * hold * h / kappa, dem_hold_reach * r_min) : 0.0f;
  // Nothing goes deeper than half a radius in one substep: the spring comes too late for what is that fast. Walls
  // have the last word, being the last contacts of a grain: they see what all others do to it.
  const float ahead =
      partner >= body_partner ? glm::dot(v + change + h * settings.gravity - c.velocity, c.normal) : approach;
  const float brake = -ahead - rate * std::max(c.gap + 0.5f * r_min, 0.0f);
  if ((c.gap >= reach && brake <= 0.0f) || !(w_sum > 0.0f))
    return vec3(0.0f);
  const vec3 slip = c.across_share(w) * (relative - approach * c.normal);
  const float spring = c.gap < reach ? std::max(-hold, -kappa * rate * c.gap - damping * approach) : 0.0f;
  const float push = std::max(spring, brake);
  const float grip = brake > spring ? 0.0f : push + hold;
  const vec3 both = push * c.normal + drag_of(shear, c.normal, slip, kappa, damping, grip, law);
  change += w / w_sum * both;
  if (is_body(partner))
    add_load(f, i, partner, c.point, both / w_sum);
  return shear;
}

}  // namespace talus::reference
