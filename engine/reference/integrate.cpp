// Motion before and after the solver.
#include "engine/reference/finish.h"

namespace talus::reference {

void predict(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    Grain& g = f.grains[i];
    vec3 v(g.velocity);
    if (g.velocity.w > 0.0f)
      v += args.h * f.settings[0].domain.gravity;
    g.velocity = vec4(v, g.velocity.w);
    g.position = vec4(vec3(g.position) + args.h * v, g.position.w);
  }
}

void advance(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f);
  for (uint i = begin; i < end; ++i) {
    Grain& g = f.grains[i];
    g.position = vec4(vec3(g.position) + args.h * vec3(g.velocity), g.position.w);
    finish.grain(i, g);
  }
  finish.flush();
}

void finalize(const Args& args, Fields& f, uint begin, uint end) {
  Finish finish(args, f);
  for (uint i = begin; i < end; ++i)
    finish.grain(i, f.grains[i]);
  finish.flush();
}

}  // namespace talus::reference
