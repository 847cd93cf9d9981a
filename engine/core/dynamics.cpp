#include "engine/core/dynamics.h"
#include "engine/core/compare.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/limitations.h"
#include "engine/scene/mass.h"
#include "shaders/shared/grid.h"
#include <algorithm>
#include <cmath>

namespace talus {
namespace {

// About another point of the body than the center of mass.
glm::dmat3 inertia_about(const MassProperties& m, const glm::dvec3& point) {
  const glm::dvec3 d = m.center - point;
  return m.inertia + m.mass * (glm::dot(d, d) * glm::dmat3(1.0) - glm::outerProduct(d, d));
}

struct Held {
  Rigid rigid{};
  RigidState state{};
  glm::dmat3 lone_inertia{0.0};
};

// The first step starts here, and so did the one before, in which nothing was pushed.
void start_push(RigidState& state) {
  const BodyMotion& m = state.motion;
  state.push = state.push_last = {m.rotation, m.velocity, m.spin, vec3(0.0f), vec3(0.0f)};
}

// Inertia of a body that turns in every way, about its pivot.
void set_inertia(const glm::dmat3& inertia, Rigid& rigid) {
  rigid.inertia = mat3(inertia);
  rigid.inverse_inertia = mat3(glm::inverse(inertia));
  const PrincipalAxes principal = principal_axes(inertia);
  const glm::dvec3 ease = 1.0 / principal.moments;
  rigid.turning_least = vec4(glm::dvec4(principal.axes[0], ease[0] - ease[1]));
  rigid.turning_greatest = vec4(glm::dvec4(principal.axes[2], ease[2] - ease[1]));
  rigid.turning_middle = static_cast<float>(ease[1]);
}

Held free_body(const Pose& pose, const Twist& twist, const MassProperties& m) {
  Held held;
  held.rigid.joint = joint_free;
  held.rigid.pivot = vec3(m.center);
  held.rigid.inverse_mass = mat3(glm::dmat3(1.0 / m.mass));
  set_inertia(m.inertia, held.rigid);
  held.state.motion = {vector_of(pose.rotation), vec3(pose.position), vec3(twist.velocity), vec3(twist.spin)};
  start_push(held.state);
  return held;
}

Held jointed_body(const BodySpec& body, const Joint& joint, const MassProperties& m) {
  Held held;
  Rigid& rigid = held.rigid;
  const Pose frame{joint.origin, rotation_of(joint.rotation)}, zero = frame * pose_of(body);
  const glm::dvec3 axis = frame.rotation * glm::normalize(joint.axis);
  const auto into_body = [&](const glm::dvec3& v) { return glm::conjugate(zero.rotation) * v; };
  const glm::dvec3 own_axis = into_body(axis), anchor = into_body(joint.origin - zero.position);
  rigid.anchor = vec3(joint.origin);
  rigid.axis = vec3(axis);
  rigid.rotation = vector_of(zero.rotation);
  rigid.position = vec3(zero.position);
  held.lone_inertia = inertia_about(m, anchor);
  const double value = std::get<double>(joint.value);
  const double unit = unit_of(joint.type);
  Pose pose = zero;
  glm::dvec3 velocity(0.0), spin(0.0);
  if (joint.type == JointType::ball) {
    rigid.joint = joint_ball;
    rigid.pivot = vec3(anchor);
    set_inertia(inertia_about(m, anchor), rigid);
    rigid.lean = vec3(own_axis);
    spin = body.spin;
    velocity = glm::cross(spin, pose.position - joint.origin);
  } else if (joint.type == JointType::revolute) {
    rigid.joint = joint_revolute;
    rigid.pivot = vec3(anchor);
    const double about_axis = glm::dot(own_axis, inertia_about(m, anchor) * own_axis) + joint.armature;
    rigid.inverse_inertia = mat3(glm::outerProduct(own_axis, own_axis) / about_axis);
    pose = frame * Pose{{}, glm::angleAxis(glm::radians(value), glm::normalize(joint.axis))} * pose_of(body);
    spin = glm::radians(joint.start_speed) * axis;
    velocity = glm::cross(spin, pose.position - joint.origin);
  } else {
    rigid.joint = joint_prismatic;
    rigid.pivot = vec3(m.center);
    rigid.inverse_mass = mat3(glm::outerProduct(axis, axis) / (m.mass + joint.armature));
    pose.position += value * axis;
    velocity = joint.start_speed * axis;
  }
  rigid.along = along_of(joint);
  held.state.motion = {vector_of(pose.rotation), vec3(pose.position), vec3(velocity), vec3(spin)};
  start_push(held.state);
  held.state.value = static_cast<float>(unit * value);
  return held;
}

RigidCommand command_of(const BodySpec& body) {
  RigidCommand command{};
  if (const auto* joint = std::get_if<Joint>(&body.motion); joint && joint->motor) {
    const double unit = unit_of(joint->type);
    const Motor& motor = *joint->motor;
    // A speed or target that changes over time comes with each step's motions (Drive::batch).
    const auto number = [&](const JointValue& value, uint bit) {
      const auto* constant = std::get_if<double>(&value);
      if (!constant)
        command.motor_scheduled |= bit;
      return static_cast<float>(constant ? unit * *constant : 0.0);
    };
    command.motor_speed = number(motor.speed, 2u);
    command.motor_strength = static_cast<float>(motor.strength);
    if (motor.target)
      command.motor_target = number(*motor.target, 1u);
    command.motor_stiffness = static_cast<float>(motor.stiffness);
    command.motor_damping = static_cast<float>(motor.damping);
    command.joint_torque = static_cast<float>(motor.torque);
  }
  return command;
}

// Both ways: as field body_ignores.
std::vector<uint> ignored(const Scene& scene) {
  const uint words = body_words(static_cast<uint>(scene.bodies.size()));
  std::vector<uint> bits(scene.bodies.size() * words, 0u);
  const auto set = [&](std::size_t a, std::size_t b) { bits[a * words + b / 32] |= 1u << b % 32; };
  const std::vector<std::vector<std::size_t>> all = ignored_bodies(scene);
  for (std::size_t b = 0; b < all.size(); ++b)
    for (const std::size_t other : all[b]) {
      set(b, other);
      set(other, b);
    }
  return bits;
}

}  // namespace

Dynamics dynamics_of(const Scene& scene) {
  Dynamics all;
  if (!std::ranges::any_of(scene.bodies, is_dynamic))
    return all;
  if (compare::without_lists(scene.solver))
    throw SceneError(scene.source + ": " + say(limitation_of(Capability::dynamic_bodies, Capability::without_lists)));
  all.ignores = ignored(scene);
  all.linkages = linkages_of(scene);
  const std::vector<Twist> twists = first_twists(scene);
  const std::vector<Pose> poses = initial_poses(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodySpec& body = scene.bodies[b];
    Held held;
    if (is_dynamic(body)) {
      const MassProperties m = mass_of(body);
      const auto* joint = std::get_if<Joint>(&body.motion);
      held = joint && !all.linkages.has[b] ? jointed_body(body, *joint, m) : free_body(poses[b], twists[b], m);
      held.rigid.mass = static_cast<float>(m.mass);
      held.rigid.center = vec3(m.center);
      held.rigid.linked = all.linkages.has[b];
      for (const ContactPoint& point : contact_points(body, reach_of(body) / contact_points_per_reach))
        all.points.push_back({vec3(point.place), static_cast<float>(point.radius), static_cast<uint>(b)});
      all.count += 1;
      all.mass += m.mass;
    }
    all.rigid.push_back(held.rigid);
    all.states.push_back(held.state);
    all.lone_inertia.push_back(held.lone_inertia);
    all.commands.push_back(command_of(body));
  }
  return all;
}

JointLoad load_of_lone_joint(const Joint& joint, const Rigid& rigid, const RigidState& state, const glm::dmat3& inertia,
                             double dt) {
  const StepPush& push = state.push_last;
  const glm::dvec3 axis(rigid.axis), center(rigid.center), spin(state.motion.spin), spin_before(push.spin);
  const glm::dmat3 turned(glm::mat3_cast(quaternion_of(state.motion.rotation))),
      turned_before(glm::mat3_cast(quaternion_of(push.rotation)));
  const glm::dvec3 velocity = glm::dvec3(state.motion.velocity) + glm::cross(spin, turned * center),
                   velocity_before = glm::dvec3(push.velocity) + glm::cross(spin_before, turned_before * center);
  glm::dvec3 impulse = static_cast<double>(rigid.mass) * (velocity - velocity_before) - glm::dvec3(push.impulse);
  JointLoad load;
  if (rigid.joint == joint_prismatic) {
    // The moment of push is about the center of mass, which does not turn; that of the load is about the joint.
    const glm::dvec3 anchor(rigid.anchor - rigid.position);
    const glm::dvec3 arm = turned * center - anchor;
    load.torque = (glm::cross(arm, impulse) - glm::dvec3(push.moment)) / dt;
    load.along = glm::dot(axis, impulse + joint.armature * (velocity - velocity_before)) / dt;
    impulse -= glm::dot(axis, impulse) * axis;
  } else {
    const auto momentum = [&](const glm::dmat3& turn, const glm::dvec3& w) {
      return turn * (inertia * (glm::transpose(turn) * w));
    };
    load.torque = (momentum(turned, spin) - momentum(turned_before, spin_before) - glm::dvec3(push.moment)) / dt;
    if (rigid.joint == joint_revolute) {
      const double along = glm::dot(axis, load.torque);
      load.along = along + joint.armature * glm::dot(axis, spin - spin_before) / dt;
      load.torque -= along * axis;
    }
  }
  load.force = impulse / dt;
  return load;
}

}  // namespace talus
