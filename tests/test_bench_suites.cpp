// The suites of talus-bench: what they plan, measure and write. How fast anything is is not judged here.
#include "bench/compare.h"
#include "bench/context.h"
#include "bench/measure.h"
#include "bench/pass_bytes.h"
#include "bench/suite.h"
#include "scratch.h"
#include "simulate.h"
#include <span>

using namespace talus;
using namespace talus_tests;

namespace {

bench::Sample sample_of(double ms, std::uint64_t iterations = 1) {
  bench::Sample sample;
  sample.iterations = iterations;
  sample.real_s = 1e-3 * ms * static_cast<double>(iterations);
  sample.counters["grains"] = 10.0 * ms;
  return sample;
}

std::string complaint(const std::string& text) {
  const Scratch scratch;
  write_text(scratch / "results.json", text);
  try {
    bench::read_results(scratch / "results.json");
  } catch (const bench::UsageError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A median is in the middle", "[bench]") {
  CHECK(bench::median({3.0, 1.0, 2.0}) == 2.0);
  CHECK(bench::median({4.0, 1.0, 2.0, 3.0}) == 2.5);
}

TEST_CASE("Results are in Google Benchmark's shape and read back", "[bench]") {
  const bench::Results results{
      {{"num_cpus", 2}},
      {{"step/a", {sample_of(3.0, 10), sample_of(1.0, 10), sample_of(2.0, 10)}, ""}, {"step/b", {}, "too large"}}};
  const bench::Json json = bench::to_json(results);
  REQUIRE(json["benchmarks"].size() == 3 + 2 + 1);
  const bench::Json& first = json["benchmarks"][0];
  CHECK(first["name"] == "step/a");
  CHECK(first["run_type"] == "iteration");
  CHECK(first["repetitions"] == 3);
  CHECK(first["iterations"] == 10);
  CHECK(first["real_time"].get<double>() == Approx(3.0));
  CHECK(first["time_unit"] == "ms");
  const bench::Json& median = json["benchmarks"][3];
  CHECK(median["name"] == "step/a_median");
  CHECK(median["run_name"] == "step/a");
  CHECK(median["run_type"] == "aggregate");
  CHECK(median["real_time"].get<double>() == Approx(2.0));
  CHECK(json["benchmarks"][4]["aggregate_name"] == "min");
  CHECK(json["benchmarks"][4]["real_time"].get<double>() == Approx(1.0));
  CHECK(json["benchmarks"][5]["skip_message"] == "too large");

  const Scratch scratch;
  bench::write_results(scratch / "deep/results.json", results);
  const bench::Results read = bench::read_results(scratch / "deep/results.json");
  CHECK(read.context == results.context);
  REQUIRE(read.measured.size() == 2);
  REQUIRE(read.measured[0].samples.size() == 3);
  CHECK(read.measured[0].times()[1] == Approx(1.0));
  CHECK(read.measured[0].counter("grains") == Approx(20.0));
  CHECK(read.measured[0].counters().size() == 1);
  CHECK(read.measured[1].skipped == "too large");
}

TEST_CASE("What is wrong with a file of results is told", "[bench]") {
  CHECK(contains(complaint("nonsense"), "is not JSON"));
  CHECK(contains(complaint("[]"), "\"context\" is missing"));
  CHECK(contains(complaint(R"({"context": {}})"), "\"benchmarks\" is missing"));
  CHECK(contains(complaint(R"({"context": {}, "benchmarks": [{"run_type": "iteration"}]})"),
                 "benchmarks[0]: \"run_name\" is missing"));
  const std::string entry = R"({"context": {}, "benchmarks": [{"run_type": "iteration", "run_name": "a",
    "iterations": 1, "real_time": TIME, "cpu_time": 1, "time_unit": "UNIT"}]})";
  const auto with = [&](std::string time, std::string unit) {
    std::string text = entry;
    text.replace(text.find("TIME"), 4, time);
    return text.replace(text.find("UNIT"), 4, unit);
  };
  CHECK(contains(complaint(with("\"1\"", "ms")), "\"real_time\" is of another type"));
  CHECK(contains(complaint(with("1", "h")), "time_unit is \"h\""));
  CHECK(complaint(with("1", "us")) == "");
  CHECK_THROWS_AS(bench::read_results("there/is/none.json"), bench::UsageError);
}

TEST_CASE("Repetitions fit the time there is", "[bench]") {
  bench::RunOptions options{.repetitions = 5, .time_limit = 10.0};
  CHECK(bench::plan(options, 100, 0.001).repetitions == 5);
  CHECK(bench::plan(options, 100, 0.001).iterations == 100);
  CHECK(bench::plan(options, 100, 0.04).repetitions == 2);
  CHECK(bench::plan(options, 100, 0.2).repetitions == 0);
  CHECK(bench::plan(options, 0, 0.01).iterations == 50);  // half a second
  CHECK(bench::plan(options, 0, 3.0).iterations == 1);
  CHECK(bench::plan(options, 0, 3.0).repetitions == 3);
}

TEST_CASE("What cannot run is skipped, with the reason", "[bench]") {
  const bench::RunOptions options{.time_limit = 1.0};
  const auto run = [&](std::function<bench::Trial()> prepare) {
    return bench::run_case(options, "suite", {"case", "", 100, std::move(prepare)}).at(0);
  };
  CHECK(run([]() -> bench::Trial { throw bench::Skip("no room"); }).skipped == "no room");
  CHECK(run([]() -> bench::Trial { throw ResourceError("no memory"); }).skipped == "no memory");
  const bench::Measured slow = run([] { return [](std::uint64_t n) { return std::vector{sample_of(1000.0, n)}; }; });
  CHECK(contains(slow.skipped, "would take about 100 s"));
  const bench::Measured quick = run([] { return [](std::uint64_t n) { return std::vector{sample_of(0.1, n)}; }; });
  CHECK(quick.name == "suite/case");
  CHECK(quick.samples.size() == 5);
}

TEST_CASE("Boxes of any number of grains are as deep as that of ten thousand", "[bench]") {
  const Scene house = bench::house_scene("box_settle"), same = bench::settling_box(Method::dem, 10'000);
  CHECK(same.domain.max.x == Approx(house.domain.max.x));
  CHECK(choose_substeps(same).substeps == choose_substeps(house).substeps);
  for (const unsigned grains : {1u, 1000u, 2000u, 50'000u}) {
    CAPTURE(grains);
    const Population population = populate(bench::settling_box(Method::vts, grains));
    CHECK(population.initial.size() == grains);
    double top = 0.0;
    for (const Seed& seed : population.initial)
      top = std::max(top, static_cast<double>(seed.position.z));
    CHECK((grains == 1 || top == Approx(0.25).margin(0.025)));
  }
}

TEST_CASE("The bytes of a pass are those of its fields", "[bench]") {
  Simulation simulation(bench::settling_box(Method::vts, 100), on_cpu);
  simulation.advance(1);
  Executor& executor = simulation.executor();
  const double slots = read_field<Status>(executor, FieldId::status, 1)[0].lists.slots;
  CHECK(slots > 0.0);
  CHECK(bench::bytes_of_pass(simulation, "predict") == sizeof(Settings) + 100 * 2 * sizeof(Grain));
  CHECK(bench::bytes_of_pass(simulation, "vts_gauss_seidel") == 0.0);  // it has no shader
  const double solve = bench::bytes_of_pass(simulation, "vts_solve");
  CHECK(solve > 100 * 2 * sizeof(Grain) + slots * (sizeof(uint) + 2 * sizeof(vec4)));
  CHECK(solve < 100 * 1000 + slots * 200);
}

TEST_CASE("Folders of results go by the device", "[bench]") {
  CHECK(bench::folder_of("llvmpipe (LLVM 15.0.6, 256 bits)") == "llvmpipe");
  CHECK(bench::folder_of("NVIDIA H200") == "nvidia-h200");
  CHECK(bench::folder_of("CPU") == "cpu");
}

TEST_CASE("A suite writes what it measured, on what and with what", "[bench]") {
  const Scratch scratch;
  bench::RunOptions options{.suites = {"step", "passes"},
                            .only = {"step/box_rest/dem", "passes/box_falling/dem"},
                            .device = "cpu",
                            .out = scratch.path(),
                            .repetitions = 1,
                            .quick = true};
  bench::run_suites(options);
  const bench::Results step = bench::read_results(scratch / "cpu/step.json");
  CHECK(step.context["device"]["name"] == "CPU");
  CHECK(step.context["build"]["version"] == "0.1.0");
  CHECK(step.context["host"]["cores"].get<int>() > 0);
  REQUIRE(step.measured.size() == 1);
  CHECK(step.measured[0].name == "step/box_rest/dem/1000");
  CHECK(step.measured[0].counter("overlap_mean") == Approx(0.0115).margin(0.003));
  CHECK(step.measured[0].counter("overlap_max") < 0.2);
  CHECK(step.measured[0].counter("packing") == Approx(0.59).margin(0.03));
  CHECK(step.measured[0].counter("ns_per_grain_step") > 0.0);

  const bench::Results passes = bench::read_results(scratch / "cpu/passes.json");
  const double copy = passes.context["copy_bytes_per_s"].get<double>();
  CHECK(copy > 0.0);
  const auto dem = std::ranges::find(passes.measured, "passes/box_falling/dem/1000/dem", &bench::Measured::name);
  REQUIRE(dem != passes.measured.end());
  CHECK(dem->counter("runs_per_step") == 9.0);
  const auto sorted =
      std::ranges::find(passes.measured, "passes/box_falling/dem/1000/grid_count", &bench::Measured::name);
  REQUIRE(sorted != passes.measured.end());
  CHECK(sorted->counter("runs_per_step") > 0.0);
  CHECK(sorted->counter("runs_per_step") < 8.0);
  CHECK(sorted->counter("of_copy") > 0.0);
  // However busy the machine is, passes run one after the other within the whole, and rates go with their times.
  double sum = 0.0;
  for (const bench::Measured& pass : std::span(passes.measured).subspan(1))
    sum += pass.times().at(0);
  CHECK(dem->times()[0] > 0.0);
  CHECK(sum <= 1.001 * passes.measured[0].times()[0]);
  const double rate = dem->counter("bytes_per_step") / (1e-3 * dem->times()[0]);
  CHECK(dem->counter("bytes_per_s") == Approx(rate).epsilon(1e-3));
  CHECK(dem->counter("of_copy") == Approx(rate / copy).epsilon(1e-3));

  options.suites = {"nonsense"};
  CHECK_THROWS_WITH(bench::run_suites(options), Catch::Contains("there are step, passes"));
}

TEST_CASE("Bodies, iterations and fine grains are measured", "[bench]") {
  const Scratch scratch;
  bench::run_suites({.suites = {"scaling", "upsampling"},
                     .only = {"bodies/4", "iterations/vts/2", "sandcastle"},
                     .device = "cpu",
                     .out = scratch / "all.json",
                     .repetitions = 1,
                     .quick = true});
  const bench::Results results = bench::read_results(scratch / "all.json");
  REQUIRE(results.measured.size() == 3);
  CHECK(results.measured[0].name == "scaling/iterations/vts/2");
  CHECK(results.measured[0].counter("solver_iterations") == 2.0);
  CHECK(results.measured[1].name == "scaling/bodies/4");
  const bench::Measured& fine = results.measured[2];
  CHECK(fine.skipped == "");
  CHECK(fine.counter("fine_grains") > fine.counter("grains"));
  CHECK(fine.counter("fine_ms_per_frame") > 0.0);
  CHECK(fine.counter("fine_ms_per_frame") < fine.counter("ms_per_frame"));
}

TEST_CASE("A device is measured as the CPU path is", "[bench][device]") {
  const bench::RunOptions options{.device = vulkan_device(), .repetitions = 1, .quick = true};
  bench::Target target(options, options.device);
  CHECK(target.copy_bytes_per_s() > 1e6);
  CHECK(target.context["device"]["subgroup_size"].get<int>() > 0);
  const bench::Case falling = bench::step_cases(target).at(0);
  const bench::Measured measured = bench::run_case(options, "step", falling).at(0);
  CHECK(measured.skipped == "");
  CHECK(measured.counter("grains") == 1000.0);
  const bench::Measured render = bench::run_case(options, "render", bench::render_cases(target).at(0)).at(0);
  CHECK(render.samples.at(0).label == "drawn on " + target.device.name);
  CHECK(render.counter("pictures_per_s") > 0.0);
  Simulation simulation(bench::settling_box(Method::dem, 8), target.options);
  CHECK(complaints(simulation).empty());
}

TEST_CASE("What became slower is told from noise", "[bench]") {
  const auto results = [](std::vector<double> times) {
    bench::Measured measured{"a", {}, ""};
    for (const double ms : times)
      measured.samples.push_back(sample_of(ms));
    return bench::Results{bench::Json::object(), {measured}};
  };
  const auto change = [&](std::vector<double> a, std::vector<double> b) {
    return bench::changes_of(results(std::move(a)), results(std::move(b))).at(0);
  };
  const std::vector<double> quiet{10.0, 10.1, 9.9, 10.05, 9.95}, noisy{10.0, 14.0, 8.0, 12.0, 9.0};
  CHECK(change(quiet, {11.0, 11.1, 10.9, 11.05, 10.95}).slower(0.05));
  CHECK(change(quiet, {11.0, 11.1, 10.9, 11.05, 10.95}).ratio == Approx(1.1));
  CHECK(!change(quiet, {11.0, 11.1, 10.9, 11.05, 10.95}).slower(0.2));
  CHECK(change(quiet, {9.0, 9.1, 8.9, 9.05, 8.95}).faster(0.05));
  CHECK(!change(quiet, {10.2, 10.3, 10.1, 10.25, 10.15}).slower(0.05));  // more than noise, less than the threshold
  CHECK(!change(noisy, {11.0, 15.0, 9.0, 12.0, 10.0}).slower(0.05));     // the other way round
  CHECK(!change({10.0, 10.0}, {20.0, 20.0}).slower(0.05));               // too few
  CHECK(bench::changes_of(results({}), results({1.0})).empty());
}

TEST_CASE("Two files are compared", "[bench]") {
  const Scratch scratch;
  const auto write = [&](const std::string& name, const std::string& of, double ms) {
    bench::write_results(scratch / name,
                         {bench::Json::object(), {{of, {sample_of(ms), sample_of(ms), sample_of(ms)}, ""}}});
    return scratch / name;
  };
  const auto a = write("a.json", "step/a", 1.0), b = write("b.json", "step/a", 2.0), c = write("c.json", "step/c", 1.0);
  CHECK(bench::compare(a, b, 0.05));
  CHECK(!bench::compare(b, a, 0.05));
  CHECK(!bench::compare(a, a, 0.05));
  CHECK_THROWS_WITH(bench::compare(a, c, 0.05), Catch::Contains("no measurement in common"));
}
