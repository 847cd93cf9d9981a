#pragma once
// Formulas of the time and of places, as scenes write them.
#include <functional>
#include <string>

namespace talus {

// The function of the time t [s] that a text stands for. Throws std::invalid_argument with the reason where it stands
// for none. The function is not for several threads at once.
std::function<double(double)> parse_formula(const std::string& text);

// The same of a place, whose coordinates are x and y [m].
std::function<double(double, double)> parse_formula_of_place(const std::string& text);

// Messages about a formula that cannot be read name this, which it may hold beside numbers and its variables.
inline constexpr const char* allowed_in_formulas =
    "pi, e, + - * / ^ ( ), a < b ? c : d, and functions as sin, sqrt, abs, min, mod";

}  // namespace talus
