#pragma once
// What a scene means to the passes: the constant fields, and a grain's record.
#include "engine/fields.h"
#include "engine/scene/scene.h"

namespace talus {

double substep_of(const Scene& scene);  // s

Grain grain_of(const Scene& scene, const Seed& seed);

// Throws SceneError where a periodic axis is too short for the neighbour grid, or the grid too large for the device.
Settings settings_of(const Scene& scene, const Population& population);

// [a (materials + 1) + b]: contact law of materials a and b; the last row and column is the wall. Friction of two
// materials is the geometric mean, stiffness and damping are those of two springs in a row. The wall's friction is the
// domain's.
std::vector<PairLaw> pair_laws_of(const Scene& scene);

}  // namespace talus
