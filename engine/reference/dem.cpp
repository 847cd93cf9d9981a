// Explicit dynamics: one pass per substep.
#include "engine/reference/dem_contact.h"
#include "engine/reference/finish.h"
#include "engine/reference/search.h"

namespace talus::reference {

void dem(const Args& args, Fields& f, uint begin, uint end) {
  const bool memory = f.settings[0].contacts.memory;
  dem_substep(args, f, begin, end, [&](uint i, vec3& change) {
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      if (is_triangle(f.contact_partner[slot]))
        continue;
      const vec3 shear = respond(args, f, i, partner_at(f, i, slot),
                                 memory ? vec3_at(f.contact_state, shear_at(f, slot)) : vec3(0.0f), change);
      if (memory)
        put(f.contact_state, shear_at(f, slot), shear);
    }
  });
}

}  // namespace talus::reference
