#pragma once
// The passes of a step as the scene has them planned. None is run, and no device is needed.
#include "engine/core/executor.h"
#include "engine/scene/scene.h"
#include <vector>

namespace talus {

struct PlannedPass {
  Pass pass;
  double runs;      // of a step
  double elements;  // threads or workgroups (PassInfo::unit) of all these runs
};

// passes: each once, in the order in which a step runs them first, without those that the CPU alone has.
struct PlannedStep {
  Features features;
  std::vector<PlannedPass> passes;
};

// The last step that releases grains, where there is one: it has every pass. Whether a gate is open is not known before
// a step runs. gate_grains, gate_emission and those of fine grains that move count as open, every other gate (lists
// that are built anew or incrementally, fine grains that are sorted) as open in one of the step's substeps. Throws
// SceneError.
PlannedStep planned_step(const Scene& scene);

// Every pass that has a shader, those that no step runs too, for a scene that has everything. Runs and elements are 0.
PlannedStep every_pass();

}  // namespace talus
