#version 460
#extension GL_GOOGLE_include_directive : require
// How many contacts share the mass of a vertex of cloth: those with the triangles around it that may push in this substep.
#include "shared/pass.glsl"

layout(set = 0, binding = 0, scalar) readonly buffer SettingsBlock { Settings settings; };
layout(set = 0, binding = 3, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 5, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 6, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 7, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 8, scalar) buffer ShapeBlock { uint shape_data[]; };
#include "shared/space.glsl"
#include "shared/triangle.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  Grain grain = grains[i];
  float fall = args.h * length(settings.gravity);
  uint count = contact_count[i];
  for (uint k = 0u; k < count; ++k) {
    uint partner = contact_partner[row_slot(i, k)];
    if (!is_triangle(partner))
      continue;
    ClothContact c = cloth_contact(i, partner, grain, 0.0);
    if (c.gap < max(args.h * (length(grain.velocity.xyz - c.velocity) + fall), contact_near * grain.position.w))
      for (uint n = 0u; n < 3u; ++n)
        atomicAdd(shape_data[cloth_contacts_word(settings.cloth_words, settings.cloth_triangles, settings.cloth,
                                                 triangle_corner(partner - triangle_partner, n))], 1u);
  }
}
