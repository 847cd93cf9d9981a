#pragma once
// How far what a run tells is from that of stiff contacts, by the mean overlap of its grains at rest.
#include "engine/scene/scene.h"
#include <optional>
#include <string>

namespace talus {

// Shares by which dem's figures differ from those at an overlap of 0.001 radii.
struct Convergence {
  double force = 0.0;    // by which the force of grains on a blade is too low
  double run_out = 0.0;  // by which a collapsing column runs out too far
};

// By mean overlap at rest [radii], interpolated in the table of measured scenes (convergence.cpp), and constant beyond
// its ends.
Convergence convergence_at(double overlap);

// One sentence for the user with the overlap that the scene has with its substeps; nothing where contacts are not those
// of dem, or the force is within 5 %. Of a scene with solver.substeps = 0: with those that choose_substeps() finds.
std::optional<std::string> convergence_of(const Scene& scene);

}  // namespace talus
