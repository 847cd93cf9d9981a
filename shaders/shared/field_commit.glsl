// Brings the sorted elements of a field back under its own name. Needs what field_gather.glsl needs, but FROM and number_of().
layout(set = 0, binding = 2, scalar) writeonly buffer FollowedBlock { uint followed[]; };
layout(set = 0, binding = 3, scalar) readonly buffer FollowedNextBlock { uint followed_next[]; };
#include "shared/field_words.glsl"

void main() {
  uint first = first_of_group(), words = words_from(first);
  for (uint w = gl_LocalInvocationID.x; w < words; w += group_size)
    followed[first * args.followed.words + w] = followed_next[first * args.followed.words + w];
}
