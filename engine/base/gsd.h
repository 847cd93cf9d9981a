#pragma once
// The layout of GSD files (General Simulation Data, version 2 of the file layer: https://gsd.readthedocs.io). A header,
// an index of chunks sorted by frame, and a list of names, each ended by a zero; little endian.
#include <cstdint>

namespace talus::gsd {

inline constexpr std::uint64_t magic = 0x65DF65DF65DF65DF;

struct Header {
  std::uint64_t magic = gsd::magic;
  std::uint64_t index_location = 0, index_entries = 0;  // index_entries: those that there is room for; unused: all 0
  std::uint64_t names_location = 0, names_entries = 0;  // names_entries: room, in units of 64 bytes
  std::uint32_t schema_version = 1u << 16 | 4u;
  std::uint32_t version = 2u << 16;
  char application[64] = "Talus";
  char schema[64] = "hoomd";
  char reserved[80] = {};
};
static_assert(sizeof(Header) == 256);

enum class Type : std::uint8_t { uint8 = 1, uint16, uint32, uint64, int8, int16, int32, int64, float32, float64 };

struct Entry {
  std::uint64_t frame = 0, rows = 0;
  std::int64_t location = 0;  // 0: the entry is unused
  std::uint32_t columns = 0;
  std::uint16_t name = 0;  // index into the list of names
  Type type = Type::uint8;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Entry) == 32);

constexpr std::uint64_t size_of(Type type) {
  constexpr std::uint64_t sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return static_cast<std::uint8_t>(type) < 11 ? sizes[static_cast<std::uint8_t>(type)] : 0;
}

}  // namespace talus::gsd
