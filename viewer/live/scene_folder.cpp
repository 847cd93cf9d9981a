#include "viewer/live/scene_folder.h"
#include <algorithm>

namespace viewer {

namespace fs = std::filesystem;

const std::vector<fs::path>& SceneFolder::files() {
  constexpr auto age = std::chrono::seconds(2);
  const auto now = std::chrono::steady_clock::now();
  if (listed_ && now < *listed_ + age)
    return files_;
  listed_ = now;
  files_.clear();
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error))
    if (entry.path().extension() == ".toml")
      files_.push_back(entry.path());
  std::ranges::sort(files_);
  return files_;
}

fs::path scenes_near(const fs::path& scene) {
  if (!scene.empty())
    return fs::absolute(scene).parent_path();
  const fs::path here = fs::current_path();
  return fs::is_directory(here / "scenes") ? here / "scenes" : here;
}

}  // namespace viewer
