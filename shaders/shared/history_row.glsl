// Rows into the history. Needs worlds and what is in the history in scope.
#include "shared/history.glsl"

shared uint history_here, first_here;  // by the workgroup

// Does a contact remember anything? Triangles do: the face that the grain is on.
bool remembers(uint slot) {
  uint bits = 0u, first = state_at(slot, settings.contacts.kept_first);
  for (uint c = 0u; c < settings.contacts.kept_words; ++c)
    bits |= floatBitsToUint(contact_state[first + c * slice_grains]);
  return bits != 0u || is_triangle(contact_partner[slot]);
}

// Saves what the contacts of a row remember, in slots from `slot` to before `end`, for grain i. All threads of a workgroup call it; slot >= end:
// there is nothing.
void put_aside(bool wanted, uint i, uint slot, uint end) {
  uint lane = gl_LocalInvocationID.x, world = world_of(min(i, args.grains - 1u)), count = 0u;  // that of the workgroup
  if (lane == 0u)
    history_here = 0u;
  barrier();
  for (uint at = slot; at < end; at += slice_grains)
    count += remembers(at) ? 1u : 0u;
  uint entry = count > 0u ? atomicAdd(history_here, count) : 0u;
  barrier();
  if (lane == 0u)
    first_here = history_here > 0u ? atomicAdd(worlds[world].lists.history, history_here) : 0u;
  barrier();
  entry += first_here;
  bool room = entry + count <= settings.worlds.history;  // if not, nothing comes of the new rows
  entry += world * settings.worlds.history;
  if (wanted) {
    history_first[i] = entry;
    history_count[i] = count;
  }
  if (count == 0u || !room)
    return;
  for (uint at = slot; at < end; at += slice_grains) {
    if (!remembers(at))
      continue;
    uint first = state_at(at, settings.contacts.kept_first), to = history_at(entry++);
    history[to] = contact_partner[at];
    for (uint c = 0u; c < settings.contacts.kept_words; ++c)
      history[to + 1u + c] = floatBitsToUint(contact_state[first + c * slice_grains]);
  }
}
