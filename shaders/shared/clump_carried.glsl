// The bits that a sphere of a clump had at the end of the substep before follow from the clump, its own radius and what its kind says of it. Needs
// clump_kinds in scope. No struct: glslang takes minutes to follow `precise` back through members of what a function returns.
#include "shared/rotation.glsl"
#include "shared/laws/joint.h"
#include "shared/laws/clump.h"

// Radius of the first sphere of the clump of sphere k [m].
float size_of_clump(uint kind, uint k, float radius) {
  precise float size = radius / clump_kinds[kind].place[k].w;
  return size;
}

// m2, per mass.
vec3 inertia_of_clump(uint kind, float size) {
  precise vec3 inertia = size * size * clump_kinds[kind].inertia;
  return inertia;
}

// Angular velocity [rad/s].
vec3 spin_of_clump(vec4 rotation, vec3 momentum, uint kind, uint k, float radius) {
  return clump_spin(rotation, momentum, inertia_of_clump(kind, size_of_clump(kind, k, radius)));
}

// From the centre of mass to sphere k [m].
vec3 lever_of_sphere(vec4 rotation, uint kind, uint k, float radius) {
  return clump_turned(rotation, size_of_clump(kind, k, radius) * clump_kinds[kind].place[k].xyz);
}

// Speed of a sphere's surface about its centre [m/s].
vec3 surface_speed(float radius, vec3 spin) {
  precise vec3 sigma = radius * spin;
  return sigma;
}
