// Sums of what bodies receive, or vertices of cloth with SUMS defined as cloth_sums.
#include "shared/partner.h"
#include "shared/whole.glsl"
#ifndef SUMS
#define SUMS body_sums
#endif
// By which records are told apart: the workgroup, or what stands for it.
#ifndef LOAD_GROUP
#define LOAD_GROUP group_index()
#endif
layout(set = 0, binding = 17, scalar) buffer BodySumBlock { uint SUMS[]; };

// A pass may define ADDS_TOO, which is done with each number that is added to a record at its word n, and COUNTS_TOO, which is done where a push is
// too large to be added.
#ifndef ADDS_TOO
#define ADDS_TOO(n, words)
#define COUNTS_TOO
#endif

void add_words(uint word, uvec2 x) {
  uint before = atomicAdd(SUMS[word], x.x);
  atomicAdd(SUMS[word + 1u], x.y + (before > ~x.x ? 1u : 0u));
}

// x: whole, below 2^63.
void add_whole(uint record, uint n, float x) {
  float size = abs(x);
  uint high = uint(size * (1.0 / 4294967296.0));
  uvec2 words = uvec2(uint(size - float(high) * 4294967296.0), high);
  if (x < 0.0)
    words = negative(words);
  add_words(record + n, words);
  ADDS_TOO(n, words)
}

uint record_of(uint partner) {
  return load_words * (load_records * body_of(partner) + LOAD_GROUP % load_copies);
}

// Floats >= 0 sort as their bits, above them what is none.
uint greatest_bits(vec3 v) {
  uvec3 sizes = floatBitsToUint(abs(v));
  return max(sizes.x, max(sizes.y, sizes.z));
}

// A body gets this impulse at a point away from its origin, and a couple [N m s].
void add_to_record(uint record, vec3 point, vec3 impulse, vec3 couple) {
  vec3 force = roundEven(settings.bodies.quanta.x * impulse), torque = roundEven(settings.bodies.quanta.y * (cross(point, impulse) + couple));
  if (max(greatest_bits(force), greatest_bits(torque)) >= floatBitsToUint(4611686018427387904.0)) {
    atomicAdd(SUMS[record + load_uncounted], 1u);
    COUNTS_TOO
    return;
  }
  for (int a = 0; a < 3; ++a) {
    add_whole(record, 2u * uint(a), force[a]);
    add_whole(record, 6u + 2u * uint(a), torque[a]);
  }
}

// A vertex of cloth gets this impulse.
void add_to_vertex(uint vertex, vec3 impulse) {
  uint record = load_words * vertex;
  vec3 force = roundEven(settings.bodies.quanta.x * impulse);
  if (greatest_bits(force) >= floatBitsToUint(4611686018427387904.0)) {
    atomicAdd(SUMS[record + load_uncounted], 1u);
    return;
  }
  for (int a = 0; a < 3; ++a)
    add_whole(record, 2u * uint(a), force[a]);
}

// A contact gave this impulse and this couple to a grain: the body gets the opposite.
void add_load(uint partner, vec3 point, vec3 impulse, vec3 couple) { add_to_record(record_of(partner), point, -impulse, -couple); }
void add_load(uint partner, vec3 point, vec3 impulse) { add_load(partner, point, impulse, vec3(0.0)); }
