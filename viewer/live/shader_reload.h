#pragma once
// Puts edited shaders to use while the window is open.
#include "viewer/live/gui.h"
#include "viewer/live/session.h"
#include "viewer/live/shader_watch.h"
#include "viewer/renderer.h"
#include <optional>

namespace viewer {

// Owns the watch on the sources.
//
// Between calls: every pass and everything that is drawn uses the last shader that compiled and fitted.
//
// Needs the folder of the sources; with each call what uses the shaders.
class ShaderReload {
public:
  explicit ShaderReload(std::filesystem::path folder) : watch_(std::move(folder)) {}

  struct Users {
    talus::OpenDevice& device;
    std::optional<talus::Renderer>& renderer;  // is exchanged for another one where a draw shader is
    Gui& gui;
    const talus::Scene& scene;      // that is shown
    talus::Simulation* simulation;  // null: there is none, or its steps are under way
    talus::View view;
    int width, height;  // of the window, pixels
  };
  struct Outcome {
    std::string told;      // what became of each shader that was edited; empty where there was none
    bool redrawn = false;  // the renderer is another one, with the state of `simulation` where there was one
  };
  Outcome go_on(const Users& users);

private:
  bool reload(const ShaderWatch::Compiled& shader, const Users& users);
  void reload_drawing(const ShaderWatch::Compiled& shader, const Users& users);

  ShaderWatch watch_;
};

}  // namespace viewer
