#include "engine/scene/tables.h"
#include "engine/scene/reader.h"
#include "engine/scene/text.h"

namespace talus {
namespace {

toml::array array_of(const SceneArray& values);

// Calls take(node) with the TOML of a value.
void with_node(const SceneValue& value, auto&& take) {
  if (const auto* array = std::get_if<SceneArray>(&value.value))
    take(array_of(*array));
  else if (const auto* table = std::get_if<SceneTable>(&value.value))
    take(reading::document_of(*table));
  else if (const auto* text = std::get_if<std::string>(&value.value))
    take(*text);
  else if (const auto* flag = std::get_if<bool>(&value.value))
    take(*flag);
  else if (const auto* whole = std::get_if<std::int64_t>(&value.value))
    take(*whole);
  else
    take(std::get<double>(value.value));
}

toml::array array_of(const SceneArray& values) {
  toml::array array;
  array.reserve(values.size());
  for (const SceneValue& value : values)
    with_node(value, [&](auto&& node) { array.push_back(std::forward<decltype(node)>(node)); });
  return array;
}

SceneTable table_from(const toml::table& table);

SceneValue value_from(const toml::node& node) {
  if (const toml::table* table = node.as_table())
    return {table_from(*table)};
  if (const toml::array* array = node.as_array()) {
    SceneArray values;
    for (const toml::node& element : *array)
      values.push_back(value_from(element));
    return {std::move(values)};
  }
  if (const auto* text = node.as_string())
    return {text->get()};
  if (const auto* flag = node.as_boolean())
    return {flag->get()};
  if (const auto* whole = node.as_integer())
    return {whole->get()};
  return {node.value_or(0.0)};  // to_toml writes no dates
}

SceneTable table_from(const toml::table& table) {
  SceneTable entries;
  for (auto&& [key, node] : table)
    entries.push_back({std::string(key.str()), value_from(node)});
  return entries;
}

}  // namespace

toml::table reading::document_of(const SceneTable& tables) {
  toml::table document;
  for (const SceneEntry& entry : tables)
    with_node(entry.value,
              [&](auto&& node) { document.insert_or_assign(entry.key, std::forward<decltype(node)>(node)); });
  return document;
}

SceneTable tables_of(const Scene& scene) {
  std::vector<std::string> warnings;  // none: the text has the names of today
  return table_from(reading::read_document(to_toml(scene), scene.source, {}, warnings));
}

}  // namespace talus
