#pragma once
// Depth cameras as the passes see them, and where their images lie.
#include "engine/core/fields.h"
#include "engine/scene/scene.h"

namespace talus {

// Their images follow each other, each in all worlds.
std::vector<DepthCamera> depth_cameras_of(const Scene& scene);

// Of a camera's images in all worlds; of those of all cameras.
std::size_t pixels_of(const DepthCamera& camera, const Scene& scene);
std::size_t depth_pixels(const Scene& scene);

}  // namespace talus
