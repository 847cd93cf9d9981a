#version 460
#extension GL_GOOGLE_include_directive : require
// How far grains may have moved since the lists were built, and the count of substeps. A thread per world.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer SpeedBlock { float body_speeds[]; };

void main() {
  uint world = element_index();
  if (world >= settings.worlds || status.halt != halt_none)
    return;
  worlds[world].speed = sqrt(uintBitsToFloat(worlds[world].speed2_bits));
  worlds[world].speed2_bits = 0u;
  worlds[world].shift = uintBitsToFloat(worlds[world].shift_bits);
  worlds[world].shift_bits = 0u;
  worlds[world].cloth_half = uintBitsToFloat(worlds[world].cloth_half_bits);
  worlds[world].cloth_half_bits = 0u;
  worlds[world].travel += args.h * max(worlds[world].speed, body_speeds[step_of_batch * settings.worlds + world]) + worlds[world].shift;
  worlds[world].age += 1u;
  if (world != 0u)
    return;
  float body_speed = body_speeds[step_of_batch * settings.worlds];
  precise float body_way = args.h * (settings.rigid > 0u ? max(worlds[0].speed, body_speed) : body_speed);
  status.body_way += body_way;
  status.substep += 1u;
  status.substeps_done += 1u;
}
