#include "bench/files.h"
#include <fstream>
#include <iterator>

namespace bench {

std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string in_quotes(const std::string& word) {
#ifdef _WIN32
  return '"' + word + '"';
#else
  return '\'' + word + '\'';
#endif
}
std::string in_quotes(const std::filesystem::path& path) {
  return in_quotes(path.string());
}

}  // namespace bench
