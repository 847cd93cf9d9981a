#version 460
#extension GL_GOOGLE_include_directive : require
// Are there slots enough, and room in the stash? If not, everything after this does nothing until the host has grown them and repeats the substep. One
// workgroup.
#include "shared/pass.glsl"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer StartBlock { uint slice_start_next[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
layout(set = 0, binding = 4, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) writeonly buffer GrainsNextBlock { Grain grains_next[]; };
layout(set = 0, binding = 8, scalar) readonly buffer GridStartBlock { uint grid_start[]; };
layout(set = 0, binding = 6, scalar) readonly buffer BodyBlock { Body bodies[]; };
layout(set = 0, binding = 7, scalar) writeonly buffer ListedBlock { BodyMotion body_listed[]; };
#include "shared/grid.h"
#include "shared/next_row.glsl"
#include "shared/rebuilt.glsl"

shared uint most, most_stashed;  // rows of a world, and contacts in its stash

void main() {
  uint lane = gl_LocalInvocationID.x;
  if (status.halt != halt_none || status.rebuild == 0u)
    return;
  if (lane == 0u)
    most = most_stashed = 0u;
  barrier();
  for (uint k = lane; k < status.rebuild; k += group_size) {
    uint world = rebuilding[k], end = (places_end(world) + slice_grains - 1u) / slice_grains;
    uint rows = next_row(end, world) - world * settings.worlds.rows;
    worlds[world].slots = rows * slice_grains;
    atomicMax(most, rows);
    atomicMax(most_stashed, worlds[world].stashed);
  }
  barrier();
  bool fits = most <= settings.worlds.rows && most_stashed <= settings.worlds.stash;
  // Where they do not fit, grains are sorted anew and plan has set the margin: the repeated substep must build again.
  for (uint k = lane; k < status.rebuild; k += group_size) {
    uint world = rebuilding[k];
    worlds[world].travel = fits ? 0.0 : lists_void;
    worlds[world].age = 0u;
    if (fits)
      worlds[world].listed = places_end(world) - world * settings.worlds.places;
  }
  bool mends = fits && settings.grid.incremental != 0u;
  if (lane == 0u && mends) {
    worlds[0].count = grid_start[grid_cells(settings.grid.bits)];
    worlds[0].linked = 0u;
    worlds[0].mend_wait -= min(worlds[0].mend_wait, 1u);
  }
  for (uint body = lane; body < settings.bodies.count && mends; body += group_size)
    body_listed[body] = bodies[body].motion;
  for (uint g = lane; g < gates_total && !fits; g += group_size)
    gates[g] = Dispatch(0u, 0u, 1u);
  // Exchanges of the two that are recorded after this then need no undoing.
  for (uint i = lane; i < args.grains && !fits; i += group_size)
    grains_next[i] = grains[i];
  if (lane != 0u)
    return;
  status.slots = most * slice_grains;
  status.stashed = most_stashed;
  if (fits)
    status.rebuilds += 1u;
  else
    status.halt = halt_slots;
}
