#pragma once
// When emitters release which grains.
#include "engine/motion/drives.h"
#include "engine/simulation/field_memory.h"
#include "engine/simulation/run_state.h"
#include "engine/talus.h"
#include <span>

namespace talus {

// Owns the emission schedule of each world.
//
// Between calls:
// - A schedule is sorted by step, and its steps are those of its world, which may have started later than the run.
// - The field `emitted` has the grains of all schedules, emitter after emitter, with ids from Settings::emitted_first
// on.
//
// Needs the model, the fields, how many grains each world has released (RunState::worlds), and when each world started
// (Drives::local).
class Emission {
public:
  // With empty schedules: Worlds fills in those of each world.
  Emission(const Model& model, FieldMemory& memory, const RunState& run, const Drives& drives);

  const std::vector<EmissionSchedule>& schedules() const { return schedules_; }
  // Grains of a world, spheres of clumps among them, that have been released after `at` steps of the run, if all found room when they were due.
  std::uint32_t emitted_until(std::uint64_t at, std::uint32_t world = 0) const;
  bool emits_in(std::uint64_t at) const;  // may a grain of any world be released in this step?
  std::vector<EmitterCounts> counts() const;

  void set_schedule(std::uint32_t world, const EmissionSchedule& schedule);
  // Sets the schedules of all worlds anew. That is needed, too, where settings have changed that a grain's weight
  // depends on.
  void set_schedules(std::vector<EmissionSchedule> schedules);
  void write_plan(std::uint64_t steps);  // who is due in the next steps, into the field `emissions_due`

private:
  void write(std::uint32_t world);
  EmissionDue due_in(std::uint64_t at, std::uint32_t world, std::uint32_t emitter) const;

  const Model& model_;
  FieldMemory& memory_;
  const RunState& run_;
  const Drives& drives_;
  std::vector<EmissionSchedule> schedules_;
  std::vector<std::vector<std::vector<std::uint64_t>>> due_;  // [world][emitter]: steps of its grains, sorted
};

}  // namespace talus
