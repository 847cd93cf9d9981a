#version 460
#extension GL_GOOGLE_include_directive : require
// How far grains may have moved since the lists were built, and the count of substeps; or the halt, where a grain's state is not a number
// any more. One workgroup, so that all worlds are seen before anything is counted.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer SpeedBlock { float body_speeds[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
#include "shared/gates.glsl"

shared uint invalid;

void pass_substep(uint world) {
  worlds[world].motion.speed = sqrt(uintBitsToFloat(worlds[world].motion.speed2_bits));
  worlds[world].motion.speed2_bits = 0u;
  worlds[world].motion.shift = uintBitsToFloat(worlds[world].motion.shift_bits);
  worlds[world].motion.shift_bits = 0u;
  worlds[world].cloth.half_edge = uintBitsToFloat(worlds[world].cloth.half_bits);
  worlds[world].cloth.half_bits = 0u;
  worlds[world].lists.travel += args.h * max(worlds[world].motion.speed, body_speeds[step_of_batch * settings.worlds.count + world]) + worlds[world].motion.shift;
  worlds[world].lists.age += 1u;
  worlds[world].clock += 1u;
  worlds[world].disturbed = 0u;
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
  precise float body_way = args.h * (settings.bodies.rigid > 0u ? max(worlds[0].motion.speed, body_speed) : body_speed);
  status.fine.body_way += body_way;
  uint slices_before = status.activity.slices_low;
  status.activity.slices_low += status.activity.listed;
  status.activity.slices_high += status.activity.slices_low < slices_before ? 1u : 0u;
  status.substep += 1u;
  if (status.substep == args.substeps)
    open(gate_step_end, max(settings.worlds.count * settings.bodies.count, groups_for(settings.worlds.count)));
  status.substeps_done += 1u;
}
