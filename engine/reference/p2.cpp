// Parallel Particles (Holz 2014).
#include "engine/reference/p2_contact.h"

namespace talus::reference {
namespace {

void deactivate(Fields& f, uint i) {
  const bool rolls = f.settings[0].solver.rotation == rotation_rolling;
  each_contact(f, i, [&](std::size_t slot) {
    put(f.contact_state, sum_at(f, slot), vec4(0.0f, 0.0f, 0.0f, not_active));
    if (rolls)
      put(f.contact_state, roll_sum_at(f, slot), vec3(0.0f));
  });
}

}  // namespace

void p2_solve(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    if (args.iteration == 0)
      deactivate(f, i);
    P2Solver solver(args, f);
    P2Solver::Mean mean;
    each_contact(f, i, [&](std::size_t slot) { solver.touch(i, slot, mean); });
    f.grains_next[i] = f.grains[i];
    solver.move(i, mean, f.grains_next[i]);
  }
}

// Every contact once, from its grain that is first in memory, applied to both before the next one looks.
void p2_gauss_seidel(const Args& args, Fields& f, uint, uint) {
  if (args.iteration == 0)
    for (uint i = 0; i < args.grains; ++i)
      deactivate(f, i);
  P2Solver solver(args, f);
  for (uint i = 0; i < args.grains; ++i)
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      if (partner < i)
        continue;
      const Contact c = contact_with(f, i, partner, args.h);
      Displacement change;
      if (!solver.solve(i, partner, c, slot, change))
        continue;
      const float w = f.grains[i].velocity.w, part = w > 0.0f ? solver.part(w, c) : 0.0f;
      if (const float mass = p2_mass(c, w, part) / args.h; is_body(partner))
        add_load(f, i, partner, push_point(args, f, i, c), mass * change.way,
                 f.grains[i].position.w * mass * change.rolling);
      displace(args, f.grains[i], part * change.way);
      turn_both(args, f, i, partner, change, part);
      if (is_grain(partner)) {
        displace(args, f.grains[partner], (part - 1.0f) * change.way);
        mirror_sum(f, i, partner, slot);
      }
    }
}

void p2_sleep(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint i = begin; i < end; ++i) {
    Grain& grain = f.grains[i];
    const float w = grain.velocity.w;
    bool bears = false;
    each_contact(f, i, [&](std::size_t slot) { bears = bears || f.contact_state[normal_at(f, slot)] > 0.0f; });
    const auto slow = [&](vec4 v, vec4 start) {
      return p2_sleeps(vec3(v), vec3(start), settings.solver.sleep_speed, args.h, glm::length(settings.domain.gravity));
    };
    const bool rotates = settings.solver.rotation != rotation_off;
    if (!(w > 0.0f && bears && slow(grain.velocity, f.grains_start[i].velocity)) ||
        (rotates && !slow(f.grain_spin[i], f.grain_spin_start[i])))
      continue;
    grain = {f.grains_start[i].position, vec4(0.0f, 0.0f, 0.0f, w)};
    if (rotates)
      f.grain_spin[i] = vec4(0.0f, 0.0f, 0.0f, f.grain_spin[i].w);
  }
}

void p2_remember(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i)
    each_contact(f, i, [&](std::size_t slot) { p2_remember_contact(args, f, i, slot); });
}

}  // namespace talus::reference
