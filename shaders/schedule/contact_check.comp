#version 460
#extension GL_GOOGLE_include_directive : require
// Are there slots enough, and room in the history buffer? If not, everything after this does nothing until the host has grown them and repeats the substep. One
// workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 9, scalar) readonly buffer SpinBlock { vec4 grain_spin[]; };
layout(set = 0, binding = 10, scalar) writeonly buffer SpinNextBlock { vec4 grain_spin_next[]; };
layout(set = 0, binding = 8, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 6, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer ListedBlock { BodyMotion body_listed[]; };
#include "shared/grid.h"
#include "shared/next_row.glsl"
#include "shared/rebuilt.glsl"

shared uint most, most_history;  // rows of a world, and contacts in its history buffer

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (status.halt != halt_none || status.lists.rebuilding == 0u)
    return;
  if (lane == 0u)
    most = most_history = 0u;
  barrier();
  for (uint k = lane; k < status.lists.rebuilding; k += group_size) {
    uint world = rebuilding[k], end = (places_end(world) + slice_grains - 1u) / slice_grains;
    uint rows = next_row(end, world) - world * settings.worlds.rows;
    worlds[world].lists.slots = rows * slice_grains;
    atomicMax(most, rows);
    atomicMax(most_history, worlds[world].lists.history);
  }
  barrier();
  bool fits = most <= settings.worlds.rows && most_history <= settings.worlds.history;
  // Where they do not fit, grains are sorted anew and plan has set the skin: the repeated substep must build again.
  for (uint k = lane; k < status.lists.rebuilding; k += group_size) {
    uint world = rebuilding[k];
    worlds[world].lists.travel = fits ? 0.0 : lists_invalid;
    worlds[world].lists.age = 0u;
    if (fits)
      worlds[world].lists.grains = places_end(world) - world * settings.worlds.places;
  }
  bool incremental = fits && settings.grid.incremental != 0u;
  if (lane == 0u && incremental) {
    worlds[0].incremental.sorted = grid_start[grid_cells(settings.grid.bits)];
    worlds[0].incremental.linked = 0u;
    worlds[0].incremental.wait -= min(worlds[0].incremental.wait, 1u);
  }
  for (uint body = lane; body < settings.bodies.count && incremental; body += group_size)
    body_listed[body] = bodies[body].motion;
  for (uint g = lane; g < gates_total && !fits; g += group_size)
    gates[g] = Dispatch(0u, 0u, 1u);
  // Exchanges of the copies that are recorded after this then need no undoing.
  for (uint i = lane; i < args.grains && !fits; i += group_size) {
    grains_next[i] = grains[i];
    if (rotating != rotation_off)
      grain_spin_next[i] = grain_spin[i];
  }
  if (lane != 0u)
    return;
  status.lists.slots = most * slice_grains;
  status.lists.history = most_history;
  if (fits)
    status.lists.rebuilds += 1u;
  else
    status.halt = halt_slots;
}
