#pragma once
// Fine grains in the shapes that the coarse ones fill.
#include "engine/scene/sampling.h"

namespace talus {

// Fills Population::fine and fine_first, where the scene has them; all else is there already. group_first: of
// scene.grains[i], the first in population.initial; one more. Throws SceneError where there are too many.
void sample_fine(const Scene& scene, const std::vector<std::size_t>& group_first, const Space::Blocked& blocked,
                 Population& population);

// Fills Population::fine_first alone, by Population::poured.
void count_fine_emitted(const Scene& scene, Population& population);

}  // namespace talus
