// Bodies and shapes as triangles in their frames, cloth as triangles in the world, and the part of them that is drawn. Needs `draw_frame`, `bodies` and `draw_bodies`
// in scope.
layout(set = 0, binding = 15, scalar) readonly buffer MatchedBlock { ShapeMotion shape_motions[]; };

bool is_cloth(uint body) { return (draw_bodies[body].style & draw_cloth) != 0u; }

bool is_matched(uint body) { return (draw_bodies[body].style & draw_matched) != 0u; }

vec4 rotation_of(uint body) {
  if (is_matched(body))
    return shape_motions[body - draw_frame.first_matched].rotation;
  if (is_cloth(body))
    return vec4(0.0, 0.0, 0.0, 1.0);
  vec4 rotation = bodies[body].motion.rotation;
  if (draw_frame.moment == 0.0)
    return rotation;
  // By an angle that is small within an exposure: q + (t / 2) (spin, 0) q.
  vec3 half_turn = 0.5 * draw_frame.moment * bodies[body].motion.spin;
  return normalize(rotation + vec4(rotation.w * half_turn + cross(half_turn, rotation.xyz), -dot(half_turn, rotation.xyz)));
}

vec3 in_world(uint body, vec3 p) {
  if (is_cloth(body))
    return p;
  vec3 origin = is_matched(body) ? shape_motions[body - draw_frame.first_matched].position
                                 : bodies[body].motion.position + draw_frame.moment * bodies[body].motion.velocity;
  return origin + turned(rotation_of(body), p);
}

// How it is drawn.
uint body_drawn(uint body) {
  return (draw_bodies[body].style & (draw_cloth | draw_matched)) != 0u ? draw_solid_bodies : draw_frame.bodies;
}

// Is this point of a body drawn?
bool body_shown(uint body, vec3 point) {
  uint style = draw_bodies[body].style;
  if (body_drawn(body) == draw_no_bodies)
    return false;
  if ((style & draw_matched) != 0u && draw_frame.matched.x == draw_frame.matched.y)
    return false;
  if ((style & draw_cut) != 0u && dot(point - bodies[body].motion.position, draw_frame.cut) > 0.0)
    return false;
  vec3 slack = vec3(1e-5) * (draw_frame.domain_max - draw_frame.domain_min);
  if (draw_frame.ground != 0u && point.z < draw_frame.floor - slack.z)
    return false;
  return (style & draw_in_domain) == 0u || (all(greaterThanEqual(point, draw_frame.domain_min - slack)) &&
                                            all(lessThanEqual(point, draw_frame.domain_max + slack)));
}
