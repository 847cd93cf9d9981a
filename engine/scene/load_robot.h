#pragma once
// Robots from files, which are one of the two kinds of [[robot]]; the other one names bodies of the scene.
#include "engine/scene/load_parts.h"

namespace talus::reading {

// The keys of a [[robot]] that has a file.
struct RobotFileKeys {
  explicit RobotFileKeys(Table& t);
  // Fails for the first of them that there is, but for the file.
  void refuse(std::string_view why) const;

  Value file, packages, leave_out, on_surface, position, rotation, material, as, cell, joints;
  BetweenKeys between;
  Value drive, base, stiffness, damping, armature, visual;
};

struct FileRobot {
  std::vector<BodySpec> bodies;
  std::vector<std::string> links;  // as RobotSpec::links, ..
  std::vector<RobotJoint> joints;  // .. and RobotSpec::joints
  std::vector<std::string> warnings;
};

// name: of the robot. scene: what stands before it.
FileRobot read_robot_file(const RobotFileKeys& keys, const std::string& name, const Scene& scene);

}  // namespace talus::reading
