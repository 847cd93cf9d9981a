#include "viewer/live/loader.h"
#include <algorithm>
#include <chrono>

namespace viewer {

namespace {

bool there(const auto& future) {
  return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

template <class Read> void Loader::run(const std::filesystem::path& file, Read read) {
  std::erase_if(dropped_, [](const auto& future) { return there(future); });
  if (running_.valid())
    dropped_.push_back(std::move(running_));
  file_ = file;
  running_ = std::async(std::launch::async, [file, read = std::move(read)]() mutable {
    return Loaded{talus::prepare(read()), file};
  });
}

void Loader::start(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  run(file, [file, overrides] { return talus::load_scene(file, overrides); });
}

void Loader::start(talus::Scene scene, const std::filesystem::path& file) {
  run(file, [scene = std::move(scene)]() mutable { return std::move(scene); });
}

void Loader::start_text(const std::string& toml, const std::filesystem::path& file) {
  run(file, [toml, file] { return talus::parse_scene(toml, file.string()); });
}

std::optional<Loader::Loaded> Loader::take() {
  if (!running_.valid() || !there(running_))
    return std::nullopt;
  return running_.get();
}

}  // namespace viewer
