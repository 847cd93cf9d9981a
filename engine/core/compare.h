#pragma once
// Variants of the step that exist to be compared with it, both of Millard et al. 2023: neighbours in linked lists of
// cells (`neighbours = "linked"`, section II-B), and dem without contact lists (Solver::detection, section II-D). Their
// passes are in shaders/compare and engine/reference/compare.cpp.
#include "engine/core/executor.h"
#include "engine/scene/scene.h"

namespace talus::compare {

// The pass that runs in place of one of the step's: that pass itself, unless a variant has its own.
Pass in_place_of(Pass pass, const Solver& solver);

// Where neighbours are in linked lists: links grains to their cells and returns true. Else they have to be sorted.
bool link_grains(Executor& executor, const Solver& solver, const Args& args);

// Does a substep find and solve its contacts in one pass?
bool without_lists(const Solver& solver);

}  // namespace talus::compare
