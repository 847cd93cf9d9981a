#include "engine/scene/kinematics.h"
#include "engine/scene/bodies.h"
#include "engine/scene/curve.h"
#include "engine/scene/formula.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace talus {
namespace {

using Function = std::function<double(double)>;

constexpr double turn_full = 2 * std::numbers::pi;

constexpr double place_most = 1e6;  // m, as a scene's numbers

// The rotation vector while angles [degrees] about the fixed axes x, then y, then z change: exact where one of them
// does.
glm::dvec3 turn_between(const glm::dvec3& from, const glm::dvec3& to) {
  const glm::dvec3 change = glm::radians(to - from);
  const glm::dquat z = rotation_of({0.0, 0.0, from.z}), y = rotation_of({0.0, from.y, 0.0});
  return glm::dvec3(0.0, 0.0, change.z) + z * glm::dvec3(0.0, change.y, 0.0) + z * (y * glm::dvec3(change.x, 0.0, 0.0));
}

// The rotation vector from one rotation to another that is next to a guess: rotations do not show whole turns.
glm::dvec3 turn_between(const glm::dquat& from, const glm::dquat& to, const glm::dvec3& guess) {
  const glm::dquat q = to * glm::conjugate(from);
  const glm::dvec3 v(q.x, q.y, q.z);
  const double sine = glm::length(v), guessed = glm::length(guess);
  if (sine < 1e-9) {  // no axis of its own
    const double turns = std::round(guessed / turn_full);
    return (turns > 0.0 ? turns * turn_full / guessed * guess : glm::dvec3(0.0)) + std::copysign(2.0, q.w) * v;
  }
  const double angle = 2 * std::atan2(sine, q.w);
  const glm::dvec3 axis = v / sine;
  return (angle + turn_full * std::round((glm::dot(guess, axis) - angle) / turn_full)) * axis;
}

Function parse(const Formula& formula, const std::string& body) {
  try {
    return parse_formula(formula.text);
  } catch (const std::invalid_argument& e) {
    throw SceneError(fmt::format("{} = \"{}\" is not a formula of t: {}; allowed: numbers, t, {}",
                                 formula.where.empty() ? body : formula.where, formula.text, e.what(),
                                 allowed_in_formulas));
  }
}

// With its place in what it throws. most: m or degrees.
Function checked(Function f, std::string where, double most = std::numeric_limits<double>::infinity()) {
  return [f = std::move(f), where = std::move(where), most](double time) {
    const double value = f(time);
    if (!std::isfinite(value))
      throw SceneError(fmt::format("{} is {} at {:.6g} s: it must be finite at all times", where, value, time));
    if (!(std::abs(value) <= most))
      throw SceneError(fmt::format("{} is {:.6g} m at {:.6g} s: positions must stay within {} to {} m", where, value,
                                   time, -most, most));
    return value;
  };
}

void check_order(const auto& keys, const std::string& where) {
  if (keys.empty())
    throw SceneError(where + " is empty: give at least one time");
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (!(keys[i].time > keys[i - 1].time))
      throw SceneError(fmt::format("{} has the time {} s after {} s: give the times in rising order", where,
                                   keys[i].time, keys[i - 1].time));
}

// After its last value, a repeated number goes on from the first.
void check_repeat(double first, double last, bool turns, const std::string& where) {
  const double apart = last - first;
  if (std::abs(turns ? std::remainder(apart, 360.0) : apart) > 1e-9 * (1.0 + std::abs(first) + std::abs(last)))
    throw SceneError(fmt::format("{} repeats and would jump from {} to {}: the last value must equal the first{}",
                                 where, last, first, turns ? ", or differ from it by whole turns" : ""));
}

// One of the vectors of keyframes that have it; nothing where none has.
std::vector<Function> curves(const Keyframes& keyframes, std::optional<glm::dvec3> Keyframe::*part, const char* name,
                             bool turns, const std::string& where) {
  std::vector<double> times;
  std::array<std::vector<double>, 3> values;
  for (const Keyframe& frame : keyframes.frames)
    if (const auto& value = frame.*part) {
      times.push_back(frame.time);
      for (int a = 0; a < 3; ++a)
        values[static_cast<std::size_t>(a)].push_back((*value)[a]);
    }
  if (times.empty())
    return {};
  if (keyframes.repeat && (!(keyframes.frames.front().*part) || !(keyframes.frames.back().*part) || times.size() < 2))
    throw SceneError(fmt::format("{} repeats, so that the first and the last keyframe must say {}", where, name));
  std::vector<Function> out;
  for (const auto& v : values) {
    if (keyframes.repeat)
      check_repeat(v.front(), v.back(), turns, where);
    out.emplace_back(
        [curve = Curve(times, v, keyframes.interpolation, keyframes.repeat)](double time) { return curve.at(time); });
  }
  return out;
}

// type: of the joint whose value it is, or is the speed or the target of.
Function function_of(const JointValue& of, JointType type, const std::string& where) {
  if (const auto* number = std::get_if<double>(&of))
    return [value = *number](double) { return value; };
  if (const auto* formula = std::get_if<Formula>(&of))
    return parse(*formula, where);
  const Track& track = std::get<Track>(of);
  check_order(track.keys, where);
  std::vector<double> times, values;
  for (const Track::Key& key : track.keys) {
    times.push_back(key.time);
    values.push_back(key.value);
  }
  if (track.repeat && times.size() < 2)
    throw SceneError(where + " repeats and has one time only: give at least two");
  if (track.repeat)
    check_repeat(values.front(), values.back(), type == JointType::revolute, where);
  return [curve = Curve(times, values, track.interpolation, track.repeat)](double time) { return curve.at(time); };
}

Kinematics::Scheduled scheduled(const Motor& motor, JointType type, const std::string& where) {
  const JointValue& value = motor.target ? *motor.target : motor.speed;
  if (std::holds_alternative<double>(value))
    return {};
  return {checked(function_of(value, type, where), where), motor.target.has_value(), unit_of(type)};
}

void check_joint(const Joint& joint, const std::string& where) {
  if (!(glm::length(joint.axis) > 0.0))
    throw SceneError(where + " has no axis: give one other than [0, 0, 0]");
  if (!(joint.min <= joint.max))
    throw SceneError(fmt::format("{} has min {} above max {}: give a min of at most max", where, joint.min, joint.max));
  if (!(joint.speed > 0.0) || !(joint.acceleration > 0.0))
    throw SceneError(where + " has a limit of speed or acceleration that is not positive: give one above 0");
}

void check_dynamic(const BodySpec& spec, const std::string& name) {
  if (spec.mass && spec.density)
    throw SceneError(name + " has both mass and density: give one of the two");
  const auto* joint = std::get_if<Joint>(&spec.motion);
  if (!spec.parent.empty() && !joint)
    throw SceneError(name + " has a mass and a parent, but no joint to it: give a joint, or leave out the parent");
  if (joint && joint->type == JointType::fixed && spec.parent.empty())
    throw SceneError(name + " has a mass and a joint that fixes it to the world: leave out the mass");
  if (joint && !std::holds_alternative<double>(joint->value))
    throw SceneError(name + " has a mass and a joint with a value over time: allowed is a number");
  if (!joint && !std::holds_alternative<std::monostate>(spec.motion))
    throw SceneError(name + " has a mass and a motion over time; allowed: velocity and spin, or a joint");
}

glm::dvec3 at(const std::vector<Function>& f, double time) {
  return f.empty() ? glm::dvec3(0.0) : glm::dvec3(f[0](time), f[1](time), f[2](time));
}

}  // namespace

Twist twist_of(const Move& move, double dt) {
  return {(move.end.position - move.begin.position) / dt,
          turn_between(move.begin.rotation, move.end.rotation, move.turn) / dt};
}

Kinematics::Kinematics(const Scene& scene) {
  for (const BodySpec& spec : scene.bodies) {
    const std::string name = fmt::format("{}: body {}", scene.source, spec.name);
    const auto place = [&](const std::string& where) { return where.empty() ? name : where; };
    Body body{.pose = pose_of(spec), .velocity = spec.velocity, .spin = spec.spin, .where = name};
    const auto* hung = is_dynamic(spec) ? std::get_if<Joint>(&spec.motion) : nullptr;
    const bool spins = glm::length(spec.spin) > 0 && !(hung && hung->type == JointType::ball);
    if (!std::holds_alternative<std::monostate>(spec.motion) && (glm::length(spec.velocity) > 0 || spins))
      throw SceneError(name + " has velocity or spin beside another motion: give one of the two");
    if (is_dynamic(spec)) {
      check_dynamic(spec, name);
      body.velocity = body.spin = glm::dvec3(0.0);  // where it starts; what pushes it decides from there
    }
    if (const auto* keyframes = std::get_if<Keyframes>(&spec.motion)) {
      const std::string where = place(keyframes->where);
      check_order(keyframes->frames, where);
      body.position = curves(*keyframes, &Keyframe::position, "position", false, where);
      body.rotation = curves(*keyframes, &Keyframe::rotation, "rotation", true, where);
    } else if (const auto* functions = std::get_if<Functions>(&spec.motion)) {
      for (const Formula& formula : functions->position)
        body.position.push_back(checked(parse(formula, name), place(formula.where), place_most));
      for (const Formula& formula : functions->rotation)
        body.rotation.push_back(checked(parse(formula, name), place(formula.where)));
    } else if (const auto* joint = std::get_if<Joint>(&spec.motion)) {
      body.where = place(joint->where);
      check_joint(*joint, body.where);
      body.joint = *joint;
      body.joint->axis = glm::normalize(joint->axis);
      body.value = checked(function_of(joint->value, joint->type, body.where), body.where);
      if (joint->motor)
        body.motor = scheduled(*joint->motor, joint->type, body.where);
    }
    bodies_.push_back(std::move(body));
  }
  find_parents(scene);
}

void Kinematics::find_parents(const Scene& scene) {
  const BodyNames names(scene);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const std::string& parent = scene.bodies[b].parent;
    if (parent.empty())
      continue;
    const std::optional<std::size_t> found = names.find(parent);
    if (!found)
      throw SceneError(fmt::format("{} = \"{}\" is not a body of this scene: give the name of a [[body]]",
                                   scene.bodies[b].parent_where.empty() ? bodies_[b].where + ": its parent"
                                                                        : scene.bodies[b].parent_where,
                                   parent));
    if (is_dynamic(scene.bodies[*found]) && !is_dynamic(scene.bodies[b]))
      throw SceneError(fmt::format(
          "{} = \"{}\" is a dynamic body, which cannot carry a body that moves as it is told: give this one a mass",
          scene.bodies[b].parent_where.empty() ? bodies_[b].where + ": its parent" : scene.bodies[b].parent_where,
          parent));
    bodies_[b].parent = found;
  }
  enum class Mark { unseen, open, done };
  std::vector<Mark> marks(bodies_.size(), Mark::unseen);
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    std::vector<std::size_t> chain;
    for (std::optional<std::size_t> at = b; at && marks[*at] != Mark::done; at = bodies_[*at].parent) {
      if (marks[*at] == Mark::open) {
        std::string names = scene.bodies[*at].name;
        for (auto next = bodies_[*at].parent; *next != *at; next = bodies_[*next].parent)
          names += " -> " + scene.bodies[*next].name;
        throw SceneError(fmt::format("{} closes a loop of parents, {} -> {}: a body cannot move with its own child",
                                     scene.bodies[*at].parent_where.empty() ? bodies_[*at].where + ": its parent"
                                                                            : scene.bodies[*at].parent_where,
                                     names, scene.bodies[*at].name));
      }
      marks[*at] = Mark::open;
      chain.push_back(*at);
    }
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      marks[*at] = Mark::done;
      order_.push_back(*at);
    }
  }
}

bool Kinematics::constant() const {
  return std::ranges::all_of(bodies_, [](const Body& b) {
    return !b.parent && b.position.empty() && b.rotation.empty() &&
           (!b.joint || std::holds_alternative<double>(b.joint->value));
  });
}

double Kinematics::joint_value(std::size_t body, double time) const {
  return bodies_[body].value(time);
}

Move Kinematics::own(std::size_t body, double time, double dt) const {
  const Body& b = bodies_[body];
  if (b.joint)
    return own_by_joint(body, joint_value(body, time), joint_value(body, time + dt));
  if (b.position.empty() && b.rotation.empty()) {
    const auto pose = [&](double t) {
      const double speed = glm::length(b.spin), angle = std::fmod(speed * t, turn_full);
      return Pose{b.pose.position + t * b.velocity,
                  speed > 0.0 ? glm::angleAxis(angle, b.spin / speed) * b.pose.rotation : b.pose.rotation};
    };
    return {pose(time), pose(time + dt), dt * b.spin};
  }
  const glm::dvec3 angles = at(b.rotation, time), then = at(b.rotation, time + dt);
  return {{b.pose.position + at(b.position, time), rotation_of(angles) * b.pose.rotation},
          {b.pose.position + at(b.position, time + dt), rotation_of(then) * b.pose.rotation},
          turn_between(angles, then)};
}

Move Kinematics::own_by_joint(std::size_t body, double begin, double end) const {
  const Body& b = bodies_[body];
  const Pose frame{b.joint->origin, rotation_of(b.joint->rotation)};
  const bool turns = b.joint->type == JointType::revolute;
  begin = std::clamp(begin, b.joint->min, b.joint->max);
  end = std::clamp(end, b.joint->min, b.joint->max);
  const auto pose = [&](double value) {
    const Pose moved = turns ? Pose{{}, glm::angleAxis(glm::radians(std::remainder(value, 360.0)), b.joint->axis)}
                             : Pose{value * b.joint->axis, {1.0, 0.0, 0.0, 0.0}};
    return frame * moved * b.pose;
  };
  const double turn = turns ? glm::radians(end - begin) : 0.0;
  return {pose(begin), pose(end), frame.rotation * (turn * b.joint->axis)};
}

std::vector<Move> Kinematics::in_world(std::vector<Move> own) const {
  for (const std::size_t b : order_)
    if (const auto parent = bodies_[b].parent) {
      const Move& p = own[*parent];
      own[b] = {p.begin * own[b].begin, p.end * own[b].end, p.turn + p.begin.rotation * own[b].turn};
    }
  return own;
}

std::vector<Move> Kinematics::in_world(double time, double dt) const {
  std::vector<Move> moves;
  for (std::size_t b = 0; b < bodies_.size(); ++b)
    moves.push_back(own(b, time, dt));
  return in_world(std::move(moves));
}

std::vector<Pose> initial_poses(const Scene& scene) {
  std::vector<Pose> poses;
  for (const Move& move : Kinematics(scene).in_world(0.0, scene.dt))
    poses.push_back(move.begin);
  return poses;
}

glm::dvec3 nearest_image(const Domain& domain, glm::dvec3 point, glm::dvec3 to) {
  for (int a = 0; a < 3; ++a)
    if (domain.axis[static_cast<std::size_t>(a)] == Axis::periodic)
      point[a] = to[a] + std::remainder(point[a] - to[a], domain.max[a] - domain.min[a]);
  return point;
}

glm::dvec3 period_of(const Domain& domain) {
  glm::dvec3 period(0.0);
  for (int a = 0; a < 3; ++a)
    if (domain.axis[static_cast<std::size_t>(a)] == Axis::periodic)
      period[a] = domain.max[a] - domain.min[a];
  return period;
}

namespace {

// In the step from a time on, and from that to the next.
void check_limits(const Kinematics& kinematics, std::size_t body, double time, double dt) {
  const Joint& joint = kinematics.joint(body);
  const auto value = [&](double t) { return kinematics.joint_value(body, t); };
  const auto fail = [&](double at, const std::string& what, double is, const std::string& allowed) {
    throw SceneError(fmt::format("{}: {} is {:.6g} at {:.6g} s; {}", kinematics.where(body), what, is, at, allowed));
  };
  const std::string unit = joint.type == JointType::prismatic ? "m" : "degrees";
  const double here = value(time), next = value(time + dt), speed = (next - here) / dt;
  for (const auto& [at, v] : {std::pair(time, here), std::pair(time + dt, next)})
    if (const double slack = 1e-9 * (1.0 + std::abs(v)); v < joint.min - slack || v > joint.max + slack)
      fail(at, "the joint's value", v, fmt::format("its limits are {} and {} {}", joint.min, joint.max, unit));
  constexpr double slack = 1.001;  // steps are not the curve itself
  if (std::abs(speed) > slack * joint.speed)
    fail(time, "the joint's speed", std::abs(speed), fmt::format("its limit is {} {}/s", joint.speed, unit));
  if (std::isinf(joint.acceleration))
    return;
  const double change = (value(time + 2 * dt) - next) / dt - speed;
  if (std::abs(change) > slack * joint.acceleration * dt + 1e-12 * (1.0 + std::abs(here)) / dt)
    fail(time + dt, "the joint's acceleration", std::abs(change) / dt,
         fmt::format("its limit is {} {}/s2", joint.acceleration, unit));
}

}  // namespace

namespace {

// The part of a joint in the motion of a body, at a speed of its value. frame: of the joint, in the world.
Twist twist_by(const Joint& joint, const Pose& frame, const Pose& pose, double speed, const glm::dvec3& ball_spin) {
  const glm::dvec3 along = speed * unit_of(joint.type) * (frame.rotation * glm::normalize(joint.axis));
  switch (joint.type) {
  case JointType::fixed:
    return {};
  case JointType::prismatic:
    return {along, {}};
  case JointType::ball:
    return {glm::cross(ball_spin, pose.position - frame.position), ball_spin};
  case JointType::revolute:
    break;
  }
  return {glm::cross(along, pose.position - frame.position), along};
}

// The greatest speed to which a motor may bring a joint, of a value over time at as many looks as find what lasts.
double fastest_motor(const Kinematics& kinematics, const Scene& scene, std::size_t body) {
  const Joint& joint = kinematics.joint(body);
  const Kinematics::Scheduled& motor = kinematics.motor(body);
  if (!motor.value)
    return joint.motor && !joint.motor->target ? std::abs(std::get<double>(joint.motor->speed)) : 0.0;
  constexpr int looks = 1000;
  double fastest = 0.0;
  for (int k = 0; k < looks; ++k) {
    const double from = scene.end * k / looks, to = scene.end * (k + 1) / looks;
    const double change = (motor.value(to) - motor.value(from)) / (to - from);
    fastest = std::max(fastest, std::abs(motor.is_target ? change : motor.value(from)));
  }
  return fastest;
}

}  // namespace

std::vector<Twist> first_twists(const Scene& scene, bool with_motors) {
  const Kinematics kinematics(scene);
  const std::vector<Move> moves = kinematics.in_world(0.0, scene.dt);
  std::vector<Twist> twists(scene.bodies.size());
  for (const std::size_t b : kinematics.parents_first()) {
    const BodySpec& body = scene.bodies[b];
    const auto* joint = std::get_if<Joint>(&body.motion);
    if (!is_dynamic(body) || !joint) {
      twists[b] = is_dynamic(body) ? Twist{body.velocity, body.spin} : twist_of(moves[b], scene.dt);
      continue;
    }
    const double speed =
        with_motors ? std::max(std::abs(joint->start_speed), fastest_motor(kinematics, scene, b)) : joint->start_speed;
    const Pose own{joint->origin, rotation_of(joint->rotation)}, &pose = moves[b].begin;
    const std::optional<std::size_t> parent = kinematics.parent(b);
    twists[b] = twist_by(*joint, parent ? moves[*parent].begin * own : own, pose, speed, body.spin);
    if (parent) {
      const Twist& carried = twists[*parent];
      twists[b].velocity += carried.velocity + glm::cross(carried.spin, pose.position - moves[*parent].begin.position);
      twists[b].spin += carried.spin;
    }
  }
  return twists;
}

double check_motions(const Scene& scene) {
  const Kinematics kinematics(scene);
  const double steps = std::max(1.0, std::floor(scene.end / scene.dt + 1e-9));
  const double bodies = static_cast<double>(std::max<std::size_t>(kinematics.bodies(), 1));
  const double looks = kinematics.constant() ? 0.0 : std::min(steps, std::max(1e3, 2e5 / bodies));
  double fastest = 0.0;
  const std::vector<Twist> first = first_twists(scene, true);
  for (double look = 0.0; look <= looks; ++look) {  // the last one: after the run, where it is looked at
    const double step = looks > 0.0 ? std::floor(look * steps / looks) : 0.0, time = step * scene.dt;
    const std::vector<Move> moves = kinematics.in_world(time, scene.dt);
    for (std::size_t b = 0; b < moves.size(); ++b) {
      const BodySpec& body = scene.bodies[b];
      if (kinematics.jointed(b) && (step < steps || looks == 0.0))
        check_limits(kinematics, b, time, scene.dt);
      const Twist twist = is_dynamic(body) ? first[b] : twist_of(moves[b], scene.dt);
      fastest = std::max(fastest,
                         speed_of(reach_of(body), moves[b].begin.position, twist.velocity, twist.spin, scene.domain));
    }
  }
  return fastest;
}

}  // namespace talus
