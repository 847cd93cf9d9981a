// Rows of each slice: the longest list of its grains, which lie side by side in a workgroup. Lists that may be rebuilt incrementally have room for more.
// Needs settings and slice_width in scope.
shared uint lengths[group_size];

// All threads of a workgroup call it. there: has this one a grain? length: of its list, or 0.
void widen_slice(bool there, uint length) {
  uint lane = gl_LocalInvocationID.x;
  if (there && settings.grid.incremental != 0u)
    length = max(length + spare_rows, spare_rows_least);
  lengths[lane] = length;
  barrier();
  if (!there || lane % slice_grains != 0u)
    return;
  for (uint k = 1u; k < slice_grains; ++k)
    length = max(length, lengths[lane + k]);
  slice_width[element_index() / slice_grains] = length;
}
