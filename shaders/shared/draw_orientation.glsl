// How a grain is turned in the picture. Needs what draw_grains.glsl needs.
#include "shared/draw_turn.glsl"

layout(set = 0, binding = 16, scalar) readonly buffer DrawnBlock { DrawnGrain drawn_grains[]; };

vec4 orientation_of(uint grain) {
  if (draw_frame.marked == 0u || is_fine(grain))
    return orientation_at_start(number_at(grain));
  return drawn_grains[grain].orientation;
}
