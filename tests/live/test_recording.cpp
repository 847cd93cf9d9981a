// Recordings at a fixed rate of simulated time.
#include "live.h"

using namespace talus;
using namespace talus_tests;

namespace {

std::vector<Image> record(Live& live, const std::string& scene, const std::string& folder, double pace) {
  live.open(live.write(folder + ".toml", scene));
  live.session().pace = pace;
  live.app->record(live.scratch / folder, 20.0);
  live.until([&] { return !live.app->recorder().running(); });
  CHECK(contains(live.app->message(), "11 frames in "));
  live.app->message().clear();
  CHECK(live.session().ended());
  std::vector<Image> images;
  for (int i = 0; std::filesystem::exists(live.scratch / folder / fmt::format("frame_{:05}.png", i)); ++i)
    images.push_back(read_png(live.scratch / folder / fmt::format("frame_{:05}.png", i)));
  return images;
}

}  // namespace

TEST_CASE("A recording has the same pictures whatever the pace", "[live]") {
  std::string scene = balls;
  scene.replace(scene.find("end = 4.0"), 9, "end = 0.5");
  Live live(scene);
  const std::vector<Image> slow = record(live, scene, "slow", 0.25), fast = record(live, scene, "fast", 16.0);
  REQUIRE(slow.size() == 11);  // one at the start, then 20 a second for half a second
  REQUIRE(fast.size() == 11);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    CAPTURE(i);
    CHECK(slow[i].rgba == fast[i].rgba);
    if (i > 0) {
      CHECK(patch(slow[i], red).middle.y > patch(slow[i - 1], red).middle.y);
    }
  }
}

TEST_CASE("A video has the frames of the recording", "[live]") {
  std::string scene = balls;
  scene.replace(scene.find("end = 4.0"), 9, "end = 0.5");
  Live live(scene);
  const std::filesystem::path video = live.scratch / "film.mp4";
  live.app->record(video, 20.0);
  live.until([&] { return !live.app->recorder().running(); });
  CHECK(contains(live.app->message(), "11 frames in "));
  const std::string pictures = (live.scratch / "film_%02d.png").string();
  REQUIRE(std::system(fmt::format("ffmpeg -loglevel error -i {} {}", video.string(), pictures).c_str()) == 0);
  CHECK_FALSE(std::filesystem::exists(live.scratch / "film_12.png"));
  const Image first = read_png(live.scratch / "film_01.png"), last = read_png(live.scratch / "film_11.png");
  CHECK(first.width == width);
  CHECK(patch(first, red).pixels > 50);
  CHECK(patch(last, red).middle.y > patch(first, red).middle.y + 10.0);
}

TEST_CASE("A recording ends with a sentence when the window's size changes", "[live]") {
  Live live(balls);
  live.app->record(live.scratch / "frames", 20.0);
  live.until([&] { return live.app->recorder().frames() > 2; });
  live.resize(width + 40, height);
  live.until([&] { return !live.app->recorder().running(); });
  CHECK(contains(live.app->message(), "size changed"));
  live.resize(width, height);
  const double time = live.session().time();
  live.until([&] { return live.session().time() > time; });
}
