// The surfaces of parts taken away, seen from inside: where two of them meet is a hollow corner. All in the part's frame.
#include "shared/partner.h"

bool composed() { return (solid_kinds & 1u << solid_composed) != 0u; }

// Which of its surfaces, by the gradient of its distance: inside it that is the normal of the nearest one.
uint surface_at(uint kind, vec3 n) {
  if (!composed() || (kind & solid_subtracts) == 0u)
    return 0u;
  uint shape = kind & solid_kind_mask;
  if (has_kind(solid_box) && shape == solid_box) {
    vec3 size = abs(n);
    uint axis = size.z >= max(size.x, size.y) ? 2u : size.y >= size.x ? 1u : 0u;
    return 2u * axis + (n[axis] < 0.0 ? 0u : 1u);
  }
  if (has_kind(solid_cone) && shape == solid_cone)
    return n.xy != vec2(0.0) ? 0u : n.z < 0.0 ? 1u : 2u;
  return 0u;
}

// Distance from one surface of a part, of one taken away as if it went on for ever.
vec4 from_surface(SolidPart part, uint surface, vec3 q) {
  uint shape = part.kind & solid_kind_mask;
  bool subtracts = (part.kind & solid_subtracts) != 0u;
  vec3 n = vec3(0.0);
  if (has_kind(solid_box) && subtracts && shape == solid_box) {
    uint axis = surface / 2u;
    float side = surface % 2u == 0u ? -1.0 : 1.0;
    n[axis] = -side;
    precise float d = part.size[axis] - side * q[axis];
    return vec4(n, d);
  }
  if (has_kind(solid_cone) && subtracts && shape == solid_cone) {
    if (surface != 0u) {
      float side = surface == 1u ? -1.0 : 1.0;
      precise float d = part.size.z - side * q.z;
      return vec4(0.0, 0.0, -side, d);
    }
    float across = length_of(q.xy);
    precise float slope_x = part.size.y - part.size.x, slope_y = 2.0 * part.size.z;
    precise float left = (across - part.size.x) * slope_y - (q.z + part.size.z) * slope_x;
    float slope = length_of(vec2(slope_x, slope_y));
    vec2 inwards = vec2(-slope_y, slope_x) / slope;
    return vec4(across > 0.0 ? inwards.x * q.xy / across : vec2(inwards.x, 0.0), inwards.y, -left / slope);
  }
  vec4 d = from_shape(part, q);
  return subtracts ? -d : d;
}
