#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>

namespace viewer {

// Frames piped into ffmpeg, which chooses the format by the name of the file. It writes beside the file; the video
// takes its name when it is whole, with the frames that it has got by then.
class Video {
public:
  // Throws UsageError where there is no ffmpeg.
  Video(std::filesystem::path file, int width, int height, double fps);
  Video(const Video&) = delete;
  ~Video();
  void add(std::span<const std::uint8_t> rgba);  // throws talus::ExportError
  void close();                                  // throws talus::ExportError

private:
  bool end();  // false: there is no video

  std::filesystem::path file_, part_;
  std::FILE* pipe_ = nullptr;
};

}  // namespace viewer
