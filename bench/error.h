#pragma once
#include <stdexcept>

namespace bench {

// What the user asked for cannot be done: why, and what can. Exit status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bench
