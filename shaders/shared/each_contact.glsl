// Walks the contacts of a grain. Needs contact_row.glsl and contact_count in scope, REMEMBERED restore(slot): what a contact remembers (REMEMBERED(0.0)
// or NOTHING_REMEMBERED where there is none), and
// touch(slot, partner, with_grain, contact, remembered). with_grain, whether the partner is a grain, is a constant in each of the two loops, so that
// a loop has no code of the other kind. Passes that define TAKES_MEAN have by_mean() and a flag `counting`: where a grain takes the mean of
// its contacts, what bodies get depends on how many push, and those that are no grains are gone through once more before, to be counted.

// .. for the slots of a row, and none behind its end.
uint partner_until(uint i, uint slot, uint end) { return slot < end ? partner_at(i, slot) : no_partner; }
#ifndef LOADS_LATE
#define LOADS_LATE false
#endif
#ifndef NOTHING_REMEMBERED
#define NOTHING_REMEMBERED REMEMBERED(0.0)
#endif
REMEMBERED restore_until(uint slot, uint end) {
  REMEMBERED remembered = NOTHING_REMEMBERED;
  if (slot < end)
    remembered = restore(slot);
  return remembered;
}

// Calls touch for the contacts of grain i, at p with radius r. Grains come first in a row. Two loops, since threads whose first body is at
// different places of their rows would go through both kinds of contact at each of these places. Memory is far: what the next contact
// takes is on its way while this one is worked on, and to know the grain, its number is a contact ahead of that. With LOADS_LATE only
// numbers are ahead: what the next contact takes holds 4 to 6 registers. Passes define it for devices with few registers, where a SIMD of GCN has 4
// subgroups by it in place of 3. A subgroup takes 3 to 14 % longer by it (latency, by RADV), so that nothing is gained where the number stays.
void each_contact(uint i, vec3 p, float r) {
  uint slot = contact_slot(i, 0u), end = slot + contact_count[i] * slice_grains;
  uint partner = partner_until(i, slot, end), next = partner_until(i, slot + slice_grains, end);
  if (LOADS_LATE) {
    for (; is_grain(partner); slot += slice_grains) {
      uint later = partner_until(i, slot + 2u * slice_grains, end);
      touch(slot, partner, true, contact_with_grain(grains[partner], partner, i, p, r), restore(slot));
      partner = next;
      next = later;
    }
  } else {
    Grain other = grains[is_grain(partner) ? partner : i];
    REMEMBERED remembered = restore_until(slot, end);
    for (; is_grain(partner); slot += slice_grains) {
      uint later = partner_until(i, slot + 2u * slice_grains, end);
      Grain next_other = grains[is_grain(next) ? next : i];
      REMEMBERED next_remembered = restore_until(slot + slice_grains, end);
      touch(slot, partner, true, contact_with_grain(other, partner, i, p, r), remembered);
      partner = next;
      next = later;
      other = next_other;
      remembered = next_remembered;
    }
  }
#ifdef TAKES_MEAN
  uint first = slot;
  counting = by_mean();
#endif
  while (slot < end) {
    partner = partner_at(i, slot);
    if (!is_triangle(partner))
      touch(slot, partner, false, contact_with_other(partner, i, p, r), restore(slot));
    slot += slice_grains;
#ifdef TAKES_MEAN
    if (counting && slot >= end) {
      counting = false;
      slot = first;
    }
#endif
  }
}
