#include "engine/motion/drive.h"
#include "engine/scene/bodies.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <type_traits>

namespace talus {
namespace {

// Does a step with this velocity end where the way does?
bool arrives(const glm::dvec3& way, const glm::dvec3& velocity, double dt) {
  return glm::length(way - dt * velocity) <= 1e-9 * glm::length(way);
}

Drive::CommandedBody after_step(const Drive::CommandedBody& now, double dt) {
  const Limits linear{now.limits.speed, now.limits.acceleration};
  const Limits angular{now.limits.spin, now.limits.spin_acceleration};
  const Twist way = now.to_target ? twist_of({now.pose, now.target}, 1.0) : Twist{};
  Drive::CommandedBody next = now;
  if (now.to_target)
    next.twist = {velocity_to(way.velocity, now.twist.velocity, linear, dt),
                  velocity_to(way.spin, now.twist.spin, angular, dt)};
  else
    next.twist = {velocity_after(now.wanted.velocity, now.twist.velocity, linear, dt),
                  velocity_after(now.wanted.spin, now.twist.spin, angular, dt)};
  next.pose = {now.pose.position + dt * next.twist.velocity,
               glm::normalize(rotation_by(dt * next.twist.spin) * now.pose.rotation)};
  // There to the last bit.
  if (now.to_target && arrives(way.velocity, next.twist.velocity, dt))
    next.pose.position = now.target.position;
  if (now.to_target && arrives(way.spin, next.twist.spin, dt))
    next.pose.rotation = now.target.rotation;
  return next;
}

Drive::CommandedJoint after_step(const Drive::CommandedJoint& now, const Joint& joint, double dt) {
  const Limits limits{joint.speed, joint.acceleration};
  const auto along = [](double x) { return glm::dvec3(x, 0.0, 0.0); };
  Drive::CommandedJoint next = now;
  if (now.to_target) {
    const double way = now.target - now.value;
    next.speed = velocity_to(along(way), along(now.speed), limits, dt).x;
    next.value = arrives(along(way), along(next.speed), dt) ? now.target : now.value + dt * next.speed;
  } else {
    const double up = stopping_speed(joint.max - now.value, joint.acceleration, dt);
    const double down = stopping_speed(now.value - joint.min, joint.acceleration, dt);
    next.speed = velocity_after(along(std::clamp(now.wanted, -down, up)), along(now.speed), limits, dt).x;
    next.value = now.value + dt * next.speed;
  }
  if (const double inside = std::clamp(next.value, joint.min, joint.max); inside != next.value) {
    next.value = inside;
    next.speed = (inside - now.value) / dt;
  }
  return next;
}

void check_finite(std::initializer_list<double> numbers, const char* what) {
  if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); }))
    throw std::invalid_argument(fmt::format("{} must be finite", what));
}
void check_finite(const glm::dvec3& v, const char* what) {
  check_finite({v.x, v.y, v.z}, what);
}

shared::BodyMotion motion_of(const Pose& pose, const Twist& twist) {
  return {vector_of(pose.rotation), glm::vec3(pose.position), glm::vec3(twist.velocity), glm::vec3(twist.spin)};
}

template <class T> void append(std::vector<std::byte>& out, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.resize(out.size() + sizeof value);
  std::memcpy(&out[out.size() - sizeof value], &value, sizeof value);
}

template <class T> void append(std::vector<std::byte>& out, const std::map<std::uint64_t, T>& map) {
  append(out, static_cast<std::uint64_t>(map.size()));
  for (const auto& [body, value] : map) {
    append(out, body);
    append(out, value);
  }
}

// From the start of the bytes, which go on behind it.
template <class T> bool take(std::span<const std::byte>& bytes, T& value) {
  if (bytes.size() < sizeof value)
    return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return true;
}

template <class T> bool take(std::span<const std::byte>& bytes, std::map<std::uint64_t, T>& map) {
  std::uint64_t count = 0;
  bool complete = take(bytes, count);
  for (std::uint64_t i = 0; complete && i < count; ++i) {
    std::uint64_t body = 0;
    T value;
    complete = take(bytes, body) && take(bytes, value);
    if (complete)
      map.emplace(body, value);
  }
  return complete;
}

bool finite(const glm::dvec3& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

// Could a command have led to it?
bool sound(const Pose& pose) {
  return finite(pose.position) && std::abs(glm::length(pose.rotation) - 1.0) < 1e-6;
}
bool sound(const Twist& twist) {
  return finite(twist.velocity) && finite(twist.spin);
}
bool sound(const Drive::CommandedBody& c) {
  const BodyLimits& l = c.limits;
  return sound(c.pose) && sound(c.target) && sound(c.twist) && sound(c.wanted) && l.speed > 0.0 &&
         l.acceleration > 0.0 && l.spin > 0.0 && l.spin_acceleration > 0.0;
}
bool sound(const Drive::CommandedJoint& c) {
  return std::isfinite(c.value) && std::isfinite(c.target) && std::isfinite(c.speed) && std::isfinite(c.wanted);
}

}  // namespace

Drive::Drive(const Scene& scene, double time_zero)
    : dt_(scene.dt), time_zero_(time_zero), domain_(scene.domain), kinematics_(scene) {
  for (const BodySpec& body : scene.bodies) {
    names_.push_back(body.name);
    dynamic_.push_back(is_dynamic(body));
    reach_.push_back(reach_of(body));
  }
}

Drive::Commands Drive::after_step(const Commands& commands) const {
  Commands next;
  for (const auto& [body, command] : commands.bodies)
    next.bodies.emplace(body, talus::after_step(command, dt_));
  for (const auto& [body, command] : commands.joints)
    next.joints.emplace(body, talus::after_step(command, kinematics_.joint(body), dt_));
  return next;
}

std::vector<Move> Drive::moves(std::uint64_t step, const Commands& begin, const Commands& end) const {
  std::vector<Move> own;
  for (std::size_t b = 0; b < kinematics_.bodies(); ++b)
    if (const auto body = begin.bodies.find(b); body != begin.bodies.end()) {
      const CommandedBody& then = end.bodies.at(b);
      own.push_back({body->second.pose, then.pose, dt_ * then.twist.spin});
    } else if (const auto joint = begin.joints.find(b); joint != begin.joints.end()) {
      own.push_back(kinematics_.own_by_joint(b, joint->second.value, end.joints.at(b).value));
    } else {
      own.push_back(kinematics_.own(b, time(step), dt_));
    }
  return kinematics_.in_world(std::move(own));
}

// Comes back in where it leaves a periodic axis.
glm::dvec3 Drive::into_periods(glm::dvec3 position) const {
  for (int a = 0; a < 3; ++a)
    if (domain_.axis[static_cast<std::size_t>(a)] == Axis::periodic) {
      const double edge = domain_.max[a] - domain_.min[a];
      position[a] -= edge * std::floor((position[a] - domain_.min[a]) / edge);
    }
  return position;
}

// Gives the target and the speed of a dynamic body's motor at the start of the step, and their rates, in rad or m.
shared::BodyMotion Drive::motor_of(std::size_t body, std::uint64_t step) const {
  shared::BodyMotion m{};
  const auto put = [&](int place, double here, double next) {
    m.position[place] = static_cast<float>(here);
    m.velocity[place] = static_cast<float>((next - here) / dt_);
  };
  if (const Kinematics::Scheduled& motor = kinematics_.motor(body); motor.value) {
    const int place = motor.is_target ? 0 : 1;
    put(place, motor.unit * motor.value(time(step)), motor.unit * motor.value(time(step + 1)));
  }
  return m;
}

Drive::Batch Drive::batch(std::uint64_t step, std::uint64_t count) const {
  Batch batch;
  Commands now = commands_;
  for (std::uint64_t s = step; s < step + count; ++s) {
    Commands next = after_step(now);
    const std::vector<Move> all = moves(s, now, next);
    double speed = 0.0;
    for (std::size_t b = 0; b < all.size(); ++b) {
      const Pose pose{into_periods(all[b].begin.position), all[b].begin.rotation};
      const Twist twist = twist_of(all[b], dt_);
      batch.motions.push_back(dynamic_[b] ? motor_of(b, s) : motion_of(pose, twist));
      if (!dynamic_[b])
        speed = std::max(speed, speed_of(reach_[b], pose.position, twist.velocity, twist.spin, domain_));
    }
    batch.speeds.push_back(static_cast<float>(speed));
    now = std::move(next);
  }
  return batch;
}

void Drive::advance(std::uint64_t count) {
  for (std::uint64_t s = 0; s < count; ++s)
    commands_ = after_step(commands_);
}

void Drive::check(std::uint32_t body, bool jointed) const {
  if (body >= names_.size())
    throw std::invalid_argument(fmt::format("there is no body {}: the scene has {}", body, names_.size()));
  if (jointed && !kinematics_.jointed(body))
    throw std::invalid_argument(fmt::format("body {} has no joint", names_[body]));
}

std::vector<Pose> Drive::poses(std::uint64_t step) const {
  std::vector<Pose> poses;
  for (const Move& move : moves(step, commands_, after_step(commands_)))
    poses.push_back({into_periods(move.begin.position), move.begin.rotation});
  return poses;
}

BodyState Drive::body_state(std::uint64_t step, std::uint32_t body) const {
  check(body, false);
  const Move move = moves(step, commands_, after_step(commands_))[body];
  return {{into_periods(move.begin.position), move.begin.rotation}, twist_of(move, dt_)};
}

JointState Drive::joint_state(std::uint64_t step, std::uint32_t body) const {
  check(body, true);
  if (const auto found = commands_.joints.find(body); found != commands_.joints.end())
    return {found->second.value, talus::after_step(found->second, kinematics_.joint(body), dt_).speed};
  const double here = joint_value(step, body), next = joint_value(step + 1, body);
  return {here, (next - here) / dt_};
}

double Drive::joint_value(std::uint64_t step, std::uint32_t body) const {
  const Joint& joint = kinematics_.joint(body);
  return std::clamp(kinematics_.joint_value(body, time(step)), joint.min, joint.max);
}

// Goes on from the motion in the scene where this is the first command.
Drive::CommandedBody& Drive::command(std::uint64_t step, std::uint32_t body, const BodyLimits& limits) {
  check(body, false);
  if (dynamic_[body])
    throw std::invalid_argument(fmt::format("body {} has a mass: push it, or drive its joint", names_[body]));
  if (kinematics_.jointed(body))
    throw std::invalid_argument(fmt::format("body {} is moved by its joint: command that", names_[body]));
  if (!(limits.speed > 0.0 && limits.acceleration > 0.0 && limits.spin > 0.0 && limits.spin_acceleration > 0.0))
    throw std::invalid_argument("limits of motion must be above 0");
  const auto [at, first] = commands_.bodies.try_emplace(body);
  CommandedBody& command = at->second;
  if (first) {
    command.pose = kinematics_.own(body, time(step), dt_).begin;
    command.twist = twist_of(kinematics_.own(body, time(step > 0 ? step - 1 : 0), dt_), dt_);
  }
  command.limits = limits;
  return command;
}

void Drive::move_body(std::uint64_t step, std::uint32_t body, const Pose& target, const BodyLimits& limits) {
  const glm::dquat& q = target.rotation;
  check_finite(target.position, "the position to move to");
  check_finite({q.x, q.y, q.z, q.w, 1.0 / glm::length(q)}, "the rotation to move to, and its inverse,");
  CommandedBody& c = command(step, body, limits);
  c.target = {target.position, glm::normalize(q)};
  if (!kinematics_.has_parent(body))
    c.target.position = nearest_image(domain_, target.position, c.pose.position);
  c.to_target = 1;
}

void Drive::place_body(std::uint64_t step, std::uint32_t body, const Pose& at) {
  move_body(step, body, at, {});
  CommandedBody& c = commands_.bodies.at(body);
  c.pose = c.target;
  c.twist = {};
}

void Drive::drive_body(std::uint64_t step, std::uint32_t body, const Twist& target, const BodyLimits& limits) {
  check_finite(target.velocity, "the velocity to reach");
  check_finite(target.spin, "the spin to reach");
  CommandedBody& c = command(step, body, limits);
  c.wanted = target;
  c.to_target = 0;
}

Drive::CommandedJoint& Drive::command_joint(std::uint64_t step, std::uint32_t body) {
  check(body, true);
  if (dynamic_[body])
    throw std::invalid_argument(fmt::format("body {} has a mass: its joint has a motor at most", names_[body]));
  if (kinematics_.joint(body).type == JointType::fixed)
    throw std::invalid_argument(fmt::format("the joint of body {} is fixed", names_[body]));
  const auto [at, first] = commands_.joints.try_emplace(body);
  CommandedJoint& command = at->second;
  if (first) {
    const std::uint64_t before = step > 0 ? step - 1 : 0;
    command.value = joint_value(step, body);
    command.speed = (joint_value(before + 1, body) - joint_value(before, body)) / dt_;
  }
  return command;
}

void Drive::move_joint(std::uint64_t step, std::uint32_t body, double target) {
  check(body, true);
  const Joint& joint = kinematics_.joint(body);
  if (!std::isfinite(target) || target < joint.min || target > joint.max)
    throw std::invalid_argument(fmt::format("the joint of body {} cannot reach {}: its limits are {} and {}",
                                            names_[body], target, joint.min, joint.max));
  CommandedJoint& c = command_joint(step, body);
  c.target = target;
  c.to_target = 1;
}

void Drive::drive_joint(std::uint64_t step, std::uint32_t body, double target) {
  check_finite({target}, "the speed to reach");
  CommandedJoint& c = command_joint(step, body);
  c.wanted = target;
  c.to_target = 0;
}

std::vector<std::byte> Drive::to_bytes() const {
  std::vector<std::byte> bytes;
  append(bytes, commands_.bodies);
  append(bytes, commands_.joints);
  return bytes;
}

std::optional<Drive::Commands> Drive::from_bytes(std::span<const std::byte> bytes) const {
  Commands commands;
  if (bytes.empty())
    return commands;
  if (!take(bytes, commands.bodies) || !take(bytes, commands.joints) || !bytes.empty())
    return {};
  for (const auto& [body, command] : commands.bodies)
    if (body >= names_.size() || kinematics_.jointed(body) || dynamic_[body] || !sound(command))
      return {};
  for (const auto& [body, command] : commands.joints)
    if (body >= names_.size() || !kinematics_.jointed(body) || dynamic_[body] || !sound(command))
      return {};
  return commands;
}

}  // namespace talus
