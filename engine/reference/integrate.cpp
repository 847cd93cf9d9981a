// Motion before and after the solver.
#include "engine/reference/space.h"
#include <bit>

namespace talus::reference {

void predict(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    Grain& g = f.grains[i];
    vec3 v(g.velocity);
    if (g.velocity.w > 0.0f)
      v += args.h * f.settings[0].gravity;
    g.velocity = vec4(v, g.velocity.w);
    g.position = vec4(vec3(g.position) + args.h * v, g.position.w);
  }
}

void finalize(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  Status& status = f.status[0];
  float fastest2 = 0.0f;
  uint fast = 0;
  for (uint i = begin; i < end; ++i) {
    Grain& g = f.grains[i];
    const float speed2 = squared(vec3(g.velocity));
    if (!std::isfinite(speed2 + std::abs(g.position.x) + std::abs(g.position.y) + std::abs(g.position.z))) {
      atomic_max(status.halt, halt_invalid);
      atomic_min(status.halt_grain, f.grain_id[i]);
      continue;
    }
    for (int a = 0; a < 3; ++a)
      if (settings.axis[a] == axis_periodic) {
        const float edge = settings.domain_max[a] - settings.domain_min[a];
        float& x = g.position[a];
        if (x < settings.domain_min[a] - edge || x >= settings.domain_max[a] + edge)  // several times around
          x -= edge * std::floor((x - settings.domain_min[a]) / edge);
        if (x < settings.domain_min[a])
          x += edge;
        if (x >= settings.domain_max[a])
          x -= edge;
      }
    fastest2 = std::max(fastest2, speed2);
    fast += 4.0f * (args.h * args.h * speed2) > g.position.w * g.position.w;
  }
  atomic_max(status.speed2_bits, std::bit_cast<uint>(fastest2));
  if (fast)
    std::atomic_ref(status.fast).fetch_add(fast);
}

}  // namespace talus::reference
