#pragma once
// The passes of a step as a device records them.
#include "engine/gpu/graph.h"
#include <span>
#include <string>
#include <vector>

namespace talus {

// Of the last step that releases grains, where there is one: it has every pass.
struct StepTrace {
  int substeps = 0, iterations = 0;     // of a step
  std::vector<gpu::PassRecord> passes;  // of one substep with two iterations at most: the others are alike
};

std::string to_text(const StepTrace& trace);  // a line per pass, with the barrier before it
std::string to_dot(const StepTrace& trace);   // Graphviz: edges from who writes a field to who reads it

}  // namespace talus
