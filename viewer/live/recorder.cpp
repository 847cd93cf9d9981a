#include "viewer/live/recorder.h"
#include "viewer/png.h"
#include "viewer/status.h"
#include <fmt/format.h>

namespace viewer {
namespace {

// Without the last row and column where their number is odd.
std::vector<std::uint8_t> even(const talus::Image& image) {
  const std::size_t row = std::size_t{4} * image.width, kept = std::size_t{4} * (image.width & ~1);
  std::vector<std::uint8_t> rgba;
  for (int y = 0; y < (image.height & ~1); ++y)
    rgba.insert(rgba.end(), image.rgba.begin() + y * row, image.rgba.begin() + y * row + kept);
  return rgba;
}

}  // namespace

void Recorder::start(const std::filesystem::path& file, int width, int height, double fps, double from) {
  stop();
  if (file.extension().empty()) {
    std::error_code error;
    std::filesystem::create_directories(file, error);
    if (error)
      throw UsageError(fmt::format("directory {} cannot be made: {}", file.string(), error.message()));
  } else {
    video_.emplace(file, width & ~1, height & ~1, fps);
  }
  file_ = file;
  width_ = width;
  height_ = height;
  fps_ = fps;
  from_ = from;
  frames_ = 0;
}

std::string Recorder::stop() {
  fps_ = 0.0;
  try {
    if (video_)
      video_->close();
    video_.reset();
    return {};
  } catch (const std::exception& e) {
    video_.reset();
    return e.what();
  }
}

void Recorder::add(const talus::Image& image) {
  if (image.width != width_ || image.height != height_)
    throw UsageError("the recording ended, since the window's size changed");
  if (video_)
    video_->add(even(image));
  else
    write_png(file_ / fmt::format("frame_{:05}.png", frames_), image.width, image.height, image.rgba);
  ++frames_;
}

}  // namespace viewer
