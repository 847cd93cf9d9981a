#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace talus {

// The content of a regular file of at most `most` bytes. Throws std::runtime_error with what is wrong, without the
// file's name.
std::string read_file(const std::filesystem::path& file, std::uintmax_t most);

}  // namespace talus
