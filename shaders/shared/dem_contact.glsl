// A grain's substep of dem. Needs settings, grains, grain_tag and pair_laws in scope.
#include "shared/body_load.glsl"
#include "shared/dem_spring.glsl"
#include "shared/friction_spring.glsl"
#include "shared/pair_law.glsl"

uint self, tag;
Grain grain;
vec3 change;

void begin(uint i) {
  self = i;
  grain = grains[i];
  tag = grain_tag[i];
  change = vec3(0.0);
}

// Adds what a contact does to the grain; returns the contact's spring, which was `shear` before.
vec3 respond(Contact c, uint partner, vec3 shear) {
  float h = args.h, rate = 1.0 / h, r = grain.position.w, w = grain.velocity.w;
  float w_sum = w + c.inverse_mass;
  PairLaw law = law_of(tag, partner);
  vec2 spring_law = spring_of(law, partner < body_partner, c, w, r);
  float kappa = spring_law.x, damping = spring_law.y;
  vec3 relative = grain.velocity.xyz - c.velocity;
  float approach = dot(relative, c.normal), r_min = min(r, c.radius);
  // Adhesion holds over the cross-section of the smaller grain. The spring bears up to its force and then yields: a load put on at once
  // stretches it further than one at rest.
  float hold = h * w_sum * law.adhesion * pi * r_min * r_min;
  float reach = hold > 0.0 ? min(dem_hold_stretch * hold * h / kappa, dem_hold_reach * r_min) : 0.0;
  // Nothing goes deeper than half a radius in one substep: the spring comes too late for what is that fast. Bodies and walls have the
  // last word, being the last contacts of a grain: they see what all others do to it.
  float ahead = partner >= body_partner ? dot(grain.velocity.xyz + change + h * settings.gravity - c.velocity, c.normal) : approach;
  float brake = -ahead - rate * max(c.gap + 0.5 * r_min, 0.0);
  if ((c.gap >= reach && brake <= 0.0) || !(w_sum > 0.0))
    return vec3(0.0);
  vec3 slip = relative - approach * c.normal;
  float spring = c.gap < reach ? max(-hold, -kappa * rate * c.gap - damping * approach) : 0.0;
  float push = max(spring, brake);
  slip *= across_share(c, w);
  vec3 both = push * c.normal + drag_of(shear, c.normal, slip, kappa, damping, brake > spring ? 0.0 : push + hold, law);
  change += w / w_sum * both;
  if (is_body(partner))
    add_load(partner, c.point, both / w_sum);
  return shear;
}

vec3 respond(uint partner, vec3 shear) {
  return respond(contact_with(partner, self, grain.position.xyz, grain.position.w), partner, shear);
}

Grain end() {
  if (grain.velocity.w > 0.0)
    grain.velocity.xyz += change + args.h * settings.gravity;
  grain.position.xyz += args.h * grain.velocity.xyz;
  return grain;
}
