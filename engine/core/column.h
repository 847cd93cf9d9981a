#pragma once
// What a field is in the host's memory: a vector that starts with a cache line, and may be read so far beyond its end
// that nobody who takes several elements at a time has to look for it. What is there is any number.
//
// The memory itself has its holders counted, in the line before it: one that looks at a field without copying it keeps
// what it looks at, also where the field has grown and lies elsewhere.
#include "engine/base/assert.h"
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace talus {

inline constexpr std::size_t column_line = 64;  // bytes
using ColumnHolders = std::atomic<std::size_t>;

inline ColumnHolders& column_holders(void* at) {
  return *reinterpret_cast<ColumnHolders*>(static_cast<std::byte*>(at) - column_line);
}

inline void let_column_go(void* at) {
  TALUS_ASSERT(column_holders(at) > 0, column_holders(at).load());
  if (column_holders(at).fetch_sub(1) == 1)
    ::operator delete(static_cast<std::byte*>(at) - column_line, std::align_val_t(column_line));
}

// at: where a column that is not empty starts.
inline std::shared_ptr<const std::byte> hold_column(void* at) {
  TALUS_ASSERT(column_holders(at) > 0, column_holders(at).load());
  column_holders(at).fetch_add(1);
  return {static_cast<const std::byte*>(at), [at](const std::byte*) { let_column_go(at); }};
}

template <class T> struct ColumnAllocator {
  using value_type = T;
  static constexpr std::size_t beyond = 16 * sizeof(T);  // bytes

  ColumnAllocator() = default;
  template <class U> ColumnAllocator(const ColumnAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > (static_cast<std::size_t>(-1) - beyond - column_line) / sizeof(T))
      throw std::bad_array_new_length();
    void* memory = ::operator new(column_line + count * sizeof(T) + beyond, std::align_val_t(column_line));
    new (memory) ColumnHolders(1);
    return reinterpret_cast<T*>(static_cast<std::byte*>(memory) + column_line);
  }
  void deallocate(T* at, std::size_t) { let_column_go(at); }
  bool operator==(const ColumnAllocator&) const = default;
};

template <class T> using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace talus
