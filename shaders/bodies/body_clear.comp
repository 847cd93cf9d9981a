#version 460
#extension GL_GOOGLE_include_directive : require
// No grain in any cell, where all bodies could be then, and no contact of a dynamic body. Where lists are rebuilt incrementally: no body in the
// cells that have had grains since all lists were built; elsewhere all could be already.
#include "shared/pass.glsl"
#include "shared/grid.h"

layout(set = 0, binding = 1, scalar) writeonly buffer CellListBlock { uint cell_lists[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer ContactsBlock { uint body_contacts[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 3, scalar) buffer TakenBlock { uint cell_taken[]; };
#include "shared/rebuilt.glsl"

void main() {
  uint k = element_index(), cells = grid_cells(settings.grid.bits), table = k / cells;
  if (table >= settings.worlds.count || rebuilding[table] >= settings.worlds.count)
    return;
  uint words = body_words(settings.bodies.count), body = k - table * cells;
  bool whole = status.lists.rebuilding > 0u;
  if (!whole && cell_taken[k] == 0u)
    return;
  for (uint word = 0u; word < words; ++word)
    cell_lists[k * words + word] = whole ? body_word_of_all(settings.bodies.count, word) : 0u;
  if (!whole)  // incrementally rebuilt lists keep count of contacts
    return;
  cell_taken[k] = 0u;
  if (settings.bodies.rigid > 0u && body < settings.bodies.count)  // fewer than cells
    body_contacts[rebuilding[table] * settings.bodies.count + body] = 0u;
}
