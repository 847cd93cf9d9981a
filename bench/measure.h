#pragma once
// What the experiments measure on grains.
#include "engine/talus.h"
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace bench {

// A heap on the floor z = 0 by rings around its axis. The surface is the top grain of each cell of a ring, all cells
// being about as large, so that it lies equally high above the mean surface everywhere.
struct Heap {
  double angle = 0.0;   // degrees, of a least-squares line through the flank; 0 where that does not fall
  double radius = 0.0;  // m, where the mean surface comes down to half a grain
  double height = 0.0;  // m, of the line on the axis
  std::vector<std::pair<double, double>> profile;  // m, radius and mean surface of each ring up to 1.3 radii
};
// The flank reaches from inner to outer, in shares of the heap's radius.
Heap fit_heap(std::span<const talus::GrainState> grains, double inner = 0.2, double outer = 0.8);

// Share of the box's volume inside grains.
double packing_fraction(std::span<const talus::GrainState> grains, glm::dvec3 min, glm::dvec3 max);

// The same of the middle of a bed of equal grains, away from its surface: a part that is no larger for more grains.
double bed_packing(std::span<const talus::GrainState> grains, const talus::Domain& domain);

// Of the contacts that touch, of grains of one radius with each other and with the sides of a domain
// in radii; a pair counts for both of its grains, as in talus::Measure.
struct Overlap {
  double mean = 0.0, max = 0.0;
};
Overlap overlap_of(std::span<const talus::GrainState> grains, const talus::Domain& domain);

double speed_rms(std::span<const talus::GrainState> grains);  // m/s; 0 without grains

// Of at least one value; between the two in the middle of an even number.
double median(std::vector<double> values);

struct Line {
  double slope, offset;
};
// Least squares, of points with equal weights or those given.
Line fit_line(std::span<const std::pair<double, double>> points, std::span<const double> weights = {});

// Beverloo's law, mass per second W = C rho sqrt(g) (D - k d)^2.5, with W / rho in m3/s of bulk.
struct Beverloo {
  double c, k;
};
Beverloo fit_beverloo(std::span<const std::pair<double, double>> diameter_and_rate, double grain_diameter, double g);

// The rate of discharge through an opening, without dimension: c (x - k)^power, with x the opening's size in diameters
// of a grain.
struct Discharge {
  double power, c, k;

  double at(double x) const;
};
// By least squares of relative deviations, of points (x, rate): with that power; and with the power free.
Discharge fit_discharge(std::span<const std::pair<double, double>> points, double power);
Discharge fit_discharge(std::span<const std::pair<double, double>> points);

// Run-out (r_inf - r_0) / r_0 of a cylinder of aspect ratio a = height / radius (Lube et al. 2004).
double lube_run_out(double a);

// Mean approaching speed [m/s] of the pairs and floor contacts that overlap in `before`, with the velocities of
// `after`; both sorted by id.
double approach_speed(std::span<const talus::GrainState> before, std::span<const talus::GrainState> after);

}  // namespace bench
