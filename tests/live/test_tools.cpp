// The mouse pulls, pours, digs and pushes grains, by its tools.
#include "live.h"
#include "viewer/cut.h"
#include "viewer/live/projection.h"
#include <cmath>

using namespace talus;
using namespace talus_tests;

namespace {

const std::string tray = R"(
[time]
dt = 0.005
end = 100
[domain]
min = [-0.5, -0.5, 0.0]
max = [0.5, 0.5, 1.0]
[solver]
substeps = 4
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
fill.box = { min = [-0.5, -0.5, 0.0], max = [0.5, 0.5, 0.05] }
[camera]
eye = [0, -2.5, 1.2]
target = [0, 0, 0.1]
)";

// Saves what was done, takes the last action back, and plays the file.
void takes_back_and_replays(Live& live, const std::string& action, std::uint64_t step) {
  live.app->message().clear();
  live.app->save_inputs(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  live.app->message().clear();
  const std::filesystem::path told = live.scratch / "told.txt";
  REQUIRE(std::system(fmt::format("{} run --replay {} --device {} > {} 2>&1", TALUS_PROGRAM,
                                  (live.scratch / "inputs.json").string(), live_options().device, told.string())
                          .c_str()) == 0);
  CHECK_THAT(read_text(told), Catch::Contains("bit for bit"));  // without a window
  REQUIRE(live.app->undo_points().size() == 1);                 // one stroke
  live.key("ctrl+z");
  live.until([&] { return !live.app->message().empty() && !live.app->loader().busy(); });
  CHECK(contains(live.app->message(), action));
  CHECK(live.session().step() == step);
  live.app->message().clear();
  live.app->replay(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  CHECK_THAT(live.app->message(), Catch::Contains("bit for bit"));
}

}  // namespace

TEST_CASE("Sand is poured where the mouse is, taken back, and played back to the same bits", "[live]") {
  Live live(tray);
  const viewer::Tool before = live.app->tool();
  live.play_to(0.05);
  const std::uint64_t step = live.session().step();
  const std::uint32_t count = live.session().simulation().grain_count();
  live.key("2");
  CHECK(live.app->tool() == viewer::Tool::pour);
  live.point_at(width / 2, height / 2);
  live.input("keydown ctrl mousedown 1");
  CHECK(live.app->holding());
  live.play_to(0.55);
  live.point_at(width / 2 + 40, height / 2);
  live.play_to(1.0);
  live.input("mouseup 1 keyup ctrl");
  CHECK_FALSE(live.app->holding());
  CHECK(live.session().error() == "");
  live.play_to(1.3);  // the last quarter of a second has poured
  const auto grains = live.session().simulation().grains();
  const auto poured = static_cast<std::uint32_t>(grains.size());
  CHECK(poured > count + 100);
  int left = 0, right = 0;
  for (const GrainState& g : grains)
    if (g.id >= count)
      ++(g.position.x < 0.15f ? left : right);
  CHECK(left > 30);
  CHECK(right > 30);
  live.play_to(1.6);
  CHECK(live.session().simulation().grain_count() == poured);

  live.app->save_inputs(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  live.app->message().clear();
  REQUIRE(live.app->undo_points().size() == 1);  // one stroke
  live.key("ctrl+z");
  live.until([&] { return !live.app->message().empty() && !live.app->loader().busy(); });
  CHECK(contains(live.app->message(), "pour"));
  CHECK(live.session().step() == step);
  CHECK(live.session().simulation().grain_count() == count);
  CHECK(live.session().scene().emitters.empty());

  live.app->message().clear();
  live.app->replay(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  CHECK_THAT(live.app->message(), Catch::Contains("bit for bit"));
  live.key("1");
  CHECK(live.app->tool() == before);
}

TEST_CASE("Pouring at the sky does nothing", "[live]") {
  Live live(tray);
  live.key("2");
  live.point_at(width / 2, 2);
  live.input("keydown ctrl mousedown 1");
  live.play_to(0.1);
  live.input("mouseup 1 keyup ctrl");
  CHECK(live.session().done().empty());
  live.key("1");
}

TEST_CASE("Grains are dug where the mouse is, counted, taken back, and played back to the same bits", "[live]") {
  Live live(tray);
  live.play_to(0.05);
  const std::uint64_t step = live.session().step();
  const std::uint32_t count = live.session().simulation().grain_count();
  live.key("3");
  CHECK(live.app->tool() == viewer::Tool::dig);
  live.point_at(width / 2, height / 2);
  live.input("keydown ctrl");
  REQUIRE(live.app->ball().has_value());  // what it would dig is shown before
  const glm::vec3 at = live.app->ball()->at;
  CHECK(live.app->ball()->radius == Approx(5.0 * 0.02));
  live.input("click 4");  // the wheel
  CHECK(live.app->ball()->radius == Approx(1.15 * 5.0 * 0.02));
  live.input("mousedown 1");
  CHECK(live.app->holding());
  const std::uint32_t first = live.session().simulation().removed_grains();
  CHECK(first > 10);
  for (const GrainState& g : live.session().simulation().grains())
    CHECK(glm::distance(g.position, at) > 0.1f);
  live.play_to(0.2);
  CHECK(live.session().simulation().removed_grains() > first);  // the sand that came after
  live.point_at(width / 2 + 40, height / 2);
  live.input("mouseup 1 keyup ctrl");
  CHECK_FALSE(live.app->ball().has_value());
  CHECK(live.session().error() == "");
  live.play_to(0.3);
  CHECK(live.session().simulation().grain_count() + live.session().simulation().removed_grains() == count);
  takes_back_and_replays(live, "dig", step);
  CHECK(live.session().simulation().grain_count() < count);
  live.key("1");
  live.app->reach() = 5.0f;
}

TEST_CASE("Grains are pushed out of a ball that follows the mouse, taken back, and played back", "[live]") {
  Live live(tray);
  live.play_to(0.05);
  const std::uint64_t step = live.session().step();
  live.key("4");
  CHECK(live.app->tool() == viewer::Tool::push);
  live.point_at(width / 2, height / 2);
  live.input("keydown ctrl");
  REQUIRE(live.app->ball().has_value());
  const viewer::MouseHold::Ball ball = *live.app->ball();
  const auto near = [&] {  // the floor holds those below
    const auto grains = live.session().simulation().grains();
    return std::ranges::count_if(
        grains, [&](const GrainState& g) { return glm::distance(g.position, ball.at) < 0.9f * ball.radius; });
  };
  const auto before = near();
  CHECK(before > 5);
  live.input("mousedown 1");
  live.play_to(0.2);
  CHECK(near() < before / 2);
  live.point_at(width / 2 + 40, height / 2);
  live.play_to(0.3);
  CHECK(live.app->ball()->at.x > ball.at.x + 0.05f);
  live.input("mouseup 1 keyup ctrl");
  CHECK(live.session().error() == "");
  CHECK(std::holds_alternative<viewer::Release>(live.session().done().back().second));
  takes_back_and_replays(live, "hand", step);
  live.key("1");
}

TEST_CASE("Undisturbed ground is not dug, and the window says why", "[live]") {
  Live live(std::string(R"(
[time]
dt = 0.001
end = 10
[domain]
min = [-0.3, -0.3, 0.0]
max = [0.3, 0.3, 0.6]
[solver]
method = "dem"
rotation = true
sleep = true
[[material]]
name = "sand"
[soil]
material = "sand"
radius = [0.018, 0.022]
height = 0.2
[camera]
eye = [0, -1.5, 0.9]
target = [0, 0, 0.2]
)"));
  live.key("3");
  live.point_at(width / 2, height / 2);
  live.input("keydown ctrl mousedown 1");
  live.input("mouseup 1 keyup ctrl");
  CHECK(contains(live.session().error(), "no body has dug it"));
  CHECK(live.session().done().empty());
  live.session().forget_error();
  live.key("1");
}

TEST_CASE("A hole is cut where the mouse is, lets sand through, is taken back, and played back to the same bits",
          "[live]") {
  Live live(R"(
[time]
dt = 0.005
end = 100
[domain]
min = [-0.3, -0.5, 0.0]
max = [0.3, 0.2, 1.0]
[solver]
substeps = 4
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
fill.box = { min = [-0.3, -0.06, 0.0], max = [0.3, 0.2, 0.3] }
[[body]]
name = "wall"
position = [0, -0.1, 0.2]
parts = [ { box = { size = [0.6, 0.04, 0.4] } } ]
[[body]]
name = "ball"
position = [0.2, -0.35, 0.06]
density = 2000
parts = [ { sphere = { radius = 0.06 } } ]
[camera]
eye = [0, -2.5, 0.9]
target = [0, 0, 0.15]
)");
  live.play_to(0.05);
  const std::uint64_t step = live.session().step();
  const auto in_front = [&] {
    const auto grains = live.session().simulation().grains();
    return std::ranges::count_if(grains, [](const GrainState& g) { return g.position.y < -0.12f; });
  };
  const auto cut_at = [&](const glm::dvec3& place) {
    const glm::ivec2 at(*viewer::pixel_of(live.app->view(), glm::vec2(width, height), place));
    live.point_at(at.x, at.y);
    live.input("keydown ctrl mousedown 1");
    live.input("mouseup 1 keyup ctrl");
  };
  live.key("5");
  CHECK(live.app->tool() == viewer::Tool::cut);
  live.app->reach() = 7.0f;
  const Image whole = live.picture();
  cut_at({0.0, -0.12, 0.15});
  CHECK(live.session().error() == "");
  CHECK(live.session().scene().bodies[0].parts.size() == 2);
  CHECK(differing(whole, live.picture(), 0.05f) > 100);  // it is seen at once
  CHECK(in_front() == 0);
  live.play_to(0.65);
  CHECK(in_front() > 20);
  live.picture();
  takes_back_and_replays(live, "cut wall at [", step);
  CHECK(in_front() > 20);

  // What has a mass, and what is no body, stays whole.
  cut_at({0.2, -0.41, 0.06});
  CHECK(contains(live.app->message(), "body ball has a mass"));
  live.app->message().clear();
  cut_at({-0.2, -0.48, 0.0});
  CHECK(contains(live.app->message(), "nothing is cut here"));
  live.app->message().clear();
  CHECK(live.session().scene().bodies[0].parts.size() == 2);
  CHECK(live.session().done().size() == 1);
  CHECK(live.app->undo_points().empty());
  const Scene& scene = live.session().scene();
  CHECK_THROWS_WITH(viewer::with_cut(scene, "fence", {}, 0.1), Catch::Contains("there is no body fence"));
  for (const double radius : {0.0, -1.0, 1e7, std::nan("")})
    CHECK_THROWS_WITH(viewer::with_cut(scene, "wall", {}, radius), Catch::Contains("a radius above 0"));
  Scene many = scene;
  many.bodies[0].parts.resize(shared::parts_most, many.bodies[0].parts[0]);
  CHECK_THROWS_WITH(viewer::with_cut(many, "wall", {}, 0.1), Catch::Contains("no room for another one"));
  Scene ground = scene;
  ground.soil.emplace();
  CHECK_THROWS_WITH(viewer::with_cut(ground, "wall", {}, 0.1), Catch::Contains("[soil]"));
  live.key("1");
  live.app->reach() = 5.0f;
}
