// Explicit dynamics: one pass per substep.
#include "engine/reference/dem_contact.h"
#include "engine/reference/finish.h"
#include "engine/reference/search.h"

namespace talus::reference {

void dem(const Args& args, Fields& f, uint begin, uint end) {
  const bool memory = f.settings[0].contacts.memory, rolls = f.settings[0].solver.rotation == rotation_rolling;
  dem_substep(args, f, begin, end, [&](uint i, DemChange& change) {
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      if (is_triangle(f.contact_partner[slot]))
        continue;
      Springs springs;
      if (memory)
        springs.shear = vec3_at(f.contact_state, shear_at(f, slot));
      if (memory && rolls)
        springs.roll = vec3_at(f.contact_state, roll_at(f, slot));
      springs = respond(args, f, i, partner_at(f, i, slot), springs, change);
      if (memory)
        put(f.contact_state, shear_at(f, slot), springs.shear);
      if (memory && rolls)
        put(f.contact_state, roll_at(f, slot), springs.roll);
    }
  });
}

}  // namespace talus::reference
