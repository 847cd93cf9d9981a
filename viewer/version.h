#pragma once
#include <string>

namespace viewer {

// Of Talus, its commit where git knew it when it was built, the Vulkan headers, and the compiler: a line each.
std::string version_text();

}  // namespace viewer
