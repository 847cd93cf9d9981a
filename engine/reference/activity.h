#pragma once
// Slices of grains that sleep (dem).
#include "engine/reference/space.h"
#include "shaders/shared/rest.h"

namespace talus::reference {

// The slice of grain i runs in the next substep, or in this one where it has not been listed yet.
inline void watch(Fields& f, uint i) {
  TALUS_ASSERT(i / slice_grains < f.slice_activity.size(), i, f.slice_activity.size());
  atomic_ref(f.slice_activity[i / slice_grains].watched).store(1);
}

// Does grain i sleep?
inline bool sleeps(const Fields& f, uint i) {
  return f.settings[0].sleep.window > 0 && f.grains[i].velocity.w > 0.0f &&
         (f.slice_activity[i / slice_grains].state >> i % slice_grains & 1);
}

// Grain i is awake from now on.
inline void wake(Fields& f, uint i) {
  TALUS_ASSERT(i / slice_grains < f.slice_activity.size(), i, f.slice_activity.size());
  atomic_ref(f.slice_activity[i / slice_grains].state).fetch_and(~(1u << i % slice_grains));
  atomic_ref(f.slice_activity[i / slice_grains].unsettled).fetch_and(~(1u << i % slice_grains));
  f.grain_rest[i] = {vec3(0.0f), rest_awake, vec3(0.0f)};
}

// Is the velocity that of a sleeper, exactly 0?
inline bool rests(vec3 velocity, float inverse_mass) {
  return inverse_mass > 0.0f && velocity == vec3(0.0f);
}

// Does a body stand still in this substep? What grains do may move a dynamic one in any, unless it sleeps.
inline bool stands_still(const Fields& f, uint body) {
  const Body& b = f.bodies[body];
  return b.split > 0.0f ? b.asleep != 0 : b.motion.velocity == vec3(0.0f) && b.motion.spin == vec3(0.0f);
}

// Calls visit(first, end) for the grains of each slice that a pass over listed slices goes through, in the part [begin,
// end) of its elements; where grains do not sleep, once for all of them.
template <class Visit> void each_listed(const Args& args, const Fields& f, uint begin, uint end, Visit visit) {
  const bool sleeps = f.settings[0].sleep.window > 0;
  TALUS_ASSERT(!sleeps || begin % slice_grains == 0, begin);
  const uint first_slot = begin / slice_grains,
             end_slot = sleeps ? (end + slice_grains - 1) / slice_grains : first_slot + 1;
  for (uint slot = first_slot; slot < end_slot; ++slot) {
    uint first = begin, last = end;
    if (sleeps) {
      TALUS_ASSERT(slot < f.slice_activity.size(), slot, f.slice_activity.size());
      const uint listed = f.slice_activity[slot].listed;
      if (listed == 0)
        continue;
      first = (listed - 1) * slice_grains;
      last = first + slice_grains;
    }
    TALUS_ASSERT(first < args.grains, slot, first, args.grains);
    visit(first,
          std::min(last, args.grains));  // here alone, so that it is inlined where that is a clone for other lanes
  }
}

}  // namespace talus::reference
