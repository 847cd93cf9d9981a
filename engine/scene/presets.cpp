#include "engine/scene/presets.h"

// How the numbers come about
//
// Density is that of a grain: its mineral, and in moist soils the water that moves with it, times (1 + w) for a water
// content w by mass. A heap of equal grains then weighs some 0.6 of this per volume.
//
// Friction and rolling friction are those of spheres that rotate. Friction of 0.5 is between minerals; rolling friction
// stands for the shape of grains that are not round, and is what the angle of a heap is chosen by. Beads and balls are
// round: theirs is that of a hard sphere. A material has no one angle of repose: the surface in a drum is some degrees
// steeper than a heap that is poured, and that steeper than what a lifted cylinder leaves. So the table states three,
// of equal grains of 1 cm. Without adhesion they are those of any size: nothing in the law but g h^2 / r sees the size,
// and `substeps = "auto"` chooses h by it.
//
// Restitution is that of collisions between single grains where these matter. Soils have none, so that dem keeps its
// own law, of about 0.7, which is also the cheapest.
//
// Adhesion is given as the tensile strength of the bulk, in Pa: that is what a soil has, whatever size of grain stands
// for it, and two simulations of one site with other grains agree on it. An angle of repose is no property of such a
// soil: it falls with the height of the heap, and the angles here are those of heaps of 1500 grains of 1 cm.
//
// Loam and clay are loose crumbs here, as they are shovelled and poured, of a strength of 1 and 2 kPa. In the ground
// they have five times as much and more (Soils, Look). Grains of 1 cm with that much do not pour to a heap: they pile
// up to a tower as wide as the spout, which topples over.
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
      {"sand", 2650.0, 0.5, 0.2, 0.0, 0.0, {0.60f, 0.46f, 0.28f}, {31.0, 25.0, 38.0}, Finish::sand},
      // Granite and limestone 2600-2800. Loose dry gravel rests at 30-45 degrees (Glover), within its friction when
      // medium dense (Look 34-39, Das 34-48 with sand).
      {"gravel", 2700.0, 0.6, 0.4, 0.0, 0.0, {0.43f, 0.42f, 0.40f}, {35.0, 28.0, 41.0}, Finish::gravel},
      // Soda-lime glass 2500.
      {"glass_beads", 2500.0, 0.25, 0.01, 0.9, 0.0, {0.62f, 0.75f, 0.72f}, {22.0, 16.0, 27.0}, Finish::glass},
      // Bearing steel 7850.
      {"steel_balls", 7850.0, 0.2, 0.005, 0.8, 0.0, {0.56f, 0.57f, 0.58f}, {21.0, 16.0, 26.0}, Finish::metal},
      // Quartz with w = 0.08 and the friction of dry sand. Capillary bridges make it stand at about 45 degrees
      // (Glover).
      {"wet_sand", 2860.0, 0.5, 0.2, 0.0, 500.0, {0.60f, 0.46f, 0.28f}, {46.0, 34.0, 44.0}, Finish::sand, 0.8},
      // Minerals 2650 with w = 0.15. Friction angle 28 degrees (Das: silts 26-35).
      {"loam", 3050.0, 0.45, 0.2, 0.0, 1e3, {0.36f, 0.24f, 0.14f}, {49.0, 44.0, 43.0}, Finish::soil, 0.5},
      // Minerals 2600-2800 (Das), here 2700, with w = 0.25. Friction angle 20 degrees, that of soft clay (Look 15-25
      // degrees, strength in the ground 10-20 kPa).
      {"clay", 3380.0, 0.3, 0.2, 0.0, 2e3, {0.55f, 0.31f, 0.19f}, {48.0, 58.0, 32.0}, Finish::soil, 0.6},
  };
  return presets;
}

}  // namespace talus
