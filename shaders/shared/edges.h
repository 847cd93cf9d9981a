// Bodies that parts are taken away from: their holes and rims. What both sides must agree on, hence shared.
#ifndef TALUS_EDGES_H
#define TALUS_EDGES_H
#ifdef __cplusplus
#include "shaders/shared/types.h"
namespace talus::shared {
#define TALUS_CONST constexpr
#else
#define TALUS_CONST const
#endif

TALUS_CONST uint solid_cut = 0x400u;      // added to the kind of a body's first part where a later one is taken away
TALUS_CONST uint solid_cut_bodies = 30u;  // further bit of constant_solid_kinds: there are such bodies

// A surface of such a body is real at a place where there is solid so close below it [share of the distance].
TALUS_CONST float surface_depth = 0.002f;
// Elsewhere its edges are looked for. Surfaces have an edge, or a corner, where the sine of the angle between them is at least this. It is found
// after so many steps of Newton's method at most, as exactly as this [share of the distance].
TALUS_CONST float edge_sine = 0.05f;
TALUS_CONST uint edge_steps = 8u;
TALUS_CONST float edge_exact = 1e-3f;

#ifdef __cplusplus
}  // namespace talus::shared
#endif
#undef TALUS_CONST
#endif
