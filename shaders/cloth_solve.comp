#version 460
#extension GL_GOOGLE_include_directive : require
// One iteration of all links of a vertex of cloth, from its own side: the other end computes the same with opposite sign, so that momentum
// is kept. A link's impulse follows its residual, with momentum, as a contact's does (Francu and Moldoveanu 2014, sections 4 and 6). A
// stiffness below 1 is a compliance that leaves the share 1 - stiffness of an error. And what grains have done to the vertex.
#include "shared/pass.glsl"
#include "shared/cloth.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer VertexBlock { ClothVertex cloth_vertices[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { uint cloth_place[]; };
layout(set = 0, binding = 5, scalar) readonly buffer LinkBlock { ClothLink cloth_links[]; };
layout(set = 0, binding = 6, scalar) buffer PullBlock { ClothPull cloth_pulls[]; };
layout(set = 0, binding = 7, scalar) buffer WorkBlock { ClothWork cloth_work[]; };
layout(set = 0, binding = 8, scalar) buffer SumBlock { uint body_sums[]; };
#include "shared/space.glsl"
#include "shared/cloth_link.glsl"
#include "shared/whole.glsl"

// What grains have done to vertex k and is not yet in its velocity [N s].
vec3 take_pushes(uint k) {
  uint record = cloth_record(settings.bodies, k);
  vec3 sum;
  for (uint a = 0u; a < 3u; ++a) {
    uint low = body_sums[record + 2u * a], high = body_sums[record + 2u * a + 1u];
    sum[a] = whole(low, high);
    body_sums[record + 2u * a] = body_sums[record + 2u * a + 1u] = 0u;
  }
  if (body_sums[record + load_uncounted] > 0u)
    atomicAdd(status.cloth_uncounted, body_sums[record + load_uncounted]);
  body_sums[record + load_uncounted] = 0u;
  vec3 impulse = settings.load_quantum.x * sum;
  if ((settings.options & option_total_push) == 0u)
    return impulse;
  vec3 fresh = impulse - cloth_work[k].pushed;
  cloth_work[k].pushed = impulse;
  return fresh;
}

void main() {
  uint k = element_index();
  if (k >= settings.cloth || status.halt != halt_none)
    return;
  uint i = cloth_place[k];
  Grain grain = grains[i];
  float w = grain.velocity.w, split = cloth_work[k].split;
  vec3 impulse = vec3(0.0);
  if (args.pushed != 0u)
    impulse = take_pushes(k);
  uint first = cloth_vertices[k].first_link, end = args.iterations > 0u ? cloth_vertices[k].end_link : first;
  for (uint n = first; n < end; ++n) {
    ClothLink link = cloth_links[n];
    uint j = cloth_place[link.other];
    vec4 other = grains[j].velocity;
    // Without contraction, which would differ between the two ends.
    precise float w_split = w * split + other.w * cloth_work[link.other].split, w_sum = w + other.w;
    ClothPull pull = ClothPull(0.0, 0.0);
    if (args.iteration > 0u)
      pull = cloth_pulls[n];
    if (w_split > 0.0) {
      Link d = link_of(i, j);
      precise vec3 relative = grain.velocity.xyz - other.xyz;
      precise float parting = relative.x * d.direction.x + relative.y * d.direction.y + relative.z * d.direction.z;
      precise float residual = settings.cloth_kv * parting + settings.cloth_kc * (d.len - link.rest) / args.h;
      precise float yields = (1.0 - link.stiffness) * w_sum;
      precise float sum = pull.sum + args.beta * pull.change -
                          args.omega * (link.stiffness * residual + yields * pull.sum) / (link.stiffness * w_split + yields);
      pull = ClothPull(sum, sum - pull.sum);
      impulse += pull.change * d.direction;
    }
    cloth_pulls[n] = pull;
  }
  vec3 change = w * impulse;
  grain.velocity.xyz += change;
  if (settings.cloth_moves != 0u)
    grain.position.xyz += args.h * change;
  cloth_work[k].next = grain;
}
