#include "bench/results.h"
#include "bench/measure.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <set>
#include <string_view>

namespace bench {
namespace {

constexpr double ms = 1e3;

// Keys of an entry that are no counters.
const std::set<std::string_view>& own_keys() {
  static const std::set<std::string_view> keys{"name",           "family_index",     "per_family_instance_index",
                                               "run_name",       "run_type",         "repetitions",
                                               "threads",        "repetition_index", "iterations",
                                               "real_time",      "cpu_time",         "time_unit",
                                               "aggregate_name", "aggregate_unit"};
  return keys;
}

Json entry(const Measured& measured, std::string_view type) {
  return {{"name", measured.name},
          {"run_name", measured.name},
          {"run_type", type},
          {"repetitions", measured.samples.size()},
          {"threads", 1}};
}

Json entry(const Measured& measured, std::size_t index) {
  const Sample& sample = measured.samples[index];
  const double n = static_cast<double>(std::max<std::uint64_t>(sample.iterations, 1));
  Json json = entry(measured, "iteration");
  json["repetition_index"] = index;
  json["iterations"] = sample.iterations;
  json["real_time"] = ms * sample.real_s / n;
  json["cpu_time"] = ms * sample.cpu_s / n;
  json["time_unit"] = "ms";
  for (const auto& [name, value] : sample.counters)
    json[name] = value;
  if (!sample.label.empty())
    json["label"] = sample.label;
  return json;
}

Json aggregate(const Measured& measured, const std::string& name, double (*of)(std::vector<double>)) {
  std::vector<double> cpu;
  for (const Sample& s : measured.samples)
    cpu.push_back(ms * s.cpu_s / static_cast<double>(std::max<std::uint64_t>(s.iterations, 1)));
  Json json = entry(measured, "aggregate");
  json["name"] = measured.name + "_" + name;
  json["aggregate_name"] = name;
  json["aggregate_unit"] = "time";
  json["iterations"] = measured.samples.size();
  json["real_time"] = of(measured.times());
  json["cpu_time"] = of(std::move(cpu));
  json["time_unit"] = "ms";
  if (name == "median")
    for (const auto& [counter, value] : measured.counters())
      json[counter] = value;
  return json;
}

double least(std::vector<double> values) {
  return *std::ranges::min_element(values);
}

double to_ms(double time, const std::string& unit, const std::string& where) {
  for (const auto& [name, factor] :
       std::initializer_list<std::pair<std::string_view, double>>{{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1.0}, {"s", 1e3}})
    if (unit == name)
      return time * factor;
  throw UsageError(fmt::format("{}: time_unit is \"{}\"; allowed are ns, us, ms and s", where, unit));
}

Sample sample_of(const Json& json, const std::string& where) {
  Sample sample;
  const std::string unit = need<std::string>(json, "time_unit", where);
  sample.iterations = need<std::uint64_t>(json, "iterations", where);
  const double n = static_cast<double>(std::max<std::uint64_t>(sample.iterations, 1)) / ms;
  sample.real_s = n * to_ms(need<double>(json, "real_time", where), unit, where);
  sample.cpu_s = n * to_ms(need<double>(json, "cpu_time", where), unit, where);
  sample.label = json.value("label", "");
  for (const auto& [key, value] : json.items())
    if (value.is_number() && !own_keys().contains(key))
      sample.counters[key] = value.get<double>();
  return sample;
}

}  // namespace

std::vector<double> Measured::times() const {
  std::vector<double> times;
  for (const Sample& s : samples)
    times.push_back(ms * s.real_s / static_cast<double>(std::max<std::uint64_t>(s.iterations, 1)));
  return times;
}

double Measured::counter(const std::string& name) const {
  std::vector<double> values;
  for (const Sample& s : samples)
    if (const auto found = s.counters.find(name); found != s.counters.end())
      values.push_back(found->second);
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median(std::move(values));
}

std::map<std::string, double> Measured::counters() const {
  std::map<std::string, double> medians;
  for (const Sample& s : samples)
    for (const auto& [name, value] : s.counters)
      medians[name] = value;
  for (auto& [name, value] : medians)
    value = counter(name);
  return medians;
}

Json to_json(const Results& results) {
  Json entries = Json::array();
  for (const Measured& measured : results.measured) {
    for (std::size_t i = 0; i < measured.samples.size(); ++i)
      entries.push_back(entry(measured, i));
    if (!measured.skipped.empty()) {
      entries.push_back(entry(measured, "iteration"));
      entries.back()["skipped"] = true;
      entries.back()["skip_message"] = measured.skipped;
    } else if (!measured.samples.empty()) {
      entries.push_back(aggregate(measured, "median", median));
      entries.push_back(aggregate(measured, "min", least));
    }
  }
  return {{"context", results.context}, {"benchmarks", entries}};
}

void write_results(const std::filesystem::path& file, const Results& results) {
  if (file.has_parent_path())
    std::filesystem::create_directories(file.parent_path());
  talus::write_file(file, to_json(results).dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

Results results_of(const Json& json, const std::string& file) {
  Results results;
  results.context = need<Json>(json, "context", file);
  const Json entries = need<Json>(json, "benchmarks", file);
  if (!entries.is_array())
    throw UsageError(fmt::format("{}: \"benchmarks\" is no list", file));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Json& json_entry = entries[i];
    const std::string where = fmt::format("{}: benchmarks[{}]", file, i);
    if (need<std::string>(json_entry, "run_type", where) == "aggregate")
      continue;  // made from the others
    const std::string name = need<std::string>(json_entry, "run_name", where);
    auto found = std::ranges::find(results.measured, name, &Measured::name);
    if (found == results.measured.end()) {
      results.measured.push_back({name, {}, {}});
      found = results.measured.end() - 1;
    }
    if (json_entry.value("skipped", false))
      found->skipped = json_entry.value("skip_message", "no reason is given");
    else
      found->samples.push_back(sample_of(json_entry, where));
  }
  return results;
}

Json read_json(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw UsageError(fmt::format("{} cannot be read: there is no such file, or it may not be opened", file.string()));
  try {
    return Json::parse(in);
  } catch (const Json::exception& e) {
    throw UsageError(fmt::format("{} is not JSON: {}", file.string(), e.what()));
  }
}

Results read_results(const std::filesystem::path& file) {
  return results_of(read_json(file), file.string());
}

}  // namespace bench
