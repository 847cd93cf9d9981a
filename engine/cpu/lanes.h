#pragma once
// Numbers side by side, by the vector extensions of GCC and Clang. No fused operations, so that every processor gives
// the same bits.
//
// There are as many as fit a register of the processor: four with SSE2 and NEON, eight with AVX2, sixteen with AVX-512.
// GCC compiles the passes for all three on x86-64 Linux, each in a namespace of its own: the build defines TALUS_LANES
// for the wider two. More lanes than fit a register cost GCC 12 dearly: for eight with SSE2 alone, and on arm64, it
// compares and selects lane by lane, in 47 and 39 instructions where four take 4 and 6, and took 140 s to compile the
// passes. What a file includes comes ahead of the target that it is compiled for: of an inline function the linker
// keeps one for all, and it must run everywhere.
#include "engine/cpu/passes.h"
#include "engine/reference/dem_contact.h"
#include "engine/reference/finish.h"
#include "engine/reference/history.h"
#include "engine/reference/impulse.h"
#include "engine/reference/p2_contact.h"
#include "engine/reference/pbd_contact.h"
#include "engine/reference/search.h"
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define TALUS_TARGETS 1
#endif

#ifndef __GNUC__
#undef TALUS_LANES
#elif !defined(TALUS_LANES)
#if defined(__AVX2__) && !defined(TALUS_TARGETS)
#define TALUS_LANES 8
#else
#define TALUS_LANES 4
#endif
#elif TALUS_LANES > 4 && !defined(TALUS_TARGETS)
#undef TALUS_LANES
#endif

#ifdef TALUS_LANES
#if TALUS_LANES == 16
#define TALUS_CPU cpu::lanes_16
#include <immintrin.h>
#pragma GCC target("arch=x86-64-v4", "prefer-vector-width=512")
#elif TALUS_LANES == 8
#define TALUS_CPU cpu::lanes_8
#ifdef TALUS_TARGETS
#pragma GCC target("arch=x86-64-v3")
#endif
#else
#define TALUS_CPU cpu::lanes_4
#ifdef __aarch64__
#include <arm_neon.h>
#endif
#endif
#endif

// Passes are flattened: a call hands over more vectors than there are registers.
#define TALUS_FLATTEN __attribute__((flatten))

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {

inline constexpr uint lanes = TALUS_LANES;  // a slice, or a part of one
using floats = float __attribute__((vector_size(4 * lanes)));
using ints = std::int32_t __attribute__((vector_size(4 * lanes)));  // also masks: each lane 0 or -1
using uints = uint __attribute__((vector_size(4 * lanes)));

// Structs of vectors are not const where they are local: GCC 12 keeps const ones in memory (its pass sra: "store to a
// read-only decl"), which was a fifth of the time of dem with sixteen lanes.
struct vecs {
  floats x{}, y{}, z{};
};
struct vecs4 {
  vecs xyz;
  floats w{};
};

inline floats all(float value) {
  return value - floats{};  // which compilers see through: value + 0 is something else for -0
}
inline floats max(floats a, floats b) {
  return a < b ? b : a;
}
inline floats max(floats a, float b) {
  return max(a, all(b));
}
inline floats max(float a, floats b) {
  return max(all(a), b);
}
inline floats min(floats a, floats b) {
  return b < a ? b : a;
}
inline float min(float a, float b) {
  return b < a ? b : a;
}
inline floats min(floats a, float b) {
  return min(a, all(b));
}
inline floats clamp(floats a, float low, float high) {
  return min(max(a, low), high);
}
inline floats abs(floats a) {
  return (floats)((ints)a & 0x7FFFFFFF);
}
inline float sqrt(float a) {
  return std::sqrt(a);
}
inline floats sqrt(floats a) {
  for (uint k = 0; k < lanes; ++k)
    a[k] = std::sqrt(a[k]);
  return a;
}
inline floats exp(floats a) {
  for (uint k = 0; k < lanes; ++k)
    a[k] = reference::exp(a[k]);
  return a;
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
inline vecs operator*(float s, const vecs& v) {
  return all(s) * v;
}
inline floats dot(const vecs& a, const vecs& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline vecs cross(const vecs& a, const vecs& b) {
  return {a.y * b.z - b.y * a.z, a.z * b.x - b.z * a.x, a.x * b.y - b.x * a.y};
}
inline vecs select(ints mask, const vecs& a, const vecs& b) {
  return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}
inline ints differ(const vecs& a, const vecs& b) {
  return (a.x != b.x) | (a.y != b.y) | (a.z != b.z);
}
template <class T> T load(const void* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T> void store(void* to, const T& value) {
  __builtin_memcpy(to, &value, sizeof value);
}

// Vectors of the slots of a row, component by component; at: of the first one's x.
inline vecs load_vecs(std::span<const float> from, std::size_t at) {
  TALUS_ASSERT(at + 2 * slice_grains + lanes <= from.size(), at, from.size());
  const float* const x = &from[at];
  return {load<floats>(x), load<floats>(x + slice_grains), load<floats>(x + 2 * slice_grains)};
}
inline vecs4 load_vecs4(std::span<const float> from, std::size_t at) {
  TALUS_ASSERT(at + 3 * slice_grains + lanes <= from.size(), at, from.size());
  const float* const x = &from[at];
  return {{load<floats>(x), load<floats>(x + slice_grains), load<floats>(x + 2 * slice_grains)},
          load<floats>(x + 3 * slice_grains)};
}
inline void store_vecs(std::span<float> to, std::size_t at, const vecs& v) {
  TALUS_ASSERT(at + 2 * slice_grains + lanes <= to.size(), at, to.size());
  float* const x = &to[at];
  store(x, v.x);
  store(x + slice_grains, v.y);
  store(x + 2 * slice_grains, v.z);
}
// The lanes in `mask` alone.
inline void store_in(ints mask, std::span<float> to, std::size_t at, const vecs& v) {
  store_vecs(to, at, select(mask, v, load_vecs(to, at)));
}
inline void store_vecs4(std::span<float> to, std::size_t at, const vecs4& v) {
  TALUS_ASSERT(at + 3 * slice_grains + lanes <= to.size(), at, to.size());
  float* const x = &to[at];
  store(x, v.xyz.x);
  store(x + slice_grains, v.xyz.y);
  store(x + 2 * slice_grains, v.xyz.z);
  store(x + 3 * slice_grains, v.w);
}

// A member in each vector.
struct Grains {
  vecs position;
  floats radius;
  vecs velocity;
  floats inverse_mass;
};

}  // namespace talus::TALUS_CPU

#if TALUS_LANES == 16
#include "engine/cpu/shuffles_16.h"
#elif TALUS_LANES == 4
#include "engine/cpu/shuffles_4.h"
#else
#include "engine/cpu/shuffles_8.h"
#endif

namespace talus::TALUS_CPU {

// Lanes by number. Where a lane of a vector that is part of a struct is named by [], GCC 12 keeps the whole struct in
// memory.
template <class T> auto lane(const T& vector, uint k) {
  std::remove_cvref_t<decltype(vector[0])> each[lanes];
  store(each, vector);
  return each[k];
}
inline vec3 lane(const vecs& v, uint k) {
  return {lane(v.x, k), lane(v.y, k), lane(v.z, k)};
}
// Not by way of memory, where a processor waits for a vector that was stored in parts.
template <class T, class Number> void set_lane(T& vector, uint k, Number to) {
  vector = lane_numbers == static_cast<int>(k) ? to - T{} : vector;
}
inline void set_lane(vecs& v, uint k, const vec3& to) {
  set_lane(v.x, k, to.x);
  set_lane(v.y, k, to.y);
  set_lane(v.z, k, to.z);
}

// The first `count`, side by side.
inline void store_grains(Grain* grains, uint count, const Grains& g) {
  store_grains([&](uint k) { return grains + k; }, count, g);
}
inline void store_spins(vec4* spins, uint count, const vecs4& s) {
  store_spins([&](uint k) { return spins + k; }, count, s);
}

inline bool any(ints mask) {
  return bits_of(mask) != 0;
}
inline vecs4 select(ints mask, const vecs4& a, const vecs4& b) {
  return {select(mask, a.xyz, b.xyz), mask ? a.w : b.w};
}
inline ints differ(const vecs4& a, const vecs4& b) {
  return differ(a.xyz, b.xyz) | (a.w != b.w);
}

}  // namespace talus::TALUS_CPU
#endif
