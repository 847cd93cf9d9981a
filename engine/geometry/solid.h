#pragma once
// Solids by formula: primitives, posed, united with and subtracted from each other.
#include "engine/geometry/triangle_grid.h"
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <memory>
#include <variant>
#include <vector>

namespace talus {

struct Solid {
  // In their own frames; lengths in metres.
  struct Plane {};  // all below z = 0
  struct Box {
    glm::dvec3 half;
  };
  struct Sphere {
    double radius;
  };
  struct Capsule {
    double radius, half_height;  // of its axis along z, without the caps
  };
  struct Cone {                              // truncated; a cylinder has two equal radii
    double radius, top_radius, half_height;  // along z
  };
  struct Torus {
    double ring, tube;  // radii; around z, ring >= tube
  };
  struct Mesh {
    std::shared_ptr<const TriangleGrid> triangles;  // distances up to its `far`
  };
  using Primitive = std::variant<Plane, Box, Sphere, Capsule, Cone, Torus, Mesh>;

  struct Part {
    Primitive primitive;
    glm::dvec3 position{0.0};                 // m
    glm::dquat rotation{1.0, 0.0, 0.0, 0.0};  // of length 1
    bool subtract = false;                    // from all parts before it; else united with them
  };
  std::vector<Part> parts;
};

// Signed distance, positive outside, and its gradient, of length 1: where it is not unique, one of those next to it.
// Exact for a primitive, and outside a union of them. Elsewhere its magnitude is never above the truth. A solid without
// parts is infinitely far away, its gradient 0.
struct SolidSample {
  double distance = std::numeric_limits<double>::infinity();  // m
  glm::dvec3 gradient{0.0};
};
// before: the sample at p of what the parts are united with and subtracted from.
SolidSample sample(const Solid& solid, const glm::dvec3& p, const SolidSample& before = {});

// A box around it, exact for what is united; infinite with a plane, at the origin without parts.
Bounds bounds(const Solid& solid);

}  // namespace talus
