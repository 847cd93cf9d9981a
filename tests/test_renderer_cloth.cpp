// Cloth in the picture.
#include "drawing.h"
#include "engine/gpu/graph.h"
#include "simulate.h"
#include <glm/gtc/constants.hpp>
#include <memory>

using namespace talus;
using namespace talus_tests;

namespace {

const glm::vec3 green_cloth{0.02f, 0.6f, 0.02f};

// materials[0], that of its vertices, is red; cloth itself is green.
ClothSpec cloth_of(std::variant<ClothGrid, MeshPart> sheet, glm::dvec3 position, glm::dvec3 rotation = {}) {
  ClothSpec cloth;
  cloth.name = "cloth";
  cloth.sheet = std::move(sheet);
  cloth.position = position;
  cloth.rotation = rotation;
  cloth.thickness = 0.04;
  cloth.color = green_cloth;
  return cloth;
}

// As thin as cloth: it stands for a rectangle of it.
BodySpec board_of(glm::dvec2 size, glm::dvec3 position, glm::dvec3 rotation = {}) {
  BodySpec board = body_of("board", {{BoxPart{{size.x, size.y, 1e-4}}}}, position, rotation);
  board.color = green_cloth;
  board.finish = Finish::plain;  // as cloth has
  return board;
}

MeshPart mesh_of(Mesh mesh) {
  MeshPart part;
  part.file = "mesh.obj";
  part.loaded = std::make_shared<LoadedMesh>(LoadedMesh{std::move(mesh), true, {}});
  return part;
}

// A ball, by rings of 2 n sides from pole to pole, wound so that its outside is in front.
Mesh ball(float radius, std::uint32_t n) {
  Mesh mesh;
  const auto add = [&](float polar, float around) {
    mesh.vertices.push_back(
        radius * glm::vec3(std::sin(polar) * std::cos(around), std::sin(polar) * std::sin(around), std::cos(polar)));
  };
  add(0.0f, 0.0f);
  for (std::uint32_t ring = 1; ring < n; ++ring)
    for (std::uint32_t k = 0; k < 2 * n; ++k)
      add(glm::pi<float>() * static_cast<float>(ring) / static_cast<float>(n),
          glm::pi<float>() * static_cast<float>(k) / static_cast<float>(n));
  add(glm::pi<float>(), 0.0f);
  const auto last = static_cast<std::uint32_t>(mesh.vertices.size()) - 1;
  for (std::uint32_t k = 0; k < 2 * n; ++k) {
    const std::uint32_t next = (k + 1) % (2 * n);
    mesh.triangles.push_back({0, 1 + k, 1 + next});
    for (std::uint32_t ring = 1; ring + 1 < n; ++ring) {
      const std::uint32_t a = 1 + (ring - 1) * 2 * n, b = a + 2 * n;
      mesh.triangles.push_back({a + k, b + k, b + next});
      mesh.triangles.push_back({a + k, b + next, a + next});
    }
    const std::uint32_t a = 1 + (n - 2) * 2 * n;
    mesh.triangles.push_back({last, a + next, a + k});
  }
  return mesh;
}

}  // namespace

TEST_CASE("a sheet of cloth looks like a thin board: lit on either face, and its shadow", "[device][renderer][cloth]") {
  Setup setup;
  // Leaning to the light, away from it, and level above the ground.
  const glm::dvec3 rotation = GENERATE(glm::dvec3(70.0, -20.0, 0.0), glm::dvec3(70.0, -80.0, 0.0), glm::dvec3(0.0));
  CAPTURE(rotation.x, rotation.y);
  Scene scene = ground_scene();
  GrainGroup group;  // the same content with either
  group.radius_min = group.radius_max = 0.1;
  group.shape = BoxFill{{-1.0, -1.0, 0.0}, {1.0, 1.0, 1.4}};
  scene.grains.push_back(group);
  const Image empty = setup.draw(scene, {});
  const glm::dvec3 at(0.0, 0.0, 0.8);
  scene.bodies = {board_of({1.0, 0.8}, at, rotation)};
  const Image board = setup.draw(scene, {});
  scene.bodies.clear();
  scene.cloths = {cloth_of(ClothGrid{{1.0, 0.8}, {10, 8}}, at, rotation)};
  const Image cloth = setup.draw(scene, {});
  const int seen_pixels = patch(board, green).pixels;
  CHECK(seen_pixels > 1000);
  CHECK(differing(board, empty, 30.0f) > seen_pixels + 500);  // and a shadow
  CHECK(differing(cloth, board, 6.0f) < 90);                  // at outlines and borders of shadows
  CHECK(patch(cloth, red).pixels == 0);
  // Turned over.
  Mesh mesh;
  const ClothSheet sheet = cloth_grid({1.0, 0.8}, {10, 8});
  for (const glm::dvec3& v : sheet.vertices)
    mesh.vertices.emplace_back(v);
  for (const glm::uvec3& t : sheet.triangles)
    mesh.triangles.push_back({t.x, t.z, t.y});
  scene.cloths[0].sheet = mesh_of(mesh);
  CHECK(differing(setup.draw(scene, {}), cloth, 1.0f) == 0);
}

TEST_CASE("cloth is smooth, though it is made of triangles", "[device][renderer][cloth]") {
  Setup setup;
  Scene scene = open_scene();
  BodySpec body = body_of("ball", {{SpherePart{0.7}}}, {0.0, 0.0, 1.0});
  body.color = green_cloth;
  body.finish = Finish::plain;
  scene.bodies = {body};
  const Image round = setup.draw(scene, {});
  scene.bodies.clear();
  scene.cloths = {cloth_of(mesh_of(ball(0.7f, 12)), {0.0, 0.0, 1.0})};
  const Image cloth = setup.draw(scene, {});
  const int pixels = patch(round, green).pixels;
  CHECK(pixels > 4000);
  CHECK(patch(cloth, green).pixels == Approx(pixels).epsilon(0.03));  // its outline has 24 corners
  // Facets of 15 degrees would differ by 30 and more in half of them.
  const auto both = [&](int x, int y) { return seen(cloth, x, y) == green && seen(round, x, y) == green; };
  const int off = patch([&](int x, int y) {
                    return both(x, y) && std::abs(brightness(pixel(cloth, x, y)) - brightness(pixel(round, x, y))) > 15;
                  }).pixels;
  CHECK(off < pixels / 50);
}

TEST_CASE("cloth has its own colour, or else its material's", "[device][renderer][cloth]") {
  Setup setup;
  Scene scene = open_scene();
  scene.cloths = {cloth_of(ClothGrid{{0.5, 0.5}, {2, 2}}, {-0.5, 0.0, 1.0}, {90.0, 0.0, 0.0}),
                  cloth_of(ClothGrid{{0.5, 0.5}, {2, 2}}, {0.5, 0.0, 1.0}, {90.0, 0.0, 0.0})};
  scene.cloths[1].color.reset();
  scene.cloths[1].material = 2;
  const Image image = setup.draw(scene, {});
  CHECK(patch(image, green).pixels > 500);
  CHECK(patch(image, green).pixels == Approx(patch(image, blue).pixels).epsilon(0.01));
  CHECK(patch(image, green).middle.x < width / 2.0);
  CHECK(patch(image, blue).middle.x > width / 2.0);
}

TEST_CASE("cloth is drawn where it is at the moment, among grains, and not as its vertices",
          "[device][renderer][cloth]") {
  // It passes the end of the periodic axis x on its way.
  Scene scene = open_scene();
  scene.domain.min = {-0.8, -1.0, 0.0};
  scene.domain.max = {0.8, 1.0, 2.0};
  scene.domain.axis[0] = Axis::periodic;
  scene.domain.gravity = {0, 0, 0};
  scene.dt = 0.02;
  scene.solver.substeps = 1;
  scene.cloths = {cloth_of(ClothGrid{{0.4, 0.4}, {4, 4}}, {0.3, 0.5, 1.0}, {90.0, 0.0, 0.0})};
  scene.cloths[0].velocity = {1.0, 0.0, 0.5};
  add_points(scene, 0.1, {{-0.4, 0.0, 0.3}, {0.4, 0.0, 0.3}});
  scene.grains.back().material = 2;
  Setup setup;
  const auto check = [&](const Options& options) {
    Simulation simulation(scene, options);
    Renderer renderer(scene, width, height, simulation.gpu_device() ? simulation.gpu_device() : &setup.device);
    const int pixels = patch(renderer.draw(simulation), green).pixels;
    CHECK(pixels > 400);
    for (const std::uint64_t steps : {10u, 20u, 20u}) {
      simulation.advance(steps);
      const Image image = renderer.draw(simulation);
      CHECK(patch(image, green).pixels == Approx(pixels).epsilon(0.12));  // 21 pixels a side
      CHECK(patch(image, blue).pixels > 200);
      CHECK(patch(image, red).pixels == 0);
      const glm::vec3 at = view_of(scene, static_cast<float>(width) / height)
                               .project({0.0f, 0.5f, 1.0f + 0.5f * static_cast<float>(simulation.time())});
      CHECK(patch(image, green).middle.y == Approx((0.5 - at.y * 0.5) * height).margin(1.0));
    }
    // 1 m on, it is back inside at the other end; triangles across the end are next to their first corners.
    const glm::vec3 at = view_of(scene, static_cast<float>(width) / height).project({-0.3f, 0.5f, 1.5f});
    CHECK(patch(renderer.draw(simulation), green).middle.x == Approx((at.x * 0.5 + 0.5) * width).margin(1.0));
    CHECK(complaints(simulation).empty());
  };
  SECTION("copied from the CPU path") {
    check(on_cpu);
  }
  SECTION("in place") {
    check(on_device());
  }
}
