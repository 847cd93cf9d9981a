#include "engine/simulation/soil.h"
#include "engine/core/setup.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/obstacles.h"
#include "engine/scene/surface.h"
#include <algorithm>
#include <cmath>
#include <glm/trigonometric.hpp>
#include <map>

namespace talus {
namespace {

using Edges = std::vector<std::array<glm::dvec3, 2>>;

// The edges of all triangles of a surface. An edge that two triangles share is listed twice.
Edges edges_of(const Surface& surface) {
  Edges edges;
  for (const glm::uvec3& triangle : surface.triangles)
    for (int k = 0; k < 3; ++k)
      edges.push_back({glm::dvec3(surface.vertices[triangle[k]].position),
                       glm::dvec3(surface.vertices[triangle[(k + 1) % 3]].position)});
  return edges;
}

// By which a body that moves is elsewhere after `time` [s], if it goes on so.
Pose later(const BodyState& body, double time) {
  const double speed = glm::length(body.twist.spin);
  const glm::dquat turned =
      speed > 0.0 ? glm::angleAxis(speed * time, body.twist.spin / speed) * body.pose.rotation : body.pose.rotation;
  return {body.pose.position + time * body.twist.velocity, turned};
}

// The middle of the places where edges begin.
glm::dvec3 middle_of(const Edges& edges) {
  glm::dvec3 sum(0.0);
  for (const auto& edge : edges)
    sum += edge[0];
  return sum / static_cast<double>(edges.size());
}

// The box that a body sweeps from one pose to another. edges: of its surface, in its frame.
SoilTool tool_of(const Edges& edges, const Pose& from, const Pose& to) {
  SoilTool tool;
  const glm::dvec3 middle = middle_of(edges);
  const glm::dvec2 way(to.position + to.rotation * middle - from.position - from.rotation * middle);
  tool.moves = glm::length(way) > 0.0;
  if (tool.moves)
    tool.along = glm::normalize(way);
  for (const Pose* pose : {&from, &to})
    for (const auto& edge : edges) {
      auto& [a, b] = tool.edges.emplace_back();
      a = pose->position + pose->rotation * edge[0];
      b = pose->position + pose->rotation * edge[1];
      tool.reach(a);
      tool.reach(b);
    }
  return tool;
}

// Radii, by which two grains have to overlap for their spring to drive them apart by sqrt(g r): sqrt(kappa)/h of the
// overlap in dem.
double overlap_that_throws(const Scene& scene) {
  const double radius = scene.soil->mean_radius();
  return substep_of(scene) * std::sqrt(glm::length(scene.domain.gravity) / (shared::dem_kappa * radius));
}

// Does anything but a command move it? parents: those before it.
bool moves_by_itself(const Scene& scene, const BodySpec& body) {
  if (is_dynamic(body) || body.velocity != glm::dvec3(0.0) || body.spin != glm::dvec3(0.0) ||
      !std::holds_alternative<std::monostate>(body.motion))
    return true;
  const auto parent = std::ranges::find(scene.bodies, body.parent, &BodySpec::name);
  return !body.parent.empty() && parent != scene.bodies.end() && moves_by_itself(scene, *parent);
}

}  // namespace

SoilExchanges::SoilExchanges(Model& model, FieldMemory& memory, RunState& run, const Commands& commands)
    : model_(model), memory_(memory), run_(run), commands_(commands) {
  const Scene& scene = model.scene();
  if (!scene.soil)
    return;
  drawn_.resize(model.worlds());
  start_ = initial_poses(scene);
  for (const BodySpec& body : scene.bodies) {
    Edges& edges = edges_.emplace_back();
    if (std::ranges::none_of(body.parts,
                             [](const BodyPart& part) { return std::holds_alternative<PlanePart>(part.shape); }))
      edges = edges_of(surface_of(body, 0.5 * scene.soil->mean_radius(), 0.0));
  }
}

std::uint64_t SoilExchanges::period() const {
  constexpr double share = 0.5;  // of sqrt(r / g), in which a grain that falls from rest goes an eighth of a radius
  constexpr double longest = 1e6;
  const Scene& scene = model_.scene();
  const double time = std::sqrt(scene.soil->mean_radius() / glm::length(scene.domain.gravity));
  return static_cast<std::uint64_t>(std::clamp(std::round(share * time / scene.dt), 1.0, longest));
}

std::uint64_t SoilExchanges::steps_until_look() const {
  std::uint64_t steps = ~std::uint64_t{0};
  for (std::uint32_t w = 0; model_.has_soil() && w < model_.worlds(); ++w)
    steps = std::min(steps, period() - local_step(w) % period());
  return steps;
}

void SoilExchanges::look() {
  for (std::uint32_t w = 0; model_.has_soil() && w < model_.worlds(); ++w)
    if (const std::uint64_t step = local_step(w);
        step % period() == 0 && run_.worlds()[w].soil.looked != static_cast<uint>(step) + 1)
      look(w);
}

void SoilExchanges::look(std::uint32_t world) {
  const Scene& scene = model_.scene();
  const Soil& soil = *scene.soil;
  SoilRules rules;
  rules.floor = scene.domain.min.z;
  rules.margin = soil.margin * soil.mean_radius();
  rules.swell = soil.swell;
  rules.period = static_cast<double>(period()) * scene.dt;
  rules.overlap = overlap_that_throws(scene);
  rules.now = run_.worlds()[world].clock;
  for (const std::uint32_t m : model_.soil_stacks().materials())
    rules.materials.push_back({scene.materials[m].density, static_cast<float>(1.0 / scene.materials[m].inertia),
                               std::tan(glm::radians(soil.repose_of(m)))});
  rules.radius_min = static_cast<double>(static_cast<float>(soil.radius_min));
  rules.radius_max = static_cast<double>(static_cast<float>(soil.radius_max));

  const std::vector<Pose> poses = commands_.poses(world);
  std::vector<Bounds> boxes;
  for (std::size_t b = 0; b < poses.size(); ++b)
    boxes.push_back(bounds_of(scene.bodies[b], poses[b]));
  std::map<std::size_t, Obstacle> obstacles;  // of the bodies that a grain came near
  const double far = soil.radius_max;
  rules.blocked = [&](const glm::dvec3& place, double radius) {
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const glm::dvec3 at = nearest_image(scene.domain, place, poses[b].position);
      if (glm::any(glm::lessThan(at, boxes[b].min - radius)) || glm::any(glm::greaterThan(at, boxes[b].max + radius)))
        continue;
      auto found = obstacles.find(b);
      if (found == obstacles.end())
        found = obstacles.emplace(b, obstacle_of(scene.bodies[b], poses[b], far)).first;
      if (depth_in(found->second, scene.domain, place, radius) > rules.overlap * radius)
        return true;
    }
    return false;
  };

  const std::vector<SoilTool> tools = tools_of(world);
  SoilState state;
  std::vector<SoilColumn> before;
  SoilExchange done;
  do {
    make_room(done.missing);
    state = read(world);
    before = state.columns;
    rules.first = model_.soil_first();
    rules.places = model_.soil_end();
    done = exchange(model_.soil_stacks(), rules, tools, state);
  } while (done.missing > 0);
  if (model_.ground_places() > 0)
    mend_surface(world, before, state);
  World now = run_.worlds()[world];
  now.soil = {now.soil.made + done.made, now.soil.taken + done.taken, static_cast<uint>(local_step(world)) + 1};
  if (!done.changed) {
    run_.note_soil(world, now.soil);
    return;
  }
  write(world, state);
  run_.set_world(world, now);
  run_.invalidate_lists(world);
}

std::vector<SoilTool> SoilExchanges::tools_of(std::uint32_t world) const {
  const Scene& scene = model_.scene();
  const double time = static_cast<double>(period()) * scene.dt;
  std::vector<SoilTool> tools;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodySpec& body = scene.bodies[b];
    const BodyState state = commands_.body_state(static_cast<std::uint32_t>(world * scene.bodies.size() + b));
    const Pose then = later(state, time);
    const bool digs = moves_by_itself(scene, body) || state.pose != start_[b] || state.pose != then;
    if (edges_[b].empty())
      continue;
    tools.push_back(tool_of(edges_[b], state.pose, then));
    tools.back().digs = digs;
    if (body.ground == GroundContact::surface)
      tools.back().digs_below = scene.soil->terramechanics->dig_depth.value_or(SoilTool::inf);
  }
  return tools;
}

SoilState SoilExchanges::read(std::uint32_t world) const {
  return {.columns = memory_.read_share<SoilColumn>(world, FieldId::soil_columns),
          .grains = memory_.read_share<Grain>(world, FieldId::grains),
          .ids = memory_.read_share<uint>(world, FieldId::grain_id),
          .tags = memory_.read_share<uint>(world, FieldId::grain_tag),
          .rows = memory_.read_share<uint>(world, FieldId::grain_row),
          .counts = memory_.read_share<uint>(world, FieldId::contact_count),
          .spins = memory_.read_share<vec4>(world, FieldId::grain_spin),
          .rest = memory_.read_share<GrainRest>(world, FieldId::grain_rest),
          .origins = memory_.read_share<SoilOrigin>(world, FieldId::soil_origin)};
}

void SoilExchanges::write(std::uint32_t world, const SoilState& state) {
  memory_.write_share(world, FieldId::soil_columns, state.columns);
  memory_.write_share(world, FieldId::grains, state.grains);
  memory_.write_share(world, FieldId::grain_id, state.ids);
  memory_.write_share(world, FieldId::grain_tag, state.tags);
  memory_.write_share(world, FieldId::grain_row, state.rows);
  memory_.write_share(world, FieldId::contact_count, state.counts);
  memory_.write_share(world, FieldId::grain_rest, state.rest);
  memory_.write_share(world, FieldId::soil_origin, state.origins);
  if (!state.spins.empty())
    memory_.write_share(world, FieldId::grain_spin, state.spins);
}

void SoilExchanges::mend_surface(std::uint32_t world, std::span<const SoilColumn> before, const SoilState& state) {
  const SoilStacks& stacks = model_.soil_stacks();
  const double floor = model_.scene().domain.min.z, over = 2.0 * stacks.mean_radius();
  std::vector<uint> bare(state.columns.size(), 1);
  for (std::size_t i = 0; i < state.grains.size(); ++i) {
    const vec4& at = state.grains[i].position;
    if (at.w == 0.0f)
      continue;
    if (state.origins[i].column > 0)
      bare[state.origins[i].column - 1] = 0;
    else if (const auto c = stacks.grid().column_at(glm::dvec2(at));
             c && at.z - at.w < floor + stacks.of(*c).height(state.columns[*c]) + over)
      bare[*c] = 0;
  }
  if (bare != memory_.read_share<uint>(world, FieldId::ground_bare))
    memory_.write_share(world, FieldId::ground_bare, bare);

  const auto is_same = [](const SoilColumn& a, const SoilColumn& b) {
    return a.mass == b.mass && a.loose == b.loose && a.swell == b.swell;
  };
  if (std::ranges::equal(before, state.columns, is_same))
    return;
  const SoilSite& site = model_.soil_site();
  auto samples = memory_.read_share<GroundSample>(world, FieldId::ground_samples);
  for (uint c = 0; c < before.size(); ++c)
    if (!is_same(before[c], state.columns[c]))
      each_sample_of(site, stacks.grid().at(c), [&](std::size_t s) { samples[s] = {}; });
  memory_.write_share(world, FieldId::ground_samples, samples);
}

void SoilExchanges::make_room(uint missing) {
  if (missing > 0)
    memory_.grow_places(model_.settings().worlds.places + std::max(missing, model_.soil_room()), run_.step());
}

const std::vector<SoilSurfaceGrain>& SoilExchanges::surface(std::uint32_t world, bool in_use) {
  TALUS_ASSERT(world < drawn_.size(), world, drawn_.size());
  Drawn& drawn = drawn_[world];
  if (in_use)
    return drawn.surface;
  auto columns = memory_.read_share<SoilColumn>(world, FieldId::soil_columns);
  auto origins = memory_.read_share<SoilOrigin>(world, FieldId::soil_origin);
  auto samples = memory_.read_share<GroundSample>(world, FieldId::ground_samples);
  const auto same = [](const auto& a, const auto& b) {
    return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
  };
  if (!same(columns, drawn.columns) || !same(origins, drawn.origins) || !same(samples, drawn.samples)) {
    const std::vector<double> tracks = deepest_tracks(model_.soil_site(), samples);
    drawn.surface = surface_of(model_.soil_stacks(), model_.scene().domain.min.z, columns, origins, tracks);
    if (!samples.empty())
      for (SoilSurfaceGrain& grain : drawn.surface)
        grain.sphere.z -=
            track_depth(model_.soil_site().law, samples[sample_at(model_.soil_site(), vec2(grain.sphere))]);
    drawn.samples = std::move(samples);
    drawn.columns = std::move(columns);
    drawn.origins = std::move(origins);
  }
  return drawn.surface;
}

SoilHeights SoilExchanges::heights(std::uint32_t world) const {
  const SoilStacks& stacks = model_.soil_stacks();
  const auto grains = memory_.read_share<Grain>(world, FieldId::grains);
  const auto tags = memory_.read_share<uint>(world, FieldId::grain_tag);
  const auto origins = memory_.read_share<SoilOrigin>(world, FieldId::soil_origin);
  const auto columns = memory_.read_share<SoilColumn>(world, FieldId::soil_columns);
  const Soil& soil = *model_.scene().soil;
  std::vector<std::vector<RestingGrain>> resting(columns.size());
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const Grain& grain = grains[i];
    if (const std::uint32_t material = stacks.material_of(tags[i]);
        grain.velocity.w > 0.0f && material < stacks.materials().size())
      if (const auto column = stacks.grid().column_at(glm::dvec2(grain.position)))
        resting[*column].push_back({vec3(grain.position), grain.position.w, origins[i].tile, material});
  }
  SoilHeights out{stacks.grid().count(), {}};
  const auto samples = memory_.read_share<GroundSample>(world, FieldId::ground_samples);
  for (std::uint32_t c = 0; c < columns.size(); ++c) {
    double height =
        stacks.of(c).height(with_grains(stacks, model_.scene().domain.min.z, soil.swell, c, columns[c], resting[c]));
    if (!samples.empty())
      height -= mean_track(model_.soil_site(), samples, stacks.grid().at(c));
    out.heights.push_back(static_cast<float>(height));
  }
  return out;
}

SoilSummary SoilExchanges::summary() const {
  SoilSummary sum;
  if (!model_.has_soil())
    return sum;
  const SoilStacks& stacks = model_.soil_stacks();
  for (const std::uint32_t m : stacks.materials())
    sum.materials.push_back({model_.scene().materials[m].name});
  std::vector<std::uint64_t> grid(sum.materials.size());  // quanta in columns, by material
  double loosened = 0.0, filled = 0.0;                    // quanta, and those of undisturbed soil that is as large
  for (std::uint32_t w = 0; w < model_.worlds(); ++w) {
    const auto there = memory_.read_share<Grain>(w, FieldId::grains);
    const auto ids = memory_.read_share<uint>(w, FieldId::grain_id);
    const auto origins = memory_.read_share<SoilOrigin>(w, FieldId::soil_origin);
    const auto tags = memory_.read_share<uint>(w, FieldId::grain_tag);
    const auto columns = memory_.read_share<SoilColumn>(w, FieldId::soil_columns);
    for (const GroundSample& sample : memory_.read_share<GroundSample>(w, FieldId::ground_samples))
      sum.deepest_track = std::max(sum.deepest_track, static_cast<double>(track_depth(model_.soil_site().law, sample)));
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      const SoilColumn& column = columns[c];
      const Mixture mixture = mixture_of(column), loose = stacks.loosened(c, column);
      for (std::uint32_t m = 0; m < sum.materials.size(); ++m) {
        grid[m] += mixture[m];
        if (column.loose > 0)
          sum.loosened_mass += stacks.kg_per_quantum(m) * column.loose * loose[m] / sum_of(loose);
      }
      loosened += column.loose;
      filled += static_cast<double>(column.loose) * static_cast<double>(column.swell);
    }
    for (std::size_t i = 0; i < there.size(); ++i) {
      if (there[i].position.w == 0.0f || ids[i] < model_.soil_first())
        continue;
      if (origins[i].column > 0) {
        ++sum.rough_grains;
        continue;
      }
      ++sum.live_grains;
      if (const std::uint32_t m = stacks.material_of(tags[i]); m < sum.materials.size())
        sum.materials[m].quanta += quanta_of(static_cast<double>(there[i].position.w), stacks.mean_radius());
    }
  }
  for (std::uint32_t m = 0; m < sum.materials.size(); ++m) {
    SoilMaterialSummary& of = sum.materials[m];
    of.quanta += grid[m];
    of.mass = stacks.kg_per_quantum(m) * static_cast<double>(of.quanta);
    of.grid_mass = stacks.kg_per_quantum(m) * static_cast<double>(grid[m]);
    sum.mass += of.mass;
    sum.grid_mass += of.grid_mass;
    sum.quanta += of.quanta;
  }
  sum.swell = loosened > 0.0 ? filled / loosened : 1.0;
  return sum;
}

}  // namespace talus
