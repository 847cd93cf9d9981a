#pragma once
// A simulation as its parts: each has a job, its own state, and says what holds between its calls.
#include "engine/simulation/batches.h"
#include "engine/simulation/checkpoint.h"
#include "engine/simulation/soil.h"
#include "engine/simulation/worlds.h"
#include <string>
#include <vector>

namespace talus {

// Owns the parts of a simulation and does what concerns several of them. The public API (engine/talus.h) forwards to
// it.
//
// Between calls: every part keeps its own promises. A function of the public API that throws SceneError,
// CheckpointError or std::invalid_argument has left the state alone.
//
// A part gets those before it by reference. Batches is the last one: its steps that are under way use all others.
struct Simulation::Impl {
  Model model;
  FieldMemory memory;
  RunState run;
  Commands commands;
  Emission emission;
  GrainSlots grains;
  Planner planner;
  Worlds worlds;
  Evaluation evaluation;
  Checkpoints checkpoints;
  SoilExchanges soil;
  Batches batches;

  Impl(const Prepared& prepared, const Options& options, std::unique_ptr<Executor> executor);

  void begin(std::vector<std::string> notes);  // what was chosen before there was a simulation

  Executor& executor() const { return memory.executor(); }
  Impl& idle();  // throws std::logic_error where steps are under way

  void place_body(std::uint32_t body, const Pose& at);
  void clear_space(std::uint32_t world, const std::vector<Pose>& before);
  void change(Scene to);
  std::pair<Population, std::vector<EmissionSchedule>> emission_after(const Scene& to, double zero) const;
  void adopt(Scene to, Population population, std::vector<EmissionSchedule> schedules, double zero);
  void take_over(CheckedState state);
};

}  // namespace talus
