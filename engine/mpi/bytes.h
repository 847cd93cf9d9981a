#pragma once
// This file puts values into the bytes of messages and takes them out, and joins slices to runs.
#include "engine/base/assert.h"
#include "engine/executors/cpu_executor.h"
#include "engine/mpi/communicator.h"
#include <cstring>
#include <span>
#include <vector>

namespace talus::mpi {

template <class T> void put(Bytes& to, const T& value) {
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), from, from + sizeof value);
}
template <class T> T take(std::span<const std::byte>& from) {
  TALUS_ASSERT(from.size() >= sizeof(T), from.size());
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  from = from.subspan(sizeof value);
  return value;
}

// Joins slices, which are given in ascending order, to runs.
inline std::vector<SliceRun> runs_of(std::span<const std::uint32_t> slices) {
  std::vector<SliceRun> runs;
  for (const std::uint32_t s : slices) {
    if (!runs.empty() && runs.back().end == s)
      ++runs.back().end;
    else
      runs.push_back({s, s + 1});
  }
  return runs;
}

inline double grains_of(std::span<const SliceRun> runs) {
  double slices = 0.0;
  for (const SliceRun& run : runs)
    slices += run.count();
  return slices * slice_grains;
}

}  // namespace talus::mpi
