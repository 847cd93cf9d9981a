// The mouse pulls grains and pours them, by its tools.
#include "live.h"

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
