#pragma once
// Shared by the fuzzers: files of their own, and scenes that take no time.
#include "engine/scene/scene.h"
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace talus_fuzz {

// A folder in memory, gone at the end.
class Folder {
public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  std::filesystem::path write(const std::string& name, std::string_view content) const;
  const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Whether the scene asks for little work: what large scenes cost is no defect. Judged from its numbers alone.
bool is_small(const talus::Scene& scene);

// Whether one of its steps is little work too.
bool steps_are_small(const talus::Scene& scene);

}  // namespace talus_fuzz
