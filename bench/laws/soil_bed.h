#pragma once
// Beds of soil that tools go through: what grains they have, and how they come to rest.
#include "bench/laws/bulk.h"
#include <cmath>
#include <string>

namespace bench {

inline constexpr double soil_radius = 0.005;     // m, of a grain
inline constexpr double soil_size = 0.01;        // m, diameter d of a grain
inline constexpr double soil_density = 2500.0;   // kg/m3, that of bulk_scene
inline constexpr double tool_speed = 0.1;        // m/s
inline constexpr double forces_overlap = 0.004;  // radii, that of solver.accuracy = "forces"

// Friction of the grains with each other and with the tool, and the ratio of shear stress to normal stress that the
// case direct_shear measured with dem.
struct Soil {
  double friction, rolling, stress_ratio;

  // The angle of internal friction [rad]. In simple shear without dilation the plane of shear has the greatest shear
  // stress, so that the ratio of stresses on it is sin(phi) (Davis 1968).
  double angle() const { return std::asin(stress_ratio); }
};
inline constexpr Soil rolling_soil{0.5, 0.1, 0.464}, rough_soil{0.5, 0.0, 0.361}, smooth_soil{0.1, 0.0, 0.265};

// A bed with periodic sides that has come to rest.
struct SoilBed {
  glm::dvec2 size;                 // m, along x and y
  double surface = NAN;            // m, height at which a bed of even packing would end
  double density = NAN;            // kg/m3, of the bulk
  std::vector<glm::dvec3> places;  // m, of the grains' centres
};

// Grains that fall from a loose packing, and come to rest around the bodies.
talus::Scene soil_scene(const talus::Solver& solver, const Soil& soil, glm::dvec2 size, double depth,
                        const std::vector<talus::BodySpec>& bodies);
// The packing is measured between the places low and high [m], where no tool is, from 0.2 to 0.8 of the depth.
SoilBed settled_soil(const LawContext& context, const Soil& soil, glm::dvec2 size, double depth,
                     const std::vector<talus::BodySpec>& bodies, glm::dvec2 low, glm::dvec2 high);
// So many copies side by side: a bed that is periodic stays at rest.
SoilBed copies_of(const SoilBed& bed, int along_x, int along_y);
// The scene that goes on from a bed at rest.
talus::Scene scene_of(const talus::Solver& solver, const Soil& soil, const SoilBed& bed, double overlap,
                      double highest);

// The cases share these texts about their group, the grains, the springs, and the origin of phi.
inline const std::string soil_group = "soil mechanics and machines";
inline const std::string soil_grains =
    "Beds of 10 mm grains with friction 0.5 and rolling friction 0.1 among themselves and with the tool, "
    "with periodic sides. ";
inline const std::string soil_springs = "The mean overlap of the bed at rest is 0.004, that of accuracy = \"forces\". ";
inline const std::string soil_angle =
    "phi is that of the case direct_shear, sin(phi) = shear stress / normal stress, as in simple shear "
    "without dilation (Davis 1968); nothing is fitted.";

}  // namespace bench
