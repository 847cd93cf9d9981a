// Rows that are to be searched again: several grains, and bodies, may want the same. Needs contact_count_next in scope.
void want_row(uint i) { atomicExchange(contact_count_next[i], row_wanted); }
