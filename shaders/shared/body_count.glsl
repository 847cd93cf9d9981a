// Contacts of dynamic bodies with grains in the lists. Needs body_contacts in scope.
#include "shared/solid.glsl"

void count_contact(uint partner) {
  if (solid_kinds != 0u && partner >= body_partner && partner < wall_partner && settings.bodies.rigid > 0u)
    atomicAdd(body_contacts[body_of(partner)], 1u);
}
