#pragma once
// Robots whose links have the masses of their URDF file, and whose joints motors drive, or nothing.
#include "engine/scene/robot_drive.h"
#include "engine/scene/scene.h"
#include "engine/scene/urdf.h"

namespace talus {

struct RobotMotors {
  RobotDrive drive = RobotDrive::position;
  // Of each joint of the file, N m/rad and N m s/rad (revolute) or N/m and N s/m (prismatic); for RobotDrive::position.
  std::vector<double> stiffness, damping;
  std::vector<double> armature;  // likewise, kg m2 or kg
};

// Which links move as they are pushed: those behind a joint that moves, or all of them.
std::vector<bool> pushed_links(const Urdf& robot, RobotBase base);

// Gives the bodies of the links that are pushed, which move as prescribed before, the masses of the file, and their
// joints motors, damping and friction, or gears where they follow others and no motor holds their values. What was the
// value of a joint is where it starts and, with RobotDrive::position, the target of its motor. body_of: of each link,
// index into bodies, if any. Throws UrdfError without the name of the file, "LINE: what is wrong", for links without
// mass and for joints that cannot be driven so.
void make_dynamic(std::vector<BodySpec>& bodies, const Urdf& robot,
                  const std::vector<std::optional<std::size_t>>& body_of, const std::vector<bool>& pushed,
                  const RobotMotors& motors);

}  // namespace talus
