#pragma once
// The part of oneTBB that the engine uses, on one thread: results do not depend on the number of threads.
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
