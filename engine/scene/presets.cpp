#include "engine/scene/presets.h"

// How the numbers come about
//
// Density is that of a grain: its mineral, and in moist soils the water that moves with it, times (1 + w) for a water
// content w by mass. A heap of equal grains then weighs some 0.55 of this per volume.
//
// Friction is not the tangent of the material's angle of repose. Grains here do not rotate, which real ones do, so that
// a heap is steeper at the same coefficient: 10, 25, 39 and 51 degrees for 0.1, 0.2, 0.3 and 0.4, by explicit DEM of
// this model. The coefficient is the one whose heap has the material's angle of repose, or its friction angle where it
// sticks.
//
// Adhesion acts over the area pi r^2 (1 - (d/r - 1)^2) of a contact with overlap d, 9.4 mm2 for r = 1 cm and the usual
// overlap of 0.015 r at rest. Spread over the 4 r^2 that a contact stands for in the bulk, it makes a tensile strength
// of 0.023 times its value whatever r is. At r = 1 cm the values make a force of 1.6, 3.0 and 5.4 weights of a grain
// (wet_sand, loam, clay); larger grains feel it less.
//
// Loam and clay are loose crumbs here, as they are shovelled and poured, of a strength of 0.9 and 1.8 kPa. In the
// ground they have five times as much and more (Soils, Look). Grains of 1 cm with 2e5 and 4e5 Pa do not pour to a heap:
// they pile up to a tower as wide as the spout, which topples over.
//
// Heap angles are those that the experiment `presets` of talus-bench measures: 3000 grains of 1 cm poured on a rough
// floor, three seeds. Those of sand, gravel and wet_sand are also what the sources say. For loam and clay there is no
// such figure: the adhesion is chosen so that they make heaps, steeper than wet sand's, and not towers.
//
// Sources
//   Das     B. M. Das, Principles of Geotechnical Engineering: specific gravity of minerals, drained friction angles
//   Look    B. G. Look, Handbook of Geotechnical Investigation and Design Tables, tables 7.8 and 7.9
//   Glover  T. J. Glover, Pocket Ref: angles of repose
//   Soils   typical values of top soils as used for tillage: cohesion of moist sandy loam 5-15 kPa
// What governs angles of repose: H. M. B. Al-Hashemi, O. S. B. Al-Amoudi, Powder Technology 330 (2018) 397-417.

namespace talus {

std::span<const Preset> material_presets() {
  static constexpr Preset presets[] = {
      // Quartz 2650 (Das). Dry sand rests at 34 degrees (Glover), within its friction when loose to medium dense
      // (Look 27-37).
      {"sand", 2650.0, 0.25, 0.0, {0.76f, 0.60f, 0.36f}, 32.0},
      // Granite and limestone 2600-2800. Loose dry gravel rests at 30-45 degrees (Glover), within its friction when
      // medium dense (Look 34-39, Das 34-48 with sand).
      {"gravel", 2700.0, 0.30, 0.0, {0.50f, 0.50f, 0.52f}, 36.0},
      // Quartz with w = 0.08 and the friction of dry sand. Capillary bridges, here 0.5 kPa, make it stand at about 45
      // degrees (Glover).
      {"wet_sand", 2860.0, 0.25, 2e4, {0.42f, 0.31f, 0.18f}, 47.0},
      // Minerals 2650 with w = 0.15. Friction angle 28 degrees (Das: silts 26-35).
      {"loam", 3050.0, 0.22, 4e4, {0.30f, 0.19f, 0.11f}, 55.0},
      // Minerals 2600-2800 (Das), here 2700, with w = 0.25. Friction angle 20 degrees, that of soft clay (Look 15-25
      // degrees, strength in the ground 10-20 kPa).
      {"clay", 3380.0, 0.17, 8e4, {0.46f, 0.25f, 0.15f}, 65.0},
  };
  return presets;
}

}  // namespace talus
