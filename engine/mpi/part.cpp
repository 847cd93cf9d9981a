#include "engine/mpi/part.h"
#include "engine/executors/bound_fields.h"
#include "engine/executors/open_devices.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace talus::mpi {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::span<std::uint32_t> words_of(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t)};
}

// Does a pass over contacts (Distribution::neighbours) read this field of the grain on the other side?
bool is_seen_by_neighbours(FieldId id) {
  switch (id) {
  case FieldId::grains:
  case FieldId::grain_spin:
  case FieldId::contact_load:
  case FieldId::contact_weights:
  case FieldId::clump_motions:
    return true;
  default:
    return false;
  }
}

// Does a rank make this field for itself within a step?
bool is_private(FieldId id) {
  return id == FieldId::gates || id == FieldId::history || id == FieldId::cell_lists || id == FieldId::cell_taken;
}

}  // namespace

Part::Part(Communicator& communicator, int threads, int lanes, std::unique_ptr<GpuExecutor> device)
    : communicator_(communicator), here_(threads, lanes, std::move(device)) {
  summary_.device = here_.device_index();
}

void Part::specialize(const Features& features) {
  features_ = features;
  here_.specialize(features);
  access_.clear();
}

const Access& Part::access(Pass pass, FieldId followed) {
  const auto [found, is_new] = access_.try_emplace({pass, followed});
  if (!is_new)
    return found->second;
  const auto code = shader_of(pass);
  if (code.empty())
    throw DeviceError(fmt::format(
        "pass {} goes from grain to grain and cannot be shared: run this scene without mpirun", info(pass).name));
  const gpu::Reflection shader = gpu::reflect(info(pass).name, code, constants_of(features_));
  for (const BoundField& bound : bound_fields(pass, shader.buffers, followed)) {
    if (bound.binding.access != gpu::BufferAccess::write)
      found->second.reads.push_back(bound.field);
    if (bound.binding.access != gpu::BufferAccess::read)
      found->second.writes.push_back(bound.field);
  }
  return found->second;
}

// Finds the runs of a rank's slices among the elements of passes that make new rows: these go through the worlds whose
// lists are rebuilt, one after another.
std::vector<SliceRun> Part::elements_of(const Ownership& ownership, std::size_t rank) {
  const std::vector<SliceRun>& own = ownership.slices[rank];
  if (settings().worlds.count == 1)
    return own;
  const Fields& f = here_.on_host({FieldId::status, FieldId::rebuilding});
  std::vector<SliceRun> runs;
  const std::uint32_t slices = f.settings[0].worlds.places / slice_grains;
  for (std::uint32_t k = 0; k < f.status[0].lists.rebuilding; ++k) {
    const std::uint32_t first = f.rebuilding[k] * slices;
    for (const SliceRun& run : own)
      if (const std::uint32_t low = std::max(run.first, first), high = std::min(run.end, first + slices); low < high)
        runs.push_back({k * slices + low - first, k * slices + high - first});
  }
  return runs;
}

void Part::run(Pass pass, Work work, const Args& args) {
  if (work.elements == 0)
    return;
  grains_ = args.grains;
  const bool listed = work.gate == gate_listed;
  const std::uint32_t elements = here_.elements_of(pass, work);
  // A rank's list of slices is its own: where it is empty, those of others may not be. contact_check has no gate, and
  // does nothing where no lists are rebuilt.
  if ((elements == 0 && !listed) ||
      (pass == Pass::contact_check && here_.on_host({FieldId::status}).status[0].lists.rebuilding == 0))
    return here_.run_slices(pass, {}, 0, args, {});
  const auto [share, neighbours] = distribution_of(pass, listed);
  const Access& access = this->access(pass, static_cast<FieldId>(args.followed.field));
  if (share == Share::all)
    return run_everywhere(pass, work, args, access);

  if (pass == Pass::contact_count)
    fresh_ = dealt_out();
  if (!rows_ && fresh_)  // old rows that all ranks have are anybody's
    rows_ = fresh_;
  else if (!rows_)
    own_slices();
  const std::shared_ptr<const Ownership> by = share == Share::fresh && fresh_ ? fresh_ : rows_;
  fetch(pass, access, neighbours, by);
  const auto start = std::chrono::steady_clock::now();
  run_share(pass, share, work, elements, args, access, *by);
  const double seconds = seconds_since(start);
  if (!here_.on_device()) {
    computed_s_ += seconds;
    summary_.computing_s += seconds;
  }
  // What old rows remember is dealt on to those who make the new ones.
  note_written(pass, access, share == Share::saved && fresh_ ? fresh_ : by);
  deal(pass, args);
}

void Part::run_everywhere(Pass pass, Work work, const Args& args, const Access& access) {
  // Rows change their places on all ranks alike, each moving what it has of them.
  const auto stays = [&](FieldCopy field) { return pass == Pass::incremental_refit && is_of_rows(field.id); };
  std::vector<FieldCopy> touched = access.reads;  // and of what it writes it may leave a part as it is
  touched.insert(touched.end(), access.writes.begin(), access.writes.end());
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  std::erase_if(touched, stays);
  make_whole(touched);
  const auto start = std::chrono::steady_clock::now();
  here_.run(pass, work, args, access);
  if (!here_.on_device())
    summary_.everywhere_s += seconds_since(start);
  for (const FieldCopy field : access.writes)
    if (!stays(field))
      validity(field) = {};
  if (pass == Pass::contact_commit) {
    rows_ = fresh_ ? std::exchange(fresh_, nullptr) : rows_;
    borders_known_ = Known::none;
    row_slices_ = (args.grains + slice_grains - 1) / slice_grains;  // Grains that are emitted later have no rows yet.
  }
}

// Brings what a pass reads and other ranks have: with neighbours what contacts reach, else fields whose slices were
// dealt out otherwise when they were written. The pass needs no sums but that of the room taken in the history buffer.
void Part::fetch(Pass pass, const Access& access, bool neighbours, const std::shared_ptr<const Ownership>& by) {
  std::vector<FieldCopy> whole, ghosts;
  const auto is_older = [&](FieldCopy field) {
    return validity(field).has == Has::own && validity(field).by != by && !is_of_rows(field.id);
  };
  for (const FieldCopy field : access.reads) {
    const Has has = validity(field).has;
    if (has == Has::own && neighbours && is_seen_by_neighbours(field.id))
      ghosts.push_back(field);
    else if (is_older(field) || (has == Has::share && pass == Pass::incremental_search))
      whole.push_back(field);
  }
  std::ranges::copy_if(access.writes, std::back_inserter(whole), is_older);
  make_whole(whole);
  exchange_ghosts(ghosts);
  std::vector<FieldCopy> shares;
  std::ranges::copy_if(access.writes, std::back_inserter(shares),
                       [&](FieldCopy field) { return is_combined(field.id) && validity(field).has == Has::whole; });
  here_.on_host(shares);
  for (const FieldCopy field : shares) {
    const auto now = bytes(field);
    validity(field) = {Has::share, false, nullptr, Bytes(now.begin(), now.end())};
  }
}

void Part::run_share(Pass pass, Share share, Work work, std::uint32_t elements, const Args& args, const Access& access,
                     const Ownership& by) {
  switch (share) {
  case Share::own:
    return here_.run_slices(pass, by.slices[rank()], elements, args, access);
  case Share::fresh:
    return here_.run_slices(pass, elements_of(by, rank()), elements, args, access);
  case Share::slices:
    if (validity(FieldId::slice_activity).has == Has::whole)
      forget_watched(by);
    for (const SliceRun& run : by.slices[rank()])
      here_.run_elements(pass, run.first, std::min(run.end, elements), args, access);
    return;
  case Share::saved:
    return save_history(work, args, elements, access);
  case Share::listed:
  case Share::all:
    return here_.run(pass, work, args, access);
  }
}

void Part::note_written(Pass pass, const Access& access, const std::shared_ptr<const Ownership>& by) {
  for (const FieldCopy field : access.writes) {
    if (has_owners(field.id))
      validity(field) = {Has::own, false, by, {}};
    else if (!is_combined(field.id) && !is_private(field.id))
      throw std::logic_error(
          fmt::format("pass {} is shared and writes field {}, which is not", info(pass).name, info(field.id).name));
  }
}

// Gives other ranks what a pass has written for them.
void Part::deal(Pass pass, const Args& args) {
  switch (pass) {
  case Pass::history_save:
    return deal_history(args);
  case Pass::incremental_mark:
    return deal_linked();
  case Pass::incremental_choose:
    return deal_wanted_rows();
  case Pass::incremental_restore:
    if (borders_known_ == Known::all) {
      borders_known_ = Known::before;
      find_borders();
    }
    return;
  case Pass::activity_settle:
    return return_watched();
  default:
    return;
  }
}

void Part::swap(FieldId id) {
  here_.swap(id);
  std::swap(validity(id), validity({id, Copy::next}));
}

void Part::copy(FieldCopy from, FieldCopy to) {
  here_.copy(from, to);
  validity(to) = validity(from);
}

void Part::copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) {
  const std::array<FieldCopy, 2> both{from, to};
  make_whole(both);
  here_.copy_part(from, from_offset, to, to_offset, bytes);
}

void Part::resize(FieldId id, std::size_t elements) {
  std::vector<FieldCopy> all;
  for (const Copy copy : copies)
    if (has_copy(info(id), copy) && !is_of_rows(id))
      all.emplace_back(id, copy);
  if (id == FieldId::grain_id) {  // there will be other slices, which are dealt out anew
    each_field(&FieldInfo::saved, [&](FieldId rows) {
      if (is_of_rows(rows))
        all.emplace_back(rows);
    });
    rows_ = fresh_ = nullptr;
  }
  make_whole(all);
  here_.resize(id, elements);
}

void Part::write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) {
  if (bytes.size() < this->bytes(field).size())
    make_whole(field);
  here_.write(field, bytes, offset);
  validity(field) = {};
  if (is_of_rows(field.id))
    borders_known_ = Known::none;
}

void Part::make_whole(FieldCopy field) {
  make_whole(std::span(&field, 1));
}

void Part::make_whole(std::span<const FieldCopy> fields) {
  std::vector<FieldCopy> shares;
  std::map<std::shared_ptr<const Ownership>, std::vector<FieldCopy>> owned;
  for (const FieldCopy field : fields) {
    const Validity& valid = validity(field);
    if (valid.has == Has::share)
      shares.push_back(field);
    else if (valid.has == Has::own && !bytes(field).empty())
      owned[valid.by].push_back(field);
  }
  combine(shares);
  // The order is that of fields, which all ranks share, unlike that of addresses.
  while (!owned.empty()) {
    const auto first = std::ranges::min_element(owned, {}, [](const auto& of) { return of.second.front(); });
    gather(first->second);
    owned.erase(first);
  }
}

void Part::combine(std::span<const FieldCopy> fields) {
  if (fields.empty())
    return;
  Combined combined;
  here_.on_host(fields);
  for (const FieldCopy field : fields)
    take_apart(field.id, words_of(validity(field).before), words_of(bytes(field)), combined);
  communicator_.combine(combined.sums, combined.maxima);
  std::span<const std::uint64_t> sums(combined.sums), maxima(combined.maxima);
  for (const FieldCopy field : fields) {
    put_together(field.id, words_of(validity(field).before), words_of(bytes(field)), sums, maxima);
    here_.written_on_host({field});
    validity(field) = {};
  }
}

// The host only records passes of a device, which measures them itself.
void Part::take_times_of_device() {
  summary_.computing_s = summary_.everywhere_s = 0.0;
  const std::vector<PassTime> times = here_.pass_times();
  for (std::size_t p = 0; p < times.size(); ++p) {
    const bool shared = distribution_of(static_cast<Pass>(p), false).share != Share::all;
    (shared ? summary_.computing_s : summary_.everywhere_s) += 1e-3 * times[p].ms;
  }
}

void Part::summarize() {
  if (here_.on_device())
    take_times_of_device();
  summary_.communicating_s = communicator_.traffic().seconds;
  summary_.bytes_sent = static_cast<double>(communicator_.traffic().bytes);
  const std::vector<std::size_t> sizes(static_cast<std::size_t>(communicator_.ranks()), sizeof summary_);
  const auto parts = communicator_.gather(std::as_bytes(std::span(&summary_, 1)), sizes);
  summaries_.resize(sizes.size());
  for (std::size_t r = 0; r < parts.size(); ++r)
    std::memcpy(&summaries_[r], parts[r].data(), sizeof summary_);
}

}  // namespace talus::mpi
