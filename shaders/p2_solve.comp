#version 460
#extension GL_GOOGLE_include_directive : require
// One Jacobi iteration of Parallel Particles (Holz 2014, sections 5 and 6): every grain takes the mean of the corrections of its
// active contacts, weighted by mass. A contact is a spring-damper that equals implicit Euler for any number of iterations, with Coulomb friction on the
// displacement accumulated over the substep. Between iterations velocity * h is the displacement p - x of the substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer PairBlock { PairLaw pair_laws[]; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer SumBlock { vec4 contact_sum[]; };
layout(set = 0, binding = 9, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
#include "shared/space.glsl"
#include "shared/contact_row.glsl"

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

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  vec3 p = grain.position.xyz, v = grain.velocity.xyz;
  float r = grain.position.w, w = grain.velocity.w, h = args.h;
  uint row = (grain_tag[i] & tag_material_mask) * (settings.materials + 1u);

  vec3 correction = vec3(0.0);
  float weights = 0.0;
  // Most contacts of a grain have one law and one mass: the logarithms are worth keeping.
  uint last_law = no_partner;
  float last_w = 0.0;
  vec2 relax = vec2(0.0);
  uint count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint slot = contact_slot(i, k);
    uint partner = contact_partner[slot];
    Contact c = contact_with(partner, i, p, r);
    vec4 sum = args.iteration == 0u ? vec4(0.0, 0.0, 0.0, -1.0) : contact_sum[slot];
    float w_sum = w + c.inverse_mass;
    // Active from its first overlap to the end of the substep: what equals implicit Euler.
    if (sum.w < 0.0 && (c.gap > 0.0 || !(w_sum > 0.0))) {
      if (args.iteration == 0u)
        contact_sum[slot] = sum;
      continue;
    }
    sum.w = max(sum.w, 0.0);
    uint material = partner >= wall_partner ? settings.materials
                    : settings.materials > 1u ? grain_tag[partner] & tag_material_mask : 0u;
    PairLaw law = pair_laws[row + material];
    if (row + material != last_law || w_sum != last_w) {
      relax = relaxation(law, w_sum, h, float(args.iterations));
      last_law = row + material;
      last_w = w_sum;
    }

    vec3 way = h * (v - c.velocity);
    float approach = dot(way, c.normal);
    float normal = max(0.0, sum.w - relax.x * c.gap - relax.y * approach);
    float normal_change = normal - sum.w;

    // What would stop all sliding, projected on the cone of the normal correction so far.
    vec3 before = sum.xyz;
    vec3 tangent = before - dot(before, c.normal) * c.normal + way - approach * c.normal;
    float length_t = length(tangent);
    if (length_t > law.friction_static * normal)
      tangent *= law.friction_kinetic * normal / length_t;

    // The mean is over masses at the contact: the paper's plain mean where partners are alike, but a boulder's one contact with
    // the floor counts against a hundred with pebbles. Plain, it sinks in and is thrown out.
    float weight = 1.0 / (w + (c.inverse_mass > 0.0 ? c.inverse_mass : w));
    correction += weight * w / w_sum * (normal_change * c.normal - (tangent - before));
    weights += weight;
    contact_sum[slot] = vec4(tangent, normal);
  }
  if (w > 0.0 && weights > 0.0) {
    correction /= weights;
    grain.position.xyz = p + correction;
    grain.velocity.xyz = v + correction / h;
  }
  grains_next[i] = grain;
}
