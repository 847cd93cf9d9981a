#pragma once
// The laws of contacts in plain C++ (shaders/shared/laws/dialect.h).
#include "engine/core/passes.h"
#include "shaders/shared/cloth.h"
#include "shaders/shared/laws/dialect.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::reference {

using real = float;
using real3 = vec3;
using mask = bool;
using Law = PairLaw;
using glm::cross;
using glm::dot;
using glm::length;
using glm::normalize;
using std::abs;
using std::clamp;
using std::floor;
using std::max;
using std::min;
using std::sqrt;

// In double precision, since systems differ in the last bit of a float (docs/compilers.md).
inline float pow(float base, float exponent) {
  return static_cast<float>(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
}

inline real zero() {
  return 0.0f;
}
inline real3 zero3() {
  return vec3(0.0f);
}
inline float infinity() {
  return std::numeric_limits<float>::infinity();
}
inline real3 real3_of(real x, real y, real z) {
  return {x, y, z};
}
inline mask both(mask a, mask b) {
  return a && b;
}
inline mask either(mask a, mask b) {
  return a || b;
}
inline bool anywhere(mask m) {
  return m;
}
inline real select(mask m, real a, real b) {
  return m ? a : b;
}
inline real3 select(mask m, const real3& a, const real3& b) {
  return m ? a : b;
}
// Written out: the order of the additions is part of the result.
inline real squared(const real3& d) {
  return d.x * d.x + d.y * d.y + d.z * d.z;
}

// Functions of a mathematical library are evaluated in double precision and rounded. Libraries disagree in the last
// bit: glibc's log1pf, expm1f and atan2f give other results on arm64 than on x86-64. Doubles that differ by one unit in
// the last place round to the same float but for fewer than one argument in 2^28.
inline float exp(float x) {
  return static_cast<float>(std::exp(static_cast<double>(x)));
}
// log(1 + q) and 1 - exp(-x), without cancellation.
inline float log_1p(float q) {
  return static_cast<float>(std::log1p(static_cast<double>(q)));
}
inline float one_minus_exp(float x) {
  return static_cast<float>(-std::expm1(-static_cast<double>(x)));
}

#include "shaders/shared/laws/contact.h"
#include "shaders/shared/laws/friction.h"
#include "shaders/shared/laws/restitution.h"
#include "shaders/shared/laws/turn.h"

#include "shaders/shared/laws/dem.h"
#include "shaders/shared/laws/hertz.h"
#include "shaders/shared/laws/impulse.h"

#include "shaders/shared/laws/mass_share.h"
#include "shaders/shared/laws/rolling.h"

#include "shaders/shared/laws/p2.h"
#include "shaders/shared/laws/pbd.h"
#include "shaders/shared/laws/relaxation.h"
#include "shaders/shared/laws/rest.h"
#include "shaders/shared/laws/sleep.h"

inline float sine(float x) {
  return static_cast<float>(std::sin(static_cast<double>(x)));
}
inline float cosine(float x) {
  return static_cast<float>(std::cos(static_cast<double>(x)));
}
#include "shaders/shared/laws/rotation.h"

#include "shaders/shared/laws/around.h"

#include "shaders/shared/laws/fine.h"
#include "shaders/shared/laws/mobility.h"
#include "shaders/shared/laws/point.h"
#include "shaders/shared/laws/solid.h"
#include "shaders/shared/laws/space.h"
#include "shaders/shared/laws/triangle.h"
#include "shaders/shared/laws/wall.h"

}  // namespace talus::reference
