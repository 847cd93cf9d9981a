#pragma once

namespace tbb::info {

inline int default_concurrency() {
  return 1;
}

}  // namespace tbb::info
