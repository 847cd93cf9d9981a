#pragma once
// Triangles with double precision, and what is left of them where a function is positive.
#include <cstdint>
#include <functional>
#include <glm/glm.hpp>
#include <vector>

namespace talus {

struct Triangles {
  struct Vertex {
    glm::dvec3 position;  // m
    glm::dvec3 normal;    // of length 1
  };
  std::vector<Vertex> vertices;
  std::vector<glm::uvec3> corners;
};

// The part where keep > 0. keep must not change faster than the place. Cut edges are straight over a cell [m]; holes
// and islands smaller than a cell may be missed. Triangles that share edges still do afterwards.
Triangles trim(Triangles triangles, const std::function<double(const glm::dvec3&)>& keep, double cell);

}  // namespace talus
