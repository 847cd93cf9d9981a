#pragma once
#include <filesystem>
#include <string>

namespace bench {

// The whole file; empty where it cannot be read.
std::string file_text(const std::filesystem::path& file);

// A word of a command line in quotes: double ones for cmd.exe, single ones for shells. It has no quote of that kind in
// it.
std::string in_quotes(const std::string& word);
std::string in_quotes(const std::filesystem::path& path);

}  // namespace bench
