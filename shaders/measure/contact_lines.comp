#version 460
#extension GL_GOOGLE_include_directive : require
// The contacts that press, as lines to draw: of two grains, one has it. All slots are written, those behind the last row too.
#include "shared/pass.glsl"

layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountBlock { uint contact_count[]; };
layout(set = 0, binding = 4, scalar) readonly buffer SliceStartBlock { uint slice_start[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer LinesBlock { ContactLine contact_lines[]; };
layout(set = 0, binding = 8, scalar) readonly buffer TagBlock { uint grain_tag[]; };
layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 9, scalar) readonly buffer StateBlock { float contact_state[]; };
#define OVERLAP_MOST 1e30
#include "shared/space.glsl"
#include "shared/contact_row.glsl"
#include "shared/triangle.glsl"
#include "shared/contact_force.glsl"

void main() {
  uint i = element_index();
  if (i >= args.grains)
    return;
  vec3 p = grains[i].position.xyz;
  float r = grains[i].position.w;
  uint world = world_of(i), first = world * settings.worlds.places, slice = i / slice_grains;
  uint slices_end = (first + worlds[world].lists.grains + slice_grains - 1u) / slice_grains;
  uint width = slice < slices_end ? rows_before(slice + 1u, world) - rows_before(slice, world) : 0u;
  uint count = r > 0.0 ? contact_count[i] : 0u;
  float weights = weights_of(i, count);
  for (uint k = 0u; k < width; ++k) {
    uint slot = contact_slot(i, k), partner = k < count ? partner_at(i, slot) : no_partner;
    ContactLine line = ContactLine(vec3(0.0), vec3(0.0), 0.0);
    bool once = partner >= body_partner || partner > i;
    if (k < count && once && !is_triangle(partner)) {
      Contact c = contact_with(partner, i, p, r);
      float force = force_of(i, slot, c, weights);
      if (force > 0.0)
        line = ContactLine(p, p - (r + c.gap + (partner < body_partner ? c.radius : 0.0)) * c.normal, force);
    }
    contact_lines[slot] = line;
  }
  // Of its world; where there is one, of all that there is room for.
  uint rows_end = world * settings.worlds.rows + rows_before(slices_end, world);
  uint end = many_worlds == 0u ? uint(contact_lines.length()) : (world + 1u) * settings.worlds.rows * slice_grains;
  for (uint slot = rows_end * slice_grains + i - first; slot < end; slot += places_end(world) - first)
    contact_lines[slot] = ContactLine(vec3(0.0), vec3(0.0), 0.0);
}
