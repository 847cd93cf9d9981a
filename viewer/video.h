#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>

namespace viewer {

// Frames piped into ffmpeg, which chooses the format by the name of the file.
class Video {
public:
  // Throws UsageError where there is no ffmpeg.
  Video(std::filesystem::path file, int width, int height, double fps);
  Video(const Video&) = delete;
  ~Video();
  void add(std::span<const std::uint8_t> rgba);  // throws talus::ExportError
  void close();                                  // throws talus::ExportError

private:
  std::filesystem::path file_;
  std::FILE* pipe_ = nullptr;
};

}  // namespace viewer
