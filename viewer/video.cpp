#include "viewer/video.h"
#include "engine/base/atomic_file.h"
#include "viewer/shell.h"
#include "viewer/status.h"
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <sstream>
#include <utility>

namespace viewer {
namespace {

#ifdef _WIN32
constexpr char path_separator = ';';
constexpr const char* program = "ffmpeg.exe";
std::FILE* open_pipe(const std::string& command) {
  return _popen(command.c_str(), "wb");
}
int close_pipe(std::FILE* pipe) {
  return _pclose(pipe);
}
#else
constexpr char path_separator = ':';
constexpr const char* program = "ffmpeg";
std::FILE* open_pipe(const std::string& command) {
  return popen(command.c_str(), "w");
}
int close_pipe(std::FILE* pipe) {
  return pclose(pipe);
}
#endif

bool have_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::istringstream directories(path ? path : "");
  for (std::string directory; std::getline(directories, directory, path_separator);) {
    std::error_code error;
    if (std::filesystem::is_regular_file(std::filesystem::path(directory) / program, error))
      return true;
  }
  return false;
}

}  // namespace

Video::Video(std::filesystem::path file, int width, int height, double fps) : file_(std::move(file)) {
  if (!have_ffmpeg())
    throw UsageError(
        "--video needs the program ffmpeg; install it (Debian, Ubuntu: apt-get install ffmpeg; Fedora: dnf "
        "install ffmpeg-free; macOS: brew install ffmpeg) or leave --video out, the frames are written as PNG");
#ifndef _WIN32
  std::signal(SIGPIPE, SIG_IGN);  // where ffmpeg ends early, writing fails and says so
#endif
  // The ending names the format. A name that starts with a dash is not an option. Most codecs need even sizes.
  const std::filesystem::path target = talus::link_target(file_);
  part_ = std::filesystem::path(target).replace_filename(
      fmt::format("{}.part-{:08x}{}", target.stem().string(), std::random_device()(), target.extension().string()));
  const std::string name = part_.is_absolute() ? part_.string() : (std::filesystem::path(".") / part_).string();
  pipe_ = open_pipe(fmt::format("ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgba -s {}x{} -r {} -i - -vf {} "
                                "-pix_fmt yuv420p {}",
                                width, height, fps, quoted("pad=ceil(iw/2)*2:ceil(ih/2)*2"), quoted(name)));
  if (!pipe_)
    throw talus::ExportError("ffmpeg cannot be started");
}

Video::~Video() {
  if (pipe_)
    end();
}

bool Video::end() {
  std::error_code error, ignored;
  bool whole = close_pipe(std::exchange(pipe_, nullptr)) == 0;
  if (whole)
    std::filesystem::rename(part_, talus::link_target(file_), error);
  whole = whole && !error;
  if (!whole)
    std::filesystem::remove(part_, ignored);
  return whole;
}

void Video::add(std::span<const std::uint8_t> rgba) {
  if (std::fwrite(rgba.data(), 1, rgba.size(), pipe_) != rgba.size())
    throw talus::ExportError(fmt::format("{} cannot be written: ffmpeg ended early", file_.string()));
}

void Video::close() {
  if (!end())
    throw talus::ExportError(fmt::format("{} cannot be written: ffmpeg reports an error", file_.string()));
}

}  // namespace viewer
