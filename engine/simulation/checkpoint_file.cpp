#include "engine/simulation/checkpoint_file.h"
#include "engine/base/atomic_file.h"
#include "engine/base/cache.h"
#include "engine/talus.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <span>
#include <streambuf>
#include <system_error>

// Little endian:  magic[8]  version u32  blocks u32  block...
// A block:        checksum u64, of all that follows  |  name size u32  data size u64  name  data
namespace talus {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> magic{'T', 'A', 'L', 'U', 'S', 'S', 'A', 'V'};
constexpr std::uint32_t newest_version = 1;
constexpr std::string_view field_prefix = "field:";

template <class T> std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string to_text(const std::vector<std::byte>& data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

class Writer {
public:
  using Put = std::function<void(std::span<const std::byte>)>;

  explicit Writer(Put put) : put_(std::move(put)) {}

  void checkpoint(const Checkpoint& checkpoint) {
    put_(bytes_of(magic));
    put_(bytes_of(newest_version));
    put_(bytes_of(static_cast<std::uint32_t>(3 + checkpoint.fields.size())));
    block("scene", bytes_of(checkpoint.scene_text));
    block("step", bytes_of(checkpoint.step));
    block("device", bytes_of(checkpoint.device));
    for (const auto& [name, data] : checkpoint.fields)
      block(std::string(field_prefix) + name, data);
  }

private:
  void block(const std::string& name, std::span<const std::byte> data) {
    const auto name_size = static_cast<std::uint32_t>(name.size());
    const std::uint64_t data_size = data.size();
    const std::array parts{bytes_of(name_size), bytes_of(data_size), bytes_of(name), data};
    std::uint64_t sum = checksum_of_nothing;
    for (auto part : parts)
      sum = checksum(part, sum);
    put_(bytes_of(sum));
    for (auto part : parts)
      put_(part);
  }

  Put put_;
};

// Bytes in memory as a stream.
class MemoryBuffer : public std::streambuf {
public:
  explicit MemoryBuffer(std::span<const std::byte> bytes) {
    char* begin = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));  // which a get area only reads
    setg(begin, begin, begin + bytes.size());
  }
};

class Reader {
public:
  // name: of the file, for messages; size: bytes of the stream.
  Reader(std::istream& in, std::string name, std::uint64_t size) : name_(std::move(name)), in_(in), left_(size) {
    if (left_ < magic.size() || get<std::array<char, 8>>() != magic)
      fail("is not a state saved by Talus");
    const auto version = get<std::uint32_t>();
    if (version == 0)
      fail("is damaged: version 0");
    if (version > newest_version)
      fail(fmt::format("was saved by a newer Talus: version {}, this one reads up to {}", version, newest_version));
    blocks_ = get<std::uint32_t>();
  }

  Checkpoint checkpoint() {
    Checkpoint checkpoint;
    bool scene = false, step = false;
    std::string name;
    std::vector<std::byte> data;
    while (next(name, data)) {
      if (name == "scene") {
        checkpoint.scene_text = to_text(data);
        scene = true;
      } else if (name == "step" && data.size() == sizeof checkpoint.step) {
        std::memcpy(&checkpoint.step, data.data(), data.size());
        step = true;
      } else if (name == "device") {
        checkpoint.device = to_text(data);
      } else if (name.starts_with(field_prefix)) {
        checkpoint.fields[name.substr(field_prefix.size())] = std::move(data);
      }
    }
    if (!scene || !step)
      fail("is damaged: scene or step is missing");
    return checkpoint;
  }

private:
  // The next block's name and data; false after the last one.
  bool next(std::string& name, std::vector<std::byte>& data) {
    if (blocks_ == 0) {
      if (left_ != 0)
        fail(fmt::format("is damaged: {} bytes too many", left_));
      return false;
    }
    --blocks_;
    const auto expected = get<std::uint64_t>();
    const auto name_size = get<std::uint32_t>();
    const auto data_size = get<std::uint64_t>();
    need(name_size);
    name.resize(name_size);
    take(name.data(), name_size);
    need(data_size);
    data.resize(data_size);
    take(data.data(), data_size);
    std::uint64_t sum = checksum_of_nothing;
    for (auto part : {bytes_of(name_size), bytes_of(data_size), bytes_of(name), std::span<const std::byte>(data)})
      sum = checksum(part, sum);
    if (sum != expected)
      fail("is damaged: a checksum does not match");
    return true;
  }

  [[noreturn]] void fail(const std::string& why) const { throw CheckpointError(name_ + " " + why); }
  void need(std::uint64_t size) const {  // before memory is asked for: a damaged size may be anything
    if (size > left_)
      fail("is damaged or cut short: it ends too early");
  }
  void take(void* to, std::uint64_t size) {
    need(size);
    if (!in_.read(static_cast<char*>(to), static_cast<std::streamsize>(size)))
      fail("cannot be read to its end");
    left_ -= size;
  }
  template <class T> T get() {
    T value;
    take(&value, sizeof value);
    return value;
  }

  std::string name_;
  std::istream& in_;
  std::uint64_t left_;  // bytes not read yet
  std::uint32_t blocks_ = 0;
};

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    throw CheckpointError(
        fmt::format("{} is not a file, and a checkpoint cannot be saved in its place", file.string()));
  try {
    AtomicFile out(file);
    Writer([&](std::span<const std::byte> bytes) { out.write(bytes); }).checkpoint(checkpoint);
    out.commit();
  } catch (const ExportError& e) {
    throw CheckpointError(e.what());
  }
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw CheckpointError(
        fmt::format("{} cannot be opened: {}", file.string(), std::generic_category().message(errno)));
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error)
    throw CheckpointError(fmt::format("{} cannot be read: {}", file.string(), error.message()));
  return Reader(in, file.string(), size).checkpoint();
}

std::vector<std::byte> checkpoint_bytes(const Checkpoint& checkpoint) {
  std::vector<std::byte> all;
  Writer([&](std::span<const std::byte> bytes) {
    const std::size_t before = all.size();  // insert() makes GCC 12 warn of an overflow that is none
    all.resize(before + bytes.size());
    std::ranges::copy(bytes, all.begin() + static_cast<std::ptrdiff_t>(before));
  }).checkpoint(checkpoint);
  return all;
}

Checkpoint read_checkpoint(std::span<const std::byte> bytes) {
  MemoryBuffer buffer(bytes);
  std::istream in(&buffer);
  return Reader(in, "the checkpoint", bytes.size()).checkpoint();
}

}  // namespace talus
