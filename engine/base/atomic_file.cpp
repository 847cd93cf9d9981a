#include "engine/base/atomic_file.h"
#include <cerrno>
#include <fmt/format.h>
#include <random>
#include <system_error>
#include <utility>
#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace talus {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& file, int code) {
  throw ExportError(
      fmt::format("{} cannot be written: {}", file.string(), std::generic_category().message(code ? code : EIO)));
}

#ifdef _WIN32
bool sync_file(std::FILE* file) {
  return _commit(_fileno(file)) == 0;
}
void sync_directory(const fs::path&) {}
#else
bool sync_file(std::FILE* file) {
  return fsync(fileno(file)) == 0;
}
// The new name is on the disk, too. Some file systems cannot do this; the file itself is safe there already.
void sync_directory(const fs::path& directory) {
  const int handle = open(directory.empty() ? "." : directory.c_str(), O_RDONLY);
  if (handle < 0)
    return;
  fsync(handle);
  close(handle);
}
#endif

// Renaming asks the folder alone, not the file.
void check_may_write(const fs::path& file) {
  errno = 0;
  std::FILE* out = std::fopen(file.string().c_str(), "r+b");
  if (!out)
    fail_to_write(file, errno);
  std::fclose(out);
}

// /dev/stdout, /dev/fd/3: the link leads to a file that somebody has open, and who expects the text in there.
bool is_open_file(const fs::path& target) {
  return target.string().starts_with("/proc/") || target.string().starts_with("/dev/fd/");
}

}  // namespace

fs::path link_target(const fs::path& file) {
  constexpr int links_most = 40;  // as Linux has it
  fs::path target = file;
  std::error_code error;
  for (int links = 0; !is_open_file(target) && fs::is_symlink(target, error); ++links) {
    if (links == links_most)
      fail_to_write(file, ELOOP);
    target = target.parent_path() / fs::read_symlink(target, error);  // an absolute one replaces the folder
  }
  return target;
}

AtomicFile::AtomicFile(const fs::path& file, Sync sync) : wanted_(file), target_(link_target(file)), sync_(sync) {
  std::error_code error;
  const fs::file_status there = fs::status(file, error);
  errno = 0;
  if (fs::exists(there) && (!fs::is_regular_file(there) || is_open_file(target_))) {
    out_ = std::fopen(file.string().c_str(), "wb");
  } else {
    if (fs::exists(there))
      check_may_write(file);
    part_ = target_;
    part_ += fmt::format(".part-{:08x}", std::random_device()());  // others may be writing the same file
    out_ = std::fopen(part_.string().c_str(), "wbx");
    if (out_ && fs::exists(there))
      fs::permissions(part_, there.permissions(), error);
  }
  if (!out_)
    fail_to_write(wanted_, errno);
}

AtomicFile::~AtomicFile() {
  if (!out_)
    return;
  std::fclose(out_);
  std::error_code ignored;
  if (!part_.empty())
    fs::remove(part_, ignored);
}

void AtomicFile::fail() {
  fail_to_write(wanted_, errno);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size())
    fail();
}

void AtomicFile::commit() {
  errno = 0;
  if (std::fflush(out_) != 0 || (sync_ == Sync::disk && !part_.empty() && !sync_file(out_)))
    fail();
  std::error_code error, ignored;
  const bool closed = std::fclose(std::exchange(out_, nullptr)) == 0;
  if (!closed)
    error = {errno, std::generic_category()};
  else if (!part_.empty())
    fs::rename(part_, target_, error);
  if (error) {
    if (!part_.empty())
      fs::remove(part_, ignored);
    throw ExportError(fmt::format("{} cannot be written: {}", wanted_.string(), error.message()));
  }
  if (sync_ == Sync::disk && !part_.empty())
    sync_directory(target_.parent_path());
}

void check_writable(const fs::path& file) {
  std::error_code error;
  const fs::file_status there = fs::status(file, error);
  if (!fs::exists(there) || fs::is_regular_file(there) || fs::is_directory(there))
    AtomicFile{file};
}

void write_file(const fs::path& file, std::string_view content) {
  AtomicFile out(file);
  out.write(content);
  out.commit();
}

}  // namespace talus
