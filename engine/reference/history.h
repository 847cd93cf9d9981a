#pragma once
// The history buffer: what contacts remember while their rows are made anew where they are.
#include "engine/reference/space.h"
#include <bit>
#include <optional>
#include <type_traits>

namespace talus::reference {

// Calls work with the number of components that contacts keep as a constant: a loop over so few costs as much as what
// is in it. Where there are none, there is no work.
template <class Work> void with_kept(const Fields& f, Work work) {
  switch (f.settings[0].contacts.kept_words) {
  case 3:  // the shear
    return work(std::integral_constant<uint, 3>());
  case 4:  // the sum
    return work(std::integral_constant<uint, 4>());
  case 6:  // the shear and the roll
    return work(std::integral_constant<uint, 6>());
  case 7:  // the sum, and the shear or the roll's sum
    return work(std::integral_constant<uint, 7>());
  case 13:
    return work(std::integral_constant<uint, 13>());
  }
}

// Calls visit(c, at) for the components of contact_state that the contact in `slot` keeps.
template <class Visit> void each_kept(const Fields& f, std::size_t slot, Visit visit) {
  with_kept(f, [&](auto words) {
    const std::size_t first = state_at(f, slot, f.settings[0].contacts.kept_first);
    for (uint c = 0; c < words; ++c)
      visit(c, first + c * slice_grains);
  });
}

// Where the history buffer has an entry: the partner, then what the contact keeps.
inline std::size_t history_at(const Fields& f, uint entry) {
  return std::size_t{entry} * (1 + f.settings[0].contacts.kept_words);
}

// Does a contact remember anything? Triangles do: the face that the grain is on.
inline bool remembers(const Fields& f, std::size_t slot) {
  uint bits = 0;
  each_kept(f, slot, [&](uint, std::size_t at) { bits |= std::bit_cast<uint>(f.contact_state[at]); });
  return bits != 0 || is_triangle(f.contact_partner[slot]);
}

// Room in the history buffer of its world for so many contacts of grains: the first of them, or nothing where it is
// full, and then nothing comes of the new rows.
inline std::optional<uint> history_room(Fields& f, uint world, uint count) {
  const uint before = atomic_ref(f.worlds[world].lists.history).fetch_add(count), room = f.settings[0].worlds.history;
  TALUS_ASSERT(history_at(f, (world + 1) * room) <= f.history.size(), world, room, f.history.size());
  return before + count <= room ? std::optional(world * room + before) : std::nullopt;
}

inline void put_aside(Fields& f, uint entry, std::size_t slot) {
  TALUS_ASSERT(history_at(f, entry + 1) <= f.history.size() && slot < f.contact_partner.size(), entry, slot);
  TALUS_ASSERT(f.contact_partner[slot] != no_partner, entry, slot);
  uint* const to = &f.history[history_at(f, entry)];
  to[0] = f.contact_partner[slot];
  each_kept(f, slot, [&](uint c, std::size_t at) { to[1 + c] = std::bit_cast<uint>(f.contact_state[at]); });
}

// Takes back what put_aside has saved.
inline void take_back(Fields& f, uint entry, std::size_t slot) {
  const uint* const from = &f.history[history_at(f, entry)];
  each_kept(f, slot, [&](uint c, std::size_t at) { f.contact_state[at] = std::bit_cast<float>(from[1 + c]); });
}

}  // namespace talus::reference
