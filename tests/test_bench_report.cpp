// The page of talus-bench report: what is in it, and what a browser makes of it.
#include "bench/report_page.h"
#include "scratch.h"
#include "tests/catch.h"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <regex>

using namespace talus_tests;
using bench::Json;

namespace {

bench::Measured measured(const std::string& name, double ms, bench::Counters counters) {
  bench::Measured m{name, {}, ""};
  for (const double factor : {1.0, 1.01, 0.99})
    m.samples.push_back({"", 1, 1e-3 * ms * factor, 0.0, counters, ""});
  return m;
}

// Of a made-up device that is `speed` times as fast as another.
bench::Results results_of(const std::string& device, double speed) {
  bench::Results results{{{"device", {{"name", device}, {"type", "discrete GPU"}}}, {"copy_bytes_per_s", 1e11 * speed}},
                         {}};
  for (const double grains : {1000.0, 10'000.0, 100'000.0}) {
    const double ms = 1e-3 * grains / speed;
    const bench::Counters step{{"grains", grains},
                               {"ns_per_grain_step", 1e6 * ms / grains},
                               {"overlap_mean", 0.015},
                               {"overlap_max", 0.2},
                               {"packing", 0.53}};
    for (const char* kind : {"box_falling/dem", "box_rest/vts"})
      results.measured.push_back(measured("step/" + std::string(kind) + "/" + std::to_string(int(grains)), ms, step));
  }
  for (const char* pass : {"dem", "plan"})
    results.measured.push_back(
        measured("passes/box_rest/dem/1000/" + std::string(pass), 0.5 / speed,
                 {{"runs_per_step", 8.0}, {"bytes_per_step", 8e5}, {"bytes_per_s", 5e10 * speed}, {"of_copy", 0.5}}));
  for (const char* n : {"1", "2", "4"})
    results.measured.push_back(measured("scaling/iterations/vts/" + std::string(n), std::atof(n) / speed, {}));
  results.measured.push_back({"step/box_rest/dem/4000000", {}, "needs <more> & has less</script>"});
  return results;
}

// Results of two devices, and older ones of one of them.
struct Files {
  Scratch scratch;
  std::filesystem::path now = scratch / "now", before = scratch / "before.json", page = scratch / "page.html";
  Files() {
    bench::write_results(now / "a/step.json", results_of("Slow <b>device</b>", 1.0));
    bench::write_results(now / "b/step.json", results_of("Fast device", 10.0));
    bench::write_results(before, results_of("Fast device", 12.0));
    bench::write_report({now}, {before}, page);
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

// What the browser has made of a page, and what it had to say.
struct Seen {
  std::string dom, log;
  std::string output(const std::string& id) const {
    std::smatch found;
    return std::regex_search(dom, found, std::regex("<output id=\"" + id + "\">([^<]*)</output>")) ? found[1].str()
                                                                                                   : "";
  }
};
Seen seen(const Files& files, int width) {
  const std::string chromium = TALUS_CHROMIUM;
  if (chromium.empty())
    FAIL("there is no Chromium. ./test.sh installs it on Debian (chromium-headless-shell); elsewhere: docs/building.md");
  const auto dom = files.scratch / "dom.html", log = files.scratch / "log.txt";
  const std::string command = "\"" + chromium + "\" --headless --no-sandbox --disable-gpu --enable-logging=stderr" +
                              " --user-data-dir=\"" + (files.scratch / "profile").string() +
                              "\" --window-size=" + std::to_string(width) + ",900 --dump-dom \"file://" +
                              files.page.string() + "#test\" >\"" + dom.string() + "\" 2>\"" + log.string() + "\"";
  REQUIRE(std::system(command.c_str()) == 0);
  return {read_text(dom), read_text(log)};
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  for (const std::string& part : split(text, ' '))
    values.push_back(std::stod(part));
  return values;
}

}  // namespace

TEST_CASE("The page has all numbers in tables, and needs nothing else", "[bench]") {
  const Files files;
  const std::string page = read_text(files.page);
  CHECK(contains(page, "<td class=\"text\">box_falling/dem/100000</td>"));
  CHECK(contains(page, "data-value=\"0.53\">0.53</td>"));
  CHECK(contains(page, "Slow &lt;b&gt;device&lt;/b&gt;"));
  CHECK(contains(page, "needs &lt;more&gt; &amp; has less"));
  CHECK(contains(page, "text worse\">slower"));
  CHECK(count(page, "</script>") == 2);
  CHECK(count(page, "@") == count(page, "@media"));  // every mark is replaced
  for (const char* fetched : {" src=", "<link", "@import", "url(", "fetch("})
    CHECK(!contains(page, fetched));
}

TEST_CASE("Results of a device are put together, and the same twice kept apart", "[bench]") {
  const Scratch scratch;
  bench::Results other = results_of("A", 1.0);
  for (bench::Measured& m : other.measured)
    m.name = "render/" + m.name;
  bench::write_results(scratch / "r/1.json", results_of("A", 1.0));
  bench::write_results(scratch / "r/2.json", other);
  bench::write_results(scratch / "r/3.json", results_of("A", 2.0));
  const auto devices = bench::read_devices({scratch / "r"});
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].device == "A");
  CHECK(devices[0].measured.size() == 2 * devices[1].measured.size());
  CHECK(devices[1].device == "A (2)");

  std::filesystem::create_directories(scratch / "empty");
  CHECK_THROWS_WITH(bench::read_devices({scratch / "empty"}), Catch::Contains("there are no results"));
  bench::write_results(scratch / "nameless.json", {Json::object(), {}});
  CHECK_THROWS_WITH(bench::read_devices({scratch / "nameless.json"}), Catch::Contains("context.device.name"));
}

TEST_CASE("A browser shows the page: charts, sorting, on a phone", "[bench]") {
  const Files files;
  const Seen page = seen(files, 400);
  CHECK(!contains(page.log, "CONSOLE"));
  // Bars of devices and of passes; points by size, of scaling, of the roofline, of changes.
  CHECK(count(page.dom, "class=\"mark\"") == 4 + 4 + 12 + 6 + 4 + 11);
  CHECK(count(page.dom, "<svg") == 1 + 1 + 2 + 1 + 1 + 1);
  CHECK(!contains(page.dom, "NaN"));

  std::vector<double> sorted = numbers(page.output("test-ascending"));
  CHECK(sorted.size() == 12);
  CHECK(std::ranges::is_sorted(sorted));
  CHECK(sorted.front() < sorted.back());
  CHECK(std::ranges::is_sorted(numbers(page.output("test-descending")), std::ranges::greater()));
  CHECK(page.output("test-overflow") == "0");

  // What this test looks at would tell a broken page.
  std::string broken = read_text(files.page);
  broken.replace(broken.find("\"use strict\";"), 13, "no_such_thing();");
  write_text(files.page, broken);
  CHECK(contains(seen(files, 400).log, "CONSOLE"));
}
