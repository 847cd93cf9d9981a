// Elements of a field that follows grains, in their new order; where no grain goes, what the field starts with. The field is
// args.followed.field, whatever its type: its words, of which neighbouring threads take neighbouring ones. Needs first_of_group() and
// number_of(place), which is that in its world, and the names FROM, of the field that says where each place's grain comes
// from, and PLACES, how many there are.
layout(set = 0, binding = 2, scalar) readonly buffer FollowedBlock { uint followed[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer FollowedNextBlock { uint followed_next[]; };
#include "shared/field_words.glsl"

void main() {
  uint first = first_of_group(), words = words_from(first);
  for (uint w = gl_LocalInvocationID.x; w < words; w += group_size) {
    uint place = first + w / args.followed.words, from = FROM[place];
    uint start = args.followed.start == start_place ? number_of(place) : args.followed.start == start_none ? ~0u : 0u;
    followed_next[first * args.followed.words + w] = from == no_grain ? start : followed[from * args.followed.words + w % args.followed.words];
  }
}
