#pragma once
// The laws of contacts with vectors of lanes (shaders/shared/laws/dialect.h).
#include "engine/cpu/lanes.h"

#ifdef TALUS_LANES
namespace talus::TALUS_CPU {

using real = floats;
using real3 = vecs;
using mask = ints;

// Of pairs, as PairLaw.
struct Law {
  floats friction_static, friction_kinetic, stiffness, damping, adhesion, rolling;
  floats restitution, rebound_ratio, rebound_kappa, tangential;
};

inline floats zero() {
  return floats{};
}
inline vecs zero3() {
  return vecs{};
}
inline vecs real3_of(floats x, floats y, floats z) {
  return {x, y, z};
}
inline ints both(ints a, ints b) {
  return a & b;
}
inline ints either(ints a, ints b) {
  return a | b;
}
inline bool anywhere(ints mask) {
  return any(mask);
}
inline floats select(ints mask, floats a, floats b) {
  return mask ? a : b;
}
inline floats select(ints mask, floats a, float b) {
  return mask ? a : all(b);
}
inline floats select(ints mask, float a, float b) {
  return mask ? all(a) : all(b);
}
inline floats select(ints mask, float a, floats b) {
  return mask ? all(a) : b;
}
inline floats squared(const vecs& d) {
  return dot(d, d);
}
inline floats length(const vecs& v) {
  return sqrt(dot(v, v));
}

#include "shaders/shared/laws/contact.h"
#include "shaders/shared/laws/friction.h"
#include "shaders/shared/laws/restitution.h"
#include "shaders/shared/laws/turn.h"

#include "shaders/shared/laws/dem.h"
#include "shaders/shared/laws/hertz.h"
#include "shaders/shared/laws/impulse.h"
#include "shaders/shared/laws/rest.h"

#include "shaders/shared/laws/mass_share.h"
#include "shaders/shared/laws/rolling.h"

inline floats sine(floats a) {
  for (uint k = 0; k < lanes; ++k)
    a[k] = reference::sine(a[k]);
  return a;
}
inline floats cosine(floats a) {
  for (uint k = 0; k < lanes; ++k)
    a[k] = reference::cosine(a[k]);
  return a;
}
#include "shaders/shared/laws/clump.h"

#include "shaders/shared/laws/p2.h"
#include "shaders/shared/laws/pbd.h"
#include "shaders/shared/laws/space.h"

// As reference::shortest.
inline vecs shortest(vecs d, const Settings& settings) {
  const auto nearest = [&](floats& x, int a) {
    if (settings.domain.axis[a] == axis_periodic)
      x = shorter(x, settings.domain.max[a] - settings.domain.min[a]);
  };
  nearest(d.x, 0);
  nearest(d.y, 1);
  nearest(d.z, 2);
  return d;
}

}  // namespace talus::TALUS_CPU
#endif
