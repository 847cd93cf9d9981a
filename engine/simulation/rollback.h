#pragma once
// The state that a simulation goes back to when a batch of steps makes it invalid.
#include "engine/simulation/commands.h"
#include "engine/simulation/grain_slots.h"

namespace talus {

// Owns the rollback snapshot: the copies `valid` of fields, and what the host knew when they were made.
//
// Between calls: the snapshot is the state at the start of the batch, with the commands that were in force before any
// that were given since the step before. A batch that goes on inside a step keeps the snapshot.
//
// Needs the model, the fields, the state of the run, commands, and the slots of grains.
class RollbackSnapshot {
public:
  RollbackSnapshot(const Model& model, FieldMemory& memory, RunState& run, Commands& commands, const GrainSlots& grains)
      : model_(model), memory_(memory), run_(run), commands_(commands), grains_(grains) {}

  void take();  // between two steps
  // Goes back, where the device halted with this status: neighbour lists are invalid, contacts have no history.
  void restore(const Status& halted);
  std::uint64_t step() const { return step_; }
  bool drops_commands() const { return drops_commands_; }  // are any that were given before this batch taken back?

private:
  std::vector<World> worlds_before() const;

  const Model& model_;
  FieldMemory& memory_;
  RunState& run_;
  Commands& commands_;
  const GrainSlots& grains_;
  std::uint64_t step_ = 0;
  Status status_{};
  std::vector<World> worlds_;
  CommandState told_;
  bool drops_commands_ = false;
};

}  // namespace talus
