// Fine grains in the picture: stones that differ, which together look as what they stand for, near and far.
#include "drawing.h"
#include "engine/gpu/device.h"
#include "simulate.h"
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

// Fine grains of radius r around (0, 0, 1), just where it is said.
Scene scene_at(std::vector<glm::dvec3> points, double r) {
  Scene scene = open_scene();
  for (glm::dvec3& point : points)
    point += glm::dvec3(0.0, 0.0, 1.0);
  add_points(scene, 1.0005 * r, std::move(points));  // as many coarse ones
  scene.upsampling.emplace();
  scene.upsampling->radius_min = scene.upsampling->radius_max = r;
  return scene;
}

Image draw(Setup& setup, Scene scene, Level level = Level::fine) {
  scene.output.level = level;
  Simulation simulation(scene, on_cpu);
  return Renderer(scene, width, height, &setup.device).draw(simulation);
}

// In a plane before the eye, d apart.
std::vector<glm::dvec3> grid(int columns, int rows, double d) {
  std::vector<glm::dvec3> points;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      points.emplace_back(d * (column - 0.5 * (columns - 1)), 0.0, d * (row - 0.5 * (rows - 1)));
  return points;
}

std::vector<glm::dvec3> cloud(int count, double radius) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> between(-radius, radius);
  std::vector<glm::dvec3> points;
  while (points.size() < static_cast<std::size_t>(count))
    if (const glm::dvec3 p{between(random), between(random), between(random)}; length(p) < radius)
      points.push_back(p);
  return points;
}

// Light of a pixel, linear.
glm::dvec3 light(const Image& image, int x, int y) {
  const glm::dvec3 c = glm::dvec3(pixel(image, x, y)) / 255.0;
  glm::dvec3 out;
  for (int a = 0; a < 3; ++a)
    out[a] = c[a] <= 0.04045 ? c[a] / 12.92 : std::pow((c[a] + 0.055) / 1.055, 2.4);
  return out;
}

// What the grains take from the background, over all pixels.
glm::dvec3 taken(const Image& empty, const Image& image) {
  glm::dvec3 sum(0.0);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      sum += light(empty, x, y) - light(image, x, y);
  return sum;
}

}  // namespace

TEST_CASE("fine grains are stones, each of a shape of its own, as large as the balls they stand for",
          "[device][renderer][upsampling]") {
  Setup setup;
  const double r = 0.1;
  const std::vector<glm::dvec3> points = grid(8, 4, 0.4);
  const Scene scene = scene_at(points, r);
  const Image balls = draw(setup, scene, Level::coarse), stones = draw(setup, scene);
  CHECK(draw(setup, scene).rgba == stones.rgba);
  const View view = view_of(scene, static_cast<float>(width) / height);
  int area = 0, ball_area = 0;
  std::set<std::vector<bool>> outlines;
  for (const glm::dvec3& p : points) {
    const glm::vec3 at = view.project(glm::vec3(p) + glm::vec3(0, 0, 1));
    const glm::ivec2 middle((at.x * 0.5 + 0.5) * width, (0.5 - at.y * 0.5) * height);
    std::vector<bool> outline;
    int apart = 0, own = 0;
    for (int y = -9; y <= 9; ++y)
      for (int x = -9; x <= 9; ++x) {
        const bool stone = seen(stones, middle.x + x, middle.y + y) == red;
        const bool ball = seen(balls, middle.x + x, middle.y + y) == red;
        outline.push_back(stone);
        area += stone;
        own += ball;
        apart += stone != ball;
      }
    CHECK(apart > 0.03 * own);
    CHECK(apart < 0.45 * own);
    ball_area += own;
    outlines.insert(outline);
  }
  CHECK(ball_area > 32 * 80);
  CHECK(area == Approx(ball_area).epsilon(0.05));
  CHECK(outlines.size() == points.size());
}

TEST_CASE("fine grains have tints without a pattern, whose mean is the material's colour",
          "[device][renderer][upsampling]") {
  Setup setup;
  const int columns = 40, rows = 20;
  Scene scene = scene_at(grid(columns, rows, 0.1), 0.045);
  scene.materials[0].color = {0.5f, 0.4f, 0.3f};
  scene.materials[0].finish = Finish::sand;
  const Image balls = draw(setup, scene, Level::coarse), stones = draw(setup, scene);
  scene.grains.clear();
  const Image empty = Setup().draw(scene, {});
  const glm::dvec3 coarse = taken(empty, balls), fine = taken(empty, stones);
  CHECK(length(coarse - fine) < 0.05 * length(coarse));

  const View view = view_of(scene, static_cast<float>(width) / height);
  std::vector<double> warmth;  // log of red over blue, at the middle of each
  for (const glm::dvec3& p : grid(columns, rows, 0.1)) {
    const glm::vec3 at = view.project(glm::vec3(p) + glm::vec3(0, 0, 1));
    const glm::dvec3 l =
        light(stones, static_cast<int>((at.x * 0.5 + 0.5) * width), static_cast<int>((0.5 - at.y * 0.5) * height));
    warmth.push_back(std::log(l.r / l.b));
  }
  const double count = columns * rows;
  double mean = 0.0, square = 0.0, across = 0.0, upwards = 0.0;
  for (const double w : warmth)
    mean += w / count;
  for (int k = 0; k < columns * rows; ++k) {
    const auto off = [&](int i) { return warmth[i % (columns * rows)] - mean; };
    square += off(k) * off(k) / count;
    across += off(k) * off(k + 1) / count;
    upwards += off(k) * off(k + columns) / count;
  }
  CHECK(mean > std::log(0.5 / 0.3) - 0.2);  // the sky is bluer
  CHECK(mean < std::log(0.5 / 0.3) + 0.2);
  CHECK(std::sqrt(square) > 0.08);
  CHECK(std::abs(across) < 0.15 * square);
  CHECK(std::abs(upwards) < 0.15 * square);
}

TEST_CASE("fine grains cover what the coarse ones do", "[device][renderer][upsampling]") {
  Setup setup;
  Scene scene = ground_scene();
  scene.domain.axis[2] = Axis::open;
  GrainGroup group;
  group.radius_min = group.radius_max = 0.04;
  group.sampling = Sampling::lattice;
  group.spacing = 1.0;
  group.shape = BoxFill{{-0.6, -0.6, 0.0}, {0.6, 0.6, 0.64}};
  scene.grains.push_back(group);
  scene.upsampling.emplace();
  scene.upsampling->radius_min = 0.014;
  scene.upsampling->radius_max = 0.018;
  const Image balls = draw(setup, scene, Level::coarse), stones = draw(setup, scene),
              both = draw(setup, scene, Level::both);
  const int coarse = patch(balls, red).pixels, fine = patch(stones, red).pixels;
  const int common = patch([&](int x, int y) { return seen(balls, x, y) == red && seen(stones, x, y) == red; }).pixels;
  CHECK(coarse > 4000);
  CHECK(common > 0.94 * coarse);
  CHECK(common > 0.94 * fine);
  CHECK(patch(both, red).pixels >= std::max(coarse, fine) - 20);
}

TEST_CASE("fine grains smaller than a pixel take as much light as near by", "[device][renderer][upsampling]") {
  Setup setup;
  Scene scene = scene_at(cloud(6000, 0.5), 0.009);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  glm::dvec3 at_distance[3];
  const double distance[3] = {2.0, 6.0, 16.0};  // radii of 2.2, 0.7 and 0.28 samples
  for (int k = 0; k < 3; ++k) {
    scene.camera.eye = glm::dvec3(0.0, -distance[k], 1.0);
    Scene none = scene;
    none.upsampling.reset();
    none.grains.clear();
    const Image empty = Setup().draw(none, {}), image = draw(setup, scene);
    at_distance[k] = distance[k] * distance[k] * taken(empty, image);
    if (k == 2)  // no holes: the middle of the cloud is as dense as near by
      CHECK(brightness(pixel(image, width / 2, height / 2)) < 0.9f * brightness(pixel(empty, width / 2, height / 2)));
  }
  for (int k = 1; k < 3; ++k)
    CHECK(length(at_distance[k] - at_distance[0]) < 0.08 * length(at_distance[0]));
}

TEST_CASE("fine grains out of sight change nothing", "[device][renderer][upsampling]") {
  Setup setup;
  std::vector<glm::dvec3> points = grid(30, 16, 0.11);
  for (const double x : {-5.0, 5.0})
    for (const double y : {-7.0, 1.0})
      points.emplace_back(x, y, 0.0);  // what is there reaches so far in both pictures
  const Image image = draw(setup, scene_at(points, 0.04));
  for (int k = 0; k < 400; ++k)
    points.emplace_back(k % 2 ? 4.5 : -4.5, -3.0 + 0.009 * k, 0.02 * (k % 40));  // beside
  for (int k = 0; k < 400; ++k)
    points.emplace_back(0.1 * (k % 20) - 1.0, -6.0, 0.05 * (k / 20) - 0.5);  // behind
  CHECK(differing(image, draw(setup, scene_at(points, 0.04)), 6.0f) < 20);   // of 57600: at borders of shadows
}

TEST_CASE("fine grains throw the shadow of the coarse ones", "[device][renderer][upsampling]") {
  Setup setup;
  Scene scene = ground_scene();
  GrainGroup group;
  group.radius_min = group.radius_max = 0.03;
  group.sampling = Sampling::lattice;
  group.spacing = 1.0;
  group.shape = BoxFill{{-0.3, -0.3, 0.6}, {0.3, 0.3, 1.2}};
  scene.grains.push_back(group);
  scene.upsampling.emplace();
  scene.upsampling->radius_min = scene.upsampling->radius_max = 0.011;
  const Image balls = draw(setup, scene, Level::coarse), stones = draw(setup, scene);
  Scene none = scene;
  none.upsampling.reset();
  const Image empty = setup.draw(none, {});
  const auto shadow = [&](const Image& image, const Image& other) {
    return patch([&](int x, int y) {
      return seen(image, x, y) != red && seen(other, x, y) != red &&
             brightness(pixel(image, x, y)) < 0.8f * brightness(pixel(empty, x, y));
    });
  };
  const Patch coarse = shadow(balls, stones), fine = shadow(stones, balls);
  CHECK(coarse.pixels > 500);
  CHECK(fine.pixels == Approx(coarse.pixels).epsilon(0.1));
  CHECK(length(fine.middle - coarse.middle) < 2.0);
}

TEST_CASE("a shape among fine grains is seen as its surface, wherever it goes", "[device][renderer][upsampling]") {
  Setup setup;
  Scene scene = scene_at({{-1.5, 0.0, 0.0}}, 0.05);
  scene.domain.gravity = {};
  scene.shapes.resize(1);
  scene.shapes[0].name = "ball";
  GrainGroup& grains = scene.shapes[0].grains;
  grains.material = 1;
  grains.radius_min = grains.radius_max = 0.05;
  grains.shape = SolidFill{{{SpherePart{0.5}, {0.2, 0.0, 1.0}}}};
  grains.velocity = {2.0, 0.0, 1.0};
  scene.output.level = Level::fine;
  Simulation simulation(scene, on_cpu);
  Renderer renderer(scene, width, height, &setup.device);
  const View view = view_of(scene, static_cast<float>(width) / height);
  for (const double time : {0.0, 0.2}) {
    simulation.advance(static_cast<std::uint64_t>(std::llround(time / scene.dt)));
    const Image image = renderer.draw(simulation);
    const std::vector<GrainState> whole{grain(1, glm::vec3(0.2 + 2.0 * time, 0.0, 1.0 + time), 0.5f)};
    const int wrong = patch([&](int x, int y) {
                        const bool expected = cast(view, whole, x, y) == green;
                        bool outline = false;
                        for (int k = 0; k < 25; ++k)
                          outline = outline || (cast(view, whole, x + k % 5 - 2, y + k / 5 - 2) == green) != expected;
                        return !outline && (seen(image, x, y) == green) != expected;
                      }).pixels;
    CHECK(wrong == 0);
    CHECK(patch(image, red).pixels > 5);
  }
  scene.output.level = Level::coarse;  // as its particles
  Simulation coarse(scene, on_cpu);
  const Image particles = Renderer(scene, width, height, &setup.device).draw(coarse);
  CHECK(patch(particles, green).pixels > 500);
  CHECK(differing(particles, renderer.draw(coarse), 15.0f) > 500);
}
