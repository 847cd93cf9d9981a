// How ranks share grains: the cuts, and what is added up (engine/mpi). tests/mpi/ranks.py runs scenes with several
// ranks.
#ifdef TALUS_MPI
#include "catch.h"
#include "engine/mpi/distribution.h"
#include "engine/mpi/ownership.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

using namespace talus;

TEST_CASE("Cuts give each rank its share of the weights, whatever their number") {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
  std::vector<glm::vec3> places;
  std::vector<float> weights;
  for (int k = 0; k < 20000; ++k) {
    places.emplace_back(uniform(random) * uniform(random), uniform(random), 0.3f * uniform(random));
    weights.push_back(uniform(random) < 0.3f ? 0.05f : 1.0f);
  }
  const float all = std::accumulate(weights.begin(), weights.end(), 0.0f);
  for (const int ranks : {1, 2, 3, 5, 8, 64}) {
    mpi::Bisection bisection;
    REQUIRE(bisection.empty());
    bisection.cut(places, weights, ranks);
    REQUIRE_FALSE(bisection.empty());
    std::vector<float> shares(static_cast<std::size_t>(ranks), 0.0f);
    for (std::size_t k = 0; k < places.size(); ++k)
      shares.at(bisection.rank_at(places[k])) += weights[k];
    INFO(ranks);
    CHECK(std::ranges::max(shares) < 1.03f * all / static_cast<float>(ranks) + 2.0f);
    CHECK(std::ranges::min(shares) > 0.97f * all / static_cast<float>(ranks) - 2.0f);
  }
}

TEST_CASE("Cuts of places that are all alike, and of none, name a rank for any place") {
  mpi::Bisection bisection;
  bisection.cut({}, {}, 5);
  CHECK(bisection.rank_at(glm::vec3(1.0f)) < 5);
  const std::vector<glm::vec3> places(10, glm::vec3(0.5f));
  bisection.cut(places, std::vector<float>(10, 1.0f), 4);
  CHECK(bisection.rank_at(glm::vec3(0.5f)) < 4);
}

TEST_CASE("The slices of ranks are runs in order that have each slice once") {
  const mpi::Ownership owned = mpi::ownership_of({1, 1, 0, 2, 2, 2, 1}, 4);
  CHECK(owned.slices.at(0) == std::vector<SliceRun>{{2, 3}});
  CHECK(owned.slices.at(1) == std::vector<SliceRun>{{0, 2}, {6, 7}});
  CHECK(owned.slices.at(2) == std::vector<SliceRun>{{3, 6}});
  CHECK(owned.slices.at(3).empty());
}

namespace {

// Combines a field as ranks do: each adds its share to what all had.
std::vector<std::uint32_t> combined(FieldId id, const std::vector<std::uint32_t>& before,
                                    const std::vector<std::vector<std::uint32_t>>& of_ranks) {
  mpi::Combined all;
  for (const std::vector<std::uint32_t>& now : of_ranks) {
    mpi::Combined own;
    mpi::take_apart(id, before, now, own);
    all.sums.resize(own.sums.size());
    all.maxima.resize(own.maxima.size());
    for (std::size_t k = 0; k < own.sums.size(); ++k)
      all.sums[k] += own.sums[k];
    for (std::size_t k = 0; k < own.maxima.size(); ++k)
      all.maxima[k] = std::max(all.maxima[k], own.maxima[k]);
  }
  std::vector<std::uint32_t> result = of_ranks.front();
  std::span<const std::uint64_t> sums(all.sums), maxima(all.maxima);
  mpi::put_together(id, before, result, sums, maxima);
  CHECK(sums.empty());
  CHECK(maxima.empty());
  return result;
}

template <class T> std::vector<std::uint32_t> words_in(const T& value) {
  std::vector<std::uint32_t> all(sizeof value / sizeof(std::uint32_t));
  std::memcpy(all.data(), &value, sizeof value);
  return all;
}

}  // namespace

TEST_CASE("Loads that ranks add up carry from the low half to the high half, also below zero") {
  std::vector<std::uint32_t> before(load_words, 0), first(load_words, 0), second(load_words, 0);
  const auto set = [](std::vector<std::uint32_t>& record, std::size_t n, std::int64_t value) {
    record[2 * n] = static_cast<std::uint32_t>(value);
    record[2 * n + 1] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
  };
  set(before, 0, 5);
  set(first, 0, 5 + 0xFFFFFFFFll);
  set(second, 0, 5 + 2);
  set(first, 1, -3);
  set(second, 1, -0x100000000ll);
  first[load_points] = 2;
  second[load_points] = 3;
  std::vector<std::uint32_t> expected(load_words, 0);
  set(expected, 0, 5 + 0x100000001ll);
  set(expected, 1, -0x100000003ll);
  expected[load_points] = 5;
  CHECK(combined(FieldId::body_sums, before, {first, second}) == expected);
}

TEST_CASE(
    "Of what ranks know of a world the greatest speed counts and the first invalid grain, and counts are summed") {
  World before{}, first{}, second{};
  before.invalid = first.invalid = second.invalid = no_grain;
  before.motion.cfl_violations = first.motion.cfl_violations = second.motion.cfl_violations = 7;
  first.motion.cfl_violations += 1;
  second.motion.cfl_violations += 2;
  first.motion.speed2_bits = 100;
  second.motion.speed2_bits = 300;
  second.invalid = 12;
  first.periodic.down.z = 4;
  before.lists.skin = first.lists.skin = second.lists.skin = 0.25f;
  World expected = before;
  expected.motion.cfl_violations = 10;
  expected.motion.speed2_bits = 300;
  expected.invalid = 12;
  expected.periodic.down.z = 4;
  CHECK(combined(FieldId::worlds, words_in(before), {words_in(first), words_in(second)}) == words_in(expected));
}
#endif
