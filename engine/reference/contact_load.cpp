// How many contacts share a grain's mass.
#include "engine/reference/relative.h"

namespace talus::reference {

void contact_load(const Args& args, Fields& f, uint begin, uint end) {
  for (uint i = begin; i < end; ++i) {
    f.contact_load[i] = 0;
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      const uint partner = partner_at(f, i, slot);
      if (is_triangle(partner))
        continue;
      const Contact c = contact_with(f, i, partner, args.h);
      const bool has_borne = args.iteration > 0 && w_at(f.contact_sum, slot) > 0.0f;
      if (has_borne || c.gap < load_reach * (f.grains[i].position.w + c.radius) ||
          adhesion_budget(args, f, i, partner, c) > 0.0f)
        f.contact_load[i] += 1;
    }
  }
}

}  // namespace talus::reference
