#include "viewer/live/projection.h"

namespace viewer {

using talus::View;

std::optional<glm::vec2> pixel_of(const View& view, const glm::vec2& window, const glm::dvec3& point) {
  const glm::vec3 seen = view.project(glm::vec3(point));
  if (!(seen.z > 0.0f))
    return std::nullopt;
  return 0.5f * window * glm::vec2(1.0f + seen.x, 1.0f - seen.y);
}

double pixel_length(const View& view, const glm::vec2& window, const glm::dvec3& point) {
  const double depth = glm::dot(point - glm::dvec3(view.eye), glm::dvec3(view.forward));
  return 2.0 * depth * static_cast<double>(glm::length(view.up)) / static_cast<double>(window.y);
}

glm::vec2 upright(const glm::vec2& place) {
  return glm::vec2(2.0f, -2.0f) * place + glm::vec2(-1.0f, 1.0f);
}

glm::vec3 direction_to(const View& view, const glm::vec2& place) {
  const glm::vec2 at = upright(place);
  return view.forward + at.x * view.right + at.y * view.up;
}

}  // namespace viewer
