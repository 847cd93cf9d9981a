#version 460
#extension GL_GOOGLE_include_directive : require
// Triangles of cloth in the order of their cells, each in the one that the middle of its box lies in. They have a grid of their own, since
// they may be much larger than grains, or smaller. A workgroup for each world that rebuilds its lists: a thread has a hundred triangles of a
// large cloth.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 4, scalar) coherent buffer ShapeBlock { uint shape_data[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PlaceBlock { uint cloth_index[]; };
#include "shared/space.glsl"
#include "shared/cloth.glsl"
#include "shared/cloth_slot.glsl"
#include "shared/cloth_box.glsl"
#include "shared/cloth_cell.glsl"
#include "shared/rebuilt.glsl"

shared uint before[group_size];  // triangles in the cells of the threads before

void wait() {
  memoryBarrierBuffer();
  barrier();
}

uint world;

uint key_of(uint triangle) {
  uint first = slot_of_vertex(triangle_corner(triangle, 0u));
  Box box = box_of(triangle);
  precise vec3 middle = grains[first].position.xyz + 0.5 * (box.low + box.high);
  return cloth_key(cloth_cell_of(middle, world));
}

void main() {
  uint lane = gl_LocalInvocationID.x, cells = grid_cells(settings.cloth.bits);
  world = rebuilding[group_index()];
  uint first = world * settings.cloth.triangles, last = first + settings.cloth.triangles;
  for (uint c = lane; c <= cells; c += group_size)
    shape_data[start_word(world, c)] = c == 0u ? first : 0u;
  wait();
  for (uint t = first + lane; t < last; t += group_size)
    atomicAdd(shape_data[start_word(world, key_of(t) + 1u)], 1u);
  wait();
  uint each = (cells + group_size - 1u) / group_size, begin = min(lane * each, cells), end = min(begin + each, cells), sum = 0u;
  for (uint c = begin; c < end; ++c)
    sum += shape_data[start_word(world, c + 1u)];
  before[lane] = sum;
  barrier();
  sum = first;
  for (uint other = 0u; other < lane; ++other)
    sum += before[other];
  for (uint c = begin; c < end; ++c) {
    uint count = shape_data[start_word(world, c + 1u)];
    shape_data[start_word(world, c + 1u)] = sum;  // where cell c begins, and after the next loop where it ends
    sum += count;
  }
  wait();
  for (uint t = first + lane; t < last; t += group_size)
    shape_data[order_word(atomicAdd(shape_data[start_word(world, key_of(t) + 1u)], 1u))] = t;
  wait();
  // Chance has ordered those of a cell.
  for (uint c = begin; c < end; ++c)
    for (uint k = shape_data[start_word(world, c)]; k < shape_data[start_word(world, c + 1u)]; ++k) {
      uint t = shape_data[order_word(k)], at = k;
      for (; at > shape_data[start_word(world, c)] && shape_data[order_word(at - 1u)] > t; --at)
        shape_data[order_word(at)] = shape_data[order_word(at - 1u)];
      shape_data[order_word(at)] = t;
    }
}
