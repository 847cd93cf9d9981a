// The contacts of a grain: slot of its k-th one. Needs slice_start in scope.
uint contact_slot(uint i, uint k) { return (slice_start[i / slice_grains] + k) * slice_grains + i % slice_grains; }
#include "shared/contact_geometry.glsl"
