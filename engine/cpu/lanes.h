#pragma once
// Eight numbers at a time, by the vector extensions of GCC and Clang: what they become is the compiler's choice, from
// pairs of SSE registers up. No fused operations, so that every processor gives the same bits.
#include "engine/fields.h"
#include <cmath>

#ifdef __GNUC__
#define TALUS_LANES 1
// A pass compiled for several processors, of which the loader takes the best that this one can run.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#define TALUS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), flatten))
#else
#define TALUS_CLONES __attribute__((flatten))
#endif

namespace talus::cpu {

inline constexpr uint lanes = 8;  // half a slice

using floats = float __attribute__((vector_size(4 * lanes)));
using ints = std::int32_t __attribute__((vector_size(4 * lanes)));  // also masks: each lane 0 or -1
using uints = uint __attribute__((vector_size(4 * lanes)));

inline constexpr ints lane_numbers = {0, 1, 2, 3, 4, 5, 6, 7};

struct vecs {
  floats x{}, y{}, z{};
};

inline floats all(float value) {
  return value - floats{};  // which compilers see through: value + 0 is something else for -0
}
inline floats larger(floats a, floats b) {
  return a < b ? b : a;
}
inline floats smaller(floats a, floats b) {
  return b < a ? b : a;
}
inline floats absolute(floats a) {
  return (floats)((ints)a & 0x7FFFFFFF);
}
inline floats root(floats a) {
  for (uint k = 0; k < lanes; ++k)
    a[k] = std::sqrt(a[k]);
  return a;
}
// A mask, a byte a lane.
inline std::uint64_t bytes_of(ints mask) {
  using bytes = signed char __attribute__((vector_size(lanes)));
  return __builtin_bit_cast(std::uint64_t, __builtin_convertvector(mask, bytes));
}
inline bool any(ints mask) {
  return bytes_of(mask) != 0;
}
// Bit k: lane k of a mask. The product gathers the bits in its highest byte.
inline uint bits_of(ints mask) {
  return static_cast<uint>((bytes_of(mask) & 0x8040201008040201u) * 0x0101010101010101u >> 56);
}

inline vecs all(const vec3& v) {
  return {all(v.x), all(v.y), all(v.z)};
}
inline vecs operator+(const vecs& a, const vecs& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline vecs operator-(const vecs& a, const vecs& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline vecs operator/(const vecs& v, floats s) {
  return {v.x / s, v.y / s, v.z / s};
}
inline vecs operator*(floats s, const vecs& v) {
  return {s * v.x, s * v.y, s * v.z};
}
inline floats dot(const vecs& a, const vecs& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline vecs select(ints mask, const vecs& a, const vecs& b) {
  return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
inline ints differ(const vecs& a, const vecs& b) {
  return (a.x != b.x) | (a.y != b.y) | (a.z != b.z);
}
inline vec3 lane(const vecs& v, uint k) {
  return {v.x[k], v.y[k], v.z[k]};
}
inline void set_lane(vecs& v, uint k, const vec3& to) {
  v.x[k] = to.x;
  v.y[k] = to.y;
  v.z[k] = to.z;
}

template <class T> T load(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T> void store(void* to, const T& value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// As reference::shortest.
inline vecs shortest(vecs d, const Settings& settings) {
  const auto nearest = [&](floats& x, int a) {
    if (settings.axis[a] != axis_periodic)
      return;
    const float edge = settings.domain_max[a] - settings.domain_min[a];
    x = x > 0.5f * edge ? x - edge : x < -0.5f * edge ? x + edge : x;
  };
  nearest(d.x, 0);
  nearest(d.y, 1);
  nearest(d.z, 2);
  return d;
}

// Eight grains, a member in each vector.
struct Grains {
  vecs position;
  floats radius;
  vecs velocity;
  floats inverse_mass;
};

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

// Eight vec3 side by side.
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

// Eight vec4 side by side.
struct vecs4 {
  vecs xyz;
  floats w{};
};
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
inline vecs4 select(ints mask, const vecs4& a, const vecs4& b) {
  return {select(mask, a.xyz, b.xyz), mask ? a.w : b.w};
}
inline ints differ(const vecs4& a, const vecs4& b) {
  return differ(a.xyz, b.xyz) | (a.w != b.w);
}

}  // namespace talus::cpu
#endif
