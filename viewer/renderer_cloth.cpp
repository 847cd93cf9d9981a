#include "viewer/renderer_cloth.h"
#include "engine/scene/cloth.h"
#include <limits>

namespace talus {
namespace {

using namespace shared;

std::vector<uint> around_vertices(const ClothDrawing& cloth) {
  std::vector<std::vector<uint>> around(cloth.vertices.size());
  for (std::size_t t = 0; t < cloth.triangles.size(); ++t)
    for (int c = 0; c < 3; ++c)
      around[cloth.triangles[t].corners[c]].push_back(static_cast<uint>(t));
  std::vector<uint> out{static_cast<uint>(around.size() + 1)};
  for (const std::vector<uint>& triangles : around)
    out.push_back(out.back() + static_cast<uint>(triangles.size()));
  for (const std::vector<uint>& triangles : around)
    out.insert(out.end(), triangles.begin(), triangles.end());
  return out;
}

}  // namespace

ClothDrawing cloth_drawing(const Scene& scene) {
  ClothDrawing out;
  for (const ClothSpec& cloth : scene.cloths) {
    const ClothSheet sheet = sheet_of(cloth);
    const Pose pose = pose_of(cloth);
    DrawBody look{cloth.color.value_or(scene.materials.at(cloth.material).color), static_cast<uint>(Finish::plain),
                  draw_cloth, vec3(std::numeric_limits<float>::max()), vec3(-std::numeric_limits<float>::max())};
    const auto base = static_cast<uint>(out.vertices.size());
    for (const glm::dvec3& v : sheet.vertices) {
      const vec3 place((pose * Pose{v}).position);
      out.vertices.push_back({place, vec3(0.0f)});
      look.low = glm::min(look.low, place);
      look.high = glm::max(look.high, place);
    }
    const auto number = static_cast<uint>(scene.bodies.size() + out.looks.size());
    for (const glm::uvec3& t : sheet.triangles)
      out.triangles.push_back({base + t, number});
    out.looks.push_back(look);
  }
  out.around = around_vertices(out);
  return out;
}

}  // namespace talus
