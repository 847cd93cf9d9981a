// May two grains touch each other before the lists are built again? Needs settings, grains, grain_id and grain_tag in scope, with INCREMENTAL list_position,
// and of the grain that looks: skin, and does it move (moves)?
#include "shared/clump.glsl"
#include "shared/shape_data.glsl"

layout(constant_id = 1) const uint with_shapes = 1u;  // constant_shapes

// Particles of one shape do not touch each other.
bool same_shape(uint i, uint j) {
  if (with_shapes == 0u)
    return false;
  uint a = grain_id[i] - settings.shapes.first, b = grain_id[j] - settings.shapes.first;
  return a < settings.shapes.particles && b < settings.shapes.particles && shape_data[settings.shapes.words + a] == shape_data[settings.shapes.words + b];
}

// Where a grain is for its list, xyz.
#ifdef INCREMENTAL
#define PLACE(i) list_position[i]
#else
#define PLACE(i) grains[i].position
#endif

bool near(uint i, uint j, vec3 p, float radius) {
  vec4 other = PLACE(j);
  other.w = abs(other.w);
  precise float reach = radius + other.w + skin;
  precise float limit = reach * reach;
  return squared(shortest(p - other.xyz)) < limit && j != i && !same_shape(i, j) && !same_clump(i, j) &&
         (moves || grains[j].velocity.w > 0.0);  // two fixed ones do nothing
}
