// Prefix sums in the two halves that the device uses; elements are chunks of the data.
#include "engine/reference/space.h"
#include "shaders/shared/scan.h"
#include <numeric>

namespace talus::reference {
namespace {

// start[i] is the sum of the data before i, and start[length] that of all. sums: of each chunk.
class PrefixSum {
public:
  PrefixSum(const Column<uint>& data, uint length, Column<uint>& sums, Column<uint>& start)
      : data_(data), sums_(sums), start_(start), length_(length), size_(scan_size(length)) {
    TALUS_ASSERT(length <= data.size() && scan_chunks_of(length) <= sums.size(), length, data.size(), sums.size());
    TALUS_ASSERT(length < start.size(), length, start.size());
  }

  void reduce(uint begin, uint end) {
    for (uint chunk = begin; chunk < end && chunk * size_ < length_; ++chunk)
      sums_[chunk] = std::accumulate(data_.begin() + chunk * size_, data_.begin() + end_of(chunk), 0u);
  }

  void scan(uint begin, uint end) {
    for (uint chunk = begin; chunk < end && chunk * size_ < std::max(length_, 1u); ++chunk) {
      uint before = std::accumulate(sums_.begin(), sums_.begin() + chunk, 0u);
      for (uint i = chunk * size_; i < end_of(chunk); ++i) {
        start_[i] = before;
        TALUS_ASSERT(before + data_[i] >= before, i, before, data_[i]);
        before += data_[i];
      }
      if (end_of(chunk) == length_)
        start_[length_] = before;
    }
  }

private:
  const Column<uint>& data_;
  Column<uint>&sums_, &start_;
  uint length_, size_;

  uint end_of(uint chunk) const { return std::min((chunk + 1) * size_, length_); }
};

// Over the cells and the slices of the worlds that rebuild, and over near cells.
PrefixSum cell_sums(Fields& f) {
  return {f.grid_count, f.status[0].lists.rebuilding * grid_cells(f.settings[0].grid.bits), f.grid_sums, f.grid_start};
}
PrefixSum slice_sums(const Args& args, Fields& f) {
  const WorldSettings& worlds = f.settings[0].worlds;
  return {f.slice_width,
          worlds.count == 1 ? slices_of(args.grains) : f.status[0].lists.rebuilding * slices_of(worlds.places),
          f.slice_sums, f.slice_start_next};
}
PrefixSum near_sums(Fields& f) {
  return {f.near_count, grid_cells(f.settings[0].near_grid.bits), f.near_sums, f.near_start};
}

}  // namespace

void grid_reduce(const Args&, Fields& f, uint begin, uint end) {
  cell_sums(f).reduce(begin, end);
}
void grid_scan(const Args&, Fields& f, uint begin, uint end) {
  cell_sums(f).scan(begin, end);
}
void contact_reduce(const Args& args, Fields& f, uint begin, uint end) {
  slice_sums(args, f).reduce(begin, end);
}
void contact_scan(const Args& args, Fields& f, uint begin, uint end) {
  slice_sums(args, f).scan(begin, end);
}
void near_reduce(const Args&, Fields& f, uint begin, uint end) {
  near_sums(f).reduce(begin, end);
}
void near_scan(const Args&, Fields& f, uint begin, uint end) {
  near_sums(f).scan(begin, end);
}

}  // namespace talus::reference
