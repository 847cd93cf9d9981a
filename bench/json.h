#pragma once
// Reading JSON, with errors that name the file and the key.
#include "bench/error.h"
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace bench {

using Json = nlohmann::ordered_json;

Json read_json(const std::filesystem::path& file);  // throws UsageError

// A key that has to be there, of the type asked for. Throws UsageError that begins with `where`.
template <class T> T need(const Json& json, const char* key, const std::string& where) {
  if (!json.is_object() || !json.contains(key))
    throw UsageError(fmt::format("{}: \"{}\" is missing", where, key));
  try {
    return json.at(key).get<T>();
  } catch (const Json::exception&) {
    throw UsageError(fmt::format("{}: \"{}\" is of another type than it has to be", where, key));
  }
}

}  // namespace bench
