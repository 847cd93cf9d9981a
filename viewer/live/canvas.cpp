#include "viewer/live/canvas.h"
#include <algorithm>

namespace viewer {

using namespace talus;

Canvas::Canvas(const ViewOptions& options, int width, int height)
    : options_(options), device_(windows_.open_device(options.device, options.validation)),
      window_(*device_, "Talus", width, height) {}

void Canvas::start(const Scene& scene) {
  renderer_.emplace(scene, std::max(window_.width(), 16), std::max(window_.height(), 16), &device_->device);
  gui_.emplace(window_, device_->device, renderer_->graph(),
               options_.remembered.empty() ? std::filesystem::path() : options_.remembered / "panels.ini");
  previews_.emplace(device_->device, options_.program, options_.previews);
  renderer_->graph().submit();
}

void Canvas::open_again(const Scene& scene) {
  try {
    device_ = windows_.open_device(options_.device, options_.validation);
    window_.use(*device_);
    start(scene);
  } catch (...) {
    leave();
    throw;
  }
}

void Canvas::leave() {
  previews_.reset();
  gui_.reset();
  renderer_.reset();
  window_.leave();
  device_.reset();
}

}  // namespace viewer
