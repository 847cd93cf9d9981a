#include "engine/simulation/commands.h"
#include "engine/base/assert.h"
#include "engine/scene/kinematics.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace talus {
namespace {

void check_place(const glm::dvec3& at) {
  if (!std::isfinite(at.x + at.y + at.z))
    throw std::invalid_argument("the hand's place must be finite");
}

}  // namespace

Commands::Commands(Model& model, FieldMemory& memory, const RunState& run)
    : model_(model), memory_(memory), run_(run), drives_(model.scene()) {}

RigidState Commands::rigid_state(std::uint32_t body) const {
  TALUS_ASSERT(body < memory_.executor().size(FieldId::rigid_states), body);
  std::vector<RigidState> state(1);
  memory_.executor().read(FieldId::rigid_states, std::as_writable_bytes(std::span(state)), body * sizeof(RigidState));
  return state[0];
}

const Joint* Commands::dynamic_joint(std::uint32_t body) const {
  const Joint* joint = model_.is_dynamic(body) ? std::get_if<Joint>(&model_.spec_of(body).motion) : nullptr;
  return joint && joint->type != JointType::ball && joint->type != JointType::fixed ? joint : nullptr;
}

BodyState Commands::body_state(std::uint32_t body) const {
  if (model_.is_dynamic(body)) {
    const BodyMotion m = rigid_state(body).motion;
    return {{glm::dvec3(m.position), quaternion_of(m.rotation)}, {glm::dvec3(m.velocity), glm::dvec3(m.spin)}};
  }
  return drives_.call(&Drive::body_state, run_.step(), body);
}

std::optional<std::uint32_t> Commands::linked_joint(std::uint32_t body) const {
  const Linkages& linkages = model_.dynamics().linkages;
  const std::size_t local = body % model_.scene().bodies.size();
  return linkages.of_body.empty() ? std::nullopt : linkages.of_body[local];
}

LinkState Commands::link_state(std::uint32_t world, std::uint32_t joint) const {
  std::vector<LinkState> state(1);
  const std::size_t at = world * model_.dynamics().linkages.joints.size() + joint;
  TALUS_ASSERT(at < memory_.executor().size(FieldId::link_states), at);
  memory_.executor().read(FieldId::link_states, std::as_writable_bytes(std::span(state)), at * sizeof(LinkState));
  return state[0];
}

// Between the bodies where they are now: the state of the joint is that of the start of the last substep.
JointState Commands::linked_state(std::uint32_t world, std::uint32_t joint, double unit) const {
  const LinkJoint& link = model_.dynamics().linkages.joints[joint];
  const auto bodies = static_cast<std::uint32_t>(model_.scene().bodies.size());
  const BodyState child = body_state(world * bodies + link.child);
  BodyState parent{{glm::dvec3(link.place), {1.0, 0.0, 0.0, 0.0}}, {}};
  if (link.parent != no_body)
    parent = body_state(world * bodies + link.parent);
  const Domain& domain = model_.scene().domain;
  BodyState near = child;
  near.pose.position = nearest_image(domain, child.pose.position, parent.pose.position);
  return {value_of(link, parent.pose, near.pose, link_state(world, joint).value) / unit,
          speed_of(link, parent.pose, parent.twist, near.pose, near.twist) / unit};
}

std::optional<JointLoad> Commands::joint_load(std::uint32_t body) const {
  const auto* spec = model_.is_dynamic(body) ? std::get_if<Joint>(&model_.spec_of(body).motion) : nullptr;
  if (!spec)
    return {};
  const std::optional<std::uint32_t> joint = linked_joint(body);
  if (!joint) {
    const Dynamics& all = model_.dynamics();
    const std::size_t own = body % model_.scene().bodies.size();
    return load_of_lone_joint(*spec, all.rigid[own], rigid_state(body), all.lone_inertia[own], model_.scene().dt);
  }
  const auto world = static_cast<std::uint32_t>(body / model_.scene().bodies.size());
  const LinkLoad load = link_state(world, *joint).load;
  const double dt = model_.scene().dt;
  return JointLoad{glm::dvec3(load.impulse) / dt, glm::dvec3(load.moment) / dt, static_cast<double>(load.along) / dt};
}

JointState Commands::joint_state(std::uint32_t body) const {
  if (const Joint* joint = dynamic_joint(body); joint && linked_joint(body))
    return linked_state(static_cast<std::uint32_t>(body / model_.scene().bodies.size()), *linked_joint(body),
                        unit_of(joint->type));
  if (const Joint* joint = dynamic_joint(body)) {
    const RigidState state = rigid_state(body);
    const vec3 along = joint->type == JointType::revolute ? state.motion.spin : state.motion.velocity;
    const double unit = unit_of(joint->type);
    const vec3 axis = model_.dynamics().rigid[body % model_.scene().bodies.size()].axis;
    return {state.value / unit, glm::dot(along, axis) / unit};
  }
  return drives_.call(&Drive::joint_state, run_.step(), body);
}

std::vector<Pose> Commands::poses(std::uint32_t world) const {
  std::vector<Pose> poses = drives_.poses(run_.step(), world);
  TALUS_ASSERT(poses.size() == model_.scene().bodies.size(), poses.size(), model_.scene().bodies.size());
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (const auto body = static_cast<std::uint32_t>(world * poses.size() + b); model_.is_dynamic(body)) {
      const BodyMotion m = rigid_state(body).motion;
      poses[b] = {glm::dvec3(m.position), quaternion_of(m.rotation)};
    }
  return poses;
}

void Commands::place_body(std::uint32_t body, const Pose& at) {
  remember();
  drives_.call(&Drive::place_body, run_.step(), body, at);
}

void Commands::move_body(std::uint32_t body, const Pose& target, const BodyLimits& limits) {
  remember();
  drives_.call(&Drive::move_body, run_.step(), body, target, limits);
}

void Commands::drive_body(std::uint32_t body, const Twist& target, const BodyLimits& limits) {
  remember();
  drives_.call(&Drive::drive_body, run_.step(), body, target, limits);
}

void Commands::move_joint(std::uint32_t body, double value) {
  if (const Joint* joint = dynamic_joint(body)) {
    if (!joint->motor || !joint->motor->target)
      throw std::invalid_argument(
          fmt::format("the joint of body {} has no motor that holds a value", model_.spec_of(body).name));
    if (!std::isfinite(value))
      throw std::invalid_argument("the value to reach must be finite");
    command(body, [&](RigidCommand& c) {
      if (c.motor_scheduled & 1u)
        c.motor_speed = 0.0f;
      c.motor_scheduled &= ~1u;
      c.motor_target = static_cast<float>(unit_of(joint->type) * std::clamp(value, joint->min, joint->max));
    });
    return;
  }
  remember();
  drives_.call(&Drive::move_joint, run_.step(), body, value);
}

void Commands::drive_joint(std::uint32_t body, double speed) {
  constexpr double fastest = 1e6;  // degrees/s or m/s, as a motor in a scene
  if (!(std::abs(speed) <= fastest))
    throw std::invalid_argument(fmt::format(
        "the speed to reach must be finite and from {} to {} (degrees/s or m/s), not {}", -fastest, fastest, speed));
  if (const Joint* joint = dynamic_joint(body)) {
    if (!joint->motor || joint->motor->target)
      throw std::invalid_argument(
          fmt::format("the joint of body {} has no motor that holds a speed", model_.spec_of(body).name));
    command(body, [&](RigidCommand& c) {
      c.motor_scheduled &= ~2u;
      c.motor_speed = static_cast<float>(unit_of(joint->type) * speed);
    });
    return;
  }
  remember();
  drives_.call(&Drive::drive_joint, run_.step(), body, speed);
  note_limit(body, speed);
}

// There is one note for each body, since an operator's stick asks for too much in every step.
void Commands::note_limit(std::uint32_t body, double speed) {
  const Joint& joint = std::get<Joint>(model_.spec_of(body).motion);
  if (std::abs(speed) <= joint.speed)
    return;
  const char* unit = joint.type == JointType::revolute ? "degrees/s" : "m/s";
  model_.add_note_once(fmt::format("the joint of body {} is commanded", model_.spec_of(body).name),
                       fmt::format(" to move at {} {}, and reaches {} {}: its speed in the scene is the limit", speed,
                                   unit, std::copysign(joint.speed, speed), unit));
}

void Commands::push_joint(std::uint32_t body, double torque) {
  const Joint* joint = dynamic_joint(body);
  if (!joint)
    throw std::invalid_argument(
        fmt::format("body {} has no joint of a dynamic body that turns or slides: nothing pushes it",
                    body < model_.bodies_of_all() ? model_.spec_of(body).name : std::to_string(body)));
  constexpr double most = 1e12;  // N m or N, as a motor in a scene
  if (!(std::abs(torque) <= most))
    throw std::invalid_argument(
        fmt::format("the torque must be finite and from {} to {} (N m or N), not {}", -most, most, torque));
  command(body, [&](RigidCommand& c) { c.joint_torque = static_cast<float>(torque); });
}

void Commands::push_body(std::uint32_t body, const Wrench& wrench) {
  if (!model_.is_dynamic(body))
    throw std::invalid_argument(fmt::format("body {} has no mass: nothing pushes it", body));
  const auto finite = [](const glm::dvec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  if (!finite(wrench.force) || !finite(wrench.torque))
    throw std::invalid_argument("force and torque must be finite");
  command(body, [&](RigidCommand& c) {
    c.force = vec3(wrench.force);
    c.torque = vec3(wrench.torque);
  });
}

void Commands::remember() {
  if (!replaced_)
    replaced_ = current();
}

// A dynamic body may be told several things between two steps: what it was told before the first of them is remembered.
void Commands::command(std::uint32_t body, const std::function<void(RigidCommand&)>& change) {
  TALUS_ASSERT(body < memory_.executor().size(FieldId::rigid_commands), body);
  std::vector<RigidCommand> one(1);
  const std::size_t offset = body * sizeof(RigidCommand);
  memory_.executor().read(FieldId::rigid_commands, std::as_writable_bytes(std::span(one)), offset);
  remember();
  replaced_->rigid.emplace(body, one[0]);
  change(one[0]);
  memory_.executor().write(FieldId::rigid_commands, std::as_bytes(std::span(one)), offset);
  if (std::memcmp(&one[0], &replaced_->rigid.at(body), sizeof(RigidCommand)) != 0)
    memory_.wake_body(body);
}

void Commands::grab(const glm::dvec3& at, std::vector<HandGrain> held) {
  check_place(at);
  remember();
  hold({at, at, run_.step(), std::move(held)});
}

// The hand goes on from where it is, though it may have been told to move in this step already.
void Commands::move_hand(const glm::dvec3& at) {
  check_place(at);
  remember();
  if (hand_.step != run_.step())
    hand_.from = hand_.to;
  hand_.to = at;
  hand_.step = run_.step();
}

void Commands::release() {
  remember();
  hold({});
}

void Commands::hold(Hand next) {
  hand_ = std::move(next);
  memory_.executor().resize(FieldId::held, hand_.held.size());
  write_field(memory_.executor(), FieldId::held, hand_.held);
  TALUS_ASSERT(memory_.executor().size(FieldId::held) == hand_.held.size(), hand_.held.size());
}

void Commands::write_motions(std::uint64_t steps) {
  if (model_.scene().bodies.empty())
    return;
  const Drive::Batch motions = drives_.batch(run_.step(), steps);
  TALUS_ASSERT(motions.motions.size() == steps * model_.bodies_of_all(), motions.motions.size(), steps);
  TALUS_ASSERT(motions.motions.size() <= memory_.executor().size(FieldId::body_motions), motions.motions.size());
  TALUS_ASSERT(motions.speeds.size() <= memory_.executor().size(FieldId::body_speeds), motions.speeds.size());
  write_field(memory_.executor(), FieldId::body_motions, motions.motions);
  write_field(memory_.executor(), FieldId::body_speeds, motions.speeds);
}

void Commands::restore(const std::vector<Drives::Course>& courses, Hand hand) {
  TALUS_ASSERT(courses.size() == model_.worlds(), courses.size(), model_.worlds());
  drives_.set(courses);
  hold(std::move(hand));
}

void Commands::restore(const CommandState& state) {
  restore(state.courses, state.hand);
  for (const auto& [body, command] : state.rigid) {
    TALUS_ASSERT(body < memory_.executor().size(FieldId::rigid_commands), body);
    memory_.executor().write(FieldId::rigid_commands, std::as_bytes(std::span(&command, 1)),
                             body * sizeof(RigidCommand));
  }
}

}  // namespace talus
