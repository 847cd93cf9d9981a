#pragma once
// Sand that an operator pours into a scene that runs.
#include "engine/scene/scene.h"

namespace viewer {

inline constexpr double pour_lasts = 0.25;  // s simulated, from when it is asked for

double pour_radius(const talus::Scene& scene);  // m, of the ball in which grains appear

// The scene with grains that fall from a ball around this place, as far as it is within the domain, from this time on
// for pour_lasts; in place of what was poured before and has not appeared yet. They are as those of the scene's first
// emitter, or of its first [[grains]]. Throws std::invalid_argument where there are none but clumps.
talus::Scene with_pour(talus::Scene scene, double time, const glm::dvec3& at);

}  // namespace viewer
