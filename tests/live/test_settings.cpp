// Settings that are searched for, charts that are saved, and the two themes.
#include "live.h"
#include "viewer/parameters.h"
#include <algorithm>
#include <filesystem>
#include <imgui.h>
#include <sstream>

using namespace talus;
using namespace talus_tests;

namespace {

int matching(const Live& live, std::string_view words) {
  const auto all = viewer::parameters_of(live.app->session()->scene());
  return static_cast<int>(std::ranges::count_if(all, [&](const auto& p) { return viewer::matches(p, words); }));
}

}  // namespace

TEST_CASE("Settings are found by their names and by the words of what they mean", "[live]") {
  Live live(box);
  const auto all = viewer::parameters_of(live.session().scene());
  for (const viewer::Parameter& parameter : all) {
    CAPTURE(parameter.key);
    CHECK(parameter.about.size() > 10);
    CHECK(parameter.about.ends_with('.'));
    CHECK(viewer::matches(parameter, ""));
    CHECK(viewer::matches(parameter, parameter.key));
  }
  CHECK(matching(live, "GRAVITY") == 3);
  CHECK(matching(live, "sand sticks") == 1);
  CHECK(matching(live, "coulomb sand") == 2);  // in the sentences of the two frictions alone
  CHECK(matching(live, "no such word") == 0);

  live.resize(700, 600);
  live.app->remembered().panels_shown = true;
  live.app->remembered().panels = {"Settings"};
  const Image before = live.picture(true);
  live.app->setting_words() = "coulomb";
  const Image found = live.picture(true);
  CHECK(before.rgba != found.rgba);
  live.app->setting_words().clear();
  live.app->panel_places()[4] = {};
  live.frames(2);
}

TEST_CASE("Charts are saved as CSV, beside the scene", "[live]") {
  Live live(box);
  live.session().playing = true;
  live.app->remembered().panels_shown = true;
  live.app->remembered().panels = {"Statistics"};
  const viewer::Statistics& statistics = live.app->statistics();
  live.until([&] { return statistics.series(viewer::Statistics::energy).size() >= 4; });
  live.session().playing = false;
  live.until([&] { return !live.session().simulation().under_way(); });
  std::istringstream csv(statistics.csv("a \"big\" arm"));
  std::string line;
  std::getline(csv, line);
  CHECK(line == "time [s],kinetic energy [J],mean overlap [% of the radius],speed [of real time],"
                "\"force on a \"\"big\"\" arm [N]\"");
  for (const viewer::Statistics::Point& point : statistics.series(viewer::Statistics::energy)) {
    REQUIRE(std::getline(csv, line));
    CHECK(line.starts_with(fmt::format("{},{},", point.time, point.value)));
    CHECK(std::ranges::count(line, ',') == 4);
  }
  CHECK_FALSE(std::getline(csv, line));
  live.app->save_charts();
  REQUIRE(std::filesystem::exists(live.scratch / "scene-charts.csv"));
  CHECK(read_text(live.scratch / "scene-charts.csv") == statistics.csv(""));
  CHECK(contains(live.app->message(), "scene-charts.csv"));
}

TEST_CASE("Panels are dark or light, as it was chosen last", "[live]") {
  viewer::ViewOptions options = live_options();
  const Scratch home;
  options.remembered = home.path();
  const auto brightness_of_bar = [](Live& live) {
    live.app->remembered().panels_shown = true;
    const Image image = live.picture(true);
    return brightness(pixel(image, image.width - 4, 3));
  };
  {
    Live live(balls, options);
    const float scale = live.app->gui_scale(), height = ImGui::GetFrameHeight();
    CHECK(brightness_of_bar(live) < 250.0f);
    live.app->remembered().light = true;
    CHECK(brightness_of_bar(live) > 600.0f);
    CHECK(live.app->gui_scale() == scale);
    CHECK(ImGui::GetFrameHeight() == height);
  }
  Live live(balls, options);
  CHECK(brightness_of_bar(live) > 600.0f);
}
