// Needs settings in scope.
#include "shared/laws/friction.h"
#include "shared/laws/restitution.h"
#include "shared/laws/dem.h"
#include "shared/laws/hertz.h"

DemSpring spring_of(PairLaw law, bool grains_both, Contact c, float w, float r) {
  float w_sum = w + c.inverse_mass, share = 1.0;
  if (grains_both && w_sum > 0.0 && !(w == c.inverse_mass && r == c.radius))  // quotients of equal numbers may be off
    share = dem_share(w, r, c.inverse_mass, c.radius);
  if (with_hertz != 0u)
    return hertz_spring(c, r, w_sum, share, law, grains_both, args.h);
  return dem_spring(share, w_sum, law, args.h, settings.solver.material_stiffness != 0u, with_restitution != 0u);
}
