// Worlds of a simulation, side by side in its fields, and shelves behind them, on which states of worlds are kept.
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace talus {
// Where each world has places of its own, what all have alike comes behind the grains of the fullest one, and births
// last.
void Simulation::Impl::set_places(Settings& of) const {
  if (scene.worlds == 1 && options.shelves == 0)
    return;
  const char* const lone = !scene.cloths.empty() ? "cloth" : scene.upsampling ? "upsampling" : nullptr;
  if (lone)
    throw SceneError(fmt::format("{}: there are {} worlds and {} shelves for states of worlds, which a scene with {} "
                                 "cannot have: allowed are grains, emitters, bodies, shapes and sinks",
                                 scene.source, scene.worlds, options.shelves, lone));
  std::size_t most = 0, births = 0;
  for (const WorldStart& start : starts) {
    most = std::max(most, start.initial.size());
    births = std::max(births, start.poured->size());
  }
  const std::size_t groups = std::max<std::size_t>((most + births + group_size - 1) / group_size, 1),
                    places = groups * group_size;
  if (places >= triangle_partner / (scene.worlds + options.shelves))
    throw SceneError(fmt::format("{}: {} worlds of {} grains are more than can be numbered", scene.source, scene.worlds,
                                 most + births));
  if (scene.bodies.size() * scene.worlds > bodies_most)
    throw SceneError(fmt::format("{}: {} worlds of {} bodies are more than {}", scene.source, scene.worlds,
                                 scene.bodies.size(), bodies_most));
  of.places = static_cast<uint>(places);
  of.options &= ~option_mend;  // tables of cells are of the worlds that build their lists, not for longer
  of.births_first = static_cast<uint>(most);
  of.carried_first = of.births_first - of.carried;
  of.cloth_first = of.carried_first - of.cloth;
  of.shaped_first = of.cloth_first - of.shaped;
}

WorldStart start_of(const Population& population) {
  return {population.initial, std::make_shared<const std::vector<TimedSeed>>(population.poured)};
}

WorldStart start_of(Scene scene, std::uint64_t seed) {
  scene.seed = seed;
  return start_of(populate(scene));
}

std::size_t Simulation::Impl::births_room(const Settings& of) const {
  return scene.emitters.empty() ? 0 : of.places - of.births_first;
}

std::uint32_t Simulation::Impl::number_alone(std::uint32_t world, uint id) const {
  const uint gap = own_places() ? settings.births_first - grains_of[world] : 0;
  return id < settings.shaped_first ? id : id - gap;
}

// Emitter after emitter. Those of the only world are all that there are.
void Simulation::Impl::write_births(std::uint32_t world) {
  due.resize(scene.worlds);
  due[world].assign(scene.emitters.size(), {});
  std::vector<std::vector<Birth>> of_emitters(scene.emitters.size());
  uint id = settings.births_first;
  for (const TimedSeed& timed : *pours[world]) {
    due[world][timed.emitter].push_back(timed.step);
    of_emitters[timed.emitter].push_back({grain_of(scene, timed.seed), id++, timed.seed.material});
  }
  std::vector<Birth> births;
  for (const std::vector<Birth>& of_one : of_emitters)
    births.insert(births.end(), of_one.begin(), of_one.end());
  executor->write(FieldId::births, std::as_bytes(std::span(births)), world * share_of(FieldId::births));
}

// An emitter does not go on behind its stop, be there births that wait or not.
Pour Simulation::Impl::pour_of(std::uint64_t at, std::uint32_t world, std::uint32_t emitter) const {
  const std::uint64_t now = drive.local(at + 1, world);
  if (stopped(scene.emitters[emitter], now, scene.dt, time_zero))
    return {};
  std::size_t base = world * births_room(settings);
  for (std::uint32_t e = 0; e < emitter; ++e)
    base += due[world][e].size();
  const std::vector<std::uint64_t>& steps = due[world][emitter];
  const auto first = std::ranges::lower_bound(steps, now), end = std::ranges::upper_bound(steps, now);
  const auto number = [&](auto it) { return static_cast<uint>(base + static_cast<std::size_t>(it - steps.begin())); };
  return {static_cast<uint>(base), number(first), number(end), static_cast<uint>(now)};
}

bool Simulation::Impl::pours_at(std::uint64_t at) const {
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    if (known_worlds[w].born < pours[w]->size())
      for (const Emitter& emitter : scene.emitters)
        if (!stopped(emitter, drive.local(at + 1, w), scene.dt, time_zero))
          return true;
  return false;
}

void Simulation::Impl::write_pours(std::uint64_t steps) {
  if (scene.emitters.empty())
    return;
  std::vector<Pour> table;
  for (std::uint64_t at = step; at < step + steps; ++at)
    for (std::uint32_t w = 0; w < scene.worlds; ++w)
      for (std::uint32_t e = 0; e < scene.emitters.size(); ++e)
        table.push_back(pour_of(at, w, e));
  write_field(*executor, FieldId::pours, table);
}

std::size_t Simulation::Impl::share_of(FieldId id) const {
  return of_each_world(info(id).extent) ? executor->size(id) / scene.worlds * info(id).stride : 0;
}

void Simulation::Impl::check_worlds(std::span<const std::uint32_t> which) const {
  for (const std::uint32_t world : which)
    if (world >= scene.worlds)
      throw std::invalid_argument(fmt::format("there is no world {}: the simulation has {}", world, scene.worlds));
}

// What a checkpoint would hold of a world.
std::vector<FieldId> Simulation::Impl::fields_of_worlds() const {
  std::vector<FieldId> ids;
  for (std::size_t f = 0; f < field_count; ++f)
    if (const auto id = static_cast<FieldId>(f); field_infos[f].saved && share_of(id) > 0)
      ids.push_back(id);
  return ids;
}

// A world at its start: grains, and bodies where they are then.
void Simulation::Impl::fill_world(std::uint32_t world, const WorldStart& start) {
  const std::vector<Seed>& seeds = start.initial;
  const std::size_t places = own_places() ? settings.places : seeds.size();
  const auto put = [&]<class T>(FieldId id, const std::vector<T>& data) {
    executor->write(id, std::as_bytes(std::span(data)), world * share_of(id));
  };
  std::vector<Grain> grains(places);
  std::vector<uint> ids(places, no_grain), tags(places);
  World lists{};
  lists.invalid = ~0u;
  lists.travel = lists_void;
  lists.cloth_half = longest_side(population) / 2.0f;
  const std::size_t own = seeds.size() - alike();
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    const std::size_t at = k < own ? k : settings.shaped_first + (k - own);
    grains[at] = grain_of(scene, seeds[k]);
    ids[at] = static_cast<uint>(at);
    tags[at] = seeds[k].material;
    lists.speed = std::max(lists.speed, glm::length(seeds[k].velocity));
    lists.radius = std::max(lists.radius, seeds[k].radius);
  }
  for (const TimedSeed& timed : *start.poured)
    lists.radius = std::max(lists.radius, timed.seed.radius);
  if (!own_places() || lists.radius == 0.0f)
    lists.radius = settings.radius_max;  // without vertices of cloth
  each_follower(Follows::grains, [&](FieldId id) { start_anew(id, world * places, places); });
  put(FieldId::grains, grains);
  put(FieldId::grain_id, ids);
  put(FieldId::grain_tag, tags);
  put(FieldId::worlds, std::vector{lists});
  put(FieldId::contact_count, std::vector<uint>(places));
  put(FieldId::rigid_states, dynamics.states);
  put(FieldId::rigid_commands, dynamics.commands);
  put(FieldId::body_sums, std::vector<uint>(scene.bodies.size() * load_copies * load_words));
  put(FieldId::body_load, std::vector<BodyLoad>(scene.bodies.size()));
  put(FieldId::sink_counts, std::vector<uint>(scene.sinks.size()));
  put(FieldId::births_made, std::vector<uint>(scene.emitters.size()));
  put(FieldId::point_contacts,
      std::vector<PointContact>(dynamics.points.size() * point_partners, {no_partner, vec3(0.0f)}));
  put(FieldId::shape_motions, shapes_of(scene, population).motions);
  known_worlds[world] = lists;
  grains_of[world] = static_cast<std::uint32_t>(seeds.size());
  pours[world] = start.poured;
  write_births(world);
}

void Simulation::Impl::reset_worlds(std::span<const std::uint32_t> which, std::span<const std::uint64_t> seeds) {
  check_worlds(which);
  if (!seeds.empty() && seeds.size() != which.size())
    throw std::invalid_argument(fmt::format("{} worlds are to be reset, with {} seeds: allowed are as many, or none",
                                            which.size(), seeds.size()));
  if (!own_places())
    throw std::invalid_argument("only a simulation of several worlds, or with shelves, resets one");
  // Everything that may throw comes before anything is changed. Grains must not reach into the places of others.
  const std::size_t births = births_room(settings);
  const std::size_t room = births > 0 || alike() > 0 ? settings.births_first : settings.places;
  std::vector<WorldStart> anew;
  for (const std::uint64_t seed : seeds) {
    anew.push_back(start_of(scene, seed));
    const auto& [grains, poured] = anew.back();
    if (grains.size() > room)
      throw SceneError(fmt::format("{}: seed {} makes {} grains, and a world has room for {}", scene.source, seed,
                                   grains.size(), room));
    if (poured->size() > births)
      throw SceneError(fmt::format("{}: with seed {} emitters release {} grains, and a world has room for {}",
                                   scene.source, seed, poured->size(), births));
  }
  replaced.reset();  // of other worlds than those to come
  for (std::size_t k = 0; k < which.size(); ++k) {
    fill_world(which[k], seeds.empty() ? starts[which[k]] : anew[k]);
    drive.set(which[k], {{}, static_cast<std::int64_t>(step)});
  }
}

void Simulation::Impl::count_grains() {
  std::vector<std::uint32_t> there(scene.worlds);
  const State state = read_state();
  for (const std::uint32_t i : state.by_id)
    ++there[state.world_of(i)];
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    grains_of[w] = there[w] + known_worlds[w].gone - known_worlds[w].born;
}

Simulation::Impl::WorldCourse Simulation::Impl::course_of(std::uint32_t world) const {
  return {known_worlds[world], grains_of[world], pours[world], drive.course(world)};
}

// What the host knows of worlds that are copies.
void Simulation::Impl::become(std::span<const std::uint32_t> which, const WorldCourse& other) {
  replaced.reset();
  for (const std::uint32_t world : which) {
    known_worlds[world] = other.lists;
    grains_of[world] = other.grains;
    drive.set(world, other.course);
    if (pours[world] != other.pours) {
      pours[world] = other.pours;
      write_births(world);
    }
  }
}

std::uint32_t Simulation::worlds() const {
  return impl_->scene.worlds;
}

void Simulation::reset_worlds(std::span<const std::uint32_t> worlds, std::span<const std::uint64_t> seeds) {
  impl_->idle().reset_worlds(worlds, seeds);
}

void Simulation::fork_world(std::uint32_t from, std::span<const std::uint32_t> to) {
  Impl& s = impl_->idle();
  s.check_worlds(std::span(&from, 1));
  s.check_worlds(to);
  for (const FieldId id : s.fields_of_worlds())
    for (const std::uint32_t world : to)
      if (const std::size_t share = s.share_of(id); world != from)
        s.executor->copy_part(id, from * share, id, world * share, share);
  s.become(to, s.course_of(from));
  s.executor->submit();
}

void Simulation::save_world(std::uint32_t world, std::uint32_t shelf) {
  Impl& s = impl_->idle();
  s.check_worlds(std::span(&world, 1));
  Impl::Shelf& kept = s.shelf_at(shelf);
  Impl::Shelf now{true, s.step, s.course_of(world), {}};
  for (const FieldId id : s.fields_of_worlds())
    now.shares.push_back(s.share_of(id));
  s.widen_shelves(std::accumulate(now.shares.begin(), now.shares.end(), std::size_t{0}));
  std::size_t at = shelf * s.shelf_bytes;
  for (const FieldId id : s.fields_of_worlds()) {
    s.executor->copy_part(id, world * s.share_of(id), FieldId::shelves, at, s.share_of(id));
    at += s.share_of(id);
  }
  kept = std::move(now);
  s.executor->submit();
}

void Simulation::restore_world(std::uint32_t shelf, std::span<const std::uint32_t> worlds) {
  Impl& s = impl_->idle();
  s.check_worlds(worlds);
  const Impl::Shelf& kept = s.shelf_at(shelf);
  if (!kept.filled)
    throw std::invalid_argument(fmt::format("shelf {} is empty: save_world() puts a world's state there", shelf));
  std::size_t at = shelf * s.shelf_bytes;
  auto share = kept.shares.begin();
  for (const FieldId id : s.fields_of_worlds()) {
    for (const std::uint32_t world : worlds)  // which may have more slots by now
      s.executor->copy_part(FieldId::shelves, at, id, world * s.share_of(id), *share);
    at += *share++;
  }
  Impl::WorldCourse world = kept.world;  // its time goes on from when it was saved
  world.course.start += static_cast<std::int64_t>(s.step) - static_cast<std::int64_t>(kept.step);
  s.become(worlds, world);
  s.executor->submit();
}

Simulation::Impl::Shelf& Simulation::Impl::shelf_at(std::uint32_t shelf) {
  if (shelf >= shelves.size())
    throw std::invalid_argument(
        fmt::format("there is no shelf {}: Options::shelves asked for {}", shelf, shelves.size()));
  return shelves[shelf];
}

// Room for states of so many bytes; those that are there stay.
void Simulation::Impl::widen_shelves(std::size_t bytes) {
  if (bytes <= shelf_bytes)
    return;
  executor->resize(FieldId::shelves, shelves.size() * bytes / sizeof(uint));
  for (std::size_t k = shelves.size(); k-- > 1;)
    move_right(FieldId::shelves, k * shelf_bytes, k * bytes, shelf_bytes);
  shelf_bytes = bytes;
}

}  // namespace talus
