#include "viewer/live/remembered.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace viewer {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Remembered Remembered::load(const fs::path& file) {
  Remembered r;
  try {
    std::ifstream in(file);
    const Json json = Json::parse(in);
    r.width = std::clamp(json.value("width", r.width), 320, 16384);
    r.height = std::clamp(json.value("height", r.height), 240, 16384);
    r.vsync = json.value("vsync", r.vsync);
    r.light = json.value("light", r.light);
    r.recent = json.value("recent", r.recent);
    r.panels = json.value("panels", r.panels);
    r.record_file = json.value("record_file", r.record_file);
    r.scene_file = json.value("scene_file", r.scene_file);
    r.inputs_file = json.value("inputs_file", r.inputs_file);
    r.record_rate = std::clamp(json.value("record_rate", r.record_rate), 1.0f, 240.0f);
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return r;
}

void Remembered::save(const fs::path& file) const {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const Json json{{"width", width},
                  {"height", height},
                  {"vsync", vsync},
                  {"light", light},
                  {"recent", recent},
                  {"panels", panels},
                  {"record_file", record_file},
                  {"scene_file", scene_file},
                  {"inputs_file", inputs_file},
                  {"record_rate", record_rate}};
  try {
    talus::write_file(file, json.dump(2) + '\n');
  } catch (const talus::ExportError&) {
    // The window then opens next time as it did this time.
  }
}

void Remembered::opened(const fs::path& scene) {
  constexpr std::size_t most = 10;
  std::error_code error;
  const std::string name = fs::absolute(scene, error).string();
  std::erase(recent, name);
  recent.insert(recent.begin(), name);
  recent.resize(std::min(recent.size(), most));
}

fs::path remembered_folder() {
  const auto folder = [](const char* variable, const char* below) {
    const char* value = std::getenv(variable);
    return value && *value ? fs::path(value) / below / "talus" : fs::path();
  };
#ifdef _WIN32
  return folder("APPDATA", "");
#else
  const fs::path own = folder("XDG_CONFIG_HOME", "");
  return own.empty() ? folder("HOME", ".config") : own;
#endif
}

}  // namespace viewer
