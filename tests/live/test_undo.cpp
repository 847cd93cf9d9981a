// Actions that are taken back.
#include "live.h"
#include "viewer/inputs.h"
#include "viewer/live/undo.h"
#include <array>

using namespace talus;
using namespace talus_tests;

namespace {

// A lever about the vertical, clear of a ball that falls.
const std::string lever = R"(
[time]
dt = 0.01
end = 30
[domain]
min = [-1, -1, 0]
max = [1, 1, 2]
[[material]]
name = "red"
color = [0.8, 0.02, 0.02]
[[grains]]
material = "red"
radius = 0.1
fill.points = [[0.5, 0.5, 1.5], [0.5, -0.5, 1.5]]
[[body]]
name = "lever"
position = [0, 0, 0.5]
joint = { type = "revolute", axis = [0, 0, 1], min = -90, max = 90 }
parts = [ { box = { size = [0.4, 0.1, 0.1] } } ]
[camera]
eye = [0, -4, 1]
target = [0, 0, 1]
)";

void undo(Live& live) {
  live.app->message().clear();
  live.key("ctrl+z");
  live.until([&] { return !live.app->message().empty(); });
}

std::string points(Live& live) {
  std::string names;
  for (const viewer::Undo::Point& point : live.app->undo_points())
    names += point.action + "; ";
  return names;
}

}  // namespace

TEST_CASE("A setting is taken back with state and time, and what is recorded ends there", "[live]") {
  for (const char* device : {"cpu", ""}) {
    CAPTURE(device);
    viewer::ViewOptions options = live_options();
    if (*device)
      options.device = device;
    Live live(box, options);
    live.play_to(0.2);
    const std::uint64_t step = live.session().step(), hash = live.session().simulation().state_hash();
    for (const double gravity : {2.0, 3.0, 4.0}) {  // a slider that is pulled
      live.session().give(viewer::SetParameter{"domain.gravity.z", gravity});
      live.frames(2);
    }
    live.play_to(0.4);
    CHECK(points(live) == "setting domain.gravity.z; ");
    CHECK(live.session().scene().domain.gravity.z == 4.0);
    undo(live);
    CHECK(contains(live.app->message(), "Taken back: setting domain.gravity.z"));
    CHECK(live.session().step() == step);
    CHECK(live.session().simulation().state_hash() == hash);
    CHECK(live.session().scene().domain.gravity.z == -9.81);
    CHECK(live.session().done().empty());
    CHECK(points(live).empty());

    live.play_to(0.5);
    Simulation never(load_scene(live.scratch / "scene.toml"), {.device = *device ? device : options.device});
    never.advance(live.session().step());
    CHECK(live.session().simulation().state_hash() == never.state_hash());

    live.app->message().clear();
    live.app->save_inputs(live.scratch / "inputs.json");
    live.until([&] { return !live.app->message().empty(); });
    live.app->message().clear();
    live.app->replay(live.scratch / "inputs.json");
    live.until([&] { return !live.app->message().empty(); });
    CHECK_THAT(live.app->message(), Catch::Contains("bit for bit"));
  }
}

TEST_CASE("Levers and the hand are taken back stroke by stroke, and what they held is let go", "[live]") {
  Live live(lever);
  const auto angle = [&] { return live.session().simulation().joint_state(0).value; };
  live.input("keydown j");
  live.play_to(0.1);
  const double turned = angle();
  CHECK(turned > 1.0);
  live.session().give(viewer::SetParameter{"domain.gravity.z", -1.0});  // while the lever is held
  live.play_to(0.2);
  live.input("keyup j");
  live.play_to(0.3);
  live.session().give(viewer::Grab{{0.5, 0.5, live.session().simulation().grains()[0].position.z}, 0.05});
  live.session().give(viewer::MoveHand{{0.5, 0.5, 1.5}});
  live.play_to(0.6);
  live.session().give(viewer::Release{});
  live.frames(4);
  CHECK(points(live) == "lever lever; setting domain.gravity.z; hand; ");
  CHECK(live.app->undo_points()[1].time == Approx(0.1));
  CHECK(live.session().simulation().grains()[0].position.z > live.session().simulation().grains()[1].position.z + 0.1f);

  undo(live);
  CHECK(live.session().time() == Approx(0.3));
  const auto grains = live.session().simulation().grains();
  CHECK(grains[0].position.z == grains[1].position.z);
  undo(live);
  CHECK(live.session().time() == Approx(0.1));
  CHECK(angle() == Approx(turned));
  CHECK(live.session().scene().domain.gravity.z == -9.81);
  live.play_to(0.3);
  CHECK(angle() == Approx(turned));  // its key is up
  undo(live);
  CHECK(live.session().step() == 0);
  CHECK(angle() == 0.0);
  undo(live);
  CHECK(live.app->message() == "There is nothing to take back.");
}

TEST_CASE("Several actions are taken back at once, to a point of time", "[live]") {
  Live live(box);
  std::vector<std::uint64_t> hashes;
  for (int k = 0; k < 4; ++k) {
    live.play_to(0.1 * (k + 1));
    hashes.push_back(live.session().simulation().state_hash());
    constexpr std::array keys{"domain.gravity.x", "domain.gravity.y", "domain.gravity.z", "material.sand.density"};
    live.session().give(viewer::SetParameter{keys[k], 1.0 + k});
    live.frames(3);
  }
  REQUIRE(live.app->undo_points().size() == 4);
  live.app->undo(1);
  CHECK(live.session().time() == Approx(0.2));
  CHECK(live.session().simulation().state_hash() == hashes[1]);
  CHECK(live.session().scene().domain.gravity == glm::dvec3(1.0, 0.0, -9.81));
  CHECK(live.session().done().size() == 1);
  CHECK(live.app->undo_points().size() == 1);
}

TEST_CASE("A start again and a mesh that was dropped are taken back", "[live]") {
  Live live(balls);
  live.play_to(0.2);
  const std::uint64_t step = live.session().step(), hash = live.session().simulation().state_hash();
  live.key("BackSpace");
  live.loaded();
  CHECK(live.session().step() == 0);
  undo(live);
  CHECK(live.session().step() == step);
  CHECK(live.session().simulation().state_hash() == hash);

  write_text(live.scratch / "wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  live.drop(live.scratch / "wedge.obj");
  live.until([&] { return live.app->dropped_mesh().has_value(); });
  live.app->add_mesh();
  live.loaded();
  REQUIRE(live.session().scene().bodies.size() == 1);
  live.play_to(0.1);
  undo(live);
  CHECK(contains(live.app->message(), "mesh wedge"));
  CHECK(live.session().scene().bodies.empty());
  CHECK(live.session().step() == step);
  CHECK(live.session().simulation().state_hash() == hash);
  live.play_to(0.4);
  Simulation never(load_scene(live.scratch / "scene.toml"), {.device = live_options().device});
  never.advance(live.session().step());
  CHECK(live.session().simulation().state_hash() == never.state_hash());
  live.app->message().clear();
  live.open(live.write("box.toml", box));
  CHECK(live.app->undo_points().empty());  // those were of another scene
}

TEST_CASE("The states that are kept are bounded in number and bytes", "[live]") {
  Live live(box);
  viewer::Session& session = live.session();
  viewer::Undo many;
  for (int k = 0; k < 20; ++k)
    many.keep(std::to_string(k), session);
  REQUIRE(many.points().size() == viewer::Undo::most);
  CHECK(many.points().front().action == "4");
  CHECK(many.take(15).action == "19");
  CHECK(many.take(2).action == "6");
  CHECK(many.points().size() == 2);

  const std::size_t bytes = many.points().front().bytes;
  viewer::Undo few(3 * bytes + bytes / 2);
  for (int k = 0; k < 5; ++k)
    few.keep(std::to_string(k), session);
  CHECK(few.points().size() == 3);
  viewer::Undo none(bytes / 2);
  none.keep("one", session);
  CHECK(none.points().empty());
  CHECK(contains(none.why_not(), "a state of this scene takes"));
}

TEST_CASE("While a video is recorded, or inputs play, nothing is taken back", "[live]") {
  Live live(box);
  live.session().give(viewer::SetParameter{"domain.gravity.z", -3.0});
  live.play_to(0.1);
  live.app->record(live.scratch / "pictures", 30.0);
  const std::uint64_t step = live.session().step();
  undo(live);
  CHECK(contains(live.app->message(), "video"));
  CHECK(live.session().step() >= step);
  live.app->stop_recording();
  live.session().playing = false;
  live.until([&] { return !live.session().simulation().under_way(); });
  undo(live);
  CHECK(live.session().step() == 0);
}
