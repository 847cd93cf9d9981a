// One iteration over the contacts of a grain.
// Needs shared/impulse.glsl and residual_of(approach, gap) before it.

layout(set = 0, binding = 8, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 11, scalar) readonly buffer LoadBlock { uint contact_load[]; };
layout(set = 0, binding = 13, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };

Grain grain;
uint tag;
float own_load;
vec4 spin;
vec3 push = vec3(0.0), couple = vec3(0.0);

#define REMEMBERED vec4
vec4 restore(uint slot) { return load_vec4(contact_state, sum_at(slot)); }

void touch(uint slot, uint partner, bool with_grain, Contact c, vec4 before) {
  vec3 v = grain.velocity.xyz;
  float r = grain.position.w, w = grain.velocity.w, h = args.h;
  bool memory = settings.contacts.memory != 0u;
  bool momentum = settings.solver.iteration == iteration_improved_jacobi, split = settings.solver.iteration == iteration_mass_splitting;
  float w_sum = w + c.inverse_mass;
  vec4 last = momentum ? load_vec4(contact_state, change_at(slot)) : vec4(0.0);
  vec3 relative = v - c.velocity;
  float approach = dot(relative, c.normal), residual = residual_of(approach, c.gap);
  bool rebounds = with_restitution != 0u;
  float rebound = rebounds ? contact_state[rebound_at(slot)] : 0.0;
  residual = rebound_residual(residual, approach, rebound);
  PairLaw law = law_of(tag, partner, with_grain);
  float adhesion_limit = impulse_adhesion_limit(law.adhesion, c.gap, min(r, c.radius), h);
  // Most contacts in the list are neither pressed nor about to be.
  if (!(w_sum > 0.0) || (residual >= 0.0 && adhesion_limit == 0.0 && before == vec4(0.0) && last == vec4(0.0)))
    return;
  vec3 slip = relative - approach * c.normal;
  Turn t;
  if (rotating != rotation_off) {
    t = turn_with(partner, with_grain, c, spin, w, r);
    slip += turn_slip(c, t);
  }
  if (memory)
    slip += memory_share / h * load_vec3(contact_state, shear_at(slot));
  float beta = rebound_beta(args.beta, rebound, args.iteration == 1u);
  if (!memory)
    beta = impulse_beta(law, residual, slip, last.xyz, last.w, beta);
  else if (law.friction_static != law.friction_kinetic)
    law.friction_static = law.friction_kinetic = contact_state[friction_at(slot)];
  float other_w = c.inverse_mass, other_load = 1.0;
  if (with_grain) {
    other_w = grains[partner].velocity.w;
    other_load = float(contact_load[partner]);
  }
  float rate = impulse_rate(w, other_w, own_load, other_load, with_grain, split, settings.solver.omega);
  if (rebounds)
    rate = rebound_rate(rate, impulse_rate(w, other_w, own_load, other_load, with_grain, true, 1.0), rebound, args.iteration == 0u);
  vec3 friction_impulse = before.xyz;
  float pressure = before.w;
  impulse_iterate(c.normal, residual, slip, adhesion_limit, rate, rotating != rotation_off ? w_sum / t.ease : with_grain ? 1.0 : across_share(c, w), beta, law.friction_static, law.friction_kinetic, last.xyz, last.w,
                  friction_impulse, pressure);
  vec4 sum = vec4(friction_impulse, pressure);
  vec4 change = sum - before;
  store_vec4(contact_state, sum_at(slot), sum);
  if (momentum)
    store_vec4(contact_state, change_at(slot), change);
  push += change.w * c.normal + change.xyz;
  if (rotating == rotation_off)
    return;
  vec3 rolled = vec3(0.0);
  if (rotating == rotation_rolling) {
    vec3 rolling_before = load_vec3(contact_state, roll_sum_at(slot)), last_rolling = vec3(0.0), roll = vec3(0.0), rolling = rolling_before;
    if (momentum)
      last_rolling = load_vec3(contact_state, roll_change_at(slot));
    if (memory)
      roll = load_vec3(contact_state, roll_at(slot));
    impulse_iterate_rolling(t, law, roll, pressure + adhesion_limit, rate, w_sum, rolling_relaxation, rolling_memory_share, beta, h, last_rolling, rolling);
    rolled = rolling - rolling_before;
    store_vec3(contact_state, roll_sum_at(slot), rolling);
    if (momentum)
      store_vec3(contact_state, roll_change_at(slot), rolled);
  }
  couple += turn_couple(c, t, change.xyz, rolled);
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
  own_load = float(contact_load[i]);
  // A position that stays is written before the contacts. Behind them, RADV held it twice, as the vector to be stored and as its components: 4
  // registers.
  if (!POSITIONS)
    grains_next[i].position = grain.position;
  each_contact(i, grain.position.xyz, grain.position.w);
  float w = grain.velocity.w;
  if (w > 0.0) {
    grain.velocity.xyz += w * push;
    if (POSITIONS)
      grain.position.xyz += args.h * w * push;
  }
  if (POSITIONS)
    grains_next[i].position = grain.position;
  grains_next[i].velocity = grain.velocity;
  if (rotating != rotation_off)
    grain_spin_next[i] = vec4(spin.xyz + w * spin.w * couple, spin.w);
}
