#include "engine/gpu/timestamps.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <bit>

namespace talus::gpu {

namespace {
constexpr std::uint32_t first_capacity = 256, last_capacity = 16384;  // passes
}

PassTimer::PassTimer(Device& device) : device_(device) {}

PassTimer::~PassTimer() {
  vkDestroyQueryPool(device_.handle(), pool_, nullptr);
}

void PassTimer::begin(VkCommandBuffer commands) {
  const auto before = static_cast<std::uint32_t>(labels_.size());
  const auto wanted = std::bit_ceil(std::max(first_capacity, before));
  labels_.clear();
  if (!device_.timestamp_bits())
    return;
  if (wanted > capacity_ && capacity_ < last_capacity) {
    vkDestroyQueryPool(device_.handle(), pool_, nullptr);
    pool_ = VK_NULL_HANDLE;
    capacity_ = std::min(wanted, last_capacity);
    auto info = make<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = capacity_ + 1;
    check(vkCreateQueryPool(device_.handle(), &info, nullptr, &pool_), "Creating a pool of timestamps");
  }
  reset_ = 0;
  make_room(commands, before);
  vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_, 0);
}

void PassTimer::make_room(VkCommandBuffer commands, std::size_t passes) {
  const std::size_t wanted = std::min<std::size_t>(labels_.size() + passes, capacity_) + 1;
  if (!pool_ || wanted <= reset_)
    return;
  const auto end = std::min(std::bit_ceil(static_cast<std::uint32_t>(wanted)), capacity_ + 1);
  vkCmdResetQueryPool(commands, pool_, reset_, end - reset_);
  reset_ = end;
}

void PassTimer::mark(VkCommandBuffer commands, Label label) {
  labels_.push_back(label.id);
  if (labels_.size() > capacity_)
    return;
  TALUS_ASSERT(labels_.size() < reset_, labels_.size(), reset_);
  vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, pool_,
                       static_cast<std::uint32_t>(labels_.size()));
}

const std::vector<double>& PassTimer::read() {
  times_.clear();
  const std::size_t count = std::min<std::size_t>(labels_.size(), capacity_);
  if (!count)
    return times_;
  ticks_.resize(count + 1);
  check(vkGetQueryPoolResults(device_.handle(), pool_, 0, static_cast<std::uint32_t>(ticks_.size()), 8 * ticks_.size(),
                              ticks_.data(), 8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
        "Reading timestamps");
  const std::uint32_t bits = device_.timestamp_bits();
  TALUS_ASSERT(bits > 0 && ticks_.size() <= std::size_t{capacity_} + 1, bits, ticks_.size(), capacity_);
  const std::uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1;  // counters of few bits wrap around
  for (std::size_t i = 0; i < count; ++i) {
    times_.push_back(static_cast<double>((ticks_[i + 1] - ticks_[i]) & mask) * device_.limits().timestampPeriod);
  }
  return times_;
}

void PassTotals::add(PassTimer& timer) {
  const auto& times = timer.read();
  TALUS_ASSERT(times.size() <= timer.labels().size(), times.size(), timer.labels().size());
  for (std::size_t i = 0; i < timer.labels().size(); ++i) {
    const std::uint32_t label = timer.labels()[i];
    if (label >= totals_.size())
      totals_.resize(label + 1);
    Total& total = totals_[label];
    if (total.calls++ == 0)
      order_.push_back(label);
    if (i >= times.size())
      continue;
    ++total.timed;
    total.ns += times[i];
  }
}

std::vector<PassTime> PassTotals::list(const Device& device) const {
  std::vector<PassTime> list;
  for (const std::uint32_t label : order_) {
    const Total& total = totals_[label];
    const double scale = total.timed ? static_cast<double>(total.calls) / static_cast<double>(total.timed) : 0.0;
    list.push_back({device.label_name({label}), total.calls, 1e-6 * total.ns * scale});
  }
  return list;
}

void PassTotals::clear() {
  totals_.clear();
  order_.clear();
}

}  // namespace talus::gpu
