#include "live.h"

using namespace talus_tests;

TEST_CASE("A scene opens in a window, plays, and its grains are seen to fall", "[live]") {
  viewer::ViewOptions options = live_options();
  options.paused = true;
  Live live(balls, options);
  REQUIRE(live.app->session());
  CHECK(live.app->message() == "");
  const Image start = live.picture();
  CHECK(live.app->message() == "");
  REQUIRE(start.width == width);
  REQUIRE(start.height == height);
  const Patch red_before = patch(start, red), green_before = patch(start, green), blue_before = patch(start, blue);
  CHECK(red_before.pixels > 50);
  CHECK(red_before.middle.x < 0.5 * width);
  CHECK(green_before.middle.x > 0.5 * width);
  live.play_to(0.4);
  const Image later = live.picture();
  CHECK(patch(later, red).middle.y > red_before.middle.y + 10.0);
  CHECK(patch(later, green).middle.y > green_before.middle.y + 10.0);
  CHECK(glm::distance(patch(later, blue).middle, blue_before.middle) < 1.0);
}
