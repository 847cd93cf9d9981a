// Ranks give each other whole fields, or what contacts reach of them.
#include "engine/mpi/bytes.h"
#include "engine/mpi/part.h"
#include "shaders/shared/partner.h"
#include <algorithm>
#include <cstring>
#include <iterator>

namespace talus::mpi {

// Calls visit(first, bytes) for the stretches of a field that belong to slices: the elements of the places of their
// grains in memory, of the slices themselves, or of their contact rows.
template <class Visit> void Part::each_stretch(FieldCopy field, SliceRun run, Visit visit) {
  const std::size_t all = bytes(field).size(), stride = info(field.id).stride;
  const auto stretch = [&](std::size_t first, std::size_t end) {
    first = std::min(first * stride, all);
    end = std::min(end * stride, all);
    if (first < end)
      visit(first, end - first);
  };
  const std::size_t first = std::size_t{run.first} * slice_grains, end = std::size_t{run.end} * slice_grains;
  switch (info(field.id).extent) {
  case Extent::grains:
    return stretch(first, end);
  case Extent::grains_twice: {
    const std::size_t grains = all / stride / 2;
    stretch(std::min(first, grains), std::min(end, grains));
    return stretch(grains + std::min(first, grains), grains + std::min(end, grains));
  }
  case Extent::slices:
    return stretch(run.first, run.end);
  default:
    break;
  }
  TALUS_ASSERT(is_of_rows(field.id), field.id);
  const Fields& f = here_.fields();
  const std::size_t words = slice_grains * elements_of_slot(info(field.id).extent, settings().contacts);
  const std::uint32_t slices = settings().worlds.count == 1 ? static_cast<std::uint32_t>(f.slice_start.size() - 1)
                                                            : settings().worlds.places / slice_grains;
  for (std::uint32_t s = run.first; s < run.end;) {
    const std::uint32_t world = s / slices, last = std::min(run.end, (world + 1) * slices);
    const std::size_t before = std::size_t{world} * settings().worlds.rows;
    stretch((before + f.slice_start[s + world]) * words, (before + f.slice_start[last + world]) * words);
    s = last;
  }
}

// Makes fields whole whose slices were dealt out in the same way.
void Part::gather(std::span<const FieldCopy> fields) {
  const Ownership& by = *validity(fields.front()).by;
  const auto each = [&](std::size_t r, auto visit) {
    for (const FieldCopy field : fields)  // slice_width goes by elements of the passes that make new rows
      for (const SliceRun& run : field.id == FieldId::slice_width ? elements_of(by, r) : by.slices[r])
        each_stretch(field, run,
                     [&](std::size_t first, std::size_t count) { visit(bytes(field).subspan(first, count)); });
  };
  std::vector<std::size_t> sizes(by.slices.size(), 0);
  for (std::size_t r = 0; r < sizes.size(); ++r)
    each(r, [&](std::span<std::byte> part) { sizes[r] += part.size(); });
  packed_.clear();
  each(rank(), [&](std::span<std::byte> part) { packed_.insert(packed_.end(), part.begin(), part.end()); });
  const auto parts = communicator_.gather(packed_, sizes);
  for (std::size_t r = 0; r < sizes.size(); ++r)
    if (r != rank())
      each(r, [from = parts[r]](std::span<std::byte> part) mutable {
        std::memcpy(part.data(), from.data(), part.size());
        from = from.subspan(part.size());
      });
  for (const FieldCopy field : fields)
    validity(field) = {};
}

// Finds the slices of other ranks that contacts of this one reach, and tells their ranks. Several worlds are dealt out
// whole, and their grains never touch, so that there are none. After an incremental rebuild only rows that were made
// anew reach others than before; that some reach less is looked at in the next rebuild of all.
void Part::find_borders() {
  const bool anew = std::exchange(borders_known_, Known::all) == Known::none;
  if (anew)
    reached_.assign(rows_->rank_of.size(), false);
  if (settings().worlds.count > 1)
    return borders_.clear();
  const Fields& f = here_.fields();
  std::vector<std::vector<std::uint32_t>> wanted(rows_->slices.size());
  const auto reach = [&](std::uint32_t slice) {
    if (reached_[slice])
      return;
    reached_[slice] = true;
    if (const std::uint16_t owner = rows_->rank_of[slice]; owner != rank())
      wanted[owner].push_back(slice);
  };
  for (const SliceRun& run : rows_->slices[rank()])
    for (std::uint32_t i = run.first * slice_grains; i < std::min(run.end * slice_grains, grains_); ++i) {
      if (!anew && f.contact_count_next[i] == row_kept)
        continue;
      const std::size_t row = std::size_t{f.slice_start[i / slice_grains]} * slice_grains + i % slice_grains;
      for (std::uint32_t k = 0; k < f.contact_count[i]; ++k)
        if (const std::uint32_t partner = f.contact_partner[row + k * slice_grains]; is_grain(partner))
          reach(partner / slice_grains);
    }
  std::vector<Bytes> requests(wanted.size());
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    std::ranges::sort(wanted[r]);
    for (const SliceRun& run : runs_of(wanted[r]))
      put(requests[r], run);
  }
  const std::vector<Bytes> asked = communicator_.deal(requests);
  if (anew) {
    borders_.clear();
    for (std::size_t r = 0; r < wanted.size(); ++r)
      borders_.push_back({static_cast<int>(r), {}, {}});
  }
  summary_.ghosts = 0.0;
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    std::ranges::copy(runs_of(wanted[r]), std::back_inserter(borders_[r].wanted));
    for (std::span<const std::byte> rest = asked[r]; !rest.empty();)
      borders_[r].given.push_back(take<SliceRun>(rest));
    summary_.ghosts += grains_of(borders_[r].wanted);
  }
}

void Part::exchange_ghosts(std::span<const FieldCopy> fields) {
  std::vector<FieldCopy> due;
  for (const FieldCopy field : fields)
    if (!validity(field).ghosts || borders_known_ != Known::all)
      due.push_back(field);
  if (due.empty())
    return;
  // Borders are those of the slices as they are dealt out now.
  std::vector<FieldCopy> older;
  std::ranges::copy_if(due, std::back_inserter(older), [&](FieldCopy field) { return validity(field).by != rows_; });
  make_whole(older);
  std::erase_if(due, [&](FieldCopy field) { return validity(field).has == Has::whole; });
  if (due.empty())
    return;
  if (borders_known_ != Known::all)
    find_borders();
  const auto each = [&](std::span<const SliceRun> runs, auto visit) {
    for (const FieldCopy field : due)
      for (const SliceRun& run : runs)
        each_stretch(field, run,
                     [&](std::size_t first, std::size_t count) { visit(bytes(field).subspan(first, count)); });
  };
  std::vector<Message> outgoing, incoming;
  for (const Border& border : borders_) {
    if (!border.given.empty()) {
      Message& message = outgoing.emplace_back(Message{border.rank, {}});
      each(border.given,
           [&](std::span<std::byte> part) { message.bytes.insert(message.bytes.end(), part.begin(), part.end()); });
    }
    if (!border.wanted.empty()) {
      std::size_t size = 0;
      each(border.wanted, [&](std::span<std::byte> part) { size += part.size(); });
      incoming.push_back({border.rank, Bytes(size)});
    }
  }
  communicator_.exchange(outgoing, incoming);
  auto message = incoming.begin();
  for (const Border& border : borders_)
    if (!border.wanted.empty()) {
      auto from = message++->bytes.begin();
      each(border.wanted, [&](std::span<std::byte> part) {
        std::copy_n(from, part.size(), part.begin());
        from += static_cast<std::ptrdiff_t>(part.size());
      });
    }
  for (const FieldCopy field : due)
    validity(field).ghosts = true;
}

}  // namespace talus::mpi
