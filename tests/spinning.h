#pragma once
// Grains that rotate: scenes of them, and how tests read and set their spins.
#include "simulate.h"

namespace talus_tests {

struct SpinningGrain {
  talus::uint id;
  glm::dvec3 position, velocity, spin;  // m, m/s, sigma = r omega [m/s]
  double radius, mass, inertia;         // m, kg, kg m2
};

// In the order of their numbers; none is fixed.
std::vector<SpinningGrain> spinning_grains(talus::Simulation& simulation);
// The same sigma [m/s] for all grains.
void set_spins(talus::Simulation& simulation, glm::dvec3 sigma);

inline constexpr double spinning_friction = 0.3;  // between grains, and with walls

// An empty scene of grains that rotate, with steps of 5 ms.
talus::Scene rotating_scene(const talus::Solver& solver, int substeps = 8);
// A ball that sets off at `speed` [m/s] along a plane tilted by so much.
talus::Scene rolling_ball(const talus::Solver& solver, double degrees, double speed, double rolling = 0.0,
                          int substeps = 8);
// Grains of mixed radii and two materials that meet in free space, none within `hole` [m] of its middle.
talus::Scene free_cloud(const talus::Solver& solver, double rolling = 0.0, int substeps = 8, double hole = 0.0);

struct MomentaWithSpins : Momenta {
  double linear_size = 0.0, angular_size = 0.0;  // sums of the magnitudes of the grains' momenta
};
MomentaWithSpins momenta_with_spins(const std::vector<SpinningGrain>& grains);

// Momenta of a cloud that starts with a spin, before and after .15 s in which its grains meet.
struct CloudMomenta {
  MomentaWithSpins before, after;
};
CloudMomenta momenta_of_cloud(const talus::Solver& solver, double rolling, int substeps = 8);

// The greatest speed of a grain or of its surface about its centre [m/s].
double fastest_of(talus::Simulation& simulation);

}  // namespace talus_tests
