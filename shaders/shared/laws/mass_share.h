// How the contacts of a grain share its mass (p2, pbd; Tonge et al. 2012; docs/numerics.md has the symbols W, p, A and o). PRECISE, since both
// sides of a contact must find the same share: momentum is conserved by it. GLSL needs these functions for another reason, too: glslang takes
// minutes to follow PRECISE back through all that makes a contact.

// A contact bears [m] its normal correction so far, its overlap, and what adhesion may take back (hold, of p2).
LAW real contact_bears(Contact c, real pressure, real adhesion_limit) { return pressure + max(-c.gap, 0.0f) + adhesion_limit; }

// w_i + w_j [1/kg], where a fixed partner counts as a second grain.
LAW real weighed_w(Contact c, real w) {
  PRECISE real both_w = w + select(c.inverse_mass > 0.0f, c.inverse_mass, w);
  return both_w;
}

// Weight of a contact of a grain of inverse mass w and radius r [kg], equal on both sides of the contact:
//   W = b / (b + b_0) / (w_i + w_j),  b_0 = 2 h^2 g + 1e-4 r_min.
// bears: b [m]; gravity: |g|. Without the mass in it, a boulder's one contact with the floor would count as one of a hundred contacts with
// pebbles. The sums of weights leave the overlap out, so that a contact that is alone always moves the whole mass.
LAW real contact_weight(Contact c, real w, real r, real bears, float h, float gravity) {
  PRECISE real carries = weight_carry * h * h * gravity + weight_least * min(r, c.radius);
  PRECISE real weight = bears / (bears + carries) / weighed_w(c, w);
  return select(w + c.inverse_mass > 0.0f, weight, zero());
}

// Parts of the correction of two whole masses that a contact applies, equal on both sides.
struct Shares {
  real normal, tangential;
};

// A grain gives its contact the part p = min(o W / sum W, 1) of its mass, and w / p is the inverse mass that the contact moves:
//   A = (w_i + w_j) / (w_i / p_i + w_j / p_j).  own, other: sum W / W of each side; over: o.
LAW real share_by_weight(real w, real own, real other_w, real other, float over) {
  PRECISE real share = (w + other_w) / (w * max(own / over, 1.0f) + other_w * max(other / over, 1.0f));
  return share;
}
// sum, other_sum: sum W of each side [kg]. closes: the contact has borne nothing so far and is not in these sums. grains_both: otherwise the
// partner has one contact. over_normal: o along the normal, where sor is 1.
LAW Shares shares_by_weight(real w, real other_w, real sum, real other_sum, real weight, mask closes, bool grains_both, float over_normal,
                            float sor) {
  real uncounted = select(closes, 1.0f, 0.0f);
  PRECISE real own = sum / weight + uncounted;
  PRECISE real other = grains_both ? other_sum / weight + uncounted : zero();
  mask bears = weight > 0.0f;
  Shares shares;
  shares.normal = select(bears, share_by_weight(w, own, other_w, other, min(over_normal * sor, weight_over_most)), zero());
  shares.tangential = select(bears, share_by_weight(w, own, other_w, other, min(sor, weight_over_most)), zero());
  return shares;
}

// Equal parts: w_i n_i + w_j n_j, the inverse mass of one part of each. n: contacts that share the mass, at least 1.
LAW real w_of_parts(real w, real other_w, real n, real other_n) {
  PRECISE real both_w = w * max(n, 1.0f) + other_w * max(other_n, 1.0f);
  return both_w;
}
// Is the contact among these? It has borne something in this substep, touches or is about to, or holds by adhesion.
LAW mask takes_part(Contact c, real r, real pressure, real adhesion_limit) {
  return either(pressure > 0.0f, either(c.gap < load_reach * (r + c.radius), adhesion_limit > 0.0f));
}
