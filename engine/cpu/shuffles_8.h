#pragma once
// What depends on the number of lanes: eight.
#include "engine/cpu/lanes.h"

namespace talus::cpu {

inline constexpr ints lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7};

// Bit k: lane k of a mask. The product gathers the bits in its highest byte.
inline uint bits_of(ints mask) {
  using bytes = signed char __attribute__((vector_size(lanes)));
  const auto each = __builtin_bit_cast(std::uint64_t, __builtin_convertvector(mask, bytes));
  return static_cast<uint>((each & 0x8040201008040201u) * 0x0101010101010101u >> 56);
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
// The first `count`, side by side.
inline void store_grains(Grain* grains, uint count, const Grains& g) {
  floats m[lanes] = {g.position.x, g.position.y, g.position.z, g.radius,
                     g.velocity.x, g.velocity.y, g.velocity.z, g.inverse_mass};
  transpose(m);
  for (uint k = 0; k < count; ++k)
    store(grains + k, m[k]);
}

// vec3s side by side.
inline vecs load_vecs(const vec3* from) {
  const float* const f = &from->x;
  const floats a = load<floats>(f), b = load<floats>(f + 8), c = load<floats>(f + 16);
  const floats x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0),
               y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0),
               z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
  return {__builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13),
          __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14),
          __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15)};
}
inline void store_vecs(vec3* to, const vecs& v) {
  float* const f = &to->x;
  const floats xy0 = __builtin_shufflevector(v.x, v.y, 0, 8, 0, 1, 9, 0, 2, 10),
               xy1 = __builtin_shufflevector(v.x, v.y, 0, 3, 11, 0, 4, 12, 0, 5),
               xy2 = __builtin_shufflevector(v.x, v.y, 13, 0, 6, 14, 0, 7, 15, 0);
  store(f, __builtin_shufflevector(xy0, v.z, 0, 1, 8, 3, 4, 9, 6, 7));
  store(f + 8, __builtin_shufflevector(xy1, v.z, 10, 1, 2, 11, 4, 5, 12, 7));
  store(f + 16, __builtin_shufflevector(xy2, v.z, 0, 13, 2, 3, 14, 5, 6, 15));
}

// Likewise.
inline vecs4 load_vecs4(const vec4* from) {
  const float* const f = &from->x;
  const floats a = load<floats>(f), b = load<floats>(f + 8), c = load<floats>(f + 16), d = load<floats>(f + 24);
  const floats xy0 = __builtin_shufflevector(a, b, 0, 4, 8, 12, 1, 5, 9, 13),
               zw0 = __builtin_shufflevector(a, b, 2, 6, 10, 14, 3, 7, 11, 15),
               xy1 = __builtin_shufflevector(c, d, 0, 4, 8, 12, 1, 5, 9, 13),
               zw1 = __builtin_shufflevector(c, d, 2, 6, 10, 14, 3, 7, 11, 15);
  return {{__builtin_shufflevector(xy0, xy1, 0, 1, 2, 3, 8, 9, 10, 11),
           __builtin_shufflevector(xy0, xy1, 4, 5, 6, 7, 12, 13, 14, 15),
           __builtin_shufflevector(zw0, zw1, 0, 1, 2, 3, 8, 9, 10, 11)},
          __builtin_shufflevector(zw0, zw1, 4, 5, 6, 7, 12, 13, 14, 15)};
}
inline void store_vecs4(vec4* to, const vecs4& v) {
  float* const f = &to->x;
  const floats xy0 = __builtin_shufflevector(v.xyz.x, v.xyz.y, 0, 1, 2, 3, 8, 9, 10, 11),
               xy1 = __builtin_shufflevector(v.xyz.x, v.xyz.y, 4, 5, 6, 7, 12, 13, 14, 15),
               zw0 = __builtin_shufflevector(v.xyz.z, v.w, 0, 1, 2, 3, 8, 9, 10, 11),
               zw1 = __builtin_shufflevector(v.xyz.z, v.w, 4, 5, 6, 7, 12, 13, 14, 15);
  store(f, __builtin_shufflevector(xy0, zw0, 0, 4, 8, 12, 1, 5, 9, 13));
  store(f + 8, __builtin_shufflevector(xy0, zw0, 2, 6, 10, 14, 3, 7, 11, 15));
  store(f + 16, __builtin_shufflevector(xy1, zw1, 0, 4, 8, 12, 1, 5, 9, 13));
  store(f + 24, __builtin_shufflevector(xy1, zw1, 2, 6, 10, 14, 3, 7, 11, 15));
}

}  // namespace talus::cpu
