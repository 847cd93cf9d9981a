// The stash: what contacts remember while their rows are made anew where they are. Needs settings, contact_partner,
// contact_state and what is in the stash in scope.
#include "shared/partner.h"
#include "shared/slots.glsl"

bool stashes_shear() { return settings.contacts.memory != 0u; }
bool stashes_sum() { return settings.contacts.impulses != 0u; }
