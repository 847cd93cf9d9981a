#version 460
#extension GL_GOOGLE_include_directive : require
// One Jacobi iteration of position-based dynamics (Macklin et al. 2014, Sommer and Schwanecke 2022): every contact that overlaps is
// one constraint, contact and friction. A grain takes the sum of their corrections, among which masses are split (Tonge et al. 2012) in
// equal parts or by weight, or sor times their mean. Between iterations velocity * h is the displacement p - x of the substep, and
// spin * h what a grain has turned.
#include "shared/pass.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 10, scalar) buffer WeightsBlock { float contact_weights[]; };
layout(set = 0, binding = 11, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/body_load.glsl"
#include "shared/weight_part.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/pbd.h"
#include "shared/laws/rolling.h"
#include "shared/turn.glsl"

Grain grain;
uint own_index, tag;
vec4 spin;
vec3 correction = vec3(0.0), turn = vec3(0.0);
float weights = 0.0, weights_next = 0.0;
bool counting = false;

// The factor by which each correction is applied; shares by weight have sor in them.
float scale() { return by_weight() ? 1.0 : by_mean() ? settings.solver.sor / weights : settings.solver.sor; }

#define REMEMBERED vec4
vec4 restore(uint slot) { return args.iteration == 0u ? vec4(0.0) : load_vec4(contact_state, sum_at(slot)); }

void touch(uint slot, uint partner, bool with_grain, Contact c, vec4 sum) {
  float r = grain.position.w, w = grain.velocity.w, h = args.h, gravity = length(settings.domain.gravity);
  bool after = settings.solver.friction == friction_after, last = args.iteration + 1u == args.iterations;
  bool accumulated = settings.solver.friction == friction_accumulated;
  if (!pbd_touches(c, r, sum.w, w, after && last)) {
    if (args.iteration == 0u)
      store_vec4(contact_state, sum_at(slot), sum);
    if (args.iteration == 0u && rotating == rotation_rolling)
      store_vec3(contact_state, roll_sum_at(slot), vec3(0.0));
    if (by_weight() && sum.w > 0.0)
      weights_next += contact_weight(c, w, r, sum.w, h, gravity);
    return;
  }
  if (!with_grain && counting) {
    weights += 1.0;
    return;
  }
  float other_w = pbd_scaled(c, r, settings.domain.down, settings.solver.mass_scaling), w_sum = w + other_w;
  Shares shares = Shares(1.0, 1.0);
  if (settings.solver.iteration == iteration_mass_splitting) {
    float share = w_sum / split_w(own_index, w, partner, with_grain, other_w);
    shares = Shares(share, share);
  } else if (by_weight()) {
    float weight = contact_weight(c, w, r, pbd_bears(c, sum.w, after && last), h, gravity);
    shares = shares_of(own_index, w, partner, with_grain, other_w, weight, args.iteration > 0u && !(sum.w > 0.0), weight_over_pbd);
  }
  vec3 way = h * (grain.velocity.xyz - c.velocity), slide = way, before = accumulated ? sum.xyz : vec3(0.0), friction_impulse = before;
  float pressure = sum.w;
  PairLaw law = law_of(tag, partner, with_grain);
  Turn t;
  if (rotating != rotation_off) {
    t = turn_with(partner, with_grain, c, spin, w, r);
    slide += h * turn_slip(c, t);
  }
  vec3 change = pbd_iterate(c, shares, slide, rotating != rotation_off ? (w + c.inverse_mass) / t.ease : with_grain ? 1.0 : across_share(c, w), law, accumulated, after, last, h,
                            gravity, friction_impulse, pressure);
  correction += w / w_sum * change;
  weights += by_mean() && !with_grain ? 0.0 : 1.0;  // counted before
  if (by_weight() && pressure > 0.0)
    weights_next += contact_weight(c, w, r, pressure, h, gravity);
  store_vec4(contact_state, sum_at(slot), vec4(friction_impulse, pressure));
  if (rotating == rotation_off) {
    if (!with_grain && is_body(partner))
      add_load(partner, c.point, scale() / h * (1.0 / w_sum * change));
    return;
  }
  vec3 resistance = vec3(0.0);
  if (rotating == rotation_rolling) {
    vec3 rolling = accumulated && args.iteration > 0u ? load_vec3(contact_state, roll_sum_at(slot)) : vec3(0.0);
    float bound = pbd_bound(shares, pressure, pressure - sum.w, accumulated, after, last, h, gravity);
    resistance = resist_rolling(t, shares.tangential, w + c.inverse_mass, vec3(0.0), law.rolling * bound, h, rolling);
    store_vec3(contact_state, roll_sum_at(slot), rolling);
  }
  turn += w / w_sum * turn_couple(c, t, before - friction_impulse, resistance);
  if (!with_grain && is_body(partner))
    add_load(partner, surface_at_start(c, way), scale() / h * (1.0 / w_sum * change), scale() / h * (r / w_sum * resistance));
}
#define TAKES_MEAN
#define LOADS_LATE (few_registers != 0u && !has_kind(solid_triangles))  // beside triangles of meshes there are 3 subgroups in either case
#include "shared/each_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  own_index = i;
  grain = grains[i];
  tag = grain_tag[i];
  if (rotating != rotation_off)
    spin = grain_spin[i];
  each_contact(i, grain.position.xyz, grain.position.w);
  float w = grain.velocity.w, h = args.h;
  if (w > 0.0 && weights > 0.0) {
    correction *= scale();
    grain.position.xyz += correction;
    grain.velocity.xyz += correction / h;
    spin.xyz += spin.w / h * (scale() * turn);
  }
  grains_next[i] = grain;
  if (rotating != rotation_off)
    grain_spin_next[i] = spin;
  if (by_weight())
    contact_weights[weights_at(i, args.iteration + 1u)] = weights_next;
}
