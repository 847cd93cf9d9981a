// The prefix sum over the slices of the worlds that rebuild: where the rows of each begin.
layout(set = 0, binding = 4, scalar) readonly buffer StatusBlock { Status status; };
#define DATA slice_width
#define SUMS slice_sums
#define START slice_start_next
#define LENGTH (many_worlds == 0u ? (args.grains + slice_grains - 1u) / slice_grains : status.lists.rebuilding * (settings.worlds.places / slice_grains))
