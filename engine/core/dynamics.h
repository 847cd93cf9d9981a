#pragma once
// What dynamic bodies are to the passes, and how they start.
#include "engine/core/linkage.h"
#include "engine/scene/scene.h"

namespace talus {

// All empty where a scene has no dynamic bodies; else one of each per body, those that are not dynamic of mass 0.
struct Dynamics {
  std::vector<Rigid> rigid;
  std::vector<RigidState> states;
  std::vector<RigidCommand> commands;
  std::vector<uint> ignores;  // as field body_ignores
  std::vector<BodyPoint> points;
  Linkages linkages;
  uint count = 0;     // dynamic bodies
  double mass = 0.0;  // kg, of all of them
};

// Throws SceneError for a shape without a mass.
Dynamics dynamics_of(const Scene& scene);

}  // namespace talus
