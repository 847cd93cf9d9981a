#pragma once
// A window with a small scene in it, driven frame by frame; keys and mouse are real events, by xdotool.
#include "picture.h"
#include "scratch.h"
#include "viewer/live/app.h"
#include "viewer/live/panels.h"
#include "viewer/png.h"
#include <fmt/format.h>

namespace talus_tests {

using viewer::App, viewer::read_png;

// Two balls before the sky, a red one on the left and a green one on the right, and a blue one that lies on the floor
// below; in pictures of picture.h's size.
extern const std::string balls;
// Grains thrown into a box.
extern const std::string box;

// A scene that stands at its start, without panels. At the end the validation layer must have had nothing to say.
class Live {
public:
  explicit Live(const std::string& scene);              // in a window that the tests share
  Live(const std::string& scene, viewer::ViewOptions);  // in one of its own
  ~Live();
  Live(const Live&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& scene);  // in the test's own folder
  void open(const std::filesystem::path& scene);                                   // and waits for it

  void frames(int count);
  // Frames until it is so; the test fails after `seconds`.
  template <class Done> void until(Done&& done, double seconds = 60.0);
  void loaded();              // until no scene is on its way
  void play_to(double time);  // s simulated; pauses there
  void drop(const std::filesystem::path& file);
  Image picture(bool panels = false);  // of the scene, or of all that is in the window

  // xdotool with these arguments, and the frames that take it in.
  void input(const std::string& arguments, int taken_in = 4);
  void key(const std::string& name) { input("key " + name); }
  void point_at(int x, int y);  // pixels of the window
  void drag(int button, glm::ivec2 from, glm::ivec2 to);
  void resize(int width, int height);
  void minimise(bool on);  // as window managers do, which are not there

  viewer::Session& session() { return *app->session(); }
  GLFWwindow* handle() { return app->window().handle(); }

  Scratch scratch;

private:
  std::unique_ptr<App> own_;
  std::string id_;  // of the window, for xdotool

public:
  App* app;
};

// On the device of the tests, small, paused.
viewer::ViewOptions live_options();

template <class Done> void Live::until(Done&& done, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!done()) {
    REQUIRE(std::chrono::steady_clock::now() < end);
    REQUIRE(app->frame());
  }
}

}  // namespace talus_tests
