#version 460
#extension GL_GOOGLE_include_directive : require
// One Jacobi iteration of position-based dynamics (Macklin et al. 2014, Sommer and Schwanecke 2022): every contact that overlaps is
// one constraint, contact and friction. A grain takes the sum of their corrections, among which masses are split (Tonge et al. 2012) in
// equal parts or by weight, or sor times their mean. Between iterations velocity * h is the displacement p - x of the substep.
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
layout(set = 0, binding = 10, scalar) readonly buffer WeightsBlock { float contact_weights[]; };
layout(set = 0, binding = 11, scalar) writeonly buffer WeightsNextBlock { float contact_weights_next[]; };
#define MOVED args.h
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/pair_law.glsl"
#include "shared/body_pushes.glsl"
#include "shared/weight_part.glsl"

Grain grain;
uint own_index, tag;
vec3 correction = vec3(0.0);
float weights = 0.0, weights_next = 0.0;

#define REMEMBERED vec4
vec4 recall(uint slot) { return args.iteration == 0u ? vec4(0.0) : load_vec4(contact_sum, slot); }

void touch(uint slot, uint partner, Contact c, vec4 sum) {
  vec3 v = grain.velocity.xyz;
  float r = grain.position.w, w = grain.velocity.w, h = args.h;
  bool split = settings.iteration == iteration_mass_splitting;
  bool per_iteration = (settings.options & option_per_iteration) != 0u, after = (settings.options & option_friction_after) != 0u;
  bool last = args.iteration + 1u == args.iterations;
  bool touches = c.gap < -gap_least * min(r, c.radius) || (after && last && sum.w > 0.0);
  if (!touches || !(w + c.inverse_mass > 0.0)) {
    if (args.iteration == 0u)
      store_vec4(contact_sum, slot, sum);
    if (by_weight() && sum.w > 0.0)
      weights_next += contact_weight(w, r, c, sum.w);
    return;
  }
  // Mass scaling: w exp(k z) at height z, of which only the ratio to this grain matters. k times the height of a pile may be up
  // to 10: far beyond, shocks grow on their way up and throw its top off.
  float w_other = c.inverse_mass;
  if (settings.mass_scaling > 0.0)
    w_other *= exp(clamp(settings.mass_scaling * (c.gap + r + c.radius) * dot(c.normal, settings.down), -60.0, 60.0));
  float w_sum = w + w_other;
  vec2 shares = vec2(1.0);
  if (split) {
    shares = vec2(w_sum / split_w(own_index, w, partner, w_other));
  } else if (by_weight()) {
    bool closes = args.iteration > 0u && !(sum.w > 0.0);
    // Friction afterwards takes all of the slip at once: its parts must add up to 1, as the weights of the sums do.
    bool once = after && last && sum.w > 0.0;
    float bears = once ? sum.w : sum.w + max(-c.gap, 0.0);
    shares = shares_by_weight(own_index, partner, w, w_other, contact_weight(w, r, c, bears), closes, weight_over_pbd);
  }

  // Sums count what a contact does to two whole masses; two parts of them would move by 1 / shares.x of it.
  vec3 way = h * (v - c.velocity), slip = way - dot(way, c.normal) * c.normal;
  float normal_change = shares.x * max(-c.gap, 0.0), normal = sum.w + normal_change;
  vec3 before = per_iteration || after ? vec3(0.0) : sum.xyz;
  vec3 drag = before - dot(before, c.normal) * c.normal + shares.y * across_share(c, w) * slip;
  float drag_length = length(drag), bound = after ? (last ? shares.y * h * h * length(settings.gravity) : 0.0) : per_iteration ? normal_change : normal;
  PairLaw law = law_of(tag, partner);
  if (drag_length > law.friction_static * bound)
    drag *= min(law.friction_kinetic * bound / drag_length, 1.0);

  vec3 push = 1.0 / w_sum * (normal_change * c.normal - (drag - before));
  correction += w * push;
  weights += 1.0;
  if (by_weight() && normal > 0.0)
    weights_next += contact_weight(w, r, c, normal);
  if (is_body(partner))
    note_push(partner, c.point, push);
  sum = vec4(drag, normal);
  store_vec4(contact_sum, slot, sum);
}
#include "shared/each_contact.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  own_index = i;
  grain = grains[i];
  tag = grain_tag[i];
  each_contact(i, grain.position.xyz, grain.position.w);
  bool split = settings.iteration == iteration_mass_splitting;
  float w = grain.velocity.w, h = args.h;
  float scale = by_weight() ? 1.0 : split || !(weights > 0.0) ? settings.sor : settings.sor / weights;
  add_pushes(scale / h);
  if (w > 0.0 && weights > 0.0) {
    correction *= scale;
    grain.position.xyz += correction;
    grain.velocity.xyz += correction / h;
  }
  grains_next[i] = grain;
  if (by_weight())
    contact_weights_next[i] = weights_next;
}
