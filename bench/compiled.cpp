#include "bench/compiled.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace bench {
namespace {

constexpr const char* kind = "talus-bench compile";
constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

Json to_json(const CompiledDriver& driver) {
  return {
      {"name", driver.name}, {"device", driver.device}, {"driver", driver.version}, {"statistics", driver.statistics}};
}

Json to_json(const CompiledPass& pass) {
  Json json{{"scene", pass.scene},
            {"pass", pass.pass},
            {"driver", pass.driver},
            {"runs", pass.runs},
            {"invocations", pass.invocations},
            {"compile_ms", pass.compile_ms}};
  if (!pass.error.empty())
    json["error"] = pass.error;
  if (pass.subgroup_size > 0)
    json["subgroup_size"] = pass.subgroup_size;
  json["statistics"] = pass.statistics;
  return json;
}

CompiledDriver driver_of(const Json& json, const std::string& where) {
  return {need<std::string>(json, "name", where), need<std::string>(json, "device", where),
          need<std::string>(json, "driver", where), need<bool>(json, "statistics", where)};
}

CompiledPass pass_of(const Json& json, const std::string& where) {
  CompiledPass pass;
  pass.scene = need<std::string>(json, "scene", where);
  pass.pass = need<std::string>(json, "pass", where);
  pass.driver = need<std::string>(json, "driver", where);
  pass.runs = need<double>(json, "runs", where);
  pass.invocations = need<double>(json, "invocations", where);
  pass.compile_ms = json.value("compile_ms", 0.0);
  pass.error = json.value("error", "");
  pass.subgroup_size = json.value("subgroup_size", 0u);
  pass.statistics = need<std::map<std::string, double>>(json, "statistics", where);
  return pass;
}

template <class Item, class Read>
void each(const Json& json, const char* key, const std::string& file, std::vector<Item>& to, Read read) {
  const Json list = need<Json>(json, key, file);
  if (!list.is_array())
    throw UsageError(fmt::format("{}: \"{}\" is no list", file, key));
  for (std::size_t k = 0; k < list.size(); ++k)
    to.push_back(read(list[k], fmt::format("{}: {}[{}]", file, key, k)));
}

}  // namespace

std::string key_of(const std::string& statistic) {
  std::string key;
  for (const char c : statistic)
    key += c == ' ' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return key;
}

double statistic_of(const CompiledPass& pass, const std::string& key) {
  const auto found = pass.statistics.find(key);
  return found == pass.statistics.end() ? not_told : found->second;
}

double spills_of(const CompiledPass& pass) {
  double spills = 0.0;
  for (const auto& [key, value] : pass.statistics)
    if (key.find("spill") != key.npos)
      spills += value;
  return spills;
}

double cycles_of_step(const CompiledPass& pass) {
  return pass.subgroup_size > 0 ? statistic_of(pass, "inverse_throughput") * pass.invocations / pass.subgroup_size
                                : not_told;
}

Json to_json(const Compiled& compiled) {
  Json drivers = Json::array(), passes = Json::array();
  for (const CompiledDriver& driver : compiled.drivers)
    drivers.push_back(to_json(driver));
  for (const CompiledPass& pass : compiled.passes)
    passes.push_back(to_json(pass));
  return {{"kind", kind}, {"context", compiled.context}, {"drivers", drivers}, {"passes", passes}};
}

bool is_compiled(const Json& json) {
  return json.is_object() && json.contains("kind") && json["kind"] == kind;
}

Compiled compiled_of(const Json& json, const std::string& file) {
  if (!is_compiled(json))
    throw UsageError(fmt::format("{}: \"kind\" is not \"{}\"", file, kind));
  Compiled compiled;
  compiled.context = need<Json>(json, "context", file);
  each(json, "drivers", file, compiled.drivers, driver_of);
  each(json, "passes", file, compiled.passes, pass_of);
  return compiled;
}

Compiled read_compiled(const std::filesystem::path& file) {
  return compiled_of(read_json(file), file.string());
}

}  // namespace bench
