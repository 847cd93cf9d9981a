// Contacts as tubes from centre to centre, as thick as the force is great. Needs `draw_frame` in scope.
layout(set = 0, binding = 17, scalar) readonly buffer ContactLinesBlock { ContactLine contact_lines[]; };

struct Tube {
  vec3 from;     // m, from the eye
  vec3 axis;     // unit
  float span;    // m
  float radius;  // m; 0: none
  float share;   // of the greatest force
};

// greatest: force [N]
Tube tube_at(uint i, float greatest) {
  ContactLine line = contact_lines[i];
  vec3 way = line.to - line.from, from = line.from - draw_frame.eye;
  float size = length(way);
  // Written so that NaN fails it.
  if (!(line.force > 0.0 && size > 0.0))
    return Tube(from, vec3(0.0), 0.0, 0.0, 0.0);
  float share = clamp(line.force / greatest, 0.0, 1.0);
  float radius = min(draw_frame.line_radius * (draw_frame.lines == draw_lines_by_force ? share : 0.3), 0.3 * size);
  float least = 0.35 * draw_frame.sample_edge * length(from);  // thinner ones would come and go
  return Tube(from, way / size, size, max(radius, least), share);
}

// Where a ray from the eye meets a tube first.
bool hit_tube(Tube tube, vec3 direction, out float t, out vec3 normal) {
  // By the nearest points of ray and axis, which stay precise for thin tubes far away.
  vec3 across = cross(direction, tube.axis);
  float sine2 = dot(across, across);
  float away = dot(tube.from, across) * inversesqrt(max(sine2, 1e-12));
  float inside = tube.radius * tube.radius - away * away;
  vec3 from_across = cross(tube.from, tube.axis);
  t = dot(from_across, across) / max(sine2, 1e-12) - sqrt(max(inside, 0.0) / max(sine2, 1e-12));
  vec3 p = t * direction - tube.from;
  float along = dot(p, tube.axis);
  normal = normalize(p - along * tube.axis);
  return inside >= 0.0 && sine2 > 1e-12 && along >= 0.0 && along <= tube.span;
}
