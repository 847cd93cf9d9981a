#include "engine/scene/obstacles.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace talus {
namespace {

bool is_near(const Obstacle& o, const glm::dvec3& p, double reach) {
  return glm::all(glm::greaterThanEqual(p, o.box.min - reach)) && glm::all(glm::lessThanEqual(p, o.box.max + reach));
}

bool between_walls(const Domain& d, const glm::dvec3& p, double radius) {
  for (int a = 0; a < 3; ++a)
    if (d.axis[static_cast<std::size_t>(a)] == Axis::wall && (p[a] < d.min[a] + radius || p[a] > d.max[a] - radius))
      return false;
  return true;
}

glm::dvec3 into_period(const Domain& d, glm::dvec3 p) {
  for (int a = 0; a < 3; ++a)
    if (const double period = d.max[a] - d.min[a]; d.axis[static_cast<std::size_t>(a)] == Axis::periodic)
      p[a] -= period * std::floor((p[a] - d.min[a]) / period);
  return p;
}

// Out of one obstacle after another, and then back between the walls.
glm::dvec3 pushed_out(std::span<const Obstacle> obstacles, const Domain& d, glm::dvec3 center, double radius) {
  for (const Obstacle& o : obstacles)
    if (const glm::dvec3 p = nearest_image(d, center, o.middle); is_near(o, p, radius + o.clearance)) {
      const SolidSample s = sample(o.solid, p);
      if (const double depth = radius + o.clearance - s.distance; depth > 0.0)
        center += depth * s.gradient;
    }
  for (int a = 0; a < 3; ++a)
    if (d.axis[static_cast<std::size_t>(a)] == Axis::wall)
      center[a] = std::max(std::min(center[a], d.max[a] - radius), d.min[a] + radius);
  return into_period(d, center);
}

double deepest(std::span<const Obstacle> obstacles, const Domain& domain, const glm::dvec3& p, double radius) {
  double depth = -std::numeric_limits<double>::infinity();
  for (const Obstacle& o : obstacles)
    depth = std::max(depth, depth_in(o, domain, p, radius));
  return depth;
}

}  // namespace

Obstacle obstacle_of(const BodySpec& body, const Pose& pose, double far) {
  return {solid_of(body, pose, far), bounds_of(body, pose), pose.position};
}

double depth_in(const Obstacle& obstacle, const Domain& domain, const glm::dvec3& center, double radius) {
  const glm::dvec3 p = nearest_image(domain, center, obstacle.middle);
  if (!is_near(obstacle, p, std::max(radius + obstacle.clearance, 0.0)))
    return -std::numeric_limits<double>::infinity();  // a solid is no nearer than the box around it
  return radius + obstacle.clearance - sample(obstacle.solid, p).distance;
}

void keep_out(std::span<const Obstacle> obstacles, const Domain& domain, glm::dvec3& center, double radius) {
  constexpr int strides = 200;
  const double least = 0.05 * radius;  // of a stride, m
  const glm::dvec3 from = pushed_out(obstacles, domain, center, radius);
  glm::dvec3 best = from;
  if (deepest(obstacles, domain, from, radius) > least) {
    std::optional<double> nearest;
    for (int n = 0; n < 27; ++n) {
      const glm::dvec3 toward(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
      if (toward == glm::dvec3(0.0))
        continue;
      const glm::dvec3 along = glm::normalize(toward);
      double way = 0.0;
      for (int k = 0; k < strides && !(nearest && way >= *nearest); ++k) {
        const glm::dvec3 p = from + way * along;
        if (!between_walls(domain, p, radius))
          break;
        const double depth = deepest(obstacles, domain, p, radius);
        if (depth <= 0.0) {
          nearest = way;
          best = into_period(domain, p);
          break;
        }
        way += std::max(depth, least);
      }
    }
  }
  center = best;
}

namespace {

// Overlap in radii that throws a grain of radius r as high as r where it is released within a substep h, by v = overlap
// r / 2 h and v^2 = 2 g r.
double overlap_thrown(const Scene& scene) {
  const double radius = radii_of(scene).max;
  const int substeps = scene.solver.substeps ? scene.solver.substeps : choose_substeps(scene).substeps;
  return radius > 0.0 ? scene.dt / substeps * std::sqrt(8.0 * glm::length(scene.domain.gravity) / radius) : 0.0;
}

}  // namespace

double overlap_parted(const Scene& scene) {
  constexpr double least = 0.1, most = 0.25;  // no bed at rest comes near to the second whatever its substeps
  return std::clamp(overlap_thrown(scene), least, most);
}

double overlap_added(const Scene& scene) {
  constexpr double least = 0.001, most = 0.02, share = 0.25;
  return std::clamp(share * overlap_thrown(scene), least, most);
}

}  // namespace talus
