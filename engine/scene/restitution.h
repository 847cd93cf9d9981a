#pragma once
// Coefficients of restitution that a scene gives (keys `restitution` of materials and of the domain), and the springs
// of dem that make them.
#include "engine/scene/scene.h"
#include <optional>

namespace talus {

// Of two materials: the geometric mean, or that of the one that gives it; nothing where neither does.
std::optional<double> restitution_of(const Material& a, const Material& b);
// Restitution between a material and a wall, or a body that has no material: the domain's, else the material's own.
std::optional<double> restitution_of(const Material& m, const Domain& domain);

// Does the method know it? p2 has stiffness and damping, pbd neither.
bool has_restitution(Method method);

// Is it given for any pair of the scene?
bool gives_restitution(const Scene& scene);

// A spring of dem (shaders/shared/laws/dem.h) between grains that are alike, as stiff as a bed bears.
struct Rebound {
  double ratio = 0.0;    // damping ratio z: in a substep, x / (1 + x/2) of the approach goes, x = 2 z sqrt(kappa)
  double kappa = 0.0;    // the greatest that a bed bears with this damping; the spring has at most dem_kappa
  double deepest = 0.0;  // greatest overlap of a collision, in what the two approach by in a substep
};

// The spring with which two part with the share `restitution` of their speed [0.01 .. 1], on average over the phases of
// the substep in which they meet: every phase gives it within 0.015 between grains that are alike, and within 0.03 for
// a share of stiffness (dem_share) down to 0.25.
Rebound rebound_of(double restitution);

// dem's least kappa over the pairs of the scene: what the overlap at rest goes by.
double softest_kappa(const Scene& scene);
// The greatest Rebound::deepest over the pairs of the scene; 0: restitution is not given.
double deepest_rebound(const Scene& scene);

}  // namespace talus
