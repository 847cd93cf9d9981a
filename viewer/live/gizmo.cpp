#include "viewer/live/gizmo.h"
#include "viewer/live/projection.h"
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>

namespace viewer {

using namespace talus;

namespace {

using Handle = Gizmo::Handle;

constexpr double ring = 0.75;                             // radius of a ring, in arms
constexpr double square_begin = 0.22, square_end = 0.42;  // of the handle that moves over the ground, likewise
constexpr double along_least = 0.15, plane_least = 0.12;  // sines of the least angles at which handles can be used
constexpr double farthest = 20.0;                         // times as far as the middle: no motion leads there
constexpr float near = 9.0f;                              // pixels, from a line

bool turns_by(Handle handle) {
  return handle >= Handle::turn_x;
}

// Returns the axis of a handle's arrow or ring; that of move_level is the normal of the ground.
glm::dvec3 axis_of(Handle handle) {
  glm::dvec3 axis(0.0);
  axis[handle == Handle::move_level ? 2 : static_cast<int>(handle) % 4] = 1.0;
  return axis;
}

float distance_to(const glm::vec2& a, const glm::vec2& b, const glm::vec2& point) {
  const glm::vec2 way = b - a;
  const float square = dot(way, way);
  const float share = square > 0.0f ? std::clamp(dot(point - a, way) / square, 0.0f, 1.0f) : 0.0f;
  return glm::distance(point, a + share * way);
}

// Is the point within a line that is closed and convex?
bool inside(const std::vector<glm::vec2>& line, const glm::vec2& point) {
  int left = 0, right = 0;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const glm::vec2 side = line[k + 1] - line[k], to = point - line[k];
    ++(side.x * to.y - side.y * to.x > 0.0f ? left : right);
  }
  return left == 0 || right == 0;
}

}  // namespace

Gizmo::Gizmo(const View& view, const glm::vec2& window, const glm::dvec3& middle, float length, bool turns)
    : view_(view), window_(window), middle_(middle) {
  const double pixel = pixel_length(view, window, middle);
  arm_ = static_cast<double>(length) * pixel;
  step_ = std::pow(10.0, std::floor(std::log10(std::max(pixel, 1e-9))));
  if (!(pixel > 0.0))
    return;
  for (const Handle handle : handles)
    if (turns || !turns_by(handle))
      lines_[static_cast<std::size_t>(handle)] = line(handle);
}

std::vector<glm::vec2> Gizmo::line(Handle handle) const {
  const glm::dvec3 axis = axis_of(handle), look = normalize(middle_ - glm::dvec3(view_.eye));
  const double cosine = std::abs(dot(axis, look));
  const bool arrow = handle < Handle::move_level;
  if (arrow ? cosine > std::sqrt(1.0 - along_least * along_least) : cosine < plane_least)
    return {};
  std::vector<glm::dvec3> points;
  if (arrow) {
    points = {middle_ + 0.12 * arm_ * axis, middle_ + arm_ * axis};
  } else if (handle == Handle::move_level) {
    for (const auto& [x, y] : {std::pair{square_begin, square_begin},
                               {square_end, square_begin},
                               {square_end, square_end},
                               {square_begin, square_end},
                               {square_begin, square_begin}})
      points.push_back(middle_ + arm_ * glm::dvec3(x, y, 0.0));
  } else {
    constexpr int sides = 64;
    const glm::dvec3 u(axis.y, axis.z, axis.x), v = cross(axis, u);
    for (int k = 0; k <= sides; ++k) {
      const double angle = 2.0 * glm::pi<double>() * k / sides;
      points.push_back(middle_ + ring * arm_ * (std::cos(angle) * u + std::sin(angle) * v));
    }
  }
  std::vector<glm::vec2> seen;
  for (const glm::dvec3& point : points) {
    const auto pixel = pixel_of(view_, window_, point);
    if (!pixel)
      return {};
    seen.push_back(*pixel);
  }
  return seen;
}

std::optional<Handle> Gizmo::at(const glm::vec2& mouse) const {
  if (const auto& square = line_of(Handle::move_level); !square.empty() && inside(square, mouse))
    return Handle::move_level;
  std::optional<Handle> nearest;
  float least = near;
  for (const Handle handle : handles) {
    const std::vector<glm::vec2>& line = line_of(handle);
    for (std::size_t k = 0; k + 1 < line.size(); ++k)
      if (const float away = distance_to(line[k], line[k + 1], mouse); away < least) {
        least = away;
        nearest = handle;
      }
  }
  return nearest;
}

// m from the middle, of the point of the axis that is nearest to what is under the mouse.
std::optional<double> Gizmo::along(const glm::dvec3& axis, const glm::vec2& mouse) const {
  const glm::dvec3 way(direction_to(view_, mouse / window_)), from = middle_ - glm::dvec3(view_.eye);
  const double b = dot(axis, way), c = dot(way, way);
  const double t = (dot(way, from) - b * dot(axis, from)) / (c - b * b);
  if (!(t > 0.0) || t * glm::length(way) > farthest * glm::length(from))  // where the axis ends in the picture
    return std::nullopt;
  return t * b - dot(axis, from);
}

// From the middle, of the point of the plane through it that is under the mouse.
std::optional<glm::dvec3> Gizmo::on_plane(const glm::dvec3& normal, const glm::vec2& mouse) const {
  const glm::dvec3 way(direction_to(view_, mouse / window_)), from = middle_ - glm::dvec3(view_.eye);
  const double t = dot(normal, from) / dot(normal, way);
  if (!(t > 0.0) || t * glm::length(way) > farthest * glm::length(from))
    return std::nullopt;
  return t * way - from;
}

std::optional<Pose> Gizmo::motion(Handle handle, const glm::vec2& from, const glm::vec2& to, bool coarse) const {
  const glm::dvec3 axis = axis_of(handle);
  const double step = coarse ? 10.0 * step_ : step_;
  if (handle < Handle::move_level) {
    const auto first = along(axis, from), last = along(axis, to);
    return first && last ? std::optional(Pose{step * std::round((*last - *first) / step) * axis}) : std::nullopt;
  }
  const auto begin = on_plane(axis, from), end = on_plane(axis, to);
  if (!begin || !end)
    return std::nullopt;
  if (handle == Handle::move_level)
    return Pose{step * glm::round((*end - *begin) / step)};
  const double angle = std::atan2(dot(axis, cross(*begin, *end)), dot(*begin, *end));
  const double rounding = glm::radians(coarse ? 15.0 : 1.0);
  const glm::dquat turn = rotation_by(rounding * std::round(angle / rounding) * axis);
  return Pose{middle_ - turn * middle_, turn};
}

}  // namespace viewer
