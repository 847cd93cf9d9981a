#pragma once
// The options that the live viewer is started with.
#include <filesystem>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <vector>

namespace viewer {

struct ViewOptions {
  std::filesystem::path scene;         // empty: none at first
  std::vector<std::string> overrides;  // of it
  std::filesystem::path replay;        // of inputs, instead of `scene`
  std::string device = "auto";         // as in `talus devices`
  int threads = 0;                     // of the CPU path; 0: all cores
  std::optional<bool> validation;
  std::optional<glm::ivec2> size;  // of the window, points; unset: as it was last
  bool paused = false;             // at the start
  bool welcome = false;            // without `scene`, on the first start: one that is built in
  std::filesystem::path
      scenes;  // folder that the browser lists first; empty: that of `scene`, or without one ./scenes, or .
  std::filesystem::path program;     // `talus`, which draws the browser's pictures; empty: it goes without new ones
  std::filesystem::path previews;    // folder of those pictures; empty: in the user's cache
  std::filesystem::path shaders;     // whose sources are watched; empty: those that this was built from
  std::filesystem::path remembered;  // folder of what lasts from one run to the next; empty: nothing does
};

}  // namespace viewer
