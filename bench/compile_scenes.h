#pragma once
// The scenes whose passes talus-bench compile looks at.
#include "engine/simulation/planned_step.h"
#include <string>
#include <vector>

namespace bench {

// The scenes that are named as a method are the boxes of the suite passes, with so many grains.
inline constexpr unsigned compiled_box_grains = 10'000;

// One of each kind that passes are specialised for, as small as its kind allows: only its kind counts, and its number
// of grains for the order of its passes.
struct CompiledScene {
  std::string name, what;
};
const std::vector<CompiledScene>& common_scenes();

// name: a common scene, a scene of the folder scenes/, a file NAME.toml, or "every" (all passes there are, compiled for
// a scene that has everything). Throws UsageError where it is none of these.
talus::PlannedStep planned_step_of(const std::string& name);

}  // namespace bench
