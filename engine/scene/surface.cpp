#include "engine/scene/surface.h"
#include "engine/geometry/crease.h"
#include "engine/geometry/trim.h"
#include "engine/scene/bodies.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace talus {
namespace {

// Round things: a piece of their outline from the upper end of the axis to the lower one, turned around z.
struct OutlinePoint {
  glm::dvec2 place, normal;  // distance from the axis, z
};

// Points of an arc, with enough of them that chords keep the tolerance. Angles from the z axis.
std::vector<OutlinePoint> arc(const glm::dvec2& center, double radius, double from, double to, int segments) {
  std::vector<OutlinePoint> points;
  const int count = std::max(2, static_cast<int>(std::ceil(segments * (to - from) / (2 * std::numbers::pi))));
  for (int i = 0; i <= count; ++i) {
    const double angle = from + (to - from) * i / count;
    const glm::dvec2 normal(std::sin(angle), std::cos(angle));
    points.push_back({center + radius * normal, normal});
  }
  return points;
}

// Each part as triangles in its own frame.
struct Tessellate {
  double tolerance, plane;  // m

  int segments(double radius) const {
    return std::clamp(static_cast<int>(std::numbers::pi * std::sqrt(radius / (2 * tolerance))), 16, 256);
  }

  // What lies on the axis is there to within rounding of the largest radius.
  static void turn(Triangles& out, std::span<const OutlinePoint> outline, int segments) {
    const auto base = static_cast<std::uint32_t>(out.vertices.size());
    double largest = 0.0;
    for (const OutlinePoint& p : outline) {
      largest = std::max(largest, p.place.x);
      for (int k = 0; k < segments; ++k) {
        const double angle = 2 * std::numbers::pi * k / segments, c = std::cos(angle), s = std::sin(angle);
        const double rho = std::max(p.place.x, 0.0);
        out.vertices.push_back({{rho * c, rho * s, p.place.y}, {p.normal.x * c, p.normal.x * s, p.normal.y}});
      }
    }
    for (std::uint32_t i = 0; i + 1 < outline.size(); ++i)
      for (int k = 0; k < segments; ++k) {
        const auto at = [&](std::uint32_t row, int column) {
          return base + row * segments + static_cast<std::uint32_t>(column % segments);
        };
        if (outline[i + 1].place.x > 1e-9 * largest)
          out.corners.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
        if (outline[i].place.x > 1e-9 * largest)
          out.corners.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
      }
  }

  static void square(Triangles& out, const glm::dvec3& middle, const glm::dvec3& x, const glm::dvec3& y) {
    const auto base = static_cast<std::uint32_t>(out.vertices.size());
    for (const glm::dvec2 at : {glm::dvec2(-1, -1), glm::dvec2(1, -1), glm::dvec2(1, 1), glm::dvec2(-1, 1)})
      out.vertices.push_back({middle + at.x * x + at.y * y, glm::normalize(glm::cross(x, y))});
    out.corners.push_back({base, base + 1, base + 2});
    out.corners.push_back({base, base + 2, base + 3});
  }

  Triangles operator()(const PlanePart&) const {
    Triangles out;
    square(out, {0, 0, 0}, {plane, 0, 0}, {0, plane, 0});
    return out;
  }
  Triangles operator()(const BoxPart& p) const {
    Triangles out;
    const glm::dmat3 half(p.size.x / 2, 0, 0, 0, p.size.y / 2, 0, 0, 0, p.size.z / 2);
    for (int a = 0; a < 3; ++a) {
      const glm::dvec3 &x = half[(a + 1) % 3], &y = half[(a + 2) % 3];
      square(out, half[a], x, y);
      square(out, -half[a], y, x);
    }
    return out;
  }
  Triangles operator()(const SpherePart& p) const {
    Triangles out;
    const int n = segments(p.radius);
    turn(out, arc({0, 0}, p.radius, 0, std::numbers::pi, n), n);
    return out;
  }
  Triangles operator()(const CapsulePart& p) const {
    Triangles out;
    const int n = segments(p.radius);
    const double half = p.height / 2 - p.radius, quarter = std::numbers::pi / 2;
    std::vector<OutlinePoint> outline = arc({0, half}, p.radius, 0, quarter, n);
    std::ranges::copy(arc({0, -half}, p.radius, quarter, 2 * quarter, n), std::back_inserter(outline));
    turn(out, outline, n);
    return out;
  }
  Triangles operator()(const ConePart& p) const {
    Triangles out;
    const double half = p.height / 2, larger = std::max(p.radius, p.top_radius);
    const int n = segments(larger);
    const glm::dvec2 side = glm::normalize(glm::dvec2(p.height, p.radius - p.top_radius)), up(0, 1);
    if (p.top_radius > 0)
      turn(out, std::array<OutlinePoint, 2>{{{{0, half}, up}, {{p.top_radius, half}, up}}}, n);
    turn(out, std::array<OutlinePoint, 2>{{{{p.top_radius, half}, side}, {{p.radius, -half}, side}}}, n);
    turn(out, std::array<OutlinePoint, 2>{{{{p.radius, -half}, -up}, {{0, -half}, -up}}}, n);
    return out;
  }
  Triangles operator()(const TorusPart& p) const {
    Triangles out;
    turn(out, arc({p.radius, 0}, p.section, 0, 2 * std::numbers::pi, segments(p.section)),
         segments(p.radius + p.section));
    return out;
  }
  Triangles operator()(const MeshPart& p) const { return creased(p.loaded->mesh); }
};

void append(Surface& surface, const Triangles& more) {
  const auto base = static_cast<std::uint32_t>(surface.vertices.size());
  for (const Triangles::Vertex& v : more.vertices)
    surface.vertices.push_back({glm::vec3(v.position), glm::vec3(v.normal)});
  for (const glm::uvec3& t : more.corners)
    surface.triangles.push_back(base + t);
}

}  // namespace

Surface drawn_surface_of(const BodySpec& body, double tolerance, double plane) {
  if (body.visual.empty())
    return surface_of(body, tolerance, plane);
  Surface surface;
  for (const BodyPart& part : body.visual) {
    const glm::dquat turn = rotation_of(part.rotation);
    Triangles own = std::visit(Tessellate{tolerance, plane}, part.shape);
    for (Triangles::Vertex& v : own.vertices)
      v = {part.position + turn * v.position, turn * v.normal};
    append(surface, own);
  }
  return surface;
}

Surface surface_of(const BodySpec& all, double tolerance, double plane) {
  BodySpec body = all;
  std::erase_if(body.parts, is_boundary);  // drawn as the grains that it is

  double extent = 0.0;
  for (const BodyPart& part : body.parts)
    if (const BodySpec only{.parts = {part}}; std::isfinite(reach_of(only)))
      extent = std::max(extent, reach_of(only));
  const double cell = std::max(40 * tolerance, 0.01 * extent);
  const Solid solid = body.parts.size() > 1 ? solid_of(body, Pose{}, cell) : Solid{};

  Surface surface;
  for (std::size_t i = 0; i < body.parts.size(); ++i) {
    const BodyPart& part = body.parts[i];
    const glm::dquat turn = rotation_of(part.rotation);
    Triangles own = std::visit(Tessellate{tolerance, plane}, body.parts[i].shape);
    const double side = part.subtract ? -1.0 : 1.0;
    for (Triangles::Vertex& v : own.vertices)
      v = {part.position + turn * v.position, side * (turn * v.normal)};
    if (part.subtract)
      for (glm::uvec3& t : own.corners)
        std::swap(t.y, t.z);

    // What is left of it: what the parts before it did not fill already (or, where it takes away, what they did fill),
    // and no part after it fills or takes away. Faces that lie in each other are drawn once or twice where parts are
    // united, and never where one takes the other away.
    const double inside = 2 * tolerance, flush = 1e-3 * tolerance;
    if (solid.parts.empty()) {
      append(surface, own);
      continue;
    }
    const Solid before{{solid.parts.begin(), solid.parts.begin() + i}};
    std::vector<Solid> after;
    for (std::size_t j = i + 1; j < solid.parts.size(); ++j) {
      after.push_back({{solid.parts[j]}});
      after.back().parts[0].subtract = false;
    }
    const auto keep = [&](const glm::dvec3& p) {
      double least = std::numeric_limits<double>::infinity();
      if (!before.parts.empty())
        least = part.subtract ? -sample(before, p).distance - flush : sample(before, p).distance + inside;
      for (std::size_t j = 0; j < after.size(); ++j)
        least = std::min(least, sample(after[j], p).distance + (solid.parts[i + 1 + j].subtract ? -flush : inside));
      return least;
    };
    append(surface, trim(std::move(own), keep, cell));
  }
  return surface;
}

}  // namespace talus
