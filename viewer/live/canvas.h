#pragma once
// A window, the device that computes and draws, and everything that draws with it.
#include "viewer/live/gui.h"
#include "viewer/live/previews.h"
#include "viewer/live/view_options.h"
#include "viewer/live/window.h"
#include "viewer/renderer.h"
#include <memory>
#include <optional>

namespace viewer {

// Owns the window, the device, the renderer of the scene, the panels, and the browser's pictures.
//
// Between calls: the window stays from the start to the end. After start() the rest is there, all of it; after leave(),
// and where start() or open_again() throws, none of it.
//
// Needs the options, which name the device and the folders of what is remembered.
class Canvas {
public:
  // Opens a device and a window on it, with a size in points. Throws NoWindow.
  Canvas(const ViewOptions& options, int width, int height);

  void start(const talus::Scene& scene);  // draws this scene
  // Another device in the same window, and start(). What uses the one before must be gone.
  void open_again(const talus::Scene& scene);
  void leave();

  bool drawing() const { return device_ != nullptr; }
  Window& window() { return window_; }
  const Window& window() const { return window_; }
  const std::shared_ptr<talus::OpenDevice>& device() const { return device_; }
  std::optional<talus::Renderer>& renderer() { return renderer_; }  // may be exchanged for one on the same device
  Gui& gui() { return *gui_; }
  const Gui& gui() const { return *gui_; }
  Previews& previews() { return *previews_; }

private:
  ViewOptions options_;
  Windows windows_;
  std::shared_ptr<talus::OpenDevice> device_;
  Window window_;
  std::optional<talus::Renderer> renderer_;
  std::optional<Gui> gui_;
  std::optional<Previews> previews_;
};

}  // namespace viewer
