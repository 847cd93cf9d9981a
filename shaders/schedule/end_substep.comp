#version 460
#extension GL_GOOGLE_include_directive : require
// How far grains may have moved since the lists were built, and the count of substeps; or the halt, where a grain's state is not a number
// any more. One workgroup, so that all worlds are seen before anything is counted.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer SpeedBlock { float body_speeds[]; };

shared uint invalid;

void pass_substep(uint world) {
  worlds[world].speed = sqrt(uintBitsToFloat(worlds[world].speed2_bits));
  worlds[world].speed2_bits = 0u;
  worlds[world].shift = uintBitsToFloat(worlds[world].shift_bits);
  worlds[world].shift_bits = 0u;
  worlds[world].cloth_half = uintBitsToFloat(worlds[world].cloth_half_bits);
  worlds[world].cloth_half_bits = 0u;
  worlds[world].travel += args.h * max(worlds[world].speed, body_speeds[step_of_batch * settings.worlds.count + world]) + worlds[world].shift;
  worlds[world].age += 1u;
}

void main() {
  uint lane = gl_LocalInvocationID.x, halt = status.halt;
  if (lane == 0u)
    invalid = 0u;
  barrier();
  for (uint world = lane; world < settings.worlds.count; world += group_size)
    if (worlds[world].invalid != no_grain)
      atomicOr(invalid, 1u);
  barrier();
  if (halt == halt_none && invalid == 0u)
    for (uint world = lane; world < settings.worlds.count; world += group_size)
      pass_substep(world);
  if (lane != 0u || halt != halt_none)
    return;
  if (invalid != 0u) {
    status.halt = halt_invalid;
    return;
  }
  float body_speed = body_speeds[step_of_batch * settings.worlds.count];
  precise float body_way = args.h * (settings.bodies.rigid > 0u ? max(worlds[0].speed, body_speed) : body_speed);
  status.body_way += body_way;
  status.substep += 1u;
  status.substeps_done += 1u;
}
