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
  const Fields& f = here_.on_host({FieldId::slice_start});
  const std::size_t words = slice_grains * elements_of_slot(info(field.id).extent, settings().contacts);
  const std::uint32_t slices = settings().worlds.count == 1 ? static_cast<std::uint32_t>(f.slice_start.size() - 1)
                                                            : settings().worlds.places / slice_grains;
  const std::uint32_t end_of_rows = settings().worlds.count == 1 ? std::min(run.end, row_slices_) : run.end;
  for (std::uint32_t s = run.first; s < end_of_rows;) {
    const std::uint32_t world = s / slices, last = std::min(end_of_rows, (world + 1) * slices);
    const std::size_t before = std::size_t{world} * settings().worlds.rows;
    stretch((before + f.slice_start[s + world]) * words, (before + f.slice_start[last + world]) * words);
    s = last;
  }
}

std::vector<Stretch> Part::stretches_of(std::span<const FieldCopy> fields, std::span<const SliceRun> runs) {
  std::vector<Stretch> stretches;
  for (const FieldCopy field : fields)
    for (const SliceRun& run : runs)
      each_stretch(field, run, [&](std::size_t first, std::size_t count) {
        stretches.push_back({field, first, count});
      });
  return stretches;
}

// Makes fields whole whose slices were dealt out in the same way.
void Part::gather(std::span<const FieldCopy> fields) {
  const Ownership& by = *validity(fields.front()).by;
  std::vector<std::vector<Stretch>> of_rank(by.slices.size());
  std::vector<std::size_t> sizes(by.slices.size(), 0);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    for (const FieldCopy field : fields)  // slice_width goes by elements of the passes that make new rows
      std::ranges::copy(stretches_of({&field, 1}, field.id == FieldId::slice_width ? elements_of(by, r) : by.slices[r]),
                        std::back_inserter(of_rank[r]));
    for (const Stretch& stretch : of_rank[r])
      sizes[r] += stretch.count;
  }
  here_.pull(of_rank[rank()]);
  packed_.clear();
  for (const Stretch& stretch : of_rank[rank()])
    packed_.insert(packed_.end(), bytes(stretch).begin(), bytes(stretch).end());
  const auto parts = communicator_.gather(packed_, sizes);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r == rank())
      continue;
    const std::byte* from = parts[r].data();
    for (const Stretch& stretch : of_rank[r]) {
      std::memcpy(bytes(stretch).data(), from, stretch.count);
      from += stretch.count;
    }
    here_.push(of_rank[r]);
  }
  for (const FieldCopy field : fields) {
    validity(field) = {};
    std::size_t exchanged = 0;
    for (const std::vector<Stretch>& stretches : of_rank)
      for (const Stretch& stretch : stretches)
        exchanged += stretch.field == field ? stretch.count : 0;
    if (exchanged == bytes(field).size())
      here_.set_same(field);
  }
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
  const std::array<FieldCopy, 3> looked_at{FieldId::contact_count, FieldId::contact_partner,
                                           FieldCopy{FieldId::contact_count, Copy::next}};
  here_.pull(stretches_of(looked_at, rows_->slices[rank()]));
  const Fields& f = here_.on_host({FieldId::slice_start});
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
  std::vector<Stretch> given;
  for (const Border& border : borders_)
    std::ranges::copy(stretches_of(due, border.given), std::back_inserter(given));
  here_.pull(given);
  std::vector<Message> outgoing, incoming;
  for (const Border& border : borders_) {
    if (!border.given.empty()) {
      Message& message = outgoing.emplace_back(Message{border.rank, {}});
      for (const Stretch& stretch : stretches_of(due, border.given))
        message.bytes.insert(message.bytes.end(), bytes(stretch).begin(), bytes(stretch).end());
    }
    if (!border.wanted.empty()) {
      std::size_t size = 0;
      for (const Stretch& stretch : stretches_of(due, border.wanted))
        size += stretch.count;
      incoming.push_back({border.rank, Bytes(size)});
    }
  }
  communicator_.exchange(outgoing, incoming);
  std::vector<Stretch> wanted;
  auto message = incoming.begin();
  for (const Border& border : borders_)
    if (!border.wanted.empty()) {
      auto from = message++->bytes.begin();
      for (const Stretch& stretch : stretches_of(due, border.wanted)) {
        std::copy_n(from, stretch.count, bytes(stretch).begin());
        from += static_cast<std::ptrdiff_t>(stretch.count);
        wanted.push_back(stretch);
      }
    }
  here_.push(wanted);
  for (const FieldCopy field : due)
    validity(field).ghosts = true;
}

}  // namespace talus::mpi
