// Turns the orientations of grains by their spins over the time since the picture before. An orientation stands by the number of its grain,
// which is the same for all of its life, so that it need not follow the grain through the sorting.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "shared/types.h"
#include "shared/draw.h"
#include "shared/rotation.glsl"
layout(local_size_x = group_size) in;

layout(set = 0, binding = 0, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 17, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 18, scalar) writeonly buffer DrawnBlock { DrawnGrain drawn_grains[]; };
layout(set = 0, binding = 19, scalar) buffer OrientationBlock { vec4 orientations[]; };  // quaternions xyzw; 0: not turned yet
layout(push_constant, scalar) uniform Push { uint grain_count; uint ids_end; float time; };

#include "shared/draw_turn.glsl"

void main() {
  uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * group_size + gl_LocalInvocationIndex;
  if (i >= grain_count || grains[i].position.w == 0.0 || grain_id[i] >= ids_end)
    return;
  vec4 orientation = orientations[grain_id[i]];
  if (orientation == vec4(0.0))
    orientation = orientation_at_start(grain_id[i]);
  else
    orientation = then_turned(orientation, turn_for(grain_spin[i].xyz / grains[i].position.w, time));
  orientations[grain_id[i]] = orientation;
  drawn_grains[i].orientation = orientation;
}
