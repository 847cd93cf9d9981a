#pragma once
// What the engine uses of oneTBB, on one thread: its results do not depend on how many there are.
#include <tbb/blocked_range.h>

namespace tbb {

template <class T, class Body> void parallel_for(const blocked_range<T>& range, const Body& body) {
  body(range);
}
template <class T, class Body> void parallel_for(T begin, T end, const Body& body) {
  for (T i = begin; i < end; ++i)
    body(i);
}

}  // namespace tbb
