#include "small.h"
#include "engine/scene/bodies.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/meshes.h"
#include "engine/scene/sampling.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace talus_fuzz {

using namespace talus;

namespace {

constexpr double grains_most = 2000.0;  // that a group could hold, that an emitter pours, and of fine ones

// Cubes as wide as the smallest ball, in the part of the shape's box that lies in the domain.
double room(const Shape& shape, const Domain& domain, double radius) {
  if (const auto* points = std::get_if<PointsFill>(&shape))
    return static_cast<double>(points->points.size());
  if (const auto* file = std::get_if<FileFill>(&shape))
    return static_cast<double>(file->loaded->size());
  const Bounds box = bounds(shape);
  double cubes = 1.0;
  for (int a = 0; a < 3; ++a)
    cubes *=
        std::max(std::min(box.max[a], domain.max[a]) - std::max(box.min[a], domain.min[a]), 0.0) / (2.0 * radius) + 1.0;
  return cubes;
}

double fine_share(const Scene& scene, double radius) {
  return scene.upsampling ? std::pow(radius / scene.upsampling->radius_min, 3.0) : 1.0;
}

bool is_small(const Scene& scene, const Emitter& e) {
  const double time = e.stop - e.start;
  return room(e.shape, scene.domain, e.radius_min) <= grains_most && time / scene.dt <= grains_most &&
         time * e.rate * fine_share(scene, e.radius_max) <= grains_most;
}

bool is_small(const Scene& scene, const GrainGroup& group) {
  return room(group.shape, scene.domain, group.radius_min) * fine_share(scene, group.radius_max) <= grains_most;
}

bool is_small(const Scene& scene, const ClothSpec& cloth) {
  const auto* grid = std::get_if<ClothGrid>(&cloth.sheet);
  return scene.cloths.size() <= 4 && (!grid || std::uint64_t{grid->cells.x} * grid->cells.y <= 256);
}

// Particles on it, or nodes of its distance field.
bool is_small(const Scene& scene, const MeshPart& part) {
  const Mesh& mesh = part.loaded->mesh;
  const RadiusRange radii = radii_of(scene);
  const double radius = part.radius > 0.0 ? part.radius : radii.max;
  const double cell = part.cell > 0.0 ? part.cell : radii.min / 2.0;
  const Bounds box = bounds(mesh);
  const glm::dvec3 size = box.max - box.min;
  if (mesh.triangles.size() > 500)
    return false;
  if (part.as == MeshAs::particles)
    return radius > 0.0 && area(mesh) / (radius * radius) <= grains_most;
  return part.as != MeshAs::sdf || (cell > 0.0 && std::max({size.x, size.y, size.z}) / cell <= 20.0);
}

}  // namespace

Folder::Folder() {
  std::string name =
      (std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path().string()) +
      "/talus_fuzz_XXXXXX";
  if (!mkdtemp(name.data()))
    std::abort();
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Folder::write(const std::string& name, std::string_view content) const {
  std::ofstream out(path_ / name, std::ios::binary);
  if (!out.write(content.data(), static_cast<std::streamsize>(content.size())).flush())
    std::abort();
  return path_ / name;
}

bool is_small(const Scene& scene) {
  // Where a body may touch takes seconds to find, under the sanitizers, on one that is far larger than all else.
  const double size = glm::distance(scene.domain.min, scene.domain.max);
  for (const BodySpec& body : scene.bodies)
    if (is_dynamic(body) && reach_of(body) > size)
      return false;
  bool small = scene.worlds <= 4 && scene.bodies.size() <= 8 && scene.sinks.size() <= 8;
  each_group(scene, [&](const GrainGroup& group) { small = small && is_small(scene, group); });
  for (const Emitter& emitter : scene.emitters)
    small = small && is_small(scene, emitter);
  for (const ClothSpec& cloth : scene.cloths)
    small = small && is_small(scene, cloth);
  each_mesh(scene, [&](const std::string&, const MeshPart& part) { small = small && is_small(scene, part); });
  return small;
}

bool steps_are_small(const Scene& scene) {
  const RadiusRange radii = radii_of(scene);
  double cells = 1.0, pixels = 0.0;
  for (int a = 0; a < 3; ++a)
    if (scene.domain.axis[a] == Axis::periodic && radii.min > 0.0)
      cells *= (scene.domain.max[a] - scene.domain.min[a]) / radii.min;
  for (const DepthCameraSpec& camera : scene.depth_cameras)
    pixels += static_cast<double>(camera.size.x) * camera.size.y;
  return cells <= 1e5 && pixels <= 1e3 && scene.solver.substeps <= 20 && scene.solver.iterations <= 20 &&
         scene.solver.stabilization <= 20;
}

}  // namespace talus_fuzz
