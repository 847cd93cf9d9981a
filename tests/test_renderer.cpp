// The picture is compared with rays cast on the host.
#include "drawing.h"
#include "engine/gpu/graph.h"
#include "shaders/shared/draw.h"

using namespace talus;
using namespace talus_tests;

TEST_CASE("the camera fits the content", "[renderer]") {
  Scene scene = open_scene();
  scene.camera = {};
  scene.domain.axis = {Axis::wall, Axis::wall, Axis::wall};
  GrainGroup group;
  group.radius_min = group.radius_max = 0.01;
  group.shape = CylinderFill{{0.0, 0.0, 0.1}, 0.2, 0.5};
  scene.grains.push_back(group);

  const Box box = content(scene);
  CHECK(box.min.z == 0.0f);
  CHECK(box.max.z == Approx(0.6));
  CHECK(box.max.x > 0.3f);  // it spreads when it falls
  CHECK(box.max.x < 1.0f);
  for (const float aspect : {0.5f, 16.0f / 9.0f}) {
    const View view = view_of(scene, aspect);
    float reach = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
      const glm::vec3 p(corner & 1 ? box.max.x : box.min.x, corner & 2 ? box.max.y : box.min.y,
                        corner & 4 ? box.max.z : box.min.z);
      const glm::vec3 at = view.project(p);
      CHECK(at.z > 0.0f);
      reach = std::max({reach, std::abs(at.x), std::abs(at.y)});
    }
    CHECK(reach < 1.0f);
    CHECK(reach > 0.9f);
    CHECK(view.project({0.0f, 0.0f, 0.5f}).y > view.project({0.0f, 0.0f, 0.1f}).y);
    CHECK(view.project({0.1f, 0.0f, 0.0f}).x > view.project({0.0f, 0.0f, 0.0f}).x);
  }

  scene.camera.eye = glm::dvec3(0.0, 0.0, 3.0);  // straight down
  scene.camera.target = glm::dvec3(0.0);
  const View down = view_of(scene, 1.0f);
  CHECK(down.project({0.0f, 0.1f, 0.0f}).y > 0.0f);
  CHECK(down.project({0.1f, 0.0f, 0.0f}).x > 0.0f);
}

TEST_CASE("a grain covers the disc of its projection", "[device][renderer]") {
  Setup setup;
  const Scene scene = open_scene();
  const Image image = setup.draw(scene, {grain(0, {0, 0, 1}, 0.6f)});
  REQUIRE(image.width == width);
  REQUIRE(image.height == height);
  REQUIRE(image.rgba.size() == 4u * width * height);
  const double tangent = 0.6 / std::sqrt(4.0 * 4.0 - 0.6 * 0.6);
  const double radius = tangent / std::tan(glm::radians(20.0)) * height / 2;
  const Patch disc = patch(image, red);
  CHECK(std::sqrt(disc.pixels / 3.14159265) == Approx(radius).margin(0.7));
  CHECK(disc.middle.x == Approx(width / 2).margin(0.5));
  CHECK(disc.middle.y == Approx(height / 2).margin(0.5));
}

TEST_CASE("grains are seen where rays meet them first", "[device][renderer]") {
  Setup setup;
  const Scene scene = open_scene();
  std::mt19937 random(3);
  const auto between = [&](float a, float b) { return std::uniform_real_distribution<float>(a, b)(random); };
  std::vector<GrainState> grains;
  for (std::uint32_t i = 0; i < 150; ++i)  // most of them cut into each other
    grains.push_back(
        grain(i % 3, {between(-2.0f, 2.0f), between(-1.0f, 2.0f), between(0.0f, 2.0f)}, between(0.03f, 0.35f)));
  grains.push_back(grain(0, {-2.0f, -3.0f, 1.0f}, 0.8f));  // near the eye, far off the axis
  grains.push_back(grain(1, {0.0f, -6.0f, 1.0f}, 0.5f));   // behind it
  grains.push_back(grain(2, {0.0f, -4.1f, 1.0f}, 0.5f));   // around it
  grains.push_back(grain(2, {0.0f, std::nanf(""), 1.0f}, 0.5f));
  CHECK(wrong_pixels(setup.draw(scene, grains), scene, grains) == 0);

  SECTION("two that cut into each other") {
    const std::vector<GrainState> two{grain(0, {-0.3f, 0.2f, 1.2f}, 0.7f), grain(1, {0.3f, -0.2f, 0.9f}, 0.6f)};
    const Image image = setup.draw(scene, two);
    CHECK(wrong_pixels(image, scene, two) == 0);
    CHECK(patch(image, red).pixels > 500);
    CHECK(patch(image, green).pixels > 500);
  }
  SECTION("the nearer hides the further, whatever the order") {
    for (const bool swapped : {false, true}) {
      std::vector<GrainState> two{grain(0, {0, 1, 1}, 0.8f), grain(1, {0, -1, 1}, 0.2f)};
      if (swapped)
        std::swap(two[0], two[1]);
      const Image image = setup.draw(scene, two);
      CHECK(seen(image, width / 2, height / 2) == green);
      CHECK(seen(image, width / 2 + 20, height / 2) == red);
      CHECK(wrong_pixels(image, scene, two) == 0);
    }
  }
}

TEST_CASE("z is up and x goes to the right", "[device][renderer]") {
  Setup setup;
  const Image image = setup.draw(
      open_scene(), {grain(0, {0, 0, 1.6f}, 0.3f), grain(1, {0, 0, 0.4f}, 0.3f), grain(2, {0.9f, 0, 1.0f}, 0.3f)});
  CHECK(patch(image, red).middle.y < height / 2 - 20);
  CHECK(patch(image, green).middle.y > height / 2 + 20);
  CHECK(patch(image, blue).middle.x > width / 2 + 20);
}

TEST_CASE("a grain throws its shadow on the ground", "[device][renderer]") {
  Setup setup;
  const Scene scene = ground_scene();
  const View view = view_of(scene, static_cast<float>(width) / height);
  const Image empty = setup.draw(scene, {});
  // Where on the ground the shadow of a grain above the origin lies, and its area, with the light from wherever it
  // comes.
  const auto shadow = [&](float z) {
    const std::vector<GrainState> grains{grain(0, {0, 0, z}, 0.25f)};
    const Image image = setup.draw(scene, grains);
    glm::dvec2 middle(0.0);
    double area = 0.0;
    for (int y = 1; y + 1 < height; ++y)
      for (int x = 1; x + 1 < width; ++x) {
        if (seen(image, x, y) != nothing || brightness(pixel(image, x, y)) > 0.8f * brightness(pixel(empty, x, y)))
          continue;
        bool outline = false;
        for (int k = 0; k < 9; ++k)
          outline = outline || cast(view, grains, x + k % 3 - 1, y + k / 3 - 1) != nothing;
        if (outline)
          continue;
        const auto floor_point = [&](int px, int py) {
          const glm::vec3 r = ray(view, px, py);
          return glm::dvec2(view.eye - r * (view.eye.z / r.z));
        };
        const glm::dvec2 p = floor_point(x, y), dx = floor_point(x + 1, y) - p, dy = floor_point(x, y + 1) - p;
        const double size = std::abs(dx.x * dy.y - dx.y * dy.x);
        middle += size * p;
        area += size;
      }
    return std::pair(middle / area, area);
  };
  const auto [low, low_area] = shadow(0.6f);
  const auto [high, high_area] = shadow(1.2f);
  CHECK(length(low) > 0.2);
  CHECK(high.x == Approx(2.0 * low.x).margin(0.03));
  CHECK(high.y == Approx(2.0 * low.y).margin(0.03));
  const double slope = length(low) / 0.6;  // a circle of light, cut by the ground
  const double expected = 3.14159265 * 0.25 * 0.25 * std::sqrt(1.0 + slope * slope);
  CHECK(low_area == Approx(expected).epsilon(0.1));
  CHECK(high_area == Approx(expected).epsilon(0.1));
}

TEST_CASE("grains are coloured by speed and by depth", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  const std::vector<GrainState> grains{grain(0, {-0.9f, 0, 0.7f}, 0.3f, {0, 0, 0}),
                                       grain(0, {0, 0, 1.0f}, 0.3f, {0, 1, 0}),
                                       grain(0, {0.9f, 0, 1.3f}, 0.3f, {0, 0, -2})};
  const View view = view_of(scene, static_cast<float>(width) / height);
  for (const ColorBy by : {ColorBy::speed, ColorBy::height}) {
    scene.output.color_by = by;
    scene.output.speed_max = 2.0;
    const Image image = setup.draw(scene, grains);
    std::vector<glm::vec3> colors;
    for (const GrainState& g : grains) {
      const glm::vec3 at = view.project(g.position);
      colors.push_back(
          pixel(image, static_cast<int>((at.x * 0.5 + 0.5) * width), static_cast<int>((0.5 - at.y * 0.5) * height)));
    }
    CHECK(colors[0].b > 1.3f * colors[0].r);  // blue, green, yellow
    CHECK(colors[1].g > 1.2f * colors[1].r);
    CHECK(colors[2].r > 1.3f * colors[2].b);
    CHECK(brightness(colors[1]) > brightness(colors[0]));
    CHECK(brightness(colors[2]) > brightness(colors[1]));
  }
}

TEST_CASE("without grains there are ground and sky", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  const Image sky = setup.draw(scene, {});
  scene.domain.axis[2] = Axis::wall;
  const Image ground = setup.draw(scene, {});
  for (int x = 0; x < width; x += 10)
    CHECK(brightness(pixel(ground, x, 5)) == Approx(brightness(pixel(sky, x, 5))).margin(3));
  // The floor has lines: along a row near the lower border the picture goes up and down.
  int edges = 0;
  for (int x = 1; x < width; ++x)
    edges += std::abs(brightness(pixel(ground, x, height - 20)) - brightness(pixel(ground, x - 1, height - 20))) > 15;
  CHECK(edges >= 4);
  for (int x = 1; x < width; ++x)
    CHECK(std::abs(brightness(pixel(sky, x, height - 20)) - brightness(pixel(sky, x - 1, height - 20))) <= 6);
}

TEST_CASE("walls are drawn as lines", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.domain.min = {-1.0, -1.0, 0.3};
  scene.domain.max = {1.0, 1.0, 1.7};
  const View view = view_of(scene, static_cast<float>(width) / height);
  const Image none = setup.draw(scene, {});

  // How many of 40 points along the edge from a to b are darker than without it, a pixel to either side allowed.
  const auto changed = [&](const Image& image, glm::vec3 a, glm::vec3 b) {
    const bool upright = a.z != b.z;
    int count = 0;
    for (int i = 0; i < 40; ++i) {
      const glm::vec3 at = view.project(glm::mix(a, b, (i + 0.5f) / 40.0f));
      const int x = static_cast<int>((at.x * 0.5 + 0.5) * width), y = static_cast<int>((0.5 - at.y * 0.5) * height);
      bool darker = false;
      for (int k = -1; k <= 1; ++k) {
        const int px = upright ? x + k : x, py = upright ? y : y + k;
        darker = darker || brightness(pixel(none, px, py)) - brightness(pixel(image, px, py)) > 60;
      }
      count += darker;
    }
    return count;
  };
  const glm::vec3 low(-1.0f, 1.0f, 0.3f), high(-1.0f, 1.0f, 1.7f), right(1.0f, 1.0f, 1.7f);

  scene.domain.axis = {Axis::wall, Axis::wall, Axis::open};
  const Image walls = setup.draw(scene, {});
  CHECK(changed(walls, low, high) == 40);
  CHECK(changed(walls, high, right) == 40);

  scene.domain.axis = {Axis::periodic, Axis::open, Axis::open};
  const Image periodic = setup.draw(scene, {});
  CHECK(changed(periodic, low, high) >= 10);  // dashes
  CHECK(changed(periodic, low, high) <= 35);
  CHECK(changed(periodic, high, right) <= 2);  // where others end

  scene.domain.axis = {Axis::wall, Axis::wall, Axis::wall};
  const Image hidden = setup.draw(scene, {grain(0, {-0.85f, 0.0f, 1.0f}, 0.3f)});
  const glm::vec3 at = view.project({-1.0f, 1.0f, 1.0f});
  CHECK(seen(hidden, static_cast<int>((at.x * 0.5 + 0.5) * width), static_cast<int>((0.5 - at.y * 0.5) * height)) ==
        red);
}

TEST_CASE("grains are read from buffers on the device", "[device][renderer]") {
  Setup setup;
  const Scene scene = open_scene();
  gpu::Buffer grains(setup.device, "grains", 3 * sizeof(shared::Grain)), tags(setup.device, "grain_tag", 12);
  gpu::Graph graph(setup.device);
  const std::vector<shared::Grain> three{
      {{-0.5f, 0, 1, 0.3f}, {0, 0, 0, 1}}, {{0.5f, 0, 1, 0.3f}, {0, 0, 0, 1}}, {{0, 0, 1.5f, 0.3f}, {0, 0, 0, 1}}};
  const std::vector<std::uint32_t> words{1u, 2u | 7u << shared::draw_world_shift, 0u};
  graph.upload(grains, std::as_bytes(std::span(three)));
  graph.upload(tags, std::as_bytes(std::span(words)));
  graph.submit();
  Renderer renderer(scene, width, height, &setup.device);
  const Image image = renderer.draw(grains, tags, nullptr, 2);  // the third is not alive
  const std::vector<GrainState> expected{grain(1, {-0.5f, 0, 1}, 0.3f), grain(2, {0.5f, 0, 1}, 0.3f)};
  CHECK(wrong_pixels(image, scene, expected) == 0);
  CHECK(renderer.draw(grains, tags, nullptr, 2).rgba == image.rgba);
  CHECK(&renderer.device() == &setup.device);
}

TEST_CASE("the renderer opens a device itself", "[device][renderer]") {
  Renderer renderer(open_scene(), width, height);
  CHECK(patch(renderer.draw({grain(1, {0, 0, 1}, 0.5f)}), green).pixels > 500);
}

TEST_CASE("what is out of view or tiny is drawn cheaply, and the picture is the same", "[device][renderer]") {
  Setup setup;
  Scene scene = ground_scene();
  scene.camera.eye = glm::dvec3(0.0, 0.0, 1.0);  // inside of a heap
  scene.camera.target = glm::dvec3(1.0, 0.2, 0.9);
  const View view = view_of(scene, static_cast<float>(width) / height);
  std::mt19937 random(7);
  const auto between = [&](float a, float b) { return std::uniform_real_distribution<float>(a, b)(random); };
  std::vector<GrainState> grains;
  std::uint32_t in_view = 0, tiny = 0;
  for (std::uint32_t k = 0; k < 6000; ++k) {
    const bool far = k >= 3000;  // behind the heap, smaller than a sample
    const glm::vec3 p = far ? glm::vec3(between(6.0f, 9.0f), between(-3.0f, 3.0f), between(0.0f, 3.0f))
                            : glm::vec3(between(-1.0f, 1.0f), between(-1.0f, 1.0f), between(0.0f, 2.0f));
    grains.push_back(grain(k % 3, p, far ? between(0.001f, 0.004f) : between(0.005f, 0.03f)));
    grains.back().id = k;
    const glm::vec3 at = view.project(p);
    const bool seen = at.z > 0.0f && std::abs(at.x) < 1.0f && std::abs(at.y) < 1.0f;
    in_view += seen;
    tiny += seen && far;
  }
  Renderer renderer(scene, width, height, &setup.device);
  const auto draw = [&](bool culling, const std::vector<GrainState>& grains) {
    Look look;
    look.culling = culling;
    renderer.show_as(look);
    Image image = renderer.draw(grains);
    return std::pair(std::move(image), renderer.drawn());
  };
  const auto differing = [](const Image& a, const Image& b) {
    return patch([&](int x, int y) { return pixel(a, x, y) != pixel(b, x, y); }).pixels;
  };
  const std::vector<GrainState> near(grains.begin(), grains.begin() + 3000);
  CHECK(differing(draw(false, near).first, draw(true, near).first) == 0);
  const auto [all, all_drawn] = draw(false, grains);
  const auto [culled, drawn] = draw(true, grains);
  // Corners and points lie on a grid, down to 1/16 of a sample apart: at its lines a point may fall to the next sample.
  CHECK(differing(all, culled) < 20);
  CHECK(all_drawn.squares == grains.size());
  CHECK(all_drawn.points == 0);
  CHECK(drawn.squares + drawn.points >= in_view);
  CHECK(drawn.squares + drawn.points < 1.1 * in_view);  // and those at the border
  CHECK(drawn.points > tiny / 2);
  CHECK(drawn.points < 1.05 * tiny);
  CHECK(drawn.shadows == grains.size());
  CHECK((draw(true, grains).first.rgba == culled.rgba));
}
