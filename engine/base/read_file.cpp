#include "engine/base/read_file.h"
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

namespace talus {

std::string read_file(const std::filesystem::path& file, std::uintmax_t most) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw std::runtime_error("does not exist");
  if (!std::filesystem::is_regular_file(status))
    throw std::runtime_error("is not a file");
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error)
    throw std::runtime_error("cannot be read: " + error.message());
  if (size > most)
    throw std::runtime_error(fmt::format("has {} bytes: the limit is {}", size, most));
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::ifstream in(file, std::ios::binary);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error("cannot be read");
  return bytes;
}

}  // namespace talus
