// Position-based dynamics (Macklin et al. 2014, Sommer and Schwanecke 2022).
#include "engine/reference/pbd_contact.h"
#include <bit>

namespace talus::reference {
namespace {

void clear_sums(Fields& f, uint i) {
  const bool rolls = f.settings[0].solver.rotation == rotation_rolling;
  each_contact(f, i, [&](std::size_t slot) {
    put(f.contact_state, sum_at(f, slot), vec4(0.0f));
    if (rolls)
      put(f.contact_state, roll_sum_at(f, slot), vec3(0.0f));
  });
}

}  // namespace

void pbd_stabilize(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    PbdMean mean;
    each_contact(f, i, [&](std::size_t slot) { pbd_part(f, i, slot, mean); });
    f.grains_next[i] = f.grains[i];
    if (mean.weights > 0.0f) {
      const vec3 correction = mean.correction / mean.weights;
      f.grains_next[i].position += vec4(correction, 0.0f);
      const float shift = static_cast<float>(args.iterations) * glm::length(correction);
      atomic_max(f.worlds[world_of(f, i)].motion.shift_bits, std::bit_cast<uint>(shift));
    }
  }
}

void pbd_solve(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    if (args.iteration == 0)
      clear_sums(f, i);
    PbdMean mean;
    each_contact(f, i, [&](std::size_t slot) { pbd_touch(args, f, i, slot, mean); });
    f.grains_next[i] = f.grains[i];
    pbd_move(args, f, i, mean, f.grains_next[i]);
  }
}

// Every contact once, from its grain that is first in memory, applied to both before the next one looks.
void pbd_gauss_seidel(const Args& args, Fields& f, uint, uint) {
  const float sor = f.settings[0].solver.sor;
  if (args.iteration == 0)
    for (uint i = 0; i < args.grains; ++i)
      clear_sums(f, i);
  for (uint i = 0; i < args.grains; ++i)
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      if (partner < i)
        continue;
      const Contact c = contact_with(f, i, partner, args.h);
      PbdChange change;
      if (!pbd_contact(args, f, i, partner, c, slot, change))
        continue;
      change.way *= sor;
      change.turn *= sor;
      change.rolling *= sor;
      if (const float mass = change.impulse / args.h; is_body(partner))
        add_load(f, i, partner, push_point(args, f, i, c), mass * change.way,
                 f.grains[i].position.w * mass * change.rolling);
      displace(args, f.grains[i], change.part * change.way);
      turn_both(args, f, i, partner, change, change.part);
      if (is_grain(partner)) {
        displace(args, f.grains[partner], (change.part - 1.0f) * change.way);
        mirror_sum(f, i, partner, slot);
      }
    }
}

}  // namespace talus::reference
