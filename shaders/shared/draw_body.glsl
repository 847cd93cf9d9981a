// Bodies as triangles in the bodies' frames, cloth as triangles in the world, and the part of them that is drawn. Needs `draw_frame`, `bodies` and `draw_bodies` in
// scope.

vec3 turned(vec4 rotation, vec3 v) {
  vec3 t = 2.0 * cross(rotation.xyz, v);
  return v + rotation.w * t + cross(rotation.xyz, t);
}

bool is_cloth(uint body) { return (draw_bodies[body].style & draw_cloth) != 0u; }

vec3 in_world(uint body, vec3 p) {
  if (is_cloth(body))
    return p;
  return bodies[body].motion.position + turned(bodies[body].motion.rotation, p);
}

// Is this point of a body drawn?
bool body_shown(uint body, vec3 point) {
  uint style = draw_bodies[body].style;
  if ((style & draw_cut) != 0u && dot(point - bodies[body].motion.position, draw_frame.cut) > 0.0)
    return false;
  vec3 slack = vec3(1e-5) * (draw_frame.domain_max - draw_frame.domain_min);
  if (draw_frame.ground != 0u && point.z < draw_frame.floor - slack.z)
    return false;
  return (style & draw_in_domain) == 0u || (all(greaterThanEqual(point, draw_frame.domain_min - slack)) &&
                                            all(lessThanEqual(point, draw_frame.domain_max + slack)));
}
