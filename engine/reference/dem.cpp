// Explicit dynamics: one pass per substep.
#include "engine/reference/dem_spring.h"
#include "engine/reference/finish.h"
#include "engine/reference/friction_spring.h"
#include "engine/reference/load.h"
#include "engine/reference/search.h"

namespace talus::reference {
namespace {

// A grain's substep.
class Step {
public:
  Step(const Args& args, Fields& f, uint i)
      : args_(args), f_(f), settings_(f.settings[0]), i_(i), grain_(f.grains[i]), v_(grain_.velocity),
        w_(grain_.velocity.w), h_(args.h) {}

  // Adds what a contact does to the grain; returns the contact's spring, which was `shear` before.
  vec3 respond(uint partner, vec3 shear) {
    const Contact c = contact_with(f_, i_, partner);
    const PairLaw& law = law_of(f_, i_, partner);
    const float w_sum = w_ + c.inverse_mass;
    const auto [kappa, damping] = spring_of(args_, f_, i_, partner, c);
    const vec3 relative = v_ - c.velocity;
    const float approach = glm::dot(relative, c.normal);
    // Adhesion holds over the cross-section of the smaller grain. The spring bears up to its force and then yields: a
    // load put on at once stretches it further than one at rest.
    const float r_min = std::min(grain_.position.w, c.radius);
    const float hold = h_ * w_sum * law.adhesion * pi * r_min * r_min;
    const float reach = hold > 0.0f ? std::min(dem_hold_stretch * hold * h_ / kappa, dem_hold_reach * r_min) : 0.0f;
    // Nothing goes deeper than half a radius in one substep: the spring comes too late for what is that fast. Walls
    // have the last word, being the last contacts of a grain: they see what all others do to it.
    const float ahead =
        partner >= body_partner ? glm::dot(v_ + change_ + h_ * settings_.gravity - c.velocity, c.normal) : approach;
    const float brake = -ahead - std::max(c.gap + 0.5f * r_min, 0.0f) / h_;
    if ((c.gap >= reach && brake <= 0.0f) || !(w_sum > 0.0f))
      return vec3(0.0f);
    const vec3 slip = c.across_share(w_) * (relative - approach * c.normal);
    const float spring = c.gap < reach ? std::max(-hold, -kappa * c.gap / h_ - damping * approach) : 0.0f;
    const float push = std::max(spring, brake);
    const float grip = brake > spring ? 0.0f : push + hold;
    const vec3 both = push * c.normal + drag_of(shear, c.normal, slip, kappa, damping, grip, law);
    change_ += w_ / w_sum * both;
    if (is_body(partner))
      add_load(f_, i_, partner, c.point, both / w_sum);
    return shear;
  }

  Grain end() const {
    const vec3 v = w_ > 0.0f ? v_ + (change_ + h_ * settings_.gravity) : v_;
    return {vec4(vec3(grain_.position) + h_ * v, grain_.position.w), vec4(v, w_)};
  }

private:
  const Args& args_;
  Fields& f_;
  const Settings& settings_;
  uint i_;
  const Grain& grain_;
  vec3 v_, change_{0.0f};
  float w_, h_;
};

// solve(i, step): all contacts of grain i.
template <class Solve> void advance(const Args& args, Fields& f, uint begin, uint end, Solve solve) {
  Finish finish(args, f);
  for (uint i = begin; i < end; ++i) {
    Step step(args, f, i);
    solve(i, step);
    f.grains_next[i] = step.end();
    finish.grain(i, f.grains_next[i]);
  }
  finish.flush();
}

}  // namespace

void dem(const Args& args, Fields& f, uint begin, uint end) {
  const bool memory = f.settings[0].options & option_memory;
  advance(args, f, begin, end, [&](uint i, Step& step) {
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      if (is_triangle(f.contact_partner[slot]))
        continue;
      const vec3 shear = step.respond(f.contact_partner[slot], memory ? f.contact_shear[slot] : vec3(0.0f));
      if (memory)
        f.contact_shear[slot] = shear;
    }
  });
}

void dem_one_loop(const Args& args, Fields& f, uint begin, uint end) {
  advance(args, f, begin, end,
          [&](uint i, Step& step) { search(args, f, i, [&](uint partner) { step.respond(partner, vec3(0.0f)); }); });
}

void dem_two_loops(const Args& args, Fields& f, uint begin, uint end) {
  std::vector<uint> found;
  advance(args, f, begin, end, [&](uint i, Step& step) {
    found.clear();
    search(args, f, i, [&](uint partner) { found.push_back(partner); });
    for (const uint partner : found)
      step.respond(partner, vec3(0.0f));
  });
}

}  // namespace talus::reference
