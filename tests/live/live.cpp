#include "live.h"
#include <cstdlib>
#include <stb_image.h>
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

Image read_png(const std::filesystem::path& file) {
  Image image;
  int channels = 0;
  stbi_uc* pixels = stbi_load(file.string().c_str(), &image.width, &image.height, &channels, 4);
  REQUIRE(pixels);
  image.rgba.assign(pixels, pixels + std::size_t{4} * image.width * image.height);
  stbi_image_free(pixels);
  return image;
}

}  // namespace

viewer::ViewOptions live_options() {
  viewer::ViewOptions options;
  const char* device = std::getenv("TALUS_TEST_DEVICE");
  options.device = device ? device : "0";
  options.validation = true;
  options.size = glm::ivec2(width, height);
  return options;
}

Live::Live(const std::string& scene, viewer::ViewOptions options) {
  if (!scene.empty())
    options.scene = write("scene.toml", scene);
  app.emplace(options);
  app->remembered().panels_shown = false;
  id_ = std::to_string(glfwGetX11Window(app->window().handle()));
  glfwFocusWindow(app->window().handle());
  loaded();
}

Live::~Live() {
  const auto log = app->device().instance.log().messages();
  CHECK(log == std::vector<std::string>{});
}

std::filesystem::path Live::write(const std::string& name, const std::string& scene) {
  write_text(scratch / name, scene);
  return scratch / name;
}

void Live::frames(int count) {
  for (int i = 0; i < count; ++i)
    REQUIRE(app->frame());
}

void Live::loaded() {
  until([&] { return !app->loader().busy(); });
}

void Live::play_to(double time) {
  app->session()->hold = time;
  app->session()->playing = true;
  until([&] { return app->session()->time() > time - 1e-6; });
  app->session()->playing = false;
  app->session()->hold.reset();
}

Image Live::picture() {
  app->take_picture(scratch / "picture.png", false);
  until([&] { return std::filesystem::exists(scratch / "picture.png"); });
  const Image image = read_png(scratch / "picture.png");
  if (const char* kept = std::getenv("TALUS_KEEP_PICTURES"))  // a folder, to look at them
    std::filesystem::copy_file(scratch / "picture.png",
                               std::filesystem::path(kept) / fmt::format("{}.png", ++pictures_));
  std::filesystem::remove(scratch / "picture.png");
  app->message().clear();
  return image;
}

void Live::input(const std::string& arguments) {
  REQUIRE(std::system(("xdotool " + arguments).c_str()) == 0);
  frames(6);
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

}  // namespace talus_tests
