#pragma once
// Plans of the steps to come.
#include "engine/core/step.h"
#include "engine/simulation/commands.h"
#include "engine/simulation/grain_slots.h"

namespace talus {

// Owns nothing: a plan follows from the parts that it is made of, and changes when they do.
//
// Between calls: plan_of(at) is right for steps at >= RunState::step(), as far as no command comes in between.
//
// Needs the model, the state of the run, the hand, the slots of grains and the emission schedule.
class Planner {
public:
  Planner(const Model& model, const RunState& run, const Commands& commands, const Emission& emission,
          const GrainSlots& grains)
      : model_(model), run_(run), commands_(commands), emission_(emission), grains_(grains) {}

  StepPlan plan_of(std::uint64_t at) const;  // for the step that begins after `at` steps
  StepPlan now() const { return plan_of(run_.step()); }

private:
  const Model& model_;
  const RunState& run_;
  const Commands& commands_;
  const Emission& emission_;
  const GrainSlots& grains_;
};

}  // namespace talus
