#pragma once
// Holes that an operator cuts into the bodies of a scene that runs.
#include "engine/scene/scene.h"
#include <string>

namespace viewer {

// The scene with a body from which a ball is subtracted; it is drawn as grains meet it from then on. at: m, in the
// body's frame. radius: m, above 0. Throws std::invalid_argument for a body that is not there, and where
// Simulation::change() lets no body have other holes: for a body with a mass, one of a mesh that is not closed or that
// particles stand for, one with as many parts as there may be, and in a scene with soil.
talus::Scene with_cut(talus::Scene scene, const std::string& body, const glm::dvec3& at, double radius);

}  // namespace viewer
