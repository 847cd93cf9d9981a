// What happens to a window.
#include "live.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

using namespace talus;
using namespace talus_tests;

TEST_CASE("The picture follows the window's size", "[live]") {
  Live live(balls);
  live.session().playing = true;
  for (const glm::ivec2 size : {glm::ivec2(400, 240),
                                {40, 30},
                                {1, 1},
                                {700, 500},
                                {16, 300},
                                {500, 2},
                                {320, 240},
                                {1200, 40},
                                {100, 100},
                                {width, height}}) {
    CAPTURE(size.x, size.y);
    live.resize(size.x, size.y);
    const Image image = live.picture();
    CHECK(image.width == std::max(size.x, 16));
    CHECK(image.height == std::max(size.y, 16));
    const Image window = live.picture(true);
    CHECK(window.width == image.width);
  }
  live.session().playing = false;
  CHECK(patch(live.picture(), blue).pixels > 50);
}

TEST_CASE("A minimised window goes on without drawing, and comes back", "[live]") {
  Live live(box);
  live.minimise(true);
  CHECK(live.app->window().acquire() == nullptr);
  live.session().playing = true;
  const std::uint64_t step = live.session().step();
  live.until([&] { return live.session().step() > step + 3; });
  live.minimise(false);
  const Image one = live.picture();
  live.until([&] { return live.session().step() > step + 10; });
  CHECK(live.picture().rgba != one.rgba);
}

TEST_CASE("Frames come with and without vsync", "[live]") {
  Live live(balls);
  const Image before = live.picture();
  for (const bool on : {false, true, false, true}) {
    live.app->window().set_vsync(on);
    live.frames(5);
    CHECK(live.app->window().vsync() == on);
    CHECK(live.picture().rgba == before.rgba);
  }
}

TEST_CASE("What was chosen is there in the next window", "[live]") {
  viewer::ViewOptions options = live_options();
  Scratch home;
  options.remembered = home.path() / "talus";
  {
    Live live(balls, options);
    live.key("Tab");
    live.key("F1");  // opens
    live.key("F2");  // closes
    live.app->remembered().record_file = "mine.webm";
    live.app->remembered().record_rate = 12.0f;
    live.app->remembered().vsync = false;
    live.resize(400, 300);
  }
  options.size.reset();
  {
    Live live("", options);
    const viewer::Remembered& r = live.app->remembered();
    CHECK(r.panels == std::vector<std::string>{"Look", "Statistics", "Keys"});
    CHECK(r.record_file == "mine.webm");
    CHECK(r.record_rate == 12.0f);
    CHECK_FALSE(live.app->window().vsync());
    REQUIRE(r.recent.size() == 1);
    CHECK(r.recent[0].ends_with("scene.toml"));
    CHECK(live.app->window().width() == 400);
    CHECK(live.app->window().height() == 300);
    CHECK_FALSE(live.app->session());
    live.picture(true);
  }
  write_text(options.remembered / "view.json", "{ not json");
  options.size = glm::ivec2(width, height);
  Live live("", options);
  CHECK(live.app->remembered().recent.empty());
}

TEST_CASE("A window can be closed in the midst of a step", "[live]") {
  for (const char* device : {"cpu", ""}) {
    CAPTURE(device);
    viewer::ViewOptions options = live_options();
    if (*device)
      options.device = device;
    Live live(box, options);
    live.session().playing = true;
    live.session().hold = 50.0;
    live.until([&] { return live.session().simulation().under_way(); });
    glfwSetWindowShouldClose(live.handle(), GLFW_TRUE);
    CHECK_FALSE(live.app->frame());
  }
}
