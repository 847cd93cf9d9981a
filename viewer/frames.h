#pragma once
#include "engine/talus.h"
#include "viewer/renderer.h"
#include "viewer/video.h"
#include <filesystem>
#include <optional>

namespace viewer {

struct FrameOptions {
  std::filesystem::path directory;
  int width = 1280, height = 720;
  double fps = 30.0;                      // frames per simulated second
  std::filesystem::path video;            // empty: none
  std::optional<talus::Quality> quality;  // unset: that of the scene
};

// The pictures of a run: DIR/frame_00000.png .., a video if asked for, and DIR/final.png.
class Frames {
public:
  Frames(talus::Simulation& simulation, const FrameOptions& options);
  void draw(talus::Simulation& simulation, std::uint64_t number);
  void finish(talus::Simulation& simulation);

private:
  const FrameOptions options_;
  talus::Renderer renderer_;
  std::optional<Video> video_;
  talus::Image image_;
  std::optional<std::uint64_t> step_;  // that image_ shows
};

}  // namespace viewer
