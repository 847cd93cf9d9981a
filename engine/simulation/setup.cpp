#include "engine/depth_cameras.h"
#include "engine/gpu_executor.h"
#include "engine/scene/meshes.h"
#include "engine/scene/precision.h"
#include "engine/simulation/impl.h"
#include "shaders/shared/grid.h"
#include <algorithm>

namespace talus {

std::unique_ptr<Executor> make_executor(const Scene& scene, Options options) {
  if (scene.solver.iteration == Iteration::gauss_seidel) {
    if (options.verify || (options.device != "auto" && options.device != "cpu"))
      throw DeviceError("iteration gauss_seidel goes through the contacts one after another, on the CPU only: use "
                        "--device cpu");
    options.device = "cpu";
  }
  if (options.device == "auto" && !options.on && !options.verify)
    options.device = real_gpu().value_or("cpu");
  const CpuPasses passes = options.wide ? CpuPasses::fastest : CpuPasses::narrow;
  auto executor = options.device == "cpu" ? make_cpu_executor(options.threads, passes) : make_gpu_executor(options);
  return options.verify ? make_lockstep_executor(std::move(executor), options.threads) : std::move(executor);
}

std::vector<std::string> warnings_of(const Scene& scene, const Population& population) {
  std::vector<std::string> warnings = population.warnings;
  for (std::string& advice : advise(scene))
    warnings.push_back(std::move(advice));
  return warnings;
}

Prepared prepare(Scene scene) {
  Prepared out;
  check_spacing(scene);
  if (scene.solver.substeps == 0) {
    const SubstepChoice choice = choose_substeps(scene);
    scene.solver.substeps = choice.substeps;
    out.notes.push_back(choice.why);
  }
  auto parts = std::make_shared<PreparedParts>();
  parts->population = populate(scene);
  for (std::uint32_t w = 1; w < scene.worlds; ++w)
    parts->others.push_back(start_of(scene, scene.seed + w));
  parts->dynamics = dynamics_of(scene);
  // Not on a device, so that all have the same fields, too.
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

Simulation::Impl::Impl(Prepared prepared, const Options& options_in, std::unique_ptr<Executor> executor_in)
    : scene(std::move(prepared.scene)), options(options_in), drive(scene), dynamics(prepared.parts->dynamics),
      bodies(prepared.parts->bodies), population(prepared.parts->population), starts(1, start_of(population)),
      warnings(std::move(prepared.warnings)), notes(std::move(prepared.notes)), executor(std::move(executor_in)),
      on_device(executor->gpu_device() != nullptr) {
  initial = static_cast<std::uint32_t>(population.initial.size());
  starts.insert(starts.end(), prepared.parts->others.begin(), prepared.parts->others.end());
  for (const WorldStart& start : starts)
    pours.push_back(start.poured);
  settings = settings_of(scene, population, dynamics, options.grid_cells);
  set_places(settings);
  cloth = cloth_of(scene, population, settings);
  settings.cloth_words = static_cast<uint>(bodies.shape_data.size());
  bodies.shape_data.insert(bodies.shape_data.end(), cloth.words.begin(), cloth.words.end());
  Features features{.solid_kinds = 0,
                    .shapes = settings.shapes > 0,
                    .cloth = settings.cloth > 0,
                    .rigid = settings.rigid > 0,
                    .worlds = own_places(),
                    .periodic = 0};
  for (int a = 0; a < 3; ++a)
    features.periodic |= settings.axis[a] == axis_periodic ? 1u << a : 0u;
  for (const SolidPart& part : bodies.parts)
    features.solid_kinds |= 1u << (part.kind & solid_kind_mask);
  if (std::ranges::any_of(bodies.bodies, [](const Body& body) { return body.parts > 1; }))
    features.solid_kinds |= 1u << solid_composed;
  executor->specialize(features);
  // Some 9 neighbours at rest within the margin, and the rows that a slice's longest list wastes.
  const std::size_t grains = own_places() ? settings.places : population.initial.size() + population.poured.size();
  const std::size_t slots = options.contact_slots ? options.contact_slots : std::max<std::size_t>(1024, 16 * grains);
  settings.rows = static_cast<uint>((slots + slice_grains - 1) / slice_grains);
  // Of 16 slots of a grain in a heap at rest, some 6 remember something.
  settings.stash = static_cast<uint>(slots * 3 / 8);
  size_fields();
  fill_fields();
}

bool Simulation::Impl::wants_field(FieldId id, const Settings& of) const {
  const Wants wants{scene.solver, (of.options & option_mend) != 0, options.marks};
  const auto& conditions = info(id).conditions;
  return !conditions.front() || std::ranges::any_of(conditions, [&](Condition holds) { return holds && holds(wants); });
}

// Elements of a field, in all worlds.
std::size_t Simulation::Impl::elements_of(FieldId id, const Settings& settings, const Population& population) const {
  const Extent extent = info(id).extent;
  if (!wants_field(id, settings))
    return 0;
  if (extent == Extent::lines || extent == Extent::shelves)
    return executor->size(id);
  return elements_of(extent, settings, population) * (of_each_world(extent) ? scene.worlds : 1);
}

// The number of elements of an extent, in one world where each world has as many.
std::size_t Simulation::Impl::elements_of(Extent extent, const Settings& settings, const Population& population) const {
  const std::size_t worlds = scene.worlds;
  const std::size_t slots = std::size_t{settings.rows} * slice_grains;
  const std::size_t grains =
      settings.places != no_grain ? settings.places : population.initial.size() + population.poured.size();
  const std::size_t cells = grid_cells(settings.grid_bits);
  const std::size_t slices = (grains + slice_grains - 1) / slice_grains;
  const std::size_t fine = has_fine(population) ? population.fine.size() + population.fine_first.back() : 0;
  const std::size_t materials = scene.materials.size();
  switch (extent) {
  case Extent::one:
    return 1;
  case Extent::worlds:
    return 1;
  case Extent::world_steps:
    return worlds * (batch_most() + 1);
  case Extent::gates:
    return gates_total;
  case Extent::pairs:
    return (materials + 1) * (materials + 1);
  case Extent::births:
    return settings.places != no_grain ? births_room(settings) : population.poured.size();
  case Extent::pours:
    return worlds * scene.emitters.size() * (batch_most() + 1);
  case Extent::emitters:
    return scene.emitters.size();
  case Extent::world_emitters:
    return scene.emitters.size();
  case Extent::spots: {
    std::size_t spots = 0;
    for (const std::vector<glm::vec3>& of_emitter : population.spots)
      spots += of_emitter.size();
    return spots;
  }
  case Extent::births_and_end:
    return fine > 0 ? population.fine_first.size() : 0;
  case Extent::sinks:
    return scene.sinks.size();
  case Extent::sink_counts:
    return scene.sinks.size();
  case Extent::bodies:
    return bodies.bodies.size();
  case Extent::body_motions:
    return worlds * bodies.bodies.size() * (batch_most() + 1);
  case Extent::body_sums:
    return (bodies.bodies.size() * load_copies + settings.cloth) * load_words;
  case Extent::solid_parts:
    return bodies.parts.size();
  case Extent::shape_data:
    return bodies.shape_data.size();
  case Extent::carried:
    return population.skin.size();
  case Extent::shapes:
    return scene.shapes.size();
  case Extent::shaped:
    return population.shaped.size();
  case Extent::world_shapes:
    return scene.shapes.size();
  case Extent::world_shaped:
    return population.shaped.size();
  case Extent::cloth_vertices:
    return cloth.vertices.size();
  case Extent::cloth_links:
    return cloth.links.size();
  case Extent::cloth_touches:
    return settings.cloth > 0 ? slots : 0;
  case Extent::body_cells:
    return cells * body_words(settings.bodies);
  case Extent::rigid:
    return dynamics.rigid.size();
  case Extent::rigid_pairs:
    return dynamics.ignores.size();
  case Extent::body_points:
    return dynamics.points.size();
  case Extent::point_contacts:
    return dynamics.points.size() * point_partners;
  case Extent::taken_cells:
    return settings.bodies > 0 ? cells : 0;
  case Extent::held:
    return hand.held.size();
  case Extent::grains:
    return grains;
  case Extent::cells:
    return cells;
  case Extent::cells_and_end:
    return worlds * cells + 1;
  case Extent::slices:
    return slices;
  case Extent::slices_and_end:
    return slices + 1;
  case Extent::fine:
    return fine;
  case Extent::near_grains:
    return fine > 0 ? std::max(fine, grains) : 0;
  case Extent::near_cells:
    return fine > 0 ? grid_cells(settings.near_bits) : 0;
  case Extent::near_cells_and_end:
    return fine > 0 ? grid_cells(settings.near_bits) + 1 : 0;
  case Extent::crowd_nodes:
    return fine > 0 ? grid_cells(settings.crowd_bits) * crowd_block : 0;
  case Extent::crowd_blocks:
    return fine > 0 ? grid_cells(settings.crowd_bits) : 0;
  case Extent::chunks:
    return scan_chunks;
  case Extent::depth_cameras:
    return scene.depth_cameras.size();
  case Extent::depth_pixels:
    return depth_pixels(scene);
  case Extent::slots:
  case Extent::slots_of_3:
  case Extent::slots_of_4:
    return slots * slot_components(extent);
  case Extent::stash:
    return worlds * settings.stash;
  case Extent::carriers:
    return fine > 0 ? grains : 0;
  case Extent::lines:  // as has been asked for
  case Extent::shelves:
  case Extent::baked:
    return 0;
  }
  return 0;
}

// Those that have their size already keep what is in them.
void Simulation::Impl::size_fields() {
  for (std::size_t f = 0; f < field_count; ++f) {
    const auto id = static_cast<FieldId>(f);
    const std::size_t wanted = elements_of(id, settings, population), before = executor->size(id);
    if (wanted == before)
      continue;
    executor->resize(id, wanted);
    if (info(id).follows != Follows::nothing && wanted > before)
      start_anew(id, before, wanted - before);
  }
}

// What the passes read of the scene's settings and births.
void Simulation::Impl::write_settings() {
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    write_births(w);
  const Spouts spouts = spouts_of(scene, population);
  write_field(*executor, FieldId::spouts, spouts.spouts);
  write_field(*executor, FieldId::spots, spouts.spots);
  write_field(*executor, FieldId::settings, std::vector{settings});
  write_field(*executor, FieldId::pair_laws, pair_laws_of(scene));
  fine_first = has_fine(population) ? population.fine_first : std::vector<uint>{};
  write_field(*executor, FieldId::fine_first, fine_first);
}

void Simulation::Impl::fill_fields() {
  write_settings();
  Status status{};
  // Of each world the same.
  const auto put_all = [&]<class T>(FieldId id, const std::vector<T>& of_world) {
    std::vector<T> all;
    for (std::uint32_t w = 0; w < scene.worlds; ++w)
      all.insert(all.end(), of_world.begin(), of_world.end());
    write_field(*executor, id, all);
  };
  put_all(FieldId::bodies, bodies.bodies);
  put_all(FieldId::rigid, dynamics.rigid);
  put_all(FieldId::body_ignores, dynamics.ignores);
  std::vector<BodyPoint> points;
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    for (BodyPoint point : dynamics.points) {
      point.body += w * settings.bodies;
      points.push_back(point);
    }
  write_field(*executor, FieldId::body_points, points);
  write_field(*executor, FieldId::sinks, bodies.sinks);
  write_field(*executor, FieldId::solid_parts, bodies.parts);
  write_field(*executor, FieldId::shape_data, bodies.shape_data);
  std::vector<Carried> carried;
  for (const SkinGrain& grain : population.skin)
    carried.push_back({vec3(grain.place), grain.body});
  write_field(*executor, FieldId::carried, carried);
  const Shapes shapes = shapes_of(scene, population);
  write_field(*executor, FieldId::shapes, shapes.shapes);
  write_field(*executor, FieldId::shaped, shapes.shaped);
  write_field(*executor, FieldId::cloth_vertices, cloth.vertices);
  write_field(*executor, FieldId::cloth_links, cloth.links);
  write_field(*executor, FieldId::depth_cameras, depth_cameras_of(scene));
  if (has_fine(population)) {
    const FineGrains grains_now = fine_grains_of(population);
    fine_initial = static_cast<std::uint32_t>(grains_now.tags.size());
    write_field(*executor, FieldId::fine_grains, grains_now.grains);
    write_field(*executor, FieldId::fine_tag, grains_now.tags);
    status.fine_drift = lists_void;
  }
  write_status(status);
  known = status;
  known_worlds.resize(scene.worlds);
  grains_of.resize(scene.worlds);
  shelves.resize(options.shelves);
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    fill_world(w, starts[w]);
}

}  // namespace talus
