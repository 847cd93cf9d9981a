// Distance from a mesh and its winding number, by its tree.
#include "shared/pass.glsl"
#include "shared/bake.h"

layout(set = 0, binding = 0, scalar) readonly buffer GridBlock { BakeGrid bake_grid; };
layout(set = 0, binding = 1, scalar) readonly buffer TrianglesBlock { BakeTriangle bake_triangles[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TreeBlock { BakeNode bake_tree[]; };

const uint tree_depth = 32u;

bool is_leaf(uint node) { return node + 1u >= bake_grid.leaves; }
uint first_triangle(uint leaf) { return (leaf + 1u - bake_grid.leaves) * leaf_triangles; }

float segment_distance2(vec3 p, vec3 edge) {  // p from the edge's start
  float l = dot(edge, edge);
  vec3 d = p - (l > 0.0 ? clamp(dot(p, edge) / l, 0.0, 1.0) : 0.0) * edge;
  return dot(d, d);
}

// By its plane where p lies above it, else by its edges: where it has no plane, that is all there is.
float triangle_distance2(vec3 p, BakeTriangle t) {
  vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
  vec3 pa = p - t.a, pb = p - t.b, pc = p - t.c;
  vec3 n = cross(ab, bc);
  float nn = dot(n, n);
  if (nn > 1e-30 && dot(cross(n, ab), pa) > 0.0 && dot(cross(n, bc), pb) > 0.0 && dot(cross(n, ca), pc) > 0.0) {
    float h = dot(n, pb);
    return h * h / nn;
  }
  return min(min(segment_distance2(pa, ab), segment_distance2(pb, bc)), segment_distance2(pc, ca));
}

float box_distance2(vec3 p, uint node) {
  vec3 d = max(max(bake_tree[node].low - p, p - bake_tree[node].high), vec3(0.0));
  return dot(d, d);
}

// Distance from the mesh, where it is less than `bound`. Depth first, the nearer child first.
float closest(vec3 p, float bound) {
  uint waiting[tree_depth];
  float ahead[tree_depth];  // squared distance of their bounds
  uint count = 1u, opened = 0u;
  waiting[0] = 0u;
  ahead[0] = 0.0;
  float best = bound * bound;
  while (count > 0u && opened < leaves_most) {
    count -= 1u;
    if (ahead[count] >= best)
      continue;
    uint node = waiting[count];
    if (is_leaf(node)) {
      uint first = first_triangle(node);
      for (uint k = 0u; k < leaf_triangles; ++k)
        best = min(best, triangle_distance2(p, bake_triangles[first + k]));
      opened += 1u;
      continue;
    }
    uint near = 2u * node + 1u, far = near + 1u;
    float d_near = box_distance2(p, near), d_far = box_distance2(p, far);
    if (d_far < d_near) {
      uint n = near;
      near = far;
      far = n;
      float d = d_near;
      d_near = d_far;
      d_far = d;
    }
    if (d_far < best) {
      waiting[count] = far;
      ahead[count] = d_far;
      count += 1u;
    }
    waiting[count] = near;
    ahead[count] = d_near;
    count += 1u;
  }
  return sqrt(best);
}

// Van Oosterom and Strackee 1983. The triple product is `precise`: its sign is the side that a point lies on.
float solid_angle(vec3 p, BakeTriangle t) {
  precise vec3 a = t.a - p, b = t.b - p, c = t.c - p;
  precise float det = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
  if (det == 0.0)
    return 0.0;
  float la = length(a), lb = length(b), lc = length(c);
  return 2.0 * atan(det, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

// Generalised winding number, hierarchical (Barill et al. 2018, with dipoles): 1 inside, 0 outside, and in between near holes.
float winding_number(vec3 p) {
  uint waiting[tree_depth];
  uint count = 1u;
  waiting[0] = 0u;
  float sum = 0.0;
  while (count > 0u) {
    count -= 1u;
    uint node = waiting[count];
    precise vec3 d = bake_tree[node].centre - p;
    precise float d2 = d.x * d.x + d.y * d.y + d.z * d.z;  // the CPU opens the same nodes
    if (d2 > bake_tree[node].near2) {
      sum += dot(d, bake_tree[node].area) / (d2 * sqrt(d2));
    } else if (is_leaf(node)) {
      uint first = first_triangle(node);
      for (uint k = 0u; k < leaf_triangles; ++k)
        sum += solid_angle(p, bake_triangles[first + k]);
    } else {
      waiting[count] = 2u * node + 1u;
      waiting[count + 1u] = 2u * node + 2u;
      count += 2u;
    }
  }
  return sum / (4.0 * pi);
}
