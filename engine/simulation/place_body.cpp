// Bodies that are put elsewhere at once, and the grains that are there.
#include "engine/geometry/separate.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/obstacles.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

bool same(const Pose& a, const Pose& b) {
  return a.position == b.position && a.rotation == b.rotation;
}

constexpr double overlap_left = 0.02;  // radii of the smaller grain: more than most contacts of a bed at rest

}  // namespace

void Simulation::place_body(std::uint32_t body, const Pose& at) {
  Impl& s = impl_->idle();
  const auto world = static_cast<std::uint32_t>(body / std::max<std::size_t>(s.scene.bodies.size(), 1));
  const std::vector<Pose> before = world < s.scene.worlds ? s.drive.poses(s.step, world) : std::vector<Pose>{};
  s.keep_commands();
  s.drive.call(&Drive::place_body, s.step, body, at);
  s.clear_space(world, before);
  s.known_worlds[world].travel = lists_void;  // as its neighbour lists do not know of the jump
  s.executor->write(FieldId::worlds, std::as_bytes(std::span(&s.known_worlds[world], 1)), world * sizeof(World));
  if (!s.scene.upsampling)
    return;
  s.known = s.read_status();
  s.known.body_way = s.known.fine_drift = lists_void;  // nor do fine grains
  s.write_status(s.known);
}

// As springs, grains that a body is put onto would fly apart. Those that it is in deeper than any contact are moved to
// its surface, and others out of their way.
void Simulation::Impl::clear_space(std::uint32_t world, const std::vector<Pose>& before) {
  const double parted = overlap_parted(scene), far = radii_of(scene).max;
  std::vector<Pose> poses = drive.poses(step, world);
  std::vector<Obstacle> placed;
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (!same(poses[b], before[b]) && !talus::is_dynamic(scene.bodies[b]))
      placed.push_back(obstacle_of(scene.bodies[b], poses[b], far));
  const std::uint32_t first = own_places() ? world * settings.places : 0;
  std::vector<Grain> grains(own_places() ? settings.places : places_at(step));
  executor->read(FieldId::grains, std::as_writable_bytes(std::span(grains)), first * sizeof(Grain));
  const auto is_deep = [&](const Grain& g) {
    const double r = static_cast<double>(g.position.w);
    return r > 0.0 && g.velocity.w > 0.0f && std::ranges::any_of(placed, [&](const Obstacle& o) {
             return depth_in(o, scene.domain, glm::dvec3(g.position), r) > parted * r;
           });
  };
  if (std::ranges::none_of(grains, is_deep))
    return;

  std::vector<uint> ids(grains.size());
  executor->read(FieldId::grain_id, std::as_writable_bytes(std::span(ids)), first * sizeof(uint));
  std::vector<Obstacle> obstacles;
  for (std::size_t b = 0; b < poses.size(); ++b) {
    if (const auto number = static_cast<std::uint32_t>(world * poses.size() + b); is_dynamic(number)) {
      const BodyMotion m = rigid_state(number).motion;
      poses[b] = {glm::dvec3(m.position), quaternion_of(m.rotation)};
    }
    obstacles.push_back(obstacle_of(scene.bodies[b], poses[b], far));
  }
  // Particles of shapes and vertices of cloth stay, and the skin of a body goes where the body is.
  std::vector<Movable> balls;
  std::vector<std::size_t> of_ball;
  std::vector<std::uint32_t> crowd;
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const Grain& g = grains[i];
    if (g.position.w == 0.0f || ids[i] - settings.carried_first < settings.carried)
      continue;
    const bool free = g.velocity.w > 0.0f && (ids[i] < settings.shaped_first || ids[i] >= settings.births_first);
    Movable ball{glm::dvec3(g.position), static_cast<double>(g.position.w),
                 free ? 1.0 / static_cast<double>(g.velocity.w) : std::numeric_limits<double>::infinity()};
    if (free && is_deep(g)) {
      keep_out(obstacles, scene.domain, ball.center, ball.radius);
      crowd.push_back(static_cast<std::uint32_t>(balls.size()));
    }
    balls.push_back(ball);
    of_ball.push_back(i);
  }
  if (crowd.empty())
    return;
  separate(
      balls, period_of(scene.domain), overlap_left,
      [&](glm::dvec3& p, double r) { keep_out(obstacles, scene.domain, p, r); }, crowd);
  std::size_t left = 0;
  for (std::size_t k = 0; k < balls.size(); ++k) {
    Grain& g = grains[of_ball[k]];
    if (std::isfinite(balls[k].mass) && glm::dvec3(g.position) != balls[k].center)
      g.position = vec4(vec3(balls[k].center), g.position.w);
    left += is_deep(g) ? 1 : 0;
  }
  executor->write(FieldId::grains, std::as_bytes(std::span(grains)), first * sizeof(Grain));
  constexpr const char* told = "a body was placed where there is no room for";
  if (left > 0 && std::ranges::none_of(notes, [&](const std::string& note) { return note.starts_with(told); }))
    notes.push_back(
        fmt::format("{} {} of the grains that are there: they are pushed out as by any overlap", told, left));
}

}  // namespace talus
