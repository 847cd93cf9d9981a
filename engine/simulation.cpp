#include "engine/cloth_state.h"
#include "engine/drive.h"
#include "engine/gpu_executor.h"
#include "engine/io/cache.h"
#include "engine/io/checkpoint.h"
#include "engine/scene/text.h"
#include "engine/setup.h"
#include "engine/step.h"
#include "shaders/shared/grid.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace talus {
namespace {

// Steps of one submission: as many as fill this time, so that waiting costs little and nothing stands still for long.
constexpr double batch_seconds = 0.05;
constexpr std::uint64_t batch_steps_max = 256;

// In a checkpoint, beside the fields; older ones have none.
const std::string commands_name = "body_commands";

std::unique_ptr<Executor> make_executor(const Scene& scene, Options options) {
  if (scene.solver.iteration == Iteration::gauss_seidel) {
    if (options.verify || (options.device != "auto" && options.device != "cpu"))
      throw DeviceError("iteration gauss_seidel goes through the contacts one after another, on the CPU only: use "
                        "--device cpu");
    options.device = "cpu";
  }
  if (options.verify) {
    if (options.device == "cpu")
      throw DeviceError(
          "--verify compares a Vulkan device with the CPU path, so --device cpu leaves nothing to compare");
    return make_lockstep_executor(options);
  }
  if (options.device == "auto" && !options.on)
    options.device = real_gpu().value_or("cpu");
  if (options.device == "cpu")
    return make_cpu_executor(options.threads);
  return make_gpu_executor(options);
}

// Calls visit(name, mesh) for each mesh of a scene.
void each_mesh(const Scene& scene, auto&& visit) {
  const auto among = [&](const std::string& name, const std::vector<BodyPart>& parts) {
    for (const BodyPart& part : parts)
      if (const auto* mesh = std::get_if<MeshPart>(&part.shape))
        visit(name, *mesh);
  };
  for (const BodySpec& body : scene.bodies)
    among("body " + body.name, body.parts);
  for (const ClothSpec& cloth : scene.cloths)
    if (const auto* mesh = std::get_if<MeshPart>(&cloth.sheet))
      visit("cloth " + cloth.name, *mesh);
  for (const SinkSpec& sink : scene.sinks)
    among("sink " + sink.name, sink.parts);
  const auto filled = [&](std::string_view table, const auto& sources) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (const auto* solid = std::get_if<SolidFill>(&sources[i].shape))
        among(fmt::format("{}.{}", table, i), solid->parts);
  };
  filled("grains", scene.grains);
  for (const ShapeSpec& shape : scene.shapes)
    if (const auto* solid = std::get_if<SolidFill>(&shape.grains.shape))
      among("shape " + shape.name, solid->parts);
  filled("emitter", scene.emitters);
}

// What a resumed run must share with the one that was saved: everything but the names, the end and the looks.
std::string physics_of(Scene scene) {
  scene.title.clear();
  scene.end = 0.0;
  scene.camera = {};
  scene.output = {};
  for (Material& material : scene.materials)
    material.color = {};
  for (BodySpec& body : scene.bodies) {
    body.color.reset();
    body.show = {};
  }
  std::string text = to_toml(scene);
  each_mesh(scene, [&](const std::string& name, const MeshPart& mesh) {
    text += fmt::format("# {} {:016x}\n", name, checksum(mesh.loaded->mesh));
  });
  return text;
}

}  // namespace

struct Simulation::Impl {
  Scene scene;
  Options options;
  Drive drive;
  Drive::Batch motions;  // of the bodies in the steps of this batch
  Settings settings{};
  Dynamics dynamics;
  Bodies bodies;
  Cloth cloth;
  std::vector<ClothPlace> sheets;          // one per Scene::cloths
  std::vector<Birth> births;               // sorted by step
  std::vector<std::uint64_t> birth_steps;  // first step that the birth takes part in
  std::vector<uint> fine_first;            // as Population::fine_first; empty: no fine grains
  std::uint32_t fine_initial = 0;          // fine grains at the start
  std::uint32_t initial = 0;               // grains at the start
  std::vector<std::string> warnings, notes;
  std::unique_ptr<Executor> executor;
  std::uint64_t step = 0;
  std::uint32_t substep = 0;     // done of the current step, where a batch was halted
  std::uint64_t valid_step = 0;  // that the _valid fields hold
  Drive::Commands valid_commands;
  Status known{};               // as after the last batch
  Status valid_status{};        // as valid_step
  std::uint64_t batch = 1;      // steps of the next submission
  std::vector<BodyLoad> loads;  // of body b in step loads_step + s: s bodies + b
  std::uint64_t loads_step = 0;

  Impl(Scene scene_in, const Options& options_in, std::unique_ptr<Executor> executor_in)
      : scene(std::move(scene_in)), options(options_in), drive(scene), motions(drive.batch(0, 1)),
        executor(std::move(executor_in)) {
    if (scene.solver.substeps == 0) {
      const SubstepChoice choice = choose_substeps(scene);
      scene.solver.substeps = choice.substeps;
      notes.push_back(choice.why);
    }
    const Population population = populate(scene);
    initial = static_cast<std::uint32_t>(population.initial.size());
    warnings = population.warnings;
    for (std::string& advice : advise(scene))
      warnings.push_back(std::move(advice));
    dynamics = dynamics_of(scene);
    settings = settings_of(scene, population, dynamics, options.grid_cells);
    bodies = bodies_of(scene, motions.motions, *executor);
    cloth = cloth_of(scene, population, settings);
    sheets = population.cloths;
    settings.cloth_words = static_cast<uint>(bodies.shape_data.size());
    bodies.shape_data.insert(bodies.shape_data.end(), cloth.words.begin(), cloth.words.end());
    notes.insert(notes.end(), bodies.notes.begin(), bodies.notes.end());
    each_mesh(scene, [&](const std::string& name, const MeshPart& mesh) {
      for (const std::string& repair : mesh.loaded->repairs)
        notes.push_back(fmt::format("{}: {}: {}", name, mesh.file, repair));
    });
    Features features{
        .solid_kinds = 0, .shapes = settings.shapes > 0, .cloth = settings.cloth > 0, .rigid = settings.rigid > 0};
    for (const SolidPart& part : bodies.parts)
      features.solid_kinds |= 1u << (part.kind & solid_kind_mask);
    if (std::ranges::any_of(bodies.bodies, [](const Body& body) { return body.parts > 1; }))
      features.solid_kinds |= 1u << solid_composed;
    executor->specialize(features);
    allocate(population);
  }

  void allocate(const Population& population) {
    const std::size_t grains = population.initial.size() + population.poured.size();
    const std::size_t cells = grid_cells(settings.grid_bits);
    const std::size_t slices = (grains + slice_grains - 1) / slice_grains;
    const std::size_t fine = has_fine(population) ? population.fine.size() + population.fine_first.back() : 0;
    const std::size_t materials = scene.materials.size();
    // Some 9 neighbours at rest within the margin, and the rows that a slice's longest list wastes.
    const std::size_t slots = options.contact_slots ? options.contact_slots : std::max<std::size_t>(1024, 16 * grains);
    for (std::size_t f = 0; f < field_count; ++f) {
      const auto count = [&](Extent extent) -> std::size_t {
        if (!uses(scene.solver, static_cast<FieldId>(f)))
          return 0;
        switch (extent) {
        case Extent::one:
          return 1;
        case Extent::gates:
          return gates_total;
        case Extent::pairs:
          return (materials + 1) * (materials + 1);
        case Extent::births:
          return population.poured.size();
        case Extent::births_and_end:
          return fine > 0 ? population.fine_first.size() : 0;
        case Extent::sinks:
          return scene.sinks.size();
        case Extent::bodies:
          return bodies.bodies.size();
        case Extent::body_motions:
          return bodies.bodies.size() * batch_steps_max;
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
        case Extent::grains:
          return uses(scene.solver, static_cast<FieldId>(f)) ? grains : 0;
        case Extent::cells:
          return cells;
        case Extent::cells_and_end:
          return cells + 1;
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
        case Extent::slots:
          return slots;
        case Extent::baked:
          return 0;
        }
        return 0;
      };
      executor->resize(static_cast<FieldId>(f), count(field_infos[f].extent));
    }

    std::vector<Grain> state;
    std::vector<uint> ids, tags;
    Status status{};
    status.halt_grain = ~0u;
    status.slots_capacity = static_cast<uint>(slots);
    status.travel = lists_void;
    for (const Seed& seed : population.initial) {
      ids.push_back(static_cast<uint>(state.size()));
      tags.push_back(seed.material);
      state.push_back(grain_of(scene, seed));
      status.speed = std::max(status.speed, glm::length(seed.velocity));
    }
    for (const TimedSeed& timed : population.poured) {
      births.push_back({grain_of(scene, timed.seed), static_cast<uint>(initial + births.size()), timed.seed.material});
      birth_steps.push_back(timed.step);
    }
    write_field(*executor, FieldId::settings, std::vector{settings});
    write_field(*executor, FieldId::pair_laws, pair_laws_of(scene));
    write_field(*executor, FieldId::births, births);
    write_field(*executor, FieldId::bodies, bodies.bodies);
    write_field(*executor, FieldId::rigid, dynamics.rigid);
    write_field(*executor, FieldId::rigid_states, dynamics.states);
    write_field(*executor, FieldId::rigid_commands, dynamics.commands);
    write_field(*executor, FieldId::body_ignores, dynamics.ignores);
    write_field(*executor, FieldId::body_points, dynamics.points);
    forget_point_contacts();
    write_field(*executor, FieldId::sinks, bodies.sinks);
    write_field(*executor, FieldId::solid_parts, bodies.parts);
    write_field(*executor, FieldId::shape_data, bodies.shape_data);
    std::vector<Carried> carried;
    for (const SkinGrain& grain : population.skin)
      carried.push_back({vec3(grain.place), grain.body});
    write_field(*executor, FieldId::carried, carried);
    const Shapes shapes = shapes_of(scene, population);
    write_field(*executor, FieldId::shapes, shapes.shapes);
    write_field(*executor, FieldId::shape_motions, shapes.motions);
    write_field(*executor, FieldId::shaped, shapes.shaped);
    write_field(*executor, FieldId::cloth_vertices, cloth.vertices);
    write_field(*executor, FieldId::cloth_links, cloth.links);
    if (fine > 0) {
      const FineGrains grains_now = fine_grains_of(population);
      fine_initial = static_cast<std::uint32_t>(grains_now.tags.size());
      fine_first = population.fine_first;
      write_field(*executor, FieldId::fine_grains, grains_now.grains);
      write_field(*executor, FieldId::fine_tag, grains_now.tags);
      write_field(*executor, FieldId::fine_first, fine_first);
      status.fine_drift = lists_void;
    }
    status.cloth_half = longest_side(population) / 2.0f;
    write_status(status);
    known = status;
    write_field(*executor, FieldId::grains, state);
    write_field(*executor, FieldId::grain_id, ids);
    write_field(*executor, FieldId::grain_tag, tags);
  }

  std::uint32_t births_until(std::uint64_t at) const {  // that have taken part in step `at`
    return static_cast<std::uint32_t>(std::ranges::upper_bound(birth_steps, at) - birth_steps.begin());
  }
  std::uint32_t born_at(std::uint64_t at) const { return initial + births_until(at); }
  // Places in memory that grains have or had.
  std::uint32_t places_at(std::uint64_t at) const { return born_at(at) - known.freed; }

  // The same of fine grains.
  std::uint32_t fine_born_at(std::uint64_t at) const {
    return fine_first.empty() ? 0 : fine_initial + fine_first[births_until(at)];
  }
  std::uint32_t fine_places_at(std::uint64_t at) const { return fine_born_at(at) - known.fine_freed; }

  StepPlan plan_of(std::uint64_t at) const {
    StepPlan plan{};
    plan.first_birth = births_until(at);
    plan.grains = places_at(at);
    plan.births = births_until(at + 1) - plan.first_birth;
    plan.solver = scene.solver;
    plan.h = static_cast<float>(substep_of(scene));
    plan.bodies = settings.bodies;
    plan.sinks = settings.sinks;
    plan.shapes = settings.shapes;
    plan.cloth = settings.cloth;
    plan.fine = fine_places_at(at);
    plan.fine_first = fine_born_at(at) - fine_initial;
    plan.fine_births = fine_born_at(at + 1) - fine_born_at(at);
    plan.crowding = (settings.options & option_plain_advection) == 0;
    plan.carried = settings.carried;
    plan.rigid = settings.rigid;
    plan.body_points = settings.body_points;
    plan.step = static_cast<std::uint32_t>(at - step);
    plan.body_speed = plan.step < motions.speeds.size() ? motions.speeds[plan.step] : 0.0f;  // 0: only described
    return plan;
  }

  // How the bodies move in the next steps, for plans of them.
  void write_motions(std::uint64_t steps) {
    if (scene.bodies.empty())
      return;
    motions = drive.batch(step, steps);
    write_field(*executor, FieldId::body_motions, motions.motions);
  }

  // Steps leave the bodies where they stood at the start of the last substep.
  void place_bodies() {
    if (scene.bodies.empty())
      return;
    write_motions(1);
    move_bodies(*executor, plan_of(step));
    executor->finish();
  }

  void forget_point_contacts() {
    write_field(*executor, FieldId::point_contacts,
                std::vector<PointContact>(dynamics.points.size() * point_partners, {no_partner, vec3(0.0f)}));
  }

  Status read_status() { return read_field<Status>(*executor, FieldId::status, 1)[0]; }
  void write_status(const Status& status) { write_field(*executor, FieldId::status, std::vector{status}); }

  static constexpr std::array<std::pair<FieldId, FieldId>, 9> snapshot{
      {{FieldId::grains, FieldId::grains_valid},
       {FieldId::fine_grains, FieldId::fine_grains_valid},
       {FieldId::fine_tag, FieldId::fine_tag_valid},
       {FieldId::grain_id, FieldId::grain_id_valid},
       {FieldId::grain_tag, FieldId::grain_tag_valid},
       {FieldId::sink_counts, FieldId::sink_counts_valid},
       {FieldId::body_load, FieldId::body_load_valid},
       {FieldId::rigid_states, FieldId::rigid_states_valid},
       {FieldId::shape_motions, FieldId::shape_motions_valid}}};

  void advance(std::uint64_t steps) {
    const std::uint64_t end = step + steps;
    loads.clear();
    loads_step = step;
    while (step < end) {
      const auto begin = std::chrono::steady_clock::now();
      const std::uint64_t count = std::min(batch, end - step);
      if (substep == 0) {
        free_places();
        for (const auto& [field, valid] : snapshot)
          executor->copy(field, valid);
        valid_step = step;
        valid_status = known;
        valid_commands = drive.commands();
      }
      write_motions(count);
      for (std::uint64_t s = step; s < step + count; ++s)
        talus::step(*executor, plan_of(s), s == step ? substep : 0);
      executor->finish();
      const Status status = known = read_status();
      add_loads(status.step - static_cast<uint>(step));
      if (status.halt == halt_invalid)
        fall_back(status);
      if (status.halt == halt_slots)
        grow(status);
      else
        finish_steps(count), substep = 0;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      batch = seconds < 0.5 * batch_seconds   ? std::min(2 * batch, batch_steps_max)
              : seconds > 2.0 * batch_seconds ? std::max<std::uint64_t>(batch / 2, 1)
                                              : batch;
    }
  }

  // Where many grains are gone, the others move up, in their order, so that the places are not gone through for ever.
  // When that happens does not matter: void lists are made anew from any places in this order, and fine grains may lie
  // in any order.
  static bool many(std::uint32_t empty, std::uint32_t places) {
    constexpr std::uint32_t least = 1024, share = 4;
    return empty >= least && share * empty >= places;
  }
  void free_places() {
    const std::uint32_t places = places_at(step), fine_places = fine_places_at(step);
    const bool coarse = many(known.gone - known.freed, places),
               fine = many(known.fine_gone - known.fine_freed, fine_places);
    if (!coarse && !fine)
      return;
    Status status = read_status();
    if (coarse && status.travel >= lists_void) {
      move_up(FieldId::grains, places, {FieldId::grain_id, FieldId::grain_tag, FieldId::grain_row});
      status.freed = status.gone;
    }
    if (fine) {
      move_up(FieldId::fine_grains, fine_places, {FieldId::fine_tag});
      status.fine_freed = status.fine_gone;
    }
    write_status(status);
    known = status;
  }

  // Of a field of grains and those of uint that go with it.
  void move_up(FieldId grain_field, std::uint32_t places, std::initializer_list<FieldId> with) {
    const auto grains = read_field<Grain>(*executor, grain_field, places);
    const auto keep = [&]<class T>(FieldId field, std::vector<T> data) {
      std::size_t to = 0;
      for (std::size_t i = 0; i < places; ++i)
        if (grains[i].position.w > 0.0f)
          data[to++] = data[i];
      data.resize(to);
      write_field(*executor, field, data);
    };
    for (const FieldId field : with)
      keep(field, read_field<uint>(*executor, field, places));
    keep(grain_field, grains);
  }

  void finish_steps(std::uint64_t count) {
    drive.advance(count);
    step += count;
  }

  // Loads of the batch's first steps join those of advance().
  void add_loads(std::uint32_t steps) {
    if (scene.bodies.empty())
      return;
    const auto fresh = read_field<BodyLoad>(*executor, FieldId::body_loads, steps * scene.bodies.size());
    loads.insert(loads.end(), fresh.begin(), fresh.end());
    const std::size_t most = load_steps_most * scene.bodies.size();
    if (loads.size() > most) {
      loads_step += (loads.size() - most) / scene.bodies.size();
      loads.erase(loads.begin(), loads.end() - static_cast<std::ptrdiff_t>(most));
    }
  }

  void resize_slots(std::size_t slots) {
    for (std::size_t f = 0; f < field_count; ++f)
      if (const auto id = static_cast<FieldId>(f); field_infos[f].extent == Extent::slots && uses(scene.solver, id))
        executor->resize(id, slots);
    if (settings.cloth > 0)
      executor->resize(FieldId::cloth_touches, slots);
  }

  // The device stopped in substep status.substep of step status.step for want of contact slots, before anything moved.
  // Goes on from there with more of them. Exchanges of grains and grains_next recorded after that need no undoing:
  // grid_commit has just made the two equal.
  void grow(Status status) {
    finish_steps(status.step - static_cast<uint>(step));
    substep = status.substep;
    status.halt = halt_none;
    write_status(status);
    const std::size_t slots = status.slots + status.slots / 4;
    try {
      resize_slots(slots);
    } catch (const ResourceError& e) {
      throw ResourceError(fmt::format("step {}: {} contact slots are needed, {} are there, and more do not fit: {}",
                                      step, status.slots, status.slots_capacity, e.what()));
    }
    status.slots_capacity = static_cast<uint>(slots);
    write_status(status);
  }

  // What Status::halt_grain stands for.
  std::string name_of(uint grain) const {
    if (grain >= body_partner)
      return "body " + scene.bodies[grain - body_partner].name;
    if (!is_vertex(grain))
      return fmt::format("grain {}", grain);
    const uint vertex = grain - settings.cloth_first;
    const auto place = std::ranges::upper_bound(sheets, vertex, {}, &ClothPlace::first) - 1;
    return fmt::format("vertex {} of cloth {}", vertex - place->first, scene.cloths[place->cloth].name);
  }

  [[noreturn]] void fall_back(Status status) {
    const std::uint64_t bad_step = step + (status.step - static_cast<uint>(step));
    const uint grain = status.halt_grain;
    for (const auto& [field, valid] : snapshot)
      executor->copy(valid, field);
    // What contacts remember is of a later state, and what they did to bodies.
    write_field(*executor, FieldId::body_sums, std::vector<uint>(executor->size(FieldId::body_sums), 0u));
    loads.resize((valid_step - std::min(valid_step, loads_step)) * scene.bodies.size());
    write_field(*executor, FieldId::contact_count, std::vector<uint>(executor->size(FieldId::contact_count), 0u));
    forget_point_contacts();
    step = valid_step;
    drive.set(valid_commands);
    substep = 0;
    status.halt = halt_none;
    status.halt_grain = ~0u;
    status.step = static_cast<uint>(step);
    status.substep = 0;
    status.speed2_bits = status.shift_bits = status.cloth_half_bits = 0;
    status.speed = 0.0f;
    status.gone = status.gone_before = valid_status.gone;
    status.fine_gone = valid_status.fine_gone;
    status.fine_time = valid_status.fine_time;
    status.fine_travel = valid_status.fine_travel;
    status.fine_drift = lists_void;
    status.seam_up = valid_status.seam_up;
    status.seam_down = valid_status.seam_down;
    known = status;
    for (const Grain& grain : read_field<Grain>(*executor, FieldId::grains, places_at(step)))
      status.speed = std::max(status.speed, glm::length(vec3(grain.velocity)));
    status.travel = lists_void;
    write_status(status);
    executor->finish();
    throw StateError(fmt::format(
        "{} has no finite position and velocity any more in step {} ({:.6g} s); the state is that of step {} again",
        name_of(grain), bad_step, static_cast<double>(bad_step) * scene.dt, step));
  }

  std::vector<RigidState> rigid_states() const {
    return read_field<RigidState>(*executor, FieldId::rigid_states, dynamics.states.size());
  }
  std::vector<ShapeMotion> shape_motions() const {
    return read_field<ShapeMotion>(*executor, FieldId::shape_motions, scene.shapes.size());
  }
  bool is_dynamic(std::uint32_t body) const {
    return body < scene.bodies.size() && talus::is_dynamic(scene.bodies[body]);
  }
  RigidState rigid_state(std::uint32_t body) const {
    std::vector<RigidState> state(1);
    executor->read(FieldId::rigid_states, std::as_writable_bytes(std::span(state)), body * sizeof(RigidState));
    return state[0];
  }
  const Joint* dynamic_joint(std::uint32_t body) const {
    const Joint* joint = is_dynamic(body) ? std::get_if<Joint>(&scene.bodies[body].motion) : nullptr;
    return joint && joint->type != JointType::ball ? joint : nullptr;
  }
  // Commands to a dynamic body: change(command).
  void command(std::uint32_t body, auto&& change) {
    std::vector<RigidCommand> one(1);
    executor->read(FieldId::rigid_commands, std::as_writable_bytes(std::span(one)), body * sizeof(RigidCommand));
    change(one[0]);
    executor->write(FieldId::rigid_commands, std::as_bytes(std::span(one)), body * sizeof(RigidCommand));
  }

  std::uint32_t alive() const { return born_at(step) - known.gone; }  // and vertices of cloth
  bool is_vertex(uint id) const { return id - settings.cloth_first < settings.cloth; }

  std::uint32_t fine_alive() const { return fine_born_at(step) - known.fine_gone; }

  // The fine grains that are there, by number; `material` is that, `id` their number.
  std::vector<GrainState> read_fine() {
    const std::uint32_t places = fine_places_at(step);
    const auto grains = read_field<Grain>(*executor, FieldId::fine_grains, places);
    const auto tags = read_field<uint>(*executor, FieldId::fine_tag, places);
    std::vector<GrainState> fine;
    fine.reserve(places);
    for (std::uint32_t i = 0; i < places; ++i)
      if (grains[i].position.w > 0.0f)
        fine.push_back({tags[i] >> fine_tag_shift, vec3(grains[i].position), vec3(grains[i].velocity),
                        grains[i].position.w, tags[i] & tag_material_mask, 0});
    std::ranges::sort(fine, {}, &GrainState::id);
    return fine;
  }

  // The grains as they lie in memory, and the way by id through those that are there: equal states read so are equal,
  // whatever the order.
  struct State {
    std::vector<Grain> grains;
    std::vector<uint> ids, tags;
    std::vector<std::uint32_t> by_id;
  };
  State read_state() {
    const std::uint32_t places = places_at(step);
    State s{read_field<Grain>(*executor, FieldId::grains, places),
            read_field<uint>(*executor, FieldId::grain_id, places),
            read_field<uint>(*executor, FieldId::grain_tag, places),
            {}};
    for (std::uint32_t i = 0; i < places; ++i)
      if (s.grains[i].position.w > 0.0f)
        s.by_id.push_back(i);
    std::ranges::sort(s.by_id, {}, [&](std::uint32_t i) { return s.ids[i]; });
    return s;
  }
};

Simulation::Simulation(Scene scene, const Options& options)
    : impl_(std::make_unique<Impl>(scene, options, make_executor(scene, options))) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::advance(std::uint64_t steps) {
  impl_->advance(steps);
}
const std::vector<std::string>& Simulation::warnings() const {
  return impl_->warnings;
}
const std::vector<std::string>& Simulation::notes() const {
  return impl_->notes;
}
const Scene& Simulation::scene() const {
  return impl_->scene;
}
std::uint64_t Simulation::step() const {
  return impl_->step;
}
double Simulation::time() const {
  return static_cast<double>(impl_->step) * impl_->scene.dt;
}
std::uint32_t Simulation::grain_count() const {
  return impl_->alive() - impl_->settings.cloth;
}
std::uint32_t Simulation::grain_places() const {
  return impl_->places_at(impl_->step);
}
std::uint32_t Simulation::grains_born() const {
  return impl_->born_at(impl_->step) - impl_->settings.cloth;
}
std::vector<std::uint32_t> Simulation::sink_counts() const {
  return read_field<uint>(*impl_->executor, FieldId::sink_counts, impl_->scene.sinks.size());
}
std::array<SeamCrossings, 3> Simulation::seam_crossings() const {
  const auto of = [&](int axis) -> SeamCrossings { return {impl_->known.seam_up[axis], impl_->known.seam_down[axis]}; };
  return {of(0), of(1), of(2)};
}
std::vector<PassTime> Simulation::pass_times() const {
  return impl_->executor->pass_times();
}
DeviceSummary Simulation::device() const {
  return impl_->executor->device();
}
std::uint64_t Simulation::rebuilds() const {
  return impl_->read_status().rebuilds;
}
std::uint64_t Simulation::fast() const {
  return impl_->read_status().fast;
}
std::uint64_t Simulation::cloth_uncounted() const {
  return impl_->read_status().cloth_uncounted;
}
Executor& Simulation::executor() {
  return *impl_->executor;
}
gpu::Device* Simulation::gpu_device() {
  return impl_->executor->gpu_device();
}
gpu::Buffer* Simulation::grain_buffer() {
  return impl_->executor->gpu_buffer(FieldId::grains);
}
gpu::Buffer* Simulation::tag_buffer() {
  return impl_->executor->gpu_buffer(FieldId::grain_tag);
}
gpu::Buffer* Simulation::id_buffer() {
  return impl_->executor->gpu_buffer(FieldId::grain_id);
}
std::uint32_t Simulation::fine_count() const {
  return impl_->fine_alive();
}
std::uint32_t Simulation::fine_places() const {
  return impl_->fine_places_at(impl_->step);
}
std::vector<GrainState> Simulation::fine_grains() {
  return impl_->read_fine();
}
gpu::Buffer* Simulation::fine_buffer() {
  return impl_->executor->gpu_buffer(FieldId::fine_grains);
}
gpu::Buffer* Simulation::fine_tag_buffer() {
  return impl_->executor->gpu_buffer(FieldId::fine_tag);
}
std::array<std::uint32_t, 2> Simulation::coarse_without_fine() const {
  return {impl_->settings.shaped_first, impl_->settings.births_first};
}
std::uint32_t Simulation::cloth_first() const {
  return impl_->settings.cloth_first;
}
gpu::Buffer* Simulation::shape_buffer() {
  return impl_->executor->gpu_buffer(FieldId::shape_motions);
}
gpu::Buffer* Simulation::body_buffer() {
  impl_->place_bodies();
  return impl_->executor->gpu_buffer(FieldId::bodies);
}

std::vector<BodyLoad> Simulation::body_loads() const {
  return read_field<BodyLoad>(*impl_->executor, FieldId::body_load, impl_->scene.bodies.size());
}
const std::vector<BodyLoad>& Simulation::load_history() const {
  return impl_->loads;
}

std::uint64_t Simulation::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (std::size_t f = 0; f < field_count; ++f)
    bytes += impl_->executor->size(static_cast<FieldId>(f)) * field_infos[f].stride;
  return bytes;
}

std::vector<GrainState> Simulation::grains() {
  const Impl::State s = impl_->read_state();
  std::vector<GrainState> grains;
  grains.reserve(s.by_id.size());
  for (const std::uint32_t i : s.by_id)
    if (!impl_->is_vertex(s.ids[i]))
      grains.push_back({s.ids[i], vec3(s.grains[i].position), vec3(s.grains[i].velocity), s.grains[i].position.w,
                        s.tags[i] & tag_material_mask, s.tags[i] >> tag_world_shift});
  return grains;
}

std::uint32_t Simulation::body(std::string_view name) const {
  const std::vector<BodySpec>& bodies = impl_->scene.bodies;
  const auto found = std::ranges::find(bodies, name, &BodySpec::name);
  if (found == bodies.end())
    throw std::invalid_argument(fmt::format("the scene has no body {}", name));
  return static_cast<std::uint32_t>(found - bodies.begin());
}
BodyState Simulation::body_state(std::uint32_t body) const {
  if (impl_->is_dynamic(body)) {
    const BodyMotion m = impl_->rigid_state(body).motion;
    return {{glm::dvec3(m.position), quaternion_of(m.rotation)}, {glm::dvec3(m.velocity), glm::dvec3(m.spin)}};
  }
  return impl_->drive.body_state(impl_->step, body);
}
std::uint32_t Simulation::shape(std::string_view name) const {
  const std::vector<ShapeSpec>& shapes = impl_->scene.shapes;
  const auto found = std::ranges::find(shapes, name, &ShapeSpec::name);
  if (found == shapes.end())
    throw std::invalid_argument(fmt::format("the scene has no shape {}", name));
  return static_cast<std::uint32_t>(found - shapes.begin());
}
ShapeState Simulation::shape_state(std::uint32_t shape) const {
  const ShapeMotion m = impl_->shape_motions().at(shape);
  return {{glm::dvec3(m.position), quaternion_of(m.rotation)}, glm::dvec3(m.velocity)};
}
std::uint32_t Simulation::cloth(std::string_view name) const {
  const std::vector<ClothSpec>& cloths = impl_->scene.cloths;
  const auto found = std::ranges::find(cloths, name, &ClothSpec::name);
  if (found == cloths.end())
    throw std::invalid_argument(fmt::format("the scene has no cloth {}", name));
  return static_cast<std::uint32_t>(found - cloths.begin());
}
ClothState Simulation::cloth_state(std::uint32_t cloth) const {
  const ClothPlace& place = impl_->sheets.at(cloth);
  const Impl::State s = impl_->read_state();
  const uint first = impl_->settings.cloth_first + place.first;
  auto at = std::ranges::lower_bound(s.by_id, first, {}, [&](std::uint32_t i) { return s.ids[i]; });
  std::vector<Grain> vertices;
  for (std::size_t k = 0; k < place.sheet.vertices.size(); ++k)
    vertices.push_back(s.grains[*at++]);
  return cloth_state_of(place.sheet, vertices, impl_->settings);
}
void Simulation::move_body(std::uint32_t body, const Pose& target, const BodyLimits& limits) {
  impl_->drive.move_body(impl_->step, body, target, limits);
}
void Simulation::drive_body(std::uint32_t body, const Twist& target, const BodyLimits& limits) {
  impl_->drive.drive_body(impl_->step, body, target, limits);
}
JointState Simulation::joint_state(std::uint32_t body) const {
  if (const Joint* joint = impl_->dynamic_joint(body)) {
    const RigidState state = impl_->rigid_state(body);
    const vec3 along = joint->type == JointType::revolute ? state.motion.spin : state.motion.velocity;
    const double unit = unit_of(joint->type);
    return {state.value / unit, glm::dot(along, impl_->dynamics.rigid[body].axis) / unit};
  }
  return impl_->drive.joint_state(impl_->step, body);
}
void Simulation::push_body(std::uint32_t body, const Wrench& wrench) {
  if (!impl_->is_dynamic(body))
    throw std::invalid_argument(fmt::format("body {} has no mass: nothing pushes it", body));
  const auto finite = [](const glm::dvec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
  };
  if (!finite(wrench.force) || !finite(wrench.torque))
    throw std::invalid_argument("force and torque must be finite");
  impl_->command(body, [&](RigidCommand& c) {
    c.force = vec3(wrench.force);
    c.torque = vec3(wrench.torque);
  });
}
void Simulation::move_joint(std::uint32_t body, double value) {
  impl_->drive.move_joint(impl_->step, body, value);
}
void Simulation::drive_joint(std::uint32_t body, double speed) {
  if (const Joint* joint = impl_->dynamic_joint(body)) {
    if (!joint->motor)
      throw std::invalid_argument(fmt::format("the joint of body {} has no motor", impl_->scene.bodies[body].name));
    if (!std::isfinite(speed))
      throw std::invalid_argument("the speed to reach must be finite");
    impl_->command(body, [&](RigidCommand& c) { c.motor_speed = static_cast<float>(unit_of(joint->type) * speed); });
    return;
  }
  impl_->drive.drive_joint(impl_->step, body, speed);
}

Measure Simulation::measure() {
  Impl& s = *impl_;
  Measure m;
  m.grains = s.alive() - s.settings.cloth;
  if (s.alive() == 0)
    return m;
  // At the start, and after a fall back, there are no lists of these positions yet. The next step would build the same.
  // Steps that find contacts without lists leave those of an earlier measure behind.
  const Detection detection = s.scene.solver.detection;
  bool stale = detection == Detection::one_loop || detection == Detection::two_loops;
  s.write_motions(1);
  for (Status status = s.read_status(); stale || status.travel >= lists_void;) {
    build_lists(*s.executor, s.plan_of(s.step));
    status = s.read_status();
    stale = false;
    if (status.halt == halt_slots)
      s.grow(status);
  }
  if (s.settings.bodies > 0)
    move_bodies(*s.executor, s.plan_of(s.step));
  Args args{};
  args.grains = s.places_at(s.step);
  s.executor->run(Pass::measure, {args.grains}, args);
  const auto parts = read_field<GrainMeasure>(*s.executor, FieldId::measures, args.grains);
  const Impl::State state = s.read_state();
  std::uint64_t contacts = 0;
  double penetration = 0.0;
  // By id, not in memory order: equal states have equal sums.
  for (const std::uint32_t i : state.by_id) {
    const GrainMeasure& part = parts[i];
    contacts += part.contacts;
    penetration += part.penetration_sum;
    m.contacts_max = std::max(m.contacts_max, part.contacts);
    m.penetration_max = std::max(m.penetration_max, static_cast<double>(part.penetration_max));
    m.kinetic_energy += part.kinetic_energy;
    const Grain& g = state.grains[i];
    const glm::dvec3 velocity{vec3(g.velocity)};
    if (g.velocity.w > 0.0f)
      m.momentum += velocity / static_cast<double>(g.velocity.w);
    m.speed_max = std::max(m.speed_max, glm::length(velocity));
    m.height = std::max(m.height, static_cast<double>(g.position.z) + g.position.w - s.scene.domain.min.z);
  }
  m.contacts_mean = static_cast<double>(contacts) / s.alive();
  m.penetration_mean = contacts ? penetration / static_cast<double>(contacts) : 0.0;
  return m;
}

std::uint64_t Simulation::state_hash() {
  const Impl::State s = impl_->read_state();
  std::uint64_t sum = checksum_of_nothing;
  const auto add = [&](const auto& value) { sum = checksum(std::as_bytes(std::span(&value, 1)), sum); };
  for (const std::uint32_t i : s.by_id) {
    add(s.ids[i]);
    add(s.tags[i]);
    add(s.grains[i]);
  }
  for (const GrainState& fine : impl_->read_fine()) {
    add(fine.id);
    add(fine.position);
    add(fine.velocity);
    add(fine.radius);
    add(fine.material);
  }
  for (const RigidState& state : impl_->rigid_states())
    add(state.motion);
  for (const ShapeMotion& motion : impl_->shape_motions())
    add(motion);
  for (const std::uint32_t count : sink_counts())
    add(count);
  return sum;
}

void Simulation::save(const std::filesystem::path& file) {
  Checkpoint checkpoint{physics_of(impl_->scene), impl_->step, device().name, {}};
  checkpoint.fields[commands_name] = impl_->drive.to_bytes();
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].saved) {
      const auto id = static_cast<FieldId>(f);
      auto& bytes = checkpoint.fields[std::string(field_infos[f].name)];
      bytes.resize(impl_->executor->size(id) * field_infos[f].stride);
      impl_->executor->read(id, bytes);
    }
  write_checkpoint(file, checkpoint);
}

void Simulation::resume(const std::filesystem::path& file) {
  Checkpoint checkpoint = read_checkpoint(file);
  if (checkpoint.scene_text != physics_of(impl_->scene))
    throw CheckpointError(
        fmt::format("{}: saved from a scene with other settings than {}; resume with the same scene file and the "
                    "same --set and --seed options",
                    file.string(), impl_->scene.source));
  // Everything is checked before anything is changed.
  for (std::size_t f = 0; f < field_count; ++f) {
    if (!field_infos[f].saved)
      continue;
    const auto found = checkpoint.fields.find(std::string(field_infos[f].name));
    const std::size_t stride = field_infos[f].stride;
    if (found == checkpoint.fields.end() || found->second.size() % stride != 0 ||
        (field_infos[f].extent != Extent::slots &&
         found->second.size() != impl_->executor->size(static_cast<FieldId>(f)) * stride))
      throw CheckpointError(fmt::format("{}: field {} is missing or has another size than this version's",
                                        file.string(), field_infos[f].name));
  }
  const auto commands = impl_->drive.from_bytes(checkpoint.fields[commands_name]);
  if (!commands)
    throw CheckpointError(fmt::format("{}: {} are not those of this scene", file.string(), commands_name));
  impl_->drive.set(*commands);
  for (std::size_t f = 0; f < field_count; ++f)
    if (field_infos[f].saved) {
      const auto id = static_cast<FieldId>(f);
      const auto& bytes = checkpoint.fields.at(std::string(field_infos[f].name));
      impl_->executor->resize(id, bytes.size() / field_infos[f].stride);
      impl_->executor->write(id, bytes);
    }
  impl_->resize_slots(impl_->executor->size(FieldId::contact_partner));
  impl_->step = checkpoint.step;
  impl_->known = impl_->read_status();
  impl_->substep = impl_->known.substep;
}

std::string Simulation::describe_step(bool dot) {
  Options options = impl_->options;
  if (options.device == "cpu")
    options.device = "auto";  // barriers are a device's: take any
  auto executor = std::make_unique<GpuExecutor>(options);
  GpuExecutor& gpu = *executor;
  Impl other(impl_->scene, options, std::move(executor));
  gpu.finish();
  gpu.set_trace(true);
  // The last step that releases grains, where there is one, has every pass. Its substeps are alike, and so are
  // iterations from the second on.
  StepPlan plan = other.plan_of(other.birth_steps.empty() ? 0 : other.birth_steps.back() - 1);
  const std::string heading =
      fmt::format("# a step of {} substeps with {} iterations each; shown: one substep with {}\n", plan.solver.substeps,
                  plan.solver.iterations, std::min(plan.solver.iterations, 2));
  plan.solver.substeps = 1;
  plan.solver.iterations = std::min(plan.solver.iterations, 2);
  talus::step(gpu, plan);
  return dot ? gpu.describe(true) : heading + gpu.describe(false);
}

}  // namespace talus
