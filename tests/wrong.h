#pragma once
// Scenes that are wrong: what is said, and where.
#include "engine/scene/scene.h"
#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace talus_tests {

// What a SceneError of act() says.
std::string error_of(auto&& act) {
  try {
    act();
  } catch (const talus::SceneError& error) {
    return error.what();
  }
  return "no error";
}

// A scene's text in which @ stands where the message must point to.
struct Marked {
  explicit Marked(const std::string& marked) {
    const std::size_t mark = marked.find('@');
    const std::string before = marked.substr(0, mark);
    text = before + marked.substr(mark + 1);
    line = fmt::format("s.toml:{}:", std::ranges::count(before, '\n') + 1);
    place = fmt::format("{}{}: ", line, before.size() - (before.rfind('\n') + 1) + 1);  // npos + 1 is 0
    error = error_of([&] { talus::parse_scene(text, "s.toml"); });
  }

  std::string text;         // without the mark
  std::string line, place;  // as messages must start, with the column too
  std::string error;
};

}  // namespace talus_tests
