#pragma once
// Handles over the picture, by which something is moved along an axis of the world or over the ground, and turned about
// an axis.
#include "engine/geometry/pose.h"
#include "viewer/renderer_camera.h"
#include <array>
#include <optional>
#include <vector>

namespace viewer {

class Gizmo {
public:
  enum class Handle { move_x, move_y, move_z, move_level, turn_x, turn_y, turn_z };
  static constexpr std::array handles{Handle::move_x, Handle::move_y, Handle::move_z, Handle::move_level,
                                      Handle::turn_x, Handle::turn_y, Handle::turn_z};

  // middle: m, in the world; window: pixels; length: pixels, of an arrow that is seen from its side.
  Gizmo(const talus::View& view, const glm::vec2& window, const glm::dvec3& middle, float length, bool turns);

  // Returns the line over the window [pixels] that is drawn for a handle. It is empty where the handle cannot be used:
  // the view looks along its arrow, or onto the edge of its ring or of the ground. The line of move_level is closed.
  const std::vector<glm::vec2>& line_of(Handle handle) const { return lines_[static_cast<std::size_t>(handle)]; }
  std::optional<Handle> at(const glm::vec2& mouse) const;  // pixels; the nearest one within a few

  // The motion of the world that takes what was under the mouse at `from` to where it is at `to` [pixels], as far as
  // the handle lets it, in steps of step() or 1 degree; coarse: of ten of these steps, or 15 degrees. None: the mouse
  // is where the axis or the plane ends in the picture.
  std::optional<talus::Pose> motion(Handle handle, const glm::vec2& from, const glm::vec2& to, bool coarse) const;
  double step() const { return step_; }  // m: a power of ten, about a pixel

private:
  talus::View view_;
  glm::vec2 window_;
  glm::dvec3 middle_;
  double arm_;  // m, as long as an arrow
  double step_;
  std::array<std::vector<glm::vec2>, handles.size()> lines_;

  std::vector<glm::vec2> line(Handle handle) const;
  std::optional<double> along(const glm::dvec3& axis, const glm::vec2& mouse) const;
  std::optional<glm::dvec3> on_plane(const glm::dvec3& normal, const glm::vec2& mouse) const;
};

}  // namespace viewer
