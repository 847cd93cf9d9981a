#version 460
#extension GL_GOOGLE_include_directive : require
// Marks the cells from which a grain could touch a body before the lists are built again. Sets of bits: in whatever order threads come,
// the same result, and a grain goes through its cell's bodies by number.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 2, scalar) buffer CellBlock { uint body_cells[]; };
#include "shared/solid.glsl"
#include "shared/grid.h"

void main() {
  uint body = element_index() / body_threads, lane = element_index() % body_threads;
  if (body >= settings.bodies || bodies[body].parts == 0u)  // of grains alone
    return;
  vec3 center = bodies[body].motion.position;
  vec3 edge = 1.0 / status.inverse_cell;
  // What a grain in the cell is away from its middle, at most, and how far it looks; and somewhat more, for distances that are
  // interpolated and for rounding.
  float reach = 1.01 * (0.5 * length(edge) + 1.5 * settings.radius_max + status.margin);
  float around = bodies[body].reach + settings.radius_max + status.margin;
  precise vec3 low = (center - around - settings.domain_min) * status.inverse_cell;
  precise vec3 high = (center + around - settings.domain_min) * status.inverse_cell;
  ivec3 first = ivec3(floor(clamp(low, vec3(-1e6), vec3(1e6)))), last = ivec3(floor(clamp(high, vec3(-1e6), vec3(1e6))));
  // The table repeats: an axis with more cells than it, or than the period, is walked once, and all that lies there is marked.
  ivec3 table = ivec3(uvec3(1u) << settings.grid_bits), count;
  bool exact = true;
  for (int a = 0; a < 3; ++a) {
    int most = status.cells[a] > 0 ? status.cells[a] : table[a];
    count[a] = last[a] - first[a] + 1;
    if (count[a] > most) {
      exact = false;
      first[a] = 0;
      count[a] = most;
    }
  }
  uint words = body_words(settings.bodies), cells = uint(count.x) * uint(count.y) * uint(count.z);
  for (uint k = lane; k < cells; k += body_threads) {
    ivec3 cell = first + ivec3(k % uint(count.x), k / uint(count.x) % uint(count.y), k / uint(count.x) / uint(count.y));
    if (exact) {
      precise vec3 middle = settings.domain_min + (vec3(cell) + 0.5) * edge;
      if (from_body(body, middle - center).w > reach)
        continue;
    }
    for (int a = 0; a < 3; ++a)
      if (status.cells[a] > 0)
        cell[a] = (cell[a] % status.cells[a] + status.cells[a]) % status.cells[a];
    // Worlds share their bodies, and are shifted against each other in the table.
    uint key = grid_key(cell, 0u, settings.grid_bits);
    atomicOr(body_cells[key * words + body / 32u], 1u << (body % 32u));
  }
}
