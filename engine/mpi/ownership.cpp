#include "engine/mpi/ownership.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <numeric>

namespace talus::mpi {

Ownership ownership_of(std::vector<std::uint16_t> rank_of, int ranks) {
  Ownership owned;
  owned.slices.resize(static_cast<std::size_t>(ranks));
  for (std::uint32_t s = 0; s < rank_of.size(); ++s) {
    TALUS_ASSERT(rank_of[s] < ranks, s, rank_of[s], ranks);
    std::vector<SliceRun>& runs = owned.slices[rank_of[s]];
    if (!runs.empty() && runs.back().end == s)
      ++runs.back().end;
    else
      runs.push_back({s, s + 1});
  }
  owned.rank_of = std::move(rank_of);
  return owned;
}

void Bisection::cut(std::span<const glm::vec3> places, std::span<const float> weights, int ranks) {
  TALUS_ASSERT(places.size() == weights.size() && ranks > 0, places.size(), weights.size(), ranks);
  std::vector<std::uint32_t> points(places.size());
  std::iota(points.begin(), points.end(), 0u);
  cuts_.clear();
  ranks_ = ranks;
  cut(places, weights, points, 0, ranks);
}

std::uint32_t Bisection::cut(std::span<const glm::vec3> places, std::span<const float> weights,
                             std::span<std::uint32_t> points, int first_rank, int ranks) {
  const auto own = static_cast<std::uint32_t>(cuts_.size());
  cuts_.push_back({.rank = static_cast<std::uint16_t>(first_rank)});
  if (ranks == 1)
    return own;
  glm::vec3 low(1e30f), high(-1e30f);
  double all = 0.0;
  for (const std::uint32_t k : points) {
    low = glm::min(low, places[k]);
    high = glm::max(high, places[k]);
    all += weights[k];
  }
  // Grains lie in memory by x first, so that a slice is some 16 grains long and one wide: across x each row that is cut
  // has a whole slice beyond the cut, across y and z one of 16 rows.
  const glm::vec3 edge = (high - low) / glm::vec3(slice_grains, 1.0f, 1.0f);
  const int axis = points.empty() || (edge.x >= edge.y && edge.x >= edge.z) ? 0 : edge.y >= edge.z ? 1 : 2;
  // Points at equal places are ordered by number, so that every rank finds the same cuts.
  std::ranges::sort(points, [&](std::uint32_t a, std::uint32_t b) {
    return places[a][axis] != places[b][axis] ? places[a][axis] < places[b][axis] : a < b;
  });
  const int ranks_low = ranks / 2;
  const double wanted = all * ranks_low / ranks;
  double below = 0.0;
  std::size_t split = 0;
  while (split < points.size() && below + 0.5 * weights[points[split]] < wanted)
    below += weights[points[split++]];
  cuts_[own].axis = axis;
  cuts_[own].at = points.empty() ? 0.0f : places[points[std::min(split, points.size() - 1)]][axis];
  const std::uint32_t low_cut = cut(places, weights, points.first(split), first_rank, ranks_low);
  const std::uint32_t high_cut = cut(places, weights, points.subspan(split), first_rank + ranks_low, ranks - ranks_low);
  cuts_[own].low = low_cut;
  cuts_[own].high = high_cut;
  return own;
}

std::uint16_t Bisection::rank_at(const glm::vec3& place) const {
  TALUS_ASSERT(!cuts_.empty());
  std::uint32_t k = 0;
  while (cuts_[k].axis >= 0)
    k = place[cuts_[k].axis] < cuts_[k].at ? cuts_[k].low : cuts_[k].high;
  return cuts_[k].rank;
}

}  // namespace talus::mpi
