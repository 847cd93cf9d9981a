#version 460
#extension GL_GOOGLE_include_directive : require
// One Jacobi iteration of Parallel Particles (Holz 2014, sections 5 to 7): every grain takes the sum of the corrections of its
// active contacts, among which masses are split (Tonge et al. 2012) in equal parts or by weight, or the papers' mean. A contact is a
// spring-damper that equals implicit Euler for any number of iterations, with adhesion, and with Coulomb friction on the displacement
// accumulated over the substep. Between iterations velocity * h is the displacement p - x of the substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 2, scalar) readonly buffer PairBlock { PairLaw pair_laws[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer SumBlock { float contact_sum[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 10, scalar) readonly buffer ShearBlock { float contact_shear[]; };
layout(set = 0, binding = 11, scalar) readonly buffer WeightsBlock { float contact_weights[]; };
layout(set = 0, binding = 12, scalar) writeonly buffer WeightsNextBlock { float contact_weights_next[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/relative.glsl"
#include "shared/body_pushes.glsl"
#include "shared/weight_part.glsl"

// log(1 + q) and 1 - exp(-x) without cancellation: the built-in log and exp may be off by 2^-21 near 1.
float log_1p(float q) {
  if (q >= 1.0)
    return log(1.0 + q);
  float z = q / (2.0 + q), z2 = z * z;
  return 2.0 * z * (1.0 + z2 * (1.0 / 3.0 + z2 * (1.0 / 5.0 + z2 * (1.0 / 7.0 + z2 * (1.0 / 9.0 + z2 * (1.0 / 11.0 + z2 / 13.0))))));
}
float one_minus_exp(float x) {
  if (x >= 0.25)
    return 1.0 - exp(-x);
  return x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0 * (1.0 - x / 6.0)))));
}

// Shares k' and c' of the overlap and of the approach that one of n iterations corrects (eq 21 and 28 for a reduced mass).
vec2 relaxation(PairLaw law, float w, float h, float n) {
  float ct = h * law.damping * w, kt = h * h * law.stiffness * w, q = ct + kt;
  return q > 0.0 ? one_minus_exp(log_1p(q) / n) * vec2(kt, ct) / q : vec2(0.0);
}

Grain grain;
uint own_index, tag;
vec3 correction = vec3(0.0);
float weights = 0.0, weights_next = 0.0;
// Most contacts of a grain have one law and one mass: the logarithms are worth keeping.
uint last_law = no_partner;
float last_w = 0.0;
vec2 relax = vec2(0.0);

#define REMEMBERED vec4
vec4 recall(uint slot) { return args.iteration == 0u ? vec4(0.0, 0.0, 0.0, not_active) : load_vec4(contact_sum, slot); }

void touch(uint slot, uint partner, Contact c, vec4 sum) {
  vec3 v = grain.velocity.xyz;
  float r = grain.position.w, w = grain.velocity.w, h = args.h;
  bool split = settings.iteration == iteration_mass_splitting;
  bool memory = (settings.options & option_memory) != 0u;
  float w_sum = w + c.inverse_mass;
  uint law_id = law_index(tag, partner);
  PairLaw law = pair_laws[law_id];
  vec3 way = h * (v - c.velocity);
  float hold = adhesion_budget(c, partner, r, way, law.adhesion, w_sum);
  bool closes = args.iteration > 0u && !(sum.w > 0.0);
  // Active from its first overlap to the end of the substep: what equals implicit Euler.
  if (sum.w < 0.0 && (c.gap > 0.0 && !(hold > 0.0) || !(w_sum > 0.0))) {
    if (args.iteration == 0u)
      store_vec4(contact_sum, slot, sum);
    return;
  }
  sum.w = max(sum.w, 0.0);
  float w_parts = w_sum;
  vec2 shares = vec2(1.0);
  if (split) {
    w_parts = split_w(own_index, w, partner, c.inverse_mass);
    shares = vec2(w_sum / w_parts);
  } else if (by_weight()) {
    shares = shares_by_weight(own_index, partner, w, c.inverse_mass, contact_weight(w, r, c, sum.w + max(-c.gap, 0.0) + hold), closes, weight_over_p2);
  }
  if (law_id != last_law || w_parts != last_w) {
    relax = relaxation(law, w_parts, h, float(args.iterations));
    last_law = law_id;
    last_w = w_parts;
  }

  // Sums count what a contact does to two whole masses; two parts of them would move by 1 / shares.x of it.
  float approach = dot(way, c.normal);
  float normal = max(0.0, sum.w - shares.x * (relax.x * c.gap + relax.y * approach));
  float normal_change = normal - sum.w;

  // What would stop all sliding, and bring back what has slipped before, projected on the cone of the normal correction so far.
  vec3 before = sum.xyz, slip = way - approach * c.normal;
  float held = dot(before, c.normal);
  if (memory)
    slip += turned(load_vec3(contact_shear, slot), c.normal);
  vec3 drag = before - held * c.normal + shares.y * across_share(c, w) * slip;
  float drag_length = length(drag);
  if (drag_length > law.friction_static * normal + hold)
    drag *= (law.friction_kinetic * normal + hold) / drag_length;
  // Likewise what would stop the two from parting, up to what adhesion bears.
  if (hold > 0.0)
    drag += clamp(held + normal_change + shares.x * approach, 0.0, hold) * c.normal;

  // Error reduction: the upper one of two (that with n against gravity) moves as if the lower one were heavier. Shocks grow on
  // their way up by it: 0.5 throws a stack of 50 apart at 60 Hz, and holds ten layers.
  float lean = settings.error_reduction * dot(c.normal, settings.down);
  float own = w * (1.0 - lean), other = c.inverse_mass * (1.0 + lean);
  float part = c.inverse_mass > 0.0 ? own / (own + other) : 1.0;
  vec3 push = normal_change * c.normal - (drag - before);
  correction += part * push;
  weights += 1.0;
  if (by_weight() && normal > 0.0)
    weights_next += contact_weight(w, r, c, normal + hold);
  if (is_body(partner))
    note_push(partner, c.point, (w > 0.0 ? part / w : 1.0 / w_sum) * push);
  sum = vec4(drag, normal);
  store_vec4(contact_sum, slot, sum);
}
#include "shared/each_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  grain = grains[i];
  tag = grain_tag[i];
  bool split = settings.iteration == iteration_mass_splitting, sum = split || by_weight();
  own_index = i;
  each_contact(i, grain.position.xyz, grain.position.w);
  float w = grain.velocity.w, h = args.h;
  if (weights > 0.0)
    add_pushes(sum ? 1.0 / h : 1.0 / (h * weights));
  if (w > 0.0 && weights > 0.0) {
    if (!sum)
      correction /= weights;
    grain.position.xyz += correction;
    grain.velocity.xyz += correction / h;
  }
  grains_next[i] = grain;
  if (by_weight())
    contact_weights_next[i] = weights_next;
}
