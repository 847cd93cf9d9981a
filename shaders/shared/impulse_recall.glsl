// The start of a substep, at the positions where it starts: what a contact remembers is brought up to date, and the grains set off
// with gravity and with a share of the last substep's impulses.
//
// The slip s of the last substep is added here, not at its end: its velocities are still at hand, and that saves a walk over all
// contacts. s is bounded where its pull reaches the friction cone, as a spring of k = memory_share / (D h^2) would slip, and never
// reset while the contact is pressed, or heaps creep.
#include "shared/impulse.glsl"

layout(set = 0, binding = 8, scalar) buffer SumBlock { float contact_sum[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer ChangeBlock { float contact_change[]; };
layout(set = 0, binding = 10, scalar) buffer ShearBlock { float contact_shear[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer LoadBlock { uint contact_load[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer FrictionBlock { float contact_friction[]; };
layout(set = 0, binding = 13, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };

Grain grain;
uint tag, load = 0u;
vec3 push = vec3(0.0);

#define REMEMBERED vec4
vec4 recall(uint slot) { return has(option_impulses) ? load_vec4(contact_sum, slot) : vec4(0.0); }

void touch(uint slot, uint partner, Contact c, vec4 before) {
  vec3 v = grain.velocity.xyz;
  float r = grain.position.w, w = grain.velocity.w, h = args.h, fall = h * length(settings.gravity);
  bool memory = has(option_memory);
  bool momentum = settings.iteration == iteration_improved_jacobi;
  vec4 sum = vec4(0.0);
  vec3 shear = vec3(0.0);
  PairLaw law = law_of(tag, partner);
  float friction = law.friction_static;
  vec3 relative = v - c.velocity;
  // Those that may push in this substep share the grain's mass.
  if (c.gap < max(h * (length(relative) + fall), contact_near * min(r, c.radius)))
    load += 1u;
  if (before != vec4(0.0)) {
    float hold = hold_of(law, c.gap, min(r, c.radius));
    float grip = before.w + hold;
    if (memory && grip > grip_least * hold) {
      float w_sum = w + c.inverse_mass;
      vec3 slip = relative - dot(relative, c.normal) * c.normal;
      if (slides(before.xyz, slip, grip, w_sum, law))
        friction = law.friction_kinetic;
      shear = turned(load_vec3(contact_shear, slot), c.normal) + h * slip;
      float limit = friction * grip * w_sum * h / (memory_share * across_share(c, w)), slipped = length(shear);
      if (slipped > limit)
        shear *= limit / slipped;
    }
    float warm = is_body(partner) ? min(settings.warm_start, warm_most) : settings.warm_start;
    sum = warm * vec4(turned(before.xyz, c.normal), before.w);
    sum.w = max(sum.w, -hold);
    float bound = friction * (sum.w + hold), drag = length(sum.xyz);
    if (drag > bound)
      sum.xyz *= bound / drag;
    push += sum.w * c.normal + sum.xyz;
  }
  store_vec4(contact_sum, slot, sum);
  if (memory)
    store_vec3(contact_shear, slot, shear);
  if (memory && law.friction_static != law.friction_kinetic)
    contact_friction[slot] = friction;
  if (momentum)
    store_vec4(contact_change, slot, vec4(0.0));
}
#include "shared/each_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  grain = grains[i];
  tag = grain_tag[i];
  each_contact(i, grain.position.xyz, grain.position.w);
  contact_load[i] = max(load, 1u);
  float w = grain.velocity.w, h = args.h;
  if (w > 0.0)
    grain.velocity.xyz += w * push + h * settings.gravity;
  if (POSITIONS)
    grain.position.xyz += h * grain.velocity.xyz;
  grains_next[i] = grain;
}
