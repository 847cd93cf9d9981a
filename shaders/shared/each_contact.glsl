// Walks the contacts of a grain. Needs contact_row.glsl, contact_count, and touch(slot, partner, contact) in scope.

// Calls touch for the contacts of grain i, at p with radius r. Grains come first in a row. Two loops, since threads whose first body is at
// different places of their rows would go through both kinds of contact at each of these places.
void each_contact(uint i, vec3 p, float r) {
  uint count = contact_count[i], k = 0u;
  for (; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    if (!is_grain(partner))
      break;
    touch(slot, partner, contact_with_grain(partner, i, p, r));
  }
  for (; k < count; ++k) {
    uint slot = contact_slot(i, k), partner = partner_at(i, slot);
    if (!is_triangle(partner))
      touch(slot, partner, contact_with_other(partner, i, p, r));
  }
}
