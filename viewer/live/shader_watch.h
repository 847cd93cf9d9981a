#pragma once
// For developers: shaders whose sources are edited while the window is open, compiled beside its thread.
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace viewer {

class ShaderWatch {
public:
  // folder: of the sources, as shaders/ of this tree; one that is not there, or without the compiler that built the
  // program, nothing is watched.
  explicit ShaderWatch(std::filesystem::path folder);

  struct Compiled {
    std::string name;                 // "dem.comp"
    std::vector<std::uint32_t> code;  // SPIR-V; empty: it does not compile
    std::string errors;               // "FILE:LINE: ..", a line each
  };
  // What was saved and compiled since the last time. Looks a few times a second; never waits.
  std::vector<Compiled> take();

private:
  using Times = std::map<std::filesystem::path, std::filesystem::file_time_type>;
  std::filesystem::path folder_;  // empty: nothing is watched
  Times known_;
  std::chrono::steady_clock::time_point next_{};
  std::future<std::vector<Compiled>> running_;

  Times look() const;
  void start(const std::set<std::filesystem::path>& changed);
};

}  // namespace viewer
