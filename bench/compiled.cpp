#include "bench/compiled.h"
#include "bench/json.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <utility>

namespace bench {
namespace {

constexpr const char* kind = "talus-bench compile";
constexpr double not_told = std::numeric_limits<double>::quiet_NaN();

// compare() and check() look at these figures: the smaller, the better.
bool is_figure(const std::string& key) {
  constexpr std::array figures{"vgprs",         "instructions", "code_size", "inverse_throughput",
                               "spilled_sgprs", "spilled_vgprs"};
  return std::ranges::find(figures, key) != figures.end();
}

std::string name_of(const CompiledPass& pass) {
  return fmt::format("{}/{} on {}", pass.scene, pass.pass, pass.driver);
}

Json to_json(const CompiledDriver& driver) {
  return {
      {"name", driver.name}, {"device", driver.device}, {"driver", driver.version}, {"statistics", driver.statistics}};
}

Json to_json(const CompiledPass& pass) {
  Json json{{"scene", pass.scene},
            {"pass", pass.pass},
            {"driver", pass.driver},
            {"runs", pass.runs},
            {"invocations", pass.invocations}};
  if (pass.compile_ms > 0.0)
    json["compile_ms"] = pass.compile_ms;
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

std::vector<double> shares_of(const Compiled& compiled) {
  std::map<std::pair<std::string, std::string>, double> sums;  // by scene and driver
  std::vector<double> cycles;
  for (const CompiledPass& pass : compiled.passes) {
    cycles.push_back(pass.subgroup_size > 0
                         ? statistic_of(pass, "inverse_throughput") * pass.invocations / pass.subgroup_size
                         : not_told);
    if (std::isfinite(cycles.back()))
      sums[{pass.scene, pass.driver}] += cycles.back();
  }
  for (std::size_t k = 0; k < cycles.size(); ++k) {
    const double sum = sums[{compiled.passes[k].scene, compiled.passes[k].driver}];
    cycles[k] = sum > 0.0 ? cycles[k] / sum : not_told;
  }
  return cycles;
}

Compiled dearest(const Compiled& compiled, std::size_t n) {
  Compiled out{{{"build", compiled.context.value("build", Json::object())}}, compiled.drivers, {}};
  const std::vector<double> shares = shares_of(compiled);
  for (const CompiledDriver& driver : compiled.drivers) {
    std::map<std::string, double> greatest;  // share, by pass
    for (std::size_t k = 0; k < shares.size(); ++k)
      if (compiled.passes[k].driver == driver.name && shares[k] > 0.0) {
        double& share = greatest[compiled.passes[k].pass];
        share = std::max(share, shares[k]);
      }
    std::vector<std::string> order;
    for (const auto& [pass, share] : greatest)
      order.push_back(pass);
    std::ranges::stable_sort(order, std::greater<>(), [&](const std::string& pass) { return greatest[pass]; });
    order.resize(std::min(n, order.size()));
    for (const CompiledPass& pass : compiled.passes) {
      if (pass.driver != driver.name || std::ranges::find(order, pass.pass) == order.end())
        continue;
      CompiledPass& kept = out.passes.emplace_back(pass);
      kept.compile_ms = 0.0;
      std::erase_if(kept.statistics, [](const auto& statistic) { return !is_figure(statistic.first); });
    }
  }
  return out;
}

double FigureChange::ratio() const {
  return after == before ? 1.0 : after / before;
}

std::vector<FigureChange> changes_of(const Compiled& before, const Compiled& after) {
  std::vector<FigureChange> changes;
  for (const CompiledPass& is : after.passes) {
    const auto was =
        std::ranges::find_if(before.passes, [&](const CompiledPass& pass) { return name_of(pass) == name_of(is); });
    if (was == before.passes.end() || !was->error.empty() || !is.error.empty())
      continue;
    for (const auto& [key, value] : is.statistics)
      if (const auto old = was->statistics.find(key); old != was->statistics.end() && is_figure(key))
        changes.push_back({name_of(is), is.driver, key, old->second, value});
  }
  return changes;
}

bool compare(const Compiled& before, const Compiled& after, double threshold) {
  const std::vector<FigureChange> changes = changes_of(before, after);
  if (changes.empty())
    throw UsageError("they have no figure of a pass in common: compare results of the same scenes and drivers");
  for (const CompiledDriver& is : after.drivers)
    for (const CompiledDriver& was : before.drivers)
      if (is.name == was.name && is.version != was.version)
        fmt::print("{}: other versions: {} and {}\n", is.name, was.version, is.version);
  fmt::print("{:<44} {:<20} {:>10} {:>10} {:>7}\n", "pass", "figure", "before", "after", "ratio");
  for (const FigureChange& change : changes)
    if (change.before != change.after)
      fmt::print("{:<44} {:<20} {:>10g} {:>10g} {:>7.3f}  {}\n", change.name, change.key, change.before, change.after,
                 change.ratio(), change.grew(threshold) ? "GREW" : "");
  const auto grown = std::ranges::count_if(changes, [&](const FigureChange& c) { return c.grew(threshold); });
  fmt::print("{} of {} figures grew by more than {:g} %\n", grown, changes.size(), 100.0 * threshold);
  return grown > 0;
}

Check check(const Compiled& baseline, const Compiled& now, double threshold) {
  Check found;
  for (const CompiledPass& pass : now.passes) {
    if (!pass.error.empty())
      found.problems.push_back(fmt::format("{} is not compiled: {}", name_of(pass), pass.error));
    if (const double spills = spills_of(pass); spills > 0.0)
      found.problems.push_back(fmt::format("{} spills {:g} registers", name_of(pass), spills));
  }
  const std::vector<FigureChange> changes = changes_of(baseline, now);
  for (const CompiledDriver& driver : now.drivers) {
    const auto of = std::ranges::find(baseline.drivers, driver.name, &CompiledDriver::name);
    if (of == baseline.drivers.end()) {
      found.problems.push_back(fmt::format("the baseline has no figures of {}: renew it", driver.name));
      continue;
    }
    if (of->version != driver.version) {
      found.notes.push_back(fmt::format("{}: the baseline is of {}, and this is {}: spills alone are checked",
                                        driver.name, of->version, driver.version));
      continue;
    }
    for (const FigureChange& change : changes)
      if (change.driver == driver.name && change.grew(threshold))
        found.problems.push_back(fmt::format("{}: {} grew from {:g} to {:g}, by {:.1f} %", change.name, change.key,
                                             change.before, change.after, 100.0 * (change.ratio() - 1.0)));
    for (const CompiledPass& was : baseline.passes) {
      const auto of_scene = [&](const CompiledPass& pass) {
        return pass.driver == was.driver && pass.scene == was.scene;
      };
      if (was.driver == driver.name && std::ranges::any_of(now.passes, of_scene) &&
          std::ranges::none_of(now.passes, [&](const CompiledPass& pass) { return name_of(pass) == name_of(was); }))
        found.problems.push_back(fmt::format("{} is in the baseline alone: renew it", name_of(was)));
    }
  }
  return found;
}

Json to_json(const Compiled& compiled) {
  Json drivers = Json::array(), passes = Json::array();
  for (const CompiledDriver& driver : compiled.drivers)
    drivers.push_back(to_json(driver));
  for (const CompiledPass& pass : compiled.passes)
    passes.push_back(to_json(pass));
  return {{"kind", kind}, {"context", compiled.context}, {"drivers", drivers}, {"passes", passes}};
}

std::string text_of(const Compiled& compiled) {
  const auto lines = [](const Json& list) {
    std::string text;
    for (const Json& item : list)
      text += fmt::format("{}\n  {}", text.empty() ? "" : ",", item.dump());
    return text;
  };
  const Json json = to_json(compiled);
  return fmt::format("{{\n \"kind\": {},\n \"context\": {},\n \"drivers\": [{}\n ],\n \"passes\": [{}\n ]\n}}\n",
                     json["kind"].dump(), json["context"].dump(), lines(json["drivers"]), lines(json["passes"]));
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

}  // namespace bench
