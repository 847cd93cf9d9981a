#version 460
#extension GL_GOOGLE_include_directive : require
// No grain in any cell, where all bodies could be then, and no contact of a dynamic body.
#include "shared/pass.glsl"
#include "shared/grid.h"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 1, scalar) writeonly buffer CellBlock { uint body_cells[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer ContactsBlock { uint body_contacts[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 3, scalar) writeonly buffer TakenBlock { uint cell_taken[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint k = element_index(), cells = grid_cells(settings.grid_bits), table = k / cells;
  if (table >= settings.worlds || rebuilding[table] >= settings.worlds)
    return;
  cell_taken[k] = 0u;
  uint words = body_words(settings.bodies), body = k - table * cells;
  for (uint word = 0u; word < words; ++word)
    body_cells[k * words + word] = body_word_of_all(settings.bodies, word);
  if (settings.rigid > 0u && body < settings.bodies && status.rebuild > 0u)  // fewer than cells; mended lists keep count
    body_contacts[rebuilding[table] * settings.bodies + body] = 0u;
}
