#pragma once
// Do dynamic bodies have room where they start?
#include "engine/scene/scene.h"

namespace talus {

// One sentence for each that reaches into a wall or another body, told by its contact points.
std::vector<std::string> overlaps_at_start(const Scene& scene);

}  // namespace talus
