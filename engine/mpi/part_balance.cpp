// This file decides which slices a rank has.
#include "engine/mpi/bytes.h"
#include "engine/mpi/part.h"
#include "shaders/shared/rest.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace talus::mpi {
namespace {

// Slices are dealt out anew where the slowest rank has worked longer than the mean by this factor.
constexpr double imbalance_most = 1.1;
// They stay where they are until the mean has worked longer than this [s], since shorter times are noise.
constexpr double measured_least = 0.01;
// A grain that sleeps counts as this share of one that is awake.
constexpr float work_asleep = 0.05f;

}  // namespace

// Deals out rows that all ranks have, as those of a checkpoint.
void Part::own_slices() {
  make_whole(FieldId::grains);
  rows_ = dealt_out();
  // Behind the slices that the rows of the state were made for, starts are those of older rows, or 0.
  const Fields& f = here_.on_host({FieldId::slice_start});
  for (row_slices_ = 0; row_slices_ + 1 < f.slice_start.size() && row_slices_ * slice_grains < grains_ &&
                        f.slice_start[row_slices_] <= f.slice_start[row_slices_ + 1];)
    ++row_slices_;
  borders_known_ = Known::none;
}

// Corrects the weights by how long the ranks have worked on what they had, and cuts anew where that differs too much.
void Part::balance(std::span<const glm::vec3> places, std::span<float> weights) {
  if (!bisection_.empty()) {
    const std::vector<double> seconds = communicator_.gather(computed_s_), shares = communicator_.gather(weight_);
    const double mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
    if (mean < measured_least)
      return;
    const bool balanced = std::ranges::max(seconds) <= imbalance_most * mean;
    computed_s_ = weight_ = 0.0;
    if (balanced)
      return;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const std::size_t r = bisection_.rank_at(places[k]);
      weights[k] *= shares[r] > 0.0 ? static_cast<float>(seconds[r] / shares[r]) : 1.0f;
    }
  }
  bisection_.cut(places, weights, communicator_.ranks());
}

// Cuts the slices in the order of memory into one part for each rank, so that a pass is one dispatch. The cuts are
// bounds of workgroups, and the parts have equal numbers of grains as nearly as these allow.
std::vector<std::uint16_t> Part::cut_in_order(std::uint32_t slices) {
  constexpr std::uint32_t slices_each = group_size / slice_grains;  // of a workgroup
  const Fields& f = here_.fields();
  const bool sleeps = settings().sleep.window > 0 && validity(FieldId::grain_rest).has == Has::whole;
  std::vector<double> weights(slices / slices_each + 1, 0.0);
  for (std::size_t i = 0; i < f.grains.size(); ++i)
    if (f.grains[i].position.w > 0.0f)
      weights[i / group_size] += sleeps && is_asleep(f.grain_rest[i].state) ? static_cast<double>(work_asleep) : 1.0;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0), ranks = communicator_.ranks();
  std::vector<std::uint16_t> rank_of(slices);
  double before = 0.0;
  for (std::uint32_t s = 0; s < slices; ++s) {
    const double weight = weights[s / slices_each];
    rank_of[s] = static_cast<std::uint16_t>(
        std::min(ranks - 1.0, all > 0.0 ? std::floor((before + 0.5 * weight) / all * ranks) : 0.0));
    if (s % slices_each == slices_each - 1)
      before += weight;
  }
  return rank_of;
}

// Deals out the slices by the places of their grains, which all ranks must have.
std::shared_ptr<const Ownership> Part::dealt_out() {
  const Fields& f = here_.on_host({FieldId::grains, FieldId::grain_rest});
  const int ranks = communicator_.ranks();
  const auto slices = static_cast<std::uint32_t>((f.grains.size() + slice_grains - 1) / slice_grains);
  std::vector<std::uint16_t> rank_of(slices, 0);
  if (settings().worlds.count > 1) {  // rows of worlds that keep theirs stay where they are
    const std::uint32_t each = settings().worlds.places / slice_grains;
    for (std::uint32_t s = 0; s < slices; ++s)
      rank_of[s] = static_cast<std::uint16_t>(std::uint64_t{s / each} * static_cast<std::uint64_t>(ranks) /
                                              settings().worlds.count);
    auto made = std::make_shared<Ownership>(ownership_of(std::move(rank_of), ranks));
    summary_.grains = grains_of(made->slices[rank()]);
    return made;
  }
  if (here_.on_device()) {
    auto made = std::make_shared<Ownership>(ownership_of(cut_in_order(slices), ranks));
    summary_.grains = grains_of(made->slices[rank()]);
    return made;
  }
  const bool sleeps = settings().sleep.window > 0 && validity(FieldId::grain_rest).has == Has::whole;
  std::vector<glm::vec3> places;
  std::vector<float> weights;
  std::vector<std::uint32_t> point(slices, 0);  // a slice without grains goes with the last one that has some
  for (std::uint32_t s = 0; s < slices; ++s) {
    glm::vec3 sum(0.0f);
    float weight = 0.0f, count = 0.0f;
    for (std::uint32_t i = s * slice_grains; i < std::min<std::size_t>(f.grains.size(), (s + 1) * slice_grains); ++i)
      if (f.grains[i].position.w > 0.0f) {
        sum += glm::vec3(f.grains[i].position);
        count += 1.0f;
        weight += sleeps && is_asleep(f.grain_rest[i].state) ? work_asleep : 1.0f;
      }
    if (count > 0.0f || places.empty()) {
      places.push_back(count > 0.0f ? sum / count : sum);
      weights.push_back(weight);
    }
    point[s] = static_cast<std::uint32_t>(places.size() - 1);
  }
  std::vector<float> measured = weights;
  balance(places, measured);
  for (std::uint32_t s = 0; s < slices; ++s)
    rank_of[s] = bisection_.rank_at(places[point[s]]);
  for (std::size_t k = 0; k < places.size(); ++k)
    weight_ += bisection_.rank_at(places[k]) == rank() ? weights[k] : 0.0;
  auto made = std::make_shared<Ownership>(ownership_of(std::move(rank_of), ranks));
  summary_.grains = grains_of(made->slices[rank()]);
  return made;
}

}  // namespace talus::mpi
