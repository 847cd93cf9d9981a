// Words of a field in the places of a workgroup, which are of one world and lie one after another. Needs the name PLACES.
uint words_from(uint first) { return first < PLACES ? min(group_size, PLACES - first) * args.followed.words : 0u; }
