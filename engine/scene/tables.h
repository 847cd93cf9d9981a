#pragma once
// A scene as a program builds it: the tables and keys of a scene file (docs/scene_keys.md) as values, without a text.
//
//   const talus::SceneTable sand{{"name", {std::string("sand")}}, {"density", {1700.0}}};
//   talus::Scene scene = talus::build_scene({{"material", {talus::SceneArray{{sand}}}}});
#include "engine/scene/scene.h"

namespace talus {

struct SceneValue;
struct SceneEntry;
using SceneArray = std::vector<SceneValue>;
using SceneTable = std::vector<SceneEntry>;

struct SceneValue {
  std::variant<bool, std::int64_t, double, std::string, SceneArray, SceneTable> value;
};
struct SceneEntry {
  std::string key;
  SceneValue value;
};

// Checks it as load_scene does; name stands for the file, in whose folder meshes are looked for. Throws SceneError,
// which names the value in place of a line: "grains[0].radius must be ..".
Scene build_scene(const SceneTable& tables, const std::string& name = "scene",
                  const std::vector<std::string>& overrides = {});

// What build_scene makes the same scene of: every setting, defaults too.
SceneTable tables_of(const Scene& scene);

}  // namespace talus
