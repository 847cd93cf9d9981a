#pragma once
// The tables and keys of a scene file, each described once: type, unit, allowed values, default and meaning. The reader
// (reader.h) takes units, ranges and names from here, and docs/scene_keys.md is generated from it. A key that the
// loader asks for without a description, and a described key that it does not ask for, are a std::logic_error.
#include "engine/scene/words.h"
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace talus {

// The reference of all tables and keys as Markdown: the text of docs/scene_keys.md.
std::string scene_keys_text();

}  // namespace talus

namespace talus::reading {

// The values that a number may have, both ends included.
struct Range {
  double min = 0.0, max = 0.0;
  std::string_view unit = "";
};

inline constexpr Range place_range{-1e6, 1e6, "m"};
inline constexpr Range length_range{1e-6, 1e6, "m"};
inline constexpr Range radius_range{1e-6, 1e3, "m"};
inline constexpr Range angle_range{-1e4, 1e4, "degrees"};
inline constexpr Range speed_range{-1e4, 1e4, "m/s"};
inline constexpr Range spin_range{-1e4, 1e4, "rad/s"};
inline constexpr Range time_range{0, 1e6, "s"};
inline constexpr Range friction_range{0, 10};
inline constexpr Range restitution_range{0.01, 1};
inline constexpr Range adhesion_range{0, 1e9, "Pa"};
inline constexpr Range color_range{0, 1};
inline constexpr std::int64_t grains_most = 100'000'000;  // of a scene

// A default in words, where it is no constant: "that of the grain's material".
struct Said {
  std::string_view text;
};
struct Required {};
inline constexpr Required required;

// The value of a key that a scene leaves out.
struct Fallback {
  enum class Kind { required, number, vector, flag, word, said };
  Kind kind = Kind::required;
  std::array<double, 3> numbers{};
  std::string_view text;

  constexpr Fallback(Required) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr Fallback(T value)
      : kind(std::is_same_v<T, bool> ? Kind::flag : Kind::number), numbers{static_cast<double>(value)} {}
  constexpr Fallback(const std::array<double, 3>& value) : kind(Kind::vector), numbers(value) {}
  constexpr Fallback(const char* word) : kind(Kind::word), text(word) {}
  constexpr Fallback(Said said) : kind(Kind::said), text(said.text) {}
};

struct TableKeys;

// A former word of an enum, which is still read.
struct OldWord {
  std::string_view old, now;
};

struct Key {
  enum class Type { number, whole, vector, flag, word, text, table, tables, other };
  Type type = Type::other;
  std::string_view name;
  Range range;                              // of numbers
  std::int64_t least = 0, most = 0;         // of whole numbers
  std::span<const std::string_view> words;  // of an enum
  const TableKeys* table = nullptr;         // of a table, or of each table of a list; of other types: if it is a table
  std::string_view form;                    // of other types, for the reference: "number or [min, max]"
  Fallback fallback = required;
  std::string_view about;    // one sentence, or a few
  std::string_view readers;  // of a solver setting: the methods that use it
  // Former names, which are still read for one release, with a warning that says the new one.
  std::string_view old_name;
  std::span<const OldWord> old_words;

  constexpr Key was(std::string_view name_then) const {
    Key key = *this;
    key.old_name = name_then;
    return key;
  }
  constexpr Key was(std::span<const OldWord> words_then) const {
    Key key = *this;
    key.old_words = words_then;
    return key;
  }
  constexpr Key with(const TableKeys& keys) const {  // a key of another type that may be a table of these
    Key key = *this;
    key.table = &keys;
    return key;
  }
  constexpr Key read_by(std::string_view who) const {
    Key key = *this;
    key.readers = who;
    return key;
  }
};

struct TableKeys {
  std::string_view title;  // heading in the reference
  std::string_view about;
  std::span<const Key> own, shared;  // the latter are those of several tables

  std::size_t size() const { return own.size() + shared.size(); }
  const Key& operator[](std::size_t i) const { return i < own.size() ? own[i] : shared[i - own.size()]; }
};

// The tables that a scene file has at its top.
const TableKeys& scene_file_keys();

}  // namespace talus::reading
