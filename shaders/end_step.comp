#version 460
#extension GL_GOOGLE_include_directive : require
// The count of steps; grains that come and go make the lists void.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };

void main() {
  if (element_index() != 0u || status.halt != halt_none)
    return;
  status.step += 1u;
  status.substep = 0u;
  if (args.births > 0u)
    status.speed = max(status.speed, settings.birth_speed);
  if (args.births > 0u || status.gone != status.gone_before)
    status.travel = lists_void;
  status.gone_before = status.gone;
}
