// Which grains are worth drawing, and as what. Needs what draw_grains.glsl needs, and `draw_extent`.
const uint kinds = 3u;         // of lists: squares that the eye sees, points that it sees, squares that the light sees
const uint square_seen = 1u;   // one more in the first list; lists share a word, 10 bits each
const uint point_seen = 1u << 10;
const uint square_lit = 1u << 20;
uint of_kind(uint packed, uint kind) { return (packed >> (10u * kind)) & 0x3FFu; }

// Does the ball reach into the picture's pyramid?
bool in_view(Ball ball) {
  float radius = 1.001 * ball.radius, away = dot(ball.centre, draw_frame.forward);
  float half_width = length(draw_frame.right), half_height = length(draw_frame.up);
  float right = abs(dot(ball.centre, draw_frame.right) / half_width - draw_frame.shift.x * half_width * away);
  float up = abs(dot(ball.centre, draw_frame.up) / half_height - draw_frame.shift.y * half_height * away);
  vec2 slope = vec2(half_width, half_height) * (1.0 + abs(draw_frame.shift));  // of the steepest sides
  return away > draw_frame.nearest - radius && right - away * half_width <= radius * sqrt(1.0 + slope.x * slope.x) &&
         up - away * half_height <= radius * sqrt(1.0 + slope.y * slope.y);
}

// Then only the sample that holds its centre can show it.
bool within_a_sample(Ball ball) {
  float away = dot(ball.centre, draw_frame.forward);
  return away > 0.0 && 2.02 * ball.radius * length(ball.centre) <= draw_frame.sample_edge * away * away;
}

// What is added to the lists for a grain.
uint lists_of(uint i) {
  if (!is_drawn(i))
    return 0u;
  if (draw_frame.culling == 0u)
    return square_seen | square_lit;
  uint packed = 0u;
  Ball seen = ball_from_eye(i);
  if (seen.radius > 0.0 && in_view(seen))
    packed = within_a_sample(seen) ? point_seen : square_seen;
  if (ball_at(i, shadow_box(draw_extent, draw_frame.shadow_texels).size.x / draw_frame.shadow_texels).radius > 0.0)
    packed |= square_lit;
  return packed;
}
