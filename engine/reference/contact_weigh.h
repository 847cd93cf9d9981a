#pragma once
#include "engine/reference/relative.h"

namespace talus::reference {

// Weight of the contact in `slot` of grain i where a substep begins: by weight by its overlap [kg]; where masses are
// split in equal parts 1 for one that has borne something in this substep, touches or is about to, and 0 otherwise.
inline float weight_at(const Args& args, const Fields& f, uint i, std::size_t slot) {
  const Settings& settings = f.settings[0];
  const uint partner = partner_at(f, i, slot);
  const Contact c = contact_with(f, i, partner, args.h);
  const float adhesion_limit =
      settings.solver.force == force_correction ? adhesion_limit_of(args, f, i, partner, c) : 0.0f;  // p2
  if (settings.solver.iteration != iteration_mass_splitting)
    return weight_of(args, f, i, c, contact_bears(c, 0.0f, adhesion_limit));
  return takes_part(c, f.grains[i].position.w, args.iteration > 0 ? f.contact_state[normal_at(f, slot)] : 0.0f,
                    adhesion_limit)
             ? 1.0f
             : 0.0f;
}

}  // namespace talus::reference
