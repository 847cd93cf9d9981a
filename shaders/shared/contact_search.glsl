// Walks over everything that grain i may touch before the lists are built again: grains, triangles of cloth, then bodies, then walls.
// Calls FOUND(partner) for each. Needs what the search for grains needs.
#include "shared/grain_search.glsl"
#include "shared/solid.glsl"
#ifndef INCREMENTAL
#include "shared/cloth_cell.glsl"
#endif

#if !defined(LINKED) && !defined(INCREMENTAL)  // which have it from the search for grains
layout(set = 0, binding = 13, scalar) readonly buffer CellListBlock { uint cell_lists[]; };
#endif

#ifndef INCREMENTAL
// May grain i, vertex `self`, touch triangle t of cloth? Where it comes near the box around it.
bool near_triangle(uint i, uint self, uint t, vec3 p, float radius) {
  vec3 low = vec3(1e30), high = vec3(-1e30);
  for (uint k = 0u; k < 3u; ++k) {
    uint j = place_of_vertex(triangle_corner(t, k));
    if (j == i)
      return false;
    precise vec3 from = grains[j].position.xyz - p;
    from = shortest(from);
    low = min(low, from);
    high = max(high, from);
  }
  uint own = triangle_corner(t, 0u);
  if (self < settings.cloth.vertices && cloth_of_vertex(own) >= cloth_apart && cloth_of_vertex(self) == cloth_of_vertex(own))
    return false;
  precise float reach = radius + grains[place_of_vertex(own)].position.w + skin;
  precise float limit = reach * reach;
  return squared(max(max(low, -high), vec3(0.0))) < limit;
}

// Triangles that grain i may touch, in the cells, two along each axis, that its reach meets.
void search_triangles(uint i, uint self) {
  vec3 p = grains[i].position.xyz;
  precise vec3 corner = p - vec3(worlds[world].cloth.reach);
  ivec3 low = cloth_cell_of(corner, world), last = ivec3(1);
  for (int a = 0; a < 3; ++a) {  // on a periodic axis the two may share a place in the table
    int next = grid_wrap(low[a] + 1, worlds[world].cloth.cells[a]);
    last[a] = ((low[a] ^ next) & ((1 << settings.cloth.bits[a]) - 1)) != 0 ? 1 : 0;
  }
  for (int z = 0; z <= last.z; ++z)
    for (int y = 0; y <= last.y; ++y)
      for (int x = 0; x <= last.x; ++x) {
        ivec3 cell = low + ivec3(x, y, z);
        for (int a = 0; a < 3; ++a)
          cell[a] = grid_wrap(cell[a], worlds[world].cloth.cells[a]);
        uint key = cloth_key(cell), end = shape_data[start_word(world, key + 1u)];
        for (uint k = shape_data[start_word(world, key)]; k < end; ++k) {
          uint t = shape_data[order_word(k)];
          if (near_triangle(i, self, t, p, grains[i].position.w)) {
            FOUND(triangle_contact(t, face_unknown));
          }
        }
      }
}

#endif

void search_others(uint i) {
  float radius = grains[i].position.w;
  vec3 p = PLACE(i).xyz, v = abs(grains[i].velocity.xyz);
#ifndef INCREMENTAL
  if (with_cloth != 0u)
    search_triangles(i, vertex_of(i));
#endif
  uint words = solid_kinds != 0u ? body_words(settings.bodies.count) : 0u, cell = words > 0u ? key_at(cell_of(p, world)) * words : 0u;
  for (uint word = 0u; word < words; ++word)
    for (uint bits = cell_lists[cell + word]; bits != 0u; bits &= bits - 1u) {
      uint body = world * settings.bodies.count + 32u * word + uint(findLSB(bits));
      if (bodies[body].parts == 0u)  // of grains alone
        continue;
      precise vec3 offset = p - bodies[body].motion.position;
      offset = shortest(offset);
      uint nearest;
      if (from_body(body, offset, nearest).w >= radius + skin)
        continue;
      if (only_triangles(body) && is_hollow(solid_part(bodies[body].first_part), in_body(body, offset), radius + skin)) {
        for (uint s = 1u; s <= hollow_surfaces; ++s) {
          FOUND(surface_partner(body, s));
        }
        continue;
      }
      // Of a body of several parts all surfaces that may turn out to be the nearest one, or a second one in a corner.
      uint parts = composed() ? bodies[body].parts : 1u;
      for (uint k = 0u; k < parts; ++k) {
        uint surfaces = surfaces_of(part_kind(bodies[body].first_part + k));
        for (uint s = part_surfaces * k; s < part_surfaces * k + surfaces; ++s) {
          float d = s == nearest ? 0.0 : from_body_surface(body, s, offset).w;
          if (d > -skin && d < radius + skin) {
            FOUND(surface_partner(body, s));
          }
        }
      }
    }
  // A wall may be hit by a grain faster than the skin allows for: it is found all the same. (Where three walls meet, averaging
  // leaves such a grain outside for some substeps.)
  precise float reach = radius + skin + 2.0 * args.h * (v.x + v.y + v.z);
  for (uint wall = 0u; wall < 6u; ++wall)
    if (settings.domain.axis[wall >> 1] == axis_wall && wall_distance(p, wall) < reach) {
      FOUND((wall_partner + wall));
    }
}

void search(uint i) {
  if (grains[i].position.w == 0.0)  // gone
    return;
  look_from(i);
  search_grains(i);
  search_others(i);
}
