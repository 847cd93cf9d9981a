// Geometry of the contact of a grain at p with radius r and a partner, seen from the grain. Needs settings and grains in scope.
// MOVED: h in passes whose positions are those where the substep ends, before the bodies get there. OVERLAP_MOST: with a body, in radii.
// ONE_DIVISION: of contact_of_grains.
#include "shared/solid.glsl"
#include "shared/solid_hollow.glsl"
#include "shared/mobility.glsl"
#include "shared/laws/contact.h"
#include "shared/laws/turn.h"
#ifndef MOVED
#define MOVED 0.0
#endif
#ifndef ONE_DIVISION
#define ONE_DIVISION false
#endif
#ifndef OVERLAP_MOST
#define OVERLAP_MOST body_overlap_most
#endif

bool is_body(uint partner) { return solid_kinds != 0u && partner >= body_partner && partner < wall_partner; }

// Distance from a surface of a body. Of several that a grain may touch at once, none counts twice. It returns from no branch within a branch:
// Mesa's compiler carried the result from contact to contact then, 4 registers.
vec4 touched(uint body, uint surface, vec3 offset, float r) {
  if (only_triangles(body)) {
    SolidPart part = solid_part(bodies[body].first_part);
    vec4 d = from_mesh(part, in_body(body, offset), hollow_reach * r, surface);
    return surface == 0u || d.w < surface_hidden * r ? vec4(rotated(bodies[body].motion.rotation, rotated(part.rotation, d.xyz)), d.w)
                                                     : vec4(0.0, 0.0, 1.0, surface_hidden * r);
  }
  uint nearest;
  vec4 d = from_body(body, offset, nearest);
  if (composed() && bodies[body].parts != 1u && surface != nearest) {
    vec4 own = from_body_surface(body, surface, offset);
    bool counts = false;
    if (own.w > 0.0 && dot(own.xyz, d.xyz) < corner_turn) {
      from_body(body, offset - (own.w - corner_above * r) * own.xyz, nearest);
      counts = surface == nearest;
    }
    d = counts ? own : vec4(own.xyz, surface_hidden * r);
  }
  return d;
}

// other: the partner.
Contact contact_with_grain(Grain other, uint partner, uint i, vec3 p, float r) {
  return contact_of_grains(shortest(p - other.position.xyz), r, other.velocity.xyz, other.position.w, other.velocity.w,
                           i < partner ? 1.0 : -1.0, ONE_DIVISION);
}

// A body or a wall.
Contact contact_with_other(uint partner, uint i, vec3 p, float r) {
  if (!is_body(partner)) {
    uint wall = partner - wall_partner;
    return contact_of_wall(wall_normal(wall), wall_distance(p, wall), r);
  }
  // A plane for the length of a substep, where the grain was at its start: whatever its way, it does not get behind it.
  uint body = body_of(partner);
  vec3 way = MOVED * grains[i].velocity.xyz, offset = shortest(p - way - bodies[body].motion.position);
  vec4 d = touched(body, surface_of(partner), offset, r);
  Contact c;
  c.normal = d.xyz;
  c.point = offset - d.w * d.xyz;
  c.velocity = bodies[body].motion.velocity + cross(bodies[body].motion.spin, c.point);
  c.gap = max(d.w - r, -OVERLAP_MOST * r) + dot(way - MOVED * c.velocity, d.xyz);
  c.radius = r;
  vec2 ease = mobility(body, c.point, c.normal);
  c.inverse_mass = ease.x;
  c.across = ease.y;
  return c;
}

Contact contact_with(uint partner, uint i, vec3 p, float r) {
  if (is_grain(partner))
    return contact_with_grain(grains[partner], partner, i, p, r);
  return contact_with_other(partner, i, p, r);
}
