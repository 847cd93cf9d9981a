#include "engine/base/cache.h"
#include "engine/base/atomic_file.h"
#include <cstdlib>

namespace talus {
namespace {

std::filesystem::path environment_path(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::filesystem::path(value) : std::filesystem::path();
}

}  // namespace

std::filesystem::path default_cache_directory() {
  if (const auto p = environment_path("XDG_CACHE_HOME"); p.is_absolute())
    return p / "talus";
#ifdef _WIN32
  if (const auto p = environment_path("LOCALAPPDATA"); !p.empty())
    return p / "talus";
#endif
  if (const auto p = environment_path("HOME"); !p.empty())
    return p / ".cache" / "talus";
  return {};
}

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t sum) {
  for (const std::byte b : bytes)
    sum = (sum ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
  return sum;
}

bool write_whole(const std::filesystem::path& file, std::initializer_list<std::span<const std::byte>> parts) {
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  try {
    AtomicFile out(file, Sync::none);
    for (const auto part : parts)
      out.write(part);
    out.commit();
    return true;
  } catch (const ExportError&) {
    return false;
  }
}

}  // namespace talus
