#pragma once
// A window with a small scene in it, driven frame by frame; keys and mouse are real events, by xdotool.
#include "picture.h"
#include "scratch.h"
#include "viewer/live/app.h"
#include <fmt/format.h>

namespace talus_tests {

using viewer::App;

// Two balls before the sky, a red one on the left and a green one on the right, and a blue one that lies on the floor
// below; in pictures of picture.h's size.
extern const std::string balls;
// Grains thrown into a box.
extern const std::string box;

// The window is open for as long as this lives. At its end the validation layer must have had nothing to say.
class Live {
public:
  explicit Live(const std::string& scene, viewer::ViewOptions options = {});
  ~Live();

  std::filesystem::path write(const std::string& name, const std::string& scene);  // in the test's own folder

  void frames(int count);
  // Frames until it is so; the test fails after `seconds`.
  template <class Done> void until(Done&& done, double seconds = 20.0);
  void loaded();         // until no scene is on its way
  void play_to(double);  // s simulated; pauses there
  Image picture();       // of the scene, as it is now
  Image window();        // of all that is in the window

  // xdotool with these arguments, and the frames that take it in.
  void input(const std::string& arguments);
  void key(const std::string& name) { input("key " + name); }
  void point_at(int x, int y);  // pixels of the window
  void drag(int button, glm::ivec2 from, glm::ivec2 to);

  std::size_t complaints() { return app->device().instance.log().count(); }

  Scratch scratch;
  std::optional<App> app;

private:
  std::string id_;  // of the window, for xdotool
  int pictures_ = 0;
};

viewer::ViewOptions live_options();

template <class Done> void Live::until(Done&& done, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    REQUIRE(app->frame());
  }
}

}  // namespace talus_tests
