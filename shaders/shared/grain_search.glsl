// Walks over the grains that grain i may touch before the lists are built again: those nearer than the skin. Calls FOUND(partner) for
// each, or FOUND_GRAIN where it is defined. Needs settings, worlds, grains, grain_id and grain_tag in scope, and without LINKED grid_start; with INCREMENTAL, for lists that are
// rebuilt incrementally, list_position, too, and there is no cloth.
#include "shared/cell.glsl"
#if defined(LINKED) || defined(INCREMENTAL)
layout(set = 0, binding = 13, scalar) readonly buffer CellListBlock { uint cell_lists[]; };
#include "shared/cell_lists.glsl"
#endif
#ifndef LINKED
#include "shared/cell_start.glsl"
#endif
#ifdef INCREMENTAL
const uint with_cloth = 0u;
#else
#include "shared/solid.glsl"  // whose shape_data hold the cells of cloth
#include "shared/cloth.glsl"
#endif

// These belong to the grain that looks. look_from sets them, and has to be called before each search.
uint world;
float skin;
bool moves;
void look_from(uint i) {
  world = world_of(i);
  skin = worlds[world].lists.skin;
  moves = grains[i].velocity.w > 0.0;
}

// Number of a vertex of cloth; settings.cloth.vertices and above: of what is none.
uint vertex_of(uint i) { return with_cloth == 0u ? 0xFFFFFFFFu : grain_id[i] - settings.cloth.first; }

#include "shared/may_touch.glsl"

uint key_at(ivec3 cell) { return cell_key(wrapped(cell, world), world); }

#ifndef FOUND_GRAIN
#define FOUND_GRAIN(j) FOUND(j)
#endif
// Calls FOUND_GRAIN for grain j that is near.
#define VISIT(j)                                                                                                            \
  if (near(i, j, p, radius) && vertex_of(j) >= settings.cloth.vertices) { \
    FOUND_GRAIN(j);                                                     \
  }

void search_grains(uint i) {
  vec3 p = PLACE(i).xyz;
  float radius = grains[i].position.w;
  uint self = vertex_of(i);
  ivec3 home = cell_of(p, world);
  // Vertices of cloth touch triangles alone.
  for (int z = -1; z <= 1 && self >= settings.cloth.vertices; ++z)
    for (int y = -1; y <= 1; ++y) {
#if defined(LINKED) || defined(INCREMENTAL)
      for (int x = -1; x <= 1; ++x) {
        uint j = cell_lists[head_at(key_at(home + ivec3(x, y, z)))];
#ifdef INCREMENTAL
        for (; j != link_end; j = cell_lists[link_at(j)] & link_mask) {
#else
        for (; j != no_partner; j = cell_lists[link_at(j)]) {
#endif
          VISIT(j)
        }
      }
#endif
#ifndef LINKED
      // Three cells in a row of x are one stretch of memory, unless the table's or the domain's edge lies between.
      uint first = key_at(home + ivec3(-1, y, z)), last = key_at(home + ivec3(1, y, z));
      bool row = last == first + 2u;
      for (int x = -1; x <= 1; x += row ? 3 : 1) {
        uint key = row ? first : key_at(home + ivec3(x, y, z));
        uint end = first_in_cell((row ? last : key) + 1u, world);
        for (uint j = first_in_cell(key, world); j < end; ++j) {
#ifdef INCREMENTAL
          if (list_position[j].w <= 0.0)  // linked
            continue;
#endif
          VISIT(j)
        }
      }
#endif
    }
}
