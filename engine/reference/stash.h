#pragma once
// The stash: what contacts remember while their rows are made anew where they are.
#include "engine/reference/space.h"
#include <bit>
#include <optional>

namespace talus::reference {

// Does a contact remember anything? Triangles do: the face that the grain is on.
inline bool remembers(const Fields& f, std::size_t slot) {
  const ContactSettings& contacts = f.settings[0].contacts;
  uint bits = 0;
  for (uint c = 0; c < contacts.kept_words; ++c)
    bits |= std::bit_cast<uint>(f.contact_state[state_at(f, slot, contacts.kept_first + c)]);
  return bits != 0 || is_triangle(f.contact_partner[slot]);
}

// Room in the stash of its world for so many contacts of grains: the first of them, or nothing where it is full, and
// then nothing comes of the new rows.
inline std::optional<uint> stash_room(Fields& f, uint world, uint count) {
  const uint before = std::atomic_ref(f.worlds[world].stashed).fetch_add(count), room = f.settings[0].worlds.stash;
  TALUS_ASSERT((world + 1) * std::size_t{room} <= f.stash_partner.size(), world, room, f.stash_partner.size());
  return before + count <= room ? std::optional(world * room + before) : std::nullopt;
}

inline void put_aside(Fields& f, uint entry, std::size_t slot) {
  TALUS_ASSERT(entry < f.stash_partner.size() && slot < f.contact_partner.size(), entry, slot);
  TALUS_ASSERT(f.contact_partner[slot] != no_partner, entry, slot);
  const ContactSettings& keeps = f.settings[0].contacts;
  f.stash_partner[entry] = f.contact_partner[slot];
  if (keeps.memory)
    f.stash_shear[entry] = vec3_at(f.contact_state, shear_at(f, slot));
  if (keeps.impulses)
    f.stash_sum[entry] = vec4_at(f.contact_state, sum_at(f, slot));
}

}  // namespace talus::reference
