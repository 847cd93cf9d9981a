// Parts of the correction of two whole masses that a contact applies (p2, pbd). Needs contact_weights in scope.
#include "shared/mass_share.glsl"

float weights_of(uint i) { return contact_weights[weights_at(i, args.iteration)]; }

// Masses are split among contacts in equal parts: of both sides together.
float split_w(uint i, float w, uint partner, bool with_grain, float other_w) {
  return w_of_parts(w, other_w, weights_of(i), with_grain ? weights_of(partner) : 1.0);
}

Shares shares_of(uint i, float w, uint partner, bool with_grain, float other_w, float weight, bool closes, float over_normal) {
  return shares_by_weight(w, other_w, weights_of(i), with_grain ? weights_of(partner) : 0.0, weight, closes, with_grain, over_normal,
                          settings.solver.sor);
}
