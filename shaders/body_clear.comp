#version 460
#extension GL_GOOGLE_include_directive : require
// No body in any cell, no grain, and no contact of a dynamic body.
#include "shared/pass.glsl"
#include "shared/grid.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) writeonly buffer CellBlock { uint body_cells[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer ContactsBlock { uint body_contacts[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer TakenBlock { uint cell_taken[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint k = element_index(), cells = grid_cells(settings.grid_bits), table = k / cells;
  if (table >= settings.worlds || rebuilding[table] >= settings.worlds)
    return;
  cell_taken[k] = 0u;
  uint words = body_words(settings.bodies), body = k - table * cells;
  for (uint word = k * words; word < (k + 1u) * words; ++word)
    body_cells[word] = 0u;
  if (settings.rigid > 0u && body < settings.bodies)  // fewer than cells
    body_contacts[rebuilding[table] * settings.bodies + body] = 0u;
}
