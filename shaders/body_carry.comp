#version 460
#extension GL_GOOGLE_include_directive : require
// Puts the grains that stand for the skin of bodies where those are at the start of the substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer IdBlock { uint grain_id[]; };
layout(set = 0, binding = 4, scalar) readonly buffer CarriedBlock { Carried carried[]; };
#include "shared/solid.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains || status.halt != halt_none || grain_id[i] - settings.carried_first >= settings.carried)
    return;
  Carried c = carried[grain_id[i] - settings.carried_first];
  BodyMotion m = bodies[world_of(i) * settings.bodies + c.body].motion;
  vec3 offset = rotated(m.rotation, c.place), p = m.position + offset;
  for (int a = 0; a < 3; ++a)
    if (settings.axis[a] == axis_periodic) {
      float edge = settings.domain_max[a] - settings.domain_min[a];
      p[a] -= edge * floor((p[a] - settings.domain_min[a]) / edge);
    }
  grains[i].position.xyz = p;
  grains[i].velocity.xyz = m.velocity + cross(m.spin, offset);
}
