#pragma once
// Pictures of the window's scene: single ones, and sequences and videos at a fixed rate of simulated time, however fast
// the scene runs.
#include "viewer/renderer.h"
#include "viewer/video.h"
#include <filesystem>
#include <optional>

namespace viewer {

class Recorder {
public:
  // width, height: of the frames, pixels; videos lose the last row or column of an odd one, as they have none.
  // file: a video (.mp4, .webm ..), by ffmpeg; or a folder, for frame_00000.png and so on. from: s simulated. Throws
  // UsageError.
  void start(const std::filesystem::path& file, int width, int height, double fps, double from);
  // What could not be written is told once. Returns an empty text where all is well.
  std::string stop();

  bool running() const { return fps_ > 0.0; }
  std::size_t frames() const { return frames_; }
  const std::filesystem::path& file() const { return file_; }
  double next() const { return from_ + static_cast<double>(frames_) / fps_; }  // s simulated, of the next frame
  void add(const talus::Image& image);  // throws UsageError where it has another size than at the start

private:
  std::filesystem::path file_;
  std::optional<Video> video_;
  int width_ = 0, height_ = 0;
  double fps_ = 0.0, from_ = 0.0;
  std::size_t frames_ = 0;
};

}  // namespace viewer
