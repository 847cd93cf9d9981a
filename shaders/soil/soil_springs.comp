#version 460
#extension GL_GOOGLE_include_directive : require
// Contacts of grains that have just come out of the ground, or are fixed no longer, get the springs that they had in the tile, where both
// grains lie as they do in the tile. Their other contacts start without springs. The two contact rows of a pair get opposite springs,
// although each grain writes its own row alone, because both find the same pair in the tile.
#include "shared/pass.glsl"

layout(set = 0, binding = 20, scalar) readonly buffer WorldBlock { World worlds[]; };
layout(set = 0, binding = 2, scalar) readonly buffer GrainsBlock { Grain grains[]; };
layout(set = 0, binding = 3, scalar) readonly buffer CountNextBlock { uint contact_count_next[]; };
layout(set = 0, binding = 4, scalar) readonly buffer StartNextBlock { uint slice_start_next[]; };
layout(set = 0, binding = 5, scalar) readonly buffer PartnerBlock { uint contact_partner[]; };
layout(set = 0, binding = 6, scalar) writeonly buffer StateBlock { float contact_state[]; };
layout(set = 0, binding = 7, scalar) readonly buffer OriginBlock { SoilOrigin soil_origin[]; };
layout(set = 0, binding = 8, scalar) readonly buffer FirstBlock { uint soil_first[]; };
layout(set = 0, binding = 9, scalar) readonly buffer SpringBlock { SoilSpring soil_springs[]; };
#include "shared/space.glsl"
#include "shared/next_row.glsl"
#include "shared/rebuilt.glsl"
#include "shared/slots.glsl"

bool is_fresh(uint i, uint world) { return soil_origin[i].tile > 0u && soil_origin[i].since == worlds[world].clock; }

// The index of the tile's spring between grain i and a partner (grain j, if the partner is a grain); no_partner if the tile has none.
uint spring_in_tile(uint i, uint partner, uint j) {
  uint tile = soil_origin[i].tile, name = partner;
  if (tile == 0u)
    return no_partner;
  vec3 apart = vec3(0.0);
  if (is_grain(partner)) {
    if (soil_origin[j].tile == 0u)
      return no_partner;
    name = soil_origin[j].tile - 1u;
    apart = shortest(grains[j].position.xyz - grains[i].position.xyz);
  }
  float most = soil_in_place * grains[i].position.w;
  for (uint s = soil_first[tile - 1u]; s < soil_first[tile]; ++s) {
    vec3 off = is_grain(partner) ? apart - soil_springs[s].apart : vec3(0.0);
    if (soil_springs[s].partner == name && dot(off, off) <= most * most)
      return s;
  }
  return no_partner;
}

void main() {
  uint i = rebuilt_place(element_index());
  if (i >= args.grains)
    return;
  uint world = world_of(i);
  bool fresh = is_fresh(i, world);
  uint slot = next_row(i / slice_grains, world) * slice_grains + i % slice_grains, end = slot + contact_count_next[i] * slice_grains;
  for (; slot < end; slot += slice_grains) {
    uint partner = contact_partner[slot], j = is_grain(partner) ? partner + (many_worlds == 0u ? 0u : world * settings.worlds.places) : i;
    if (!fresh && !is_fresh(j, world))
      continue;
    uint s = spring_in_tile(i, partner, j);
    float to_speed = args.h * (grains[i].velocity.w + (is_grain(partner) ? grains[j].velocity.w : 0.0));
    store_vec3(contact_state, shear_at(slot), s == no_partner ? vec3(0.0) : to_speed * soil_springs[s].shear);
    if (settings.contacts.roll != state_none)
      store_vec3(contact_state, roll_at(slot), s == no_partner ? vec3(0.0) : to_speed * soil_springs[s].roll);
  }
}
