// Light, surfaces and the qualities of pictures.
#include "drawing.h"
#include "engine/scene/presets.h"
#include "engine/scene/text.h"
#include "shaders/shared/finish.h"
#include "simulate.h"
#include "viewer/renderer_light.h"
#include <numeric>

using namespace talus;
using namespace talus_tests;

namespace {

glm::dvec3 linear_at(const Image& image, int x, int y) {
  const glm::dvec3 c = glm::dvec3(pixel(image, x, y)) / 255.0;
  glm::dvec3 out;
  for (int a = 0; a < 3; ++a)
    out[a] = c[a] <= 0.04045 ? c[a] / 12.92 : std::pow((c[a] + 0.055) / 1.055, 2.4);
  return out;
}

glm::dvec3 mean_linear(const Image& image, glm::ivec2 from, glm::ivec2 to) {
  glm::dvec3 sum(0.0);
  for (int y = from.y; y < to.y; ++y)
    for (int x = from.x; x < to.x; ++x)
      sum += linear_at(image, x, y);
  const glm::ivec2 size = to - from;
  return sum / static_cast<double>(size.x * size.y);
}

// A film of 320 x 180 pixels takes 15 s of one core.
Image draw_as(Setup& setup, const Scene& scene, const std::vector<GrainState>& grains, const Look& look,
              glm::ivec2 size = {width, height}) {
  Renderer renderer(scene, size.x, size.y, &setup.device);
  renderer.show_as(look);
  return renderer.draw(grains);
}

Look of_quality(Quality quality) {
  Look look;
  look.quality = quality;
  return look;
}

// A heap of grains on the ground, each with a number of its own.
std::vector<GrainState> heap_of_grains(int count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> between(-1.0f, 1.0f);
  std::vector<GrainState> grains;
  while (grains.size() < static_cast<std::size_t>(count)) {
    const glm::vec3 p{between(random), between(random), 0.5f + 0.5f * between(random)};
    if (p.z > 0.04f && p.z < 0.7f - 0.8f * glm::length(glm::vec2(p))) {
      grains.push_back(grain(0, p, 0.045f));
      grains.back().id = static_cast<std::uint32_t>(grains.size());
    }
  }
  return grains;
}

Scene heap_scene(Finish finish) {
  Scene scene = ground_scene();
  scene.materials[0].color = {0.6f, 0.46f, 0.28f};
  scene.materials[0].finish = finish;
  scene.camera.eye = glm::dvec3(0.3, -2.2, 1.5);
  scene.camera.target = glm::dvec3(0.0, 0.0, 0.15);
  return scene;
}

}  // namespace

TEST_CASE("a level white surface in the open has the light 1, of sun and sky", "[renderer]") {
  for (const glm::vec3& way :
       {glm::vec3(-0.72f, 0.12f, 0.70f), glm::vec3(0.1f, 0.0f, 1.0f), glm::vec3(0.9f, 0.3f, 0.3f)}) {
    const glm::vec3 sun = normalize(way);
    const shared::DrawLight light = sun_and_sky(sun);
    const glm::vec3 sky = light.ambient[0] + light.ambient[2] + 2.0f * light.ambient[6], direct = light.lamp * sun.z;
    for (int a = 0; a < 3; ++a) {
      CAPTURE(sun.z, a, sky[a], direct[a]);
      CHECK(static_cast<double>(sky[a] + direct[a]) ==
            Approx(1.0).epsilon(0.03));  // harmonics of order 2 leave out 1 to 3 %
    }
    CHECK(sky.b / direct.b > 1.2f * sky.r / direct.r);  // shadows are bluer
    CHECK((direct.g > sky.g) == (sun.z > 0.5f));
  }
  const shared::DrawLight even = even_light();
  for (int k = 0; k < 9; ++k)
    CHECK(static_cast<double>(even.ambient[k].r) == Approx(k == 0 ? 1.0 : 0.0).margin(1e-3));
}

TEST_CASE("the mean of a mixture of minerals is the colour of the material", "[renderer]") {
  for (const Preset& preset : material_presets()) {
    const auto finish = static_cast<shared::uint>(preset.finish);
    if (!shared::is_mixture(finish))
      continue;
    glm::vec3 mean(0.0f);
    float shares = 0.0f;
    for (int k = 0; k < shared::minerals; ++k) {
      const glm::vec3 one = shared::mineral(finish, k);
      mean += one.x * shared::mineral_color(preset.color, one);
      shares += one.x;
    }
    CHECK(static_cast<double>(shares) == Approx(1.0).margin(1e-5));
    for (int a = 0; a < 3; ++a)
      CHECK(static_cast<double>(mean[a]) == Approx(static_cast<double>(preset.color[a])).epsilon(0.01));
    // The random number meets each with its share.
    int dark = 0;
    for (int n = 0; n < 10000; ++n)
      dark += shared::mineral_at(finish, (static_cast<float>(n) + 0.5f) / 10000.0f) == shared::mineral(finish, 3);
    CHECK(dark == Approx(10000.0 * static_cast<double>(shared::mineral(finish, 3).x)).margin(2));
  }
}

TEST_CASE("a grey ball under even light sends back its share of it", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.materials[0].color = glm::vec3(0.5f);
  Look look;
  look.even = true;
  for (const Quality quality : {Quality::draft, Quality::good, Quality::film}) {
    look.quality = quality;
    const int part = quality == Quality::film ? 4 : 2;
    const Image image = draw_as(setup, scene, {grain(0, {0, 0, 1}, 0.6f)}, look, glm::ivec2(width, height) / part);
    const glm::ivec2 middle = glm::ivec2(width, height) / (2 * part), reach(20 / part);
    const double light = mean_linear(image, middle - reach, middle + reach).g;
    CAPTURE(static_cast<int>(quality));
    // A share m of 2 to 3 % is mirrored: 0.5 (1 - m) + m. Highlights above 0.76 alone are compressed.
    CHECK(light > 0.495);
    CHECK(light < 0.525);
    // Sky of radiance 1, compressed.
    CHECK(linear_at(image, 5, 5).g == Approx(0.88).margin(0.02));
  }
}

TEST_CASE("no surface is black or breaks under even light", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.materials.clear();
  std::vector<GrainState> grains;
  for (std::uint32_t k = 0; k < 7; ++k) {
    scene.materials.push_back(material(std::string(1, static_cast<char>('a' + k)).c_str(), {0.3f, 0.3f, 0.3f}));
    scene.materials.back().finish = static_cast<Finish>(k);
    scene.materials.back().wetness = k % 2;
    grains.push_back(grain(k, {0.55f * (static_cast<float>(k) - 3.0f), 0.0f, 1.0f}, 0.25f));
    grains.back().id = k;
  }
  Look look;
  look.even = true;
  const Image image = draw_as(setup, scene, grains, look);
  int dark = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      dark += linear_at(image, x, y).g < 0.03;
  CHECK(dark == 0);
}

TEST_CASE("a picture of any quality is the same when drawn again, and whatever the order of grains",
          "[device][renderer]") {
  Setup setup;
  const Scene scene = heap_scene(Finish::sand);
  std::vector<GrainState> grains = heap_of_grains(400);
  for (const Quality quality : {Quality::draft, Quality::good, Quality::film}) {
    CAPTURE(static_cast<int>(quality));
    const int part = quality == Quality::film ? 4 : 2;
    Renderer renderer(scene, width / part, height / part, &setup.device);
    renderer.show_as(of_quality(quality));
    const Image first = renderer.draw(grains), again = renderer.draw(grains);
    CHECK((first.rgba == again.rgba));
    std::vector<GrainState> sorted = grains;
    std::shuffle(sorted.begin(), sorted.end(), std::mt19937(3));
    const Image other = renderer.draw(sorted);
    // Where two grains are as near as each other, the first one is seen.
    CHECK(differing(first, other, 12.0f) < 20 / (part * part));
  }
}

TEST_CASE("drafts have balls, other pictures stones of minerals", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.materials[0].finish = Finish::gravel;
  std::vector<GrainState> grains;
  for (std::uint32_t k = 0; k < 40; ++k) {
    grains.push_back(
        grain(0, {0.4f * (static_cast<float>(k % 8) - 3.5f), 0.0f, 0.4f * (static_cast<float>(k / 8) + 0.5f)}, 0.15f));
    grains.back().id = k;
  }
  scene.materials[0].color = {0.5f, 0.5f, 0.5f};
  const Image sky = setup.draw(scene, {});
  const auto covered = [&](const Image& image) {
    return patch([&](int x, int y) { return glm::distance(pixel(image, x, y), pixel(sky, x, y)) > 6.0f; });
  };
  const Image draft = draw_as(setup, scene, grains, of_quality(Quality::draft)),
              good = draw_as(setup, scene, grains, of_quality(Quality::good));
  scene.materials[0].finish = Finish::plain;
  const Image balls = draw_as(setup, scene, grains, of_quality(Quality::good));
  CHECK(covered(draft).pixels == Approx(covered(balls).pixels).epsilon(0.02));
  CHECK(covered(good).pixels == Approx(covered(balls).pixels).epsilon(0.05));
  const int apart = patch([&](int x, int y) {
                      const auto shown = [&](const Image& image) {
                        return glm::distance(pixel(image, x, y), pixel(sky, x, y)) > 6.0f;
                      };
                      return shown(good) != shown(balls);
                    }).pixels;
  CHECK(apart > 0.05 * covered(balls).pixels);
  CHECK(apart < 0.4 * covered(balls).pixels);
}

TEST_CASE("a film's picture has the light of a good one, and no lines", "[device][renderer]") {
  Setup setup;
  Scene scene = heap_scene(Finish::sand);
  const std::vector<GrainState> grains = heap_of_grains(1500);
  const int part = 4;
  const glm::ivec2 size = glm::ivec2(width, height) / part;
  const Image good = draw_as(setup, scene, grains, of_quality(Quality::good), size),
              film = draw_as(setup, scene, grains, of_quality(Quality::film), size);
  const glm::ivec2 from = glm::ivec2(110, 60) / part, to = glm::ivec2(210, 140) / part;
  const glm::dvec3 a = mean_linear(good, from, to), b = mean_linear(film, from, to);
  CAPTURE(a.r, a.g, a.b, b.r, b.g, b.b);
  for (int c = 0; c < 3; ++c)
    CHECK(a[c] == Approx(b[c]).epsilon(
                      0.12));  // one has the sky's light by what the picture shows of hollows, the other by shadows
  // Joints of the ground.
  const auto edges = [&](const Image& image) {
    int count = 0;
    for (int y = (height - 30) / part; y < (height - 5) / part; ++y)
      for (int x = 1; x < width / part; ++x)
        count += std::abs(brightness(pixel(image, x, y)) - brightness(pixel(image, x - 1, y))) > 12;
    return count;
  };
  Scene bare = scene;
  CHECK(edges(draw_as(setup, bare, {}, of_quality(Quality::good), size)) > 20);
  CHECK(edges(draw_as(setup, bare, {}, of_quality(Quality::film), size)) == 0);
}

TEST_CASE("a film's lens is sharp where it is focused, and its shutter blurs what moves", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();  // seen along y, from 4 m
  // The rows in the middle of a picture of the usual size: its upper and lower quarter show nothing.
  const double half_height = std::tan(glm::radians(20.0)) / 2;
  scene.camera.fov = 2.0 * glm::degrees(std::atan(half_height));
  const glm::ivec2 rows{width, height / 2};
  scene.camera.aperture = 0.3;
  scene.camera.focus = 4.0;
  const std::vector<GrainState> grains{grain(0, {-0.8f, 0.0f, 1.0f}, 0.3f), grain(0, {1.8f, 5.0f, 1.0f}, 0.6f)};
  // Pixels that are neither quite the grain's nor quite the sky's, along the row through the middle.
  const auto border = [&](const Image& image, int from, int to) {
    int count = 0;
    for (int x = from; x < to; ++x) {
      const glm::vec3 p = pixel(image, x, rows.y / 2);
      count += p.r > 1.1f * p.b && p.r < 2.5f * p.b;
    }
    return count;
  };
  const Image good = draw_as(setup, scene, grains, of_quality(Quality::good), rows),
              film = draw_as(setup, scene, grains, of_quality(Quality::film), rows);
  const int middle = width / 2;
  CHECK(border(good, 0, width) <= 6);
  CHECK(border(film, 0, middle) <= 6);  // in focus
  CHECK(border(film, middle, width) >=
        8);  // behind it: each edge is 0.3 m (1 / 4 - 1 / 9) x 4 m wide at 4 m, 10 pixels
  scene.camera.aperture = 0.0;
  scene.camera.shutter = 0.1;
  const std::vector<GrainState> moving{grain(0, {0.0f, 0.0f, 1.5f}, 0.2f, {4.0f, 0.0f, 0.0f}),
                                       grain(1, {0.0f, 0.0f, 0.5f}, 0.2f)};
  const Image still = draw_as(setup, scene, moving, of_quality(Quality::good), rows),
              blurred = draw_as(setup, scene, moving, of_quality(Quality::film), rows);
  const Image empty = draw_as(setup, scene, {}, of_quality(Quality::good), rows);
  const auto wide = [&](const Image& image, float z) {
    const int y = static_cast<int>(
        (0.5f - 0.5f * view_of(scene, static_cast<float>(rows.x) / rows.y).project({0, 0, z}).y) * rows.y);
    int count = 0;
    for (int x = 0; x < width; ++x)
      count += glm::distance(pixel(image, x, y), pixel(empty, x, y)) > 12.0f;
    return count;
  };
  const double pixels = 0.5 * rows.y / (4.0 * half_height);  // to a metre
  CHECK(wide(still, 1.5f) == Approx(0.4 * pixels).margin(3));
  CHECK(wide(blurred, 1.5f) == Approx(0.8 * pixels).margin(6));  // at its ends little of it shows
  CHECK(wide(blurred, 0.5f) == Approx(wide(still, 0.5f)).margin(2));
}

TEST_CASE("wet grains are darker and glossier", "[device][renderer]") {
  Setup setup;
  Scene scene = open_scene();
  scene.materials[0].color = glm::vec3(0.35f);
  const std::vector<GrainState> one{grain(0, {0, 0, 1}, 0.6f)};
  const auto draw = [&](double wetness) {
    scene.materials[0].wetness = wetness;
    return setup.draw(scene, one);
  };
  const Image dry = draw(0.0), wet = draw(1.0);
  const auto mean = [&](const Image& image) {
    return mean_linear(image, {width / 2 - 25, height / 2 - 25}, {width / 2 + 25, height / 2 + 25}).g;
  };
  // At each reflection 0.57 of the light within leaves the film of water: 0.35 becomes 0.35 x 0.57 / (1 - 0.43 x 0.35)
  // = 0.235. The highlight adds to it.
  CHECK(mean(wet) < 0.85 * mean(dry));
  CHECK(mean(wet) > 0.5 * mean(dry));
  const auto highest = [&](const Image& image) {  // over what is around it
    double most = 0.0;
    for (int y = height / 2 - 30; y < height / 2 + 30; ++y)
      for (int x = width / 2 - 30; x < width / 2 + 30; ++x)
        most = std::max(most, linear_at(image, x, y).g);
    return most / mean(image);
  };
  CHECK(highest(wet) > 1.2 * highest(dry));
}

TEST_CASE("what pictures alone have is written and read", "[renderer][scene]") {
  Scene scene = open_scene();
  scene.materials[0].finish = Finish::gravel;
  scene.materials[1].wetness = 0.5;
  scene.bodies = {body_of("box", {{BoxPart{{0.6, 0.6, 0.6}}}}, {0.0, 0.0, 0.3})};
  scene.bodies[0].finish = Finish::metal;
  scene.camera.aperture = 0.02;
  scene.camera.focus = 1.5;
  scene.camera.shutter = 0.01;
  scene.output.quality = Quality::film;
  const Scene read = parse_scene(to_toml(scene), "scene.toml");
  CHECK(read.materials[0].finish == Finish::gravel);
  CHECK(read.materials[1].wetness == 0.5);
  CHECK(read.bodies[0].finish == Finish::metal);
  CHECK(read.camera.aperture == 0.02);
  CHECK(read.camera.focus == 1.5);
  CHECK(read.camera.shutter == 0.01);
  CHECK(read.output.quality == Quality::film);
}
