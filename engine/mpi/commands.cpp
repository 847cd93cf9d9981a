#include "engine/mpi/commands.h"
#include <cstring>
#include <type_traits>

namespace talus::mpi {
namespace {

enum class Call : std::uint8_t {
  specialize,
  run,
  repeat,
  swap,
  copy,
  copy_part,
  keep,
  resize,
  write,
  make_whole,
  summarize
};

// Reads values in the order in which they were recorded.
class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool done() const { return rest_.empty(); }
  template <class T> T next() {
    static_assert(std::is_trivially_copyable_v<T>);
    alignas(T) std::byte value[sizeof(T)];
    std::ranges::copy(bytes(sizeof(T)), value);
    return std::bit_cast<T>(value);
  }
  std::span<const std::byte> bytes(std::size_t count) {
    TALUS_ASSERT(count <= rest_.size(), count, rest_.size());
    const auto first = rest_.first(count);
    rest_ = rest_.subspan(count);
    return first;
  }

private:
  std::span<const std::byte> rest_;
};

}  // namespace

template <class... Values> void Commands::record(const Values&... values) {
  static_assert((std::is_trivially_copyable_v<Values> && ...));
  const auto put = [&](std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); };
  (put(std::as_bytes(std::span(&values, 1))), ...);
}

void Commands::specialize(const Features& features) {
  record(Call::specialize, features);
}
void Commands::run(Pass pass, Work work, const Args& args) {
  record(Call::run, pass, work, args);
}
void Commands::repeat(std::uint32_t times, const std::function<void()>& record_once) {
  record(Call::repeat, times, std::uint64_t{0});
  const std::size_t start = bytes_.size();
  record_once();
  const std::uint64_t size = bytes_.size() - start;
  std::memcpy(bytes_.data() + start - sizeof size, &size, sizeof size);
}
void Commands::swap(FieldId id) {
  record(Call::swap, id);
}
void Commands::copy(FieldCopy from, FieldCopy to) {
  record(Call::copy, from, to);
}
void Commands::copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset, std::size_t bytes) {
  record(Call::copy_part, from, from_offset, to, to_offset, bytes);
}
void Commands::keep(FieldCopy field, std::size_t elements) {
  record(Call::keep, field, elements);
}
void Commands::resize(FieldId id, std::size_t elements) {
  record(Call::resize, id, elements);
}
void Commands::write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset) {
  record(Call::write, field, offset, bytes.size());
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}
void Commands::make_whole(FieldCopy field) {
  record(Call::make_whole, field);
}
void Commands::summarize() {
  record(Call::summarize);
}

void carry_out(std::span<const std::byte> commands, Part& part) {
  Reader reader(commands);
  while (!reader.done())
    switch (reader.next<Call>()) {
    case Call::specialize:
      part.specialize(reader.next<Features>());
      break;
    case Call::run: {
      const auto pass = reader.next<Pass>();
      const auto work = reader.next<Work>();
      part.run(pass, work, reader.next<Args>());
      break;
    }
    case Call::repeat: {
      const auto times = reader.next<std::uint32_t>();
      const auto repeated = reader.bytes(reader.next<std::uint64_t>());
      for (std::uint32_t k = 0; k < times; ++k)
        carry_out(repeated, part);
      break;
    }
    case Call::swap:
      part.swap(reader.next<FieldId>());
      break;
    case Call::copy: {
      const auto from = reader.next<FieldCopy>();
      part.copy(from, reader.next<FieldCopy>());
      break;
    }
    case Call::copy_part: {
      const auto from = reader.next<FieldId>();
      const auto from_offset = reader.next<std::size_t>();
      const auto to = reader.next<FieldId>();
      const auto to_offset = reader.next<std::size_t>();
      part.copy_part(from, from_offset, to, to_offset, reader.next<std::size_t>());
      break;
    }
    case Call::keep: {
      const auto field = reader.next<FieldCopy>();
      part.make_whole(field);
      part.here().keep(field, reader.next<std::size_t>());
      break;
    }
    case Call::resize: {
      const auto id = reader.next<FieldId>();
      part.resize(id, reader.next<std::size_t>());
      break;
    }
    case Call::write: {
      const auto field = reader.next<FieldCopy>();
      const auto offset = reader.next<std::size_t>();
      part.write(field, reader.bytes(reader.next<std::size_t>()), offset);
      break;
    }
    case Call::make_whole:
      part.make_whole(reader.next<FieldCopy>());
      break;
    case Call::summarize:
      part.summarize();
      break;
    }
}

}  // namespace talus::mpi
