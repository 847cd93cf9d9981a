#pragma once
// What lasts from one run of the viewer to the next. A file that cannot be read or written is as none.
#include <filesystem>
#include <string>
#include <vector>

namespace viewer {

struct Remembered {
  int width = 1280, height = 720;  // of the window, points
  bool vsync = true;
  bool light = false;               // panels: dark letters on light
  std::vector<std::string> recent;  // scenes, the last one first
  std::vector<std::string> panels;  // that are open
  bool panels_shown = true;         // for now
  std::string record_file = "talus.mp4";
  std::string scene_file = "changed.toml";
  std::string inputs_file = "talus-inputs.json";
  float record_rate = 30.0f;  // frames per simulated second

  static Remembered load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;
  void opened(const std::filesystem::path& scene);
};

// $XDG_CONFIG_HOME/talus, ~/.config/talus or %APPDATA%\talus; empty where there is none.
std::filesystem::path remembered_folder();

}  // namespace viewer
