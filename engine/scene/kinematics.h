#pragma once
// Where the bodies of a scene are at a time, and how they move in a step, as the scene says: keyframes, formulas and
// chains of joints. Dynamic bodies stand where they start.
#include "engine/geometry/pose.h"
#include "engine/scene/scene.h"
#include <functional>

namespace talus {

// Of a frame during a step. What the two ends leave open, whole turns, the third tells.
struct Move {
  Pose begin, end;
  glm::dvec3 turn{0.0};  // rotation vector from begin to end, rad; roughly, where several axes turn at once
};

// The constant velocities that lead from the one end to the other in dt.
Twist twist_of(const Move& move, double dt);

class Kinematics {
public:
  // Throws SceneError for a formula that is none, a parent that is unknown or its own, keyframes without order, and
  // limits that leave nothing.
  explicit Kinematics(const Scene& scene);

  std::size_t bodies() const { return bodies_.size(); }
  bool jointed(std::size_t body) const { return bodies_[body].joint.has_value(); }
  const std::vector<std::size_t>& parents_first() const { return order_; }
  std::optional<std::size_t> parent(std::size_t body) const { return bodies_[body].parent; }
  bool has_parent(std::size_t body) const { return bodies_[body].parent.has_value(); }
  const std::string& where(std::size_t body) const { return bodies_[body].where; }  // for messages about its motion
  bool constant() const;  // nothing moves but with constant velocities

  // Of a jointed body. The value is as said, and may lie outside its limits.
  const Joint& joint(std::size_t body) const { return *bodies_[body].joint; }
  double joint_value(std::size_t body, double time) const;
  // The schedule of a dynamic body's motor over time [s]; it is empty where speed and target are constant.
  struct Scheduled {
    std::function<double(double)> value;  // degrees or m, or that per s
    bool is_target = false;               // or else a speed
    double unit = 1.0;                    // rad or m, of 1
  };
  const Scheduled& motor(std::size_t body) const { return bodies_[body].motor; }

  // In the frame of its parent, or in the world, as the scene says; a joint stays within its limits. All that look at a
  // time throw SceneError where a number is not finite then.
  Move own(std::size_t body, double time, double dt) const;
  // With other values of the joint.
  Move own_by_joint(std::size_t body, double begin, double end) const;

  // From the frames of the parents to the world.
  std::vector<Move> in_world(std::vector<Move> own) const;
  std::vector<Move> in_world(double time, double dt) const;

private:
  using Function = std::function<double(double)>;
  struct Body {
    Pose pose;
    glm::dvec3 velocity, spin;
    std::optional<std::size_t> parent;
    std::vector<Function> position, rotation;  // 3 each, or none
    std::optional<Joint> joint;
    Function value;  // of the joint
    Scheduled motor;
    std::string where;  // of what is wrong with a number
  };
  void find_parents(const Scene& scene);

  std::vector<Body> bodies_;
  std::vector<std::size_t> order_;  // parents first
};

// Where the bodies start.
std::vector<Pose> initial_poses(const Scene& scene);

// The image of a point along the periodic axes that is nearest to another one.
glm::dvec3 nearest_image(const Domain& domain, glm::dvec3 point, glm::dvec3 to);

// With which the bodies start, those without a mass as the scene moves them. with_motors: at the speeds to which motors
// may bring joints, where these are faster.
std::vector<Twist> first_twists(const Scene& scene, bool with_motors = false);

// m, of periodic axes; 0 of the others.
glm::dvec3 period_of(const Domain& domain);

// Greatest speed of a point of a body inside the domain during the run, m/s, as the scene says; of a dynamic body the
// one it starts with, or that of its motor. Throws SceneError where
// a number is not finite or a joint leaves its limits. Looks at every step, or at as many as take no time to speak of.
double check_motions(const Scene& scene);

}  // namespace talus
