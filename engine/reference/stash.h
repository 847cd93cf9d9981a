#pragma once
// The stash: what contacts remember while their rows are made anew where they are.
#include "engine/reference/space.h"
#include <bit>
#include <optional>

namespace talus::reference {

// Calls visit(c, at) for the components of contact_state that the contact in `slot` keeps.
template <class Visit> void each_kept(const Fields& f, std::size_t slot, Visit visit) {
  const uint words = f.settings[0].contacts.kept_words;
  if (words == 0)
    return;
  std::size_t at = state_at(f, slot, f.settings[0].contacts.kept_first);
  for (uint c = 0; c < words; ++c, at += slice_grains)
    visit(c, at);
}

// Where the stash has an entry: the partner, then what the contact keeps.
inline std::size_t stash_at(const Fields& f, uint entry) {
  return std::size_t{entry} * (1 + f.settings[0].contacts.kept_words);
}

// Does a contact remember anything? Triangles do: the face that the grain is on.
inline bool remembers(const Fields& f, std::size_t slot) {
  uint bits = 0;
  each_kept(f, slot, [&](uint, std::size_t at) { bits |= std::bit_cast<uint>(f.contact_state[at]); });
  return bits != 0 || is_triangle(f.contact_partner[slot]);
}

// Room in the stash of its world for so many contacts of grains: the first of them, or nothing where it is full, and
// then nothing comes of the new rows.
inline std::optional<uint> stash_room(Fields& f, uint world, uint count) {
  const uint before = std::atomic_ref(f.worlds[world].stashed).fetch_add(count), room = f.settings[0].worlds.stash;
  TALUS_ASSERT(stash_at(f, (world + 1) * room) <= f.stash.size(), world, room, f.stash.size());
  return before + count <= room ? std::optional(world * room + before) : std::nullopt;
}

inline void put_aside(Fields& f, uint entry, std::size_t slot) {
  TALUS_ASSERT(stash_at(f, entry + 1) <= f.stash.size() && slot < f.contact_partner.size(), entry, slot);
  TALUS_ASSERT(f.contact_partner[slot] != no_partner, entry, slot);
  uint* const to = &f.stash[stash_at(f, entry)];
  to[0] = f.contact_partner[slot];
  each_kept(f, slot, [&](uint c, std::size_t at) { to[1 + c] = std::bit_cast<uint>(f.contact_state[at]); });
}

// .. and back.
inline void take_back(Fields& f, uint entry, std::size_t slot) {
  const uint* const from = &f.stash[stash_at(f, entry)];
  each_kept(f, slot, [&](uint c, std::size_t at) { f.contact_state[at] = std::bit_cast<float>(from[1 + c]); });
}

}  // namespace talus::reference
