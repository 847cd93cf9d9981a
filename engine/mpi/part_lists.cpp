// Ranks give each other what they need to make contact lists, and wake sleepers beside their grains.
#include "engine/mpi/bytes.h"
#include "engine/mpi/part.h"
#include "engine/reference/search.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace talus::mpi {

// Puts aside what the old rows of this rank remember, for the grains that had them, wherever these have been sorted to.
void Part::save_history(Work work, const Args& args, std::uint32_t elements, const Access& access) {
  if (settings().worlds.count > 1)
    return here_.run_slices(Pass::history_save, elements_of(*rows_, rank()), elements, args, access);
  if (here_.on_device()) {  // all grains run, and the rows of other ranks count as empty
    const std::array<FieldCopy, 1> counts{FieldId::contact_count};
    for (std::size_t r = 0; r < rows_->slices.size(); ++r)
      if (r != rank())
        here_.clear(stretches_of(counts, rows_->slices[r]));
    validity(FieldId::contact_count) = {Has::own, false, rows_, {}};
    return here_.run(Pass::history_save, work, args, access);
  }
  Fields& f = here_.fields();
  const std::uint32_t end = std::min(elements, args.grains);
  std::vector<std::uint32_t> slices;  // all of whose grains had rows here, as nearly all have that had one
  for (std::uint32_t first = 0; first < end; first += slice_grains) {
    std::uint32_t own = 0;  // bit k: the k-th grain
    const std::uint32_t there = std::min(slice_grains, end - first);
    for (std::uint32_t k = 0; k < there; ++k)
      own |= rows_->rank_of[f.grain_row[first + k] / slice_grains] == rank() ? 1u << k : 0u;
    if (own == (1u << there) - 1)
      slices.push_back(first / slice_grains);
    else
      for (; own; own &= own - 1) {
        const std::uint32_t i = first + static_cast<std::uint32_t>(std::countr_zero(own));
        reference::history_save(args, f, i, i + 1);
      }
  }
  here_.run_slices(Pass::history_save, runs_of(slices), end, args, access);
}

// Gives what was put aside to the ranks that make the new rows of these grains.
void Part::deal_history(const Args& args) {
  if (settings().worlds.count > 1 || !fresh_)
    return;
  Fields& f = here_.on_host({FieldId::worlds, FieldId::grain_row, FieldId::history_count, FieldId::history_first});
  const std::size_t words = 1 + std::size_t{settings().contacts.kept_words};
  const auto entries = [&](std::uint32_t first, std::uint32_t count) {
    return Stretch{FieldId::history, first * words * sizeof(std::uint32_t), count * words * sizeof(std::uint32_t)};
  };
  const auto leaves = [&](std::uint32_t i) {
    return fresh_->rank_of[i / slice_grains] != rank() && rows_->rank_of[f.grain_row[i] / slice_grains] == rank();
  };
  const std::uint32_t room = settings().worlds.history;
  const auto has_entries = [&](std::uint32_t i) {  // History that found no room was counted alone.
    return f.history_count[i] > 0 && f.history_first[i] + f.history_count[i] <= room;
  };
  std::vector<Stretch> read, written;
  for (std::uint32_t i = 0; i < args.grains; ++i)
    if (leaves(i) && has_entries(i))
      read.push_back(entries(f.history_first[i], f.history_count[i]));
  here_.pull(read);
  std::vector<Bytes> leaving(fresh_->slices.size());
  for (std::uint32_t i = 0; i < args.grains; ++i) {
    if (!leaves(i))
      continue;
    const std::size_t to = fresh_->rank_of[i / slice_grains];
    const std::uint32_t count = f.history_count[i];
    put(leaving[to], i);
    put(leaving[to], count);
    const std::size_t size = count * words * sizeof(std::uint32_t);
    leaving[to].resize(leaving[to].size() + size);
    if (has_entries(i))
      std::memcpy(leaving[to].data() + leaving[to].size() - size, f.history.data() + f.history_first[i] * words, size);
  }
  std::uint32_t& used = f.worlds[0].lists.history;
  const std::uint32_t counted = used;  // of all ranks together, each contact once
  for (const Bytes& bytes : communicator_.deal(leaving))
    for (std::span<const std::byte> rest = bytes; !rest.empty();) {
      const auto i = take<std::uint32_t>(rest), count = take<std::uint32_t>(rest);
      const std::size_t size = count * words * sizeof(std::uint32_t);
      f.history_count[i] = used + count <= room ? count : 0;
      f.history_first[i] = used;
      if (f.history_count[i] > 0) {
        std::memcpy(f.history.data() + used * words, rest.data(), size);
        written.push_back(entries(used, count));
      }
      used += count;
      rest = rest.subspan(size);
    }
  used = counted;
  here_.push(written);
  here_.written_on_host({FieldId::history_count, FieldId::history_first});
}

// Gives all ranks the grains whose place in the lists is not the one that they were sorted by: each searches among all
// of them.
void Part::deal_linked() {
  struct Linked {
    std::uint32_t grain;
    bool displaced;
    glm::vec4 place;
  };
  const std::array<FieldCopy, 2> looked_at{FieldId::list_position, FieldId::grains};
  here_.pull(stretches_of(looked_at, rows_->slices[rank()]));
  Fields& f = here_.on_host({FieldId::cell_lists, FieldId::cell_taken, FieldId::worlds});
  const std::size_t links = reference::link_at(settings(), 0);
  std::vector<Linked> own;
  for (const SliceRun& run : rows_->slices[rank()])
    for (std::uint32_t i = run.first * slice_grains; i < std::min(run.end * slice_grains, grains_); ++i)
      if (f.list_position[i].w <= 0.0f && f.grains[i].position.w > 0.0f)
        own.push_back({i, (f.cell_lists[links + i] & link_new) != 0, f.list_position[i]});
  std::vector<std::size_t> sizes;
  for (const double count : communicator_.gather(static_cast<double>(own.size())))
    sizes.push_back(static_cast<std::size_t>(count) * sizeof(Linked));
  const auto parts = communicator_.gather(std::as_bytes(std::span(own)), sizes);
  std::vector<Stretch> written;
  for (std::size_t r = 0; r < parts.size(); ++r)
    for (std::span<const std::byte> rest = parts[r]; !rest.empty() && r != rank();) {
      const auto linked = take<Linked>(rest);
      f.list_position[linked.grain] = linked.place;
      written.push_back({FieldId::list_position, linked.grain * sizeof linked.place, sizeof linked.place});
      reference::link(f, linked.grain, linked.displaced);
    }
  here_.push(written);
  if (!written.empty())
    here_.written_on_host({FieldId::cell_lists, FieldId::cell_taken, FieldId::worlds});
  validity(FieldId::list_position) = {};
}

// A grain whose place in the lists has changed wants rows that other ranks may have to be searched again: tells these.
void Part::deal_wanted_rows() {
  const FieldCopy marks{FieldId::contact_count, Copy::next};
  Fields& f = here_.on_host({marks});
  std::vector<Bytes> wanted(rows_->slices.size());
  for (std::uint32_t i = 0; i < grains_; ++i)
    if (const std::size_t to = rows_->rank_of[i / slice_grains]; to != rank() && f.contact_count_next[i] == row_wanted)
      put(wanted[to], i);
  for (const Bytes& bytes : communicator_.deal(wanted))
    for (std::span<const std::byte> rest = bytes; !rest.empty();)
      f.contact_count_next[take<std::uint32_t>(rest)] = row_wanted;
  here_.written_on_host({marks});
}

// A rank that watches slices of others tells these afterwards (return_watched), and begins with none.
void Part::forget_watched(const Ownership& by) {
  Fields& f = here_.on_host({FieldId::slice_activity});
  for (std::uint32_t s = 0; s < by.rank_of.size(); ++s)
    if (by.rank_of[s] != rank())
      f.slice_activity[s].watched = 0;
  here_.written_on_host({FieldId::slice_activity});
}

// Tells other ranks which of their slices have a sleeper beside a grain of this one that moves.
void Part::return_watched() {
  if (borders_known_ != Known::all)
    find_borders();
  Fields& f = here_.on_host({FieldId::slice_activity});
  std::vector<Message> outgoing, incoming;
  for (const Border& border : borders_) {
    if (!border.wanted.empty()) {
      Message& message = outgoing.emplace_back(Message{border.rank, {}});
      for (const SliceRun& run : border.wanted)
        for (std::uint32_t s = run.first; s < run.end; ++s)
          message.bytes.push_back(static_cast<std::byte>(std::exchange(f.slice_activity[s].watched, 0)));
    }
    std::size_t size = 0;
    for (const SliceRun& run : border.given)
      size += run.count();
    if (size > 0)
      incoming.push_back({border.rank, Bytes(size)});
  }
  communicator_.exchange(outgoing, incoming);
  auto message = incoming.begin();
  for (const Border& border : borders_)
    if (!border.given.empty()) {
      auto from = message++->bytes.begin();
      for (const SliceRun& run : border.given)
        for (std::uint32_t s = run.first; s < run.end; ++s)
          f.slice_activity[s].watched |= static_cast<std::uint32_t>(*from++);
    }
  here_.written_on_host({FieldId::slice_activity});
}

}  // namespace talus::mpi
