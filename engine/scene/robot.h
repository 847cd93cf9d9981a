#pragma once
// Robots: bodies of a scene by the names of links, and the joints between them by theirs. Where a file describes the
// robot, load_robot_file.cpp makes its bodies.
#include <optional>
#include <string>
#include <vector>

namespace talus {

// Of a joint that follows another joint of its robot: value = multiplier * value of that one + offset. Values are those
// of Joint, in degrees (revolute) or m (prismatic).
struct RobotMimic {
  std::string joint;  // RobotJoint::name
  double multiplier = 1.0;
  double offset = 0.0;  // degrees or m
};

struct RobotJoint {
  std::string name;
  std::string body;  // BodySpec::name of the body that hangs on it
  std::optional<RobotMimic> mimic;
};

struct RobotSpec {
  std::string name;
  std::vector<std::string> links;  // BodySpec::name, parents first
  std::vector<RobotJoint> joints;  // revolute and prismatic ones, in the order of links
};

}  // namespace talus
