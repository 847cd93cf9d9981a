#pragma once
#include <glm/glm.hpp>
#include <span>
#include <string_view>

namespace talus {

// A known material. Densities are those of the grains themselves, not of the bulk.
struct Preset {
  std::string_view name;
  double density;     // kg/m3
  double friction;    // Coulomb coefficient, sticking and sliding
  double adhesion;    // Pa
  glm::vec3 color;    // linear RGB
  double heap_angle;  // degrees, of a poured heap in the engine
};

std::span<const Preset> material_presets();

}  // namespace talus
