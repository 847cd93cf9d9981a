// Vertices of cloth in memory, numbered through all worlds. Needs settings and cloth_index in scope.
#include "shared/cloth.h"

uint own_vertex() { return cloth_vertex(element_index(), settings.cloth.vertices, settings.worlds.count); }
uint world_of_vertex(uint vertex) { return many_worlds == 0u ? 0u : vertex / settings.cloth.vertices; }
uint slot_of_vertex(uint vertex) { return many_worlds == 0u ? cloth_index[vertex] : world_of_vertex(vertex) * settings.worlds.places + cloth_index[vertex]; }
