#pragma once
// What a field is in the host's memory: a vector that starts with a cache line, and may be read so far beyond its end
// that nobody who takes several elements at a time has to look for it. What is there is any number.
#include <cstddef>
#include <new>
#include <vector>

namespace talus {

template <class T> struct ColumnAllocator {
  using value_type = T;
  static constexpr std::size_t line = 64, beyond = 16 * sizeof(T);  // bytes

  ColumnAllocator() = default;
  template <class U> ColumnAllocator(const ColumnAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > (static_cast<std::size_t>(-1) - beyond) / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T) + beyond, std::align_val_t(line)));
  }
  void deallocate(T* at, std::size_t) { ::operator delete(at, std::align_val_t(line)); }
  bool operator==(const ColumnAllocator&) const = default;
};

template <class T> using Column = std::vector<T, ColumnAllocator<T>>;

}  // namespace talus
