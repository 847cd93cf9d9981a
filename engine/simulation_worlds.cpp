// Worlds of a simulation, side by side in its fields, and shelves behind them, on which states of worlds are kept.
#include "engine/simulation_impl.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace talus {
namespace {

// Those that a world's state is made of are all of these that a checkpoint holds.
bool is_of_worlds(Extent extent) {
  switch (extent) {
  case Extent::worlds:
  case Extent::bodies:
  case Extent::body_sums:
  case Extent::body_cells:
  case Extent::taken_cells:
  case Extent::rigid:
  case Extent::rigid_pairs:
  case Extent::body_points:
  case Extent::point_contacts:
  case Extent::sink_counts:
  case Extent::grains:
  case Extent::cells:
  case Extent::slices:
  case Extent::slices_and_end:
  case Extent::slots:
    return true;
  default:
    return false;
  }
}

}  // namespace

// Where each world has places of its own, the skin of bodies comes last, behind the grains of the fullest one.
void Simulation::Impl::set_places(Settings& of) const {
  if (scene.worlds == 1 && options.shelves == 0)
    return;
  const char* const lone = !scene.emitters.empty() ? "emitters"
                           : !scene.cloths.empty() ? "cloth"
                           : !scene.shapes.empty() ? "shapes"
                           : scene.upsampling      ? "upsampling"
                                                   : nullptr;
  if (lone)
    throw SceneError(fmt::format("{}: there are {} worlds and {} shelves for states of worlds, which a scene with {} "
                                 "cannot have: allowed are grains, bodies and sinks",
                                 scene.source, scene.worlds, options.shelves, lone));
  std::size_t most = population.initial.size();
  for (const Seeds& seeds : others)
    most = std::max(most, seeds.size());
  const std::size_t groups = std::max<std::size_t>((most + group_size - 1) / group_size, 1),
                    places = groups * group_size;
  if (places >= triangle_partner / (scene.worlds + options.shelves))
    throw SceneError(
        fmt::format("{}: {} worlds of {} grains are more than can be numbered", scene.source, scene.worlds, most));
  if (scene.bodies.size() * scene.worlds > bodies_most)
    throw SceneError(fmt::format("{}: {} worlds of {} bodies are more than {}", scene.source, scene.worlds,
                                 scene.bodies.size(), bodies_most));
  of.places = static_cast<uint>(places);
  of.births_first = static_cast<uint>(most);
  of.cloth_first = of.shaped_first = of.carried_first = static_cast<uint>(most - population.skin.size());
}

Seeds seeds_of(Scene scene, std::uint64_t seed) {
  scene.seed = seed;
  return populate(scene).initial;
}

std::size_t Simulation::Impl::share_of(FieldId id) const {
  return is_of_worlds(info(id).extent) ? executor->size(id) / scene.worlds * info(id).stride : 0;
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
void Simulation::Impl::fill_world(std::uint32_t world, const Seeds& seeds) {
  const std::size_t places = own_places() ? settings.places : seeds.size();
  const auto put = [&]<class T>(FieldId id, const std::vector<T>& data) {
    executor->write(id, std::as_bytes(std::span(data)), world * share_of(id));
  };
  std::vector<Grain> grains(places);
  std::vector<uint> ids(places, no_grain), tags(places), rows(places);
  std::iota(rows.begin(), rows.end(), 0u);
  World lists{};
  lists.invalid = ~0u;
  lists.travel = lists_void;
  lists.cloth_half = longest_side(population) / 2.0f;
  // The skin of bodies comes last, at the same numbers in every world.
  const std::size_t skin = seeds.size() - population.skin.size();
  for (std::size_t k = 0; k < seeds.size(); ++k) {
    const std::size_t at = k < skin ? k : settings.carried_first + (k - skin);
    grains[at] = grain_of(scene, seeds[k]);
    ids[at] = static_cast<uint>(at);
    tags[at] = seeds[k].material;
    lists.speed = std::max(lists.speed, glm::length(seeds[k].velocity));
    lists.radius = std::max(lists.radius, seeds[k].radius);
  }
  if (!own_places() || lists.radius == 0.0f)
    lists.radius = settings.radius_max;  // with those of emitters, and without vertices of cloth
  put(FieldId::grains, grains);
  put(FieldId::grain_id, ids);
  put(FieldId::grain_tag, tags);
  put(FieldId::grain_row, rows);
  put(FieldId::worlds, std::vector{lists});
  put(FieldId::contact_count, std::vector<uint>(places));
  put(FieldId::rigid_states, dynamics.states);
  put(FieldId::rigid_commands, dynamics.commands);
  put(FieldId::body_sums, std::vector<uint>(scene.bodies.size() * load_copies * load_words));
  put(FieldId::body_load, std::vector<BodyLoad>(scene.bodies.size()));
  put(FieldId::sink_counts, std::vector<uint>(scene.sinks.size()));
  put(FieldId::point_contacts,
      std::vector<PointContact>(dynamics.points.size() * point_partners, {no_partner, vec3(0.0f)}));
  known_worlds[world] = lists;
  grains_of[world] = static_cast<std::uint32_t>(seeds.size());
}

void Simulation::Impl::reset_worlds(std::span<const std::uint32_t> which, std::span<const std::uint64_t> seeds) {
  check_worlds(which);
  if (!seeds.empty() && seeds.size() != which.size())
    throw std::invalid_argument(fmt::format("{} worlds are to be reset, with {} seeds: allowed are as many, or none",
                                            which.size(), seeds.size()));
  if (!own_places())
    throw std::invalid_argument("only a simulation of several worlds, or with shelves, resets one");
  // Everything that may throw comes before anything is changed. Grains must not reach into the places of the skin.
  const uint room = population.skin.empty() ? settings.places : settings.births_first;
  std::vector<Seeds> anew;
  for (const std::uint64_t seed : seeds) {
    anew.push_back(seeds_of(scene, seed));
    if (anew.back().size() > room)
      throw SceneError(fmt::format("{}: seed {} makes {} grains, and a world has room for {}", scene.source, seed,
                                   anew.back().size(), room));
  }
  for (std::size_t k = 0; k < which.size(); ++k) {
    const std::uint32_t world = which[k];
    fill_world(world, !seeds.empty() ? anew[k] : seeds_of_world(world));
    drive.set(world, {{}, static_cast<std::int64_t>(step)});
  }
}

// What the host knows of worlds that are copies.
void Simulation::Impl::become(std::span<const std::uint32_t> which, const World lists, std::uint32_t grains,
                              const Drives::Course& course) {
  for (const std::uint32_t world : which) {
    known_worlds[world] = lists;
    grains_of[world] = grains;
    drive.set(world, course);
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
  s.become(to, s.known_worlds[from], s.grains_of[from], s.drive.course(from));
  s.executor->submit();
}

void Simulation::save_world(std::uint32_t world, std::uint32_t shelf) {
  Impl& s = impl_->idle();
  s.check_worlds(std::span(&world, 1));
  Impl::Shelf& kept = s.shelf_at(shelf);
  Impl::Shelf now{true, s.step, s.drive.course(world), s.known_worlds[world], s.grains_of[world], {}};
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
  Drives::Course course = kept.course;  // its time goes on from when it was saved
  course.start += static_cast<std::int64_t>(s.step) - static_cast<std::int64_t>(kept.step);
  s.become(worlds, kept.lists, kept.grains, course);
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
