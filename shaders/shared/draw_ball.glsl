// What stands for a grain in an image: a ball, with facets where they can be seen. No ball: radius 0.
struct Ball {
  vec3 centre;   // m
  float radius;  // m
  uint number;   // what the facets come from; 0: none
};

const int facet_count = 6;
const vec2 facet_away = vec2(0.60, 0.95);  // of the planes from the centre, in radii of the ball
const float facet_outline = 0.922;         // area of the mean outline, of the ball's

// Distance along the ray from a point given from the centre, if it hits. turn: quaternion xyzw, of the facets.
bool hit_ball(Ball ball, vec4 turn, vec3 from, vec3 direction, out float t, out vec3 normal) {
  // By the ray's nearest point to the centre, which stays precise for small balls far away.
  float along = -dot(direction, from);
  vec3 off = from + along * direction;
  float inside = ball.radius * ball.radius - dot(off, off);
  if (inside < 0.0)
    return false;
  float half_way = sqrt(inside);
  float near = -half_way, far = half_way;
  normal = (off + near * direction) / ball.radius;
  if (ball.number == 0u) {
    t = along + near;
    return true;
  }
  vec3 own_off = turned(reversed(turn), off), own_direction = turned(reversed(turn), direction);
  for (int k = 0; k < facet_count; ++k) {
    uint word = mixed(ball.number * uint(facet_count) + uint(k));
    vec3 plane = normalize(vec3(word & 0x3FFu, (word >> 10) & 0x3FFu, (word >> 20) & 0x3FFu) - 511.3);
    float away = ball.radius * mix(facet_away.x, facet_away.y, float(mixed(word) >> 24) / 255.0) - dot(plane, own_off);
    float facing = dot(plane, own_direction);
    if (facing < 0.0) {
      if (away / facing > near) {
        near = away / facing;
        normal = turned(turn, plane);
      }
    } else if (away < far * facing)
      far = away / facing;
  }
  t = along + near;
  return near <= far;
}
