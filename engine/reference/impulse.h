#pragma once
// A contact of velocity time stepping and of sequential positions.
#include "engine/reference/space.h"

namespace talus::reference {

enum class ImpulseMethod { vts, sp };

// What one iteration adds of the residual of rolling, and the share of the spring against rolling that it takes back.
constexpr float rolling_relaxation(ImpulseMethod method) {
  return method == ImpulseMethod::sp ? sp_rolling_relaxation : vts_rolling_relaxation;
}
constexpr float rolling_memory_share(ImpulseMethod method) {
  return method == ImpulseMethod::sp ? sp_rolling_memory_share : vts_rolling_memory_share;
}

// The action of a contact on a grain [N s]: an impulse, and a couple per radius; times w m r^2 / I it is the change of
// the spin.
struct Push {
  vec3 impulse{0.0f}, couple{0.0f};
  vec3 rolling{0.0f};  // what of the couple resists rolling, on both sides together
  Push& operator+=(const Push& other) {
    impulse += other.impulse;
    couple += other.couple;
    return *this;
  }
};

// What grain i's contact in `slot` starts a substep with. load: one more where the two are near.
Push restore_contact(const Args& args, Fields& f, uint i, std::size_t slot, ImpulseMethod method, uint& load);

// One iteration of grain i's contact in `slot`: what comes to what was there.
Push iterate_contact(const Args& args, Fields& f, uint i, std::size_t slot, ImpulseMethod method);

}  // namespace talus::reference
