// What colours a grain. Needs `grain_tag` in scope beside what draw_grains.glsl gives.
layout(set = 0, binding = 16, scalar) readonly buffer MeasuresBlock { GrainMeasure measures[]; };

uint material_at(uint i) { return (is_fine(i) ? fine_tag[i - draw_frame.coarse] : grain_tag[i]) & tag_material_mask; }
uint world_at(uint i) { return is_fine(i) ? 0u : grain_tag[i] >> draw_world_shift; }

// On the colour scale.
float value_at(uint i) {
  switch (draw_frame.color_by) {
  case draw_by_speed:
    return length(grain_at(i).velocity.xyz);
  case draw_by_depth:
    return grain_at(i).position.z;
  case draw_by_overlap:
    return measures[i].penetration_max;
  case draw_by_contacts:
    return float(measures[i].contacts);
  case draw_by_force:
    return measures[i].force_max;
  case draw_by_id:
    return float(number_at(i));
  case draw_by_radius:
    return grain_at(i).position.w;
  default:
    return 0.0;
  }
}
