// What a picture tells of the state: colours by what grains feel.
#include "drawing.h"
#include "shaders/shared/color_scale.h"
#include "simulate.h"
#include "wrong.h"

using namespace talus;
using namespace talus_tests;

namespace {

// Four balls on each other, and one that falls. On a plain floor, seen from the front.
Scene stack() {
  Scene scene = scene_of(1.0 / 240, 8, 1);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  scene.domain.min = {-0.2, -0.2, 0.0};
  scene.domain.max = {0.2, 0.2, 2.0};
  scene.camera.eye = glm::dvec3(0.0, -0.45, 0.1);
  scene.camera.target = glm::dvec3(0.0, 0.0, 0.085);
  add_points(scene, 0.02, {{0, 0, 0.02}, {0, 0, 0.06}, {0, 0, 0.1}, {0, 0, 0.14}, {0.08, 0, 1.35}});
  return scene;
}
constexpr double weight = 1600.0 * 4.18879 * 0.02 * 0.02 * 0.02 * 9.81;  // N, of one

glm::vec3 without_brightness(const glm::vec3& color) {
  return color / (color.r + color.g + color.b);
}

// The colour there before light and shade, as shares of red, green and blue.
glm::vec3 tone_at(const Image& image, const glm::ivec2& at) {
  return without_brightness(glm::pow(pixel(image, at.x, at.y) / 255.0f, glm::vec3(2.2f)));
}

// Where on the colour scale what is seen there is.
double on_scale(const Image& image, const glm::ivec2& at) {
  const glm::vec3 tone = tone_at(image, at);
  double best = 0.0, least = 1.0;
  for (int k = 0; k <= 100; ++k) {
    const float t = 0.01f * static_cast<float>(k);
    if (const double away = static_cast<double>(glm::distance(tone, without_brightness(shared::color_scale(t))));
        away < least)
      std::tie(best, least) = std::pair(static_cast<double>(t), away);
  }
  CHECK(least < 0.08);
  return best;
}

glm::ivec2 pixel_of(const Scene& scene, const glm::vec3& point) {
  const glm::vec3 at = view_of(scene, static_cast<float>(width) / height).project(point);
  return {(at.x * 0.5 + 0.5) * width, (0.5 - at.y * 0.5) * height};
}

double place_of(double value, double low, double high) {
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

// Pictures of the simulation, one after the other in the same renderer, as a window makes them.
class Pictures {
public:
  Pictures(Simulation& simulation, gpu::Device& device)
      : simulation_(simulation),
        renderer_(simulation.scene(), width, height, simulation.gpu_device() ? simulation.gpu_device() : &device) {}
  Image draw(const Look& look) {
    renderer_.show_as(look);
    return renderer_.draw(simulation_);
  }
  Renderer& renderer() { return renderer_; }

private:
  Simulation& simulation_;
  Renderer renderer_;
};

void shows_what_grains_feel(const Options& options) {
  Setup setup;
  Simulation simulation(stack(), options);
  simulation.advance(120);
  Pictures pictures(simulation, setup.device);
  const std::vector<GrainState> grains = simulation.grains();
  REQUIRE(grains.size() == 5);
  // From the front, a little left of and above the middle, where the light comes from.
  const auto shown = [&](const Image& image, std::size_t k) {
    return on_scale(image, pixel_of(simulation.scene(), grains[k].position + glm::vec3(-0.006f, -0.017f, 0.006f)));
  };
  const auto check = [&](const Look& look, const glm::dvec2& range, const std::vector<double>& values) {
    CAPTURE(static_cast<int>(look.color_by));
    const Image image = pictures.draw(look);
    const auto told = pictures.renderer().color_range();
    REQUIRE(told);
    CHECK(static_cast<double>(told->x) == Approx(range.x).epsilon(0.05).margin(1e-9));
    CHECK(static_cast<double>(told->y) == Approx(range.y).epsilon(0.05));
    for (std::size_t k = 0; k < values.size(); ++k) {
      CAPTURE(k);
      CHECK(shown(image, k) == Approx(place_of(values[k], range.x, range.y)).margin(0.06));
    }
  };
  Look look;
  look.color_by = ColorBy::contacts;
  check(look, {0.0, 2.0}, {2.0, 2.0, 2.0, 1.0, 0.0});
  look.color_range = {1.0, 5.0};
  check(look, {1.0, 5.0}, {2.0, 2.0, 2.0, 1.0, 0.0});

  look = Look();
  look.color_by = ColorBy::id;
  check(look, {0.0, 4.0}, {0.0, 1.0, 2.0, 3.0, 4.0});

  look = Look();
  look.color_by = ColorBy::overlap;
  const std::vector<GrainMeasure> measures =
      read_field<GrainMeasure>(simulation.executor(), FieldId::measures, grains.size());
  const std::vector<uint> ids = read_field<uint>(simulation.executor(), FieldId::grain_id, grains.size());
  std::vector<double> overlaps(grains.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    overlaps[ids[i]] = static_cast<double>(measures[i].penetration_max);
  CHECK(overlaps[3] < 0.6 * overlaps[0]);
  check(look, {0.0, *std::ranges::max_element(overlaps)}, overlaps);

  // Forces by their logarithm.
  look = Look();
  look.color_by = ColorBy::force;
  const auto logs = [](const std::vector<double>& forces, double low) {
    std::vector<double> out;
    for (const double f : forces)
      out.push_back(std::log(std::max(f, low)));
    return out;
  };
  const std::vector<double> forces{4.0 * weight, 3.0 * weight, 2.0 * weight, weight, 0.0};
  for (const glm::dvec2 range : {glm::dvec2(0.0), glm::dvec2(0.5 * weight, 8.0 * weight)}) {
    look.color_range = range;
    const glm::dvec2 ends = range.y > 0.0 ? range : glm::dvec2(4e-3 * weight, 4.0 * weight);
    const Image image = pictures.draw(look);
    const std::vector<double> values = logs(forces, ends.x);
    for (std::size_t k = 0; k < values.size(); ++k) {
      CAPTURE(range.y, k);
      CHECK(shown(image, k) == Approx(place_of(values[k], std::log(ends.x), std::log(ends.y))).margin(0.06));
    }
    const auto told = pictures.renderer().color_range();
    REQUIRE(told);
    CHECK(static_cast<double>(told->y) == Approx(ends.y).epsilon(0.05));
  }
  look = Look();
  look.color_by = ColorBy::palette;
  pictures.draw(look);
  CHECK_FALSE(pictures.renderer().color_range());
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

int different(const Image& a, const Image& b, int y) {  // pixels of a row
  int count = 0;
  for (int x = 0; x < width; ++x)
    count += glm::distance(pixel(a, x, y), pixel(b, x, y)) > 20.0f;
  return count;
}

void shows_contacts_as_lines(const Options& options) {
  Setup setup;
  Scene scene = stack();
  scene.bodies = {body_of("plate", {{BoxPart{{0.08, 0.01, 0.02}}}}, {0.0, -0.1, 0.085})};  // before the third contact
  Simulation simulation(scene, options);
  simulation.advance(120);
  Pictures pictures(simulation, setup.device);
  Look look;
  look.grain_size = 0.3;
  const Image none = pictures.draw(look);
  look.contacts = ContactLines::force;
  const Image force = pictures.draw(look);
  look.contacts = ContactLines::plain;
  const Image plain = pictures.draw(look);

  // In the middle between two centres, or centre and floor; how thick it is.
  const auto middle = [&](float z) { return pixel_of(scene, {0.0f, 0.0f, z}); };
  const double pixels = pixel_of(scene, {0.1f, 0.0f, 0.1f}).x - pixel_of(scene, {-0.1f, 0.0f, 0.1f}).x;
  const auto thick = [&](const Image& image, float z) { return different(image, none, middle(z).y) / pixels * 0.2; };
  struct Shown {
    float z;
    double force;  // of four
  };
  for (const Shown& contact : {Shown{0.04f, 3.0}, Shown{0.12f, 1.0}}) {
    CAPTURE(contact.z);
    const double share = contact.force / 4.0;
    CHECK(on_scale(force, middle(contact.z)) == Approx(std::sqrt(share)).margin(0.06));
    const double edges = 1.6 * 0.2 / pixels;  // those seen in part
    CHECK(thick(force, contact.z) == Approx(2.0 * 0.45 * 0.02 * share).margin(edges));
    CHECK(thick(plain, contact.z) == Approx(2.0 * 0.45 * 0.02 * 0.3).margin(edges));
  }
  CHECK(on_scale(force, middle(0.01f)) == Approx(1.0).margin(0.06));
  for (const Image* image : {&force, &plain}) {
    CHECK(different(*image, none, middle(0.16f).y) == 0);  // above it there is none
    CHECK(different(*image, none, middle(0.08f).y) == 0);  // the plate hides it
  }
  look.contacts = ContactLines::force;
  look.line_force = 2.0 * weight;  // of the thickest, and of all above
  CHECK(thick(pictures.draw(look), 0.04f) > 1.15 * thick(force, 0.04f));
  CHECK(on_scale(pictures.draw(look), middle(0.12f)) == Approx(std::sqrt(0.5)).margin(0.06));
  // Grains of full size hide them.
  look.grain_size = 1.0;
  const Image hidden = pictures.draw(look);
  look.contacts = ContactLines::none;
  const Image grains = pictures.draw(look);
  for (const float z : {0.02f, 0.06f, 0.1f, 0.14f})
    CHECK(different(hidden, grains, middle(z).y) == 0);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("Contacts on a device are shown as lines", "[device][renderer]") {
  shows_contacts_as_lines(on_device());
}

TEST_CASE("Contacts of the CPU path are shown as lines", "[device][renderer]") {
  shows_contacts_as_lines(on_cpu);
}

TEST_CASE("Grains on a device are coloured by what they feel", "[device][renderer]") {
  shows_what_grains_feel(on_device());
}

TEST_CASE("Grains of the CPU path are coloured by what they feel", "[device][renderer]") {
  shows_what_grains_feel(on_cpu);
}

TEST_CASE("Materials and worlds have colours that tell them apart", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.materials.push_back(scene.materials[0]);  // of the same colour
  std::vector<GrainState> grains{grain(0, {-0.9f, 0, 1}, 0.3f), grain(3, {0, 0, 1}, 0.3f),
                                 grain(0, {0.9f, 0, 1}, 0.3f)};
  grains[2].world = 7;
  for (std::uint32_t k = 0; k < 3; ++k)
    grains[k].id = k;
  const auto apart = [&](ColorBy by, std::size_t a, std::size_t b) {
    scene.output.color_by = by;
    const Image image = setup.draw(scene, grains);
    const auto tone = [&](std::size_t k) {
      return tone_at(image, pixel_of(scene, grains[k].position + glm::vec3(-0.1f, -0.25f, 0.1f)));
    };
    return glm::distance(tone(a), tone(b));
  };
  CHECK(apart(ColorBy::palette, 0, 1) > 0.2f);
  CHECK(apart(ColorBy::palette, 0, 2) < 0.02f);
  CHECK(apart(ColorBy::world, 0, 1) < 0.02f);
  CHECK(apart(ColorBy::world, 0, 2) > 0.2f);
  // Sizes on a scale, from the smallest to the largest.
  grains[0].radius = 0.2f;
  grains[2].radius = 0.4f;
  scene.output.color_by = ColorBy::radius;
  const Image image = setup.draw(scene, grains);
  for (std::size_t k = 0; k < 3; ++k) {
    CAPTURE(k);
    const glm::vec3 lit(-0.33f, -0.83f, 0.33f);  // towards the light
    CHECK(on_scale(image, pixel_of(scene, grains[k].position + grains[k].radius * lit)) ==
          Approx(0.5 * static_cast<double>(k)).margin(0.1));
  }
  // What nothing has felt has its own colour.
  scene.output.color_by = ColorBy::force;
  CHECK(seen(setup.draw(scene, grains), pixel_of(scene, grains[0].position).x, pixel_of(scene, grains[0].position).y) ==
        red);
}

TEST_CASE("the ground is shown as asleep beside grains that are awake", "[device][renderer][soil]") {
  Setup setup;
  Scene scene = parse_scene(R"(
[domain]
min = [-0.3, -0.3, 0.0]
max = [0.3, 0.3, 0.6]
[[material]]
name = "sand"
[soil]
material = "sand"
radius = 0.02
height = 0.1
[[grains]]
material = "sand"
radius = 0.05
fill.points = [[0.1, 0.0, 0.4]]
[camera]
eye = [0.0, -0.9, 0.9]
target = [0.0, 0.0, 0.15]
)",
                            "ground.toml");
  Simulation simulation(scene, setup.options);
  simulation.advance(2);
  Pictures pictures(simulation, setup.device);
  Look look;
  look.color_by = ColorBy::activity;
  const Image image = pictures.draw(look);
  const glm::vec3 falling = simulation.grains().at(0).position;
  CHECK(on_scale(image, pixel_of(scene, falling)) == Approx(1.0).margin(0.06));
  CHECK(on_scale(image, pixel_of(scene, {-0.15f, 0.0f, 0.1f})) == Approx(0.0).margin(0.06));
}
