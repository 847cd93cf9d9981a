// The standing record of a body is the sum of what slices that stand do to it in a substep. They do the same in every substep, so that none of
// them runs for it.
uint standing_record(uint body) { return load_words * (load_records * body + load_copies); }
