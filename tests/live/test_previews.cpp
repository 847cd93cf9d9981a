// Pictures of scenes in the browser.
#include "live.h"

using namespace talus;
using namespace talus_tests;

namespace {

void shown(Live& live) {
  live.app->remembered().panels_shown = true;
  live.app->remembered().panels = {"Scenes"};
}

}  // namespace

TEST_CASE("The browser shows scenes as they are drawn, once", "[live]") {
  viewer::ViewOptions options = live_options();
  const Scratch kept, scenes;
  options.program = TALUS_PROGRAM;
  options.previews = kept.path();
  options.scenes = scenes.path();
  const std::filesystem::path scene = scenes / "three.toml", wrong = scenes / "wrong.toml";
  write_text(scene, "[scene]\ntitle = \"Three balls\"\n" + balls);
  write_text(wrong, "[scene]\ntitel = 1\n");
  {
    Live live("", options);
    shown(live);
    live.until([&] { return static_cast<bool>(live.app->previews().of(scene).picture); }, 300.0);
    const viewer::Previews::Preview& preview = live.app->previews().of(scene);
    CHECK(preview.title == "Three balls");
    CHECK(preview.grains == 3);
    CHECK(preview.fine == 0);
    live.until([&] { return !live.app->previews().busy(); }, 300.0);
    CHECK_FALSE(live.app->previews().of(wrong).picture);
    live.picture(true);
  }
  std::vector<std::filesystem::path> drawn;
  for (const auto& entry : std::filesystem::directory_iterator(kept.path()))
    drawn.push_back(entry.path());
  REQUIRE(drawn.size() == 1);
  const Image image = read_png(drawn[0] / "final.png");
  CHECK(patch(image, red).pixels > 20);
  CHECK(patch(image, green).pixels > 20);

  options.program.clear();  // nothing is drawn again
  Live live("", options);
  shown(live);
  live.until([&] { return static_cast<bool>(live.app->previews().of(scene).picture); });
  write_text(scene, "[scene]\ntitle = \"Another\"\n" + box);
  live.until([&] { return live.app->previews().of(scene).title == "Another"; });
}
