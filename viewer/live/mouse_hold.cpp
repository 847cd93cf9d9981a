#include "viewer/live/mouse_hold.h"
#include "viewer/cut.h"
#include "viewer/live/projection.h"
#include "viewer/pour.h"
#include <cmath>
#include <stdexcept>

namespace viewer {

using namespace talus;

namespace {

// m along the view, of what is seen there, or else of the floor of the domain; none: the sky.
std::optional<float> depth_at(Renderer& renderer, const View& view, const Domain& domain, glm::vec2 place) {
  if (const auto picked = renderer.pick(place))
    return dot(picked->point - view.eye, view.forward);
  const glm::vec3 way = direction_to(view, place);
  const float depth = (static_cast<float>(domain.min.z) - view.eye.z) / way.z;
  if (domain.axis[2] == Axis::open || !(depth > 0.0f) || !std::isfinite(depth))
    return std::nullopt;
  const glm::dvec3 at(view.eye + depth * way);
  const bool within = at.x >= domain.min.x && at.y >= domain.min.y && at.x <= domain.max.x && at.y <= domain.max.y;
  return within ? std::optional(depth) : std::nullopt;
}

std::optional<glm::vec3> point_at(Renderer& renderer, const View& view, const Domain& domain, glm::vec2 place) {
  const auto depth = depth_at(renderer, view, domain, place);
  return depth ? std::optional(view.eye + *depth * direction_to(view, place)) : std::nullopt;
}

}  // namespace

void MouseHold::start() {
  grasp_ = {};
  place_.reset();
  clicked_.reset();
  stroke_.reset();
  depth_.reset();
  told_.reset();
  ball_.reset();
  looked_.reset();
}

double MouseHold::radius(const Session& session) const {
  return static_cast<double>(reach) * radii_of(session.scene()).max;
}

// again: s simulated, after which it is due though the mouse has not moved.
bool MouseHold::is_due(const Session& session, double again) const {
  return !told_ || told_->place != *place_ || session.time() < told_->time || session.time() >= told_->time + again;
}

void MouseHold::drag(Session& session, Renderer& renderer, const View& view, bool pictured) {
  if (pictured && clicked_)
    cut(session, renderer, *std::exchange(clicked_, {}));
  if (place_ && !stroke_)
    stroke_ = tool;
  if (!stroke_)
    return look(session, renderer, view, pictured);
  looked_.reset();
  switch (*stroke_) {
  case Tool::pull:
    pull(session, renderer, view, pictured);
    break;
  case Tool::pour:
    pour(session, renderer, view, pictured);
    break;
  case Tool::dig:
    dig(session, renderer, view, pictured);
    break;
  case Tool::push:
    push(session, renderer, view, pictured);
    break;
  case Tool::cut:
    break;  // at a click
  }
  if (place_)
    return;
  stroke_.reset();
  depth_.reset();
  told_.reset();
  ball_.reset();
}

// Before a stroke. The picture is asked only where the mouse has moved since.
void MouseHold::look(const Session& session, Renderer& renderer, const View& view, bool pictured) {
  if (!pointed_ || tool == Tool::pour) {
    ball_.reset();
    looked_.reset();
    return;
  }
  if (looked_ != pointed_ && pictured) {
    looked_ = pointed_;
    ball_.reset();
    if (const auto point = point_at(renderer, view, session.scene().domain, *pointed_))
      ball_ = Ball{*point, 0.0f};
  }
  if (ball_)
    ball_->radius = static_cast<float>(radius(session));
}

void MouseHold::pull(Session& session, Renderer& renderer, const View& view, bool pictured) {
  const Simulation& simulation = session.simulation();
  if (!place_) {
    if (grasp_.holding())
      session.give(grasp_.release(simulation.scene()));
    return;
  }
  if (!grasp_.holding() && pictured) {
    const auto picked = renderer.pick(*place_);
    if (picked && grasp_.take(simulation, *picked, view) && !picked->body)
      session.give(Grab{picked->point, radius(session)});
    else if (!grasp_.holding())
      place_.reset();
    ball_.reset();  // what it holds is seen
  }
  if (!grasp_.holding())
    return;
  if (auto input = grasp_.move(simulation, view, upright(*place_)))
    session.give(std::move(*input));
}

// At the depth at which the stroke began, so that falling sand, which is picked as well, does not draw it nearer; and
// from above, so that it falls onto what is pointed at.
void MouseHold::pour(Session& session, Renderer& renderer, const View& view, bool pictured) {
  constexpr double again = 0.8 * pour_lasts;  // s simulated: before it runs dry
  if (!place_)
    return;
  const Scene& scene = session.scene();
  if (!depth_ && pictured && !(depth_ = depth_at(renderer, view, scene.domain, *place_)))
    place_.reset();
  if (!depth_ || (told_ && session.time() < told_->time + again))
    return;
  const glm::dvec3 at(view.eye + *depth_ * direction_to(view, *place_));
  session.give(Pour{at + glm::dvec3(0.0, 0.0, 3.0 * pour_radius(scene))});
  told_ = {session.time(), *place_};
}

// Around what is seen there now: where it stays, it digs deeper and deeper while the scene runs.
void MouseHold::dig(Session& session, Renderer& renderer, const View& view, bool pictured) {
  constexpr double again = 0.05;  // s simulated
  if (!place_ || !pictured || !is_due(session, again))
    return;
  told_ = {session.time(), *place_};
  ball_.reset();
  if (const auto point = point_at(renderer, view, session.scene().domain, *place_)) {
    ball_ = Ball{*point, static_cast<float>(radius(session))};
    session.give(Dig{*point, radius(session)});
  }
}

void MouseHold::cut(Session& session, Renderer& renderer, const glm::vec2& place) {
  ball_.reset();
  Cut input{.radius = radius(session)};
  if (const auto picked = renderer.pick(place); picked && picked->body) {
    const Pose pose = session.simulation().body_state(*picked->body).pose;
    input.body = session.scene().bodies[*picked->body].name;
    input.at = (inverse_of(pose) * Pose{glm::dvec3(picked->point)}).position;
  }
  try {
    with_cut(session.scene(), input.body, input.at, input.radius);
    session.give(std::move(input));
  } catch (const std::invalid_argument& e) {
    refusal_ = e.what();
  }
}

// At the depth at which the stroke began. Grains that have come into the ball since are pushed again.
void MouseHold::push(Session& session, Renderer& renderer, const View& view, bool pictured) {
  constexpr double again = 0.02;  // s simulated, in which a grain falls by 2 mm
  if (!place_) {
    if (told_)
      session.give(Release{});
    return;
  }
  if (!depth_ && pictured && !(depth_ = depth_at(renderer, view, session.scene().domain, *place_)))
    place_.reset();
  if (!depth_)
    return;
  const glm::vec3 at = view.eye + *depth_ * direction_to(view, *place_);
  ball_ = Ball{at, static_cast<float>(radius(session))};
  if (!is_due(session, again))
    return;
  session.give(Push{at, radius(session)});
  told_ = {session.time(), *place_};
}

}  // namespace viewer
