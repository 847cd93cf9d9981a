// Keys and mouse, as real events, in the window that the tests share.
#include "engine/scene/words.h"
#include "live.h"

using namespace talus;
using namespace talus_tests;

namespace {

const glm::vec3 red_ball(-0.8f, 0.0f, 1.6f), green_ball(0.8f, 0.0f, 1.6f), blue_ball(0.0f, 0.0f, 0.2f);

// The picture is what the camera sees.
void check_view(Live& live, const Image& image) {
  const View view = live.app->camera().view(static_cast<float>(width) / height);
  for (const auto& [color, ball] : {std::pair{red, red_ball}, {green, green_ball}, {blue, blue_ball}}) {
    CAPTURE(color);
    const glm::vec3 at = view.project(ball);
    const glm::vec2 expected((0.5f + 0.5f * at.x) * width, (0.5f - 0.5f * at.y) * height);
    const Patch found = patch(image, color);
    REQUIRE(found.pixels > 20);
    CHECK(glm::distance(found.middle, glm::dvec2(expected)) < 4.0);
  }
}

double size_of(const Image& image) {  // pixels, of all three
  return patch(image, red).pixels + patch(image, green).pixels + patch(image, blue).pixels;
}

}  // namespace

TEST_CASE("Keys play, pause, step, restart and set the pace", "[live]") {
  Live live(box);
  viewer::Session& session = live.session();
  live.key("Right");
  live.until([&] { return session.step() == 1; });
  live.frames(5);
  CHECK(session.step() == 1);
  live.key("space");
  CHECK(session.playing);
  live.until([&] { return session.step() > 5; });
  live.key("space");
  CHECK_FALSE(session.playing);
  live.until([&] { return !session.simulation().under_way(); });
  const std::uint64_t step = session.step();
  live.frames(10);
  CHECK(session.step() == step);

  live.key("Up");
  CHECK(session.pace == 2.0);
  live.key("Down Down");
  CHECK(session.pace == 0.5);
  const ColorBy colored = live.app->look().color_by;
  const Image before = live.picture();
  live.key("c");
  CHECK(live.app->look().color_by != colored);
  CHECK(live.picture().rgba != before.rgba);
  live.key("BackSpace");
  live.loaded();
  CHECK(live.session().step() == 0);
  CHECK(live.session().pace == 0.5);
  CHECK_FALSE(live.session().playing);
  CHECK(live.app->message() == "");
}

TEST_CASE("The mouse turns, moves and zooms the camera", "[live]") {
  Live live(balls);
  const Image start = live.picture();
  check_view(live, start);

  live.drag(1, {160, 90}, {172, 90});
  Image image = live.picture();
  check_view(live, image);
  CHECK(patch(image, red).pixels > patch(start, red).pixels);  // nearer
  CHECK(patch(image, green).pixels < patch(start, green).pixels);
  live.drag(1, {160, 90}, {160, 100});
  CHECK(live.app->camera().eye().z > 1.3f);
  check_view(live, live.picture());

  live.key("Home");
  CHECK(live.picture().rgba == start.rgba);
  live.drag(2, {160, 90}, {180, 100});
  image = live.picture();
  check_view(live, image);
  CHECK(glm::distance(patch(image, red).middle - patch(start, red).middle, glm::dvec2(20.0, 10.0)) < 2.0);

  live.key("Home");
  live.input("click 4");
  image = live.picture();
  check_view(live, image);
  CHECK(size_of(image) > 1.15 * size_of(start));
  live.input("click 5 click 5");
  CHECK(size_of(live.picture()) < 0.87 * size_of(start));

  live.key("Home");
  const glm::vec3 eye = live.app->camera().eye();
  live.drag(3, {160, 90}, {190, 90});
  image = live.picture();
  check_view(live, image);
  CHECK(glm::distance(live.app->camera().eye(), eye) < 1e-3f);
  CHECK(patch(image, blue).middle.x < patch(start, blue).middle.x - 5.0);  // it looks to the right
}

TEST_CASE("The camera stays above the floor, unless it may go below", "[live]") {
  Live live(balls);  // the floor is at 0
  viewer::Orbit& camera = live.app->camera();
  live.drag(1, {160, 150}, {160, 20});  // it looks up, from below
  CHECK(camera.eye().z > 0.0f);
  CHECK(camera.eye().z < 0.2f);
  CHECK(camera.forward().z > 0.0f);
  live.drag(2, {160, 20}, {160, 150});
  CHECK(camera.eye().z > 0.0f);
  camera.zoom(-20.0f);
  CHECK(camera.eye().z > 0.0f);
  camera.fly({0.0f, 0.0f, -50.0f});
  CHECK(camera.eye().z > 0.0f);
  camera.turn_head(0.0f, -1.0f);  // up to the sky is free
  CHECK(camera.forward().z > 0.9f);
  CHECK(camera.eye().z > 0.0f);

  camera.below_floor = true;
  camera.fly({0.0f, 0.0f, -50.0f});
  CHECK(camera.eye().z < -40.0f);
  camera.below_floor = false;
  camera.stay_above();
  CHECK(camera.eye().z > 0.0f);
}

TEST_CASE("Where a domain has no floor, the camera goes anywhere", "[live]") {
  std::string open = balls;
  open.replace(open.find("y = \"open\""), 10, "y = \"open\"\nz = \"open\"");
  Live live(open);
  CHECK_FALSE(live.app->camera().has_floor());
  live.app->camera().fly({0.0f, 0.0f, -50.0f});
  CHECK(live.app->camera().eye().z < -40.0f);
}

TEST_CASE("Keys fly the camera", "[live]") {
  Live live(balls);
  const Image start = live.picture();
  // The way [m] that the camera goes while the key is held; the picture shows what it sees then.
  const auto fly = [&](const char* key) {
    live.key("Home");
    const glm::vec3 eye = live.app->camera().eye();
    live.input(std::string("keydown ") + key, 0);
    live.until([&] { return live.app->camera().eye() != eye; });
    live.input(std::string("keyup ") + key, 3);
    const glm::vec3 still = live.app->camera().eye();
    live.frames(3);
    CHECK(live.app->camera().eye() == still);
    return still - eye;
  };
  CHECK(fly("w").y > 0.0f);
  CHECK(size_of(live.picture()) > size_of(start));
  CHECK(fly("s").y < 0.0f);
  CHECK(size_of(live.picture()) < size_of(start));
  CHECK(fly("d").x > 0.0f);
  CHECK(patch(live.picture(), red).middle.x < patch(start, red).middle.x);
  CHECK(fly("a").x < 0.0f);
  CHECK(patch(live.picture(), green).middle.x > patch(start, green).middle.x);
  CHECK(fly("e").z > 0.0f);
  CHECK(patch(live.picture(), red).middle.y > patch(start, red).middle.y);
  CHECK(fly("q").z < 0.0f);
  CHECK(patch(live.picture(), blue).middle.y < patch(start, blue).middle.y);
  live.key("Home");
  CHECK(live.picture().rgba == start.rgba);
}

TEST_CASE("Escape closes a message", "[live]") {
  Live live(balls);
  live.app->tell("something is to be read");
  live.frames(3);
  CHECK(live.app->message() != "");
  live.key("Escape");
  CHECK(live.app->message() == "");
}

TEST_CASE("F-keys open and close panels, Tab all of them", "[live]") {
  Live live(balls);
  live.app->remembered().panels.clear();
  live.point_at(160, 170);
  // The share of the window below the bar on top that shows a panel.
  const auto covered = [&] {
    const Image scene = live.picture(), window = live.picture(true);
    REQUIRE(window.rgba.size() == scene.rgba.size());
    int pixels = 0;
    for (int y = 40; y < height; ++y)
      for (int x = 0; x < width; ++x)
        pixels += pixel(scene, x, y) != pixel(window, x, y);
    return static_cast<double>(pixels) / (width * (height - 40));
  };
  CHECK(live.picture().rgba == live.picture(true).rgba);
  live.key("Tab");
  CHECK(covered() == 0.0);
  for (int panel = 1; panel <= viewer::panel_count; ++panel) {
    CAPTURE(panel);
    live.key(fmt::format("F{}", panel));
    CHECK(live.app->remembered().panels.size() == 1);
    CHECK(covered() > 0.1);
    live.key(fmt::format("F{}", panel));
    CHECK(covered() == 0.0);
  }
  live.key("F1");
  live.key("Tab");
  CHECK(live.picture().rgba == live.picture(true).rgba);
}
