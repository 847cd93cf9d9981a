// A hand that holds grains.
#include "engine/reference/activity.h"

namespace talus::reference {

void hand_pull(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  end = std::min(end, places_end(args, f, 0));  // it holds grains of the first world
  for (uint i = begin; i < end; ++i) {
    Grain& g = f.grains[i];
    const auto held = std::ranges::lower_bound(f.held, f.grain_id[i], {}, &HandGrain::id);
    if (held == f.held.end() || held->id != f.grain_id[i] || g.velocity.w == 0.0f)
      continue;
    const vec3 v(g.velocity),
        hand = args.hand.position + static_cast<float>(args.substep + 1) * args.h * args.hand.velocity;
    // v' of a critically damped spring, implicitly: v' = v + h (w^2 (x - h v') + 2 w (u - v')), u the hand's velocity.
    const float rate = hand_rate * args.h;
    const vec3 way = shortest(hand + held->place - vec3(g.position), settings);
    vec3 wanted = (v + rate * (hand_rate * way + 2.0f * args.hand.velocity)) / (1.0f + rate * (2.0f + rate));
    // No faster than half of the strength can stop in time.
    const vec3 ahead = wanted - args.hand.velocity;
    if (const float fastest = std::sqrt(hand_acceleration * glm::length(way)), speed = glm::length(ahead);
        speed > fastest)
      wanted = args.hand.velocity + ahead * (fastest / speed);
    vec3 change = wanted - v - args.h * settings.domain.gravity;
    if (const float most = hand_acceleration * args.h, size = glm::length(change); size > most)
      change *= most / size;
    g.velocity = vec4(v + change, g.velocity.w);
    if (settings.sleep.window > 0)
      wake(f, i);
  }
}

}  // namespace talus::reference
