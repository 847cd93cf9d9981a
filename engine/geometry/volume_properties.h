#pragma once
// Volume, centre of mass and inertia of solids, of a density of 1.
#include "engine/geometry/pose.h"
#include "engine/geometry/solid.h"
#include <span>

namespace talus {

// Exact, each in its own frame. A torus must not reach its own axis (tube <= ring).
VolumeProperties volume_properties(const Solid::Box& box);
VolumeProperties volume_properties(const Solid::Sphere& sphere);
VolumeProperties volume_properties(const Solid::Capsule& capsule);
VolumeProperties volume_properties(const Solid::Cone& cone);
VolumeProperties volume_properties(const Solid::Torus& torus);

// In the frame that holds the pose.
VolumeProperties posed(const VolumeProperties& own, const Pose& pose);

// Of solids that do not overlap, all in one frame; zero for none.
VolumeProperties sum_of(std::span<const VolumeProperties> pieces);

// By quadrature within bounds that hold the solid, to some 1e-3 of volume and inertia, down to walls of a hundredth of
// the bounds' longest edge: cells that the surface passes are divided until it is flat in them, or down to 1/256 of
// that edge, with meshes 1/128. Distances from meshes must be right up to a cell at the start, 1/16 of that edge.
VolumeProperties volume_properties(const Solid& solid, const Bounds& bounds);

}  // namespace talus
