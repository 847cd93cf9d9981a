#pragma once
// Distance fields of bodies, seen on a plane.
#include "shaders/shared/draw.h"
#include "viewer/renderer_look.h"
#include <vector>

namespace talus {

// Where the plane is, into the frame, and the signed distances [m] at its nodes, row after row along slice_x. room: m,
// half the edge of what is shown of an endless body.
std::vector<float> cut(shared::DrawFrame& frame, const Scene& scene, const Slice& slice, double room);

}  // namespace talus
