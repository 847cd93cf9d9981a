// The history: what contacts remember while their rows are made anew where they are. Needs settings, contact_partner,
// contact_state and what is in the history in scope.
#include "shared/partner.h"
#include "shared/slots.glsl"

// Where the history buffer has an entry: the partner, then the components of contact_state that a contact keeps.
uint history_at(uint entry) { return entry * (1u + settings.contacts.kept_words); }
