// From the history to new rows. Needs NAME(partner), the name in the old lists, and what is in the history in scope.
#include "shared/history.glsl"

// What grain i has in the history buffer to the contacts of its new row, in slots from `slot` to before `end`, found by the partner.
void restore(uint i, uint slot, uint end) {
  uint first = history_first[i], last = first + history_count[i], next = first;
  for (; slot < end; slot += slice_grains) {
    // From behind the last one on, most contacts being in the same order as before.
    uint partner = contact_partner[slot], name = without_face(NAME(partner)), from = next;
    bool known = false;
    for (uint looked = first; looked < last && !known; ++looked) {
      from = next;
      next = next + 1u < last ? next + 1u : first;
      known = without_face(history[history_at(from)]) == name;
    }
    if (known && is_triangle(partner))
      contact_partner[slot] = history[history_at(from)];
    uint to = state_at(slot, settings.contacts.kept_first);
    for (uint c = 0u; c < settings.contacts.kept_words; ++c)
      contact_state[to + c * slice_grains] = uintBitsToFloat(known ? history[history_at(from) + 1u + c] : 0u);
  }
}
