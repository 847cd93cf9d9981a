#version 460
#extension GL_GOOGLE_include_directive : require
// One Jacobi iteration of Parallel Particles (Holz 2014, sections 5 to 7): every grain takes the sum of the corrections of its
// active contacts, among which masses are split (Tonge et al. 2012) in equal parts or by weight, or the papers' mean. A contact is a
// spring-damper that equals implicit Euler for any number of iterations, with adhesion, and with Coulomb friction on the displacement
// accumulated over the substep. Between iterations velocity * h is the displacement p - x of the substep, and spin * h what a grain has turned.
#include "shared/pass.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 10, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
layout(set = 0, binding = 11, scalar) buffer WeightsBlock { float contact_weights[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/body_load.glsl"
#include "shared/weight_part.glsl"
#include "shared/laws/friction.h"
#include "shared/laws/p2.h"
#include "shared/laws/rolling.h"
#include "shared/turn.glsl"
#include "shared/laws/series.h"
#include "shared/laws/relaxation.h"

Grain grain;
uint own_index, tag;
vec4 spin;
vec3 correction = vec3(0.0), turn = vec3(0.0);
float weights = 0.0, weights_next = 0.0;
bool counting = false;
// Most contacts between grains have one law and one mass: the logarithms are worth keeping.
uint last_law = no_partner;
float last_w = 0.0;
Relaxation relax;

#define REMEMBERED vec4
vec4 restore(uint slot) { return args.iteration == 0u ? vec4(0.0, 0.0, 0.0, not_active) : load_vec4(contact_state, sum_at(slot)); }

void touch(uint slot, uint partner, bool with_grain, Contact c, vec4 sum) {
  float r = grain.position.w, w = grain.velocity.w, h = args.h, gravity = length(settings.domain.gravity);
  bool memory = settings.contacts.memory != 0u;
  float w_sum = w + c.inverse_mass;
  uint law_id = law_index(tag, partner, with_grain);
  PairLaw law = pair_laws[law_id];
  vec3 way = h * (grain.velocity.xyz - c.velocity);
  float adhesion_limit = p2_adhesion_limit(c, r, way, law.adhesion, w_sum, !with_grain, h);
  bool closes = args.iteration > 0u && !(sum.w > 0.0);
  if (!p2_active(c, sum.w, adhesion_limit, w_sum)) {
    if (args.iteration == 0u)
      store_vec4(contact_state, sum_at(slot), sum);
    if (args.iteration == 0u && rotating == rotation_rolling)
      store_vec3(contact_state, roll_sum_at(slot), vec3(0.0));
    return;
  }
  if (!with_grain && counting) {
    weights += 1.0;
    return;
  }
  vec3 friction_impulse = sum.xyz;
  float pressure = max(sum.w, 0.0), w_parts = w_sum;
  Shares shares = Shares(1.0, 1.0);
  if (settings.solver.iteration == iteration_mass_splitting) {
    w_parts = split_w(own_index, w, partner, with_grain, c.inverse_mass);
    shares = Shares(w_sum / w_parts, w_sum / w_parts);
  } else if (by_weight()) {
    float weight = contact_weight(c, w, r, contact_bears(c, pressure, adhesion_limit), h, gravity);
    shares = shares_of(own_index, w, partner, with_grain, c.inverse_mass, weight, closes, weight_over_p2);
  }
  if (!with_grain || law_id != last_law || w_parts != last_w) {
    relax = relaxation(law, w_parts, h, float(args.iterations));
    last_law = law_id;
    last_w = w_parts;
  }
  vec3 slipped = memory ? load_vec3(contact_state, shear_at(slot)) : vec3(0.0);
  Turn t;
  vec3 slide = way;
  if (rotating != rotation_off) {
    t = turn_with(partner, with_grain, c, spin, w, r);
    slide += h * turn_slip(c, t);
  }
  vec3 change = p2_iterate(c, relax, shares, slide, memory, slipped, adhesion_limit, rotating != rotation_off ? w_sum / t.ease : with_grain ? 1.0 : across_share(c, w), law,
                           friction_impulse, pressure);
  float part = p2_part(c, w, settings.domain.down, settings.solver.error_reduction);
  correction += part * change;
  weights += by_mean() && !with_grain ? 0.0 : 1.0;  // counted before
  if (by_weight() && pressure > 0.0)
    weights_next += contact_weight(c, w, r, pressure + adhesion_limit, h, gravity);
  store_vec4(contact_state, sum_at(slot), vec4(friction_impulse, pressure));
  float mass = p2_mass(c, w, part), scale = by_mean() ? 1.0 / (h * weights) : 1.0 / h;
  if (rotating == rotation_off) {
    if (!with_grain && is_body(partner))
      add_load(partner, c.point, scale * (mass * change));
    return;
  }
  vec3 resistance = vec3(0.0);
  if (rotating == rotation_rolling) {
    vec3 rolling = args.iteration == 0u ? vec3(0.0) : load_vec3(contact_state, roll_sum_at(slot)), roll = memory ? load_vec3(contact_state, roll_at(slot)) : vec3(0.0);
    resistance = resist_rolling(t, shares.tangential, w_sum, roll, law.rolling * (pressure + adhesion_limit), h, rolling);
    store_vec3(contact_state, roll_sum_at(slot), rolling);
  }
  turn += part * turn_couple(c, t, sum.xyz - friction_impulse, resistance);
  if (!with_grain && is_body(partner))
    add_load(partner, surface_at_start(c, way), scale * (mass * change), scale * (r * mass * resistance));
}
#define TAKES_MEAN
#define LOADS_LATE (few_registers != 0u && !has_kind(solid_triangles))  // beside triangles of meshes there are 3 subgroups in either case
#include "shared/each_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  grain = grains[i];
  tag = grain_tag[i];
  own_index = i;
  if (rotating != rotation_off)
    spin = grain_spin[i];
  each_contact(i, grain.position.xyz, grain.position.w);
  float w = grain.velocity.w, h = args.h;
  if (w > 0.0 && weights > 0.0) {
    if (by_mean()) {
      correction /= weights;
      turn /= weights;
    }
    grain.position.xyz += correction;
    grain.velocity.xyz += correction / h;
    spin.xyz += spin.w / h * turn;
  }
  grains_next[i] = grain;
  if (rotating != rotation_off)
    grain_spin_next[i] = spin;
  if (by_weight())
    contact_weights[weights_at(i, args.iteration + 1u)] = weights_next;
}
