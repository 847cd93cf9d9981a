#pragma once
// The tile of grains at rest that lies under a site.
#include "engine/soil/stacks.h"

namespace talus {

// Grains of the soil's material and radii, poured between periodic sides and left until they sleep, as deep as the
// highest ground. Settled on the CPU path, so that all devices have the same. Scenes with the same tile share it as
// long as the program runs. scene: with its substeps chosen. Throws SceneError as Simulation does.
SoilTile settled_tile(const Scene& scene);

}  // namespace talus
