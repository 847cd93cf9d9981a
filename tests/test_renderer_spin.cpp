// Pictures of grains that rotate.
#include "drawing.h"
#include "simulate.h"
#include <array>
#include <cmath>
#include <initializer_list>

using namespace talus;
using namespace talus_tests;

namespace {

// Grains in free space, seen along y, that spin about that axis [rad/s].
Scene spinning_balls(std::initializer_list<double> spins, float radius) {
  Scene scene = talus_tests::open_scene();
  scene.dt = 0.01;
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.solver.rotation = true;
  scene.solver.substeps = 1;
  scene.materials[0].finish = Finish::sand;  // red
  for (double x = -0.5 * static_cast<double>(spins.size() - 1); const double spin : spins) {
    add_points(scene, radius, {{2.2 * radius * x++, 0.0, 1.0}});
    scene.grains.back().spin = {0.0, spin, 0.0};
  }
  return scene;
}

void colours_by_spin(const Options& options) {
  Setup setup;
  Simulation simulation(spinning_balls({0.0, -30.0, 60.0}, 0.4f), options);
  simulation.advance(1);
  gpu::Device* device = simulation.gpu_device() ? simulation.gpu_device() : &setup.device;
  Renderer renderer(simulation.scene(), width, height, device);
  Look look;
  look.color_by = ColorBy::spin;
  renderer.show_as(look);
  const Image image = renderer.draw(simulation);
  const auto range = renderer.color_range();
  REQUIRE(range);
  CHECK(range->x == 0.0f);
  CHECK(range->y == Approx(60.0).epsilon(1e-4));
  // From dark blue by green to yellow: red and green grow, and blue goes.
  std::array<glm::vec3, 3> seen_there;  // m_pixel pixels to a metre, at a distance of 4 m
  const float m_pixel = 0.5f * height / (4.0f * std::tan(glm::radians(20.0f)));
  for (int k = 0; k < 3; ++k) {
    const int away = static_cast<int>(m_pixel * 0.88f * static_cast<float>(k - 1));
    seen_there[static_cast<std::size_t>(k)] = pixel(image, width / 2 + away - 4, height / 2 - 4);
  }
  CHECK(seen_there[0].b > 1.5f * seen_there[0].r);
  CHECK(seen_there[2].r > 1.5f * seen_there[2].b);
  CHECK(seen_there[1].g > std::max(seen_there[1].r, seen_there[1].b));
}

constexpr int marked_reach = 36;  // pixels from the middle, of 49 that the ball has

// Where faces end: they turn with the ball, and light that changes with its place does not make them.
std::vector<glm::ivec2> edges(const Image& image) {
  const auto at = [&](int x, int y) { return brightness(pixel(image, width / 2 + x, height / 2 + y)); };
  std::vector<glm::ivec2> found;
  for (int y = -marked_reach; y < marked_reach; ++y)
    for (int x = -marked_reach; x < marked_reach; ++x)
      if (const float rise = std::abs(at(x + 1, y) - at(x - 1, y)) + std::abs(at(x, y + 1) - at(x, y - 1));
          x * x + y * y <= marked_reach * marked_reach && rise > 0.12f * at(x, y))
        found.push_back({x, y});
  return found;
}

// Share of the edges that are among others, to a pixel, when they are turned to the right by so many quarters.
double share_found(std::vector<glm::ivec2> edges, const std::vector<glm::ivec2>& others, int quarters) {
  for (glm::ivec2& edge : edges)
    for (int k = 0; k < quarters; ++k)
      edge = {-1 - edge.y, edge.x};
  const auto found = std::ranges::count_if(edges, [&](const glm::ivec2& edge) {
    return std::ranges::any_of(others, [&](const glm::ivec2& other) {
      return std::abs(other.x - edge.x) <= 1 && std::abs(other.y - edge.y) <= 1;
    });
  });
  return static_cast<double>(found) / static_cast<double>(edges.size());
}

}  // namespace

TEST_CASE("The faces of a stone turn with it: forwards, and as far as it turns", "[device][renderer][rotation]") {
  Setup setup;
  Simulation simulation(spinning_balls({2.0 * pi_}, 0.8f), on_cpu);
  Renderer renderer(simulation.scene(), width, height, &setup.device);
  const std::vector<glm::ivec2> start = edges(renderer.draw(simulation));
  simulation.advance(25);
  const std::vector<glm::ivec2> quarter = edges(renderer.draw(simulation));
  simulation.advance(75);
  const std::vector<glm::ivec2> whole = edges(renderer.draw(simulation));
  REQUIRE(start.size() > 300);
  // Spin along y, which points into the picture: what is on top goes to the right, as of a ball that rolls there.
  const std::array found{share_found(start, quarter, 0), share_found(start, quarter, 1), share_found(start, quarter, 2),
                         share_found(start, quarter, 3)};
  CAPTURE(start.size(), found[0], found[1], found[2], found[3]);
  CHECK(found[1] > 0.8);
  for (const std::size_t other : {0u, 2u, 3u})
    CHECK(found[other] < 0.5);
  CHECK(share_found(start, whole, 0) > 0.99);

  Look look;
  look.marks = false;
  renderer.show_as(look);
  CHECK(4 * edges(renderer.draw(simulation)).size() < start.size());  // some where the sun's light ends
}

TEST_CASE("Grains on a device are coloured by their spin", "[device][renderer][rotation]") {
  colours_by_spin(on_device());
}

TEST_CASE("Grains of the CPU path are coloured by their spin", "[device][renderer][rotation]") {
  colours_by_spin(on_cpu);
}
