#include "viewer/live/mouse_hold.h"

namespace viewer {

using namespace talus;

void MouseHold::start() {
  grasp_ = {};
  place_.reset();
}

void MouseHold::drag(Session& session, Renderer& renderer, const View& view, bool pictured) {
  const Simulation& simulation = session.simulation();
  if (!place_) {
    if (grasp_.holding())
      session.give(grasp_.release(simulation.scene()));
    return;
  }
  if (!grasp_.holding() && pictured) {
    const auto picked = renderer.pick(*place_);
    if (picked && grasp_.take(simulation, *picked, view) && !picked->body)
      session.give(Grab{picked->point, grasp_.radius(simulation.scene())});
    else if (!grasp_.holding())
      place_.reset();
  }
  if (!grasp_.holding())
    return;
  if (auto input = grasp_.move(simulation, view, glm::vec2(2.0f, -2.0f) * *place_ + glm::vec2(-1.0f, 1.0f)))
    session.give(std::move(*input));
}

}  // namespace viewer
