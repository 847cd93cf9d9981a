#define CATCH_CONFIG_EXTERNAL_INTERFACES  // version 2 declares listeners only then
#include "live.h"
#include <cstdlib>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#define GLFW_EXPOSE_NATIVE_X11
#include <GLFW/glfw3native.h>

namespace talus_tests {

const std::string balls = R"(
[time]
dt = 0.01
end = 4.0
[domain]
min = [-4, -4, 0]
max = [4, 4, 4]
x = "open"
y = "open"
[[material]]
name = "red"
color = [0.8, 0.02, 0.02]
[[material]]
name = "green"
color = [0.02, 0.6, 0.02]
[[material]]
name = "blue"
color = [0.02, 0.02, 0.8]
[[grains]]
material = "red"
radius = 0.2
fill.points = [[-0.8, 0, 1.6]]
[[grains]]
material = "green"
radius = 0.2
fill.points = [[0.8, 0, 1.6]]
[[grains]]
material = "blue"
radius = 0.2
fill.points = [[0, 0, 0.2]]
[camera]
eye = [0, -5, 1.2]
target = [0, 0, 1]
)";

const std::string box = R"(
[time]
dt = 0.01
end = 100
[domain]
min = [0, 0, 0]
max = [0.2, 0.2, 0.5]
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
velocity_random = 0.5
fill.box = { min = [0, 0, 0.02], max = [0.2, 0.2, 0.3] }
)";

namespace {

std::unique_ptr<App> shared;

// While the validation layer, which says then what was left behind, is still there: before static objects go.
struct CloseWindow : EventListener {
  using EventListener::EventListener;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    shared.reset();
    EventListener::testRunEnded(stats);
  }
};
CATCH_REGISTER_LISTENER(CloseWindow)

}  // namespace

viewer::ViewOptions live_options() {
  viewer::ViewOptions options;
  const char* device = std::getenv("TALUS_TEST_DEVICE");
  options.device = device ? device : "0";
  options.validation = true;
  options.size = glm::ivec2(width, height);
  options.paused = true;
  return options;
}

Live::Live(const std::string& scene) {
  if (!shared)
    shared = std::make_unique<App>(live_options());
  app = shared.get();
  app->remembered() = {};
  app->remembered().panels_shown = false;
  app->message().clear();
  id_ = std::to_string(glfwGetX11Window(handle()));
  glfwFocusWindow(handle());
  resize(width, height);
  open(write("scene.toml", scene));
}

Live::Live(const std::string& scene, viewer::ViewOptions options) {
  shared.reset();  // Dear ImGui knows one window at a time
  if (!scene.empty())
    options.scene = write("scene.toml", scene);
  own_ = std::make_unique<App>(options);
  app = own_.get();
  app->remembered().panels_shown = false;
  id_ = std::to_string(glfwGetX11Window(handle()));
  glfwFocusWindow(handle());
  loaded();
}

Live::~Live() {
  talus::gpu::ValidationLog& log = app->device().instance.log();
  CHECK(log.messages() == std::vector<std::string>{});
  log.clear();
}

std::filesystem::path Live::write(const std::string& name, const std::string& scene) {
  write_text(scratch / name, scene);
  return scratch / name;
}

void Live::open(const std::filesystem::path& scene) {
  app->open(scene);
  loaded();
  REQUIRE(app->session());
  CHECK(app->message() == "");
  CHECK(session().file() == scene);
}

void Live::frames(int count) {
  for (int i = 0; i < count; ++i)
    REQUIRE(app->frame());
}

void Live::loaded() {
  until([&] { return !app->loader().busy(); });
}

void Live::play_to(double time) {
  session().hold = time;
  session().playing = true;
  until([&] { return session().time() > time - 1e-6 && !session().simulation().under_way(); });
  session().playing = false;
  session().hold.reset();
}

void Live::drop(const std::filesystem::path& file) {
  // What GLFW calls when the X server has gone through the steps of a drop.
  const GLFWdropfun drop = glfwSetDropCallback(handle(), nullptr);
  glfwSetDropCallback(handle(), drop);
  const std::string name = file.string();
  const char* names[] = {name.c_str()};
  drop(handle(), 1, names);
  frames(1);
}

Image Live::picture(bool panels) {
  const std::filesystem::path file = scratch / "picture.png";
  app->take_picture(file, panels);
  until([&] { return std::filesystem::exists(file); });
  Image image = read_png(file);
  if (const char* kept = std::getenv("TALUS_KEEP_PICTURES")) {  // a folder, to look at them
    static int number = 0;
    std::filesystem::copy_file(file, std::filesystem::path(kept) / fmt::format("{:03}.png", ++number));
  }
  std::filesystem::remove(file);
  app->message().clear();
  return image;
}

void Live::input(const std::string& arguments, int taken_in) {
  REQUIRE(std::system(("xdotool " + arguments).c_str()) == 0);
  frames(taken_in);
}

void Live::point_at(int x, int y) {
  input(fmt::format("mousemove --window {} {} {}", id_, x, y));
}

void Live::drag(int button, glm::ivec2 from, glm::ivec2 to) {
  point_at(from.x, from.y);
  input(fmt::format("mousedown {}", button));
  point_at(to.x, to.y);
  input(fmt::format("mouseup {}", button));
}

void Live::resize(int wide, int high) {
  input(fmt::format("windowsize {} {} {}", id_, wide, high));
  until([&] { return app->window().width() == wide && app->window().height() == high; });
}

void Live::minimise(bool on) {
  Display* display = glfwGetX11Display();
  const ::Window window = glfwGetX11Window(handle());
  const Atom name = XInternAtom(display, "WM_STATE", False);
  const std::array<unsigned long, 2> state{on ? 3ul : 1ul, 0};  // IconicState, NormalState
  XChangeProperty(display, window, name, name, 32, PropModeReplace,
                  reinterpret_cast<const unsigned char*>(state.data()), 2);
  on ? XUnmapWindow(display, window) : XMapWindow(display, window);
  XFlush(display);
  until([&] { return app->window().hidden() == on; });
}

}  // namespace talus_tests
