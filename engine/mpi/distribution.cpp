#include "engine/mpi/distribution.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <array>
#include <cstddef>

namespace talus::mpi {
namespace {

// The rule says how the words of all ranks in one place of a combined field become one.
enum class Rule : std::uint8_t {
  kept,      // no pass of a share writes it
  sum,       // modulo 2^32
  low_half,  // of a sum of 64 bits, the high half follows
  high_half,
  greatest,
  least
};

template <class T> using Rules = std::array<Rule, sizeof(T) / sizeof(std::uint32_t)>;

constexpr void set(auto& rules, std::size_t offset, Rule rule, std::size_t words = 1) {
  for (std::size_t w = 0; w < words; ++w)
    rules[offset / sizeof(std::uint32_t) + w] = rule;
}

constexpr Rules<World> world_rules = [] {
  Rules<World> rules{};
  set(rules, offsetof(World, invalid), Rule::least);
  set(rules, offsetof(World, lists) + offsetof(WorldLists, history), Rule::sum);
  set(rules, offsetof(World, motion) + offsetof(WorldMotion, speed2_bits), Rule::greatest);
  set(rules, offsetof(World, motion) + offsetof(WorldMotion, shift_bits), Rule::greatest);
  set(rules, offsetof(World, motion) + offsetof(WorldMotion, cfl_violations), Rule::sum);
  set(rules, offsetof(World, incremental) + offsetof(WorldIncremental, unfit), Rule::sum);
  set(rules, offsetof(World, periodic), Rule::sum, sizeof(WorldCrossings) / sizeof(std::uint32_t));
  return rules;
}();

constexpr Rules<Status> status_rules = [] {
  Rules<Status> rules{};
  set(rules, offsetof(Status, activity) + offsetof(ActivityStatus, listed), Rule::sum);
  return rules;
}();

constexpr std::array<Rule, load_words> load_rules = [] {
  std::array<Rule, load_words> rules{};
  for (std::size_t n = 0; n < load_uncounted; n += 2) {
    rules[n] = Rule::low_half;
    rules[n + 1] = Rule::high_half;
  }
  rules[load_uncounted] = rules[load_points] = Rule::sum;
  return rules;
}();

constexpr std::array<Rule, 1> count_rules{Rule::sum};

std::span<const Rule> rules_of(FieldId id) {
  switch (id) {
  case FieldId::worlds:
    return world_rules;
  case FieldId::status:
    return status_rules;
  case FieldId::body_sums:
    return load_rules;
  case FieldId::body_contacts:
    return count_rules;
  default:
    return {};
  }
}

// Calls visit(rule, word) for the words of the field that change.
template <class Visit> void each_word(FieldId id, std::size_t words, Visit visit) {
  const std::span<const Rule> rules = rules_of(id);
  TALUS_ASSERT(!rules.empty() && words % rules.size() == 0, id, words, rules.size());
  for (std::size_t w = 0; w < words; ++w)
    if (const Rule rule = rules[w % rules.size()]; rule != Rule::kept && rule != Rule::high_half)
      visit(rule, w);
}

std::uint64_t whole(std::span<const std::uint32_t> words, std::size_t low) {
  return std::uint64_t{words[low + 1]} << 32 | words[low];
}

}  // namespace

Distribution distribution_of(Pass pass, bool listed) {
  switch (pass) {
  case Pass::contact_count:
  case Pass::contact_fill:
  case Pass::history_restore:
  case Pass::soil_springs:
    return {Share::fresh};
  case Pass::history_save:
    return {Share::saved};
  case Pass::incremental_mark:
  case Pass::incremental_choose:
  case Pass::incremental_keep:
  case Pass::incremental_save:
  case Pass::incremental_search:
  case Pass::incremental_restore:
  case Pass::hand_pull:
  case Pass::body_carry:
  case Pass::predict:
  case Pass::p2_sleep:
  case Pass::advance:
  case Pass::finalize:
    return {Share::own};
  case Pass::dem:
    return {listed ? Share::listed : Share::own, true};
  case Pass::activity_list:
    return {Share::slices};
  case Pass::activity_settle:
    return {Share::listed};
  case Pass::contact_weigh:
  case Pass::p2_solve:
  case Pass::p2_remember:
  case Pass::pbd_stabilize:
  case Pass::pbd_solve:
  case Pass::vts_warm_start:
  case Pass::vts_solve:
  case Pass::vts_push:
  case Pass::sp_warm_start:
  case Pass::sp_solve:
  case Pass::sp_push:
  case Pass::measure:
    return {Share::own, true};
  default:
    return {};
  }
}

bool is_of_rows(FieldId id) {
  return info(id).extent == Extent::slots || info(id).extent == Extent::slot_states;
}

bool has_owners(FieldId id) {
  const Extent extent = info(id).extent;
  return extent == Extent::grains || extent == Extent::grains_twice || extent == Extent::slices || is_of_rows(id);
}

bool is_combined(FieldId id) {
  return !rules_of(id).empty();
}

void take_apart(FieldId id, std::span<const std::uint32_t> before, std::span<const std::uint32_t> now,
                Combined& combined) {
  TALUS_ASSERT(before.size() == now.size(), id, before.size(), now.size());
  each_word(id, now.size(), [&](Rule rule, std::size_t w) {
    if (rule == Rule::sum)
      combined.sums.push_back(now[w] - before[w]);
    else if (rule == Rule::low_half)
      combined.sums.push_back(whole(now, w) - whole(before, w));
    else
      combined.maxima.push_back(rule == Rule::greatest ? now[w] : ~now[w]);
  });
}

void put_together(FieldId id, std::span<const std::uint32_t> before, std::span<std::uint32_t> now,
                  std::span<const std::uint64_t>& sums, std::span<const std::uint64_t>& maxima) {
  const auto next = [](std::span<const std::uint64_t>& of) {
    TALUS_ASSERT(!of.empty());
    const std::uint64_t number = of.front();
    of = of.subspan(1);
    return number;
  };
  each_word(id, now.size(), [&](Rule rule, std::size_t w) {
    if (rule == Rule::sum) {
      now[w] = before[w] + static_cast<std::uint32_t>(next(sums));
    } else if (rule == Rule::low_half) {
      const std::uint64_t sum = whole(before, w) + next(sums);
      now[w] = static_cast<std::uint32_t>(sum);
      now[w + 1] = static_cast<std::uint32_t>(sum >> 32);
    } else {
      const auto greatest = static_cast<std::uint32_t>(next(maxima));
      now[w] = rule == Rule::greatest ? greatest : ~greatest;
    }
  });
}

}  // namespace talus::mpi
