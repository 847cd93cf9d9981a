#pragma once
// Files that are replaced in one go: whatever happens, a reader finds the old file or the whole new one.
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>

namespace talus {

// A file cannot be written: which and why.
struct ExportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The file that FILE stands for: links are followed, also one to a file that is not there yet. Throws ExportError where
// links go round in a circle.
std::filesystem::path link_target(const std::filesystem::path& file);

// Must a file be on the disk before it takes its name, so that it outlives a power cut? Caches need not: they are
// checked when they are read, and made again.
enum class Sync { disk, none };

// Writes beside the file, under a name of its own, and renames that at the end. What a link names is replaced, not the
// link, and a file that was there keeps its permissions; one that must not be written stays. What is no file of a
// folder (a device, a pipe, /dev/stdout) is written as it is.
class AtomicFile {
public:
  // Throws ExportError.
  explicit AtomicFile(const std::filesystem::path& file, Sync sync = Sync::disk);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();  // without commit(), nothing has happened

  void write(std::span<const std::byte> bytes);  // throws ExportError
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void commit();  // throws ExportError

private:
  [[noreturn]] void fail();

  std::filesystem::path wanted_, target_, part_;  // part_ is empty where there is nothing to rename
  Sync sync_;
  std::FILE* out_ = nullptr;
};

// Whether FILE can be written, found out without touching what is there. Throws ExportError where it cannot.
void check_writable(const std::filesystem::path& file);

// All of it in one go. Throws ExportError.
void write_file(const std::filesystem::path& file, std::string_view content);

}  // namespace talus
