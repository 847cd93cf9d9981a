#include "viewer/live/previews.h"
#include "engine/base/cache.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/meshes.h"
#include "engine/scene/text.h"
#include "viewer/png.h"
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace viewer {

namespace fs = std::filesystem;
using namespace talus;

namespace {

constexpr const char* picture_size = "192x108";

// By all that a picture depends on, whatever the file's name.
std::uint64_t key_of(const Scene& scene) {
  const auto add = [](std::uint64_t sum, const std::string& text) {
    return checksum(std::as_bytes(std::span(text)), sum);
  };
  std::uint64_t key = add(add(checksum_of_nothing, to_toml(scene)), picture_size);
  each_mesh(scene, [&](const std::string&, const MeshPart& mesh) { key = checksum(mesh.loaded->mesh, key); });
  for (const GrainGroup& group : scene.grains)
    if (const auto* file = std::get_if<FileFill>(&group.shape))
      key = checksum(*file->loaded, key);
  return key;
}

}  // namespace

Previews::Previews(gpu::Device& device, fs::path program, fs::path folder)
    : device_(device), program_(std::move(program)), folder_(std::move(folder)) {
  if (const fs::path cache = default_cache_directory(); folder_.empty() && !cache.empty())
    folder_ = cache / "previews";
}

Previews::~Previews() {
  drawing_.reset();
  std::error_code error;
  if (content_)
    fs::remove_all(sketch(), error);
}

Previews::Preview& Previews::of(const fs::path& scene) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(scene, error);
  Entry& entry = entries_[scene];
  if (entry.written != written) {
    entry.written = written;
    entry.done = false;
  }
  if (!entry.done && asked_.empty())
    asked_ = scene;
  return entry.preview;
}

fs::path Previews::kept() const {
  return folder_ / fmt::format("{:016x}", content_->key);
}

fs::path Previews::sketch() const {
  return kept().string() + ".new";
}

// Reads the scene: true when that is done.
bool Previews::read() {
  if (content_)
    return true;
  if (!reading_.valid())
    reading_ = std::async(std::launch::async, [scene = working_on_]() -> Content {
      try {
        const Scene loaded = load_scene(scene);
        return {loaded.title, key_of(loaded)};
      } catch (const std::exception&) {  // whoever opens it is told
        return {};
      }
    });
  if (reading_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return false;
  content_ = reading_.get();
  return true;
}

// Draws it, unless that was done before or cannot be: true when that is done.
bool Previews::draw() {
  std::error_code error;
  if (!drawing_) {
    if (content_->key == 0 || program_.empty() || folder_.empty() || fs::exists(kept(), error))
      return true;
    fs::create_directories(sketch(), error);
    try {
      drawing_ = std::make_unique<Process>(std::vector<std::string>{
          program_.string(), "render", working_on_.string(), "--steps", "0", "--size", picture_size, "--out",
          sketch().string(), "--report", (sketch() / "report.json").string()});
    } catch (const std::exception&) {
      return true;
    }
  }
  const std::optional<int> status = drawing_->ended();
  if (!status)
    return false;
  drawing_.reset();
  if (*status == 0)
    fs::rename(sketch(), kept(), error);
  fs::remove_all(sketch(), error);
  return true;
}

void Previews::take_over(gpu::Graph& graph) {
  Entry& entry = entries_[working_on_];
  entry.done = true;
  Preview& preview = entry.preview;
  preview.title = content_->title;
  try {
    const auto report = nlohmann::json::parse(std::ifstream(kept() / "report.json"));
    preview.grains = report.at("grains");
    preview.fine = report.at("fine_grains");
    const Image image = read_png(kept() / "final.png");
    preview.picture = gpu::Image(device_, "preview",
                                 {static_cast<std::uint32_t>(image.width), static_cast<std::uint32_t>(image.height),
                                  VK_FORMAT_R8G8B8A8_UNORM, true});
    graph.upload(preview.picture, std::as_bytes(std::span(image.rgba)));
  } catch (const std::exception&) {  // none is there, or not of this version: the browser goes without
  }
}

void Previews::go_on(gpu::Graph& graph) {
  if (working_on_.empty())
    working_on_ = std::exchange(asked_, {});
  if (working_on_.empty() || !read() || !draw())
    return;
  take_over(graph);
  content_.reset();
  working_on_.clear();
  asked_.clear();
}

}  // namespace viewer
