// Explicit dynamics: one pass per substep.
#include "engine/reference/dem_contact.h"
#include "engine/reference/finish.h"
#include "engine/reference/search.h"

namespace talus::reference {

void dem(const Args& args, Fields& f, uint begin, uint end) {
  dem_substep(args, f, begin, end, [&](uint i, DemChange& change) {
    for (uint k = 0; k < f.contact_count[i]; ++k) {
      const std::size_t slot = contact_slot(f, i, k);
      if (!is_triangle(f.contact_partner[slot]))
        respond_in(args, f, i, slot, change);
    }
  });
}

}  // namespace talus::reference
