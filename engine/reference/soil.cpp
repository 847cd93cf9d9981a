// Grains that come out of the ground.
#include "engine/reference/space.h"

namespace talus::reference {
namespace {

bool is_fresh(const Fields& f, uint i) {
  const SoilOrigin& origin = f.soil_origin[i];
  return origin.tile > 0 && origin.since == f.worlds[world_of(f, i)].clock;
}

// The tile's spring between grain i and a partner (grain j, if the partner is a grain); null if the tile has none, or
// if the two do not lie as they do in the tile.
const SoilSpring* spring_in_tile(const Fields& f, uint i, uint partner, uint j) {
  const uint tile = f.soil_origin[i].tile;
  if (tile == 0 || (is_grain(partner) && f.soil_origin[j].tile == 0))
    return nullptr;
  TALUS_ASSERT(tile < f.soil_first.size(), i, tile, f.soil_first.size());
  const uint name = is_grain(partner) ? f.soil_origin[j].tile - 1 : partner;
  const vec3 apart =
      is_grain(partner) ? shortest(vec3(f.grains[j].position) - vec3(f.grains[i].position), f.settings[0]) : vec3(0.0f);
  const float most = soil_in_place * f.grains[i].position.w;
  for (uint s = f.soil_first[tile - 1]; s < f.soil_first[tile]; ++s) {
    const SoilSpring& spring = f.soil_springs[s];
    const vec3 off = is_grain(partner) ? apart - spring.apart : vec3(0.0f);
    if (spring.partner == name && squared(off) <= most * most)
      return &spring;
  }
  return nullptr;
}

}  // namespace

void soil_springs(const Args& args, Fields& f, uint begin, uint end) {
  const Settings& settings = f.settings[0];
  for (uint e = begin; e < end; ++e) {
    const uint i = rebuilt_place(f, e);
    if (i >= args.grains)
      continue;
    const uint first = settings.worlds.count == 1 ? 0 : world_of(f, i) * settings.worlds.places;
    const bool fresh = is_fresh(f, i);
    for (uint k = 0; k < f.contact_count_next[i]; ++k) {
      const std::size_t slot = next_slot(f, i, k);
      const uint partner = f.contact_partner[slot], j = is_grain(partner) ? first + partner : i;
      if (!fresh && !is_fresh(f, j))
        continue;
      const SoilSpring* const spring = spring_in_tile(f, i, partner, j);
      const float to_speed = args.h * (f.grains[i].velocity.w + (is_grain(partner) ? f.grains[j].velocity.w : 0.0f));
      put(f.contact_state, shear_at(f, slot), spring ? to_speed * spring->shear : vec3(0.0f));
      if (settings.contacts.roll != state_none)
        put(f.contact_state, roll_at(f, slot), spring ? to_speed * spring->roll : vec3(0.0f));
    }
  }
}

}  // namespace talus::reference
