#pragma once
// What depends on the number of lanes: eight.
#include "engine/cpu/lanes.h"

namespace talus::cpu::lanes_8 {

inline constexpr ints lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7};

// Bit k: lane k of a mask.
inline uint bits_of(ints mask) {
  return static_cast<uint>(__builtin_ia32_movmskps256((floats)mask));
}

// Rows to columns of 8 x 8; its own inverse.
inline void transpose(floats (&m)[lanes]) {
  floats t[lanes], u[lanes];
  for (uint k = 0; k < lanes; k += 2) {
    t[k] = __builtin_shufflevector(m[k], m[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[k + 1] = __builtin_shufflevector(m[k], m[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (uint k = 0; k < lanes; k += 4)
    for (uint j = 0; j < 2; ++j) {
      u[k + 2 * j] = __builtin_shufflevector(t[k + j], t[k + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      u[k + 2 * j + 1] = __builtin_shufflevector(t[k + j], t[k + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (uint k = 0; k < lanes / 2; ++k) {
    m[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// place(k): of lane k.
template <class Place> Grains load_grains(Place place) {
  floats m[lanes];
  for (uint k = 0; k < lanes; ++k)
    m[k] = load<floats>(place(k));
  transpose(m);
  return {{m[0], m[1], m[2]}, m[3], {m[4], m[5], m[6]}, m[7]};
}
// place(k): where lane k goes, of the first `count`.
template <class Place> void store_grains(Place place, uint count, const Grains& g) {
  floats m[lanes] = {g.position.x, g.position.y, g.position.z, g.radius,
                     g.velocity.x, g.velocity.y, g.velocity.z, g.inverse_mass};
  transpose(m);
  for (uint k = 0; k < count; ++k)
    store(place(k), m[k]);
}

// Rows to columns of two matrices of 4 x 4, in the lower and in the upper lanes; its own inverse.
inline void transpose(floats (&m)[4]) {
  const floats a = __builtin_shufflevector(m[0], m[1], 0, 8, 1, 9, 4, 12, 5, 13),
               b = __builtin_shufflevector(m[0], m[1], 2, 10, 3, 11, 6, 14, 7, 15),
               c = __builtin_shufflevector(m[2], m[3], 0, 8, 1, 9, 4, 12, 5, 13),
               d = __builtin_shufflevector(m[2], m[3], 2, 10, 3, 11, 6, 14, 7, 15);
  m[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
  m[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
  m[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
  m[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

using Row4 = float __attribute__((vector_size(16)));

// place(k): of lane k.
template <class Place> vecs4 load_spins(Place place) {
  floats m[4];
  for (uint k = 0; k < 4; ++k)
    m[k] = __builtin_shufflevector(load<Row4>(place(k)), load<Row4>(place(k + 4)), 0, 1, 2, 3, 4, 5, 6, 7);
  transpose(m);
  return {{m[0], m[1], m[2]}, m[3]};
}
// place(k): where lane k goes, of the first `count`.
template <class Place> void store_spins(Place place, uint count, const vecs4& s) {
  floats m[4] = {s.xyz.x, s.xyz.y, s.xyz.z, s.w};
  transpose(m);
  for (uint k = 0; k < count; ++k)
    store(place(k), k < 4 ? __builtin_shufflevector(m[k % 4], m[k % 4], 0, 1, 2, 3)
                          : __builtin_shufflevector(m[k % 4], m[k % 4], 4, 5, 6, 7));
}

}  // namespace talus::cpu::lanes_8
