#include "engine/core/mesh_shapes.h"
#include "engine/base/cache.h"
#include "engine/core/sdf.h"
#include "engine/geometry/triangle_grid.h"
#include "engine/scene/bodies.h"
#include <algorithm>
#include <bit>

namespace talus {
namespace {

constexpr double radius_default = 0.01;  // m, without grains

std::uint64_t key_of(const MeshPart& part) {
  const std::array<double, 3> how{static_cast<double>(part.as), part.cell, part.loaded->closed ? 1.0 : 0.0};
  return checksum(part.loaded->mesh, checksum(std::as_bytes(std::span(how))));
}

}  // namespace

MeshShapes::MeshShapes(const RadiusRange& grains, Executor& executor) : grains_(grains), executor_(executor) {
  if (grains_.max == 0.0)
    grains_ = {radius_default, radius_default};
  far_ = static_cast<float>(1.01 * (1.0 + skin_limit) * grains_.max);  // how far contacts are looked for
}

SolidPart MeshShapes::add(const MeshPart& part) {
  if (part.as == MeshAs::particles)
    return {};
  const auto [at, is_new] = known_.try_emplace(key_of(part));
  if (is_new)
    at->second = with_place(part, [&] { return part.as == MeshAs::sdf ? bake(part) : sort(part); });
  return at->second;
}

SolidPart MeshShapes::bake(const MeshPart& part) {
  const Mesh& mesh = part.loaded->mesh;
  SdfSettings settings;
  settings.cell = static_cast<float>(part.cell > 0.0 ? part.cell : 0.5 * grains_.min);
  settings.grain_radius = far_;  // exact as far as contacts are looked for
  std::string note;
  const Sdf sdf = cached_sdf(mesh, settings, executor_, note, default_cache_directory());
  if (!note.empty())
    notes.push_back(note);
  const Bounds box = bounds(mesh);
  const glm::vec3 low = glm::vec3(box.min) - sdf.origin;
  const glm::vec3 high = sdf.origin + sdf.cell * glm::vec3(sdf.size - 1u) - glm::vec3(box.max);
  SolidPart out{};
  out.kind = solid_grid;
  out.position = sdf.origin;
  out.size = vec3(sdf.size);
  out.cell = sdf.cell;
  out.far = std::min({low.x, low.y, low.z, high.x, high.y, high.z});
  out.first = static_cast<uint>(words.size());
  for (const float value : sdf.values)
    words.push_back(std::bit_cast<uint>(value));
  return out;
}

SolidPart MeshShapes::sort(const MeshPart& part) {
  const TriangleGrid grid = triangle_grid(part.loaded->mesh, part.loaded->closed, static_cast<double>(far_));
  SolidPart out{};
  out.kind = solid_triangles | (grid.closed ? 0u : solid_two_sided);
  out.position = grid.origin;
  out.size = vec3(grid.size);
  out.cell = grid.cell;
  out.far = grid.far;
  out.first = static_cast<uint>(words.size());
  words.insert(words.end(), grid.words.begin(), grid.words.end());
  return out;
}

}  // namespace talus
