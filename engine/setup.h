#pragma once
// What a scene means to the passes: the constant fields, and a grain's record.
#include "engine/fields.h"
#include "engine/scene/scene.h"

namespace talus {

double substep_of(const Scene& scene);  // s

// Does a scene's solver use a field of extent grains or slots? One that it does not use has no elements.
bool uses(const Solver& solver, FieldId field);

Grain grain_of(const Scene& scene, const Seed& seed);

// Throws SceneError where a periodic axis is too short for the neighbour grid, or the grid too large for the device.
Settings settings_of(const Scene& scene, const Population& population);

// [a (materials + 1) + b]: contact law of materials a and b; the last row and column is the wall. Friction and
// adhesion of two materials are geometric means, stiffness and damping those of two springs in a row. The wall's
// friction and adhesion are the domain's.
std::vector<PairLaw> pair_laws_of(const Scene& scene);

}  // namespace talus
