#pragma once
#include "engine/gpu/device.h"
#include <string>
#include <vector>

namespace talus::gpu {

struct PassTime {
  std::string name;
  std::uint64_t calls = 0;
  double ms = 0.0;  // in total, on the device
};

// Times the passes of one submission: a timestamp at its start and one after each pass, so that the sum over passes is
// the whole. Passes that overlap share the time in the order in which they end.
class PassTimer {
public:
  explicit PassTimer(Device& device);
  ~PassTimer();
  PassTimer(const PassTimer&) = delete;
  PassTimer& operator=(const PassTimer&) = delete;

  // Begins with room for as many passes as the submission before had.
  void begin(VkCommandBuffer commands);
  // Resets timestamps where there are too few for so many more passes; not within a rendering. Timestamps that are not
  // used stay as they are: to reset 257 of them in each submission of one pass took the validation layer a third of the
  // time of the longest lockstep test on lavapipe.
  void make_room(VkCommandBuffer commands, std::size_t passes);
  // Ends a pass for which there is room.
  void mark(VkCommandBuffer commands, Label label);
  const std::vector<std::uint32_t>& labels() const { return labels_; }
  // Nanoseconds of the first passes of a finished submission; the rest had no room in the pool, which is larger next
  // time, up to 16384 passes.
  const std::vector<double>& read();

private:
  Device& device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
  std::uint32_t capacity_ = 0;
  std::uint32_t reset_ = 0;  // timestamps that this submission may write
  std::vector<std::uint32_t> labels_;
  std::vector<std::uint64_t> ticks_;
  std::vector<double> times_;
};

// Sums over submissions, per label. Where a submission had more passes than could be timed, a label's time is scaled
// from those of its calls that were.
class PassTotals {
public:
  void add(PassTimer& timer);
  std::vector<PassTime> list(const Device& device) const;  // in order of first call
  void clear();

private:
  struct Total {
    std::uint64_t calls = 0, timed = 0;
    double ns = 0.0;
  };
  std::vector<Total> totals_;         // by label
  std::vector<std::uint32_t> order_;  // labels that have calls
};

}  // namespace talus::gpu
