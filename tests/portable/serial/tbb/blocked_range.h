#pragma once
#include <cstddef>

namespace tbb {

template <class T> class blocked_range {
public:
  blocked_range(T begin, T end, std::size_t = 1) : begin_(begin), end_(end) {}
  T begin() const { return begin_; }
  T end() const { return end_; }

private:
  T begin_, end_;
};

}  // namespace tbb
