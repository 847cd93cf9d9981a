// States of the run that are kept, and the timeline that goes to them.
#include "live.h"
#include "viewer/live/undo.h"

using namespace talus;
using namespace talus_tests;

namespace {

std::vector<viewer::Undo::Point> stops(Live& live) {
  return live.app->kept_states().timeline();
}

void play_on(Live& live, double time) {
  live.play_to(time);
  live.frames(1);
}

}  // namespace

TEST_CASE("The timeline goes to states of the run and back, and a run goes on from there to the same bits", "[live]") {
  Live live(box);
  for (int k = 1; stops(live).size() < 3; ++k) {
    REQUIRE(k < 100);
    play_on(live, 0.3 * k);
  }
  const double now = live.session().time();
  const std::uint64_t end_hash = live.session().simulation().state_hash();
  const auto before = stops(live);
  CHECK(before[0].time == 0.0);
  CHECK(live.app->undo_points().empty());  // moments are no actions

  live.app->scrub(before[1].time);
  CHECK(live.session().time() == before[1].time);
  CHECK_FALSE(live.session().playing);
  CHECK(live.app->message() == "");
  CHECK(stops(live).size() == before.size() + 1);  // with the state that it left
  const Image back = live.picture();
  Simulation never(load_scene(live.scratch / "scene.toml"), {.device = live_options().device});
  never.advance(live.session().step());
  CHECK(live.session().simulation().state_hash() == never.state_hash());
  live.app->scrub(now);
  CHECK(live.session().time() == now);
  CHECK(live.session().simulation().state_hash() == end_hash);
  CHECK(live.picture().rgba != back.rgba);
  live.app->scrub(before[1].time + 0.01);  // the nearest
  CHECK(live.session().time() == before[1].time);
  CHECK(live.picture().rgba == back.rgba);

  // It goes on: what was ahead is gone, and comes again.
  live.play_to(now);
  live.frames(1);
  CHECK(live.session().simulation().state_hash() == end_hash);
  for (const viewer::Undo::Point& stop : stops(live))
    CHECK(stop.time <= now);
  CHECK(stops(live)[1].time == before[1].time);
}

TEST_CASE("Actions are marks of the timeline, and are undone only up to where it stands", "[live]") {
  Live live(box);
  live.play_to(0.1);
  live.session().give(viewer::SetParameter{"domain.gravity.x", 1.0});
  live.play_to(0.3);
  live.session().give(viewer::SetParameter{"domain.gravity.y", 2.0});
  live.play_to(0.5);
  REQUIRE(live.app->undo_points().size() == 2);
  const auto kept = stops(live);
  const auto mark = std::ranges::find(kept, "setting domain.gravity.y", &viewer::Undo::Point::action);
  REQUIRE(mark != kept.end());
  CHECK(mark->time == Approx(0.3));
  live.app->scrub(0.3);
  CHECK(live.session().time() == Approx(0.3));
  CHECK(live.session().scene().domain.gravity == glm::dvec3(1.0, 0.0, -9.81));
  CHECK(live.session().done().size() == 1);
  CHECK(live.app->undo_points().size() == 1);
  live.app->scrub(0.5);
  CHECK(live.session().scene().domain.gravity.y == 2.0);
  CHECK(live.app->undo_points().size() == 2);
  live.app->scrub(0.3);
  live.key("ctrl+z");
  live.until([&] { return !live.app->message().empty(); });
  CHECK(contains(live.app->message(), "setting domain.gravity.x"));
  CHECK(live.session().time() == Approx(0.1));
  CHECK(live.session().scene().domain.gravity.y == 0.0);
  REQUIRE_FALSE(stops(live).empty());
  CHECK(stops(live).back().time < 0.1);
  live.app->message().clear();
}

TEST_CASE("A start again begins the timeline anew, and a replay has one", "[live]") {
  Live live(box);
  live.play_to(0.2);
  live.session().give(viewer::SetParameter{"domain.gravity.x", 1.0});
  live.play_to(0.4);
  live.app->save_inputs(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  live.app->message().clear();
  live.key("BackSpace");
  live.loaded();
  CHECK(stops(live).empty());
  CHECK(live.app->undo_points().size() == 2);

  live.app->replay(live.scratch / "inputs.json");
  live.loaded();
  live.until([&] { return live.session().time() > 0.1; });
  live.app->scrub(0.0);
  CHECK(live.session().step() == 0);
  CHECK(live.session().replaying());
  live.session().playing = true;
  live.until([&] { return !live.app->message().empty(); });
  CHECK_THAT(live.app->message(), Catch::Contains("bit for bit"));
  live.app->scrub(0.0);
  CHECK(live.session().replaying());  // and can be played again
  live.app->message().clear();
}

TEST_CASE("Moments make room for more, further apart", "[live]") {
  Live live(balls);
  viewer::Session& session = live.session();
  viewer::Undo undo;
  session.playing = true;
  undo.watch(session, 0.0);
  REQUIRE(undo.timeline().size() == 1);
  const std::size_t bytes = undo.timeline()[0].bytes;
  viewer::Undo few(10 * bytes);
  session.playing = false;
  few.keep("an action", session);
  for (int k = 1; k < 16; ++k) {
    live.play_to(0.1 * k);
    session.playing = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    few.watch(session, 0.0);
    session.playing = false;
  }
  const auto kept = few.timeline();
  CHECK(kept.size() <= 10);
  CHECK(kept.size() >= 3);
  CHECK(few.points().size() == 1);  // an action's state goes last
  viewer::Undo none(4 * bytes);
  session.playing = true;
  none.watch(session, 0.0);
  session.playing = false;
  CHECK(none.timeline().empty());
  CHECK(contains(none.no_moments(), "too much to keep moments"));
}

TEST_CASE("A click on the timeline's panel goes to the state there", "[live]") {
  Live live(box);
  for (int k = 1; stops(live).size() < 3; ++k)
    live.play_to(0.3 * k);
  live.app->remembered().panels_shown = true;
  live.key("F9");
  live.frames(3);
  const viewer::PanelPlace& at = live.app->panel_places()[8];
  REQUIRE(at.shown);
  live.point_at(static_cast<int>(at.low.x) + 12, static_cast<int>(at.low.y + 0.5f * at.size.y));
  live.input("click 1");
  CHECK(live.session().step() == 0);
  CHECK(live.picture(true).width > 0);
}
