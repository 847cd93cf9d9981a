#pragma once
// Bodies and cloths as solids that grains are kept out of where they are placed, not pushed.
#include "engine/geometry/pose.h"
#include "engine/geometry/solid.h"
#include "engine/scene/scene.h"
#include <span>

namespace talus {

struct Obstacle {
  Solid solid;
  Bounds box;  // around the solid
  glm::dvec3 middle;
  double clearance = 0.0;  // m, around it
};
Obstacle obstacle_of(const BodySpec& body, const Pose& pose, double far);  // far: as solid_of()

// m; negative: within it. Along a periodic axis, a grain meets the image that is nearest.
double depth_in(const Obstacle& obstacle, const Domain& domain, const glm::dvec3& center, double radius);

// Moves a centre out of the obstacles that it is in by the way that each of them tells as the nearest, and then back
// between the walls. Where that leaves it in one, it goes to the nearest free place of those that lie straight in some
// directions, if there is one.
void keep_out(std::span<const Obstacle> obstacles, const Domain& domain, glm::dvec3& center, double radius);

// Overlap, in radii of the smaller ball, from which on two are moved apart where they are placed: a tenth, or more
// where the substep is so long that its release throws neither higher than a radius (a method that parts them within
// one substep h gives each the speed of overlap / 2 h); at most a quarter.
double overlap_parted(const Scene& scene);

// Overlap in the same unit, by which grains may be deeper in each other than they were placed where others are moved
// apart beside them: its release throws none higher than a sixteenth of a radius, and it is at least 0.001, at most
// 0.02.
double overlap_added(const Scene& scene);

}  // namespace talus
