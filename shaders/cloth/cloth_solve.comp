#version 460
#extension GL_GOOGLE_include_directive : require
// One iteration of all links of a vertex of cloth, from its own side: the other end computes the same with opposite sign, so that momentum
// is kept.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer VertexBlock { ClothVertex cloth_vertices[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { uint cloth_index[]; };
layout(set = 0, binding = 5, scalar) readonly buffer LinkBlock { ClothLink cloth_links[]; };
layout(set = 0, binding = 6, scalar) buffer PullBlock { ClothPull cloth_pulls[]; };
layout(set = 0, binding = 7, scalar) buffer WorkBlock { ClothWork cloth_work[]; };
#include "shared/space.glsl"
#include "shared/cloth_slot.glsl"
#include "shared/cloth_link.glsl"

void main() {
  uint k = own_vertex();
  if (k == no_vertex || status.halt != halt_none)
    return;
  uint i = slot_of_vertex(k);
  Grain grain = grains[i];
  float w = grain.velocity.w, split = cloth_work[k].split;
  vec3 impulse = vec3(0.0);
  for (uint n = cloth_vertices[k].first_link; n < cloth_vertices[k].end_link; ++n) {
    ClothLink link = cloth_links[n];
    uint j = slot_of_vertex(link.other);
    vec4 other = grains[j].velocity;
    // Without contraction, which would differ between the two ends.
    precise float w_split = w * split + other.w * cloth_work[link.other].split, w_sum = w + other.w;
    ClothPull pull = ClothPull(0.0, 0.0);
    if (args.iteration > 0u)
      pull = cloth_pulls[n];
    if (w_split > 0.0) {
      Link d = link_of(i, j);
      precise vec3 relative = grain.velocity.xyz - other.xyz;
      float residual = link_residual(d, relative, link.rest, settings.cloth.kv, settings.cloth.kc, args.h);
      float sum = link_relaxed(pull, link.stiffness, residual, w_sum, w_split, args.omega, args.beta);
      pull = ClothPull(sum, sum - pull.sum);
      impulse += pull.change * d.direction;
    }
    cloth_pulls[n] = pull;
  }
  vec3 change = w * impulse;
  grain.velocity.xyz += change;
  if (settings.cloth.moves != 0u)
    grain.position.xyz += args.h * change;
  cloth_work[k].next = grain;
}
