#version 460
#extension GL_GOOGLE_include_directive : require
// The count of steps; grains that go make the lists void, and may have borne sleepers. A thread per world.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };

void main() {
  uint world = element_index();
  if (world >= settings.worlds.count || status.halt != halt_none)
    return;
  if (worlds[world].population.gone != worlds[world].population.gone_before) {
    worlds[world].lists.travel = lists_invalid;
    worlds[world].disturbed = 1u;
  }
  worlds[world].population.gone_before = worlds[world].population.gone;
  if (world != 0u)
    return;
  status.fine.born += status.fine.released;
  status.fine.released = 0u;
  status.step += 1u;
  status.substep = 0u;
}
