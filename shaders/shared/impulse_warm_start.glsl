// The start of a substep, at the positions where it starts: what a contact remembers is brought up to date, and the grains set off
// with gravity and with a share of the last substep's impulses.
//
// The slip s of the last substep is added here, not at its end: its velocities are still at hand, and that saves a walk over all
// contacts.
#include "shared/impulse.glsl"

layout(set = 0, binding = 8, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer LoadBlock { uint contact_load[]; };
layout(set = 0, binding = 13, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };

Grain grain;
uint tag, load = 0u;
vec4 spin;
vec3 push = vec3(0.0), couple = vec3(0.0);

#define REMEMBERED vec4
vec4 restore(uint slot) { return settings.contacts.impulses != 0u ? load_vec4(contact_state, sum_at(slot)) : vec4(0.0); }

void touch(uint slot, uint partner, bool with_grain, Contact c, vec4 sum) {
  vec3 v = grain.velocity.xyz;
  float r = grain.position.w, w = grain.velocity.w, h = args.h, fall = h * length(settings.domain.gravity);
  bool memory = settings.contacts.memory != 0u;
  bool momentum = settings.solver.iteration == iteration_improved_jacobi;
  vec3 shear = vec3(0.0), rolling_impulse = vec3(0.0), roll = vec3(0.0);
  bool rolls = rotating == rotation_rolling;
  PairLaw law = law_of(tag, partner, with_grain);
  float friction = law.friction_static, r_min = min(r, c.radius);
  vec3 relative = v - c.velocity;
  if (impulse_near(c, relative, r_min, fall, h))
    load += 1u;
  if (sum != vec4(0.0)) {
    if (memory)
      shear = load_vec3(contact_state, shear_at(slot));
    vec3 friction_impulse = sum.xyz;
    float pressure = sum.w, warm = !with_grain && is_body(partner) ? min(settings.solver.warm_start, warm_most) : settings.solver.warm_start;
    float hold = impulse_adhesion_limit(law.adhesion, c.gap, r_min, h), pressed = pressure;
    if (rotating == rotation_off) {
      impulse_warm_start(c, law, relative, w + c.inverse_mass, hold, with_grain ? 1.0 : across_share(c, w), warm, memory, h, friction_impulse, pressure, shear,
                         friction);
    } else {
      Turn t = turn_with(partner, with_grain, c, spin, w, r);
      impulse_warm_start(c, law, relative + turn_slip(c, t), t.ease, hold, 1.0, warm, memory, h, friction_impulse, pressure, shear, friction);
      if (rolls) {
        rolling_impulse = load_vec3(contact_state, roll_sum_at(slot));
        if (memory)
          roll = load_vec3(contact_state, roll_at(slot));
        impulse_warm_start_rolling(t, law, pressed + hold, hold, pressure, warm, rolling_memory_share, h, rolling_impulse, roll);
      }
      couple += turn_couple(c, t, friction_impulse, rolling_impulse);
    }
    sum = vec4(friction_impulse, pressure);
    push += pressure * c.normal + friction_impulse;
  }
  store_vec4(contact_state, sum_at(slot), sum);
  if (memory)
    store_vec3(contact_state, shear_at(slot), shear);
  if (memory && law.friction_static != law.friction_kinetic)
    contact_state[friction_at(slot)] = friction;
  if (with_restitution != 0u)
    contact_state[rebound_at(slot)] = impulse_rebound(c, law, dot(relative, c.normal), fall, h);
  if (momentum)
    store_vec4(contact_state, change_at(slot), vec4(0.0));
  if (rolls) {
    store_vec3(contact_state, roll_sum_at(slot), rolling_impulse);
    if (memory)
      store_vec3(contact_state, roll_at(slot), roll);
    if (momentum)
      store_vec3(contact_state, roll_change_at(slot), vec3(0.0));
  }
}
#include "shared/each_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  grain = grains[i];
  tag = grain_tag[i];
  if (rotating != rotation_off)
    spin = grain_spin[i];
  each_contact(i, grain.position.xyz, grain.position.w);
  contact_load[i] = max(load, 1u);
  float w = grain.velocity.w, h = args.h;
  if (w > 0.0)
    grain.velocity.xyz += w * push + h * settings.domain.gravity;
  if (POSITIONS)
    grain.position.xyz += h * grain.velocity.xyz;
  grains_next[i] = grain;
  if (rotating != rotation_off)
    grain_spin_next[i] = vec4(spin.xyz + w * spin.w * couple, spin.w);
}
