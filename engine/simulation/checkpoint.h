#pragma once
// Puts a simulation into a checkpoint, and takes over what it accepts from one.
#include "engine/simulation/checkpoint_file.h"
#include "engine/simulation/commands.h"
#include "engine/simulation/emission.h"

namespace talus {

// A state from a checkpoint of this scene that passes can go on from.
struct CheckedState {
  Checkpoint checkpoint;
  double time_zero = 0.0;  // s
  Population population;   // with the grains that the first world's emitters release
  std::vector<EmissionSchedule> schedules;
  std::vector<Drives::Course> courses;
  Hand hand;
};

// Owns nothing: it reads the parts that a state consists of, and changes none of them.
//
// Between calls: check(save()) is accepted, and a run that takes it over on the same device goes on with the same bits.
//
// Needs the model, the fields, the step of the run, commands and emission schedules.
class Checkpoints {
public:
  Checkpoints(const Model& model, const FieldMemory& memory, const RunState& run, const Commands& commands,
              const Emission& emission)
      : model_(model), memory_(memory), run_(run), commands_(commands), emission_(emission) {}

  Checkpoint save() const;
  // Throws CheckpointError for a state of another scene or version, and for one that leads out of a field.
  CheckedState check(Checkpoint checkpoint) const;

private:
  void read_schedules(CheckedState& state) const;
  void check_sizes(const CheckedState& state, const Settings& settings) const;
  std::optional<std::string> wrong_with(const CheckedState& state, const Settings& settings) const;

  const Model& model_;
  const FieldMemory& memory_;
  const RunState& run_;
  const Commands& commands_;
  const Emission& emission_;
};

}  // namespace talus
