#include "engine/scene/overlaps.h"
#include "engine/geometry/box_index.h"
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/mass.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace talus {
namespace {

constexpr double slack = 1e-3;  // of a body's reach: less is how one is placed on top of another

bool has_end(const BodyPart& part) {
  return !is_boundary(part) && (part.subtract || !std::holds_alternative<PlanePart>(part.shape));
}

// A body where it starts.
class Placed {
public:
  Placed(const BodySpec& body, const Pose& pose) : at_(pose), body_(&body) {}

  const Pose& at() const { return at_; }

  // In the world: those by which the simulation lets it touch, since fewer miss overlaps that it acts on. None of what
  // has no end, so that those of the other must do.
  const std::vector<ContactPoint>& points() {
    if (!points_) {
      points_.emplace();
      if (std::ranges::all_of(body_->parts, has_end))
        points_ = contact_points(*body_, reach_of(*body_) / contact_points_per_reach);
      for (ContactPoint& point : *points_)
        point.place = (at_ * Pose{point.place}).position;
    }
    return *points_;
  }

  // With distances up to `far` outside: the further, the longer a mesh takes.
  const Solid& solid(double far) {
    if (!solid_ || far > far_) {
      solid_ = solid_of(*body_, at_, far);
      far_ = far;
    }
    return *solid_;
  }

private:
  Pose at_;
  const BodySpec* body_;
  std::optional<std::vector<ContactPoint>> points_;
  std::optional<Solid> solid_;
  double far_ = 0.0;
};

// How deep the one reaches into the other, m. Along a periodic axis it meets the image whose origin is nearest.
double depth_in(Placed& other, Placed& one, const Domain& domain) {
  double depth = 0.0, far = 0.0;
  for (const ContactPoint& point : one.points())
    far = std::max(far, point.radius);
  for (const ContactPoint& point : one.points()) {
    const glm::dvec3 p = nearest_image(domain, point.place, other.at().position);
    depth = std::max(depth, point.radius - sample(other.solid(far), p).distance);
  }
  return depth;
}

// How deep the middle of `one`, whose box this is, lies in both, m. Bodies in the same place have all of their points
// on each other's surface.
double depth_of_middle(Placed& one, const Bounds& box, Placed& other, const Domain& domain) {
  const glm::dvec3 middle = (box.min + box.max) / 2.0;
  if (!std::isfinite(middle.x + middle.y + middle.z))
    return 0.0;
  const glm::dvec3 p = nearest_image(domain, middle, other.at().position);
  return -std::max(sample(one.solid(0.0), middle).distance, sample(other.solid(0.0), p).distance);
}

double depth_in_walls(Placed& one, const Domain& domain) {
  double depth = 0.0;
  for (const ContactPoint& point : one.points())
    for (int a = 0; a < 3; ++a)
      if (domain.axis[static_cast<std::size_t>(a)] == Axis::wall)
        depth = std::max(
            {depth, domain.min[a] - (point.place[a] - point.radius), point.place[a] + point.radius - domain.max[a]});
  return depth;
}

// Have the boxes, or images of them, a point in common?
bool near(const Bounds& a, const Bounds& b, const glm::dvec3& period) {
  for (int i = 0; i < 3; ++i) {
    const double apart = (a.min[i] + a.max[i] - b.min[i] - b.max[i]) / 2,
                 edges = (a.max[i] - a.min[i] + b.max[i] - b.min[i]) / 2;
    if (period[i] > 0.0 ? std::abs(std::remainder(apart, period[i])) > edges
                        : a.max[i] < b.min[i] || b.max[i] < a.min[i])
      return false;
  }
  return true;
}

// Of cloth that starts in bodies. What is pinned may.
void warn_of_cloth(const Scene& scene, std::vector<std::string>& all) {
  if (scene.cloths.empty())
    return;
  const std::vector<Pose> poses = initial_poses(scene);
  for (const ClothSpec& cloth : scene.cloths) {
    const ClothSheet sheet = sheet_of(cloth);
    const std::vector<bool> pinned = pinned_of(cloth, sheet);
    const Bounds box = bounds_of(cloth, sheet);
    const Pose pose = pose_of(cloth);
    for (std::size_t b = 0; b < poses.size(); ++b) {
      if (!near(box, bounds_of(scene.bodies[b], poses[b]), period_of(scene.domain)))
        continue;
      const Solid solid = solid_of(scene.bodies[b], poses[b], cloth.thickness);
      double depth = 0.0;
      for (std::size_t i = 0; i < pinned.size(); ++i)
        if (!pinned[i]) {
          const glm::dvec3 p = (pose * Pose{sheet.vertices[i]}).position;
          depth = std::max(depth, -sample(solid, nearest_image(scene.domain, p, poses[b].position)).distance);
        }
      if (depth > cloth.thickness)
        all.push_back(
            fmt::format("{}: cloth {} starts {:.2g} m deep in body {}, which pushes it out: place it beside that body",
                        scene.source, cloth.name, depth, scene.bodies[b].name));
    }
  }
}

}  // namespace

std::vector<std::string> overlaps_at_start(const Scene& scene) {
  std::vector<std::string> all;
  warn_of_cloth(scene, all);
  if (std::ranges::none_of(scene.bodies, is_dynamic))
    return all;
  const Domain& domain = scene.domain;
  const std::size_t n = scene.bodies.size();
  const std::vector<Pose> poses = initial_poses(scene);
  std::vector<Bounds> bounds;
  for (std::size_t b = 0; b < n; ++b)
    bounds.push_back(bounds_of(scene.bodies[b], poses[b]));
  std::vector<Placed> placed;
  for (std::size_t b = 0; b < n; ++b)
    placed.emplace_back(scene.bodies[b], poses[b]);
  const auto warn = [&](std::size_t b, double depth, const std::string& what, const char* remedy) {
    if (depth > slack * reach_of(scene.bodies[b]))
      all.push_back(fmt::format(
          "{}: body {} starts {:.2g} m deep in {}, which pushes it out and may throw it: place it further {}",
          scene.source, scene.bodies[b].name, depth, what, remedy));
  };
  const std::vector<std::vector<std::size_t>> ignored = ignored_bodies(scene);
  const auto ignores = [&](std::size_t a, std::size_t b) {
    return std::ranges::find(ignored[a], b) != ignored[a].end();
  };
  const glm::dvec3 period = period_of(domain);
  const BoxIndex index(bounds, period);
  for (std::size_t b = 0; b < n; ++b) {
    if (!is_dynamic(scene.bodies[b]))
      continue;
    if (glm::any(glm::lessThan(bounds[b].min, domain.min)) || glm::any(glm::greaterThan(bounds[b].max, domain.max)))
      warn(b, depth_in_walls(placed[b], domain), "a wall", "off");
    std::set<std::size_t> others;
    index.any(bounds[b], [&](std::size_t other) {
      if (other != b && near(bounds[b], bounds[other], period))
        others.insert(other);
      return false;
    });
    for (const std::size_t other : others)
      if (!(is_dynamic(scene.bodies[other]) && other < b) && !ignores(b, other) && !ignores(other, b))
        warn(b,
             std::max({depth_in(placed[other], placed[b], domain), depth_in(placed[b], placed[other], domain),
                       depth_of_middle(placed[b], bounds[b], placed[other], domain)}),
             "body " + scene.bodies[other].name, "off, or name one in `ignores` of the other");
  }
  return all;
}

}  // namespace talus
