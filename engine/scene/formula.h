#pragma once
// Formulas of the time, as scenes write them.
#include <functional>
#include <string>

namespace talus {

// The function of the time t [s] that a text stands for. Throws std::invalid_argument with the reason where it stands
// for none. The function is not for several threads at once.
std::function<double(double)> parse_formula(const std::string& text);

}  // namespace talus
