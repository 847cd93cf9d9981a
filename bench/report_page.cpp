#include "bench/report_page.h"
#include "bench/compare.h"
#include "bench/compile_scenes.h"
#include "bench/json.h"
#include "bench/measure.h"
#include "bench/page.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace bench {

namespace {

namespace fs = std::filesystem;

constexpr double threshold = 0.05;

std::string text_of(const Json& json, const char* table, const char* key) {
  const Json part = json.value(table, Json::object());
  return part.is_object() && part.contains(key) && part[key].is_string() ? part[key].get<std::string>() : "";
}

double number_of(const Json& json, const char* table, const char* key) {
  const Json part = json.value(table, Json::object());
  return part.is_object() && part.contains(key) && part[key].is_number() ? part[key].get<double>() : NAN;
}

Cell share_cell(double share) {
  if (!std::isfinite(share))
    return {"", {}, ""};
  return {fmt::format("{:.1f} %", 100.0 * share), share, ""};
}

// Removes the columns in which no row has anything.
void drop_empty_columns(std::vector<Column>& columns, std::vector<std::vector<Cell>>& rows) {
  for (std::size_t k = columns.size(); k-- > 0;) {
    if (!std::ranges::all_of(rows, [&](const std::vector<Cell>& row) { return row[k].text.empty(); }))
      continue;
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(k));
    for (std::vector<Cell>& row : rows)
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

std::string title_of(const std::string& counter) {
  static const std::map<std::string, std::string> titles{{"ns_per_grain_step", "ns per grain and substep"},
                                                         {"wall_s_per_simulated_s", "wall s per simulated s"},
                                                         {"overlap_mean", "mean overlap [radii]"},
                                                         {"overlap_max", "greatest [radii]"},
                                                         {"speed_max", "fastest [m/s]"},
                                                         {"memory_bytes", "bytes"},
                                                         {"runs_per_step", "runs per step"},
                                                         {"bytes_per_step", "bytes per step"},
                                                         {"bytes_per_s", "bytes/s"},
                                                         {"of_copy", "share of a copy's"},
                                                         {"fine_grains", "fine grains"},
                                                         {"ms_per_frame", "ms per 1/60 s"},
                                                         {"fine_ms_per_frame", "of that fine grains"},
                                                         {"pictures_per_s", "pictures per s"}};
  const auto found = titles.find(counter);
  return found == titles.end() ? counter : found->second;
}

bool of_suite(const Measured& measured, const std::string& suite) {
  return measured.name.starts_with(suite + "/");
}

std::string measured_table(const std::vector<DeviceResults>& devices, const std::string& suite,
                           const std::vector<std::string>& counters) {
  std::vector<Column> columns{
      {"name", "name"}, {"device", "device"}, {"ms", "median [ms]"}, {"least", "least [ms]"}, {"n", "n"}};
  for (const std::string& counter : counters)
    columns.push_back({counter, title_of(counter)});
  std::vector<std::vector<Cell>> rows;
  for (const DeviceResults& device : devices)
    for (const Measured& m : device.measured) {
      if (!of_suite(m, suite) || m.samples.empty())
        continue;
      const std::vector<double> times = m.times();
      rows.push_back({text_cell(m.name.substr(suite.size() + 1)), text_cell(device.device), number_cell(median(times)),
                      number_cell(*std::ranges::min_element(times)), number_cell(static_cast<double>(times.size()))});
      for (const std::string& counter : counters)
        rows.back().push_back(number_cell(m.counter(counter)));
    }
  return rows.empty() ? "" : table("measured", columns, rows);
}

std::string device_table(const std::vector<DeviceResults>& devices) {
  std::vector<std::vector<Cell>> rows;
  for (const DeviceResults& device : devices) {
    const Json& c = device.context;
    const Json host = c.value("host", Json::object());
    const auto governors = host.value("/clocks/governors"_json_pointer, std::vector<std::string>{"not known"});
    rows.push_back({text_cell(device.device), text_cell(text_of(c, "device", "type")),
                    text_cell(text_of(c, "device", "driver")), text_cell(text_of(c, "device", "api_version")),
                    number_cell(number_of(c, "device", "memory_bytes")), number_cell(c.value("copy_bytes_per_s", NAN)),
                    text_cell(text_of(c, "host", "cpu")), number_cell(number_of(c, "host", "cores")),
                    text_cell(fmt::format("{}", fmt::join(governors, ", "))),
                    text_cell(c.value("load_avg", Json::array()).dump()), text_cell(text_of(c, "build", "commit")),
                    text_cell(c.value("date", ""))});
  }
  return table("devices",
               {{"device", "device"},
                {"type", "type"},
                {"driver", "driver"},
                {"api", "Vulkan"},
                {"memory", "bytes"},
                {"copy", "copy [bytes/s]"},
                {"cpu", "host"},
                {"cores", "cores"},
                {"clocks", "governor"},
                {"load", "load at the start"},
                {"commit", "commit"},
                {"date", "date"}},
               rows);
}

struct DeviceChange {
  std::string device;
  Change change;
  std::string verdict;
};

std::vector<DeviceChange> changes_between(const std::vector<DeviceResults>& before,
                                          const std::vector<DeviceResults>& after) {
  std::vector<DeviceChange> changes;
  for (const DeviceResults& now : after)
    for (const DeviceResults& was : before)
      if (was.device == now.device)
        for (const Change& c : changes_of({was.context, was.measured}, {now.context, now.measured}))
          changes.push_back({now.device, c, c.slower(threshold) ? "slower" : c.faster(threshold) ? "faster" : "same"});
  return changes;
}

std::string changes_section(const std::vector<DeviceChange>& changes) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& [device, c, verdict] : changes)
    rows.push_back({text_cell(c.name),
                    text_cell(device),
                    number_cell(c.before),
                    number_cell(c.after),
                    number_cell(c.ratio),
                    number_cell(c.low),
                    number_cell(c.high),
                    {verdict,
                     {},
                     verdict == "slower"   ? "text worse"
                     : verdict == "faster" ? "text better"
                                           : "text"},
                    number_cell(c.overlap_before),
                    number_cell(c.overlap_after)});
  return fmt::format(
             "<section><h2>What changed</h2>\n<p>Medians after by medians before, of what both results have, with "
             "the interval that holds the ratio with 95 %. Slower and faster: by more than {:g} %, and not by "
             "chance.</p>\n<div data-chart=\"changes\"></div>\n",
             100.0 * threshold) +
         table("changes",
               {{"name", "name"},
                {"device", "device"},
                {"before", "before [ms]"},
                {"after", "after [ms]"},
                {"ratio", "ratio"},
                {"low", "from"},
                {"high", "to"},
                {"change", "change"},
                {"overlap_before", "overlap before [radii]"},
                {"overlap_after", "after"}},
               rows) +
         "</section>\n";
}

std::string skipped_section(const std::vector<DeviceResults>& devices) {
  std::vector<std::vector<Cell>> rows;
  for (const DeviceResults& device : devices)
    for (const Measured& m : device.measured)
      if (!m.skipped.empty())
        rows.push_back({text_cell(m.name), text_cell(device.device), {escaped(m.skipped), {}, "text wrap"}});
  if (rows.empty())
    return "";
  return "<section><h2>Not run</h2>\n" +
         table("skipped", {{"name", "name"}, {"device", "device"}, {"why", "why"}}, rows) + "</section>\n";
}

// What a suite's section says, shows of counters and draws.
struct Section {
  std::string suite, title, text;
  std::vector<std::string> counters, charts;
};
const std::vector<Section>& sections() {
  static const std::vector<std::string> speed{"grains",      "ns_per_grain_step", "overlap_mean",
                                              "overlap_max", "packing",           "wall_s_per_simulated_s",
                                              "substeps",    "speed_max",         "memory_bytes"};
  static const std::vector<Section> all{
      {"step",
       "Simulated time",
       "Steps of 1/240 s of a box of grains, about 20 layers deep, that falls together or rests.",
       speed,
       {"devices", "sizes"}},
      {"passes",
       "Passes",
       "Of a box that falls together or rests. Bytes are the least that a pass moves if it goes through all of its "
       "fields once; the limit "
       "is "
       "what a copy of a field reads and writes on the same device.",
       {"runs_per_step", "bytes_per_step", "bytes_per_s", "of_copy", "grains", "overlap_mean"},
       {"passes", "roofline"}},
      {"scaling", "Scaling", "What the time of a step grows with.", speed, {"scaling"}},
      {"upsampling",
       "Fine grains",
       "The scenes of Sommer and Schwanecke, 2022.",
       {"grains", "fine_grains", "ms_per_frame", "fine_ms_per_frame", "overlap_mean"},
       {}},
      {"render", "Pictures", "A picture, read back, of a box that starts to fall.", {"grains", "pictures_per_s"}, {}},
      {"peers",
       "Other engines",
       "The same box, which falls for a second and rests for another, each on one core and with its largest stable "
       "step.",
       {"grains", "wall_s_per_simulated_s", "wall_s_per_simulated_s_at_rest", "step_s", "overlap_mean", "overlap_max",
        "speed_rms", "packing"},
       {}}};
  return all;
}

std::string suite_section(const std::vector<DeviceResults>& devices, const Section& section) {
  const std::string numbers = measured_table(devices, section.suite, section.counters);
  if (numbers.empty())
    return "";
  std::string out = fmt::format("<section><h2>{}</h2>\n<p>{}</p>\n", section.title, section.text);
  for (const std::string& chart : section.charts)
    out += fmt::format("<div class=\"{}\" data-chart=\"{}\"></div>\n",
                       chart == "sizes" || chart == "scaling" ? "charts" : "", chart);
  return out + numbers + "</section>\n";
}

// The share of each pass in the time that all passes of the scene took; empty where that was not measured. The scenes
// of talus-bench compile that are named as a method are the box that the suite passes lets fall.
std::map<std::string, double> measured_shares(const DeviceResults& device, const std::string& scene) {
  const std::string prefix = fmt::format("passes/box_falling/{}/{}/", scene, compiled_box_grains);
  std::map<std::string, double> shares;
  double sum = 0.0;
  for (const Measured& m : device.measured)
    if (m.name.starts_with(prefix) && !m.samples.empty())
      sum += shares[m.name.substr(prefix.size())] = median(m.times());
  for (auto& [pass, share] : shares)
    share /= sum;
  return shares;
}

std::string compiled_section(const std::vector<DeviceResults>& devices, const Compiled& compiled) {
  constexpr double least_share = 0.01;
  static const std::vector<Column> statistics{{"vgprs", "vector registers"},
                                              {"sgprs", "scalar registers"},
                                              {"subgroups_per_simd", "subgroups per SIMD"},
                                              {"instructions", "instructions"},
                                              {"code_size", "code [bytes]"},
                                              {"lds_size", "shared memory [bytes]"},
                                              {"scratch_size", "scratch [bytes]"},
                                              {"latency", "latency [cycles]"},
                                              {"inverse_throughput", "busy [cycles]"}};
  std::vector<Column> columns{
      {"scene", "scene"}, {"pass", "pass"}, {"driver", "compiled for"}, {"share", "share of cycles"}};
  std::vector<std::map<std::string, std::map<std::string, double>>> times(devices.size());  // by scene and pass
  for (std::size_t d = 0; d < devices.size(); ++d) {
    for (const CompiledPass& pass : compiled.passes)
      if (!times[d].contains(pass.scene))
        times[d][pass.scene] = measured_shares(devices[d], pass.scene);
    columns.push_back({fmt::format("time{}", d), "share of time, " + escaped(devices[d].device)});
  }
  columns.push_back({"spills", "spilled registers"});
  columns.insert(columns.end(), statistics.begin(), statistics.end());
  columns.push_back({"ms", "compiled in [ms]"});
  std::vector<std::vector<Cell>> rows;
  const std::vector<double> shares = shares_of(compiled);
  for (std::size_t k = 0; k < compiled.passes.size(); ++k) {
    const CompiledPass& pass = compiled.passes[k];
    if (shares[k] < least_share && spills_of(pass) == 0.0 && pass.error.empty())
      continue;
    rows.push_back({text_cell(pass.scene), text_cell(pass.pass),
                    text_cell(pass.error.empty() ? pass.driver : pass.driver + ": " + pass.error),
                    share_cell(shares[k])});
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto& of_scene = times[d].at(pass.scene);
      const auto found = of_scene.find(pass.pass);
      rows.back().push_back(share_cell(found == of_scene.end() ? NAN : found->second));
    }
    rows.back().push_back(number_cell(pass.statistics.empty() ? NAN : spills_of(pass)));
    for (const Column& statistic : statistics)
      rows.back().push_back(number_cell(statistic_of(pass, statistic.key)));
    rows.back().push_back(number_cell(pass.compile_ms > 0.0 ? pass.compile_ms : NAN));
  }
  if (rows.empty())
    return "";
  drop_empty_columns(columns, rows);
  return fmt::format(
             "<section><h2>Compiled passes</h2>\n<p>What compilers make of the passes of a step, without a run. "
             "Shown are passes with {:g} % of their scene's busy cycles or more, those that spill registers, and "
             "drivers that tell nothing but the time of compiling. The share of the measured time stands beside "
             "where the suite passes has the same box, while it falls.</p>\n",
             100.0 * least_share) +
         table("compiled", columns, rows) + "</section>\n";
}

// For the charts: what page.js says.
Json chart_data(const std::vector<DeviceResults>& devices, const std::vector<DeviceChange>& changes) {
  Json runs = Json::array(), changed = Json::array();
  for (const DeviceResults& device : devices) {
    Json measured = Json::array();
    for (const Measured& m : device.measured) {
      if (m.samples.empty())
        continue;
      const std::vector<double> times = m.times();
      measured.push_back({{"name", m.name},
                          {"ms", median(times)},
                          {"least", *std::ranges::min_element(times)},
                          {"n", times.size()},
                          {"counters", m.counters()}});
    }
    runs.push_back(
        {{"device", device.device}, {"copy", device.context.value("copy_bytes_per_s", 0.0)}, {"measured", measured}});
  }
  for (const auto& [device, c, verdict] : changes)
    changed.push_back({{"device", device},
                       {"name", c.name},
                       {"ratio", c.ratio},
                       {"low", c.low},
                       {"high", c.high},
                       {"change", verdict}});
  return {{"runs", runs}, {"changes", changed}};
}

std::string name_of(const Json& context, const std::string& file) {
  const std::string name = text_of(context, "device", "name");
  if (name.empty())
    throw UsageError(fmt::format("{}: context.device.name is missing: not results of talus-bench run", file));
  return text_of(context, "device", "type") == "CPU path" ? "CPU path, " + text_of(context, "host", "cpu") : name;
}

std::vector<fs::path> files_of(const std::vector<fs::path>& given) {
  std::vector<fs::path> files;
  for (const fs::path& path : given) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.path().extension() == ".json")
        files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

bool have_a_name_in_common(const std::vector<Measured>& a, const std::vector<Measured>& b) {
  return std::ranges::any_of(
      a, [&](const Measured& m) { return std::ranges::find(b, m.name, &Measured::name) != b.end(); });
}

}  // namespace

std::vector<DeviceResults> read_devices(const std::vector<fs::path>& given) {
  std::vector<DeviceResults> devices;
  bool any = false;
  for (const fs::path& file : files_of(given)) {
    any = true;
    const Json json = read_json(file);
    if (is_compiled(json))
      continue;
    Results results = results_of(json, file.string());
    const std::string name = name_of(results.context, file.string());
    DeviceResults* device = nullptr;
    for (int number = 1; !device; ++number) {
      const std::string numbered = number == 1 ? name : fmt::format("{} ({})", name, number);
      const auto found = std::ranges::find(devices, numbered, &DeviceResults::device);
      if (found == devices.end())
        device = &devices.emplace_back(DeviceResults{numbered, results.context, {}});
      else if (!have_a_name_in_common(found->measured, results.measured))
        device = &*found;
    }
    if (results.context.contains("copy_bytes_per_s"))
      device->context["copy_bytes_per_s"] = results.context["copy_bytes_per_s"];
    device->measured.insert(device->measured.end(), results.measured.begin(), results.measured.end());
  }
  if (!any)
    throw UsageError("there are no results: name files of talus-bench run, or directories that hold some");
  return devices;
}

Compiled read_all_compiled(const std::vector<fs::path>& given) {
  Compiled all;
  for (const fs::path& file : files_of(given))
    if (const Json json = read_json(file); is_compiled(json)) {
      const Compiled compiled = compiled_of(json, file.string());
      all.drivers.insert(all.drivers.end(), compiled.drivers.begin(), compiled.drivers.end());
      all.passes.insert(all.passes.end(), compiled.passes.begin(), compiled.passes.end());
    }
  return all;
}

std::string report_page(const std::vector<DeviceResults>& devices, const std::vector<DeviceResults>& before,
                        const Compiled& compiled) {
  const std::vector<DeviceChange> changes = changes_between(before, devices);
  std::string content = "<section><h2>Devices</h2>\n" + device_table(devices) + "</section>\n";
  if (!before.empty())
    content += changes_section(changes);
  for (const Section& section : sections())
    content += suite_section(devices, section);
  content += compiled_section(devices, compiled);
  content += skipped_section(devices);

  return page_of(
      {"Talus: speed",
       "Medians over repetitions. A speed stands beside the overlap and the packing that it was reached with; "
       "without them it says nothing. Click a heading of a table to sort by it.",
       content, chart_data(devices, changes)});
}

void write_report(const std::vector<fs::path>& files, const std::vector<fs::path>& before, const fs::path& out) {
  const std::string page =
      report_page(read_devices(files), before.empty() ? std::vector<DeviceResults>{} : read_devices(before),
                  read_all_compiled(files));
  if (out.has_parent_path())
    fs::create_directories(out.parent_path());
  talus::write_file(out, page);
}

}  // namespace bench
