#include "engine/simulation/model.h"
#include "engine/motion/drive.h"
#include "engine/scene/convergence.h"
#include "engine/scene/hertz.h"
#include "engine/scene/limitations.h"
#include "engine/scene/meshes.h"
#include "engine/scene/precision.h"
#include "engine/simulation/soil_tile.h"
#include "shaders/shared/row.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus {
namespace {

// Grains of the ground that there is room for from the start on; more than that find it made (Soil::look).
constexpr std::size_t soil_room_least = 4096;

}  // namespace

std::vector<std::string> warnings_of(const Scene& scene, const Population& population) {
  std::vector<std::string> warnings = population.warnings;
  for (std::string& advice : advise(scene))
    warnings.push_back(std::move(advice));
  return warnings;
}

WorldStart start_of(const Population& population) {
  return {population.initial, std::make_shared<const std::vector<ScheduledGrain>>(population.scheduled)};
}

WorldStart start_of(Scene scene, std::uint64_t seed) {
  scene.seed = seed;
  return start_of(populate(scene));
}

Prepared prepare(Scene scene) {
  Prepared out;
  check_spacing(scene);
  check_hertz(scene);
  if (scene.solver.substeps == 0) {
    const SubstepChoice choice = choose_substeps(scene);
    scene.solver.substeps = choice.substeps;
    out.notes.push_back(choice.why);
  }
  if (auto convergence = convergence_of(scene))
    out.notes.push_back(std::move(*convergence));
  auto parts = std::make_shared<PreparedParts>();
  parts->population = populate(scene);
  for (std::uint32_t w = 1; w < scene.worlds; ++w)
    parts->others.push_back(start_of(scene, scene.seed + w));
  parts->dynamics = dynamics_of(scene);
  if (scene.soil)
    parts->soil = std::make_shared<const SoilStacks>(scene, settled_tile(scene));
  // Distance fields are not baked on a device, so that all devices have the same.
  parts->bodies = bodies_of(scene, Drive(scene).batch(0, 1).motions, *make_cpu_executor(0));
  out.warnings = warnings_of(scene, parts->population);
  out.notes.insert(out.notes.end(), parts->bodies.notes.begin(), parts->bodies.notes.end());
  each_mesh(scene, [&](const std::string& name, const MeshPart& mesh) {
    for (const std::string& repair : mesh.loaded->repairs)
      out.notes.push_back(fmt::format("{}: {}: {}", name, mesh.file, repair));
  });
  out.scene = std::move(scene);
  out.parts = std::move(parts);
  return out;
}

Model::Model(Prepared prepared, const Options& options)
    : scene_(std::move(prepared.scene)), options_(options), dynamics_(prepared.parts->dynamics),
      bodies_(prepared.parts->bodies), population_(prepared.parts->population),
      initial_most_(population_.initial.size()), emitted_most_(population_.scheduled.size()),
      soil_stacks_(prepared.parts->soil), warnings_(std::move(prepared.warnings)), notes_(std::move(prepared.notes)) {
  for (const WorldStart& start : prepared.parts->others) {
    initial_most_ = std::max(initial_most_, start.initial.size());
    emitted_most_ = std::max(emitted_most_, start.emitted->size());
  }
  if (scene_.soil) {
    ground_bodies_ = bodies_on_surface(scene_);
    soil_site_ = site_of(scene_, soil_stacks_->grid(), bodies_.bodies);
  }
  settings_ = settings_with(population_);
  cloth_ = cloth_of(scene_, population_, settings_);
  shapes_ = shapes_of(scene_, population_);
  lay_out_shapes();
  // A grain at rest has some 9 neighbours within the Verlet skin; the rest is what rows waste beside a slice's longest
  // list.
  const std::size_t grains =
      own_slots() ? settings_.worlds.places : population_.initial.size() + population_.scheduled.size();
  const std::size_t slots = options_.contact_slots ? options_.contact_slots : std::max<std::size_t>(1024, 16 * grains);
  set_contact_capacity(static_cast<uint>((slots + slice_grains - 1) / slice_grains), 0);
}

// Behind the parts of bodies, what contacts need of shapes and of cloth.
void Model::lay_out_shapes() {
  settings_.shapes.words = static_cast<uint>(bodies_.shape_data.size());
  bodies_.shape_data.insert(bodies_.shape_data.end(), shapes_.shape_of.begin(), shapes_.shape_of.end());
  settings_.cloth.words = static_cast<uint>(bodies_.shape_data.size());
  bodies_.shape_data.insert(bodies_.shape_data.end(), cloth_.words.begin(), cloth_.words.end());
}

bool Model::is_dynamic(std::uint32_t body) const {
  return body < bodies_of_all() && talus::is_dynamic(spec_of(body));
}

std::size_t Model::soil_columns() const {
  return has_soil() ? soil_stacks_->grid().size() : 0;
}

std::size_t Model::emission_room(const Settings& of) const {
  if (scene_.emitters.empty())
    return 0;
  return scene_.soil ? emitted_most_ : of.worlds.places - of.emission.first;
}

Features Model::features() const {
  Features features{.solid_kinds = 0,
                    .shapes = settings_.shapes.count > 0,
                    .cloth = settings_.cloth.vertices > 0,
                    .rigid = settings_.bodies.rigid > 0,
                    .worlds = many_worlds(),
                    .periodic = 0,
                    .rotation = settings_.solver.rotation,
                    .restitution = settings_.contacts.restitution,
                    .clumps = settings_.clumps.kinds > 0,
                    .sleep = settings_.sleep.window > 0,
                    .hertz = settings_.solver.hertz};
  for (int a = 0; a < 3; ++a)
    features.periodic |= settings_.domain.axis[a] == axis_periodic ? 1u << a : 0u;
  for (const SolidPart& part : bodies_.parts)
    features.solid_kinds |= 1u << (part.kind & solid_kind_mask);
  if (std::ranges::any_of(bodies_.bodies, [](const Body& body) { return body.parts > 1; }))
    features.solid_kinds |= 1u << solid_composed;
  return features;
}

std::string Model::name_of_grain(std::uint32_t world, uint grain) const {
  if (scene_.worlds > 1)
    return fmt::format("{} of world {}", name_in_world(grain), world);
  return name_in_world(grain);
}
std::string Model::name_in_world(uint grain) const {
  if (grain >= body_partner)
    return "body " + scene_.bodies[grain - body_partner].name;
  if (!is_vertex(grain))
    return fmt::format("grain {}", grain);
  const uint vertex = grain - settings_.cloth.first;
  const auto place = std::ranges::upper_bound(population_.cloths, vertex, {}, &ClothPlace::first) - 1;
  return fmt::format("vertex {} of cloth {}", vertex - place->first, scene_.cloths[place->cloth].name);
}

void Model::check_worlds(std::span<const std::uint32_t> which) const {
  for (const std::uint32_t world : which)
    if (world >= scene_.worlds)
      throw std::invalid_argument(fmt::format("there is no world {}: the simulation has {}", world, scene_.worlds));
}

Settings Model::settings_with(const Population& population) const {
  Settings settings = settings_of(scene_, population, dynamics_, options_.grid_cells);
  give_slots(settings);
  return settings;
}

// An incremental rebuild needs the table of cells of the last rebuild, and of several worlds each has one only while it
// rebuilds. Where each world has its own slots, the grains that all have alike come after those of the fullest world,
// and emitted grains last.
void Model::give_slots(Settings& to) const {
  if (!many_worlds() && !scene_.soil)
    return;
  if (scene_.upsampling)
    throw SceneError(fmt::format("{}: {}", scene_.upsampling->where.empty() ? scene_.source : scene_.upsampling->where,
                                 say(limitation_of(Capability::worlds, Capability::upsampling))));
  const std::size_t most = initial_most_, emitted = emitted_most_ + (scene_.soil ? soil_room_least : 0);
  const std::size_t groups = std::max<std::size_t>((most + emitted + group_size - 1) / group_size, 1),
                    places = groups * group_size;
  if (places >= triangle_partner / (scene_.worlds + options_.shelves))
    throw SceneError(fmt::format("{}: {} worlds of {} grains are more than can be numbered", scene_.source,
                                 scene_.worlds, most + emitted));
  if (scene_.bodies.size() * scene_.worlds > bodies_most)
    throw SceneError(fmt::format("{}: {} worlds of {} bodies are more than {}", scene_.source, scene_.worlds,
                                 scene_.bodies.size(), bodies_most));
  if (std::size_t{to.cloth.triangles} * scene_.worlds >= (body_partner - triangle_partner) / 4)
    throw SceneError(fmt::format("{}: {} worlds of {} triangles of cloth are more than can be numbered", scene_.source,
                                 scene_.worlds, to.cloth.triangles));
  to.worlds.places = static_cast<uint>(places);
  to.grid.incremental = many_worlds() ? 0 : to.grid.incremental;
  to.emission.first = static_cast<uint>(most);
  to.emission.place = scene_.soil ? to.worlds.places - static_cast<uint>(emitted_most_) : to.emission.first;
  to.bodies.carried_first = to.emission.first - to.bodies.carried;
  to.cloth.first = to.bodies.carried_first - to.cloth.vertices;
  to.shapes.first = to.cloth.first - to.shapes.particles;
}

Settings Model::settings_after(const Scene& changed, const Population& population) const {
  Settings next = settings_of(changed, population, dynamics_, options_.grid_cells);
  next.shapes.words = settings_.shapes.words;
  next.cloth.words = settings_.cloth.words;
  next.worlds.places = settings_.worlds.places;
  next.worlds.rows = settings_.worlds.rows;
  next.worlds.history = settings_.worlds.history;
  next.bodies.carried_first = settings_.bodies.carried_first;
  next.cloth.first = settings_.cloth.first;
  next.shapes.first = settings_.shapes.first;
  next.emission.first = own_slots() ? settings_.emission.first : next.emission.first;
  next.emission.place = own_slots() ? settings_.emission.place : next.emission.place;
  next.grid.incremental = many_worlds() ? 0 : next.grid.incremental;
  return next;
}

void Model::adopt(Scene scene, Population population, double time_zero, const Settings& settings) {
  scene_ = std::move(scene);
  population_ = std::move(population);
  time_zero_ = time_zero;
  settings_ = settings;
  shapes_ = shapes_of(scene_, population_);
  warnings_ = warnings_of(scene_, population_);
}

void Model::reshape(Bodies bodies) {
  bodies_ = std::move(bodies);
  lay_out_shapes();
  for (const std::string& note : bodies_.notes)
    add_note_once(note, "");
}

void Model::set_places(uint places) {
  settings_.worlds.places = places;
  settings_.emission.place = places - static_cast<uint>(emitted_most_);
}

void Model::set_contact_capacity(uint rows, uint history) {
  settings_.worlds.rows = rows;
  settings_.worlds.history = std::max(history, set_aside_most(rows * slice_grains));
}

void Model::add_note_once(std::string_view beginning, std::string_view rest) {
  if (std::ranges::none_of(notes_, [&](const std::string& note) { return note.starts_with(beginning); }))
    notes_.push_back(fmt::format("{}{}", beginning, rest));
}

}  // namespace talus
