// The bits that a sphere of a clump had at the end of the substep before follow from the clump, its own radius and what its kind says of it. Needs
// clump_kinds in scope.
#include "shared/rotation.glsl"
#include "shared/laws/joint.h"
#include "shared/laws/clump.h"

struct ClumpSphere {
  vec3 lever;     // m, from the centre of mass
  vec3 velocity;  // m/s
  vec3 spin;      // rad/s
};
ClumpSphere carried(ClumpMotion clump, uint kind, uint k, float radius) {
  precise float size = radius / clump_kinds[kind].place[k].w;
  precise vec3 inertia = size * size * clump_kinds[kind].inertia;
  ClumpSphere sphere;
  sphere.spin = clump_spin(clump.rotation, clump.momentum, inertia);
  sphere.lever = clump_turned(clump.rotation, size * clump_kinds[kind].place[k].xyz);
  sphere.velocity = clump_velocity(clump.velocity, sphere.spin, sphere.lever);
  return sphere;
}
