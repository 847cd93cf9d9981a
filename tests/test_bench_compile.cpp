// talus-bench compile without a compiler: its files, what it makes of their figures, and the passes it finds in a
// scene.
#include "bench/compare.h"
#include "bench/compile.h"
#include "bench/compile_scenes.h"
#include "bench/json.h"
#include "bench/report_page.h"
#include "engine/simulation/planned_step.h"
#include "scratch.h"
#include "simulate.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

using namespace talus;
using namespace talus_tests;
using bench::Compiled;
using bench::CompiledPass;

namespace {

CompiledPass pass_of(const std::string& scene, const std::string& pass, const std::string& driver, double invocations,
                     double inverse_throughput) {
  return {.scene = scene,
          .pass = pass,
          .driver = driver,
          .runs = 4.0,
          .invocations = invocations,
          .subgroup_size = 64,
          .compile_ms = 12.5,
          .error = "",
          .statistics = {{"vgprs", 40.0},
                         {"instructions", 1000.0},
                         {"code_size", 8000.0},
                         {"latency", 9000.0},
                         {"inverse_throughput", inverse_throughput},
                         {"spilled_sgprs", 0.0},
                         {"spilled_vgprs", 0.0}}};
}

Compiled made_up() {
  return {
      bench::Json::object(),
      {{"navi21", "Null hardware", "radv (Mesa 1)", true}, {"software", "Software", "none (1)", false}},
      {pass_of("dem", "plan", "navi21", 64.0, 100.0),
       pass_of("dem", "dem", "navi21", 6400.0, 30.0),
       pass_of("vts", "plan", "navi21", 64.0, 100.0),
       pass_of("vts", "vts_solve", "navi21", 640.0, 10.0),
       {.scene = "dem", .pass = "dem", .driver = "software", .runs = 4.0, .invocations = 6400.0, .compile_ms = 3.0}}};
}

CompiledPass& pass_in(Compiled& compiled, const std::string& scene, const std::string& pass) {
  return *std::ranges::find_if(compiled.passes,
                               [&](const CompiledPass& p) { return p.scene == scene && p.pass == pass; });
}

// Passes that a step of the scene runs on the CPU and a device would run, with their runs: the last step that releases
// grains, or the first one.
std::map<std::string, double> runs_of_step(const Scene& scene) {
  const Population population = populate(scene);
  Simulation simulation(scene, {.device = "cpu"});
  if (!population.scheduled.empty())
    simulation.advance(population.scheduled.back().step - 1);
  std::map<std::string, double> before, runs;
  for (const PassTime& time : simulation.pass_times())
    before[time.name] = static_cast<double>(time.calls);
  simulation.advance(1);
  for (const PassTime& time : simulation.pass_times())
    if (const double of_step = static_cast<double>(time.calls) - before[time.name]; of_step > 0.0)
      runs[time.name] = of_step;
  return runs;
}

}  // namespace

TEST_CASE("A file of compiled passes is read as it was written", "[bench][compile]") {
  const Scratch scratch;
  Compiled compiled = made_up();
  compiled.passes.back().error = "out of luck";
  const bench::Json json = bench::to_json(compiled);
  CHECK(bench::is_compiled(json));
  CHECK_FALSE(bench::is_compiled(bench::Json{{"benchmarks", bench::Json::array()}}));
  write_text(scratch / "a.json", bench::text_of(compiled));
  const Compiled read = bench::compiled_of(bench::read_json(scratch / "a.json"), "a.json");
  CHECK(bench::to_json(read) == json);
  CHECK(read.passes.size() == 5);
  CHECK(read.passes.back().error == "out of luck");
  CHECK(read.drivers[1].version == "none (1)");

  const auto refused = [&](const char* key, const char* why) {
    bench::Json wrong = json;
    wrong["passes"][1].erase(key);
    CHECK_THROWS_WITH(bench::compiled_of(wrong, "wrong.json"), Catch::Contains(why));
  };
  refused("statistics", "wrong.json: passes[1]: \"statistics\" is missing");
  refused("invocations", "wrong.json: passes[1]: \"invocations\" is missing");
  CHECK_THROWS_WITH(bench::compiled_of(bench::Json::object(), "wrong.json"), Catch::Contains("\"kind\" is not"));
  CHECK(bench::key_of("Spilled VGPRs") == "spilled_vgprs");
}

TEST_CASE("The dearest passes are those with the most busy cycles of their scene's step", "[bench][compile]") {
  Compiled compiled = made_up();
  const std::vector<double> shares = bench::shares_of(compiled);
  // A subgroup of plan takes 100 cycles; a hundred of dem take 30 each, ten of vts_solve 10 each.
  CHECK(shares[0] == Approx(100.0 / 3100.0));
  CHECK(shares[1] == Approx(3000.0 / 3100.0));
  CHECK(shares[2] == Approx(0.5));
  CHECK(shares[3] == Approx(0.5));
  CHECK(std::isnan(shares[4]));

  const Compiled one = bench::dearest(compiled, 1);
  REQUIRE(one.passes.size() == 1);
  CHECK(one.passes[0].pass == "dem");
  CHECK(one.passes[0].statistics.contains("vgprs"));
  CHECK_FALSE(one.passes[0].statistics.contains("latency"));
  CHECK(one.passes[0].compile_ms == 0.0);
  pass_in(compiled, "vts", "vts_solve").invocations *= 2.0;
  const Compiled two = bench::dearest(compiled, 2);
  REQUIRE(two.passes.size() == 2);
  CHECK(two.passes[0].pass == "dem");
  CHECK(two.passes[1].pass == "vts_solve");
  CHECK(bench::dearest(compiled, 10).passes.size() == 4);  // plan in both scenes
}

TEST_CASE("A check finds spills and figures that grew, and says what it could not check", "[bench][compile]") {
  const Compiled baseline = made_up();
  const auto problems = [&](const Compiled& now) { return bench::check(baseline, now, 0.03).problems; };
  CHECK(problems(baseline).empty());
  CHECK(bench::check(baseline, baseline, 0.03).notes.empty());

  Compiled now = baseline;
  pass_in(now, "dem", "dem").statistics["instructions"] = 1030.0;
  pass_in(now, "dem", "dem").statistics["latency"] = 1e9;
  CHECK(problems(now).empty());
  pass_in(now, "dem", "dem").statistics["instructions"] = 1031.0;
  REQUIRE(problems(now).size() == 1);
  CHECK(problems(now)[0] == "dem/dem on navi21: instructions grew from 1000 to 1031, by 3.1 %");

  now.drivers[0].version = "radv (Mesa 2)";
  CHECK(problems(now).empty());
  REQUIRE(bench::check(baseline, now, 0.03).notes.size() == 1);
  CHECK(contains(bench::check(baseline, now, 0.03).notes[0], "radv (Mesa 2): spills alone are checked"));
  pass_in(now, "vts", "plan").statistics["spilled_sgprs"] = 3.0;
  REQUIRE(problems(now).size() == 1);
  CHECK(problems(now)[0] == "vts/plan on navi21 spills 3 registers");

  now = baseline;
  pass_in(now, "vts", "plan").error = "the driver gave up";
  REQUIRE(problems(now).size() == 1);
  CHECK(problems(now)[0] == "vts/plan on navi21 is not compiled: the driver gave up");

  now = baseline;
  pass_in(now, "vts", "vts_solve").pass = "vts_solves";
  REQUIRE(problems(now).size() == 1);
  CHECK(contains(problems(now)[0], "vts/vts_solve on navi21 is in the baseline alone"));
  std::erase_if(now.passes, [](const CompiledPass& pass) { return pass.scene == "vts"; });
  CHECK(problems(now).empty());  // that scene was not compiled

  now = baseline;
  now.drivers[0].name = "gfx1100";
  REQUIRE(problems(now).size() == 1);
  CHECK(contains(problems(now)[0], "no figures of gfx1100"));
}

TEST_CASE("Compiled passes are compared by ratios", "[bench][compile]") {
  const Scratch scratch;
  Compiled after = made_up();
  pass_in(after, "dem", "dem").statistics["vgprs"] = 44.0;
  pass_in(after, "vts", "vts_solve").statistics["spilled_vgprs"] = 2.0;
  const auto changes = bench::changes_of(made_up(), after);
  CHECK(changes.size() == 4 * 6);  // the software tells nothing
  const auto change = [&](const std::string& name, const std::string& key) {
    return *std::ranges::find_if(changes, [&](const auto& c) { return c.name == name && c.key == key; });
  };
  CHECK(change("dem/dem on navi21", "vgprs").ratio() == Approx(1.1));
  CHECK(change("dem/dem on navi21", "code_size").ratio() == 1.0);
  CHECK(change("vts/plan on navi21", "spilled_vgprs").ratio() == 1.0);
  CHECK(change("vts/vts_solve on navi21", "spilled_vgprs").grew(1e6));  // from none

  write_text(scratch / "a.json", bench::to_json(made_up()).dump());
  write_text(scratch / "b.json", bench::to_json(after).dump());
  write_text(scratch / "c.json", R"({"context": {}, "benchmarks": []})");
  CHECK_FALSE(bench::compare(scratch / "a.json", scratch / "a.json", 0.05));
  CHECK(bench::compare(scratch / "a.json", scratch / "b.json", 0.05));
  CHECK_THROWS_WITH(bench::compare(scratch / "a.json", scratch / "c.json", 0.05), Catch::Contains("\"kind\" is not"));
}

TEST_CASE("The table and the page have compiled passes, the dearest first, and their spills", "[bench][compile]") {
  Compiled compiled = made_up();
  pass_in(compiled, "vts", "vts_solve").statistics["spilled_vgprs"] = 7.0;
  const std::string table = bench::table_of(compiled);
  CHECK(contains(table, "software: Software, none (1): tells nothing of its code"));
  CHECK(table.find("\ndem   4") < table.find("\nplan  4"));
  CHECK(contains(table, "SPILLS 7"));
  CHECK(contains(table, "3 ms"));

  bench::DeviceResults device{"Some device", bench::Json::object(), {}};
  for (const auto& [pass, seconds] : {std::pair{"dem", 3.0}, {"plan", 1.0}})
    device.measured.push_back(
        {fmt::format("passes/box_falling/dem/10000/{}", pass), {{.part = "", .iterations = 1, .real_s = seconds}}, ""});
  const std::string page = bench::report_page({device}, {}, compiled);
  CHECK(contains(page, "<h2>Compiled passes</h2>"));
  CHECK(contains(page, "share of time, Some device"));
  CHECK(contains(page, "<td class=\"\" data-value=\"0.75\">75.0 %</td>"));
  CHECK(contains(page, ">vector registers</th>"));
  CHECK_FALSE(contains(page, ">scratch [bytes]</th>"));  // no driver tells it here
  CHECK(contains(page, "<td class=\"\" data-value=\"7\">7</td>"));
  CHECK_FALSE(contains(bench::report_page({device}, {}), "Compiled passes"));
}

TEST_CASE("A planned step has the passes of the step that runs", "[compile]") {
  std::vector<std::pair<std::string, Scene>> scenes{{"pouring", pouring(3, 2, 0.1)}};
  for (const Variant& variant : variants())
    if (variant.solver.iteration != Iteration::gauss_seidel) {
      Scene scene = box_of(200);
      scene.solver = variant.solver;
      scene.solver.substeps = 3;
      scenes.emplace_back(variant.name, scene);
    }
  for (auto& [name, scene] : scenes) {
    CAPTURE(name);
    std::set<std::string> planned;
    std::map<std::string, double> runs = runs_of_step(scene);
    const PlannedStep step = planned_step(scene);
    for (const PlannedPass& pass : step.passes) {
      const std::string of(info(pass.pass).name);
      CAPTURE(of, pass.runs, runs[of]);
      planned.insert(of);
      CHECK(pass.elements >= pass.runs);
      const double substeps = scene.solver.substeps;
      CHECK((pass.runs == Approx(runs[of]) || pass.runs * substeps == Approx(runs[of])));
    }
    for (const auto& [of, calls] : runs)
      CHECK(planned.contains(of));
  }
  Scene scene = box_of(200);
  scene.solver = default_solver(Method::vts);
  scene.solver.substeps = 3;
  scene.solver.iterations = 5;
  const PlannedStep step = planned_step(scene);
  const auto runs = [&](Pass pass) { return std::ranges::find(step.passes, pass, &PlannedPass::pass)->runs; };
  CHECK(runs(Pass::vts_solve) == 15.0);
  CHECK(runs(Pass::contact_count) == Approx(1.0));  // once a step, though every substep may
  CHECK(runs(Pass::end_step) == 1.0);
}

TEST_CASE("Scenes to compile are found by name, and others refused", "[compile]") {
  CHECK(bench::planned_step_of("dem").passes.size() > 20);
  CHECK(bench::planned_step_of("stack").passes.size() > 20);
  CHECK(bench::planned_step_of("every").passes.size() > 80);
  CHECK_THROWS_WITH(bench::compile({{"devices"}, {"nonsense"}, ""}), Catch::Contains("there is no scene nonsense"));
}
