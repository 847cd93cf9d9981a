#pragma once
// The settings of a scene that may change while it runs, as one list: for the panel that shows them, and for recordings
// that play them back.
#include "engine/scene/scene.h"
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace viewer {

struct Parameter {
  std::string key;    // as after --set: "material.sand.friction_static"
  std::string group;  // heading: "Solver", "Material sand"
  std::string name, unit, help;
  std::string about;               // of the key, as in docs/scene_keys.md
  double low = 0.0, high = 1.0;    // of a slider
  double least = 0.0, most = 1.0;  // that scenes may have
  enum class Scale { linear, logarithmic, whole, choice } scale = Scale::linear;
  std::vector<std::string> choices;  // choice: the value is the place in here
  std::function<double(const talus::Scene&)> get;
  std::function<void(talus::Scene&, double)> set;  // and what has to go with it
};

// Those that this scene has; which depends on its method.
std::vector<Parameter> parameters_of(const talus::Scene& scene);

// Has the setting all of these words, in any order and case, in what it is called or in what is said of it?
bool matches(const Parameter& parameter, std::string_view words);

// The scene with one of them changed. Throws std::invalid_argument where it has no parameter of that key, or not of
// this value.
talus::Scene with_parameter(talus::Scene scene, std::string_view key, double value);

}  // namespace viewer
