#include "engine/simulation/robot.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/nearest.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>

namespace talus {
namespace {

const Joint& joint_of(const BodySpec& body) {
  const auto* joint = std::get_if<Joint>(&body.motion);
  if (!joint)
    throw std::invalid_argument(fmt::format("body {} has no joint any more", body.name));
  return *joint;
}

}  // namespace

Robot::Robot(Simulation& simulation, std::string_view name, std::uint32_t world)
    : simulation_(&simulation), name_(name), world_(world) {
  const Scene& scene = simulation.scene();
  const auto robot = std::ranges::find(scene.robots, name, &RobotSpec::name);
  if (robot == scene.robots.end()) {
    std::vector<std::string> names;
    for (const RobotSpec& r : scene.robots)
      names.push_back(r.name);
    throw std::invalid_argument(
        fmt::format("there is no robot \"{}\"{}; {}", name, reading::did_you_mean(name, names),
                    names.empty() ? "the scene has none" : fmt::format("there are: {}", fmt::join(names, ", "))));
  }
  if (world >= simulation.worlds())
    throw std::invalid_argument(fmt::format("there is no world {}: there are {}", world, simulation.worlds()));
  links_ = robot->links;
  const auto add = [&](const RobotJoint& joint, const std::string& leader, double multiplier, double offset) {
    const auto at = std::ranges::find(joints_, leader) - joints_.begin();
    moved_.push_back({simulation.body(joint.body, world), static_cast<std::size_t>(at), multiplier, offset});
  };
  for (const RobotJoint& joint : robot->joints)
    if (!joint.mimic) {
      joints_.push_back(joint.name);
      add(joint, joint.name, 1.0, 0.0);
    }
  for (const RobotJoint& joint : robot->joints)
    if (joint.mimic)
      add(joint, joint.mimic->joint, joint.mimic->multiplier, joint.mimic->offset);
  const BodyNames bodies(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    parents_.push_back(bodies.find(scene.bodies[b].parent).value_or(b));
}

std::vector<double> Robot::positions() const {
  std::vector<double> values;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    values.push_back(simulation_->joint_state(moved_[j].body).value);
  return values;
}

std::vector<double> Robot::velocities() const {
  std::vector<double> speeds;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    speeds.push_back(simulation_->joint_state(moved_[j].body).speed);
  return speeds;
}

double Robot::torque_of(std::uint32_t body, const std::vector<BodyLoad>& loads, const std::vector<Pose>& poses) const {
  const Scene& scene = simulation_->scene();
  const std::size_t own = body % scene.bodies.size(), first = body - own;
  const BodySpec& spec = scene.bodies[own];
  const Joint& joint = joint_of(spec);
  // The frame of the joint once it has moved: the body is where its own position and rotation say in it.
  const glm::dquat turned = poses[own].rotation * glm::conjugate(rotation_of(spec.rotation));
  const glm::dvec3 origin = poses[own].position - turned * spec.position;
  const glm::dvec3 axis = turned * glm::normalize(joint.axis);
  glm::dvec3 force(0.0), torque(0.0);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    std::size_t up = b;
    while (up != own && parents_[up] != up)
      up = parents_[up];
    if (up != own)
      continue;
    const BodyLoad& load = loads[first + b];
    const glm::dvec3 arm = nearest_image(scene.domain, poses[b].position, origin) - origin;
    force += glm::dvec3(load.force);
    torque += glm::dvec3(load.torque) + glm::cross(arm, glm::dvec3(load.force));
  }
  return glm::dot(axis, joint.type == JointType::prismatic ? force : torque);
}

const BodySpec& Robot::spec_of(std::uint32_t body) const {
  const std::vector<BodySpec>& bodies = simulation_->scene().bodies;
  return bodies[body % bodies.size()];
}

template <class F> std::vector<double> Robot::worked(F&& about) const {
  std::vector<double> sums(joints_.size(), 0.0);
  for (const Moved& m : moved_) {
    // In rad and m, so that it is work.
    const double unit = unit_of(joint_of(spec_of(m.body)).type),
                 leader_unit = unit_of(joint_of(spec_of(moved_[m.joint].body)).type);
    sums[m.joint] += m.multiplier * unit / leader_unit * about(m.body);
  }
  return sums;
}

std::vector<double> Robot::torques() const {
  const std::vector<BodyLoad> loads = simulation_->body_loads();
  const std::size_t bodies = simulation_->scene().bodies.size();
  std::vector<Pose> poses;
  for (std::size_t b = 0; b < bodies; ++b)
    poses.push_back(simulation_->body_state(static_cast<std::uint32_t>(world_ * bodies + b)).pose);
  return worked([&](std::uint32_t body) { return torque_of(body, loads, poses); });
}

std::vector<double> Robot::efforts() const {
  const auto moved_by_pushes = [&](std::size_t j) { return is_dynamic(spec_of(moved_[j].body)); };
  std::vector<double> prescribed;
  for (std::size_t j = 0; j < joints_.size() && prescribed.empty(); ++j)
    if (!moved_by_pushes(j))
      prescribed = torques();
  const std::vector<double> exerted = worked([&](std::uint32_t body) {
    const std::optional<JointLoad> load = simulation_->joint_load(body);
    return load ? load->along : 0.0;
  });
  std::vector<double> efforts;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    efforts.push_back(moved_by_pushes(j) ? exerted[j] : -prescribed[j]);
  return efforts;
}

void Robot::check(const std::map<std::string, double>& given) const {
  for (const auto& [joint, number] : given) {
    if (std::ranges::find(joints_, joint) == joints_.end())
      throw std::invalid_argument(fmt::format("robot {} has no joint \"{}\" to command{}; there are: {}", name_, joint,
                                              reading::did_you_mean(joint, joints_), fmt::join(joints_, ", ")));
    if (!std::isfinite(number))
      throw std::invalid_argument(
          fmt::format("joint {} of robot {} is told {}: it must be finite", joint, name_, number));
  }
}

void Robot::move(const std::map<std::string, double>& values) {
  check(values);
  for (const Moved& m : moved_)
    if (const auto given = values.find(joints_[m.joint]); given != values.end()) {
      const BodySpec& spec = spec_of(m.body);
      const Joint& joint = joint_of(spec);
      if (is_dynamic(spec) && !joint.gear && !(joint.motor && joint.motor->target))
        throw std::invalid_argument(
            fmt::format("joint {} of robot {} has no motor that holds a value", given->first, name_));
      if (const double value = m.multiplier * given->second + m.offset; value < joint.min || value > joint.max)
        throw std::invalid_argument(fmt::format("joint {} of robot {} cannot reach {}: body {} has limits {} and {}",
                                                given->first, name_, given->second, spec.name, joint.min, joint.max));
    }
  for (const Moved& m : moved_)
    if (const auto given = values.find(joints_[m.joint]); given != values.end() && !joint_of(spec_of(m.body)).gear)
      simulation_->move_joint(m.body, m.multiplier * given->second + m.offset);
}

void Robot::drive(const std::map<std::string, double>& speeds) {
  check(speeds);
  for (const Moved& m : moved_)
    if (const BodySpec& spec = spec_of(m.body); is_dynamic(spec) && speeds.contains(joints_[m.joint]))
      if (const Joint& joint = joint_of(spec); !joint.gear && (!joint.motor || joint.motor->target))
        throw std::invalid_argument(
            fmt::format("joint {} of robot {} has no motor that holds a speed", joints_[m.joint], name_));
  for (const Moved& m : moved_)
    if (const auto given = speeds.find(joints_[m.joint]); given != speeds.end() && !joint_of(spec_of(m.body)).gear)
      simulation_->drive_joint(m.body, m.multiplier * given->second);
}

void Robot::push(const std::map<std::string, double>& torques) {
  check(torques);
  for (const auto& [joint, torque] : torques) {
    const auto at = static_cast<std::size_t>(std::ranges::find(joints_, joint) - joints_.begin());
    if (!is_dynamic(spec_of(moved_[at].body)))
      throw std::invalid_argument(fmt::format("joint {} of robot {} has its value whatever pushes it: a drive other "
                                              "than \"prescribed\" leaves it to torques",
                                              joint, name_));
  }
  for (const auto& [joint, torque] : torques)
    simulation_->push_joint(moved_[static_cast<std::size_t>(std::ranges::find(joints_, joint) - joints_.begin())].body,
                            torque);
}

}  // namespace talus
