#include "shared/laws/mobility.h"

layout(constant_id = 3) const uint with_rigid = 1u;  // constant_rigid

vec2 mobility(uint body, vec3 point, vec3 n) {
  if (with_rigid == 0u || bodies[body].split == 0.0)
    return vec2(0.0);
  return body_mobility(bodies[body].split, bodies[body].pivot, bodies[body].inverse_mass, bodies[body].inverse_inertia, point, n);
}
