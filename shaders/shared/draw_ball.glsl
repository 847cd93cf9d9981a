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
  // A loop without a turn for balls, and the planes turned within it: drivers without a GPU go through both sides of a branch.
  for (int k = 0; k < (ball.number != 0u ? facet_count : 0); ++k) {
    uint word = mixed(ball.number * uint(facet_count) + uint(k));
    vec3 plane = turned(turn, normalize(vec3(word & 0x3FFu, (word >> 10) & 0x3FFu, (word >> 20) & 0x3FFu) - 511.3));
    float away = ball.radius * mix(facet_away.x, facet_away.y, float(mixed(word) >> 24) / 255.0) - dot(plane, off);
    float facing = dot(plane, direction);
    if (facing < 0.0) {
      if (away / facing > near) {
        near = away / facing;
        normal = plane;
      }
    } else if (away < far * facing)
      far = away / facing;
  }
  t = along + near;
  return near <= far;
}
