// The surfaces of parts taken away, seen from inside: where two of them meet is a hollow corner. All in the part's frame.
#include "shared/partner.h"

bool composed() { return (solid_kinds & 1u << solid_composed) != 0u; }

uint surface_at(uint kind, vec3 n) {
  uint shape = kind & solid_kind_mask;
  if (!composed() || (kind & solid_subtracts) == 0u)
    return 0u;
  if (has_kind(solid_box) && shape == solid_box)
    return surface_of_box(n);
  return has_kind(solid_cone) && shape == solid_cone ? surface_of_cone(n) : 0u;
}

// Distance from one surface of a part, of one taken away as if it went on for ever.
vec4 from_surface(SolidPart part, uint surface, vec3 q) {
  uint shape = part.kind & solid_kind_mask;
  bool subtracts = (part.kind & solid_subtracts) != 0u;
  if (has_kind(solid_box) && subtracts && shape == solid_box)
    return from_surface_of_box(surface, q, part.size);
  if (has_kind(solid_cone) && subtracts && shape == solid_cone)
    return from_surface_of_cone(surface, q, part.size);
  vec4 d = from_shape(part, q);
  return subtracts ? -d : d;
}
