#pragma once
#include <string>

namespace viewer {

// As one word of a command of the system's shell.
std::string quoted(const std::string& text);

}  // namespace viewer
