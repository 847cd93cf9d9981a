#pragma once
// Scenes with fine grains: those of Sommer and Schwanecke's table 1.
#include "engine/talus.h"
#include <string>
#include <vector>

namespace bench {

std::vector<std::string> fine_scenes();
// quick: an eighth of the grains at the start, and some of those that are poured.
talus::Scene fine_scene(const std::string& name, bool quick);
double in_motion(const talus::Scene& scene);  // s, when all has been poured, or a moment after the start

// Whether a pass is one of fine grains.
bool is_fine(const std::string& pass);

}  // namespace bench
