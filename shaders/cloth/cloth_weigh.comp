#version 460
#extension GL_GOOGLE_include_directive : require
// The start of a substep of cloth, and how the links of a vertex share its mass: with M the sum of their directions times themselves, M's
// greatest eigenvalue takes the place of their number in the mass splitting of Tonge et al. 2012. Links at right angles do not disturb each
// other, and the iteration is as stable (below twice the rate) in any state of the cloth: for impulses y and directions e,
// |sum e y|^2 <= eigenvalue * sum y^2 at every vertex.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer VertexBlock { ClothVertex cloth_vertices[]; };
layout(set = 0, binding = 4, scalar) readonly buffer PlaceBlock { uint cloth_index[]; };
layout(set = 0, binding = 5, scalar) readonly buffer LinkBlock { ClothLink cloth_links[]; };
layout(set = 0, binding = 6, scalar) buffer WorkBlock { ClothWork cloth_work[]; };
layout(set = 0, binding = 7, scalar) buffer ShapeBlock { uint shape_data[]; };
#include "shared/space.glsl"
#include "shared/cloth.glsl"
#include "shared/cloth_slot.glsl"
#include "shared/cloth_box.glsl"
#include "shared/cloth_link.glsl"

shared uint half_bits;

void main() {
  uint k = own_vertex();
  if (gl_LocalInvocationID.x == 0u)
    half_bits = 0u;
  barrier();
  if (k != no_vertex && status.halt == halt_none) {
    uint i = slot_of_vertex(k);
    ClothVertex vertex = cloth_vertices[k];
    shape_data[place_word(k)] = i;
    shape_data[contacts_word(k)] = 0u;
    mat3 directions = mat3(0.0);
    for (uint n = vertex.first_link; n < vertex.end_link; ++n) {
      vec3 d = link_of(i, slot_of_vertex(cloth_links[n].other)).direction;
      directions += outerProduct(d, d);
    }
    cloth_work[k].split = greatest_eigenvalue(directions);
    for (uint t = vertex.first_triangle; t < vertex.end_triangle; ++t) {
      Box box = box_of(t);
      precise vec3 edges = 0.5 * (box.high - box.low);
      atomicMax(half_bits, floatBitsToUint(max(edges.x, max(edges.y, edges.z))));
    }
  }
  barrier();
  if (gl_LocalInvocationID.x == 0u && k != no_vertex)  // a workgroup's vertices are of one world
    atomicMax(worlds[world_of_vertex(k)].cloth.half_bits, half_bits);
}
