#pragma once
#include <numbers>

namespace bench {

inline constexpr double g = 9.81;  // m/s2, the gravity of scenes by default
inline constexpr double pi = std::numbers::pi;

}  // namespace bench
