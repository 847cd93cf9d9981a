#version 460
#extension GL_GOOGLE_include_directive : require
// Do fine grains move at this point in time? They wait while all is slow, or go on before the fastest coarse grain gets too far.
#include "shared/pass.glsl"
#include "shared/scan.h"
#include "shared/fine.h"

layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };
#include "shared/gates.glsl"

void main() {
  if (element_index() != 0u)
    return;
  bool moves = false, sorts = false, last = args.fine.last != 0u;
  if (status.halt == halt_none) {
    status.fine.time += args.fine.span;
    status.fine.travel += args.fine.span * worlds[0].motion.speed;
    float ahead = args.h * float(fine_point) * worlds[0].motion.speed;
    moves = (last && status.fine.time >= 0.999 * settings.fine.step) || status.fine.travel + ahead > settings.fine.travel;
    if (moves) {
      sorts = status.fine.drift + status.fine.travel > settings.density_grid.radius;
      status.fine.drift = sorts ? 0.0 : status.fine.drift + status.fine.travel;
      status.fine.h = status.fine.time;
      status.fine.time = 0.0;
      status.fine.travel = 0.0;
      status.fine.moves += 1u;
    }
  }
  bool coasts = last && !moves && status.halt == halt_none;
  if (moves || coasts) {
    status.fine.body_way_before = status.fine.body_way;
    status.fine.body_way = 0.0;
  }
  uint fine = (args.fine.places + group_size - 1u) / group_size, chunks = scan_chunks_of(grid_cells(settings.near_grid.bits));
  uint move = moves ? 1u : 0u, sort = sorts ? 1u : 0u;
  open(gate_fine, move * fine);
  open(gate_fine_grains, move * ((args.grains + group_size - 1u) / group_size));
  open(gate_fine_chunks, move * chunks);
  open(gate_fine_blocks, move * ((near_blocks(settings.near_grid.bits) + group_size - 1u) / group_size));
  open(gate_fine_density, move * (grid_cells(settings.density_grid.bits) * density_block / group_size));
  open(gate_fine_sort, sort * fine);
  open(gate_fine_sort_chunks, sort * chunks);
  open(gate_fine_coast, coasts ? fine : 0u);
}
