#pragma once
// How high the columns of the ground are.
#include "engine/reference/space.h"

namespace talus::reference {

// z [m] of the top of a column of the ground, by its number over all worlds.
inline float soil_top(const Fields& f, uint column) {
  const SoilColumn& soil = f.soil_columns[column];
  const float volume = static_cast<float>(soil.mass - soil.loose) + static_cast<float>(soil.loose) * soil.swell;
  return f.settings[0].domain.min.z + volume * f.soil_quantum[column];
}

}  // namespace talus::reference
