// A square through a body that shows how far its surface is. Needs `draw_frame` and what draw_body.glsl needs in scope.

// A point of the square, -1 .. 1 along its edges.
vec3 slice_point(vec2 place) {
  return in_world(draw_frame.slice_body,
                  draw_frame.slice_middle + place.x * draw_frame.slice_x + place.y * draw_frame.slice_y);
}

vec3 slice_normal() {
  return normalize(turned(rotation_of(draw_frame.slice_body), cross(draw_frame.slice_x, draw_frame.slice_y)));
}
