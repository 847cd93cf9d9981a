#pragma once
#include <charconv>

namespace talus {

// std::from_chars of double, decimal or scientific, also in libc++ before version 20, which has it for integers alone.
std::from_chars_result read_double(const char* begin, const char* end, double& value);

// Rounded to float once: by way of double, a decimal next to the middle between two floats may come to the wrong one.
std::from_chars_result read_float(const char* begin, const char* end, float& value);

}  // namespace talus
