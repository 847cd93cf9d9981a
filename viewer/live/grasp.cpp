#include "viewer/live/grasp.h"
#include "engine/scene/mass.h"
#include <glm/gtc/constants.hpp>
#include <utility>

namespace viewer {

using namespace talus;

bool Grasp::take(const Simulation& simulation, const Renderer::Picked& picked, const View& view) {
  body_ = picked.body;
  told_ = picked.point;
  depth_ = dot(picked.point - view.eye, view.forward);
  if (body_) {
    const BodySpec& body = simulation.scene().bodies[*body_];
    if (!is_dynamic(body))
      return false;
    const MassProperties properties = mass_of(body);
    mass_ = properties.mass;
    center_ = properties.center;
    const Pose pose = simulation.body_state(*body_).pose;
    point_ = inverse(pose.rotation) * (glm::dvec3(picked.point) - pose.position);
  }
  return held_ = true;
}

std::optional<Input> Grasp::move(const Simulation& simulation, const View& view, glm::vec2 place) {
  const glm::dvec3 target(view.eye + depth_ * (view.forward + place.x * view.right + place.y * view.up));
  if (!body_) {
    if (target == std::exchange(told_, target))
      return std::nullopt;
    return MoveHand{target};
  }
  // A spring of 2 Hz with the body's mass, damped critically.
  constexpr double stiffness = 4.0 * glm::pi<double>();  // 1/s
  const BodyState body = simulation.body_state(*body_);
  const glm::dvec3 arm = body.pose.rotation * point_;
  const glm::dvec3 velocity = body.twist.velocity + cross(body.twist.spin, arm);
  const glm::dvec3 way = target - (body.pose.position + arm);
  const glm::dvec3 force = mass_ * (stiffness * stiffness * way - 2.0 * stiffness * velocity);
  return PushBody{simulation.scene().bodies[*body_].name, force, cross(arm - body.pose.rotation * center_, force)};
}

Input Grasp::release(const Scene& scene) {
  held_ = false;
  if (!body_)
    return Release{};
  return PushBody{scene.bodies[*body_].name, glm::dvec3(0.0), glm::dvec3(0.0)};
}

}  // namespace viewer
