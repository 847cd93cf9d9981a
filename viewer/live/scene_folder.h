#pragma once
// The scenes of a folder, for the browser.
#include <chrono>
#include <filesystem>
#include <optional>
#include <vector>

namespace viewer {

// Owns the list of the scene files in a folder.
//
// Between calls: the list is sorted, and was at most two seconds old when files() last returned it.
//
// Needs nothing but the folder, which may not be there: then it has no scenes.
class SceneFolder {
public:
  explicit SceneFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::vector<std::filesystem::path>& files();

private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;
  std::optional<std::chrono::steady_clock::time_point> listed_;
};

// Where other scenes than this one are to be expected; without one, the folder `scenes` here, or here itself.
std::filesystem::path scenes_near(const std::filesystem::path& scene);

}  // namespace viewer
