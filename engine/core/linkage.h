#pragma once
// Dynamic bodies that joints hold together, to the world, and to bodies that move as they are told: what stays of them,
// and the joints' values at the start.
#include "engine/core/fields.h"
#include "engine/geometry/pose.h"
#include "engine/scene/scene.h"

namespace talus {

// Bodies that are connected by joints are one linkage. A dynamic body that hangs on the world by a joint of its own and
// has no other joint is in none: it keeps to its joint exactly.
struct Linkages {
  std::vector<Linkage> linkages;
  std::vector<LinkJoint> joints;             // linkage after linkage
  std::vector<LinkRowPlace> places;          // likewise
  std::vector<LinkState> states;             // of the joints
  uint words = 0;                            // of all matrices
  std::vector<bool> has;                     // [body] Is it a dynamic body of a linkage?
  std::vector<std::optional<uint>> of_body;  // [body] The joint of the body's own table, by its number in `joints`.
};

// Throws SceneError for a linkage with more rows than a device has room for.
Linkages linkages_of(const Scene& scene);

// Limits, friction and spring of a joint along its axis, in rad or m.
JointAxis along_of(const Joint& joint);

// rad or m, the value of a joint whose bodies are at these poses, next to the value `near`. A parent that is the world
// is at LinkJoint::place.
double value_of(const LinkJoint& joint, const Pose& parent, const Pose& child, double near);

// The same per s.
double speed_of(const LinkJoint& joint, const Pose& parent, const Twist& parent_twist, const Pose& child,
                const Twist& child_twist);

}  // namespace talus
