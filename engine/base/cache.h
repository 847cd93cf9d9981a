#pragma once
// Files that only save time: what is made once and can be made again.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>

namespace talus {

// $XDG_CACHE_HOME/talus, ~/.cache/talus or %LOCALAPPDATA%\talus; empty where there is none of them.
std::filesystem::path default_cache_directory();

// FNV-1a: one changed byte always changes it. Goes on from `sum`.
inline constexpr std::uint64_t checksum_of_nothing = 0xcbf29ce484222325u;
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t sum = checksum_of_nothing);

// Writes the parts in one go (AtomicFile), since other processes may be writing the same file; makes the folder. False,
// and nothing left behind, where it could not be written.
bool write_whole(const std::filesystem::path& file, std::initializer_list<std::span<const std::byte>> parts);

}  // namespace talus
