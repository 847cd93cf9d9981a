#include "bench/compiled.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace bench {
namespace {

// The passes of a scene, one after another, each on every driver.
struct Row {
  std::string pass;
  double runs = 0.0;
  double share = 0.0;  // the greatest on any driver, of the cycles of the scene's step
  std::map<std::string, const CompiledPass*> drivers;
};

std::vector<std::string> scenes_of(const Compiled& compiled) {
  std::vector<std::string> scenes;
  for (const CompiledPass& pass : compiled.passes)
    if (std::ranges::find(scenes, pass.scene) == scenes.end())
      scenes.push_back(pass.scene);
  return scenes;
}

std::vector<Row> rows_of(const Compiled& compiled, const std::string& scene) {
  std::vector<Row> rows;
  std::map<std::string, double> sums;
  for (const CompiledPass& pass : compiled.passes) {
    if (pass.scene != scene)
      continue;
    auto row = std::ranges::find(rows, pass.pass, &Row::pass);
    if (row == rows.end())
      row = rows.insert(rows.end(), {pass.pass, pass.runs, 0.0, {}});
    row->drivers[pass.driver] = &pass;
    if (const double cycles = cycles_of_step(pass); pass.runs > 0.0 && std::isfinite(cycles))
      sums[pass.driver] += cycles;
  }
  for (Row& row : rows)
    for (const auto& [driver, pass] : row.drivers)
      if (const double cycles = cycles_of_step(*pass); row.runs > 0.0 && std::isfinite(cycles))
        row.share = std::max(row.share, cycles / sums[driver]);
  std::ranges::stable_sort(rows, std::greater<>(), &Row::share);
  return rows;
}

// 64v 40s 10w 1234c, and the spills in front where there are any.
std::string cell_of(const CompiledPass* pass) {
  if (!pass)
    return "";
  if (!pass->error.empty())
    return "FAILED";
  if (pass->statistics.empty())
    return fmt::format("{:.0f} ms", pass->compile_ms);
  std::string cell;
  const auto add = [&](const char* key, const char* unit) {
    if (const double value = statistic_of(*pass, key); std::isfinite(value))
      cell += fmt::format("{}{:g}{}", cell.empty() ? "" : " ", value, unit);
  };
  add("vgprs", "v");
  add("sgprs", "s");
  add("subgroups_per_simd", "w");
  add("inverse_throughput", "c");
  if (const double spills = spills_of(*pass); spills > 0.0)
    cell += fmt::format(" SPILLS {:g}", spills);
  return cell;
}

std::string scene_table(const Compiled& compiled, const std::string& scene) {
  const std::vector<Row> rows = rows_of(compiled, scene);
  std::vector<std::vector<std::string>> cells{{"pass", "runs", "share"}};
  for (const CompiledDriver& driver : compiled.drivers)
    cells[0].push_back(driver.name);
  for (const Row& row : rows) {
    cells.push_back({row.pass, row.runs > 0.0 ? fmt::format("{:g}", row.runs) : "",
                     row.share > 0.0 ? fmt::format("{:.1f} %", 100.0 * row.share) : ""});
    for (const CompiledDriver& driver : compiled.drivers) {
      const auto found = row.drivers.find(driver.name);
      cells.back().push_back(cell_of(found == row.drivers.end() ? nullptr : found->second));
    }
  }
  std::vector<std::size_t> widths(cells[0].size());
  for (const auto& line : cells)
    for (std::size_t k = 0; k < line.size(); ++k)
      widths[k] = std::max(widths[k], line[k].size());
  std::string text = fmt::format("\n{}\n", scene);
  for (const auto& line : cells) {
    std::string padded;
    for (std::size_t k = 0; k < line.size(); ++k)
      padded += fmt::format("{:<{}}  ", line[k], widths[k]);
    text += padded.substr(0, padded.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace

std::string table_of(const Compiled& compiled) {
  std::string text;
  for (const CompiledDriver& driver : compiled.drivers)
    text += fmt::format("{}: {}, {}{}\n", driver.name, driver.device, driver.version,
                        driver.statistics ? "" : ": tells nothing of its code, so this shows that it compiles");
  text +=
      "\nv: vector registers, s: scalar registers, w: subgroups per SIMD, c: busy cycles of a subgroup (inverse "
      "throughput), SPILLS: registers in memory.\nruns: of a step. share: the most on any driver, of the cycles of all "
      "passes of a step.\n";
  for (const std::string& scene : scenes_of(compiled))
    text += scene_table(compiled, scene);
  return text;
}

}  // namespace bench
