// Grains in shapes of all kinds: inside, apart, and as dense as random places get.
#include "engine/geometry/gear.h"
#include "engine/scene/bodies.h"
#include "engine/scene/sampling.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

const std::string head = "[domain]\nmin = [-1, -1, 0]\nmax = [1, 1, 2]\n[[material]]\nname = \"sand\"\n";

Scene fill_scene(const std::string& keys, const std::filesystem::path& folder = {}) {
  return parse_scene(head + "[[grains]]\nmaterial = \"sand\"\n" + keys + "\n", (folder / "s.toml").string());
}

double filled_volume(const std::vector<Seed>& seeds) {
  double v = 0.0;
  for (const Seed& s : seeds)
    v += 4.0 / 3.0 * std::numbers::pi * std::pow(s.radius, 3);
  return v;
}

// Deepest overlap of two grains, in radii of the smaller.
double worst_overlap(const std::vector<Seed>& seeds) {
  double worst = -1.0;
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double reach = static_cast<double>(seeds[i].radius) + seeds[j].radius;
      const double d = glm::distance(glm::dvec3(seeds[i].position), glm::dvec3(seeds[j].position));
      worst = std::max(worst, (reach - d) / std::min(seeds[i].radius, seeds[j].radius));
    }
  return worst;
}

void lie_inside(const std::vector<Seed>& seeds, const Solid& solid) {
  double out = -1.0;
  for (const Seed& s : seeds)
    out = std::max(out, (sample(solid, glm::dvec3(s.position)).distance + s.radius) / s.radius);
  CHECK(out < 1e-4);
}

Mesh torus_mesh(double ring, double tube, unsigned n) {
  Mesh mesh;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned k = 0; k < n; ++k) {
      const double a = 2.0 * std::numbers::pi * i / n, b = 2.0 * std::numbers::pi * k / n;
      const double rho = ring + tube * std::cos(b);
      mesh.vertices.push_back(glm::vec3(rho * std::cos(a), rho * std::sin(a), tube * std::sin(b)));
      const unsigned i1 = (i + 1) % n, k1 = (k + 1) % n;
      mesh.triangles.push_back({i * n + k, i1 * n + k, i1 * n + k1});
      mesh.triangles.push_back({i * n + k, i1 * n + k1, i * n + k1});
    }
  return mesh;
}

}  // namespace

TEST_CASE("Any shape is filled: inside, without overlap, and by the same grains again", "[fills]") {
  Scratch scratch;
  write_mesh(scratch / "ring.stl", torus_mesh(0.3, 0.12, 48));
  struct Case {
    std::string shape;
    double least;  // share of the shape's volume
  };
  const Case c = GENERATE(
      Case{"capsule = { radius = 0.15, height = 0.8, position = [0, 0, 1], rotation = [50, 20, 0] }", 0.27},
      Case{"cone = { radius = 0.3, top_radius = 0.1, height = 0.6, position = [0, 0, 1] }", 0.26},
      Case{"torus = { radius = 0.3, tube_radius = 0.12, position = [0, 0, 1], rotation = [40, 0, 0] }", 0.24},
      Case{"mesh = { file = \"ring.stl\", position = [0.1, 0, 1], rotation = [0, 60, 10] }", 0.24},
      Case{"gear = { module = 0.05, teeth = 14, width = 0.2, bore_radius = 0.1, position = [0, 0, 1] }", 0.18},
      Case{
          "parts = [{ sphere = { radius = 0.35 }, position = [0, 0, 1] }, "
          "{ cylinder = { radius = 0.12, height = 2 }, position = [0, 0, 1], rotation = [90, 0, 0], subtract = true }, "
          "{ plane = {}, position = [0, 0, 0.8], subtract = true }]",
          0.20});
  CAPTURE(c.shape);
  const std::string radius = GENERATE("radius = 0.02\n", "radius = [0.012, 0.03]\n");
  const Scene scene = fill_scene(radius + "fill." + c.shape, scratch.path());
  const Population p = populate(scene);
  const auto& fill = std::get<SolidFill>(scene.grains[0].shape);
  lie_inside(p.initial, solid_of(fill.parts, {}, 0.1));
  CHECK(worst_overlap(p.initial) < 0.0);
  const Space space(fill, scene.domain, 0.03);
  const double share = filled_volume(p.initial) / space.volume();
  CHECK(share > c.least);  // walls cost some of the 0.38 far from them
  CHECK(share < 0.385);
  const Population again = populate(parse_scene(to_toml(scene), (scratch.path() / "again.toml").string()));
  REQUIRE(again.initial.size() == p.initial.size());
  for (std::size_t i = 0; i < p.initial.size(); ++i)
    REQUIRE(again.initial[i].position == p.initial[i].position);
}

TEST_CASE("The volume of a shape is that of geometry", "[fills]") {
  Domain domain;
  domain.max.z = 4.0;
  const auto volume = [&](BodyPart part) {
    part.position = {0.0, 0.0, 2.0};
    part.rotation = {30.0, 40.0, 50.0};
    return Space(SolidFill{{part}}, domain, 0.01).volume();
  };
  const double pi = std::numbers::pi;
  CHECK(volume({BoxPart{{0.3, 0.4, 0.5}}}) == Approx(0.06).epsilon(0.02));
  CHECK(volume({SpherePart{0.4}}) == Approx(4.0 / 3.0 * pi * 0.064).epsilon(0.02));
  CHECK(volume({TorusPart{0.4, 0.1}}) == Approx(2.0 * pi * pi * 0.4 * 0.01).epsilon(0.02));
  CHECK(volume({ConePart{0.3, 0.1, 0.6}}) == Approx(pi / 3.0 * 0.6 * (0.09 + 0.03 + 0.01)).epsilon(0.02));
}

TEST_CASE("The height of a shape is that of its columns, each by its volume", "[fills]") {
  Domain domain;
  domain.max.z = 4.0;
  const glm::dvec3 at(0.0, 0.0, 2.0);
  const auto height = [&](const Shape& shape, int axis = 2) { return Space(shape, domain, 0.01).height(axis); };
  const auto solid = [&](BodyPart part) {
    part.position = at;
    return SolidFill{{part}};
  };
  const double lying = 16.0 / (3.0 * std::numbers::pi) * 0.4;
  CHECK(height(BoxFill{at, at + glm::dvec3(0.3, 0.4, 0.5)}, 1) == Approx(0.4));
  CHECK(height(SphereFill{at, 0.4}) == Approx(0.6));
  CHECK(height(CylinderFill{at, 0.4, 0.7}) == Approx(0.7));
  CHECK(height(CylinderFill{at, 0.4, 0.7}, 0) == Approx(lying));
  CHECK(height(solid({BoxPart{{0.3, 0.4, 0.5}}}), 1) == Approx(0.4));
  CHECK(height(solid({SpherePart{0.4}}), 1) == Approx(0.6).epsilon(0.02));
  CHECK(height(solid({ConePart{0.3, 0.0, 0.6}})) == Approx(0.3).epsilon(0.02));
}

TEST_CASE("A solid is filled as densely as the same shape by formula, to the random maximum far from its surface",
          "[fills]") {
  const double r = 0.02, edge = 0.45;
  const auto core = [&](const Population& p) {  // share of the volume four radii below the surface
    double v = 0.0;
    for (const Seed& s : p.initial)
      if (glm::distance(glm::dvec3(s.position), {0.0, 0.0, 1.0}) < edge - 4.0 * r)
        v += 4.0 / 3.0 * std::numbers::pi * r * r * r;
    return v / (4.0 / 3.0 * std::numbers::pi * std::pow(edge - 4.0 * r, 3));
  };
  const Population formula = populate(fill_scene("radius = 0.02\nfill.sphere = { center = [0, 0, 1], radius = 0.45 }"));
  const Population solid =
      populate(fill_scene("radius = 0.02\nfill.parts = [{ sphere = { radius = 0.45 }, position = [0, 0, 1] }]"));
  CHECK(static_cast<double>(solid.initial.size()) == Approx(static_cast<double>(formula.initial.size())).epsilon(0.01));
  CHECK(core(solid) > 0.365);
  CHECK(core(solid) < 0.395);
  CHECK(core(formula) == Approx(core(solid)).epsilon(0.03));
}

TEST_CASE("A lattice fills any shape, and a count is met or named", "[fills]") {
  const std::string ring =
      "fill.torus = { radius = 0.4, tube_radius = 0.1, position = [0, 0, 1], rotation = [30, 0, 0] }";
  const Scene scene = fill_scene("radius = 0.015\nsampling = \"lattice\"\n" + ring);
  const Population p = populate(scene);
  lie_inside(p.initial, solid_of(std::get<SolidFill>(scene.grains[0].shape).parts, {}));
  CHECK(worst_overlap(p.initial) < 1e-5);
  CHECK(p.initial.size() > 500);
  CHECK(populate(fill_scene("radius = 0.015\ncount = 700\n" + ring)).initial.size() == 700);
  CHECK(contains(error_of([&] { populate(fill_scene("radius = 0.015\ncount = 9000\n" + ring)); }),
                 "s.toml:9:9: grains.0: 9000 grains were asked for and only"));
}

TEST_CASE("Grains are poured out of any shape", "[fills]") {
  Scratch scratch;
  write_mesh(scratch / "ring.stl", torus_mesh(0.3, 0.05, 32));
  const Scene scene =
      parse_scene(head + "[[emitter]]\nmaterial = \"sand\"\nradius = 0.02\nvelocity = [0, 0, -1]\nrate = 800\n"
                         "shape.mesh = { file = \"ring.stl\", position = [0, 0, 1.5] }\n",
                  (scratch / "s.toml").string());
  const Population p = populate(scene);
  CHECK(p.scheduled.size() == 800);
  CHECK(p.warnings.empty());
  const Solid ring = solid_of(std::get<SolidFill>(scene.emitters[0].shape).parts, {}, 0.1);
  double out = -1.0;
  for (const ScheduledGrain& t : p.scheduled)
    out = std::max(out, sample(ring, glm::dvec3(t.seed.position)).distance + t.seed.radius);
  CHECK(out < 1e-5);
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  CHECK(simulation.grain_count() > 50);
}

TEST_CASE("Where a shape has no room for a grain that is told", "[fills]") {
  Domain domain;
  const auto fits = [&](BodyPart part, double radius) {
    part.position = {0.0, 0.0, 1.0};
    part.rotation = {30.0, 0.0, 0.0};
    return Space(SolidFill{{part}}, domain, radius).fits(radius);
  };
  CHECK(fits({TorusPart{0.3, 0.05}}, 0.049));
  CHECK_FALSE(fits({TorusPart{0.3, 0.05}}, 0.0505));
  CHECK(fits({BoxPart{{0.5, 0.5, 0.05}}}, 0.0249));
  CHECK_FALSE(fits({BoxPart{{0.5, 0.5, 0.05}}}, 0.03));
  CHECK(fits({ConePart{0.3, 0.0, 0.6}}, 0.1));
  CHECK_FALSE(fits({ConePart{0.3, 0.0, 0.6}}, 0.2));
}

TEST_CASE("A fill that leaves nearly all of its box empty is refused before places are looked for", "[fills]") {
  // Three spikes 1 km long: 10^12 places for grains in the box around them.
  const std::string spikes = "parts = [{ box.size = [0.5, 0.5, 0.5], position = [0.2, 0.2, 0.2] }, "
                             "{ box.size = [1000, 0.2, 0.2], position = [500, 0, 0] }, "
                             "{ box.size = [0.2, 1000, 0.2], position = [0, 500, 0] }, "
                             "{ box.size = [0.2, 0.2, 1000], position = [0, 0, 500] }]";
  const std::string scene = "[domain]\nx = \"open\"\ny = \"open\"\nz = \"open\"\n[[material]]\nname = \"m\"\n"
                            "[[grains]]\nmaterial = \"m\"\nradius = 0.05\nfill." +
                            spikes;
  for (const std::string more : {"count = 1000\n", "count = 1000\nsampling = \"lattice\"\n"}) {
    const std::string error = error_of([&] { populate(parse_scene(scene + "\n" + more, "s.toml")); });
    CHECK(contains(error, "s.toml:11:9: grains.0: the fill leaves nearly all of the box around it empty"));
  }
}

TEST_CASE("Wrong meshes to fill are named with their place", "[fills][scene]") {
  Scratch scratch;
  Mesh open = torus_mesh(0.3, 0.12, 12);
  open.triangles.resize(open.triangles.size() / 2);
  write_mesh(scratch / "open.stl", open);
  write_mesh(scratch / "ring.stl", torus_mesh(0.3, 0.12, 12));
  const auto error = [&](const std::string& shape) {
    return error_of([&] { fill_scene("radius = 0.02\nfill." + shape, scratch.path()); });
  };
  CHECK(contains(error("mesh = { file = \"none.stl\" }"), "s.toml:9:22: grains.0.fill.mesh.file cannot be used"));
  CHECK(contains(error("mesh = { file = \"open.stl\" }"), "s.toml:9:22: grains.0.fill.mesh.file"));
  CHECK(contains(error("mesh = { file = \"ring.stl\", position = [0.9, 0, 1] }"), "puts grains outside the domain"));
  CHECK(contains(error("mesh = { file = \"ring.stl\", scale = 0.1, position = [0, 0, 1] }"), "holds no grain"));
  CHECK(contains(error("mesh = { file = \"ring.stl\", as = \"sdf\" }"), "unknown key grains.0.fill.mesh.as"));
}

namespace {

std::string rough_floor(const std::string& domain, const std::string& more) {
  return "[domain]\nmin = [-0.1, -0.05, 0]\nmax = [0.1, 0.05, 0.3]\n" + domain +
         "[[material]]\nname = \"sand\"\nfriction = 0.5\n" + more;
}
const std::string pebbles = "[[grains]]\nmaterial = \"sand\"\nradius = [0.004, 0.006]\n";
const std::string some_fall = pebbles + "count = 20\nfill.box = { min = [-0.1, -0.05, 0], max = [0.1, 0.05, 0.3] }\n";

}  // namespace

TEST_CASE("A rough floor is a shaken layer of fixed grains below all others", "[scene]") {
  const Scene scene = parse_scene(rough_floor("rough = true\n", some_fall), "s.toml");
  const std::vector<Seed> seeds = populate(scene).initial;
  REQUIRE(seeds.size() == 16 * 8 + 20);
  std::pair<float, float> heights{1.0f, 0.0f};
  for (int k = 0; k < 128; ++k) {
    CAPTURE(k);
    CHECK(seeds[k].fixed);
    CHECK(seeds[k].radius == 0.005f);
    const glm::vec3 shift =
        glm::abs(seeds[k].position - glm::vec3(-0.09375 + 0.0125 * (k % 16), -0.04375 + 0.0125 * (k / 16), 0.00625));
    CHECK(std::max({shift.x, shift.y, shift.z}) < 1.26e-3f);
    heights = {std::min(heights.first, seeds[k].position.z), std::max(heights.second, seeds[k].position.z)};
  }
  CHECK(heights.second - heights.first > 2e-3f);
  CHECK(worst_overlap(seeds) < 1e-4);
  CHECK_FALSE(seeds[128].fixed);
  CHECK(populate(parse_scene(to_toml(scene), "again.toml")).initial.size() == seeds.size());
  // By the first emitter where no grains move at the start; on an axis without ends they meet across the seam.
  const std::string emitter =
      "[[emitter]]\nmaterial = \"sand\"\nradius = 0.008\nrate = 10\nshape.box = { min = [-0.02, "
      "-0.02, 0.2], max = [0.02, 0.02, 0.25] }\n";
  CHECK(populate(parse_scene(rough_floor("y = \"periodic\"\nrough = true\n", emitter), "s.toml")).initial.size() ==
        10 * 5);
}

TEST_CASE("A rough floor says what it lacks", "[scene]") {
  const std::pair<std::string, std::string> wrong[] = {
      {rough_floor("z = \"open\"\nrough = @true\n", some_fall), "needs a floor"},
      {rough_floor("y = \"open\"\nrough = @true\n", some_fall), "domain.y is open"},
      {rough_floor("rough = @true\n", ""), "has no grains to be as large as"}};
  for (const auto& [text, says] : wrong) {
    const Marked marked(text);
    INFO(text << "\ngot " << marked.error);
    CHECK(marked.error.starts_with(marked.place));
    CHECK(contains(marked.error, says));
  }
}

TEST_CASE("A ball lies on a rough floor where it rolls off a smooth one", "[rotation]") {
  const auto way = [](double degrees, bool rough) {
    const double slope = glm::radians(degrees);
    const std::string lying = "[[grains]]\nmaterial = \"sand\"\nradius = 0.005\nfill.points = [[0.0, 0.0, 0.018]]\n";
    const std::string domain =
        fmt::format("gravity = [{}, 0, {}]\nrough = {}\n", g * std::sin(slope), -g * std::cos(slope), rough);
    Simulation simulation(parse_scene(rough_floor(domain, lying), "s.toml"), on_cpu);
    advance_to(simulation, 0.5);
    return simulation.grains().back().position.x;
  };
  CHECK(way(10.0, true) < 0.01);
  CHECK(way(10.0, false) > 0.05);
  CHECK(way(60.0, true) > 0.05);
}
