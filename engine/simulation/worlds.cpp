#include "engine/simulation/worlds.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace talus {

Worlds::Worlds(const Model& model, FieldMemory& memory, RunState& run, Commands& commands, Emission& emission,
               GrainSlots& grains, std::vector<WorldStart> starts)
    : model_(model), memory_(memory), run_(run), commands_(commands), emission_(emission), grains_(grains),
      starts_(std::move(starts)), shelves_(model.options().shelves) {
  TALUS_ASSERT(starts_.size() == model_.worlds(), starts_.size(), model_.worlds());
  for (std::uint32_t w = 0; w < model_.worlds(); ++w)
    fill(w, starts_[w]);
}

// Grains and bodies of a world where they are at the start.
void Worlds::fill(std::uint32_t world, const WorldStart& start) {
  const Scene& scene = model_.scene();
  const Settings& settings = model_.settings();
  const Dynamics& dynamics = model_.dynamics();
  const std::vector<Seed>& seeds = start.initial;
  const std::size_t slots = model_.own_slots() ? settings.worlds.places : seeds.size();
  TALUS_ASSERT(seeds.size() <= slots && model_.alike() <= seeds.size(), seeds.size(), slots, model_.alike());
  std::vector<Grain> grains(slots);
  std::vector<uint> ids(slots, no_grain), tags(slots);
  std::vector<vec4> spins(scene.solver.rotation ? slots : 0);
  const std::vector<ClumpKind> kinds = clump_kinds_of(scene);
  std::vector<ClumpMotion> clumps(kinds.empty() ? 0 : slots);
  World state{};
  state.invalid = ~0u;
  state.lists.travel = lists_invalid;
  state.cloth.half_edge = longest_side(model_.population()) / 2.0f;
  const std::size_t own = seeds.size() - model_.alike();
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    const std::size_t at = k < own ? k : settings.shapes.first + (k - own);
    TALUS_ASSERT(at < slots && ids[at] == no_grain, at, slots);
    grains[at] = grain_of(scene, seeds[k]);
    if (!spins.empty() && !model_.is_vertex(static_cast<uint>(at)))
      spins[at] = spin_of(scene, seeds[k]);
    ids[at] = static_cast<uint>(at);
    tags[at] = seeds[k].material | (model_.is_vertex(ids[at]) ? tag_thin : 0u) | seeds[k].clump;
    if ((tags[at] >> tag_sphere_shift & tag_sphere_mask) == 1)
      clumps[at] = clump_motion_of(kinds[tags[at] >> tag_kind_shift], seeds[k]);
    state.motion.speed = std::max(state.motion.speed, glm::length(seeds[k].velocity));
    if (!model_.is_vertex(ids[at]))
      state.radius = std::max(state.radius, seeds[k].radius);
  }
  for (const ScheduledGrain& timed : *start.emitted)
    state.radius = std::max(state.radius, timed.seed.radius);
  if (!model_.own_slots() || state.radius == 0.0f)
    state.radius = settings.grid.radius_max;
  const auto put = [&](FieldId id, const auto& data) { memory_.write_share(world, id, data); };
  each_follower(Follows::grains, [&](FieldId id) { memory_.clear_slots(id, world * slots, slots); });
  put(FieldId::grains, grains);
  put(FieldId::grain_id, ids);
  put(FieldId::grain_tag, tags);
  put(FieldId::grain_spin, spins);
  put(FieldId::clump_motions, clumps);
  put(FieldId::contact_count, std::vector<uint>(slots));
  put(FieldId::rigid_states, dynamics.states);
  put(FieldId::rigid_commands, dynamics.commands);
  put(FieldId::link_states, dynamics.linkages.states);
  put(FieldId::body_sums, std::vector<uint>(scene.bodies.size() * load_records * load_words));
  put(FieldId::slice_activity,
      std::vector<SliceActivity>(memory_.executor().size(FieldId::slice_activity) / model_.worlds()));
  put(FieldId::body_load, std::vector<BodyLoad>(scene.bodies.size()));
  put(FieldId::sink_counts, std::vector<uint>(scene.sinks.size()));
  put(FieldId::emitted_count, std::vector<uint>(scene.emitters.size()));
  put(FieldId::point_contacts,
      std::vector<PointContact>(dynamics.points.size() * point_partners, {no_partner, vec3(0.0f)}));
  put(FieldId::shape_motions, model_.shapes().motions);
  if (scene.soil)
    put(FieldId::soil_columns, model_.soil_stacks().at_start());
  if (model_.ground_places() > 0) {
    put(FieldId::ground_bare, std::vector<uint>(model_.soil_columns(), 1));
    put(FieldId::ground_samples, std::vector<GroundSample>(samples_of(model_.soil_site())));
  }
  run_.set_world(world, state);
  grains_.set_at_start(world, static_cast<std::uint32_t>(seeds.size()));
  emission_.set_schedule(world, start.emitted);
}

void Worlds::reset(std::span<const std::uint32_t> which, std::span<const std::uint64_t> seeds) {
  model_.check_worlds(which);
  if (!seeds.empty() && seeds.size() != which.size())
    throw std::invalid_argument(fmt::format(
        "{} worlds are to be reset, with {} seeds: give as many seeds as worlds, or none", which.size(), seeds.size()));
  if (!model_.own_slots())
    throw std::invalid_argument("only a simulation of several worlds, or with shelves, resets one");
  // Grains must not reach into the slots of others.
  const std::size_t emitted_most = model_.emission_room(model_.settings());
  const std::size_t most =
      emitted_most > 0 || model_.alike() > 0 ? model_.settings().emission.first : model_.settings().worlds.places;
  std::vector<WorldStart> anew;
  for (const std::uint64_t seed : seeds) {
    anew.push_back(start_of(model_.scene(), seed));
    const auto& [grains, emitted] = anew.back();
    if (grains.size() > most)
      throw SceneError(fmt::format("{}: seed {} makes {} grains, and a world has room for {}", model_.scene().source,
                                   seed, grains.size(), most));
    if (emitted->size() > emitted_most)
      throw SceneError(fmt::format("{}: with seed {} emitters release {} grains, and a world has room for {}",
                                   model_.scene().source, seed, emitted->size(), emitted_most));
  }
  commands_.forget_replaced();  // they belong to worlds that are there no more
  for (std::size_t k = 0; k < which.size(); ++k) {
    fill(which[k], seeds.empty() ? starts_[which[k]] : anew[k]);
    commands_.set_course(which[k], {{}, static_cast<std::int64_t>(run_.step())});
  }
}

Worlds::WorldCourse Worlds::course_of(std::uint32_t world) const {
  return {run_.worlds()[world], grains_.at_start(world), emission_.schedules()[world],
          commands_.drives().course(world)};
}

void Worlds::become(std::span<const std::uint32_t> which, const WorldCourse& other) {
  commands_.forget_replaced();
  for (const std::uint32_t world : which) {
    TALUS_ASSERT(other.state.invalid == ~0u, other.state.invalid);
    run_.note_world(world, other.state);
    grains_.set_at_start(world, other.at_start);
    commands_.set_course(world, other.course);
    if (emission_.schedules()[world] != other.schedule)
      emission_.set_schedule(world, other.schedule);
  }
}

void Worlds::fork(std::uint32_t from, std::span<const std::uint32_t> to) {
  model_.check_worlds(std::span(&from, 1));
  model_.check_worlds(to);
  for (const FieldId id : memory_.fields_of_worlds())
    for (const std::uint32_t world : to)
      if (const std::size_t share = memory_.share_of(id); world != from)
        memory_.executor().copy_part(id, from * share, id, world * share, share);
  memory_.copy_sleepers();
  become(to, course_of(from));
  memory_.executor().submit();
}

void Worlds::save(std::uint32_t world, std::uint32_t shelf) {
  model_.check_worlds(std::span(&world, 1));
  Shelf& kept = shelf_at(shelf);
  Shelf now{true, run_.step(), course_of(world), {}};
  const std::vector<FieldId> fields = memory_.fields_of_worlds();
  for (const FieldId id : fields)
    now.shares.push_back(memory_.share_of(id));
  widen_shelves(std::accumulate(now.shares.begin(), now.shares.end(), std::size_t{0}));
  std::size_t at = shelf * shelf_bytes_;
  for (const FieldId id : fields) {
    const std::size_t share = memory_.share_of(id);
    memory_.executor().copy_part(id, world * share, FieldId::shelves, at, share);
    at += share;
  }
  TALUS_ASSERT(at <= (shelf + std::size_t{1}) * shelf_bytes_, at, shelf, shelf_bytes_);
  kept = std::move(now);
  memory_.executor().submit();
}

void Worlds::restore(std::uint32_t shelf, std::span<const std::uint32_t> which) {
  model_.check_worlds(which);
  const Shelf& kept = shelf_at(shelf);
  if (!kept.filled)
    throw std::invalid_argument(fmt::format("shelf {} is empty: save_world() puts a world's state there", shelf));
  TALUS_ASSERT(kept.shares.size() == memory_.fields_of_worlds().size(), kept.shares.size());
  std::size_t at = shelf * shelf_bytes_;
  auto share = kept.shares.begin();
  for (const FieldId id : memory_.fields_of_worlds()) {
    TALUS_ASSERT(*share <= memory_.share_of(id), *share, memory_.share_of(id), id);
    for (const std::uint32_t world : which)  // the world may have more contact slots by now
      memory_.executor().copy_part(FieldId::shelves, at, id, world * memory_.share_of(id), *share);
    at += *share++;
  }
  WorldCourse world = kept.world;  // its time goes on from when it was saved
  world.course.start += static_cast<std::int64_t>(run_.step()) - static_cast<std::int64_t>(kept.step);
  memory_.copy_sleepers();
  become(which, world);
  memory_.executor().submit();
}

Worlds::Shelf& Worlds::shelf_at(std::uint32_t shelf) {
  if (shelf >= shelves_.size())
    throw std::invalid_argument(
        fmt::format("there is no shelf {}: Options::shelves asked for {}", shelf, shelves_.size()));
  return shelves_[shelf];
}

// Makes room for states of so many bytes. Those that are there stay.
void Worlds::widen_shelves(std::size_t bytes) {
  if (bytes <= shelf_bytes_)
    return;
  TALUS_ASSERT(bytes % sizeof(uint) == 0, bytes);
  memory_.executor().resize(FieldId::shelves, shelves_.size() * bytes / sizeof(uint));
  for (std::size_t k = shelves_.size(); k-- > 1;)
    memory_.move_right(FieldId::shelves, k * shelf_bytes_, k * bytes, shelf_bytes_);
  shelf_bytes_ = bytes;
}

}  // namespace talus
