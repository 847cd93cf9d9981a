#pragma once
// A binary file that grows, and parts of which are written anew.
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace talus {

class GrownFile {
public:
  // Goes on with the file that is there, or begins a new one. Throws ExportError, as all below.
  GrownFile(const std::filesystem::path& file, bool go_on);
  ~GrownFile();
  GrownFile(const GrownFile&) = delete;
  GrownFile& operator=(const GrownFile&) = delete;

  std::uint64_t size();
  void read(std::uint64_t at, void* to, std::uint64_t bytes);
  void write(std::uint64_t at, const void* from, std::uint64_t bytes);
  std::uint64_t append(const void* from, std::uint64_t bytes);  // returns where that is
  void flush();

private:
  [[noreturn]] void fail();
  void seek(std::uint64_t at);

  std::filesystem::path file_;
  std::FILE* handle_;
};

}  // namespace talus
