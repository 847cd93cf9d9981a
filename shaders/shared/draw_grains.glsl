#include "shared/draw_ball.glsl"

// All that is drawn as a grain, by one number: coarse grains, then fine ones. Needs `draw_frame`, `grains` and `grain_id` in scope.
layout(set = 0, binding = 13, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 14, scalar) readonly buffer FineTagBlock { uint fine_tag[]; };

bool is_fine(uint i) { return i >= draw_frame.coarse; }
Grain grain_at(uint i) {
  if (is_fine(i))
    return fine_grains[i - draw_frame.coarse];
  return grains[i];
}
// The same for all of a grain's life.
uint number_at(uint i) { return is_fine(i) ? fine_tag[i - draw_frame.coarse] >> fine_tag_shift : grain_id[i]; }

// Is it drawn? Vertices of cloth are not, nor are coarse grains for which fine ones stand, or a surface.
bool is_drawn(uint i) {
  if (is_fine(i))
    return true;
  uint id = grain_id[i];
  if (is_cloth_vertex(draw_frame, id) || (id >= draw_frame.matched.x && id < draw_frame.matched.y))
    return false;
  return draw_frame.level != draw_fine || grains[i].velocity.w == 0.0 ||
         (id >= draw_frame.without_fine.x && id < draw_frame.without_fine.y);
}

// Coarse grains are balls, fine ones are a ball cut by planes at random: crushed quartz. Its mean outline has the area of the grain's.
// Fine grains much smaller than a sample would come and go as they move. Some of them, the same ones at all times, then stand for all,
// enlarged to the same area together (Cook et al. 2007, Stochastic simplification of aggregate detail).
const float facets_from = 2.0;  // radius, in samples
const float ball_least = 0.75;  // likewise

// sample: m, edge of what a sample of the image shows there.
Ball ball_at(uint i, float sample_edge) {
  vec4 sphere = grain_at(i).position;
  if (!is_fine(i))
    return Ball(sphere.xyz, draw_frame.grain_size * sphere.w, 0u);
  Ball ball = Ball(sphere.xyz, sphere.w, 0u);
  uint number = number_at(i);
  float least = ball_least * sample_edge;
  if (sphere.w < least) {
    float share = sphere.w * sphere.w / (least * least);
    ball.radius = float(mixed(number) >> 8) < share * 16777216.0 ? least : 0.0;
  } else if (sphere.w > facets_from * sample_edge && draw_frame.round_fine == 0u)
    ball = Ball(sphere.xyz, sphere.w * inversesqrt(facet_outline), number + 1u);
  return ball;
}

// As the eye sees it, centre from the eye.
Ball ball_from_eye(uint i) {
  float distance = length(grain_at(i).position.xyz - draw_frame.eye);
  Ball ball = ball_at(i, draw_frame.sample_edge * distance);
  ball.centre -= draw_frame.eye;
  return ball;
}

