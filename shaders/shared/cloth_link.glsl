// Needs grains and space.glsl in scope.
#include "shared/laws/friction.h"
#include "shared/laws/cloth.h"

// A link of cloth from its vertex. Without contraction, which would differ between the two ends.
Link link_of(uint i, uint j) {
  precise vec3 d = grains[i].position.xyz - grains[j].position.xyz;
  return link_along(shortest(d));
}
