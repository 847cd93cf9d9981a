#version 460
#extension GL_GOOGLE_include_directive : require
// Puts the grains that stand for the skin of bodies where those are at the start of the substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) readonly buffer CarriedBlock { Carried carried[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer SpinBlock { vec4 grain_spin[]; };
#include "shared/solid.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || status.halt != halt_none || grain_id[i] - settings.bodies.carried_first >= settings.bodies.carried)
    return;
  Carried c = carried[grain_id[i] - settings.bodies.carried_first];
  BodyMotion m = bodies[world_of(i) * settings.bodies.count + c.body].motion;
  vec3 offset = rotated(m.rotation, c.place), p = m.position + offset;
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic) {
      float edge = settings.domain.max[a] - settings.domain.min[a];
      p[a] -= edge * floor((p[a] - settings.domain.min[a]) / edge);
    }
  grains[i].position.xyz = p;
  grains[i].velocity.xyz = m.velocity + cross(m.spin, offset);
  if (rotating != rotation_off)
    grain_spin[i] = vec4(grains[i].position.w * m.spin, 0.0);
}
