#include "engine/scene/overlaps.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/mass.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr double slack = 1e-3;  // of a body's reach: less is how one is placed on top of another

// By which a body reaches into another one, m. Along a periodic axis it meets the image whose origin is nearest.
double depth_in(const Solid& solid, const Pose& at, const std::vector<ContactPoint>& points, const Domain& domain) {
  double depth = 0.0;
  for (const ContactPoint& point : points) {
    glm::dvec3 p = point.place;
    for (int a = 0; a < 3; ++a)
      if (domain.axis[static_cast<std::size_t>(a)] == Axis::periodic) {
        const double edge = domain.max[a] - domain.min[a];
        p[a] -= edge * std::round((p[a] - at.position[a]) / edge);
      }
    depth = std::max(depth, point.radius - sample(solid, p).distance);
  }
  return depth;
}

double depth_in_walls(const std::vector<ContactPoint>& points, const Domain& domain) {
  double depth = 0.0;
  for (const ContactPoint& point : points)
    for (int a = 0; a < 3; ++a)
      if (domain.axis[static_cast<std::size_t>(a)] == Axis::wall)
        depth = std::max(
            {depth, domain.min[a] - (point.place[a] - point.radius), point.place[a] + point.radius - domain.max[a]});
  return depth;
}

}  // namespace

std::vector<std::string> overlaps_at_start(const Scene& scene) {
  std::vector<std::string> all;
  if (std::ranges::none_of(scene.bodies, is_dynamic))
    return all;
  const std::size_t n = scene.bodies.size();
  const std::vector<Pose> poses = initial_poses(scene);
  std::vector<std::vector<ContactPoint>> points(n);  // in the world; of dynamic bodies
  double farthest = 0.0;
  for (std::size_t b = 0; b < n; ++b)
    if (const BodySpec& body = scene.bodies[b]; is_dynamic(body)) {
      points[b] = contact_points(body, reach_of(body) / 4, 512);
      for (ContactPoint& point : points[b]) {
        point.place = (poses[b] * Pose{point.place}).position;
        farthest = std::max(farthest, point.radius);
      }
    }
  std::vector<Solid> solids;
  for (std::size_t b = 0; b < n; ++b)
    solids.push_back(solid_of(scene.bodies[b], poses[b], farthest));
  const auto warn = [&](std::size_t b, double depth, const std::string& what) {
    if (depth > slack * reach_of(scene.bodies[b]))
      all.push_back(fmt::format("{}: body {} starts {:.2g} m deep in {}, which pushes it out: place it beside",
                                scene.source, scene.bodies[b].name, depth, what));
  };
  for (std::size_t b = 0; b < n; ++b) {
    warn(b, depth_in_walls(points[b], scene.domain), "a wall");
    for (std::size_t other = 0; other < n; ++other) {
      if (other == b || !is_dynamic(scene.bodies[b]) || (is_dynamic(scene.bodies[other]) && other < b))
        continue;
      const double depth = std::max(depth_in(solids[other], poses[other], points[b], scene.domain),
                                    depth_in(solids[b], poses[b], points[other], scene.domain));
      warn(b, depth, "body " + scene.bodies[other].name);
    }
  }
  return all;
}

}  // namespace talus
