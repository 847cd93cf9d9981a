// Margins and grids of lists, and the gates of what makes them. Needs settings, status, worlds, gates and body_speeds in scope.
#include "shared/grid.h"
#include "shared/scan.h"
#include "shared/gates.glsl"

#include "shared/laws/dialect.h"
#include "shared/laws/skin.h"

void new_grid(uint world, Motion motions) {
  worlds[world].grid.low = ivec3(cells_none);
  worlds[world].grid.high = ivec3(-cells_none);
  worlds[world].lists.history = 0u;
  float radius = worlds[world].radius, reach = settings.contacts.reach * radius, motion = motions.steady + motions.more;
  float skin = margin_of_new(motions, radius, reach);
  worlds[world].lists.skin = skin;
  // Within its reach a grain meets two cells of cloth along an axis; a little more for the sake of rounding.
  float cloth_reach = max(radius, settings.cloth.radius) + settings.cloth.radius + worlds[world].cloth.half_edge + motion + skin;
  worlds[world].cloth.reach = cloth_reach;
  float cloth_cell = 2.002 * cloth_reach;
  // A periodic axis is long enough for three cells, so that no two of a cell's neighbours are the same (period_least).
  vec3 edge = settings.domain.max - settings.domain.min;
  for (int a = 0; a < 3; ++a) {
    float cell = 2.0 * radius + skin, coarse = cloth_cell;
    int cells = 0, cloth_cells = 0;
    if (settings.domain.axis[a] == axis_periodic) {
      cells = max(3, cells_along(edge[a], cell));
      cell = edge[a] / float(cells);
      cloth_cells = max(1, cells_along(edge[a], cloth_cell));
      coarse = edge[a] / float(cloth_cells);
    }
    worlds[world].grid.cells[a] = cells;
    worlds[world].cloth.cells[a] = cloth_cells;
    worlds[world].grid.inverse_cell[a] = 1.0 / cell;
    worlds[world].cloth.inverse_cell[a] = 1.0 / coarse;
  }
}

Motion motion_of(uint world) {
  float speed = max(worlds[world].motion.speed, body_speeds[step_of_batch * settings.worlds.count + world]);
  float pull = length(settings.domain.gravity) + (args.hand.held > 0u ? hand_acceleration : 0.0);
  return Motion(args.h * speed, args.h * args.h * pull + worlds[world].motion.shift);
}

// Opens the gates of what makes the lists of so many worlds, or closes them.
void open_rebuild(uint count) {
  uint on = min(count, 1u), grains = many_worlds == 0u ? on * args.grains : count * settings.worlds.places;
  uint slices = (grains + slice_grains - 1u) / slice_grains, cells = count * grid_cells(settings.grid.bits);
  open(gate_rebuild_grains, groups_for(grains));
  open(gate_rebuild_cell_chunks, on * scan_chunks_of(cells));
  open(gate_rebuild_bodies, count * settings.bodies.count * body_threads / group_size);
  open(gate_rebuild_cells, groups_for(cells));
  open(gate_rebuild_once, count);
  open(gate_rebuild_slice_chunks, on * scan_chunks_of(slices));
}
