#pragma once
// What a field is in the host's memory: a vector that starts with a cache line, and may be read so far beyond its end
// that nobody who takes several elements at a time has to look for it. What is there is any number.
//
// New memory is zero. What is large comes from the system a page at a time, when it is first written: contact slots
// that no list reaches take no memory (400,000 grains of dem took 337 MB for 431 MB, three steps after the start).
//
// The memory itself has its holders counted, in the line before it: one that looks at a field without copying it keeps
// what it looks at, also where the field has grown and lies elsewhere.
#include "engine/base/assert.h"
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace talus {

inline constexpr std::size_t column_line = 64;  // bytes

struct ColumnHeader {
  std::atomic<std::size_t> holders;
  std::size_t mapped;  // bytes that the system gave; 0: they are the heap's
};
static_assert(sizeof(ColumnHeader) <= column_line);

inline ColumnHeader& column_header(void* at) {
  return *reinterpret_cast<ColumnHeader*>(static_cast<std::byte*>(at) - column_line);
}

// So many bytes of zeros behind a header. Throws std::bad_alloc.
inline void* new_column(std::size_t bytes) {
  bytes += column_line;
  void* memory = nullptr;
  std::size_t mapped = 0;
#ifdef MAP_ANONYMOUS
  constexpr std::size_t large = std::size_t{1} << 20;
  if (bytes >= large) {
    memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    mapped = bytes;
  }
#endif
  if (!memory) {
    memory = ::operator new(bytes, std::align_val_t(column_line));
    std::memset(memory, 0, bytes);
  }
  new (memory) ColumnHeader{1, mapped};
  return static_cast<std::byte*>(memory) + column_line;
}

inline void let_column_go(void* at) {
  ColumnHeader& header = column_header(at);
  TALUS_ASSERT(header.holders > 0, header.holders.load());
  if (header.holders.fetch_sub(1) != 1)
    return;
#ifdef MAP_ANONYMOUS
  if (const std::size_t mapped = header.mapped) {
    ::munmap(&header, mapped);
    return;
  }
#endif
  ::operator delete(&header, std::align_val_t(column_line));
}

// at: where a column that is not empty starts.
inline std::shared_ptr<const std::byte> hold_column(void* at) {
  TALUS_ASSERT(column_header(at).holders > 0, column_header(at).holders.load());
  column_header(at).holders.fetch_add(1);
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
    return static_cast<T*>(new_column(count * sizeof(T) + beyond));
  }
  void deallocate(T* at, std::size_t) { let_column_go(at); }
  // An element without a value is what the memory holds: zero where that is new.
  template <class U> void construct(U*) noexcept {}
  template <class U, class First, class... Rest> void construct(U* at, First&& first, Rest&&... rest) {
    new (static_cast<void*>(at)) U(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
  bool operator==(const ColumnAllocator&) const = default;
};

template <class T> using Column = std::vector<T, ColumnAllocator<T>>;

// As the vector's own resize: new elements are zero, also where the column was longer before.
template <class T> void resize_column(Column<T>& column, std::size_t count) {
  const std::size_t before = column.size(), used = std::min(count, column.capacity());
  column.resize(count);
  if (before < used)
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(before), column.begin() + static_cast<std::ptrdiff_t>(used),
              T{});
}

}  // namespace talus
