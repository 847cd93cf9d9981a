#pragma once
// What dynamic bodies are to the passes, and how they start.
#include "engine/core/linkage.h"
#include "engine/motion/states.h"
#include "engine/scene/scene.h"

namespace talus {

// All empty where a scene has no dynamic bodies; else one of each per body, those that are not dynamic of mass 0.
struct Dynamics {
  std::vector<Rigid> rigid;
  std::vector<RigidState> states;
  std::vector<RigidCommand> commands;
  std::vector<uint> ignores;  // as field body_ignores
  std::vector<BodyPoint> points;
  std::vector<glm::dmat3>
      lone_inertia;  // kg m2 about the joint, in the body, of those that a joint holds to the world alone; else 0
  Linkages linkages;
  uint count = 0;     // dynamic bodies
  double mass = 0.0;  // kg, of all of them
};

// Throws SceneError for a shape without a mass.
Dynamics dynamics_of(const Scene& scene);

// The mean load of the joint that holds a dynamic body to the world alone, over the last step of dt [s]. The joint has
// done to the body what changed its momentum beside gravity, contacts and commands: force = (m dv - impulse) / dt for
// the velocity v of the center of mass, and torque = (d(I w) - moment) / dt about the joint. inertia: kg m2 about the
// joint, in the body.
JointLoad load_of_lone_joint(const Joint& joint, const Rigid& rigid, const RigidState& state, const glm::dmat3& inertia,
                             double dt);

}  // namespace talus
