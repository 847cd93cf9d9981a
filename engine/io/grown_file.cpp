#include "engine/io/grown_file.h"
#include "engine/base/atomic_file.h"
#include <cerrno>
#include <fmt/format.h>
#include <system_error>

namespace talus {

GrownFile::GrownFile(const std::filesystem::path& file, bool go_on) : file_(file) {
  errno = 0;
  handle_ = std::fopen(file.string().c_str(), go_on ? "r+b" : "w+b");
  if (!handle_)
    fail();
}

GrownFile::~GrownFile() {
  std::fclose(handle_);
}

void GrownFile::fail() {
  throw ExportError(
      fmt::format("{} cannot be written: {}", file_.string(), std::generic_category().message(errno ? errno : EIO)));
}

void GrownFile::seek(std::uint64_t at) {
  errno = 0;
#ifdef _WIN32
  const int failed = _fseeki64(handle_, static_cast<long long>(at), SEEK_SET);
#else
  const int failed = fseeko(handle_, static_cast<off_t>(at), SEEK_SET);
#endif
  if (failed != 0)
    fail();
}

std::uint64_t GrownFile::size() {
  flush();
  return std::filesystem::file_size(file_);
}

void GrownFile::read(std::uint64_t at, void* to, std::uint64_t bytes) {
  seek(at);
  if (std::fread(to, 1, bytes, handle_) != bytes)
    fail();
}

void GrownFile::write(std::uint64_t at, const void* from, std::uint64_t bytes) {
  seek(at);
  if (std::fwrite(from, 1, bytes, handle_) != bytes)
    fail();
}

std::uint64_t GrownFile::append(const void* from, std::uint64_t bytes) {
  const std::uint64_t at = size();
  write(at, from, bytes);
  return at;
}

void GrownFile::flush() {
  errno = 0;
  if (std::fflush(handle_) != 0)
    fail();
}

}  // namespace talus
