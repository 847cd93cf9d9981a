#version 460
#extension GL_GOOGLE_include_directive : require
// Decides whether this substep needs new neighbour lists, and opens the gates of what is to run.
#include "shared/pass.glsl"
#include "shared/grid.h"
#include "shared/scan.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) writeonly buffer GatesBlock { Dispatch gates[]; };

void open(uint gate, uint groups) {
  gates[gate] = Dispatch(min(groups, dispatch_row), (groups + dispatch_row - 1u) / dispatch_row, 1u);
}

void main() {
  if (element_index() != 0u)
    return;
  if (status.halt != halt_none) {
    for (uint g = 0u; g < gates_total; ++g)
      open(g, 0u);
    return;
  }
  float speed = max(status.speed, args.body_speed);
  float pull = length(settings.gravity) + (args.held > 0u ? hand_acceleration : 0.0);
  float motion = args.h * (speed + args.h * pull) + status.shift;  // m, of the fastest grain in this substep
  bool rebuild = 2.0 * (status.travel + motion) + settings.reach > status.margin || (settings.options & option_rebuild_always) != 0u;
  status.rebuild = rebuild ? 1u : 0u;
  if (rebuild) {
    status.cells_low = ivec3(cells_none);
    status.cells_high = ivec3(-cells_none);
    // Lists that last some 24 substeps, but always the one at hand.
    float radius = settings.radius_max;
    float margin = clamp(24.0 * args.h * speed, margin_rest * radius, margin_motion * radius);
    status.margin = max(margin, min(2.2 * motion + settings.reach, margin_limit * radius));
    // Within its reach a grain meets two cells of cloth along an axis; a little more for the sake of rounding.
    status.cloth_reach = max(radius, settings.cloth_radius) + settings.cloth_radius + status.cloth_half + motion + status.margin;
    float cloth_cell = 2.002 * status.cloth_reach;
    // A periodic axis is long enough for three cells, so that no two of a cell's neighbours are the same (period_least).
    vec3 edge = settings.domain_max - settings.domain_min;
    for (int a = 0; a < 3; ++a) {
      float cell = 2.0 * radius + status.margin, coarse = cloth_cell;
      status.cells[a] = 0;
      status.cloth_cells[a] = 0;
      if (settings.axis[a] == axis_periodic) {
        status.cells[a] = max(3, int(floor(edge[a] / cell)));
        cell = edge[a] / float(status.cells[a]);
        status.cloth_cells[a] = max(1, int(floor(edge[a] / cloth_cell)));
        coarse = edge[a] / float(status.cloth_cells[a]);
      }
      status.inverse_cell[a] = 1.0 / cell;
      status.cloth_inverse_cell[a] = 1.0 / coarse;
    }
  }
  uint slices = (args.grains + slice_grains - 1u) / slice_grains;
  uint on = rebuild ? 1u : 0u;
  open(gate_grains, (args.grains + group_size - 1u) / group_size);
  open(gate_rebuild_grains, on * ((args.grains + group_size - 1u) / group_size));
  open(gate_rebuild_slices, on * ((slices + group_size - 1u) / group_size));
  open(gate_rebuild_cell_chunks, on * scan_chunks_of(grid_cells(settings.grid_bits)));
  open(gate_rebuild_bodies, on * (settings.bodies * body_threads / group_size));
  open(gate_rebuild_body_cells, on * ((grid_cells(settings.grid_bits) * body_words(settings.bodies) + group_size - 1u) / group_size));
  open(gate_rebuild_once, on);
  open(gate_rebuild_slice_chunks, on * scan_chunks_of(slices));
}
