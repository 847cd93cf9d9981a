#pragma once
// The atomic_ref of the standard library or, in libc++ before version 19, which has none, the members of it that the
// engine uses.
#include <atomic>

namespace talus {

#ifdef __cpp_lib_atomic_ref
using std::atomic_ref;
#else
template <class T> class atomic_ref {
public:
  explicit atomic_ref(T& target) : target_(&target) {}

  T load(std::memory_order order = std::memory_order_seq_cst) const { return __atomic_load_n(target_, of(order)); }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) const {
    __atomic_store_n(target_, value, of(order));
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_exchange_n(target_, value, of(order));
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_compare_exchange_n(target_, &expected, value, true, of(order), __ATOMIC_SEQ_CST);
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_fetch_add(target_, value, of(order));
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_fetch_sub(target_, value, of(order));
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_fetch_and(target_, value, of(order));
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) const {
    return __atomic_fetch_or(target_, value, of(order));
  }

private:
  T* target_;

  // The builtins of GCC and Clang take the numbers of C11, which are those of libc++.
  static constexpr int of(std::memory_order order) { return static_cast<int>(order); }
};
#endif

}  // namespace talus
