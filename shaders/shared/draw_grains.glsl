// All that is drawn as a grain, by one number: coarse grains, then fine ones. Needs `draw_frame`, `grains` and `grain_id` in scope.
#include "shared/draw_ball.glsl"

layout(set = 0, binding = 3, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 20, scalar) readonly buffer LightBlock {
  DrawLight draw_light;
  DrawMaterial draw_materials[];
};
layout(set = 0, binding = 13, scalar) readonly buffer FineBlock { Grain fine_grains[]; };
layout(set = 0, binding = 14, scalar) readonly buffer FineTagBlock { uint fine_tag[]; };

bool is_fine(uint i) { return i >= draw_frame.coarse; }
Grain grain_at(uint i) {
  Grain grain;
  if (is_fine(i))
    grain = fine_grains[i - draw_frame.coarse];
  else
    grain = grains[i];
  grain.position.xyz += draw_frame.moment * grain.velocity.xyz;
  return grain;
}
uint material_at(uint i) { return (is_fine(i) ? fine_tag[i - draw_frame.coarse] : grain_tag[i]) & tag_material_mask; }

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

// Fine grains that stand for coarse ones are always cut; others by their material.
bool is_cut(uint i) { return (is_fine(i) && draw_frame.round_fine == 0u) || draw_materials[material_at(i)].cut != 0u; }

// A grain is a ball, or a ball cut by planes at random, as crushed stone is. Its mean outline has the area of the grain's.
// Fine grains much smaller than a sample would come and go as they move. Some of them, the same ones at all times, then stand for all,
// enlarged to the same area together (Cook et al. 2007, Stochastic simplification of aggregate detail).
const float facets_from = 2.0;  // radius, in samples
const float ball_least = 0.75;  // likewise

// sample: m, edge of what a sample of the image shows there.
Ball ball_at(uint i, float sample_edge) {
  vec4 sphere = grain_at(i).position;
  Ball ball = Ball(sphere.xyz, is_fine(i) ? sphere.w : draw_frame.grain_size * sphere.w, 0u);
  uint number = number_at(i);
  float least = ball_least * sample_edge;
  if (is_fine(i) && ball.radius < least) {
    float share = sphere.w * sphere.w / (least * least);
    ball.radius = float(mixed(number) >> 8) < share * 16777216.0 ? least : 0.0;
  } else if (ball.radius > facets_from * sample_edge && is_cut(i)) {
    ball.radius *= inversesqrt(facet_outline);
    ball.number = number + 1u;
  }
  return ball;
}

// As the eye sees it, centre from the eye.
Ball ball_from_eye(uint i) {
  float distance = length(grain_at(i).position.xyz - draw_frame.eye);
  Ball ball = ball_at(i, draw_frame.sample_edge * distance);
  ball.centre -= draw_frame.eye;
  return ball;
}
