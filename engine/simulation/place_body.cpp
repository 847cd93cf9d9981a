// Bodies that are put elsewhere at once, and the grains that are there.
#include "engine/scene/kinematics.h"
#include "engine/scene/obstacles.h"
#include "engine/scene/separate.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace talus {
namespace {

// Radii of the smaller grain: more than most contacts of a bed at rest overlap.
constexpr Parting parting{0.02, 0.0};

// As springs, grains that a body is put onto would fly apart. Those that it is in deeper than any contact are moved to
// its surface, and others out of their way.
class SpaceClearing {
public:
  SpaceClearing(const Model& model, const Commands& commands, std::uint32_t world)
      : model_(model), commands_(commands), world_(world), far_(radii_of(model.scene()).max),
        parted_(overlap_parted(model.scene())) {}

  // Bodies that passes do not move, and that stand elsewhere than before.
  void find_placed(const std::vector<Pose>& now, const std::vector<Pose>& before) {
    const std::vector<BodySpec>& bodies = model_.scene().bodies;
    for (std::size_t b = 0; b < now.size(); ++b)
      if (now[b] != before[b] && !is_dynamic(bodies[b]))
        placed_.push_back(obstacle_of(bodies[b], now[b], far_));
  }

  bool is_deep(const Grain& g) const {
    const double r = static_cast<double>(g.position.w);
    return r > 0.0 && g.velocity.w > 0.0f && std::ranges::any_of(placed_, [&](const Obstacle& o) {
             return depth_in(o, model_.scene().domain, glm::dvec3(g.position), r) > parted_ * r;
           });
  }

  // Moves grains that may move; says how many are still in a body.
  std::size_t move(std::vector<Grain>& grains, const std::vector<uint>& ids, const std::vector<uint>& tags) const {
    const Domain& domain = model_.scene().domain;
    const std::vector<Obstacle> obstacles = obstacles_now();
    std::vector<Movable> balls;
    std::vector<std::size_t> grain_of_ball;
    std::vector<std::uint32_t> crowd;
    for (std::size_t i = 0; i < grains.size(); ++i) {
      if (grains[i].position.w == 0.0f || stands_for_body(ids[i]))
        continue;
      Movable ball = ball_of(grains[i], ids[i], tags[i]);
      if (std::isfinite(ball.mass) && is_deep(grains[i])) {
        keep_out(obstacles, domain, ball.center, ball.radius);
        crowd.push_back(static_cast<std::uint32_t>(balls.size()));
      }
      balls.push_back(ball);
      grain_of_ball.push_back(i);
    }
    if (crowd.empty())
      return 0;
    separate(
        balls, period_of(domain), [](std::size_t, std::size_t) { return parting; },
        [&](glm::dvec3& p, double r) { keep_out(obstacles, domain, p, r); }, crowd);
    std::size_t left = 0;
    for (std::size_t k = 0; k < balls.size(); ++k) {
      Grain& g = grains[grain_of_ball[k]];
      if (std::isfinite(balls[k].mass) && glm::dvec3(g.position) != balls[k].center)
        g.position = vec4(vec3(balls[k].center), g.position.w);
      left += is_deep(g) ? 1 : 0;
    }
    return left;
  }

private:
  // It goes where the body is.
  bool stands_for_body(uint id) const {
    return id - model_.settings().bodies.carried_first < model_.settings().bodies.carried;
  }

  // Particles of shapes, spheres of clumps, vertices of cloth and fixed grains stay: their mass here is infinite.
  Movable ball_of(const Grain& g, uint id, uint tag) const {
    const Settings& settings = model_.settings();
    const bool free = g.velocity.w > 0.0f && (tag >> tag_sphere_shift & tag_sphere_mask) == 0 &&
                      (id < settings.shapes.first || id >= settings.emission.first);
    return {glm::dvec3(g.position), static_cast<double>(g.position.w),
            free ? 1.0 / static_cast<double>(g.velocity.w) : std::numeric_limits<double>::infinity()};
  }

  std::vector<Obstacle> obstacles_now() const {
    const std::vector<Pose> poses = commands_.poses(world_);
    std::vector<Obstacle> obstacles;
    for (std::size_t b = 0; b < poses.size(); ++b)
      obstacles.push_back(obstacle_of(model_.scene().bodies[b], poses[b], far_));
    return obstacles;
  }

  const Model& model_;
  const Commands& commands_;
  const std::uint32_t world_;
  const double far_, parted_;  // m, the largest grain; overlap of a contact in radii that a placed body leaves
  std::vector<Obstacle> placed_;
};

}  // namespace

void Simulation::Impl::place_body(std::uint32_t body, const Pose& at) {
  const auto world = static_cast<std::uint32_t>(body / std::max<std::size_t>(model.scene().bodies.size(), 1));
  const std::vector<Pose> before =
      world < model.worlds() ? commands.drives().poses(run.step(), world) : std::vector<Pose>{};
  commands.place_body(body, at);
  clear_space(world, before);
  run.invalidate_lists(world);  // they do not know of the jump
  if (model.scene().upsampling)
    run.invalidate_fine_lists();
}

// Around bodies that stand elsewhere than before.
void Simulation::Impl::clear_space(std::uint32_t world, const std::vector<Pose>& before) {
  SpaceClearing clearing(model, commands, world);
  clearing.find_placed(commands.drives().poses(run.step(), world), before);
  Executor& executor = memory.executor();
  const uint slots = model.settings().worlds.places;
  const std::uint32_t first = model.own_slots() ? world * slots : 0;
  std::vector<Grain> there(model.own_slots() ? slots : grains.slots_at(run.step()));
  executor.read(FieldId::grains, std::as_writable_bytes(std::span(there)), first * sizeof(Grain));
  if (std::ranges::none_of(there, [&](const Grain& g) { return clearing.is_deep(g); }))
    return;
  std::vector<uint> ids(there.size()), tags(there.size());
  executor.read(FieldId::grain_id, std::as_writable_bytes(std::span(ids)), first * sizeof(uint));
  executor.read(FieldId::grain_tag, std::as_writable_bytes(std::span(tags)), first * sizeof(uint));
  const std::size_t left = clearing.move(there, ids, tags);
  executor.write(FieldId::grains, std::as_bytes(std::span(there)), first * sizeof(Grain));
  if (left > 0)
    model.add_note_once("a body was placed where there is no room for",
                        fmt::format(" {} of the grains that are there: they are pushed out as by any overlap", left));
}

}  // namespace talus
