#pragma once
// What depends on the number of lanes: four.
#include "engine/cpu/lanes.h"

namespace talus::cpu::lanes_4 {

inline constexpr ints lane_numbers = {0, 1, 2, 3};

// Bit k: lane k of a mask.
inline uint bits_of(ints mask) {
#if defined(__SSE__)
  return static_cast<uint>(__builtin_ia32_movmskps((floats)mask));
#elif defined(__aarch64__)
  return static_cast<uint>(vaddvq_s32(mask & ints{1, 2, 4, 8}));
#else
  const ints own = mask & ints{1, 2, 4, 8};  // each lane keeps its own bit
  return static_cast<uint>(own[0] | own[1] | own[2] | own[3]);
#endif
}

// Rows to columns of 4 x 4; its own inverse.
inline void transpose(floats (&m)[lanes]) {
  const floats low_01 = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5),
               high_01 = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7),
               low_23 = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5),
               high_23 = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
  m[0] = __builtin_shufflevector(low_01, low_23, 0, 1, 4, 5);
  m[1] = __builtin_shufflevector(low_01, low_23, 2, 3, 6, 7);
  m[2] = __builtin_shufflevector(high_01, high_23, 0, 1, 4, 5);
  m[3] = __builtin_shufflevector(high_01, high_23, 2, 3, 6, 7);
}

// place(k): of lane k.
template <class Place> Grains load_grains(Place place) {
  floats p[lanes], v[lanes];
  for (uint k = 0; k < lanes; ++k) {
    const void* const grain = place(k);  // a Grain
    p[k] = load<floats>(grain);
    v[k] = load<floats>(static_cast<const float*>(grain) + lanes);
  }
  transpose(p);
  transpose(v);
  return {{p[0], p[1], p[2]}, p[3], {v[0], v[1], v[2]}, v[3]};
}
// place(k): where lane k goes, of the first `count`.
template <class Place> void store_grains(Place place, uint count, const Grains& g) {
  floats p[lanes] = {g.position.x, g.position.y, g.position.z, g.radius};
  floats v[lanes] = {g.velocity.x, g.velocity.y, g.velocity.z, g.inverse_mass};
  transpose(p);
  transpose(v);
  for (uint k = 0; k < count; ++k) {
    Grain* const grain = place(k);
    store(&grain->position, p[k]);
    store(&grain->velocity, v[k]);
  }
}

// place(k): of lane k.
template <class Place> vecs4 load_spins(Place place) {
  floats m[lanes];
  for (uint k = 0; k < lanes; ++k)
    m[k] = load<floats>(place(k));
  transpose(m);
  return {{m[0], m[1], m[2]}, m[3]};
}
// place(k): where lane k goes, of the first `count`.
template <class Place> void store_spins(Place place, uint count, const vecs4& s) {
  floats m[lanes] = {s.xyz.x, s.xyz.y, s.xyz.z, s.w};
  transpose(m);
  for (uint k = 0; k < count; ++k)
    store(place(k), m[k]);
}

}  // namespace talus::cpu::lanes_4
