#include "engine/scene/reader.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <tuple>

namespace talus::reading {

namespace {

constexpr std::string_view override_mark = "--set ";

bool is_override(const toml::source_region& where) {
  return where.path && where.path->starts_with(override_mark);
}

// In the file; overrides come last.
bool before(const toml::source_region& a, const toml::source_region& b) {
  auto order = [](const toml::source_region& r) { return std::tuple(is_override(r), r.begin.line, r.begin.column); };
  return order(a) < order(b);
}

std::string list(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string decimal(double x) {
  std::string s = fmt::format("{}", x);
  return s.find_first_of(".en") == s.npos ? s + ".0" : s;
}

std::string describe(const toml::node& node) {
  switch (node.type()) {
  case toml::node_type::integer:
    return fmt::format("{}", node.as_integer()->get());
  case toml::node_type::floating_point:
    return "the float " + decimal(node.as_floating_point()->get());
  case toml::node_type::string:
    return fmt::format("the string \"{}\"", node.as_string()->get());
  case toml::node_type::boolean:
    return node.as_boolean()->get() ? "true" : "false";
  case toml::node_type::array:
    return fmt::format("an array of {}", node.as_array()->size());
  case toml::node_type::table:
    return "a table";
  default:
    return "a date or time";
  }
}

std::string in_range(std::string_view kind, const Range& range) {
  return fmt::format("{} from {} to {}{}{}", kind, range.min, range.max, range.unit.empty() ? "" : " ", range.unit);
}

// toml++ copies no source regions, hence moves.
void put(toml::table& into, const toml::key& key, toml::node& node) {
  node.visit([&](auto& n) { into.insert_or_assign(key, std::move(n)); });
}

toml::table& entry(toml::array& array, const toml::key& key, const std::string& path) {
  const std::string name(key.str());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < array.size(); ++i) {
    toml::table* table = array[i].as_table();
    if (!table)
      fail(key.source(), path + " holds no tables: give the whole array, as in " + path + "=[1, 2, 3]");
    auto own = (*table)["name"].value<std::string>();
    if (!own)
      own = (*table)["preset"].value<std::string>();  // a material's name, where it has no other
    if (own == name || std::to_string(i) == name)
      return *table;
    names.push_back(own.value_or(std::to_string(i)));
  }
  fail(key.source(),
       fmt::format("there is no {}.{}; {}{}", path, name,
                   names.empty() ? "the scene has none" : "there are " + list(names), did_you_mean(name, names)));
}

// Dotted keys lead down to what is there; any other value takes the place of the old one.
void merge(toml::table& into, toml::table& from, const std::string& path) {
  for (auto&& [key, node] : from) {
    const std::string here = path.empty() ? std::string(key.str()) : path + "." + std::string(key.str());
    toml::node* old = into.get(key.str());
    toml::table* branch = node.as_table();
    if (!old || !branch || branch->is_inline())
      put(into, key, node);
    else if (old->is_table())
      merge(*old->as_table(), *branch, here);
    else if (old->is_array())
      for (auto&& [index, sub] : *branch) {
        const std::string child = here + "." + std::string(index.str());
        toml::table& target = entry(*old->as_array(), index, here);
        if (!sub.is_table())
          fail(index.source(), child + " is a table: set its keys, as in " + child + ".key=value");
        merge(target, *sub.as_table(), child);
      }
    else
      fail(key.source(), here + " is a single value and has no keys of its own");
  }
}

bool is_bare_word(std::string_view s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; });
}

std::string_view trimmed(std::string_view s) {
  const auto first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == s.npos ? "" : s.substr(first, last - first + 1);
}

toml::table parse_override(const std::string& text) {
  const std::string mark = std::string(override_mark) + text;
  const auto equals = text.find('=');
  if (equals == text.npos || text.find('\n') != text.npos)
    throw SceneError(mark + ": must be table.key=value, as in solver.substeps=8");
  auto parse = [&](const std::string& toml) { return toml::parse(std::string_view(toml), std::string_view(mark)); };
  try {
    return parse(text);
  } catch (const toml::parse_error& e) {
    const std::string_view value = trimmed(std::string_view(text).substr(equals + 1));
    try {
      if (is_bare_word(value))
        return parse(text.substr(0, equals) + "=\"" + std::string(value) + "\"");
    } catch (const toml::parse_error&) {
    }
    throw SceneError(fmt::format("{}: {}; the form is table.key=value", mark, e.description()));
  }
}

}  // namespace

std::string place(const toml::source_region& where) {
  const std::string path = where.path ? *where.path : "scene";
  return is_override(where)
             ? path
             : fmt::format("{}:{}:{}", path, std::max(where.begin.line, 1u), std::max(where.begin.column, 1u));
}

namespace {

std::string said(const toml::source_region& where, const std::string& what) {
  return located(where) ? place(where) + ": " + what : what;
}

}  // namespace

void fail(const toml::source_region& where, const std::string& what) {
  throw SceneError(said(where, what));
}

namespace {

// The key stands under its name of today where it stood under its former one.
void rename(toml::table& table, const Key& key, const std::string& path, std::vector<std::string>& warnings) {
  const auto found = table.find(key.old_name);
  if (found == table.end())
    return;
  const toml::source_region where = found->first.source();
  const std::string before = path.empty() ? "" : path + ".";
  if (table.contains(key.name))
    fail(where, fmt::format("{0}{1} is the former name of {0}{2}, which the scene has, too: keep only {0}{2}", before,
                            key.old_name, key.name));
  warnings.push_back(said(where, fmt::format("{0}{1} is now called {0}{2}: rename it, since this release is the last "
                                             "one that reads the former name",
                                             before, key.old_name, key.name)));
  put(table, toml::key(key.name, where), found->second);
  table.erase(key.old_name);
}

void replace_words(toml::node& node, const Key& key, const std::string& path, std::vector<std::string>& warnings) {
  toml::value<std::string>* text = node.as_string();
  if (!text)
    return;
  for (const OldWord& word : key.old_words)
    if (text->get() == word.old) {
      warnings.push_back(said(node.source(), fmt::format("{} = \"{}\" is now called \"{}\": rename it, since this "
                                                         "release is the last one that reads the former word",
                                                         path, word.old, word.now)));
      text->get() = word.now;
      return;
    }
}

}  // namespace

void take_old_names(toml::table& table, const TableKeys& keys, const std::string& path,
                    std::vector<std::string>& warnings) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key& key = keys[i];
    if (!key.old_name.empty())
      rename(table, key, path, warnings);
    toml::node* node = table.get(key.name);
    if (!node)
      continue;
    const std::string here = path.empty() ? std::string(key.name) : path + "." + std::string(key.name);
    replace_words(*node, key, here, warnings);
    if (!key.table)
      continue;
    toml::table* inner = node->as_table();
    if (inner && key.type == Key::Type::table)
      take_old_names(*inner, *key.table, here, warnings);
    else if (inner)  // an override, which names a table of the list by its number or name
      for (auto&& [index, child] : *inner) {
        if (toml::table* one = child.as_table())
          take_old_names(*one, *key.table, here + "." + std::string(index.str()), warnings);
      }
    else if (toml::array* list = node->as_array())
      for (std::size_t k = 0; k < list->size(); ++k)
        if (toml::table* one = (*list)[k].as_table())
          take_old_names(*one, *key.table, fmt::format("{}.{}", here, k), warnings);
  }
}

namespace {

void apply_overrides(toml::table& document, const std::vector<std::string>& overrides,
                     std::vector<std::string>& warnings) {
  for (const std::string& set : overrides) {
    toml::table from = parse_override(set);
    take_old_names(from, scene_file_keys(), "", warnings);
    merge(document, from, "");
  }
}

}  // namespace

toml::table read_document(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                          std::vector<std::string>& warnings) {
  toml::table document;
  try {
    document = toml::parse(std::string_view(text), std::string_view(name));
  } catch (const toml::parse_error& e) {
    const auto& at = e.source().begin;
    throw SceneError(
        fmt::format("{}:{}:{}: not TOML: {}", name, std::max(at.line, 1u), std::max(at.column, 1u), e.description()));
  }
  take_old_names(document, scene_file_keys(), "", warnings);
  apply_overrides(document, overrides, warnings);
  return document;
}

toml::table read_document(const SceneTable& tables, const std::vector<std::string>& overrides,
                          std::vector<std::string>& warnings) {
  toml::table document = document_of(tables);
  take_old_names(document, scene_file_keys(), "", warnings);
  apply_overrides(document, overrides, warnings);
  return document;
}

const Key& Value::key() const {
  if (!key_)
    misdescribed("is read without a description");
  return *key_;
}

void Value::misdescribed(std::string_view how) const {
  throw std::logic_error(fmt::format("{} {} (engine/scene/keys.cpp)", path_, how));
}

void Value::must_be(const std::string& what) const {
  fail(fmt::format("must be {}, not {}", what, describe(*node_)));
}

void Value::attempt(const std::function<void()>& read) const {
  if (!node_)
    return;
  if (!errors_)
    return read();
  try {
    read();
  } catch (const SceneError& e) {  // once, where a value is read twice
    if (std::ranges::find(*errors_, e.what()) == errors_->end())
      errors_->emplace_back(e.what());
  }
}

void Value::get(double& out, Range range) const {
  expect(Key::Type::number, Fallback::Kind::number, [&](const Fallback& f) { return out == f.numbers[0]; });
  attempt([&] {
    const auto number = node_->is_number() ? node_->value<double>() : std::nullopt;
    if (!number || !std::isfinite(*number) || *number < range.min || *number > range.max) {
      out = std::clamp(out, range.min, range.max);
      must_be(in_range("a number", range));
    }
    out = *number + 0.0;  // of -0 makes 0: as text, a scene's -0 is a whole number without a sign
  });
}

void Value::get(glm::dvec3& out) const {
  expect(Key::Type::vector, Fallback::Kind::vector,
         [&](const Fallback& f) { return out == glm::dvec3(f.numbers[0], f.numbers[1], f.numbers[2]); });
  attempt([&] {
    const toml::array* array = node_->as_array();
    if (!array || array->size() != 3)
      must_be(in_range("[x, y, z] with numbers", key().range));
    const std::vector<Value> parts = elements();
    for (int a = 0; a < 3; ++a)
      parts[a].get(out[a]);
  });
}

void Value::get(std::string& out) const {
  expect(Key::Type::text, Fallback::Kind::word, [&](const Fallback& f) { return out == f.text; });
  attempt([&] {
    if (!node_->is_string())
      must_be("a string");
    out = node_->as_string()->get();
  });
}

void Value::get(bool& out) const {
  expect(Key::Type::flag, Fallback::Kind::flag, [&](const Fallback& f) { return out == (f.numbers[0] != 0.0); });
  attempt([&] {
    if (!node_->is_boolean())
      must_be("true or false");
    out = node_->as_boolean()->get();
  });
}

std::int64_t Value::integer(std::int64_t min, std::int64_t max) const {
  const toml::value<std::int64_t>* number = node_->as_integer();
  if (!number || number->get() < min || number->get() > max)
    must_be(fmt::format("an integer from {} to {}", min, max));
  return number->get();
}

std::size_t Value::choose(std::span<const std::string_view> words) const {
  const std::vector<std::string> known(words.begin(), words.end());
  if (!node_->is_string())
    must_be("one of " + list(known));
  const std::string word = node_->as_string()->get();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    fail(fmt::format("must be one of {}, not \"{}\"{}", list(known), word, did_you_mean(word, known)));
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<Value> Value::elements() const {
  if (!node_)
    return {};
  const toml::array* array = node_->as_array();
  if (!array)
    must_be("an array");
  std::vector<Value> values;
  for (const toml::node& node : *array)
    values.emplace_back(&node,
                        located(node.source()) ? fmt::format("{}.{}", path_, values.size())
                                               : fmt::format("{}[{}]", path_, values.size()),
                        node.source(), errors_, key_, true);
  return values;
}

Value Value::element(std::size_t at) const {
  const std::vector<Value> there = is_array() ? elements() : std::vector<Value>{};
  return at < there.size() ? there[at] : *this;
}

std::vector<std::pair<std::string, Value>> Value::entries(std::string_view form) const {
  if (!node_)
    return {};
  const toml::table* table = node_->as_table();
  if (!table)
    must_be(std::string(form));
  std::vector<std::pair<std::string, Value>> values;
  for (auto&& [key, node] : *table)
    values.emplace_back(std::string(key.str()),
                        Value(&node, fmt::format("{}.{}", path_, key.str()), node.source(), errors_, key_, true));
  return values;
}

Table Value::table() const {
  if (node_ && !node_->is_table())
    fail(!located(where_)                ? "must be a table"
         : path_.find('.') == path_.npos ? fmt::format("must be one table: write [{}]", path_)
                                         : "must be a table: write { key = value, .. }");
  if (!key().table)
    misdescribed("is read as a table, which its description does not say");
  return {node_ ? node_->as_table() : nullptr, path_, where_, *key().table, errors_};
}

Value Value::named() const {
  const toml::table& table = *node_->as_table();
  auto name = table["name"].value<std::string>();
  if (!name && path_.starts_with("material."))
    name = table["preset"].value<std::string>();
  if (!name || !is_bare_word(*name))
    return *this;
  return {node_, path_.substr(0, path_.rfind('.') + 1) + *name, where_, errors_, key_, element_};
}

std::vector<Table> Value::tables() const {
  std::vector<Table> tables;
  const std::string how = located(where_) ? fmt::format(": write [[{}]]", path_) : "";
  if (node_ && !node_->is_array())
    fail("must be a list of tables" + how);
  for (const Value& v : elements()) {
    if (!v.node_->is_table())
      v.fail("must be a table" + how);
    tables.push_back((located(v.where_) ? v.named() : v).table());
  }
  return tables;
}

bool Value::before(const Value& other) const {
  return reading::before(where_, other.where_);
}

const Value& Value::or_override(const Value& other) const {
  return other && is_override(other.where_) && !is_override(where_) ? other : *this;
}

Value Table::ask(std::string_view name, bool needed) {
  // Mostly the keys are asked for in the order of their description.
  std::size_t at = 0;
  for (const std::size_t count = keys_->size(); at < count; ++at)
    if ((*keys_)[(next_ + at) % count].name == name) {
      at = (next_ + at) % count;
      break;
    }
  const auto misdescribed = [&](std::string_view how) {
    throw std::logic_error(fmt::format("key {} of {} {} (engine/scene/keys.cpp)", name, keys_->title, how));
  };
  if (at == keys_->size())
    misdescribed("is read and not described");
  const Key& key = (*keys_)[at];
  if (const auto kind = key.fallback.kind; (kind == Fallback::Kind::required) != needed && kind != Fallback::Kind::said)
    misdescribed(needed ? "is required and has a default" : "is described as required and is not");
  asked_ |= std::uint64_t{1} << at;
  next_ = at + 1;
  const toml::node* node = table_ ? table_->get(name) : nullptr;
  if (needed && !node)
    missing_.emplace_back(name);
  return {node, path_of(name), node ? node->source() : where_, errors_, &key};
}

void Table::finish() const {
  for (std::size_t i = 0; i < keys_->size(); ++i)
    if (!(asked_ >> i & 1))
      throw std::logic_error(fmt::format("key {} of {} is described and not read (engine/scene/keys.cpp)",
                                         (*keys_)[i].name, keys_->title));
  const auto known = [&](std::string_view key) {
    for (std::size_t i = 0; i < keys_->size(); ++i)
      if ((*keys_)[i].name == key)
        return true;
    return false;
  };
  std::vector<const toml::key*> unknown;
  if (table_)
    for (auto&& [key, node] : *table_)
      if (!known(key.str()))
        unknown.push_back(&key);
  std::vector<std::string> names;
  for (std::size_t i = 0; !unknown.empty() && i < keys_->size(); ++i)
    names.emplace_back((*keys_)[i].name);
  std::ranges::sort(unknown, [](const toml::key* a, const toml::key* b) { return before(a->source(), b->source()); });
  Errors wrong;
  for (const toml::key* at : unknown) {
    const std::string key(at->str());
    std::string hint = why_absent(path_of(key));
    if (hint.empty())
      hint = did_you_mean(key, names);
    wrong.push_back(said(at->source(), fmt::format("unknown key {}{}; allowed{}: {}", path_of(key), hint,
                                                   path_.empty() ? "" : " in " + path_, list(names))));
  }
  const bool stops = !missing_.empty() || (!errors_ && !wrong.empty());
  if (!missing_.empty())
    wrong.push_back(
        said(where_, fmt::format("{} lacks the {} {}; it needs {}", path_, missing_.size() == 1 ? "key" : "keys",
                                 list(missing_), missing_.size() == 1 ? "one" : "them")));
  if (errors_)
    errors_->insert(errors_->end(), wrong.begin(), wrong.end());
  if (stops)  // nothing stands for a key that is missing
    throw SceneError(wrong.front());
}

}  // namespace talus::reading
