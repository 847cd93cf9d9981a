#include "viewer/live/mouse_hold.h"
#include "viewer/pour.h"
#include <cmath>

namespace viewer {

using namespace talus;

namespace {

// -1 .. 1 to the right and up, of a place in the window.
glm::vec2 upright(glm::vec2 place) {
  return glm::vec2(2.0f, -2.0f) * place + glm::vec2(-1.0f, 1.0f);
}

glm::vec3 direction(const View& view, glm::vec2 place) {
  const glm::vec2 at = upright(place);
  return view.forward + at.x * view.right + at.y * view.up;
}

// m along the view, of what is seen there, or else of the floor of the domain; none: the sky.
std::optional<float> depth_at(Renderer& renderer, const View& view, const Domain& domain, glm::vec2 place) {
  if (const auto picked = renderer.pick(place))
    return dot(picked->point - view.eye, view.forward);
  const glm::vec3 way = direction(view, place);
  const float depth = (static_cast<float>(domain.min.z) - view.eye.z) / way.z;
  if (domain.axis[2] == Axis::open || !(depth > 0.0f) || !std::isfinite(depth))
    return std::nullopt;
  const glm::dvec3 at(view.eye + depth * way);
  const bool within = at.x >= domain.min.x && at.y >= domain.min.y && at.x <= domain.max.x && at.y <= domain.max.y;
  return within ? std::optional(depth) : std::nullopt;
}

}  // namespace

void MouseHold::start() {
  grasp_ = {};
  place_.reset();
  depth_.reset();
  pours_from_.reset();
}

void MouseHold::drag(Session& session, Renderer& renderer, const View& view, bool pictured) {
  tool == Tool::pull || grasp_.holding() ? pull(session, renderer, view, pictured)
                                         : pour(session, renderer, view, pictured);
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
      session.give(Grab{picked->point, grasp_.radius(simulation.scene())});
    else if (!grasp_.holding())
      place_.reset();
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
  if (!place_) {
    depth_.reset();
    pours_from_.reset();
    return;
  }
  const Scene& scene = session.scene();
  if (!depth_ && pictured && !(depth_ = depth_at(renderer, view, scene.domain, *place_)))
    place_.reset();
  if (!depth_ || (pours_from_ && session.time() < *pours_from_ + again))
    return;
  const glm::dvec3 at(view.eye + *depth_ * direction(view, *place_));
  session.give(Pour{at + glm::dvec3(0.0, 0.0, 3.0 * pour_radius(scene))});
  pours_from_ = session.time();
}

}  // namespace viewer
