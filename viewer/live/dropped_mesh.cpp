#include "viewer/live/dropped_mesh.h"
#include "engine/scene/text.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace viewer {

namespace fs = std::filesystem;
using namespace talus;

namespace {

double longest(const glm::dvec3& size) {
  return std::max({size.x, size.y, size.z});
}

// From the scene's folder on, where it lies in there.
std::string name_in(const fs::path& folder, const fs::path& file) {
  const fs::path near = fs::absolute(file).lexically_relative(fs::absolute(folder));
  return (near.empty() || *near.begin() == ".." ? fs::absolute(file) : near).generic_string();
}

std::string new_name(const Scene& scene, const std::string& stem) {
  std::string name = stem;
  for (int n = 2; std::ranges::find(scene.bodies, name, &BodySpec::name) != scene.bodies.end(); ++n)
    name = fmt::format("{} {}", stem, n);
  return name;
}

}  // namespace

bool is_mesh(const fs::path& file) {
  static constexpr std::array endings{".obj", ".stl", ".ply", ".gltf", ".glb"};
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(endings, ending) != endings.end();
}

DroppedMesh read_dropped(const fs::path& file, const Domain& domain) {
  DroppedMesh mesh{.file = file, .bounds = bounds(load_mesh(file).mesh)};
  const double size = longest(mesh.bounds.max - mesh.bounds.min), room = longest(domain.max - domain.min);
  for (const double scale : {1.0, 0.01, 0.001})
    if (mesh.scale = scale; scale * size <= room)
      break;
  return mesh;
}

std::string with_body(Scene scene, const DroppedMesh& mesh, const Box& content, const fs::path& folder) {
  const glm::dvec3 low = mesh.scale * mesh.bounds.min, high = mesh.scale * mesh.bounds.max;
  const glm::dvec3 middle = 0.5 * glm::dvec3(content.min + content.max);
  const double gap = 2.0 * radii_of(scene).max, floor = content.max.z + gap;
  BodySpec body{.name = new_name(scene, mesh.file.stem().string())};
  body.position = {middle.x - 0.5 * (low.x + high.x), middle.y - 0.5 * (low.y + high.y), floor - low.z};
  if (mesh.dynamic)
    body.density = mesh.density;
  body.parts = {{MeshPart{.file = name_in(folder, mesh.file), .scale = mesh.scale}}};
  scene.bodies.push_back(std::move(body));
  scene.domain.max.z = std::max(scene.domain.max.z, floor + high.z - low.z + gap);
  return to_toml(scene);
}

void MeshDrop::read(const fs::path& file, const Domain& domain) {
  reading_ = std::async(std::launch::async, [file, domain] { return read_dropped(file, domain); });
}

void MeshDrop::take() {
  if (reading_.valid() && reading_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    asked_ = reading_.get();
}

}  // namespace viewer
