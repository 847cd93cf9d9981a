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

// Is it drawn as a ball? Vertices of cloth are not, nor are coarse grains for which fine ones stand.
bool is_ball(uint i) {
  if (is_fine(i))
    return true;
  uint id = grain_id[i];
  if (is_cloth_vertex(draw_frame, id))
    return false;
  return draw_frame.level != draw_fine || grains[i].velocity.w == 0.0 ||
         (id >= draw_frame.without_fine.x && id < draw_frame.without_fine.y);
}
