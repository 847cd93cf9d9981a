// Where the corners of triangles are. Needs `draw_vertices` in scope beside what draw_body.glsl needs.
#include "shared/draw_body.glsl"

// Those of cloth lie next to the first one, whatever periodic axis is between them.
vec3 corner_of(DrawTriangle triangle, uint corner) {
  vec3 place = draw_vertices[triangle.corners[corner]].position;
  if (is_cloth(triangle.body)) {
    vec3 first = draw_vertices[triangle.corners.x].position;
    place = first + shortest_way(draw_frame, place - first);
  }
  return in_world(triangle.body, place);
}
