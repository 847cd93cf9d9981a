#pragma once
#include "engine/scene/scene.h"

namespace talus {

// A scene as TOML with every setting written out, defaults too: equal scenes have equal text, and parse_scene reads it
// back.
std::string to_toml(const Scene& scene);

}  // namespace talus
