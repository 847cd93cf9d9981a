// Rows that are to be searched again: several grains, and bodies, may want the same. Needs contact_count_next in scope. A body that has
// moved wants bodies and walls alone: which grains are near a grain does not change with it.
void want_row(uint i) { atomicExchange(contact_count_next[i], row_wanted); }
void touch_row(uint i) { atomicMin(contact_count_next[i], row_touched); }
