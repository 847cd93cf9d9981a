#pragma once
// Do dynamic bodies and cloth have room where they start?
#include "engine/scene/scene.h"

namespace talus {

// One sentence for each dynamic body that reaches into a wall or another body, told by its contact points, and for each
// cloth that reaches into a body.
std::vector<std::string> overlaps_at_start(const Scene& scene);

}  // namespace talus
