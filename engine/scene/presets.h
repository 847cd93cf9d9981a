#pragma once
#include "engine/scene/scene.h"
#include <span>
#include <string_view>

namespace talus {

// Slopes in the engine [degrees], of grains of 1 cm with dem (bench/peers/angles.py).
struct Slopes {
  double poured;  // a heap, from just above its top, on a rough floor
  double lifted;  // what a cylinder leaves that is lifted at 0.1 m/s from a rough floor
  double drum;    // the surface in a rough drum at a Froude number of 0.005
};

// A known material. Densities are those of the grains themselves, not of the bulk.
struct Preset {
  std::string_view name;
  double density;           // kg/m3
  double friction;          // Coulomb coefficient, sticking and sliding
  double rolling_friction;  // coefficient of rolling and twisting friction
  double restitution;       // 0: none is given, so that a method's own holds
  double tensile_strength;  // Pa, of the bulk
  glm::vec3 color;          // linear RGB
  Slopes slopes;
  Finish finish;
  double wetness = 0.0;
};

std::span<const Preset> material_presets();

}  // namespace talus
