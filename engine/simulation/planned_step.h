#pragma once
// The passes of a step as the scene has them planned. None is run, and no device is needed.
#include "engine/core/executor.h"
#include "engine/scene/scene.h"
#include <vector>

namespace talus {

struct PlannedPass {
  Pass pass;
  double runs;      // of a step; 0: on request alone, as evaluate_contacts() and depth cameras run it
  double elements;  // threads or workgroups (PassInfo::unit) of all these runs; where runs is 0, of one
};

// passes: each once, in the order in which a step runs them first, without those that the CPU alone has.
struct PlannedStep {
  Features features;
  std::vector<PlannedPass> passes;
};

// The last step that releases grains, where there is one: it has every pass. Whether a gate is open is not known before
// a step runs. gate_grains and those of fine grains that move count as open in every substep, every other gate (lists
// that are built anew or incrementally, fine grains that are sorted) as open in one substep of the step. Throws
// SceneError.
PlannedStep planned_step(const Scene& scene);

// Every pass that has a shader, compiled for a scene that has everything. Their runs are 0, and their elements.
PlannedStep every_pass();

}  // namespace talus
