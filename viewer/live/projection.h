#pragma once
// Between places in the window and in the world, of a view that fills the window.
#include "viewer/renderer_camera.h"
#include <optional>

namespace viewer {

// Returns where a point of the world [m] appears, in pixels from the upper left corner of a window of this size
// [pixels]; none where it is behind the camera.
std::optional<glm::vec2> pixel_of(const talus::View& view, const glm::vec2& window, const glm::dvec3& point);

// Returns the length [m] that a pixel has at the distance of a point along the view; negative behind the camera.
double pixel_length(const talus::View& view, const glm::vec2& window, const glm::dvec3& point);

// Converts a place, 0 .. 1 from the left and from the top of the window, to -1 .. 1 to the right and upwards.
glm::vec2 upright(const glm::vec2& place);

// Returns the direction from the eye to what is seen at a place, 0 .. 1 from the left and from the top of the window.
// Its component along the view is 1.
glm::vec3 direction_to(const talus::View& view, const glm::vec2& place);

}  // namespace viewer
