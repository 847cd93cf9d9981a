#pragma once
// How far a run has come, and what the device last told about it.
#include "engine/base/assert.h"
#include "engine/core/executor.h"
#include <vector>

namespace talus {

// Owns the number of steps done, and the host's copies of the fields `status` and `worlds`.
//
// Between calls:
// - substep() is 0, except where a halt interrupted step() + 1 and room for its contacts was not found.
// - The counts of grains that were emitted, that vanished and whose slots were freed are the device's.
// - The rest of the copies, such as how old neighbour lists are, is as of the last batch: passes that ran since, for a
//   measurement, may have changed it on the device.
//
// Needs the executor, whose fields `status` and `worlds` nobody else writes but passes, Worlds (copies of whole worlds)
// and a checkpoint that is taken over.
class RunState {
public:
  RunState(Executor& executor, std::uint32_t worlds) : executor_(executor), worlds_(worlds) {}

  std::uint64_t step() const { return step_; }        // steps done
  std::uint32_t substep() const { return substep_; }  // substeps done of the next step
  const Status& status() const { return status_; }
  const std::vector<World>& worlds() const { return worlds_; }

  // From the device, now.
  Status read_status() const { return read_field<Status>(executor_, FieldId::status, 1)[0]; }
  bool lists_are_invalid() const;  // in any world

  // Here and on the device.
  void set_status(const Status& status);
  void set_world(std::uint32_t world, const World& state);
  void set_worlds(std::vector<World> worlds);
  void invalidate_lists(std::uint32_t world);  // sleepers may have lost what bore them: it is disturbed as well
  void note_soil(std::uint32_t world, const WorldSoil& soil);
  void disturb(std::uint32_t world);  // contacts and gravity act on all of its sleepers in the next substep
  void invalidate_fine_lists();
  void invalidate_all_lists();
  // Here, where the device has the world's state already.
  void note_world(std::uint32_t world, const World& state) {
    TALUS_ASSERT(world < worlds_.size(), world, worlds_.size());
    worlds_[world] = state;
  }

  // Sets both fields aside at the end of a batch, and takes them over when the batch is done.
  void keep();
  const Status& take_kept();

  // Steps of the batch that had been completed when the device gave this status.
  std::uint32_t steps_until(const Status& status) const {
    const std::uint32_t steps = status.step - static_cast<uint>(step_);
    TALUS_ASSERT(steps < ~0u / 2, status.step, step_);  // never before the batch
    return steps;
  }
  void advance(std::uint64_t steps) { step_ += steps; }
  void end_batch();
  void go_on_after_halt(Status status);  // in the substep where the device halted
  void roll_back(std::uint64_t step, const Status& status);
  void read_back(std::uint64_t step);  // after the fields were replaced by those of a state after so many steps

private:
  void write_worlds() { write_field(executor_, FieldId::worlds, worlds_); }

  Executor& executor_;
  std::uint64_t step_ = 0;
  std::uint32_t substep_ = 0;
  Status status_{};
  std::vector<World> worlds_;
};

}  // namespace talus
