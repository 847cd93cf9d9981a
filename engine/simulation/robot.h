#pragma once
// A robot of a scene that runs, by the names of its joints: what they are at, what they are told, and what they bear.
//
//   talus::Robot arm(simulation, "arm");
//   arm.move({{"shoulder", 30.0}, {"elbow", -45.0}});  // degrees or m
//   simulation.advance(100);
//   const std::vector<double> torques = arm.torques();  // N m or N
#include "engine/talus.h"
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace talus {

// Values are those of the joints of bodies: degrees (revolute) or m (prismatic). Joints that follow others (mimic) have
// no place of their own in any list: they go with the joint that they follow, and their loads count at that.
class Robot {
public:
  // The simulation must outlive it. Throws std::invalid_argument where there is no robot of that name, or no such
  // world.
  Robot(Simulation& simulation, std::string_view name, std::uint32_t world = 0);

  const std::string& name() const { return name_; }
  const std::vector<std::string>& joints() const { return joints_; }
  const std::vector<std::string>& links() const { return links_; }  // names of bodies

  // In the order of joints().
  std::vector<double> positions() const;   // degrees or m
  std::vector<double> velocities() const;  // the same per s, in the step to come
  // What grains, bodies and walls exert about or along each joint in the last step [N m or N], in the direction in
  // which its value grows. By the virtual work of the loads (body_loads()) of all bodies that hang on the joint:
  //   torque = axis . sum_i (torque_i + (x_i - origin) x force_i), or force = axis . sum_i force_i,
  // with the origins x_i of the bodies, about which their torques are, where they are now. The weight and the inertia
  // of links do not count.
  std::vector<double> torques() const;
  // What motor, friction, damping and limits exerted about or along each joint in the last step [N m or N], likewise. A
  // joint that has its value whatever pushes it exerts -torques(), since its links have no mass.
  std::vector<double> efforts() const;

  // Commands, as Simulation::move_joint, drive_joint and push_joint: to values within the limits, with speeds, or with
  // torques [N m or N] beside the motors', which only joints of links with masses have. Those of joints that are not
  // named stay. Throw std::invalid_argument for what cannot be, and then command none.
  void move(const std::map<std::string, double>& values);
  void drive(const std::map<std::string, double>& speeds);
  void push(const std::map<std::string, double>& torques);

private:
  struct Moved {
    std::uint32_t body;       // of the simulation
    std::size_t joint;        // of joints_, that it is or follows
    double multiplier = 1.0;  // value = multiplier * value of the joint + offset
    double offset = 0.0;
  };
  void check(const std::map<std::string, double>& given) const;
  // Sums over a joint and those that follow it what each does about its own axis, so that the sum does the same work.
  template <class F> std::vector<double> worked(F&& about) const;
  const BodySpec& spec_of(std::uint32_t body) const;
  double torque_of(std::uint32_t body, const std::vector<BodyLoad>& loads, const std::vector<Pose>& poses) const;

  Simulation* simulation_;
  std::string name_;
  std::uint32_t world_;
  std::vector<std::string> joints_, links_;
  std::vector<Moved> moved_;  // those that follow no other first, in the order of joints_
  // By the number of a body in the scene, that of its parent; its own number where it has none.
  std::vector<std::size_t> parents_;
};

}  // namespace talus
