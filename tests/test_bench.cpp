// What the experiments measure and write, on grains of known places.
#include "bench/files.h"
#include "bench/laws/book.h"
#include "bench/measure.h"
#include "bench/papers.h"
#include "bench/scenes.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace talus;
using namespace talus_tests;

namespace {

// Grains at random places under a cone of the given angle, as dense as such places get, and some that ran away.
std::vector<GrainState> cone(double degrees, double base, double r, glm::dvec2 axis) {
  Scene scene = scene_of(0.01, 1, 1);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  GrainGroup group;
  group.radius_min = group.radius_max = r;
  const double slope = std::tan(degrees * pi / 180.0);
  group.shape = CylinderFill{{0.0, 0.0, 0.0}, base + r, base * slope + 2.0 * r};
  scene.grains.push_back(group);
  std::vector<GrainState> grains;
  const auto add = [&](glm::dvec3 p) {
    grains.push_back({static_cast<std::uint32_t>(grains.size()), glm::vec3(p + glm::dvec3(axis, 0.0)), glm::vec3(0.0f),
                      static_cast<float>(r), 0, 0});
  };
  for (const Seed& seed : populate(scene).initial)
    if (seed.position.z + r < (base - std::hypot(seed.position.x, seed.position.y)) * slope)
      add(seed.position);
  for (int i = 0; i < 20; ++i)
    add({1.5 * base + 0.1 * i, 0.0, r});
  return grains;
}

GrainState grain_at(glm::vec3 position, float radius, glm::vec3 velocity = {}) {
  return {0, position, velocity, radius, 0, 0};
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

}  // namespace

TEST_CASE("A ring fit finds the angle and size of a cone", "[bench]") {
  const double degrees = GENERATE(15.0, 25.0, 35.0);
  CAPTURE(degrees);
  const bench::Heap heap = bench::fit_heap(cone(degrees, 1.0, 0.02, {3.0, -2.0}));
  CHECK(heap.angle == Approx(degrees).margin(1.0));
  const double slope = std::tan(degrees * pi / 180.0);
  CHECK(heap.radius == Approx(1.0 - 2.0 * 0.02 / slope).margin(0.05));  // where the last whole grain fits
  CHECK(heap.height == Approx(slope).margin(0.06));
}

TEST_CASE("A ring fit of nothing and of a flat layer is no heap", "[bench]") {
  CHECK(bench::fit_heap({}).angle == 0.0);
  std::vector<GrainState> layer;
  for (int x = -10; x <= 10; ++x)
    for (int y = -10; y <= 10; ++y)
      layer.push_back(grain_at({0.1f * static_cast<float>(x), 0.1f * static_cast<float>(y), 0.05f}, 0.05f));
  const bench::Heap heap = bench::fit_heap(layer);
  CHECK(heap.angle < 1.0);
  CHECK(heap.radius > 1.0);
}

TEST_CASE("The packing of a cubic lattice is pi / 6", "[bench]") {
  std::vector<GrainState> lattice;
  for (int i = 0; i < 6 * 6 * 6; ++i)
    lattice.push_back(grain_at({i % 6, i / 6 % 6, i / 36}, 0.5f));
  CHECK(bench::packing_fraction(lattice, {0.5, 0.5, 0.5}, {4.5, 4.5, 4.5}) == Approx(pi / 6).margin(2e-3));
}

TEST_CASE("Laws are found again in numbers made by them", "[bench]") {
  std::vector<std::pair<double, double>> rates;
  for (const double d : {5.0, 6.0, 8.0})
    rates.emplace_back(0.01 * d, 0.57 * std::sqrt(9.81) * std::pow(0.01 * (d - 1.5), 2.5));
  const bench::Beverloo law = bench::fit_beverloo(rates, 0.01, 9.81);
  CHECK(law.c == Approx(0.57));
  CHECK(law.k == Approx(1.5));
  CHECK(bench::fit_beverloo({}, 0.01, 9.81).c == 0.0);

  std::vector<std::pair<double, double>> discharges;
  for (const double x : {5.0, 7.0, 9.0, 12.0})
    discharges.emplace_back(x, 1.04 * std::pow(x - 1.4, 1.5));
  CHECK(bench::fit_discharge(discharges, 1.5).c == Approx(1.04));
  CHECK(bench::fit_discharge(discharges, 1.5).k == Approx(1.4));
  CHECK(bench::fit_discharge(discharges, 1.5).at(20.0) == Approx(1.04 * std::pow(18.6, 1.5)));
  CHECK(bench::fit_discharge(discharges).power == Approx(1.5).margin(0.003));

  const std::vector<std::pair<double, double>> points{{0, 1}, {1, 3}, {2, 5}, {3, 0}};
  const bench::Line line = bench::fit_line(points, std::vector{1.0, 1.0, 1.0, 0.0});
  CHECK(line.slope == Approx(2.0));
  CHECK(line.offset == Approx(1.0));
  CHECK(bench::lube_run_out(1.0) == Approx(1.24));
  CHECK(bench::lube_run_out(4.0) == Approx(3.2));
}

TEST_CASE("The approaching speed is that of overlapping contacts", "[bench]") {
  const std::vector<GrainState> before{grain_at({0, 0, 1}, 0.5f), grain_at({0.9f, 0, 1}, 0.5f),
                                       grain_at({2.0f, 0, 0.4f}, 0.5f)};
  const std::vector<GrainState> after{grain_at({}, 0.5f, {1, 0, 0}), grain_at({}, 0.5f, {-1, 5, 0}),
                                      grain_at({}, 0.5f, {-9, 0, -4})};
  CHECK(bench::approach_speed(before, after) == Approx((2.0 + 4.0) / 2.0));  // a pair and the floor
}

TEST_CASE("Tables and plots are written as their readers need them", "[bench]") {
  const bench::Table table{{"a", "b"}, {{"1,5", "x|\"y\""}}};
  CHECK(bench::csv(table) == "a,b\n\"1,5\",\"x|\"\"y\"\"\"\n");
  CHECK(bench::markdown(table) == "| a | b |\n| --- | --- |\n| 1,5 | x\\|\"y\" |\n");

  const bench::Plot plot{
      "it's 'quoted'", "x", "y", {{"one", {{1, 2}, {std::nan(""), 3}, {-1, 4}, {5, 6}}}, {"none", {}}}, true};
  const std::string script = bench::gnuplot_script(plot, "name");
  CHECK(contains(script, "set title 'it''s ''quoted'''"));
  CHECK(contains(script, "$d0 << END\n1 2\n5 6\nEND\n"));
  CHECK(!contains(script, "none"));

  const Scratch scratch;
  bench::draw(plot, scratch.path(), "name");
  CHECK(contains(read_text(scratch / "name.svg"), "</svg>"));
  CHECK(read_text(scratch / "name.gp") == script);
  bench::draw({"empty", "x", "y", {}}, scratch.path(), "empty");
  CHECK(contains(read_text(scratch / "empty.svg"), "no data"));
}

TEST_CASE("Runs side by side are all run, and what one throws comes out", "[bench]") {
  const bench::Context context{"cpu", 3, true};
  std::vector<int> done(50);
  bench::in_parallel(context, done.size(), [&](std::size_t i) { done[i] += 1; });
  CHECK(done == std::vector<int>(50, 1));
  const auto throwing = [](std::size_t i) {
    if (i == 7)
      throw DeviceError("seven");
  };
  CHECK_THROWS_AS(bench::in_parallel(context, 50, throwing), DeviceError);
}

TEST_CASE("Laws of single contacts hold but for what is known to be against a method's nature", "[bench]") {
  // Case, what is measured, method; the remarks of the cases say why.
  const std::vector<std::array<std::string, 3>> fail{{"hertz_impact", "greatest force", "dem"},
                                                     {"restitution", "greatest deviation", "dem, physical stiffness"},
                                                     {"oblique_impact", "over all angles", "dem"},
                                                     {"normal_speed", "over all angles", "dem"},
                                                     {"normal_speed", "spin, relative error where it slides", "dem"}};
  const bench::LawContext context{{"cpu", 1, true}, {"dem"}};
  for (const bench::Law& law : bench::single_contact_laws()) {
    const bench::Evidence evidence = law.run(context);
    CHECK_FALSE(evidence.measurements.empty());
    for (const bench::Measurement& m : evidence.measurements) {
      CAPTURE(law.name, m.what, m.by, m.measured, m.low, m.high);
      const bool known = std::ranges::any_of(fail, [&](const auto& one) {
        return law.name == one[0] && m.what.find(one[1]) != m.what.npos && m.by.starts_with(one[2]);
      });
      CHECK(std::isfinite(m.measured));
      CHECK((known || m.holds()));
    }
  }
}

TEST_CASE("Short versions of cases of many grains measure something", "[bench]") {
  const bench::LawContext context{{"cpu", 1, true}, {"dem"}};
  for (const bench::Law& law : bench::all_laws()) {
    if (law.name != "beverloo_slot" && law.name != "impact" && law.name != "brazil_nut" && law.name != "blade" &&
        law.name != "wheel")
      continue;
    const bench::Evidence evidence = law.run(context);
    CHECK(evidence.measurements.size() + evidence.plots.size() >= 2);
    for (const bench::Measurement& m : evidence.measurements) {
      CAPTURE(law.name, m.what, m.measured);
      CHECK(m.measured > 0.0);
      CHECK(std::isfinite(m.measured));
    }
    REQUIRE(evidence.shot);
    CHECK_FALSE(evidence.shot->grains.empty());
    // The scene file says all that was run.
    CHECK_NOTHROW(parse_scene(to_toml(evidence.shot->scene), "a case"));
  }
}

TEST_CASE("The book has every case that was run, also one that fails", "[bench]") {
  Scratch scratch;
  const std::filesystem::path out = scratch / "book";
  bench::run_laws({.out = out, .only = {"slide_to_roll"}, .device = "cpu", .quick = true});
  bench::run_laws({.out = out, .only = {"normal_speed"}, .device = "cpu", .quick = true});
  const std::string page = bench::file_text(out / "laws.html"), text = bench::file_text(out / "laws.md");
  for (const char* name : {"slide_to_roll", "normal_speed"}) {
    CAPTURE(name);
    CHECK(times_in(page, "<section id=\"" + std::string(name) + "\">") == 1);
    CHECK(times_in(text, "<a name=\"" + std::string(name) + "\"></a>") == 1);
    CHECK(times_in(text, "](laws/" + std::string(name) + "_1.svg)") == 1);
    CHECK(std::filesystem::file_size(out / "laws" / (std::string(name) + "_1.svg")) > 1000);
  }
  CHECK(times_in(page, "src=\"data:image/svg+xml;base64,") == 2);
  CHECK(times_in(page, "src=\"http") == 0);
  CHECK(times_in(page, "<td class=\"text worse\">no</td>") > 0);
  CHECK(times_in(text, "| **no** |") > 0);
  CHECK(times_in(text, "all 2 hold") == 1);
  CHECK_THROWS_WITH(bench::run_laws({.out = out, .only = {"nonsense"}}),
                    Catch::Contains("there is no such case") && Catch::Contains("slide_to_roll"));
}
