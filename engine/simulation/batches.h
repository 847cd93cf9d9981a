#pragma once
// How steps are submitted: in batches, and in slices of them where somebody watches.
#include "engine/simulation/evaluation.h"
#include "engine/simulation/load_history.h"
#include "engine/simulation/pace.h"
#include "engine/simulation/rollback.h"
#include "engine/simulation/soil.h"
#include <functional>
#include <future>

namespace talus {

// Owns the batch of steps that is under way, the rollback snapshot of its start, and the loads of its steps.
//
// Between calls:
// - Nothing is under way, or start() has sent a batch that finish() has not taken over. Only then may `work_` use the
//   other parts, and nobody else changes them.
// - When nothing is under way, all steps that were done are in the state of the run, and none of it is invalid.
// - How steps are grouped into batches and slices changes no bit.
//
// Needs the model, the fields, the state of the run, commands and emission (what they plan for the steps of a batch),
// the slots of grains, plans, the evaluation at the end of steps that are watched, and the exchange of soil before the
// first step of a batch.
class Batches {
public:
  Batches(const Model& model, FieldMemory& memory, RunState& run, Commands& commands, Emission& emission,
          GrainSlots& grains, const Planner& planner, Evaluation& evaluation, SoilExchanges& soil);

  bool under_way() const { return work_.valid(); }
  std::uint64_t planned_step() const { return run_.step() + started_; }  // after the steps that are under way
  const std::vector<BodyLoad>& loads() const { return loads_.all(); }

  // As Simulation has them.
  void advance(std::uint64_t steps, const std::function<bool()>& goes_on);
  void start(std::uint64_t steps, bool evaluate_contacts);
  bool ready();
  void finish();

private:
  // The part of a batch that the device does not have yet.
  struct Rest {
    std::uint64_t step = 0, end = 0;  // [step, end)
    std::uint32_t substep = 0;        // substeps that the device has of the first step
    bool posed = false;               // bodies are left where they are to be drawn
    bool contacts_evaluated = false;  // contact forces are evaluated at the end
    bool strides = false;             // the device has strides to take, which may not get it to the end
  };

  void aim(std::uint64_t steps);
  void go_on(const std::function<bool()>& asked = {});
  void begin(std::uint64_t steps, bool live);
  void hand_over(std::uint64_t substeps);
  void end_batch();
  std::uint64_t steps_until_exchange() const;
  std::uint64_t steps_alike() const;
  bool strides_suit(const StepPlan& plan) const;
  void hand_over_strides(const StepPlan& plan, std::uint64_t substeps);
  void take_kept();
  void complete_strides(std::uint64_t steps);
  void complete();
  void finish_steps(std::uint64_t steps);
  void grow(const Status& status);
  uint first_invalid(uint slot);
  [[noreturn]] void give_up(const Status& status);

  const Model& model_;
  FieldMemory& memory_;
  RunState& run_;
  Commands& commands_;
  Emission& emission_;
  GrainSlots& grains_;
  const Planner& planner_;
  Evaluation& evaluation_;
  SoilExchanges& soil_;
  RollbackSnapshot snapshot_;
  LoadHistory loads_;
  SliceLength slice_;
  StrideLength stride_;
  std::uint64_t batch_ = 1;    // the next batch has so many steps
  std::uint64_t end_ = 0;      // step at which what was asked for ends
  std::uint64_t started_ = 0;  // steps that are under way
  bool evaluating_ = false;    // are contact forces evaluated at their end?
  Rest rest_;
  // Records the steps that are under way, or computes them on the CPU path. It is the last member, since it uses all
  // others until it is destroyed.
  std::future<void> work_;
};

}  // namespace talus
