// Simulations: made, stepped, asked and changed.
#include "engine/c/border.h"
#include "engine/core/passes.h"
#include <limits>

namespace talus::c {
namespace {

Options options_of(const talus_options* given_options) {
  Options options;
  if (!given_options)
    return options;
  const talus_options o = taken(given_options, "options");
  if (o.threads < 0)
    refuse("options.threads is below 0");
  if (!(o.slice >= 0.0 && o.slice <= std::numeric_limits<double>::max()))
    refuse("options.slice must be finite and not below 0");
  if (o.validation > TALUS_VALIDATION_OFF)
    refuse("options.validation is none of TALUS_VALIDATION_*");
  if (o.lanes != 0 && o.lanes != 4 && o.lanes != 8 && o.lanes != 16)
    refuse("options.lanes is none of 0, 4, 8 and 16");
  if (o.reserved != 0)
    refuse("options.reserved must be 0");
  if (o.device)
    options.device = o.device;
  options.threads = o.threads;
  options.verify = o.verify != 0;
  if (o.validation != TALUS_VALIDATION_ENVIRONMENT)
    options.validation = o.validation == TALUS_VALIDATION_ON;
  options.timing = o.no_timing == 0;
  if (o.lanes != 0)
    options.lanes = static_cast<int>(o.lanes);
  if (o.slice > 0.0)
    options.slice = o.slice;
  options.grid_cells = o.grid_cells;
  options.contact_slots = o.contact_slots;
  options.shelves = o.shelves;
  return options;
}

// description: a Scene, or Prepared.
template <class Description> talus_simulation* new_simulation(const Description& description, const Options& options) {
  std::unique_lock lock(loading_vulkan(), std::defer_lock);
  if (options.device != "cpu")
    lock.lock();
  Simulation simulation(description, options);
  DeviceSummary device = simulation.device();
  return new_handle<talus_simulation>(std::move(simulation), std::move(device));
}

// More are a negative number by mistake; and a step beyond them has no exact time.
std::uint64_t checked_steps(std::uint64_t steps) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  if (steps > most)
    refuse(std::to_string(steps) + " steps are too many: at most 2^53 at a time");
  return steps;
}

const std::vector<std::string>& messages_of(const Use& simulation, std::uint32_t kind) {
  if (kind != TALUS_MESSAGE_WARNING && kind != TALUS_MESSAGE_NOTE)
    refuse("there is no kind " + std::to_string(kind) + " of messages: see TALUS_MESSAGE_*");
  return kind == TALUS_MESSAGE_WARNING ? simulation->warnings() : simulation->notes();
}

talus_measure measure_from(const Measure& m) {
  talus_measure out{};
  out.grains = m.grains;
  out.contacts_max = m.contacts_max;
  out.contacts_mean = m.contacts_mean;
  out.penetration_mean = m.penetration_mean;
  out.penetration_max = m.penetration_max;
  out.kinetic_energy = m.kinetic_energy;
  vector_to(m.momentum, out.momentum);
  out.speed_max = m.speed_max;
  out.height = m.height;
  return out;
}

}  // namespace
}  // namespace talus::c

using namespace talus::c;

talus_result talus_simulation_create(const talus_scene* scene, const talus_options* options,
                                     talus_simulation** simulation) {
  return guarded([&] {
    given(simulation, "simulation");
    *simulation = new_simulation(object_of(scene)->scene, options_of(options));
  });
}

talus_result talus_simulation_create_prepared(const talus_prepared* prepared, const talus_options* options,
                                              talus_simulation** simulation) {
  return guarded([&] {
    given(simulation, "simulation");
    *simulation = new_simulation(object_of(prepared)->prepared, options_of(options));
  });
}

talus_result talus_simulation_free(talus_simulation* simulation) {
  return guarded([&] {
    if (!simulation)
      return;
    Use(simulation, true);  // fails where another thread uses it
    free_handle(simulation);
  });
}

talus_result talus_advance(talus_simulation* simulation, uint64_t steps) {
  return guarded([&] { Use(simulation)->advance(checked_steps(steps)); });
}

talus_result talus_start(talus_simulation* simulation, uint64_t steps, uint32_t evaluate_contacts) {
  return guarded([&] { Use(simulation)->start(checked_steps(steps), evaluate_contacts != 0); });
}

talus_result talus_ready(talus_simulation* simulation, uint32_t* ready) {
  return guarded([&] { given(ready, "ready") = Use(simulation, true)->ready() ? 1 : 0; });
}

talus_result talus_finish(talus_simulation* simulation) {
  return guarded([&] {
    const Use used(simulation, true);
    if (!used->under_way())
      throw Failure(TALUS_ERROR_SEQUENCE, "no steps are under way: talus_start() begins them");
    used->finish();
  });
}

talus_result talus_under_way(talus_simulation* simulation, uint32_t* under_way) {
  return guarded([&] { given(under_way, "under_way") = Use(simulation, true)->under_way() ? 1 : 0; });
}

talus_result talus_change(talus_simulation* simulation, const talus_scene* changed) {
  return guarded([&] { Use(simulation)->change(object_of(changed)->scene); });
}

talus_result talus_simulation_scene(talus_simulation* simulation, talus_scene** scene) {
  return guarded([&] {
    given(scene, "scene");
    *scene = new_handle<talus_scene>(Use(simulation)->scene());
  });
}

talus_result talus_simulation_device(talus_simulation* simulation, talus_device_info* info) {
  return guarded([&] {
    const Use used(simulation);
    const talus::DeviceSummary& device = used.handle().device;
    const talus::gpu::Device* gpu = used->gpu_device();
    talus_device_info out{};
    out.index = gpu ? gpu->info().index : TALUS_NO_INDEX;
    out.name = device.name.c_str();
    out.driver = device.driver.c_str();
    out.api_version = device.api_version.c_str();
    out.type = device.type.c_str();
    out.missing = "";
    out.memory_bytes = gpu ? gpu->info().memory_bytes : 0;
    hand_out(out, info, "info");
  });
}

talus_result talus_message_count(talus_simulation* simulation, uint32_t kind, uint64_t* count) {
  return guarded([&] { given(count, "count") = messages_of(Use(simulation), kind).size(); });
}

talus_result talus_message(talus_simulation* simulation, uint32_t kind, uint64_t index, const char** text) {
  return guarded([&] {
    given(text, "text");
    const Use used(simulation);
    const std::vector<std::string>& messages = messages_of(used, kind);
    check_index(index, messages.size(), "message");
    *text = messages[index].c_str();
  });
}

talus_result talus_get_counts(talus_simulation* simulation, talus_counts* counts) {
  return guarded([&] {
    const Use used(simulation);
    const talus::Scene& scene = used->scene();
    const auto of_all = [&](const auto& parts) { return static_cast<uint32_t>(used->worlds() * parts.size()); };
    talus_counts out{};
    out.worlds = used->worlds();
    out.step = used->step();
    out.grains = used->grain_count();
    out.grains_emitted = used->grains_born();
    out.fine_grains = used->fine_count();
    out.bodies = of_all(scene.bodies);
    out.shapes = of_all(scene.shapes);
    out.cloths = of_all(scene.cloths);
    out.memory_bytes = used->memory_bytes();
    out.rebuilds = used->rebuilds();
    out.incremental_rebuilds = used->incremental_rebuilds();
    out.cfl_violations = used->cfl_violations();
    out.cloth_uncounted = used->cloth_uncounted();
    hand_out(out, counts, "counts");
  });
}

talus_result talus_time(talus_simulation* simulation, uint32_t world, double* seconds) {
  return guarded([&] { given(seconds, "seconds") = Use(simulation)->time(world); });
}

talus_result talus_measure_state(talus_simulation* simulation, uint32_t world, talus_measure* measure) {
  return guarded([&] {
    const Use used(simulation);
    hand_out(measure_from(world == TALUS_ALL_WORLDS ? used->measure() : used->measure(world)), measure, "measure");
  });
}

talus_result talus_state_hash(talus_simulation* simulation, uint32_t world, uint64_t* hash) {
  return guarded([&] {
    given(hash, "hash");
    const Use used(simulation);
    *hash = world == TALUS_ALL_WORLDS ? used->state_hash() : used->state_hash(world);
  });
}

talus_result talus_sink_counts(talus_simulation* simulation, uint32_t* taken, uint64_t capacity, uint64_t* count) {
  return guarded([&] {
    const std::vector<uint32_t> counts = Use(simulation)->sink_counts();
    if (has_room(taken, capacity, counts.size(), count))
      std::ranges::copy(counts, taken);
  });
}

talus_result talus_emitter_counts(talus_simulation* simulation, talus_emitter_count* counts, uint64_t capacity,
                                  uint64_t* count) {
  return guarded([&] {
    const std::vector<talus::EmitterCounts> there = Use(simulation)->emitter_counts();
    if (has_room(counts, capacity, there.size(), count))
      std::ranges::transform(there, counts, [](const talus::EmitterCounts& c) {
        return talus_emitter_count{c.born, c.waiting, c.given_up};
      });
  });
}

talus_result talus_periodic_crossings(talus_simulation* simulation, uint32_t crossings[6]) {
  return guarded([&] {
    given(crossings, "crossings");
    for (const talus::SeamCrossings& axis : Use(simulation)->periodic_crossings()) {
      *crossings++ = axis.up;
      *crossings++ = axis.down;
    }
  });
}

talus_result talus_pass_times(talus_simulation* simulation, talus_pass_time* times, uint64_t capacity,
                              uint64_t* count) {
  return guarded([&] {
    const std::vector<talus::PassTime> there = Use(simulation)->pass_times();  // in the order of the table
    if (!has_room(times, capacity, there.size(), count))
      return;
    for (std::size_t p = 0; p < there.size(); ++p)
      times[p] = {talus::pass_infos.at(p).name.data(), there[p].calls, there[p].ms};
  });
}

talus_result talus_reset_worlds(talus_simulation* simulation, const uint32_t* worlds, uint64_t count,
                                const uint64_t* seeds) {
  return guarded([&] {
    if (count > 0)
      given(worlds, "worlds");
    Use(simulation)->reset_worlds({worlds, count}, {seeds, seeds ? count : 0});
  });
}

talus_result talus_fork_world(talus_simulation* simulation, uint32_t from, const uint32_t* to, uint64_t count) {
  return guarded([&] {
    if (count > 0)
      given(to, "to");
    Use(simulation)->fork_world(from, {to, count});
  });
}

talus_result talus_save_world(talus_simulation* simulation, uint32_t world, uint32_t shelf) {
  return guarded([&] { Use(simulation)->save_world(world, shelf); });
}

talus_result talus_restore_world(talus_simulation* simulation, uint32_t shelf, const uint32_t* worlds, uint64_t count) {
  return guarded([&] {
    if (count > 0)
      given(worlds, "worlds");
    Use(simulation)->restore_world(shelf, {worlds, count});
  });
}
