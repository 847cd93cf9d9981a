#pragma once
// Takes a TOML document apart key by key. Each value is checked for type and range where it is taken, and each message
// says where the value stands: "FILE:LINE:COLUMN: ..", or "--set table.key=value: .." for what an override brought in.
// A value that a program has built has no line: its path names it as a program would write it, "grains[0].radius".
// Keys, units and ranges are those of keys.h.
#include "engine/scene/keys.h"
#include "engine/scene/nearest.h"
#include "engine/scene/tables.h"
#include <algorithm>
#include <concepts>
#include <functional>
#include <span>
#include <string_view>
#include <toml++/toml.h>

namespace talus::reading {

// Text with overrides applied. Nodes remember where they come from. Former names of keys and words become the names of
// today, each with a warning. Throws SceneError.
toml::table read_document(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                          std::vector<std::string>& warnings);

// The document of a scene that a program has built, with overrides applied.
toml::table read_document(const SceneTable& tables, const std::vector<std::string>& overrides,
                          std::vector<std::string>& warnings);

// A table of a scene, without changes.
toml::table document_of(const SceneTable& tables);

// Gives the keys and words of a table that have former names their names of today. path: of the table.
void take_old_names(toml::table& table, const TableKeys& keys, const std::string& path,
                    std::vector<std::string>& warnings);

// Does it come from a text?
inline bool located(const toml::source_region& where) {
  return where.path || where.begin.line > 0;
}

// "FILE:LINE:COLUMN" or "--set table.key=value".
std::string place(const toml::source_region& where);
[[noreturn]] void fail(const toml::source_region& where, const std::string& what);

class Table;

// Messages about wrong values of a document, where reading goes on behind them.
using Errors = std::vector<std::string>;

// The value of a key, present or not. get leaves its argument alone where there is none: that is then the default, and
// must be the one that the key's description says. What is wrong with a value goes to the document's errors, and its
// argument becomes what the value might have been; without such it is thrown. An element of an array has the
// description of the array's key, and the range that this says.
class Value {
public:
  Value(const toml::node* node, std::string path, const toml::source_region& where, Errors* errors = nullptr,
        const Key* key = nullptr, bool element = false)
      : node_(node), path_(std::move(path)), where_(where), errors_(errors), key_(key), element_(element) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool is_array() const { return node_ && node_->is_array(); }
  bool is_table() const { return node_ && node_->is_table(); }
  bool is_word() const { return node_ && node_->is_string(); }
  bool is_number() const { return node_ && node_->is_number(); }

  // In the range of the key's description, unless it depends on other keys.
  void get(double& out) const { get(out, key().range); }
  void get(double& out, Range range) const;
  void get(glm::dvec3& out) const;
  void get(std::string& out) const;
  void get(bool& out) const;
  template <std::integral T> void get(T& out) const {
    expect(Key::Type::whole, Fallback::Kind::number,
           [&](const Fallback& f) { return static_cast<double>(out) == f.numbers[0]; });
    attempt([&] {
      const std::int64_t least = key().least, most = key().most;
      out = static_cast<T>(std::clamp<std::int64_t>(static_cast<std::int64_t>(out), least, most));
      out = static_cast<T>(integer(least, most));
    });
  }
  template <class T> void get(std::optional<T>& out) const {
    if (node_)
      get(out.emplace());
  }
  template <class E>
  requires std::is_enum_v<E>
  void get(E& out) const {  // by its word
    expect(Key::Type::word, Fallback::Kind::word, [&](const Fallback& f) { return word(out) == f.text; });
    attempt([&] { out = static_cast<E>(choose(words<E>)); });
  }

  const Key& key() const;  // its description

  std::vector<Value> elements() const;  // of an array
  Value element(std::size_t at) const;  // of an array; the value itself where it has no such element
  // Returns the keys of a table, which are names that the scene chooses, with their values, as elements() has them.
  // form: the text to write where it is no table.
  std::vector<std::pair<std::string, Value>> entries(std::string_view form) const;
  Table table() const;                // of [name] or name = {..}; without keys where there is none
  std::vector<Table> tables() const;  // of [[name]]

  const std::string& path() const { return path_; }
  // The path, where a program has built the value.
  std::string place() const { return located(where_) ? reading::place(where_) : path_; }
  // Its place and what it is about: "FILE:LINE:COLUMN: grains.0.radius".
  std::string label(const std::string& path) const { return located(where_) ? place() + ": " + path : path; }
  bool before(const Value& other) const;  // in the file; overrides come last
  [[noreturn]] void fail(const std::string& what) const { reading::fail(where_, path_ + " " + what); }
  [[noreturn]] void must_be(const std::string& what) const;  // fails with what there is instead

  // Which of two values to name when they contradict each other: this one, unless only the other is an override.
  const Value& or_override(const Value& other) const;

private:
  // Where there is a value.
  void attempt(const std::function<void()>& read) const;
  // A table of several, as --set calls it, too: by its name where it has one, material.sand instead of material.0.
  Value named() const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  std::size_t choose(std::span<const std::string_view> words) const;
  // Holds the reader to the description: the key has this type, and where it is left out and the description has a
  // default of this kind, holds(default).
  void expect(Key::Type type, Fallback::Kind kind, auto&& holds) const {
    if (!key_ || element_)
      return;
    if (key_->type != type && key_->type != Key::Type::other)
      misdescribed("is read as another type than its description says");
    if (!node_ && key_->fallback.kind == kind && !holds(key_->fallback))
      misdescribed("has another default than its description says");
  }
  [[noreturn]] void misdescribed(std::string_view how) const;

  const toml::node* node_;
  std::string path_;
  toml::source_region where_;
  Errors* errors_;
  const Key* key_;
  bool element_;
};

// Hands out the values of a table, whose keys are those of its description. A key that is asked for and not described,
// or described and not asked for, is a std::logic_error, so that neither can be forgotten.
class Table {
public:
  Table(const toml::table* table, std::string path, const toml::source_region& where, const TableKeys& keys,
        Errors* errors = nullptr)
      : table_(table), path_(std::move(path)), where_(where), keys_(&keys), errors_(errors) {}

  Value operator[](std::string_view key) { return ask(key, false); }
  Value need(std::string_view key) { return ask(key, true); }  // missing is an error, thrown by finish
  // Call when every key has been taken, before using the values. Unknown keys are errors as wrong values are.
  void finish() const;

  const toml::source_region& where() const { return where_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const { reading::fail(where_, path_ + " " + what); }

private:
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  Value ask(std::string_view key, bool needed);

  const toml::table* table_;
  std::string path_;
  toml::source_region where_;
  const TableKeys* keys_;
  Errors* errors_;
  std::uint64_t asked_ = 0;  // a bit for each key of the description
  std::size_t next_ = 0;     // behind the key that was asked for last
  std::vector<std::string> missing_;
};

}  // namespace talus::reading
