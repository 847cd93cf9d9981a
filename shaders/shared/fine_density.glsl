// Room for fine grains that crowd: down the slope of their density where that is above the one aimed at, and only there, so that
// surfaces do not swell. Needs settings, density_count, density_owner, space.glsl and solid.glsl in scope.
#include "shared/density.glsl"

// How far it is to where another image of a body is the nearer one [m].
float to_other_image(vec3 offset) {
  float least = 3.4e38;
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic)
      least = min(least, 0.5 * (settings.domain.max[a] - settings.domain.min[a]) - abs(offset[a]));
  return least;
}

const vec4 no_body_near = vec4(0.0, 0.0, 0.0, 3.4e38);

// The body that is nearest, where one is within sight of a fine grain that has gone on for `time` [s]: its distance from p as a plane.
// clear: set to how far all are, at least.
vec4 nearest_body(vec3 p, float time, out float clear) {
  vec4 nearest = no_body_near;
  clear = 1e6;
  if (solid_kinds != 0u)
    for (uint body = 0u; body < settings.bodies.count; ++body) {
      vec3 offset = shortest(p - bodies[body].motion.position);
      float gone = fine_away * time * length(bodies[body].motion.velocity + cross(bodies[body].motion.spin, offset));
      float reach = bodies[body].reach + density_sight * settings.density_grid.edges.x + gone, away2 = dot(offset, offset);
      if (bodies[body].parts == 0u)
        continue;
      if (away2 > reach * reach) {
        clear = min(clear, sqrt(away2) - bodies[body].reach);
        continue;
      }
      vec4 d = from_body(body, offset);
      clear = min(clear, min(min(d.w, bodies[body].far), to_other_image(offset)));
      if (d.w < nearest.w)
        nearest = d;
    }
  return nearest;
}

// aim: share of the densest. most: m, beside density_way. body: as nearest_body.
vec3 room(vec4 grain, float aim, float most, vec4 body) {
  if (!(most > 0.0))
    return vec3(0.0);
  CrowdPlace place = density_place(grain.xyz);
  float excess[8];
  for (uint c = 0u; c < 8u; ++c) {
    ivec3 node = density_corner(place.node, c), block = density_block_of(node);
    vec3 corner = vec3(c & 1u, c >> 1 & 1u, c >> 2) - place.within;  // from the grain, in edges
    float share = free_share((body.w - grain.w + dot(body.xyz, corner * settings.density_grid.edges)) * settings.density_grid.inverse.x);
    for (uint wall = 0u; wall < 6u; ++wall)
      if (settings.domain.axis[wall >> 1] == axis_wall) {
        uint a = wall >> 1;
        float side = (wall & 1u) == 0u ? 1.0 : -1.0;
        share *= free_share((wall_distance(grain.xyz, wall) - grain.w) * settings.density_grid.inverse[a] + side * corner[a]);
      }
    bool own = density_owner[density_slot(block, settings.density_grid.bits)] == density_key(block, settings.density_grid.bits);
    float count = own ? float(density_count[density_index(node, settings.density_grid.bits)]) : 0.0;
    excess[c] = clamp(count / (aim * settings.density_grid.full * max(share, density_share)) - density_free, 0.0, density_most);
  }
  vec3 t = place.within, slope;
  vec4 x = vec4(excess[0] + t.x * (excess[1] - excess[0]), excess[2] + t.x * (excess[3] - excess[2]),
                excess[4] + t.x * (excess[5] - excess[4]), excess[6] + t.x * (excess[7] - excess[6]));
  vec4 rise = vec4(excess[1] - excess[0], excess[3] - excess[2], excess[5] - excess[4], excess[7] - excess[6]);
  vec2 low_high = vec2(x.x + t.y * (x.y - x.x), x.z + t.y * (x.w - x.z));
  slope.x = mix(mix(rise.x, rise.y, t.y), mix(rise.z, rise.w, t.y), t.z);
  slope.y = mix(x.y - x.x, x.w - x.z, t.z);
  slope.z = low_high.y - low_high.x;
  vec3 way = -density_gain * settings.density_grid.edges * slope;
  float len = length(way), limit = min(most, density_way * settings.density_grid.radius);
  return len > limit ? way * (limit / len) : way;
}
