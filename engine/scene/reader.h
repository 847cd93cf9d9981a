#pragma once
// Takes a TOML document apart key by key. Each value is checked for type and range where it is taken, and each message
// says where the value stands: "FILE:LINE:COLUMN: ..", or "--set table.key=value: .." for what an override brought in.
// A value that a program has built has no line: its path names it as a program would write it, "grains[0].radius".
#include "engine/scene/nearest.h"
#include "engine/scene/tables.h"
#include "engine/scene/words.h"
#include <algorithm>
#include <concepts>
#include <functional>
#include <span>
#include <string_view>
#include <toml++/toml.h>

namespace talus::reading {

// Text with overrides applied. Nodes remember where they come from. Throws SceneError.
toml::table read_document(const std::string& text, const std::string& name, const std::vector<std::string>& overrides);

// The document of a scene that a program has built.
toml::table document_of(const SceneTable& tables);
void apply_overrides(toml::table& document, const std::vector<std::string>& overrides);

// Does it come from a text?
inline bool located(const toml::source_region& where) {
  return where.path || where.begin.line > 0;
}

// "FILE:LINE:COLUMN" or "--set table.key=value".
std::string place(const toml::source_region& where);
[[noreturn]] void fail(const toml::source_region& where, const std::string& what);

// What a number may be, both ends included.
struct Range {
  double min, max;
  std::string_view unit = "";
};

class Table;

// Messages about wrong values of a document, where reading goes on behind them.
using Errors = std::vector<std::string>;

// The value of a key, present or not. get leaves its argument alone where there is none. What is wrong with one goes to
// the document's errors, and its argument becomes what the value might have been; without such it is thrown.
class Value {
public:
  Value(const toml::node* node, std::string path, const toml::source_region& where, Errors* errors = nullptr)
      : node_(node), path_(std::move(path)), where_(where), errors_(errors) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool is_array() const { return node_ && node_->is_array(); }
  bool is_word() const { return node_ && node_->is_string(); }
  bool is_number() const { return node_ && node_->is_number(); }

  void get(double& out, Range range) const;
  void get(std::optional<double>& out, Range range) const;
  void get(glm::dvec3& out, Range range) const;
  void get(std::string& out) const;
  void get(bool& out) const;
  template <std::integral T> void get(T& out, std::int64_t min, std::int64_t max) const {
    attempt([&] {
      out = static_cast<T>(std::clamp<std::int64_t>(static_cast<std::int64_t>(out), min, max));
      out = static_cast<T>(integer(min, max));
    });
  }
  template <class T> void get(std::optional<T>& out, auto... allowed) const {
    if (node_)
      get(out.emplace(), allowed...);
  }
  template <class E>
  requires std::is_enum_v<E>
  void get(E& out) const {  // by its word
    attempt([&] { out = static_cast<E>(choose(words<E>)); });
  }

  std::vector<Value> elements() const;  // of an array
  Table table() const;                  // of [name] or name = {..}; without keys where there is none
  std::vector<Table> tables() const;    // of [[name]]

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

  const toml::node* node_;
  std::string path_;
  toml::source_region where_;
  Errors* errors_;
};

// Hands out the values of a table and notes which keys it was asked for, so that finish can name those nobody knows.
class Table {
public:
  Table(const toml::table* table, std::string path, const toml::source_region& where, Errors* errors = nullptr)
      : table_(table), path_(std::move(path)), where_(where), errors_(errors) {}

  Value operator[](std::string_view key);
  Value need(std::string_view key);  // missing is an error, thrown by finish
  // Call when every key has been taken, before using the values. Unknown keys are errors as wrong values are.
  void finish() const;

  const toml::source_region& where() const { return where_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& what) const { reading::fail(where_, path_ + " " + what); }

private:
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  const toml::table* table_;
  std::string path_;
  toml::source_region where_;
  Errors* errors_;
  std::vector<std::string> known_, missing_;
};

}  // namespace talus::reading
