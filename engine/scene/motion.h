#pragma once
// How a body moves by itself, as a scene says it. engine/scene/kinematics.h makes poses of it.
#include <array>
#include <glm/glm.hpp>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace talus {

// Between keyframes. smooth: monotone cubic, with continuous speed, at rest where a number turns around and at the
// ends.
enum class Interpolation { smooth, linear };
// ball: of dynamic bodies alone; fixed: of those with a parent, or that a [[joint]] holds.
enum class JointType { revolute, prismatic, fixed, ball };

// Of the value of a joint: what 1, a degree or m, is in rad or m.
inline double unit_of(JointType type) {
  return type == JointType::revolute ? std::numbers::pi / 180.0 : 1.0;
}

// Of the time t in seconds; what it may hold: scenes/README.md.
struct Formula {
  std::string text;
  std::string where;  // "FILE:LINE:COLUMN: key", for messages
};

// Away from the body's own position and rotation: m; degrees about the fixed axes x, then y, then z. Each of the six
// numbers is interpolated by itself, so that 0 to 720 degrees are two turns.
struct Keyframe {
  double time = 0.0;  // s
  std::optional<glm::dvec3> position, rotation;
};
struct Keyframes {
  std::vector<Keyframe> frames;  // by time; before the first and after the last, the body stands
  Interpolation interpolation = Interpolation::smooth;
  bool repeat = false;  // before the first and after the last, too; whole turns apart, these are the same
  std::string where;    // as Formula::where
};

// The same six numbers.
struct Functions {
  std::array<Formula, 3> position{{{"0", ""}, {"0", ""}, {"0", ""}}}, rotation = position;
};

// Values over time of a joint.
struct Track {
  struct Key {
    double time, value;  // s
  };
  std::vector<Key> keys;
  Interpolation interpolation = Interpolation::smooth;
  bool repeat = false;
};

// The value of a joint, or the speed or target of its motor, over time.
using JointValue = std::variant<double, Formula, Track>;

// Drives the joint of a dynamic body, as far as its strength goes: towards a speed; or, with a target, by
// stiffness (target - value) + damping (speed of the target - speed of the joint). Torques are N m (revolute) or N
// (prismatic).
struct Motor {
  JointValue speed{0.0};             // degrees/s (revolute) or m/s (prismatic); without a target
  double strength = 0.0;             // N m or N, at most
  std::optional<JointValue> target;  // degrees or m
  double stiffness = 0.0;            // N m/rad or N/m
  double damping = 0.0;              // N m s/rad or N s/m
  double torque = 0.0;               // N m or N, beside all that: what is asked for, not held by `strength`
};

// Pulls the joint of a dynamic body back to a value.
struct JointSpring {
  double stiffness = 0.0;  // N m/rad (revolute) or N/m (prismatic)
  double damping = 0.0;    // N m s/rad or N s/m
  double rest = 0.0;       // degrees or m
};

// Ties the value of a joint to that of the joint of another body: value = multiplier * value of that one + offset, in
// degrees (revolute) and m (prismatic).
struct Gear {
  std::string body;  // BodySpec::name
  double multiplier = 1.0;
  double offset = 0.0;
  std::string where;  // as Formula::where
};

// Values and limits in degrees (revolute) or m (prismatic), and per s. The pose of the body in its parent is frame of
// the joint * motion about or along its axis by the value * the body's own position and rotation.
struct Joint {
  static constexpr double none = std::numeric_limits<double>::infinity();

  JointType type = JointType::revolute;
  glm::dvec3 axis{0.0, 0.0, 1.0};  // in the joint's frame; any length but 0
  glm::dvec3 origin{0.0};          // m, of the joint's frame in the parent
  glm::dvec3 rotation{0.0};        // degrees, as Keyframe::rotation
  JointValue value{0.0};
  double min = -none, max = none;
  double speed = none, acceleration = none;  // > 0; not of a dynamic body
  // Of a dynamic body, whose value here is a number: the one it starts from. ball: max is the angle, in degrees, by
  // which the axis of the body may lean away from where it is at value 0.
  double start_speed = 0.0;    // of the value; not of a ball
  double friction = 0.0;       // N m (revolute, ball) or N (prismatic): what it holds before it moves, and brakes with
  double armature = 0.0;       // kg m2 (revolute) or kg (prismatic): inertia of a rotor, by the speed of the value
  std::optional<Motor> motor;  // revolute, prismatic
  JointSpring spring;          // likewise
  std::optional<Gear> gear;    // likewise
  std::string where;           // as Formula::where
};

// Instead of constant velocities.
using Motion = std::variant<std::monostate, Keyframes, Functions, Joint>;

}  // namespace talus
