// What happens to a window.
#include "engine/gpu/vulkan.h"
#include "live.h"
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <imgui.h>
#include <sys/wait.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
// Last: its macros have common names.
#include <X11/Xatom.h>
#include <X11/Xlib.h>

using namespace talus;
using namespace talus_tests;

namespace {

// A display of 192 dots an inch, as GLFW reads it when it starts.
class FineDots {
public:
  FineDots() : display_(XOpenDisplay(nullptr)) { set("Xft.dpi:\t192\n"); }
  ~FineDots() {
    set("");
    XCloseDisplay(display_);
  }

private:
  Display* display_;

  void set(const std::string& resources) {
    XChangeProperty(display_, DefaultRootWindow(display_), XA_RESOURCE_MANAGER, XA_STRING, 8, PropModeReplace,
                    reinterpret_cast<const unsigned char*>(resources.data()), static_cast<int>(resources.size()));
    XSync(display_, False);
  }
};

}  // namespace

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

TEST_CASE("Panels stay in a window of another size, at their edge of it", "[live]") {
  Live live(box);
  live.app->remembered().panels_shown = true;
  live.app->remembered().panels = {"Scenes", "Look", "Statistics", "Drive"};
  const auto& places = live.app->panel_places();
  const viewer::PanelPlace &scenes = places[1], &look = places[2], &statistics = places[3], &drive = places[5];
  const glm::ivec2 first(1000, 700);
  glm::vec2 wanted(0.0f);
  for (const glm::ivec2 size : {first, {640, 480}, {1100, 900}, {420, 300}, first}) {
    CAPTURE(size.x, size.y);
    live.resize(size.x, size.y);
    live.frames(4);
    const float top = ImGui::GetFrameHeight();
    for (const viewer::PanelPlace* place : {&scenes, &look, &statistics, &drive}) {
      const glm::vec2 high = place->low + place->size;
      CAPTURE(place - places.data(), place->low.x, place->low.y, high.x, high.y);
      CHECK(place->low.x >= 0.0f);
      CHECK(place->low.y >= top - 1.0f);  // its title is below the bar
      CHECK(high.x <= static_cast<float>(size.x));
      CHECK(high.y <= static_cast<float>(size.y));
      CHECK(place->size.x > 200.0f);
      CHECK(place->size.y > 60.0f);
    }
    const auto from_right = [&](const viewer::PanelPlace& place) {
      return static_cast<float>(size.x) - place.low.x - place.size.x;
    };
    CHECK(scenes.low.x < 0.02f * static_cast<float>(size.x));
    CHECK(from_right(look) < 0.02f * static_cast<float>(size.x));
    CHECK(from_right(statistics) < 0.02f * static_cast<float>(size.x));
    CHECK(static_cast<float>(size.y) - drive.low.y - drive.size.y < 0.04f * static_cast<float>(size.y));
    if (wanted == glm::vec2(0.0f))
      wanted = statistics.size;
  }
  CHECK(glm::all(glm::lessThan(glm::abs(statistics.size - wanted), glm::vec2(2.0f))));  // as large as it was
  // One that is pulled keeps to where it was left.
  const auto before = places;
  live.drag(1, {static_cast<int>(look.low.x) + 100, static_cast<int>(look.low.y) + 8}, {5, 400});
  CHECK(look.low.x < 1.0f);  // not out of the window
  live.resize(800, 600);
  live.frames(4);
  CHECK(look.low.x < 1.0f);
  CHECK(look.low.y > 100.0f);
  live.app->panel_places() = before;  // other tests share the window
}

TEST_CASE("Plots know when their values were", "[live]") {
  Live live(box);
  live.app->remembered().panels_shown = true;
  live.app->remembered().panels = {"Statistics"};
  live.session().playing = true;
  const auto& energy = live.app->statistics().series(viewer::Statistics::energy);
  live.until([&] { return energy.size() >= 4; });
  live.session().playing = false;
  CHECK(std::ranges::is_sorted(energy, std::less(), &viewer::Statistics::Point::time));
  CHECK(energy.front().time < energy.back().time);
  CHECK(energy.back().time <= live.session().time() + 1e-9);
  for (const viewer::Statistics::Point& point : energy)
    CHECK(point.value >= 0.0);
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
    live.key("F1 F2 F3");  // open
    live.key("F2");        // closes
    live.app->remembered().record_file = "mine.webm";
    live.app->remembered().record_rate = 12.0f;
    live.app->remembered().vsync = false;
    live.resize(400, 300);
  }
  options.size.reset();
  {
    Live live("", options);
    const viewer::Remembered& r = live.app->remembered();
    CHECK(r.panels == std::vector<std::string>{"Keys", "Look"});
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

TEST_CASE("The first start shows running sand, and a later one what is remembered", "[live]") {
  const Scratch home, scenes;
  viewer::ViewOptions options = live_options();
  options.remembered = home.path();
  options.scenes = scenes.path();
  options.welcome = true;
  options.paused = false;
  {
    Live live("", options);  // from an empty folder: the scene that is built in
    REQUIRE(live.app->session());
    CHECK(live.session().scene().title == "Hourglass");
    CHECK(live.app->remembered().panels.empty());
    live.until([&] { return live.session().step() > 8; }, 300.0);
    live.session().playing = false;
    live.until([&] { return !live.session().simulation().under_way(); });
    CHECK(live.session().simulation().grain_count() > 100);
    live.app->remembered().panels_shown = true;
    const Image hinted = live.picture(true);
    CHECK(live.app->hint());
    live.key("Escape");
    CHECK_FALSE(live.app->hint());
    CHECK(differing(hinted, live.picture(true), 60.0f) > 200);
    live.key("F2");
    CHECK(live.app->remembered().panels == std::vector<std::string>{"Scenes"});
    CHECK(live.app->remembered().recent.empty());  // it is in no file
  }
  write_text(scenes / "hourglass.toml", balls);
  {
    Live live("", options);
    REQUIRE(live.app->session());
    CHECK(live.session().file() == scenes / "hourglass.toml");
    CHECK(live.session().playing);
  }
  Live live("", options);
  CHECK_FALSE(live.app->session());
  CHECK_FALSE(live.app->hint());
}

TEST_CASE("A viewer that is told to end saves what was chosen", "[live]") {
  const Scratch home;
  write_text(home / "scene.toml", balls);
  const std::string command =
      fmt::format("XDG_CONFIG_HOME={0} timeout --preserve-status 3 {1} {0}/scene.toml --size 400x300 --device cpu",
                  home.path().string(), TALUS_VIEW_PROGRAM);
  const int status = std::system(command.c_str());
  CHECK(WEXITSTATUS(status) == 128 + SIGTERM);
  CHECK(viewer::Remembered::load(home / "talus/view.json").width == 400);  // however far it had come
}

TEST_CASE("On a display with small dots, letters and window have twice as many", "[live]") {
  const FineDots dots;
  viewer::ViewOptions options = live_options();
  const Scratch home;
  options.remembered = home.path();
  {
    Live live(balls, options);
    CHECK(live.app->gui_scale() == 2.0f);
    CHECK(live.app->window().width() == 2 * width);
    CHECK(live.app->window().height() == 2 * height);
    CHECK(live.app->window().points() == std::pair(width, height));
    const Image image = live.picture();
    CHECK(image.width == 2 * width);
    CHECK(patch(image, red).pixels > 200);
    live.app->remembered().panels_shown = true;
    live.picture(true);
  }
  CHECK(viewer::Remembered::load(home / "view.json").width == width);  // points
}

TEST_CASE("A device that does not draw in this window is refused with what to do", "[live]") {
  Live live(balls);  // so that GLFW's own ends after this
  const viewer::Windows windows;
  const auto device = windows.open_device(live_options().device, true);
  const auto supports = std::exchange(vkGetPhysicalDeviceSurfaceSupportKHR,
                                      [](VkPhysicalDevice, std::uint32_t, VkSurfaceKHR, VkBool32* supported) {
                                        *supported = VK_FALSE;
                                        return VK_SUCCESS;
                                      });
  std::string why;
  try {
    viewer::Window(*device, "none", width, height);
  } catch (const viewer::NoWindow& e) {
    why = e.what();
  }
  vkGetPhysicalDeviceSurfaceSupportKHR = supports;
  CHECK(contains(why, "does not draw in windows of this display"));
  CHECK(contains(why, "`talus render` draws pictures and videos without a window"));
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
