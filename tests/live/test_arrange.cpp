// Things of a scene that are put elsewhere before it starts.
#include "engine/scene/kinematics.h"
#include "engine/scene/text.h"
#include "live.h"
#include "viewer/live/gizmo.h"
#include "viewer/live/movable.h"
#include "viewer/live/projection.h"
#include <glm/gtc/constants.hpp>

using namespace talus;
using namespace talus_tests;
using viewer::Gizmo, viewer::Movable;

namespace {

const std::string workshop = R"(
[time]
dt = 0.01
end = 30
[domain]
min = [-2, -2, 0]
max = [2, 2, 2]
[solver]
substeps = 4
[[material]]
name = "red"
color = [0.8, 0.02, 0.02]
[[grains]]
material = "red"
radius = 0.05
fill.sphere = { center = [-1.5, -1.5, 1.5], radius = 0.1 }
[[grains]]
material = "red"
radius = 0.05
fill.parts = [ { box = { size = [0.4, 0.4, 0.4] }, position = [-1, 1.3, 1.5] },
               { box = { size = [0.2, 0.2, 0.2] }, position = [-0.9, 1.3, 1.5], subtract = true } ]
[[emitter]]
material = "red"
radius = 0.05
rate = 20
start = 0.0
stop = 1.0
shape.cylinder = { base = [1.5, 1.5, 1.5], radius = 0.2, height = 0.2 }
[[body]]
name = "arm"
position = [0, 0, 0.5]
rotation = [0, 0, 30]
parts = [ { box = { size = [0.5, 0.5, 0.5] } } ]
[[body]]
name = "hand"
parent = "arm"
position = [0.1, 0, 0]
joint = { type = "revolute", axis = [0, 1, 0], origin = [0.4, 0, 0.3], rotation = [10, 20, 30], value = 15 }
parts = [ { sphere = { radius = 0.1 } } ]
[[body]]
name = "ram"
position = [1, -1, 1]
keyframes = [ { time = 0, position = [0, 0, 0.1] }, { time = 1, position = [0, 0, 0.3] } ]
parts = [ { box = { size = [0.1, 0.1, 0.1] } } ]
[[body]]
name = "floor"
position = [0, 0, 0.02]
parts = [ { plane = {} } ]
[[sink]]
name = "drain"
position = [0.5, -1, 0.2]
parts = [ { box = { size = [0.2, 0.2, 0.2] } } ]
[[depth_camera]]
name = "above"
position = [0, 0, 1.9]
rotation = [0, 90, 0]
size = [4, 4]
far = 3.0
[[depth_camera]]
name = "on the arm"
body = "arm"
position = [0.5, 0.5, 0.5]
target = [1, 0.2, 0]
size = [4, 4]
far = 3.0
[camera]
eye = [0, -4, 2.0]
target = [0, 0, 0.5]
)";

void check_same(const Pose& a, const Pose& b) {
  CHECK(glm::distance(a.position, b.position) < 1e-6);
  CHECK(std::abs(std::abs(glm::dot(a.rotation, b.rotation)) - 1.0) < 1e-9);
}

Pose turned_about_z(const glm::dvec3& middle, double degrees) {
  const glm::dquat turn = glm::angleAxis(glm::radians(degrees), glm::dvec3(0.0, 0.0, 1.0));
  return {middle - turn * middle, turn};
}

// Where a point of the world is in the window of these tests.
glm::ivec2 seen_at(Live& live, const glm::dvec3& point) {
  const glm::vec2 window(live.app->window().width(), live.app->window().height());
  return glm::ivec2(glm::round(*viewer::pixel_of(live.app->view(), window, point)));
}

// Where a handle can be taken: its last point, or on a ring one beside which no other handle is.
glm::ivec2 place_of(const Gizmo& gizmo, Gizmo::Handle handle) {
  const std::vector<glm::vec2>& line = gizmo.line_of(handle);
  for (auto point = line.rbegin(); point != line.rend(); ++point)
    if (gizmo.at(glm::round(*point)) == handle)
      return glm::ivec2(glm::round(*point));
  FAIL("no place of it is free");
  return {};
}

}  // namespace

TEST_CASE("What is moved in a scene stands where the motion takes it, and nothing else does but what it carries",
          "[live]") {
  const Scene scene = parse_scene(workshop, "workshop.toml");
  const std::vector<Movable> all = viewer::movables_of(scene);
  REQUIRE(all.size() == 10);
  const Pose turn = Pose{{0.3, -0.1, 0.2}} * turned_about_z({0.2, 0.3, 0.0}, 40.0), shift{{0.25, 0.25, -0.125}};
  for (const Movable& what : all) {
    const std::string name = viewer::name_of(scene, what);
    const bool keyframed = name == "body ram", aims = name == "camera on the arm";
    for (const Pose& by : {shift, turn}) {
      if (by == turn && !viewer::can_turn(scene, what))
        continue;
      CAPTURE(name, by.position.x);
      const Scene after = parse_scene(to_toml(viewer::moved(scene, what, by)), "after.toml");
      for (const Movable& other : all) {
        CAPTURE(viewer::name_of(scene, other));
        const bool carried = name == "body arm" && (viewer::name_of(scene, other) == "body hand" ||
                                                    viewer::name_of(scene, other) == "camera on the arm");
        const Pose before = viewer::standing_of(scene, other).pose, now = viewer::standing_of(after, other).pose;
        if (other != what)
          check_same(now, carried ? by * before : before);
        else if (aims && by == shift) {  // it goes on looking at its target
          CHECK(glm::distance(now.position, (by * before).position) < 1e-6);
          CHECK(after.depth_cameras[1].target == scene.depth_cameras[1].target);
        } else if (keyframed)  // its keyframes go out along the axes of the world
          CHECK(glm::distance(now.position - glm::dvec3(0, 0, 0.1),
                              (by * Pose{before.position - glm::dvec3(0, 0, 0.1)}).position) < 1e-6);
        else if (name != "grains 2")
          check_same(now, by * before);
        else
          CHECK(glm::distance(now.position, (by * before).position) < 1e-6);  // the middle of its box
      }
    }
  }
  CHECK(viewer::standing_of(scene, {Movable::Kind::emitter, 0}).box.max.z == Approx(0.1));
  CHECK_FALSE(viewer::can_turn(scene, {Movable::Kind::emitter, 0}));
  CHECK(std::isinf(viewer::standing_of(scene, {Movable::Kind::body, 3}).box.max.x));
}

TEST_CASE("Numbers of what is moved stay as short as they were", "[live]") {
  const Scene scene = parse_scene(workshop, "workshop.toml");
  const Scene after = viewer::moved(scene, {Movable::Kind::body, 0}, turned_about_z({0.0, 0.0, 0.5}, 45.0));
  CHECK(after.bodies[0].position == glm::dvec3(0.0, 0.0, 0.5));
  CHECK(after.bodies[0].rotation == glm::dvec3(0.0, 0.0, 75.0));
  CHECK(viewer::moved(scene, {Movable::Kind::body, 0}, {{0.1, 0.2, 0.0}}).bodies[0].position ==
        glm::dvec3(0.1, 0.2, 0.5));
}

TEST_CASE("Handles move what they hold by as much as the mouse goes over it", "[live]") {
  const View view{{0.0f, -4.0f, 2.5f},
                  glm::normalize(glm::vec3(0.0f, 2.0f, -1.0f)),
                  {0.5f, 0.0f, 0.0f},
                  0.3f * glm::normalize(glm::vec3(0.0f, 1.0f, 2.0f))};
  const glm::vec2 window(600, 360);
  const glm::dvec3 middle(0.3, 0.2, 0.4);
  const Gizmo gizmo(view, window, middle, 80.0f, true);
  const auto seen = [&](const glm::dvec3& from_middle) {
    return *viewer::pixel_of(view, window, middle + from_middle);
  };
  CHECK(gizmo.step() == Approx(0.001));
  for (int axis = 0; axis < 3; ++axis) {
    CAPTURE(axis);
    const auto handle = static_cast<Gizmo::Handle>(axis);
    glm::dvec3 way(0.0);
    way[axis] = 0.5;
    REQUIRE(gizmo.line_of(handle).size() == 2);
    CHECK(glm::distance(gizmo.line_of(handle).back(), gizmo.line_of(handle).front()) < 80.0f);
    CHECK(gizmo.at(gizmo.line_of(handle).back()) == handle);
    const auto by = gizmo.motion(handle, seen(0.2 * way), seen(way), false);
    REQUIRE(by.has_value());
    CHECK(glm::distance(by->position, 0.8 * way) < 1.5e-3);
    CHECK(by->rotation == Pose{}.rotation);
    CHECK(std::abs(std::remainder(gizmo.motion(handle, seen(0.2 * way), seen(way), true)->position[axis], 0.01)) <
          1e-9);
  }
  const auto level = gizmo.motion(Gizmo::Handle::move_level, seen({0.1, 0.1, 0.0}), seen({0.3, -0.2, 0.0}), false);
  REQUIRE(level.has_value());
  CHECK(glm::distance(level->position, glm::dvec3(0.2, -0.3, 0.0)) < 1.5e-3);
  CHECK_FALSE(
      gizmo.motion(Gizmo::Handle::move_level, seen({}), {300.0f, 1.0f - 500.0f}, false).has_value());  // the sky
  for (int axis = 0; axis < 3; ++axis) {
    CAPTURE(axis);
    const auto handle = static_cast<Gizmo::Handle>(4 + axis);
    glm::dvec3 u(0.0), v(0.0);
    u[(axis + 1) % 3] = v[(axis + 2) % 3] = 0.3;
    const double angle = glm::radians(50.0);
    const auto by = gizmo.motion(handle, seen(u), seen(std::cos(angle) * u + std::sin(angle) * v), false);
    REQUIRE(by.has_value());
    CHECK(glm::distance((*by * Pose{middle}).position, middle) < 1e-9);
    glm::dvec3 turn(0.0);
    turn[axis] = angle;
    check_same({{}, by->rotation}, {{}, rotation_by(turn)});
    CHECK(gizmo.motion(handle, seen(u), seen(std::cos(angle) * u + std::sin(angle) * v), true)->rotation ==
          rotation_by(turn / angle * glm::radians(45.0)));
  }
  const Gizmo along({{0.3f, -4.0f, 0.4f}, {0, 1, 0}, {0.5f, 0, 0}, {0, 0, 0.3f}}, window, middle, 80.0f, false);
  CHECK(along.line_of(Gizmo::Handle::move_y).empty());      // the view looks along it
  CHECK(along.line_of(Gizmo::Handle::move_level).empty());  // and onto the edge of the ground
  CHECK_FALSE(along.line_of(Gizmo::Handle::move_x).empty());
  CHECK(along.line_of(Gizmo::Handle::turn_y).empty());  // it cannot turn
  CHECK(Gizmo({{0.3f, 4.0f, 0.4f}, {0, 1, 0}, {0.5f, 0, 0}, {0, 0, 0.3f}}, window, middle, 80.0f, true)
            .line_of(Gizmo::Handle::move_x)
            .empty());  // behind the camera
}

TEST_CASE("A body is clicked at, moved and turned by its handles, taken back, and saved", "[live]") {
  Live live(workshop);
  live.resize(900, 600);  // panels have room beside the body
  live.app->remembered().panels_shown = true;
  live.key("F10");
  REQUIRE(live.app->remembered().panels == std::vector<std::string>{"Arrange"});
  live.app->panel_places() = {};
  live.frames(3);
  live.play_to(0.1);
  const std::uint64_t step = live.session().step();
  const viewer::Arranger& arranger = live.app->arranger();
  CHECK_FALSE(arranger.chosen().has_value());

  glm::ivec2 at = seen_at(live, {0.0, -0.2, 0.6});
  live.point_at(at.x, at.y);
  live.input("click 1");
  live.until([&] { return arranger.chosen().has_value(); });
  CHECK(viewer::name_of(live.session().scene(), *arranger.chosen()) == "body arm");
  live.picture(true);  // for those who look at them

  const glm::vec3 eye = live.app->view().eye;
  at = place_of(*arranger.gizmo(), Gizmo::Handle::move_x);
  const glm::dvec3 before = live.session().scene().bodies[0].position;
  live.point_at(at.x, at.y);
  CHECK(arranger.handle() == Gizmo::Handle::move_x);
  live.input("mousedown 1");
  CHECK(arranger.holding());
  live.point_at(at.x + 60, at.y);
  CHECK(arranger.standing(live.session().scene())->pose.position.x > 0.1);
  CHECK(live.session().scene().bodies[0].position == before);  // until it is let go
  live.picture(true);
  live.input("mouseup 1");
  live.loaded();
  CHECK(live.app->message() == "");
  CHECK(live.app->view().eye == eye);  // the camera has stood
  CHECK(live.session().step() == 0);
  CHECK_FALSE(live.session().playing);
  const glm::dvec3 moved = live.session().scene().bodies[0].position;
  CHECK(moved.x > 0.1);
  CHECK(moved.y == before.y);
  CHECK(moved.z == before.z);
  CHECK(glm::distance(live.session().simulation().body_state(0).pose.position, moved) < 1e-6);
  CHECK(arranger.chosen() == Movable{Movable::Kind::body, 0});
  CHECK_FALSE(arranger.moving());

  live.frames(2);
  at = place_of(*arranger.gizmo(), Gizmo::Handle::turn_z);
  const glm::ivec2 middle = seen_at(live, moved);
  live.point_at(at.x, at.y);
  live.input("mousedown 1");
  live.point_at(2 * middle.x - at.x, 2 * middle.y - at.y);
  live.input("mouseup 1");
  live.loaded();
  CHECK(live.session().scene().bodies[0].position == moved);
  CHECK(live.session().scene().bodies[0].rotation.z != 30.0);
  CHECK(live.session().scene().bodies[0].rotation.x == 0.0);

  REQUIRE(live.app->undo_points().size() == 2);
  for (int k = 0; k < 2; ++k) {
    live.app->message().clear();
    live.key("ctrl+z");
    live.until([&] { return !live.app->message().empty() && !live.app->loader().busy(); });
    CHECK_THAT(live.app->message(), Catch::Contains("move body arm"));
  }
  CHECK(live.session().step() == step);
  CHECK(live.session().scene().bodies[0].position == before);
  live.app->message().clear();

  // Beside the handles the mouse turns the camera.
  live.drag(1, {40, 300}, {90, 300});
  CHECK(live.app->view().eye != eye);
  live.resize(width, height);
}

TEST_CASE("What cannot be where it is put is told, and the scene stays as it is", "[live]") {
  Live live(workshop);
  live.app->arranger().choose(Movable{Movable::Kind::emitter, 0});
  live.app->arranger().set_motion({{0.0, 3.0, 0.0}});
  live.app->arrange();
  live.until([&] { return !live.app->message().empty(); });
  CHECK_THAT(live.app->message(), Catch::Contains("emitter"));
  CHECK(std::get<CylinderFill>(live.session().scene().emitters[0].shape).base == glm::dvec3(1.5, 1.5, 1.5));
  CHECK_FALSE(live.app->arranger().moving());
  CHECK(live.app->undo_points().empty());
  live.app->message().clear();

  live.app->arranger().set_motion({{0.0, -0.5, 0.0}});
  live.app->arrange();
  live.loaded();
  CHECK(live.app->message() == "");
  CHECK(std::get<CylinderFill>(live.session().scene().emitters[0].shape).base == glm::dvec3(1.5, 1.0, 1.5));
  live.play_to(0.5);
  const auto grains = live.session().simulation().grains();
  CHECK(std::ranges::any_of(
      grains, [](const GrainState& g) { return glm::distance(glm::vec2(g.position), glm::vec2(1.5f, 1.0f)) < 0.25f; }));

  // Another scene has other things.
  live.open(live.write("balls.toml", balls));
  CHECK_FALSE(live.app->arranger().chosen().has_value());
}

TEST_CASE("The view that is seen becomes the scene's own", "[live]") {
  Live live(workshop);
  live.drag(1, {10, height / 2}, {60, height / 2 - 20});
  const View view = live.app->view();
  live.app->keep_view();
  live.frames(3);
  REQUIRE(live.session().scene().camera.eye.has_value());
  CHECK(glm::distance(glm::vec3(*live.session().scene().camera.eye), view.eye) < 1e-6f);
  live.drag(1, {10, height / 2}, {90, height / 2});
  CHECK(glm::distance(live.app->view().eye, view.eye) > 0.1f);
  live.app->start_camera();
  CHECK(glm::distance(live.app->view().eye, view.eye) < 1e-4f);
  CHECK(glm::distance(live.app->view().forward, view.forward) < 1e-4f);
}
