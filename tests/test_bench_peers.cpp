// talus-bench beside other engines: the files that they share, and the program as its users see it.
#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/scenes.h"
#include "scratch.h"
#include "tests/catch.h"
#include <cmath>
#include <cstdlib>
#ifndef _WIN32
#include <sys/wait.h>
#endif

using namespace talus;
using namespace talus_tests;

namespace {

GrainState at(float x, float y, float z, float r) {
  return {0, {x, y, z}, {}, r, 0, 0};
}

// Status of talus-bench, with what it printed in `printed`. path: of the programs that it finds.
int bench_program(const Scratch& scratch, const std::string& arguments, std::string& printed, const std::string& path) {
  const auto out = scratch / "printed.txt";
  const int code = std::system(
      ("PATH=\"" + path + "\" \"" TALUS_BENCH_PROGRAM "\" " + arguments + " >\"" + out.string() + "\" 2>&1").c_str());
  printed = read_text(out);
#ifdef _WIN32
  return code;
#else
  return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
#endif
}

}  // namespace

TEST_CASE("The overlap of grains is that of pairs and walls that touch", "[bench]") {
  Domain domain;
  domain.min = {0.0, 0.0, 0.0};
  domain.max = {10.0, 10.0, 100.0};
  const std::vector<GrainState> grains{at(5.0f, 5.0f, 0.9f, 1.0f), at(5.0f, 5.0f, 2.7f, 1.0f),
                                       at(2.0f, 5.0f, 5.0f, 1.0f), at(9.2f, 5.0f, 5.0f, 1.0f)};
  const bench::Overlap overlap = bench::overlap_of(grains, domain);
  CHECK(overlap.max == Approx(0.2).epsilon(1e-5));                           // the pair, and the wall at x = 10
  CHECK(overlap.mean == Approx((0.1 + 2 * 0.2 + 0.2) / 4.0).epsilon(1e-5));  // and the floor
  CHECK(bench::overlap_of({}, domain).mean == 0.0);

  Simulation simulation(bench::settling_box(Method::dem, 200), {.device = "cpu"});
  simulation.advance(120);
  const Measure measure = simulation.measure();
  const bench::Overlap same = bench::overlap_of(simulation.grains(), simulation.scene().domain);
  CHECK(measure.penetration_mean > 0.0);
  CHECK(same.mean == Approx(measure.penetration_mean).epsilon(1e-3));
  CHECK(same.max == Approx(measure.penetration_max).epsilon(1e-3));
}

TEST_CASE("Other engines' files are written and read", "[bench]") {
  Scene scene = bench::settling_box(Method::dem, 2);
  GrainState moving = at(0.25f, 0.5f, 0.75f, 0.005f);
  moving.velocity = {1.0f, 2.0f, 3.0f};
  const std::string data = bench::grains_file(std::vector{at(0.5f, 0.25f, 0.125f, 0.005f), moving}, scene);
  CHECK(contains(data, "\n2 atoms\n1 atom types\n"));
  CHECK(contains(data, "\nAtoms\n\n1 1 0.01"));
  CHECK(contains(data, " 2500 0.5 0.25 0.125\n2 1 "));
  CHECK(contains(data, "\nVelocities\n\n1 0 0 0 0 0 0\n2 1 2 3 0 0 0\n"));

  CHECK(bench::loop_times("Loop time of 1 on 1\nmore\nLoop time of 2.5 on 1 procs for 3 steps\n") ==
        std::vector{1.0, 2.5});
  CHECK(bench::loop_times("ERROR: no").empty());
  const std::string snapshot = "ITEM: TIMESTEP\n0\nITEM: ATOMS id x y z vx vy vz \n";
  const auto grains =
      bench::final_grains(snapshot + "1 9 9 9 0 0 0\n" + snapshot + "2 1 2 3 0 0 0\n1 4 5 6 3 0 4\n", 0.5);
  REQUIRE(grains.size() == 2);
  CHECK(grains[0].id == 2);
  CHECK(grains[1].position == glm::vec3(4.0f, 5.0f, 6.0f));
  CHECK(grains[1].velocity == glm::vec3(3.0f, 0.0f, 4.0f));
  CHECK(grains[1].radius == 0.5f);
  CHECK(bench::speed_rms(grains) == Approx(5.0 / std::sqrt(2.0)));
  CHECK(bench::final_grains("", 0.5).empty());
}

TEST_CASE("The largest step is the first from which on all rest alike", "[bench]") {
  using bench::StepTrial;
  const StepTrial failed, restless{0.0100, 0.4}, deep{0.0107, 1e-3}, good{0.0104, 1.5e-3}, last{0.0100, 1e-3};
  CHECK(bench::largest_step(std::vector{failed, restless, deep, good, last}, 0.0100, 1e-4) == 3);
  CHECK(bench::largest_step(std::vector{good, restless, good, last}, 0.0100, 1e-4) == 2);  // one that is good by chance
  CHECK(bench::largest_step(std::vector{good, last}, 0.0100, 1e-4) == 0);
  CHECK_FALSE(bench::largest_step(std::vector{good, failed}, 0.0100, 1e-4));
  CHECK_FALSE(bench::largest_step(std::vector{deep, deep}, 0.0100, 1e-4));
  CHECK(bench::largest_step(std::vector{failed, restless, good, last}, 0.0100, 2.0 * restless.speed_rms) == 1);
  // Beside the median: the last one differs from the others by chance.
  const StepTrial low{0.0092, 1e-3};
  CHECK(bench::largest_step(std::vector{failed, deep, last, last, low}, 0.0092, 1e-4) == 4);
  CHECK(bench::largest_step(std::vector{failed, deep, last, last, low}, {}, 1e-4) == 2);
}

#ifdef __linux__
TEST_CASE("Engines that are missing are named, and Talus runs", "[bench]") {
  const Scratch scratch;
  const auto results = scratch / "peers.json";
  std::string printed;
  REQUIRE(bench_program(scratch, "peers --grains 100 --out " + results.string(), printed, "/usr/bin/nothing") == 0);
  CHECK(contains(printed, "peers/lammps/100           not installed; Debian: apt install lammps"));
  const bench::Results read = bench::read_results(results);
  REQUIRE(read.measured.size() == 4);
  CHECK(read.measured[0].name == "peers/talus/100");
  CHECK(read.measured[0].counter("packing") > 0.3);
  CHECK(read.measured[0].counter("overlap_mean") < 0.03);
  CHECK(contains(read.measured[2].skipped, "apt install liggghts"));
  CHECK(bench_program(scratch, "peers --only nonsense", printed, "") == 2);
  CHECK(contains(printed, "there are talus, lammps"));
}
#endif

TEST_CASE("talus-bench compare tells by its exit status", "[bench]") {
  const Scratch scratch;
  const auto write = [&](const std::string& name, double seconds) {
    bench::Sample sample;
    sample.real_s = seconds;
    bench::write_results(scratch / name, {bench::Json::object(), {{"step/a", {sample, sample, sample}, ""}}});
    return (scratch / name).string();
  };
  const std::string a = write("a.json", 1.0), b = write("b.json", 2.0);
  write_text(scratch / "c.json", "{}");
  std::string printed;
  CHECK(bench_program(scratch, "compare " + a + " " + a, printed, "") == 0);
  CHECK(bench_program(scratch, "compare " + a + " " + b, printed, "") == 1);
  CHECK(contains(printed, "SLOWER"));
  CHECK(bench_program(scratch, "compare " + a + " " + b + " --threshold 150", printed, "") == 0);
  CHECK(bench_program(scratch, "compare " + a + " " + (scratch / "c.json").string(), printed, "") == 2);
  CHECK(contains(printed, "c.json: \"context\" is missing"));
}
