#include "engine/scene/robot_dynamics.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/mass.h"
#include "engine/scene/words.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus {
namespace {

[[noreturn]] void fail_at(int line, const std::string& what) {
  throw UrdfError(fmt::format("{}: {}", line, what));
}

void weigh(BodySpec& body, const UrdfLink& link) {
  const auto fail = [&](const std::string& what) {
    fail_at(link.line, fmt::format("link {} {}; drive = \"prescribed\" needs no masses", link.name, what));
  };
  if (!link.inertial)
    fail("is moved by what pushes it and has no <inertial>: give it a mass");
  const UrdfInertial& own = *link.inertial;
  const glm::dmat3 turn = glm::mat3_cast(own.pose.rotation);
  const glm::dmat3 m = turn * own.inertia * glm::transpose(turn);
  const glm::dvec3 moments = principal_axes(m).moments;
  if (!(own.mass > 0.0) || !can_be_inertia(moments))
    fail(fmt::format("has a mass of {:.6g} kg and the principal moments {:.6g}, {:.6g} and {:.6g} kg m2, which no body "
                     "has: they are above 0, and the greatest moment is at most the sum of the others",
                     own.mass, moments[0], moments[1], moments[2]));
  body.mass = own.mass;
  body.center = own.pose.position + 0.0;
  body.inertia = {m[0][0], m[1][1], m[2][2], m[1][0] + 0.0, m[2][0] + 0.0, m[2][1] + 0.0};
}

Motor motor_of(const UrdfJoint& from, const RobotMotors& motors, std::size_t j, const JointValue& value) {
  constexpr double unlimited = 1e12;  // N m or N, the greatest that a scene can say
  Motor motor;
  motor.strength = std::min(from.effort.value_or(unlimited), unlimited);
  if (motors.drive == RobotDrive::position) {
    motor.target = value;
    motor.stiffness = motors.stiffness[j];
    motor.damping = motors.damping[j];
  }
  return motor;
}

void drive(Joint& joint, const UrdfJoint& from, const RobotMotors& motors, std::size_t j, double start) {
  if (motors.drive != RobotDrive::position && !std::holds_alternative<double>(joint.value))
    throw SceneError(fmt::format("{} is a value over time, which drive = \"{}\" does not hold; allowed: a number, from "
                                 "where the joint starts",
                                 joint.where, word(motors.drive)));
  // Motors that hold values hold that of a joint that follows another one, too. Else a gear does.
  const bool geared = from.mimic && motors.drive != RobotDrive::position;
  if (motors.drive != RobotDrive::passive && !geared)
    joint.motor = motor_of(from, motors, j, joint.value);
  joint.value = std::clamp(start, joint.min, joint.max);
  joint.speed = joint.acceleration = Joint::none;
  joint.friction = from.friction;
  joint.armature = motors.armature[j];
  joint.spring.damping = from.damping;
}

}  // namespace

std::vector<bool> pushed_links(const Urdf& robot, RobotBase base) {
  std::vector<bool> pushed(robot.links.size(), base == RobotBase::free);
  for (const std::size_t l : links_from_root(robot))
    if (const auto& at = robot.links[l].joint) {
      const UrdfJoint& joint = robot.joints[*at];
      pushed[l] = pushed[l] || moves(joint) || pushed[joint.parent];
    }
  return pushed;
}

void make_dynamic(std::vector<BodySpec>& bodies, const Urdf& robot,
                  const std::vector<std::optional<std::size_t>>& body_of, const std::vector<bool>& pushed,
                  const RobotMotors& motors) {
  Scene alone;
  alone.bodies = bodies;
  const Kinematics prescribed(alone);
  for (std::size_t l = 0; l < robot.links.size(); ++l) {
    if (!pushed[l] || !body_of[l])
      continue;
    const UrdfLink& link = robot.links[l];
    BodySpec& body = bodies[*body_of[l]];
    weigh(body, link);
    if (!link.joint || !moves(robot.joints[*link.joint]))
      continue;
    const UrdfJoint& from = robot.joints[*link.joint];
    Joint& joint = std::get<Joint>(body.motion);
    drive(joint, from, motors, *link.joint, prescribed.joint_value(*body_of[l], 0.0));
    if (from.mimic && motors.drive != RobotDrive::position) {
      const std::size_t leader = *body_of[robot.joints[from.mimic->joint].child];
      const double unit = unit_of(joint.type), leader_unit = unit_of(std::get<Joint>(bodies[leader].motion).type);
      joint.gear = {bodies[leader].name, from.mimic->multiplier * leader_unit / unit, from.mimic->offset / unit + 0.0,
                    joint.where};
    }
  }
}

}  // namespace talus
