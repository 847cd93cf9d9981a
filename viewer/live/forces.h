#pragma once
// What grains do to the bodies that an operator watches, for arrows in the scene.
#include "engine/talus.h"
#include <vector>

namespace viewer {

class Forces {
public:
  struct Arrow {
    std::uint32_t body;  // index into Scene::bodies
    glm::dvec3 at;       // m, in the world: the middle of the body's box
    glm::dvec3 force;    // N, filtered (BodySpec::load_filter)
    glm::dvec3 torque;   // N m, likewise, about the body's origin
  };

  void start();  // another scene, or the same from its start
  // Between two steps, of these bodies of the first world. Asks nothing where the state is that of the last time.
  void sample(const talus::Simulation& simulation, const std::vector<std::uint32_t>& bodies);
  const std::vector<Arrow>& arrows() const { return arrows_; }
  double most() const { return most_; }  // N, the greatest force so far

private:
  std::vector<Arrow> arrows_;
  std::vector<std::uint32_t> bodies_;  // .. and the step that they are of
  std::uint64_t step_ = 0;
  double most_ = 0.0;
};

}  // namespace viewer
