#pragma once
#include <charconv>

namespace talus {

// std::from_chars for double, decimal or scientific, also in libc++ before version 20, which has it for integers alone.
std::from_chars_result read_double(const char* begin, const char* end, double& value);

}  // namespace talus
