#include "viewer/live/forces.h"
#include "engine/scene/bodies.h"
#include "viewer/live/movable.h"
#include <algorithm>

namespace viewer {

using namespace talus;

void Forces::start() {
  *this = {};
}

void Forces::sample(const Simulation& simulation, const std::vector<std::uint32_t>& bodies) {
  if (!arrows_.empty() && simulation.step() == step_ && bodies == bodies_)
    return;
  step_ = simulation.step();
  bodies_ = bodies;
  const std::vector<BodyLoad> loads = simulation.body_loads();
  arrows_.clear();
  for (const std::uint32_t body : bodies) {
    if (body >= loads.size() || body >= simulation.scene().bodies.size())
      continue;
    const Bounds box = bounds_of(simulation.scene().bodies[body], Pose{});
    const Arrow arrow{body, middle_of({simulation.body_state(body).pose, box}), glm::dvec3(loads[body].force_filtered),
                      glm::dvec3(loads[body].torque_filtered)};
    most_ = std::max(most_, glm::length(arrow.force));
    arrows_.push_back(arrow);
  }
}

}  // namespace viewer
