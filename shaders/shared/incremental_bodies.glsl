// Contacts of dynamic bodies with grains in lists that are incremental. Needs settings, contact_partner and body_contacts in scope.
#include "shared/partner.h"

layout(constant_id = 3) const uint with_rigid = 1u;  // constant_rigid

// Those in slots from `slot` to before `end` come (1) or go (~0).
void count_bodies(uint slot, uint end, uint step) {
  if (with_rigid == 0u || settings.bodies.rigid == 0u)
    return;
  for (; slot < end; slot += slice_grains) {
    uint partner = contact_partner[slot];
    if (partner >= body_partner && partner < wall_partner)
      atomicAdd(body_contacts[body_of(partner)], step);
  }
}
