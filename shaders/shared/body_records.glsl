// The sum of a body's records, by a workgroup. Needs body_sums in scope, and that it may be written.
#include "shared/whole.glsl"
#include "shared/standing.glsl"
shared uint sum_low[6], sum_high[6], sum_word;

float sum_of(uint n) { return whole(sum_low[n], sum_high[n]); }

vec3 sums_of(uint n) { return vec3(sum_of(n), sum_of(n + 1u), sum_of(n + 2u)); }

// All threads call it. The records' sums begin anew, and so does one more word of each, whose sum is sum_word.
void take_records(uint body, uint word_too) {
  uint lane = gl_LocalInvocationID.x;
  if (lane == 0u)
    sum_word = 0u;
  if (lane < 6u)
    sum_low[lane] = sum_high[lane] = 0u;
  barrier();
  uint records = load_words * load_records * body;
  for (uint k = lane; k < 6u * load_copies; k += group_size) {
    uint n = k % 6u, word = records + load_words * (k / 6u) + 2u * n;
    uint low = body_sums[word], before = atomicAdd(sum_low[n], low);
    atomicAdd(sum_high[n], body_sums[word + 1u] + (before > ~low ? 1u : 0u));
    body_sums[word] = body_sums[word + 1u] = 0u;
  }
  for (uint copy = lane; copy < load_copies; copy += group_size) {
    uint word = records + load_words * copy + word_too;
    atomicAdd(sum_word, body_sums[word]);
    body_sums[word] = 0u;
  }
  barrier();
}

// To what take_records has found: the standing record so often. All threads call it.
void add_standing(uint body, uint often) {
  if (sleeping == 0u)
    return;
  uint n = gl_LocalInvocationID.x, word = standing_record(body) + 2u * n;
  if (n < 6u) {
    uvec2 words = times(uvec2(body_sums[word], body_sums[word + 1u]), often);
    sum_low[n] += words.x;
    sum_high[n] += words.y + (sum_low[n] < words.x ? 1u : 0u);
  }
  barrier();
}
