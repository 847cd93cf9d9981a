#version 460
#extension GL_GOOGLE_include_directive : require
// Deals out the rows of a workgroup's slices anew where one of them has too few: each gets as many as its longest row needs, and an equal share
// of the others. What was too short is to be searched again. Where the slices have too few rows altogether, all stays as it is.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 3, scalar) buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 4, scalar) buffer StartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) buffer StateBlock { float contact_state[]; };
#include "shared/slots.glsl"
#include "shared/row.h"

const uint slices_each = group_size / slice_grains;
shared uint needs[slices_each];       // rows
shared uint before[slices_each + 1u];  // the first row of each slice so far, and the end of the last one
shared uint unfit, total;

void move_slot(uint from, uint to) {
  contact_partner[to] = contact_partner[from];
  for (uint c = 0u; c < settings.contacts.state_words; ++c)
    contact_state[state_at(to, c)] = contact_state[state_at(from, c)];
}

void main() {
  uint lane = gl_LocalInvocationID.x, own = lane / slice_grains, first = group_index() * group_size, grains = worlds[0].lists.grains;
  if (first >= grains)
    return;
  uint i = first + lane, slice = first / slice_grains, slices = (min(grains - first, group_size) + slice_grains - 1u) / slice_grains;
  uint found = i < grains ? contact_count_next[i] : 0u, count = i < grains ? contact_count[i] : 0u;
  bool is_short = is_unfit(found);
  if (lane == 0u)
    unfit = total = 0u;
  if (lane < slices_each)
    needs[lane] = 0u;
  if (lane <= slices)
    before[lane] = slice_start[slice + lane];
  barrier();
  atomicMax(needs[own], row_needs(found, count));
  if (is_short)
    atomicAdd(unfit, 1u);
  barrier();
  if (lane < slices)
    atomicAdd(total, needs[lane]);
  barrier();
  uint room = before[slices] - before[0];
  if (unfit == 0u || total > room)
    return;
  uint spare = room - total, start = before[0];
  for (uint k = 0u; k < own && k < slices; ++k)
    start += needs[k] + spare / slices + (k < spare % slices ? 1u : 0u);
  // First those that move down, from the first one on, then those that move up, from the last one on: so none is moved onto rows that are still to be
  // moved. A thread has one slot of each row.
  uint from = before[min(own, slices)], rows = own < slices ? min(needs[own], before[own + 1u] - from) : 0u, column = lane % slice_grains;
  for (uint k = 0u; k < slices; ++k) {
    if (own == k && start < from)
      for (uint row = 0u; row < rows; ++row)
        move_slot((from + row) * slice_grains + column, (start + row) * slice_grains + column);
    barrier();
  }
  for (uint k = slices; k > 0u; --k) {
    if (own == k - 1u && start > from)
      for (uint row = rows; row > 0u; --row)
        move_slot((from + row - 1u) * slice_grains + column, (start + row - 1u) * slice_grains + column);
    barrier();
  }
  if (column == 0u && own < slices)
    slice_start[slice + own] = start;
  if (is_short)
    contact_count_next[i] = row_wanted;
  if (lane == 0u)
    atomicAdd(worlds[0].incremental.unfit, 0u - unfit);
}
