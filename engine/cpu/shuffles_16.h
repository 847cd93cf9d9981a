#pragma once
// What depends on the number of lanes: sixteen.
#include "engine/cpu/lanes.h"

namespace talus::cpu::wide {

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
// The first `count`, side by side.
inline void store_grains(Grain* grains, uint count, const Grains& g) {
  floats m[8] = {g.position.x, g.position.y, g.position.z, g.radius,
                 g.velocity.x, g.velocity.y, g.velocity.z, g.inverse_mass};
  transpose(m);
  for (uint k = 0; k < std::min(count, 8u); ++k)
    store(grains + k, __builtin_shufflevector(m[k], m[k], 0, 1, 2, 3, 4, 5, 6, 7));
  for (uint k = 8; k < count; ++k)
    store(grains + k, __builtin_shufflevector(m[k - 8], m[k - 8], 8, 9, 10, 11, 12, 13, 14, 15));
}

// vec3s side by side.
inline vecs load_vecs(const vec3* from) {
  const float* const f = &from->x;
  const floats a = load<floats>(f), b = load<floats>(f + 16), c = load<floats>(f + 32);
  const floats x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0),
               y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0),
               z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
  return {__builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29),
          __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30),
          __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31)};
}
inline void store_vecs(vec3* to, const vecs& v) {
  float* const f = &to->x;
  const floats xy0 = __builtin_shufflevector(v.x, v.y, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5),
               xy1 = __builtin_shufflevector(v.x, v.y, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26),
               xy2 = __builtin_shufflevector(v.x, v.y, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  store(f, __builtin_shufflevector(xy0, v.z, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15));
  store(f + 16, __builtin_shufflevector(xy1, v.z, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15));
  store(f + 32, __builtin_shufflevector(xy2, v.z, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31));
}

// vec4s side by side.
inline vecs4 load_vecs4(const vec4* from) {
  const float* const f = &from->x;
  const floats a = load<floats>(f), b = load<floats>(f + 16), c = load<floats>(f + 32), d = load<floats>(f + 48);
  const floats xy0 = __builtin_shufflevector(a, b, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29),
               zw0 = __builtin_shufflevector(a, b, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31),
               xy1 = __builtin_shufflevector(c, d, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29),
               zw1 = __builtin_shufflevector(c, d, 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
  return {{__builtin_shufflevector(xy0, xy1, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
           __builtin_shufflevector(xy0, xy1, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31),
           __builtin_shufflevector(zw0, zw1, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)},
          __builtin_shufflevector(zw0, zw1, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)};
}
inline void store_vecs4(vec4* to, const vecs4& v) {
  float* const f = &to->x;
  const floats &x = v.xyz.x, &y = v.xyz.y, &z = v.xyz.z, &w = v.w;
  const floats xy0 = __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
               xy1 = __builtin_shufflevector(x, y, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31),
               zw0 = __builtin_shufflevector(z, w, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
               zw1 = __builtin_shufflevector(z, w, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  store(f, __builtin_shufflevector(xy0, zw0, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27));
  store(f + 16, __builtin_shufflevector(xy0, zw0, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31));
  store(f + 32, __builtin_shufflevector(xy1, zw1, 0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27));
  store(f + 48, __builtin_shufflevector(xy1, zw1, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31));
}

}  // namespace talus::cpu::wide
