// Motion and mass of a contact as the methods see them that correct predicted positions: between iterations velocity * h is the
// displacement p - x of the substep. Needs contact_row.glsl before it.
#include "shared/turned.glsl"

// Gap at the start of the substep, before the two moved by `way` relative to each other.
float gap_at_start(Contact c, uint partner, float r, vec3 way) {
  float reach = r + c.radius;
  return partner >= body_partner ? c.gap - dot(way, c.normal) : length((c.gap + reach) * c.normal - way) - reach;
}

// Displacement of two grains that adhesion may take back in the substep: pressure times the area of contact (Holz 2014, eq 36). The
// area is that at the start: it decides what pulling the two apart takes, and stays the same over the iterations.
float adhesion_budget(Contact c, uint partner, float r, vec3 way, float adhesion, float w_sum) {
  if (!(adhesion > 0.0))
    return 0.0;
  float smaller = min(r, c.radius), overlap = clamp(-gap_at_start(c, partner, r, way), 0.0, smaller);
  return args.h * args.h * w_sum * adhesion * pi * overlap * (2.0 * smaller - overlap);
}
