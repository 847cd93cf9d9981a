#include "engine/io/writers.h"

namespace talus {
namespace {

void append(std::vector<float>& numbers, const glm::vec3& v) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}

PolyData moving(double time, std::vector<float> positions, std::vector<float> velocities) {
  PolyData data;
  data.points.time = time;
  data.points.count = positions.size() / 3;
  data.points.columns = {{&position_quantity, std::move(positions)}, {&velocity_quantity, std::move(velocities)}};
  return data;
}

}  // namespace

PolyData poly_data(const ClothState& cloth, double time) {
  std::vector<float> positions, velocities;
  for (const glm::vec3& p : cloth.positions)
    append(positions, p);
  for (const glm::vec3& v : cloth.velocities)
    append(velocities, v);
  PolyData data = moving(time, std::move(positions), std::move(velocities));
  data.triangles = cloth.triangles;
  return data;
}

PolyData poly_data(const std::vector<ClothState>& cloths, double time) {
  std::vector<float> positions, velocities;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t c = 0; c < cloths.size(); ++c) {
    const auto base = static_cast<std::uint32_t>(positions.size() / 3);
    for (const glm::vec3& p : cloths[c].positions)
      append(positions, p);
    for (const glm::vec3& v : cloths[c].velocities)
      append(velocities, v);
    for (const glm::uvec3& t : cloths[c].triangles)
      triangles.push_back(base + t);
    numbers.insert(numbers.end(), cloths[c].triangles.size(), c);
  }
  PolyData data = moving(time, std::move(positions), std::move(velocities));
  data.triangles = std::move(triangles);
  data.of_triangles = {{&cloth_quantity, std::move(numbers)}};
  return data;
}

PolyData poly_data(const std::vector<PosedMesh>& meshes, double time) {
  std::vector<float> positions, velocities;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> bodies, worlds;
  for (const PosedMesh& m : meshes) {
    const auto base = static_cast<std::uint32_t>(positions.size() / 3);
    for (const glm::vec3& v : m.mesh->vertices) {
      const glm::dvec3 arm = m.state.pose.rotation * glm::dvec3(v);
      append(positions, glm::vec3(m.state.pose.position + arm));
      append(velocities, glm::vec3(m.state.twist.velocity + glm::cross(m.state.twist.spin, arm)));
    }
    for (const glm::uvec3& t : m.mesh->triangles)
      triangles.push_back(base + t);
    bodies.insert(bodies.end(), m.mesh->triangles.size(), m.body);
    worlds.insert(worlds.end(), m.mesh->triangles.size(), m.world);
  }
  PolyData data = moving(time, std::move(positions), std::move(velocities));
  data.triangles = std::move(triangles);
  data.of_triangles = {{&body_quantity, std::move(bodies)}, {&world_quantity, std::move(worlds)}};
  return data;
}

}  // namespace talus
