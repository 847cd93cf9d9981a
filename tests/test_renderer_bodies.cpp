// Bodies in the picture.
#include "drawing.h"
#include "engine/gpu/graph.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"

using namespace talus;
using namespace talus_tests;

namespace {

const glm::vec3 colors[] = {{0.8f, 0.02f, 0.02f}, {0.02f, 0.6f, 0.02f}, {0.02f, 0.02f, 0.8f}};

BodySpec colored(Seen color, std::vector<BodyPart> parts, glm::dvec3 position = {}, glm::dvec3 rotation = {}) {
  BodySpec body = body_of(std::to_string(color), std::move(parts), position, rotation);
  body.color = colors[color];
  body.finish = Finish::plain;  // as grains here have
  return body;
}

// Grains of no id, so that they have their material's colour.
Image draw_plain(Setup& setup, const Scene& scene, const std::vector<GrainState>& states) {
  std::vector<shared::Grain> grains;
  std::vector<std::uint32_t> tags;
  for (const GrainState& g : states) {
    grains.push_back({glm::vec4(g.position, g.radius), glm::vec4(g.velocity, 1.0f)});
    tags.push_back(g.material);
  }
  const std::size_t room = std::max<std::size_t>(grains.size(), 1);
  gpu::Buffer grain_buffer(setup.device, "grains", room * sizeof(shared::Grain));
  gpu::Buffer tag_buffer(setup.device, "grain_tag", room * sizeof(std::uint32_t));
  gpu::Graph graph(setup.device);
  graph.upload(grain_buffer, std::as_bytes(std::span(grains)));
  graph.upload(tag_buffer, std::as_bytes(std::span(tags)));
  graph.submit();
  Renderer renderer(scene, width, height, &setup.device);
  return renderer.draw(grain_buffer, tag_buffer, nullptr, static_cast<std::uint32_t>(grains.size()));
}

glm::dvec2 place(const Scene& scene, const glm::vec3& point) {
  const glm::vec3 at = view_of(scene, static_cast<float>(width) / height).project(point);
  return {(at.x * 0.5 + 0.5) * width, (0.5 - at.y * 0.5) * height};
}

}  // namespace

TEST_CASE("bodies are seen where rays meet them, before and behind grains", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.bodies = {
      colored(red, {{BoxPart{{0.8, 0.6, 0.7}}}, {SpherePart{0.35}, {0.3, -0.3, 0.3}, {}, true}}, {-1.0, 0.2, 1.4},
              {10.0, 20.0, 30.0}),
      colored(green, {{TorusPart{0.5, 0.15}}}, {0.9, 0.0, 1.4}, {60.0, 10.0, 0.0}),
      colored(blue, {{ConePart{0.5, 0.2, 0.6}}, {CapsulePart{0.1, 1.4}, {0.0, 0.0, 0.1}, {70.0, 0.0, 20.0}}},
              {-0.2, 0.3, 0.5}),
      colored(red, {{SpherePart{0.3}}}, {1.1, -0.3, 0.4}),
      colored(green, {{ConePart{0.4, 0.4, 0.8}}, {ConePart{0.3, 0.3, 0.7}, {0.0, 0.0, 0.05}, {}, true}},
              {-1.3, 0.0, 0.4}, {40.0, 0.0, 0.0}),
  };
  std::mt19937 random(5);
  const auto between = [&](float a, float b) { return std::uniform_real_distribution<float>(a, b)(random); };
  std::vector<GrainState> grains;
  for (std::uint32_t i = 0; i < 60; ++i)
    grains.push_back(
        grain(i % 3, {between(-2.0f, 2.0f), between(-1.0f, 1.5f), between(0.0f, 2.0f)}, between(0.05f, 0.25f)));
  CHECK(wrong_pixels(setup.draw(scene, {}), scene, {}) == 0);
  CHECK(wrong_pixels(setup.draw(scene, grains), scene, grains) == 0);
}

TEST_CASE("a ball looks like a grain: lit, shaded, and its shadow", "[device][renderer]") {
  Setup setup;
  Scene scene = ground_scene();
  GrainGroup group;  // the same content with and without the body
  group.radius_min = group.radius_max = 0.4;
  group.shape = BoxFill{{-1.0, -1.0, 0.0}, {1.0, 1.0, 1.0}};
  scene.grains.push_back(group);
  const std::vector<GrainState> others{grain(1, {-0.5f, 0.1f, 0.2f}, 0.2f), grain(2, {0.45f, -0.3f, 0.25f}, 0.25f)};
  std::vector<GrainState> all = others;
  all.push_back(grain(0, {0.0f, 0.0f, 0.4f}, 0.4f));
  const Image expected = draw_plain(setup, scene, all);
  const Image without = draw_plain(setup, scene, others);
  scene.bodies = {colored(red, {{SpherePart{0.4}}}, {0.0, 0.0, 0.4})};
  const Image image = draw_plain(setup, scene, others);
  CHECK(patch([&](int x, int y) { return glm::distance(pixel(image, x, y), pixel(without, x, y)) > 20.0f; }).pixels >
        2200);                                   // it and its shadow
  CHECK(differing(image, expected, 9.0f) < 60);  // of 57600: at outlines and borders of shadows
  CHECK(differing(image, expected, 90.0f) < 5);
}

TEST_CASE("a body without a colour of its own is no grain's and no ground's", "[device][renderer]") {
  Setup setup;
  Scene scene = ground_scene();
  const Image empty = setup.draw(scene, {});
  scene.bodies = {body_of("box", {{BoxPart{{0.6, 0.6, 0.6}}}}, {0.0, 0.0, 0.3})};
  const glm::dvec2 at = place(scene, {0.0f, 0.0f, 0.6f});
  const glm::vec3 seen_there = pixel(setup.draw(scene, {}), static_cast<int>(at.x), static_cast<int>(at.y));
  CHECK(brightness(seen_there) < brightness(pixel(empty, static_cast<int>(at.x), static_cast<int>(at.y))) - 60.0f);
  CHECK(seen_there.b > seen_there.r);
}

TEST_CASE("bodies can be looked into", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  const auto draw = [&](Show show, std::vector<GrainState> grains) {
    scene.bodies[0].show = show;
    return setup.draw(scene, grains);
  };
  SECTION("a box with a grain inside") {
    scene.bodies = {colored(red, {{BoxPart{{1.0, 1.0, 1.0}}}, {BoxPart{{0.8, 0.8, 0.8}}, {}, {}, true}}, {0, 0, 1})};
    const std::vector<GrainState> inside{grain(1, {0, 0, 1}, 0.2f)};
    CHECK(patch(draw(Show::solid, inside), green).pixels == 0);
    const Image cut = draw(Show::cut, inside);
    const int grain_pixels = patch(draw(Show::hidden, inside), green).pixels;
    CHECK(grain_pixels > 400);
    CHECK(patch(cut, green).pixels == Approx(grain_pixels).epsilon(0.03));
    CHECK(patch(draw(Show::hidden, inside), red).pixels == 0);
    // The walls that were cut show their sections, a square frame at the depth of the origin; within is the back wall.
    const glm::dvec2 low = place(scene, {-0.5f, 0.0f, 0.5f}), high = place(scene, {0.5f, 0.0f, 1.5f});
    CHECK(patch(cut, red).pixels + patch(cut, green).pixels ==
          Approx((high.x - low.x) * (low.y - high.y)).epsilon(0.03));
  }
  SECTION("a solid ball: the section is flat") {
    scene.bodies = {colored(red, {{SpherePart{0.6}}}, {0, 0, 1})};
    const Image cut = draw(Show::cut, {});
    const glm::dvec2 middle = place(scene, {0, 0, 1}), side = place(scene, {0.6f, 0, 1});
    const Patch disc = patch(cut, red);
    CHECK(std::sqrt(disc.pixels / 3.14159265) == Approx(side.x - middle.x).margin(0.7));
    for (int d = -30; d <= 30; d += 5) {
      const auto x = static_cast<int>(middle.x), y = static_cast<int>(middle.y);
      CHECK(brightness(pixel(cut, x + d, y)) == Approx(brightness(pixel(cut, x, y))).margin(4));
      CHECK(brightness(pixel(cut, x, y + d)) == Approx(brightness(pixel(cut, x, y))).margin(4));
    }
  }
}

TEST_CASE("a plane ends with the domain, and nothing is seen below the ground", "[device][renderer]") {
  Setup setup;
  Scene scene = ground_scene();
  const View view = view_of(scene, static_cast<float>(width) / height);
  scene.domain.min = {-0.7, -0.6, 0.0};
  scene.domain.max = {0.5, 0.9, 1.0};
  scene.bodies = {colored(red, {{PlanePart{}}}, {5.0, 0.0, 0.3}), colored(green, {{SpherePart{0.2}}}, {-1.2, 0, -0.1})};
  const Image image = setup.draw(scene, {});
  const auto on_plane = [&](int x, int y) {
    const glm::vec3 r = ray(view, x, y), p = view.eye + r * ((0.3f - view.eye.z) / r.z);
    return r.z < 0.0f && p.x > -0.7f && p.x < 0.5f && p.y > -0.6f && p.y < 0.9f;
  };
  const Patch expected = patch(on_plane), found = patch(image, red);
  CHECK(found.pixels == Approx(expected.pixels).epsilon(0.02));
  CHECK(glm::distance(found.middle, expected.middle) < 0.5);
  // The ball's part above the ground is a disc of radius sqrt(0.2^2 - 0.1^2) at its foot.
  const glm::dvec2 left = place(scene, {-1.2f - std::sqrt(0.03f), 0, 0}),
                   right = place(scene, {-1.2f + std::sqrt(0.03f), 0, 0});
  int row = 0;
  for (int x = 0; x < width; ++x)
    row += seen(image, x, static_cast<int>(0.5 * (left.y + right.y))) == green;
  CHECK(row == Approx(right.x - left.x).margin(2.5));
}

TEST_CASE("bodies are drawn where they are at the moment", "[device][renderer]") {
  // Substeps as long as steps: a picture of the last substep's start would be 8 pixels off.
  Scene scene = open_scene();
  scene.domain.gravity = {0, 0, 0};
  scene.dt = 0.1;
  scene.solver.substeps = 1;
  scene.bodies = {colored(red, {{SpherePart{0.2}}}, {-1.0, 0.0, 1.5}),
                  colored(blue, {{BoxPart{{1.0, 0.1, 0.1}}}}, {0.0, 0.0, 0.8})};
  scene.bodies[0].velocity = {1.5, 0.0, -1.0};
  scene.bodies[1].spin = {0.0, 3.0, 0.0};
  Setup setup;
  const auto check = [&](const Options& options) {
    Simulation simulation(scene, options);
    Renderer renderer(scene, width, height, simulation.gpu_device() ? simulation.gpu_device() : &setup.device);
    for (const int steps : {0, 3, 5}) {
      if (steps > 0)
        simulation.advance(static_cast<std::uint64_t>(steps) - simulation.step());
      const Image image = renderer.draw(simulation);
      Scene now = scene;
      const double time = simulation.time();
      now.bodies[0].position += time * scene.bodies[0].velocity;
      now.bodies[1].rotation.y = glm::degrees(3.0 * time);
      CHECK(wrong_pixels(image, now, {}) == 0);
      CHECK(patch(image, red).pixels > 300);
      CHECK(patch(image, blue).pixels > 300);
    }
    CHECK(complaints(simulation).empty());
  };
  SECTION("copied from the CPU path") {
    check(on_cpu);
  }
  SECTION("in place") {
    check(on_device());
  }
}

TEST_CASE("the camera fits bodies that end", "[renderer]") {
  Scene scene = open_scene();
  scene.camera = {};
  scene.bodies = {colored(red, {{BoxPart{{1.0, 2.0, 3.0}}}}, {4.0, 5.0, 6.0}, {0.0, 0.0, 90.0})};
  const Box box = content(scene);
  CHECK(glm::distance(box.min, glm::vec3(3.0f, 4.5f, 4.5f)) < 1e-5f);
  CHECK(glm::distance(box.max, glm::vec3(5.0f, 5.5f, 7.5f)) < 1e-5f);
  scene.bodies.push_back(colored(red, {{PlanePart{}}}, {-100.0, 0.0, 0.0}));
  scene.bodies.push_back(colored(red, {{SpherePart{1.0}}}, {-100.0, 0.0, 0.0}));
  scene.bodies.back().show = Show::hidden;
  CHECK(content(scene).min == box.min);
  CHECK(content(scene).max == box.max);
  scene.bodies = {};
  CHECK(content(scene).max == glm::vec3(scene.domain.max));
}

TEST_CASE("looks of bodies are written and read, and a checkpoint does not care", "[renderer]") {
  Scene scene = parse_scene("[time]\ndt = 0.01\n[[body]]\nname = \"ball\"\nsphere.radius = 0.1\ncolor = [0.1, 0.2, 1]\n"
                            "show = \"cut\"\n[[body]]\nname = \"box\"\nbox.size = [1, 1, 1]\nshow = \"hidden\"\n",
                            "looks.toml");
  const Scene again = parse_scene(to_toml(scene), "again.toml");
  CHECK(again.bodies[0].color == glm::vec3(0.1f, 0.2f, 1.0f));
  CHECK(again.bodies[0].show == Show::cut);
  CHECK(!again.bodies[1].color);
  CHECK(again.bodies[1].show == Show::hidden);

  const Scratch scratch;
  const std::filesystem::path file = scratch / "looks.talus";
  Simulation before(scene, on_cpu);
  before.advance(2);
  before.save(file);
  scene.bodies[0].color.reset();
  scene.bodies[1].show = Show::solid;
  Simulation after(scene, on_cpu);
  after.resume(file);
  CHECK(after.step() == 2);
}

TEST_CASE("bodies are shown as wires, or not at all", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.bodies = {colored(red, {{BoxPart{{1.0, 0.2, 1.0}}}}, {0, 0, 1})};
  const std::vector<GrainState> behind{grain(1, {0, 1, 1}, 0.9f)};
  Renderer renderer(scene, width, height, &setup.device);
  const auto draw = [&](BodiesAs bodies) {
    Look look;
    look.bodies = bodies;
    renderer.show_as(look);
    return renderer.draw(behind);
  };
  const Image solid = draw(BodiesAs::solid), wires = draw(BodiesAs::wireframe), hidden = draw(BodiesAs::hidden);
  CHECK(patch(hidden, red).pixels == 0);
  scene.bodies.clear();
  CHECK(differing(hidden, setup.draw(scene, behind), 9.0f) == 0);
  CHECK(patch(wires, red).pixels > 200);
  CHECK(patch(wires, red).pixels < patch(solid, red).pixels / 4);
  // Along an edge of the box there is a wire; between wires one looks through it.
  for (int k = 1; k < 10; ++k) {
    const glm::dvec2 at = place(scene, {-0.5f + 0.1f * static_cast<float>(k), -0.1f, 1.5f});
    CHECK((seen(wires, static_cast<int>(at.x), static_cast<int>(at.y)) == red ||
           seen(wires, static_cast<int>(at.x), static_cast<int>(at.y) + 1) == red));
  }
  const glm::dvec2 through = place(scene, {0.15f, -0.1f, 0.75f}), face = place(scene, {0.15f, -0.1f, 1.25f});
  CHECK((seen(wires, static_cast<int>(through.x), static_cast<int>(through.y)) == green ||
         seen(wires, static_cast<int>(face.x), static_cast<int>(face.y)) == green));
  CHECK(seen(solid, static_cast<int>(through.x), static_cast<int>(through.y)) == red);
}

TEST_CASE("a slice shows the distance field of a body", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  const double radius = 0.5;
  scene.bodies = {colored(red, {{SpherePart{radius}}}, {0.1, 0.0, 1.0}, {0.0, 0.0, 180.0})};  // turned: y is away
  Renderer renderer(scene, width, height, &setup.device);
  Look look;
  look.bodies = BodiesAs::hidden;
  for (const double y : {0.0, 0.5}) {
    CAPTURE(y);
    look.slice = Slice{.body = 0, .axis = 1, .place = y};
    renderer.show_as(look);
    const Image image = renderer.draw(std::vector<GrainState>{});
    // On the plane, to the right and up from the ball's middle.
    const double away = y * radius;
    int blue_inside = 0, yellow_outside = 0, black_between = 0, changes = 0;
    double last = 0.0;
    for (int k = 0; k <= 120; ++k) {
      const double right = 0.005 * k;
      const glm::dvec2 at = place(scene, glm::vec3(0.1 + 0.8 * right, -away, 1.0 + 0.6 * right));
      const glm::vec3 p = pixel(image, static_cast<int>(at.x), static_cast<int>(at.y));
      const double distance = std::hypot(right, away) - radius;
      const double light = static_cast<double>(brightness(p));
      blue_inside += distance < -0.02 && p.b > 1.2f * p.r;
      yellow_outside += distance > 0.02 && p.r > 1.2f * p.b;
      black_between += std::abs(distance) < 0.003 && light < 150.0;
      changes += k > 0 && std::abs(light - last) > 40.0 && distance < -0.02;
      last = light;
    }
    const double edge = std::sqrt(radius * radius - away * away) / 0.005;  // samples inside
    CHECK(blue_inside > edge - 10);
    CHECK(yellow_outside > 110 - edge);
    CHECK(black_between > 0);
    // A band is 0.05 m wide: from the middle to the surface there are ten, or five.
    CHECK(changes == Approx(10.0 * (1.0 - y)).margin(1.1));
  }
  // It is hidden by what is before it, and hides what is behind.
  const glm::dvec2 at = place(scene, {0.1f, 0.0f, 1.0f});
  const Image before = renderer.draw({grain(1, {0.1f, -1.0f, 1.0f}, 0.1f)}),
              behind = renderer.draw({grain(1, {0.1f, 1.0f, 1.0f}, 0.1f)});
  CHECK(seen(before, static_cast<int>(at.x), static_cast<int>(at.y)) == green);
  CHECK(seen(behind, static_cast<int>(at.x), static_cast<int>(at.y)) != green);
}
