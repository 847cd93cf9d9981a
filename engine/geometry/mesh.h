#pragma once
#include <glm/glm.hpp>
#include <vector>

namespace talus {

struct Mesh {
  std::vector<glm::vec3> vertices;    // m
  std::vector<glm::uvec3> triangles;  // counterclockwise seen from outside
};

}  // namespace talus
