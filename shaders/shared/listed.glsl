// Passes over the slices that activity_list has listed; where grains do not sleep, over all. Needs slice_activity in scope.
// The grain of this thread; args.grains: it has none.
uint listed_grain() {
  uint k = element_index(), slot = k / slice_grains;
  if (sleeping == 0u)
    return k;
  uint listed = slot * slice_grains < args.grains ? slice_activity[slot].listed : 0u;
  return listed == 0u ? args.grains : min((listed - 1u) * slice_grains + k % slice_grains, args.grains);
}
