#include "engine/scene/free_ends.h"
#include "engine/scene/bodies.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace talus {
namespace {

// One way outwards along an axis of the part's own frame.
struct End {
  int axis;
  double side;  // -1 or 1
};

std::vector<End> ends_of(const PartShape& shape) {
  if (std::holds_alternative<BoxPart>(shape))
    return {{0, -1}, {0, 1}, {1, -1}, {1, 1}, {2, -1}, {2, 1}};
  if (std::holds_alternative<ConePart>(shape) || std::holds_alternative<CapsulePart>(shape))
    return {{2, -1}, {2, 1}};
  return {};
}

// The part with this end further out by `by` [m]; nothing where a cone would be pointed before.
std::optional<BodyPart> lengthened(BodyPart part, End end, double by) {
  if (auto* box = std::get_if<BoxPart>(&part.shape)) {
    box->size[end.axis] += by;
  } else if (auto* capsule = std::get_if<CapsulePart>(&part.shape)) {
    capsule->height += by;
  } else {
    auto& cone = std::get<ConePart>(part.shape);
    const double widening = (cone.top_radius - cone.radius) / cone.height * by;
    double& radius = end.side > 0 ? cone.top_radius : cone.radius;
    radius += end.side * widening;
    cone.height += by;
    if (!(radius > 0.0))
      return {};
  }
  glm::dvec3 along(0.0);
  along[end.axis] = end.side * by / 2;
  part.position += rotation_of(part.rotation) * along;
  return part;
}

// A point of the end, given by two coordinates from -1 to 1 across it, in the part's frame; nothing beside it.
std::optional<glm::dvec3> point_on(const PartShape& shape, End end, double u, double v) {
  if (const auto* box = std::get_if<BoxPart>(&shape)) {
    glm::dvec3 p(0.0);
    p[end.axis] = end.side * box->size[end.axis] / 2;
    p[(end.axis + 1) % 3] = u * box->size[(end.axis + 1) % 3] / 2;
    p[(end.axis + 2) % 3] = v * box->size[(end.axis + 2) % 3] / 2;
    return p;
  }
  const double out = u * u + v * v;
  if (out > 1.0)
    return {};
  if (const auto* capsule = std::get_if<CapsulePart>(&shape)) {
    const double cap = capsule->radius * std::sqrt(1.0 - out);
    return glm::dvec3(capsule->radius * u, capsule->radius * v,
                      end.side * (capsule->height / 2 - capsule->radius + cap));
  }
  const auto& cone = std::get<ConePart>(shape);
  const double radius = end.side > 0 ? cone.top_radius : cone.radius;
  return glm::dvec3(radius * u, radius * v, end.side * cone.height / 2);
}

double width_of(const PartShape& shape, End end) {
  if (const auto* box = std::get_if<BoxPart>(&shape))
    return std::max(box->size[(end.axis + 1) % 3], box->size[(end.axis + 2) % 3]);
  if (const auto* capsule = std::get_if<CapsulePart>(&shape))
    return 2 * capsule->radius;
  const auto& cone = std::get<ConePart>(shape);
  return 2 * (end.side > 0 ? cone.top_radius : cone.radius);
}

// Is a point inside the solid in this ball? Passes over what is thinner than `least` [m].
bool has_inside(const Solid& solid, const glm::dvec3& center, double radius, double least) {
  struct Cube {
    glm::dvec3 center;
    double half;
  };
  std::vector<Cube> open{{center, radius}};
  while (!open.empty()) {
    const Cube cube = open.back();
    open.pop_back();
    const double corner = std::numbers::sqrt3 * cube.half, away = glm::distance(cube.center, center);
    if (away > radius + corner)
      continue;
    const double distance = sample(solid, cube.center).distance;
    if (distance < 0.0 && away <= radius)
      return true;
    if (distance > corner || cube.half < least)
      continue;
    for (int k = 0; k < 8; ++k) {
      const glm::dvec3 way(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
      open.push_back({cube.center + cube.half * way, cube.half / 2});
    }
  }
  return false;
}

// The ways out of an end that are free, as far as grains meet it there, and whether others are not.
struct Ways {
  bool met = false;
  std::vector<glm::dvec3> touched;  // where they begin on the end, as far as grains touch it there
  bool shut = false;
};

Ways ways_out(const Solid& solid, const BodyPart& part, const BodyPart& longer, End end, double by) {
  const double slack = 1e-3 * by, step_least = by / 64;
  const double width = width_of(part.shape, end);
  const int steps = std::clamp(static_cast<int>(std::ceil(width / (by / 8))), 4, 64);
  const double rim = 1.0 - 2 * slack / std::max(width, 4 * slack);  // not where it slides along a wall
  const Pose from{part.position, rotation_of(part.rotation)}, to{longer.position, rotation_of(longer.rotation)};
  Ways ways;
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; j <= steps; ++j) {
      const double u = rim * (2.0 * i / steps - 1.0), v = rim * (2.0 * j / steps - 1.0);
      const auto near = point_on(part.shape, end, u, v), far = point_on(longer.shape, end, u, v);
      if (!near || !far)
        continue;
      const glm::dvec3 start = (from * Pose{*near}).position, way = (to * Pose{*far}).position - start;
      const double length = glm::length(way), at_start = sample(solid, start).distance;
      bool shut = at_start < -slack;
      for (double t = std::max(at_start, step_least); !shut && t < length;) {
        const double distance = sample(solid, start + t / length * way).distance;
        shut = distance < -slack;
        t += std::max(distance, step_least);
      }
      ways.shut = ways.shut || shut;
      ways.met = ways.met || (!shut && at_start < end_met * by);  // an end that no grain meets may stay
      if (!shut && at_start < end_touched * by)
        ways.touched.push_back(start);
    }
  return ways;
}

// Would a grain on the end hover, with nothing of the body that is left near it by a radius? A quarter of `by` is one.
bool bears_in_the_air(const Solid& solid, const Solid& left, const std::vector<glm::dvec3>& places, double by) {
  constexpr std::size_t most = 64;
  const std::size_t stride = 1 + places.size() / most;
  for (std::size_t k = 0; k < places.size(); k += stride)
    if (!has_inside(left, places[k], std::max(0.0, sample(solid, places[k]).distance) + by / 4, by / 64))
      return true;
  return false;
}

}  // namespace

FreeEnds free_ends(const std::vector<BodyPart>& parts, double clear) {
  FreeEnds out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    BodyPart part = parts[k];
    if (part.subtract && clear > 0.0) {
      const Solid before = solid_of(out.parts, {}, clear);
      bool hemmed = false;
      for (const End end : ends_of(part.shape))
        if (const std::optional<BodyPart> longer = lengthened(part, end, clear)) {
          const Ways ways = ways_out(before, part, *longer, end, clear);
          if (!ways.met)
            continue;
          if (!ways.shut) {
            part = *longer;
            continue;
          }
          std::vector<BodyPart> left = out.parts;
          left.push_back(part);
          hemmed = hemmed || bears_in_the_air(before, solid_of(left, {}, clear), ways.touched, clear);
        }
      if (hemmed)
        out.hemmed.push_back(k);
    }
    out.parts.push_back(std::move(part));
  }
  return out;
}

}  // namespace talus
