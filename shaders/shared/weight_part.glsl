// Parts of the correction of two whole masses that a contact applies (p2, pbd), equal on both sides: x along its normal, y across.
// Needs contact_weights in scope.
#include "shared/contact_weight.glsl"

// Masses are split among contacts: in parts of equal size, w the inverse mass of one part. A function, since glslang takes minutes to
// follow `precise` back through all that makes a contact.
float split_w(uint i, float w, uint partner, float w_other) {
  float parts = max(contact_weights[i], 1.0), other_parts = is_grain(partner) ? max(contact_weights[partner], 1.0) : 1.0;
  precise float both = w * parts + w_other * other_parts;
  return both;
}

// A grain gives its contact the part min(o W / sum W, 1) of its mass, where o is the over-relaxation; w / part is then the inverse mass
// that the contact moves, of which both sides have one. closes: the contact is new in this iteration and not in the sums yet.
float share_by_weight(float w, float own, float w_other, float other, float over) {
  precise float share = (w + w_other) / (w * max(own / over, 1.0) + w_other * max(other / over, 1.0));
  return share;
}
vec2 shares_by_weight(uint i, uint partner, float w, float w_other, float weight, bool closes, float over_normal) {
  if (!(weight > 0.0))
    return vec2(0.0);
  float uncounted = closes ? 1.0 : 0.0;
  precise float own = contact_weights[i] / weight + uncounted;
  precise float other = is_grain(partner) ? contact_weights[partner] / weight + uncounted : 0.0;
  float normal = min(over_normal * settings.sor, weight_over_most), tangential = min(settings.sor, weight_over_most);
  return vec2(share_by_weight(w, own, w_other, other, normal), share_by_weight(w, own, w_other, other, tangential));
}
