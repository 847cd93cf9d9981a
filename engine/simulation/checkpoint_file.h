#pragma once
// The file of a saved state: named blocks of bytes, each with its checksum. What they mean is known to Simulation.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace talus {

struct Checkpoint {
  std::string scene_text;  // as TOML: what a resumed run must share
  std::uint64_t step = 0;
  std::string device;
  std::map<std::string, std::vector<std::byte>> fields;
};

// Replaces FILE in one go: whatever happens, FILE holds the old state or the new one. Throws CheckpointError.
void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

// Throws CheckpointError for anything but a complete, unharmed file of this version or an older one.
Checkpoint read_checkpoint(const std::filesystem::path& file);

// The same bytes in memory; read_checkpoint() throws CheckpointError as above.
std::vector<std::byte> checkpoint_bytes(const Checkpoint& checkpoint);
Checkpoint read_checkpoint(std::span<const std::byte> bytes);

}  // namespace talus
