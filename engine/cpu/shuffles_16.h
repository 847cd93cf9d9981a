#pragma once
// What depends on the number of lanes: sixteen.
#include "engine/cpu/lanes.h"

namespace talus::cpu::lanes_16 {

inline constexpr ints lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Bit k: lane k of a mask.
inline uint bits_of(ints mask) {
  return _mm512_movepi32_mask((__m512i)mask);
}

using Row8 = float __attribute__((vector_size(32)));  // of a matrix

inline floats join(Row8 a, Row8 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// Rows to columns of two matrices of 8 x 8, in the lower and in the upper lanes; its own inverse.
inline void transpose(floats (&m)[8]) {
  floats t[8], u[8];
  for (uint k = 0; k < 8; k += 2) {
    t[k] = __builtin_shufflevector(m[k], m[k + 1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
    t[k + 1] = __builtin_shufflevector(m[k], m[k + 1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
  for (uint k = 0; k < 8; k += 4)
    for (uint j = 0; j < 2; ++j) {
      const floats a = t[k + j], b = t[k + j + 2];
      u[k + 2 * j] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      u[k + 2 * j + 1] = __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
  for (uint k = 0; k < 4; ++k) {
    m[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    m[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
}

// place(k): of lane k.
template <class Place> Grains load_grains(Place place) {
  floats m[8];
  for (uint k = 0; k < 8; ++k)
    m[k] = join(load<Row8>(place(k)), load<Row8>(place(k + 8)));
  transpose(m);
  return {{m[0], m[1], m[2]}, m[3], {m[4], m[5], m[6]}, m[7]};
}
// place(k): where lane k goes, of the first `count`.
template <class Place> void store_grains(Place place, uint count, const Grains& g) {
  floats m[8] = {g.position.x, g.position.y, g.position.z, g.radius,
                 g.velocity.x, g.velocity.y, g.velocity.z, g.inverse_mass};
  transpose(m);
  for (uint k = 0; k < std::min(count, 8u); ++k)
    store(place(k), __builtin_shufflevector(m[k], m[k], 0, 1, 2, 3, 4, 5, 6, 7));
  for (uint k = 8; k < count; ++k)
    store(place(k), __builtin_shufflevector(m[k - 8], m[k - 8], 8, 9, 10, 11, 12, 13, 14, 15));
}

// Rows to columns of four matrices of 4 x 4, in four lanes each; its own inverse.
inline void transpose(floats (&m)[4]) {
  const floats a = __builtin_shufflevector(m[0], m[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29),
               b = __builtin_shufflevector(m[0], m[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31),
               c = __builtin_shufflevector(m[2], m[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29),
               d = __builtin_shufflevector(m[2], m[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  m[0] = __builtin_shufflevector(a, c, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  m[1] = __builtin_shufflevector(a, c, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  m[2] = __builtin_shufflevector(b, d, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
  m[3] = __builtin_shufflevector(b, d, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}

using Row4 = float __attribute__((vector_size(16)));

inline Row8 join(Row4 a, Row4 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

// place(k): of lane k.
template <class Place> vecs4 load_spins(Place place) {
  floats m[4];
  for (uint k = 0; k < 4; ++k)
    m[k] = join(join(load<Row4>(place(k)), load<Row4>(place(k + 4))),
                join(load<Row4>(place(k + 8)), load<Row4>(place(k + 12))));
  transpose(m);
  return {{m[0], m[1], m[2]}, m[3]};
}
// place(k): where lane k goes, of the first `count`.
template <class Place> void store_spins(Place place, uint count, const vecs4& s) {
  floats m[4] = {s.xyz.x, s.xyz.y, s.xyz.z, s.w};
  transpose(m);
  Row4 rows[lanes];
  for (uint k = 0; k < 4; ++k) {
    rows[k] = __builtin_shufflevector(m[k], m[k], 0, 1, 2, 3);
    rows[k + 4] = __builtin_shufflevector(m[k], m[k], 4, 5, 6, 7);
    rows[k + 8] = __builtin_shufflevector(m[k], m[k], 8, 9, 10, 11);
    rows[k + 12] = __builtin_shufflevector(m[k], m[k], 12, 13, 14, 15);
  }
  for (uint k = 0; k < count; ++k)
    store(place(k), rows[k]);
}

}  // namespace talus::cpu::lanes_16
