// Places in the domain and shortest ways across periodic axes. Everything `precise`, so that the CPU finds the same contacts. No vector is
// indexed by a variable: GPUs would keep it in memory. Needs `settings` in scope.
#include "shared/laws/dialect.h"
#include "shared/laws/space.h"

// d, or its image across a periodic axis that is shorter.
vec3 shortest(vec3 d) {
  if (periodic_axes == 0u)
    return d;
  precise vec3 r = d, edge = settings.domain.max - settings.domain.min;
  if ((periodic_axes & 1u) != 0u)
    r.x = shorter(d.x, edge.x);
  if ((periodic_axes & 2u) != 0u)
    r.y = shorter(d.y, edge.y);
  if ((periodic_axes & 4u) != 0u)
    r.z = shorter(d.z, edge.z);
  return r;
}

#include "shared/laws/wall.h"
float wall_distance(vec3 p, uint wall) { return wall_distance(p, wall, settings.domain.min, settings.domain.max); }
