#pragma once
// This file says how ranks share the passes of a step and the fields that these write.
#include "engine/core/fields.h"
#include "engine/core/passes.h"
#include <cstdint>
#include <span>
#include <vector>

namespace talus::mpi {

// A rank runs these elements of a pass:
enum class Share {
  all,     // all of them: every rank does the same, on the same numbers
  own,     // those of the grains whose rows the rank has
  fresh,   // those of the grains whose rows it will have, in passes that make all rows anew
  saved,   // those of the grains, where they have been sorted to, whose old rows it has (history_save)
  slices,  // those of the slices whose rows it has
  listed,  // those of the slices that it has listed itself (activity_list)
};

struct Distribution {
  Share share = Share::all;
  bool neighbours = false;  // the pass reads what is on the other side of its contacts
};
// listed: the pass goes through listed slices, since grains at rest sleep.
Distribution distribution_of(Pass pass, bool listed);

// Are elements of this field those of grains, slices or contact rows, so that each is one rank's?
bool has_owners(FieldId id);
// Are they those of contact rows?
bool is_of_rows(FieldId id);

// Does each rank add its share to this field?
bool is_combined(FieldId id);

// take_apart() says what a rank has done to such a field since all ranks had `before`: numbers that are summed over the
// ranks, and numbers of which the greatest counts.
struct Combined {
  std::vector<std::uint64_t> sums, maxima;
};
void take_apart(FieldId id, std::span<const std::uint32_t> before, std::span<const std::uint32_t> now,
                Combined& combined);
// put_together() makes the field of the sums and maxima over all ranks. It takes its numbers from the front of both
// lists.
void put_together(FieldId id, std::span<const std::uint32_t> before, std::span<std::uint32_t> now,
                  std::span<const std::uint64_t>& sums, std::span<const std::uint64_t>& maxima);

}  // namespace talus::mpi
