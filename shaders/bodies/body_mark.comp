#version 460
#extension GL_GOOGLE_include_directive : require
// Marks the cells in which a grain could touch a body before the lists are built again. Sets of bits: in whatever order threads come,
// the same result, and a grain goes through its cell's bodies by number. Where lists are rebuilt incrementally, bodies and walls are to be searched
// for again in the rows of grains near a body that has moved.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer TakenBlock { uint cell_taken[]; };
layout(set = 0, binding = 3, scalar) buffer CellListBlock { uint cell_lists[]; };
layout(set = 0, binding = 1, scalar) readonly buffer StatusBlock { Status status; };
layout(set = 0, binding = 5, scalar) readonly buffer ListedBlock { BodyMotion body_listed[]; };
layout(set = 0, binding = 6, scalar) buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 7, scalar) readonly buffer StartBlock { uint grid_start[]; };
layout(set = 0, binding = 8, scalar) readonly buffer PlaceBlock { vec4 list_position[]; };
#include "shared/solid.glsl"
#include "shared/space.glsl"
#include "shared/cell_lists.glsl"
#include "shared/rebuilt.glsl"
#include "shared/moved.glsl"
#include "shared/displaced.glsl"
#include "shared/want_row.glsl"

uint body, world;
bool moved = false;  // since lists that are being rebuilt incrementally have known of it

uint cells_before() { return worlds[world].lists.table * grid_cells(settings.grid.bits); }

void mark(uint key) {
  uint number = body - world * settings.bodies.count;
  atomicOr(cell_lists[(cells_before() + key) * body_words(settings.bodies.count) + number / 32u], 1u << (number % 32u));
  if (!moved)
    return;
  for (uint i = cell_lists[head_at(key)]; i != link_end; i = cell_lists[link_at(i)] & link_mask)
    touch_row(i);
  for (uint i = grid_start[key]; i < grid_start[key + 1u]; ++i)
    if (list_position[i].w > 0.0)
      touch_row(i);
}

// How much further than its radius a grain looks: the skin. Where lists are rebuilt incrementally, marks stay while no body is further than a share of
// half the skin from where the lists know it, so that it may be twice as far from where it was marked.
float mark_margin() {
  precise float margin = (settings.grid.incremental != 0u ? 1.0 + incremental_share : 1.0) * worlds[world].lists.skin;
  return margin;
}

// How far a grain looks in a cube around a place of 2 half_cells cells an edge: what it is away from the middle, at most, its radius and
// the margin of marks; and somewhat more, for distances that are interpolated, more so far from the surface, and for rounding.
float reach_of(float half_cells) {
  precise vec3 edge = 1.0 / worlds[world].grid.inverse_cell;
  precise float reach = 1.01 * (half_cells * (length_of(edge) + 2.0 * worlds[world].radius) + 0.5 * worlds[world].radius + mark_margin());
  return reach;
}

// Distance of the middle of such a cube around `at`, in cells; below every reach where that does not stand for all grains in it: they
// look at the nearer side of the body.
float distance_at(vec3 at, float half_cells) {
  precise vec3 edge = 1.0 / worlds[world].grid.inverse_cell, way = settings.domain.min + at * edge - bodies[body].motion.position;
  way = shortest(way);
  for (int a = 0; a < 3; ++a) {
    precise float turn = 0.5 * (settings.domain.max[a] - settings.domain.min[a]) - half_cells * edge[a];
    if (settings.domain.axis[a] == axis_periodic && abs(way[a]) > turn)
      return -1e30;
  }
  return from_body(body, way).w;
}

void main() {
  uint lane = element_index() % body_threads;
  body = element_index() / body_threads;
  if (body >= settings.worlds.count * settings.bodies.count)
    return;
  world = rebuilding[body / settings.bodies.count];
  if (world >= settings.worlds.count)
    return;
  body = world * settings.bodies.count + body % settings.bodies.count;
  if (bodies[body].parts == 0u)  // of grains alone
    return;
  if (status.lists.rebuilding == 0u)  // lists are rebuilt incrementally
    moved = has_moved(body, worlds[0].incremental.distance) && !too_many_displaced();
  float cell_reach = reach_of(0.5), cube_reach = reach_of(1.0);
  vec4 rotation = bodies[body].motion.rotation;
  precise vec3 center = bodies[body].motion.position + rotated(rotation, bodies[body].box_middle);
  precise vec3 around = half_around(rotation, bodies[body].box_half) + cell_reach;
  precise vec3 low = (center - around - settings.domain.min) * worlds[world].grid.inverse_cell;
  precise vec3 high = (center + around - settings.domain.min) * worlds[world].grid.inverse_cell;
  ivec3 first = ivec3(floor(clamp(low, vec3(-1e6), vec3(1e6)))), last = ivec3(floor(clamp(high, vec3(-1e6), vec3(1e6))));
  for (int a = 0; a < 3; ++a)
    if (worlds[world].grid.cells[a] == 0) {
      first[a] = max(first[a], worlds[world].grid.low[a]);
      last[a] = min(last[a], worlds[world].grid.high[a]);
    } else if (last[a] - first[a] >= worlds[world].grid.cells[a]) {
      first[a] = 0;
      last[a] = worlds[world].grid.cells[a] - 1;
    }
  if (any(lessThan(last, first)))
    return;
  // By cubes of eight cells: one distance for all of them first.
  uvec3 cubes = uvec3(last - first + 2) / 2u;
  uint table = grid_cells(settings.grid.bits);
  if (cubes.x > table / cubes.y / cubes.z) {  // few grains in a wide space: all of them look at the body
    for (uint key = lane; key < table; key += body_threads)
      if (cell_taken[cells_before() + key] != 0u)
        mark(key);
    return;
  }
  bool by_distance = true;  // triangles tell of none as far as this needs
  for (uint part = 0u; part < bodies[body].parts; ++part)
    by_distance = by_distance && (part_kind(bodies[body].first_part + part) & solid_kind_mask) != solid_triangles;
  // Middles of cells are at most this far from that of their cube: nearer to the body, all of them reach it.
  precise float all_reach = cell_reach - 0.5 * length_of(1.0 / worlds[world].grid.inverse_cell);
  for (uint k = lane; k < cubes.x * cubes.y * cubes.z; k += body_threads) {
    ivec3 corner = first + 2 * ivec3(k % cubes.x, k / cubes.x % cubes.y, k / cubes.x / cubes.y);
    ivec3 home = corner;
    for (int a = 0; a < 3; ++a)
      if (worlds[world].grid.cells[a] > 0)
        home[a] = grid_home(corner[a], worlds[world].grid.cells[a]);
    uint keys[8], taken = 0u;
    for (uint c = 0u; c < 8u; ++c) {
      ivec3 cell = home + ivec3(c & 1u, c >> 1 & 1u, c >> 2);
      for (int a = 0; a < 3; ++a)
        cell[a] = grid_wrap(cell[a], worlds[world].grid.cells[a]);
      keys[c] = grid_key(cell, settings.grid.bits);
      taken |= cell_taken[cells_before() + keys[c]] << c;
    }
    if (taken == 0u)
      continue;
    float d = by_distance ? distance_at(vec3(corner) + 1.0, 1.0) : -1e30;
    if (d >= cube_reach)
      continue;
    for (uint c = 0u; c < 8u; ++c)
      if ((taken >> c & 1u) != 0u &&
          (d < all_reach || distance_at(vec3(corner) + vec3(c & 1u, c >> 1 & 1u, c >> 2) + 0.5, 0.5) < cell_reach))
        mark(keys[c]);
  }
}
