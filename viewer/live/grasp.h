#pragma once
// The mouse's hold on the scene: on a handful of grains, or on a point of a dynamic body, which a spring pulls after
// it.
#include "viewer/inputs.h"
#include "viewer/renderer.h"
#include <optional>

namespace viewer {

class Grasp {
public:
  // What was picked, of this scene. False: it is nothing to be moved.
  bool take(const talus::Simulation& simulation, const talus::Renderer::Picked& picked, const talus::View& view);
  bool holding() const { return held_; }
  // The mouse is at this place of the picture now, -1 .. 1 to the right and up: what follows from that, if anything.
  std::optional<Input> move(const talus::Simulation& simulation, const talus::View& view, glm::vec2 place);
  Input release(const talus::Scene& scene);

private:
  bool held_ = false;
  std::optional<std::uint32_t> body_;
  glm::dvec3 point_{0.0}, center_{0.0};  // body: in its frame; of its mass
  glm::dvec3 told_{0.0};                 // m, where the hand was sent last
  double mass_ = 0.0;                    // kg, of it
  float depth_ = 0.0f;                   // m along the view, at which it is moved
};

}  // namespace viewer
