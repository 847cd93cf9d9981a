#include "viewer/frames.h"
#include "viewer/png.h"
#include <fmt/format.h>

namespace viewer {

Frames::Frames(talus::Simulation& simulation, const FrameOptions& options)
    : options_(options), renderer_(simulation.scene(), options.width, options.height, simulation.gpu_device()) {
  if (options.quality) {
    talus::Look look = simulation.scene().output;
    look.quality = *options.quality;
    renderer_.show_as(look);
  }
  if (!options.video.empty())
    video_.emplace(options.video, options.width, options.height, options.fps);
}

void Frames::draw(talus::Simulation& simulation, std::uint64_t number) {
  if (step_ != simulation.step()) {
    image_ = renderer_.draw(simulation);
    step_ = simulation.step();
  }
  write_png(options_.directory / fmt::format("frame_{:05}.png", number), image_.width, image_.height, image_.rgba);
  if (video_)
    video_->add(image_.rgba);
}

void Frames::finish(talus::Simulation& simulation) {
  if (step_ != simulation.step())
    image_ = renderer_.draw(simulation);
  write_png(options_.directory / "final.png", image_.width, image_.height, image_.rgba);
  if (video_)
    video_->close();
}

}  // namespace viewer
