#pragma once
// Which dynamic bodies joints hold together.
#include "engine/scene/scene.h"

namespace talus {

// Groups of dynamic bodies that joints or gears connect with each other, directly or over others of the group, by their
// numbers in order. A body whose only joint is its own one to the world is in none; in a group with others that joint
// is one of the group's. Throws SceneError for a [[joint]] of unknown bodies, or of none that is dynamic.
std::vector<std::vector<std::size_t>> linked_bodies(const Scene& scene);

// The bodies of a [[joint]]; without a value: the world.
struct JointedBodies {
  std::size_t body;
  std::optional<std::size_t> parent;
};
JointedBodies bodies_of(const Scene& scene, const JointSpec& joint);

// The gear of a dynamic body's joint, in rad and m: value = multiplier * value of the leader's joint + offset. Throws
// SceneError for a leader that has no such joint, for joints that follow themselves, and where the values at the start
// disagree.
struct GearedJoint {
  std::size_t leader;  // index into Scene::bodies
  double multiplier, offset;
};
std::optional<GearedJoint> gear_of(const Scene& scene, std::size_t body);

// kg, of each body: what may rest on what lies below it. The mass of a group is borne by those of its bodies that are
// parents of no other one, in equal shares.
std::vector<double> borne_masses(const Scene& scene);

}  // namespace talus
