#pragma once
#include <glm/glm.hpp>

namespace talus {

struct Bounds {
  glm::dvec3 min, max;  // m
};

}  // namespace talus
