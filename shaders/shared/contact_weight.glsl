// How the contacts of a grain share its mass by weight (p2, pbd). Nothing here is contracted, which would differ between the two sides
// of a contact: momentum is conserved because both sides find the same share. Needs settings and args in scope, and contact_row.glsl
// before it.

// Do they share it by weight? They have equal parts of it, or their mean is taken, otherwise.
bool by_weight() { return settings.iteration == iteration_jacobi && (settings.options & option_plain_mean) == 0u; }
// Is the plain mean of them taken, which does not conserve momentum?
bool by_mean() { return settings.iteration == iteration_jacobi && (settings.options & option_plain_mean) != 0u; }

// Weight of a contact of a grain of inverse mass w and radius r when its mass is shared [kg], equal on both sides of the contact:
// W = b / (b + c) / (w + w_j), where b [m] is what the contact bears and c [m] the correction that carries a grain. Without the mass in
// it, a boulder's one contact with the floor would count as one of a hundred contacts with pebbles. A contact bears its normal
// correction so far and its overlap, and what adhesion may take back (p2). The sums leave the overlap out, so that a contact that is
// alone always moves the whole mass.
float contact_weight(float w, float r, Contact c, float bears) {
  if (!(w + c.inverse_mass > 0.0))
    return 0.0;
  precise float carries = weight_carry * args.h * args.h * length(settings.gravity) + weight_least * min(r, c.radius);
  precise float weight = bears / (bears + carries) / (w + (c.inverse_mass > 0.0 ? c.inverse_mass : w));
  return weight;
}
