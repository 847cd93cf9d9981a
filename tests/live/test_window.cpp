// What happens to a window.
#include "engine/gpu/vulkan.h"
#include "live.h"
#include <csignal>
#include <cstdlib>
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
