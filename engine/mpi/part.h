#pragma once
// A rank's part of a simulation. Every rank has the arrays of all fields. It computes the contact rows of its own
// slices of grains (Share::own and those like it), and what follows from numbers that all ranks have, as all do
// (Share::all).
//
// Each field has a record of what of it the rank has: the whole; its own slices, and those beside them that its
// contacts reach, once they have been exchanged; or a share of sums and maxima. Before a pass reads more of a
// field than that, the ranks exchange it. Since a pass then reads on each rank what it would read without ranks, its
// results have the same bits for any number of them, however the slices are dealt out.
//
// All functions but here() and last_summaries() are collective.
#include "engine/mpi/communicator.h"
#include "engine/mpi/distribution.h"
#include "engine/mpi/ownership.h"
#include "engine/mpi/rank_executor.h"
#include <array>
#include <map>
#include <memory>
#include <vector>

namespace talus::mpi {

class Part {
public:
  Part(Communicator& communicator, int threads, int lanes, std::unique_ptr<GpuExecutor> device);

  void specialize(const Features& features);
  void run(Pass pass, Work work, const Args& args);
  void swap(FieldId id);
  void copy(FieldCopy from, FieldCopy to);
  void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes);
  void resize(FieldId id, std::size_t elements);
  void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset);
  // Gives every rank the whole field.
  void make_whole(FieldCopy field);

  RankExecutor& here() { return here_; }
  // Collects what all ranks have done so far, for last_summaries().
  void summarize();
  const std::vector<RankSummary>& last_summaries() const { return summaries_; }

private:
  enum class Has { whole, own, share };
  struct Validity {
    Has has = Has::whole;
    bool ghosts = false;                  // .. and of slices beside its own
    std::shared_ptr<const Ownership> by;  // own: of these slices
    Bytes before;                         // share: what all had before
  };
  // This rank wants these slices of another one, and gives it others.
  struct Border {
    int rank;
    std::vector<SliceRun> wanted, given;
  };

  Validity& validity(FieldCopy field) {
    return valid_[static_cast<std::size_t>(field.id)][static_cast<std::size_t>(field.copy)];
  }
  const Access& access(Pass pass, FieldId followed);
  void run_everywhere(Pass pass, Work work, const Args& args, const Access& access);
  void fetch(Pass pass, const Access& access, bool neighbours, const std::shared_ptr<const Ownership>& by);
  void run_share(Pass pass, Share share, Work work, std::uint32_t elements, const Args& args, const Access& access,
                 const Ownership& by);
  void note_written(Pass pass, const Access& access, const std::shared_ptr<const Ownership>& by);
  void deal(Pass pass, const Args& args);
  void make_whole(std::span<const FieldCopy> fields);
  void take_times_of_device();
  void combine(std::span<const FieldCopy> fields);
  void gather(std::span<const FieldCopy> fields);
  void exchange_ghosts(std::span<const FieldCopy> fields);
  void find_borders();
  void own_slices();
  std::shared_ptr<const Ownership> dealt_out();
  void balance(std::span<const glm::vec3> places, std::span<float> weights);
  std::vector<SliceRun> elements_of(const Ownership& ownership, std::size_t rank);
  std::vector<std::uint16_t> cut_in_order(std::uint32_t slices);
  void save_history(Work work, const Args& args, std::uint32_t elements, const Access& access);
  void deal_history(const Args& args);
  void deal_linked();
  void deal_wanted_rows();
  void forget_watched(const Ownership& by);
  void return_watched();
  template <class Visit> void each_stretch(FieldCopy field, SliceRun run, Visit visit);
  std::vector<Stretch> stretches_of(std::span<const FieldCopy> fields, std::span<const SliceRun> runs);
  std::span<std::byte> bytes(FieldCopy field) { return here_.bytes(field); }
  std::span<std::byte> bytes(const Stretch& stretch) {
    return bytes(stretch.field).subspan(stretch.first, stretch.count);
  }
  const Settings& settings() { return here_.fields().settings[0]; }
  std::size_t rank() const { return static_cast<std::size_t>(communicator_.rank()); }

  Communicator& communicator_;
  RankExecutor here_;
  Features features_;
  std::map<std::pair<Pass, FieldId>, Access> access_;
  std::array<std::array<Validity, copies.size()>, field_count> valid_;
  std::uint32_t grains_ = 0;                // places in memory, of the last pass
  std::shared_ptr<const Ownership> rows_;   // of the contact rows that there are
  std::shared_ptr<const Ownership> fresh_;  // of those that are being made
  std::uint32_t row_slices_ = 0;            // slices that slice_start knows, in a scene of one world
  std::vector<Border> borders_;
  enum class Known { none, before, all };  // before: those of the lists before they were rebuilt incrementally
  Known borders_known_ = Known::none;
  std::vector<bool> reached_;  // slices that contacts of this rank reach
  Bytes packed_;               // of gather(), kept for its memory
  Bisection bisection_;
  double weight_ = 0.0, computed_s_ = 0.0;  // of this rank, since the slices were dealt out
  RankSummary summary_;
  std::vector<RankSummary> summaries_;
};

}  // namespace talus::mpi
