// Pictures of grains that rotate.
#include "picture.h"
#include "simulate.h"
#include <array>
#include <initializer_list>

using namespace talus;
using namespace talus_tests;

namespace {

// Balls in free space, seen along y, that spin about that axis [rad/s].
Scene spinning_balls(std::initializer_list<double> spins, float radius) {
  Scene scene = talus_tests::open_scene();
  scene.dt = 0.01;
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.solver.rotation = true;
  scene.solver.substeps = 1;
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

}  // namespace

TEST_CASE("Grains on a device are coloured by their spin", "[device][renderer][rotation]") {
  colours_by_spin(on_device());
}

TEST_CASE("Grains of the CPU path are coloured by their spin", "[device][renderer][rotation]") {
  colours_by_spin(on_cpu);
}
