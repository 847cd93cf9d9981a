// Meshes that grains meet: by distance field, by triangles, by a skin of grains.
#include "engine/core/sdf.h"
#include "engine/geometry/extract.h"
#include "engine/geometry/solid.h"
#include "engine/gpu/graph.h"
#include "engine/gpu/shader.h"
#include "engine/reference/space.h"
#include "engine/scene/bodies.h"
#include "engine/scene/surface_sampling.h"
#include "engine/scene/words.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <bit>
#include <numbers>

namespace talus::test_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

using namespace talus;
using namespace talus_tests;

Mesh cube(double edge) {
  Mesh mesh;
  for (unsigned c = 0; c < 8; ++c)
    mesh.vertices.push_back(glm::vec3(glm::dvec3(c & 1, c >> 1 & 1, c >> 2) * edge - glm::dvec3(0.5 * edge)));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

Mesh square(double edge) {  // across z, no inside
  const float a = static_cast<float>(0.5 * edge);
  return {{{-a, -a, 0}, {a, -a, 0}, {a, a, 0}, {-a, a, 0}}, {{0, 1, 2}, {0, 2, 3}}};
}

Mesh of(const Solid& solid, double edge, double cell) {
  const glm::dvec3 half(0.5 * edge);
  return extract_surface([&](const glm::vec3& p) { return static_cast<float>(sample(solid, glm::dvec3(p)).distance); },
                         {-half, half}, cell);
}

MeshPart part_of(Mesh mesh, MeshAs as, bool closed = true) {
  MeshPart part;
  part.as = as;
  part.file = "made here";
  part.loaded = std::make_shared<LoadedMesh>(LoadedMesh{std::move(mesh), closed, {}});
  return part;
}

double uniform(std::mt19937& random, double a, double b) {
  return a + (b - a) * static_cast<double>(random()) / 4294967296.0;
}

// Distance by all triangles, in double.
double brute_force(const Mesh& mesh, const glm::dvec3& p) {
  double best = 1e300;
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::dvec3 a(mesh.vertices[t[0]]), b(mesh.vertices[t[1]]), c(mesh.vertices[t[2]]);
    const glm::dvec3 n = glm::cross(b - a, c - a);
    const auto left = [&](const glm::dvec3& from, const glm::dvec3& to) {
      return glm::dot(glm::cross(n, to - from), p - from) >= 0.0;
    };
    if (left(a, b) && left(b, c) && left(c, a))
      best = std::min(best, std::abs(glm::dot(n, p - a)) / glm::length(n));
    for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, c}, std::pair{c, a}}) {
      const double share = std::clamp(glm::dot(p - from, to - from) / glm::dot(to - from, to - from), 0.0, 1.0);
      best = std::min(best, glm::distance(p, from + share * (to - from)));
    }
  }
  return best;
}

// A box of grains that fall on a body in its middle.
Scene rain_on(MeshPart part, unsigned n) {
  Scene scene = scene_of(1.0 / 240, 4, 4);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 16;
  scene.materials[0].rolling_friction = 0.1;
  scene.domain.min = {-0.15, -0.15, 0.0};
  scene.domain.max = {0.15, 0.15, 0.6};
  GrainGroup group;
  group.radius_min = group.radius_max = 0.01;
  group.shape = BoxFill{{-0.1, -0.1, 0.25}, {0.1, 0.1, 0.55}};
  group.count = n;
  scene.grains.push_back(group);
  BodySpec body = body_of("thing", {{std::move(part)}}, {0.0, 0.0, 0.12}, {10.0, 20.0, 30.0});
  body.material = 0;
  scene.bodies.push_back(std::move(body));
  return scene;
}

}  // namespace

TEST_CASE("The nearest triangle is that of all of them and knows its side", "[mesh][triangles]") {
  const Solid torus{{{Solid::Torus{0.3, 0.1}}}};
  const Solid wedge{{{Solid::Box{{0.3, 0.3, 0.05}}}, {Solid::Cone{0.1, 0.2, 0.2}, {0.1, 0.0, 0.0}, {}, true}}};
  const auto [mesh, truth] =
      GENERATE_COPY(std::pair{cube(0.7), Solid{{{Solid::Box{glm::dvec3(0.35)}}}}},
                    std::pair{of(torus, 1.0, 0.04), torus}, std::pair{of(wedge, 1.0, 0.03), wedge});
  const double far = 0.15;
  const TriangleGrid grid = triangle_grid(mesh, true, far);
  std::mt19937 random(1);
  int near = 0, inside = 0;
  for (int i = 0; i < 5000; ++i) {
    const glm::dvec3 p{uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5)};
    const SurfaceSample s = sample(grid, glm::vec3(p));
    const double d = brute_force(mesh, p);
    CAPTURE(p.x, p.y, p.z, d, s.distance);
    if (d < far) {
      ++near;
      CHECK(std::abs(s.distance) == Approx(d).margin(2e-6));
    } else if (s.distance >= 0.0f)
      CHECK(static_cast<double>(s.distance) <= d + 1e-5);  // outside never too large
    // The solid's own distance is off by what the mesh cuts away from it.
    if (const double t = sample(truth, p).distance; std::abs(t) > 0.03) {
      CHECK((s.distance < 0.0f) == (t < 0.0));
      inside += t < 0.0;
    }
    CHECK(glm::length(s.gradient) == Approx(1.0).margin(1e-5));
  }
  CHECK(near > 300);
  CHECK(inside > 30);
}

TEST_CASE("Bodies of equal meshes, and worlds that start anew, share a grid of triangles", "[mesh][triangles]") {
  Scene scene = rain_on(part_of(cube(0.1), MeshAs::sdf), 20);
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].name = "other";
  scene.bodies[1].parts = {{part_of(cube(0.1), MeshAs::sdf)}};
  const Population first = populate(scene);
  REQUIRE(first.grids.size() == 2);
  CHECK(first.grids[0] == first.grids[1]);
  scene.seed = 7;
  const Population second = populate(scene);
  CHECK(second.grids == first.grids);
  CHECK(second.initial[0].position != first.initial[0].position);

  const auto same = shared_triangle_grid(cube(0.1), true, 0.01);
  CHECK(same == first.grids[0]);
  CHECK(shared_triangle_grid(cube(0.1), true, 0.02) != same);
  CHECK(shared_triangle_grid(cube(0.1), false, 0.01) != same);
  CHECK(shared_triangle_grid(cube(0.11), true, 0.01) != same);
  CHECK(same->words == triangle_grid(cube(0.1), true, 0.01).words);
}

TEST_CASE("A mesh without inside is met from both sides", "[mesh][triangles]") {
  const TriangleGrid grid = triangle_grid(square(0.4), false, 0.1);
  CHECK(sample(grid, {0.05f, 0.02f, 0.03f}).distance == Approx(0.03));
  CHECK(sample(grid, {0.05f, 0.02f, -0.03f}).distance == Approx(0.03));
  CHECK(sample(grid, {0.05f, 0.02f, -0.03f}).gradient.z == Approx(-1.0));
  CHECK(sample(grid, {0.24f, 0.0f, 0.03f}).distance == Approx(0.05));
  REQUIRE_THROWS_AS(triangle_grid(Mesh{}, true, 0.1), MeshError);
}

TEST_CASE("Surface samples keep their distance and leave no hole", "[mesh][sampling]") {
  const Mesh mesh = of(Solid{{{Solid::Torus{0.3, 0.1}}}}, 1.0, 0.05);
  const double spacing = 0.04;
  Random random(1, 1), again(1, 1);
  const auto points = sample_surface(mesh, spacing, random);
  const auto same = sample_surface(mesh, spacing, again);
  REQUIRE(points.size() == same.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i].position == same[i].position);
    CHECK(brute_force(mesh, glm::dvec3(points[i].position)) < 1e-6);
    for (std::size_t j = 0; j < i; ++j)
      REQUIRE(glm::distance(points[i].position, points[j].position) >= static_cast<float>(spacing) * 0.9999f);
  }
  // Disks of diameter `spacing`: random sequential adsorption ends at .547 of the area.
  const double cover = static_cast<double>(points.size()) * std::numbers::pi / 4 * spacing * spacing / area(mesh);
  CHECK(cover > 0.51);
  CHECK(cover < 0.62);
  Random darts(2, 2);
  const auto probes = sample_surface(mesh, 0.011, darts);
  for (const SurfacePoint& probe : probes) {
    double nearest = 1.0;
    for (const SurfacePoint& point : points)
      nearest = std::min(nearest, static_cast<double>(glm::distance(point.position, probe.position)));
    REQUIRE(nearest < 1.02 * spacing);
  }
}

TEST_CASE("Surface samples of slivers are as many as their length asks for, and too many are refused at once",
          "[mesh][sampling]") {
  // Two triangles 500 m long and 2 cm wide. Cut in four, they would be 10^8 pieces.
  const Mesh sliver{{{0, 0, 0}, {500, 0, 0}, {500, 0.02f, 0}, {0, 0.02f, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  Random random(1, 1);
  auto points = sample_surface(sliver, 0.05, random);
  std::ranges::sort(points, {}, [](const SurfacePoint& p) { return p.position.x; });
  CHECK(points.front().position.x < 0.05f);
  CHECK(points.back().position.x > 499.95f);
  for (std::size_t i = 1; i < points.size(); ++i)
    REQUIRE(points[i].position.x - points[i - 1].position.x < 0.1f);

  const auto error_of_mesh = [&](const Mesh& mesh, double spacing) -> std::string {
    try {
      sample_surface(mesh, spacing, random);
    } catch (const MeshError& e) {
      return e.what();
    }
    return "no error";
  };
  CHECK(error_of_mesh(cube(1e6), 0.05) == "surface: 6e+12 m2 take about 1.68e+15 points 0.05 m apart, the limit is "
                                          "5e+05: give a larger radius, or the mesh a smaller scale");
  const Mesh line{{{0, 0, 0}, {1e6f, 0, 0}, {1e6f, 1e-3f, 0}}, {{0, 1, 2}}};  // an area of only 500 m2
  CHECK(error_of_mesh(line, 0.05).find("take about 2e+07 points") != std::string::npos);
  Mesh far = cube(1.0);
  for (glm::vec3& v : far.vertices)
    v.x += 1e7f;
  CHECK(error_of_mesh(far, 0.05).find("too far for points 0.05 m apart") != std::string::npos);
}

TEST_CASE("What is wrong with a body's mesh is told with its place and its name", "[mesh][scene]") {
  const Scratch scratch;
  write_mesh(scratch / "cube.obj", cube(1.0));
  const std::string text = R"(
[[material]]
name = "m"
[[grains]]
material = "m"
radius = 0.05
count = 5
fill.box = { min = [-1, -1, 0], max = [1, 1, 1] }
[[body]]
name = "b"
material = "m"
mesh = { file = "cube.obj", as = "particles", scale = 1e6 }
)";
  const std::string file = (scratch / "s.toml").string();
  CHECK(error_of([&] {
          populate(parse_scene(text, file));
        }).starts_with(file + ":12:8: body.b.mesh of body b: surface: 6e+12 m2 take about"));
}

TEST_CASE("The grid of a mesh of long triangles stays within what can be looked at", "[mesh][triangles]") {
  // Each of them is near every cell of the box around all.
  Mesh mesh;
  for (int k = 0; k < 400; ++k) {
    const float a = 0.001f * static_cast<float>(k);
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), {{a, 0.0f, 0.0f}, {1.0f, 1.0f - a, 1.0f}, {1.0f, 1.0f, 1.0f - a}});
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  const TriangleGrid grid = triangle_grid(mesh, false, 0.001);
  CHECK(400.0 * grid.size.x * grid.size.y * grid.size.z < (1 << 28));
  CHECK(sample(grid, glm::vec3(0.0f)).distance == Approx(0.0).margin(1e-6));
}

TEST_CASE("Grains rest on a mesh however they meet it", "[bodies][mesh]") {
  const MeshAs as = GENERATE(MeshAs::sdf, MeshAs::triangles, MeshAs::particles);
  CAPTURE(word(as));
  const Solid solid{{{Solid::Box{{0.08, 0.08, 0.03}}}, {Solid::Sphere{0.06}, {0.0, 0.0, 0.05}, {}, true}}};
  Scene scene = rain_on(part_of(of(solid, 0.25, 0.008), as), 400);
  Simulation simulation(scene, on_cpu);
  simulation.advance(480);
  CHECK(simulation.measure().speed_max < 0.05);
  CHECK(simulation.measure().penetration_mean < 0.03);
  // None is in it, and the bowl is full.
  const BodySpec& body = scene.bodies[0];
  const glm::dquat back = glm::conjugate(rotation_of(body.rotation));
  int held = 0;
  double deepest = 0.0;
  const std::uint32_t free = 400;
  for (const GrainState& g : simulation.grains()) {
    if (g.id >= free)
      continue;
    const glm::dvec3 p = back * (glm::dvec3(g.position) - body.position);
    const double d = sample(solid, p).distance;
    deepest = std::max(deepest, 0.01 - d);
    held += std::abs(p.x) < 0.06 && std::abs(p.y) < 0.06 && p.z > -0.01 && p.z < 0.03;
  }
  CHECK(held > 8);
  // Half a radius at the cut edges of the surface mesh, and between the bumps of a skin.
  CHECK(deepest < (as == MeshAs::particles ? 0.008 : 0.005));
}

TEST_CASE("A sheet holds grains on both sides", "[bodies][mesh]") {
  // As triangles and as particles, being no solid.
  const MeshAs as = GENERATE(MeshAs::triangles, MeshAs::particles);
  CAPTURE(word(as));
  Scene scene = rain_on(part_of(square(0.3), as, false), 700);
  scene.bodies[0].rotation = {};
  scene.domain.min = {-0.15, -0.15, 0.0};
  Simulation simulation(scene, on_cpu);
  simulation.advance(240);
  int below = 0;
  for (const GrainState& g : simulation.grains())
    below += g.id < 700 && g.position.z < 0.12f;
  CHECK(below == 0);
}

TEST_CASE("A skin goes along with its body", "[bodies][mesh]") {
  Scene scene = rain_on(part_of(cube(0.1), MeshAs::particles), 1);
  scene.domain.axis[0] = Axis::periodic;
  scene.bodies[0].velocity = {0.5, 0.0, 0.0};
  scene.bodies[0].spin = {0.0, 0.0, 4.0};
  Simulation simulation(scene, on_cpu);
  const auto before = simulation.grains();
  simulation.advance(150);
  const auto after = simulation.grains();
  REQUIRE(before.size() > 100);
  const double time = simulation.time();
  const glm::dquat turn = glm::angleAxis(4.0 * time, glm::dvec3(0, 0, 1));
  for (std::size_t i = 1; i < before.size(); ++i) {
    const glm::dvec3 arm = turn * (glm::dvec3(before[i].position) - scene.bodies[0].position);
    const glm::dvec3 at = scene.bodies[0].position + glm::dvec3(0.5 * time, 0.0, 0.0) + arm;
    glm::dvec3 off = glm::dvec3(after[i].position) - at;
    off.x -= 0.3 * std::round(off.x / 0.3);
    CHECK(glm::length(off) < 2e-4);  // it goes straight on during a substep
    CHECK(glm::distance(glm::dvec3(after[i].velocity),
                        glm::dvec3(0.5, 0.0, 0.0) + glm::cross(glm::dvec3(0, 0, 4), arm)) < 2e-3);
  }
}

TEST_CASE("Equal meshes share their data", "[bodies][mesh]") {
  Scene scene = rain_on(part_of(cube(0.1), MeshAs::triangles), 10);
  Simulation one(scene, on_cpu);
  BodySpec other = scene.bodies[0];
  other.name = "other";
  other.position.x = 0.5;
  scene.domain.max.x = 1.0;
  scene.bodies.push_back(other);
  Simulation two(scene, on_cpu);
  CHECK(two.executor().size(FieldId::shape_data) == one.executor().size(FieldId::shape_data) + part_words);
  CHECK(one.executor().size(FieldId::shape_data) > 0);
}

TEST_CASE("Shaders see meshes as the host does", "[device][mesh]") {
  const MeshAs as = GENERATE(MeshAs::sdf, MeshAs::triangles);
  CAPTURE(word(as));
  const Solid solid{{{Solid::Torus{0.3, 0.1}}}};
  Scene scene = rain_on(part_of(of(solid, 1.0, 0.05), as), 1);
  scene.grains[0].radius_min = scene.grains[0].radius_max = 0.04;
  scene.grains[0].shape = PointsFill{{{0.0, 0.0, 0.5}}};
  scene.grains[0].count.reset();
  Simulation simulation(scene, on_cpu);
  const Fields f = fields_of(simulation.executor(), {FieldId::bodies, FieldId::shape_data});

  std::mt19937 random(5);
  std::vector<glm::vec4> points(3000), samples(points.size());
  for (glm::vec4& p : points)
    for (int a = 0; a < 3; ++a)
      p[a] = static_cast<float>(uniform(random, -0.7, 0.7));
  gpu::Instance instance({.validation = true});
  const auto devices = gpu::list_devices(instance);
  gpu::Device device(instance, gpu::choose(devices, vulkan_device()));
  {
    gpu::Buffer data(device, "data", f.shape_data.size() * 4), point_buffer(device, "points", points.size() * 16),
        sample_buffer(device, "samples", points.size() * 16);
    gpu::ComputePipeline pipeline(device, "solid_sample", test_shaders::find_shader("solid_sample.comp"));
    const auto bound =
        pipeline.resolve({{"shape_data", &data}, {"points", &point_buffer}, {"samples", &sample_buffer}});
    gpu::Graph graph(device);
    graph.upload(data, std::as_bytes(std::span(f.shape_data)));
    graph.upload(point_buffer, std::as_bytes(std::span(points)));
    graph.compute(pipeline, bound, {}, gpu::Work::elements(points.size()));
    graph.download(sample_buffer, std::as_writable_bytes(std::span(samples)));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SolidPart part = reference::solid_part(f, 0);
    const reference::Distance d =
        reference::from_shape(f, part, reference::rotated_back(part.rotation, glm::vec3(points[i]) - part.position));
    CAPTURE(i, d.value, samples[i].w);
    CHECK(std::abs(d.value - samples[i].w) < 1e-6f);
    CHECK(glm::distance(d.gradient, glm::vec3(samples[i])) < 1e-4f);
    const double truth = sample(solid, glm::dvec3(points[i])).distance;
    if (std::abs(truth) < 0.08)
      CHECK(static_cast<double>(d.value) == Approx(truth).margin(0.01));  // the mesh is coarse
  }
  CHECK(instance.log().messages() == std::vector<std::string>{});
}

TEST_CASE("Every pass agrees with its reference beside meshes", "[device][lockstep][mesh]") {
  Scene scene = jumble(400);
  const glm::dvec3 a = scene.domain.min, edge = scene.domain.max - a;
  const auto at = [&](double x, double y, double z) { return a + edge * glm::dvec3(x, y, z); };
  const Mesh ring = of(Solid{{{Solid::Torus{0.04, 0.012}}}}, 0.12, 0.006);
  scene.bodies = {
      body_of("ring", {{part_of(ring, MeshAs::sdf)}}, at(0.5, 0.3, 0.5), {70.0, 0.0, 0.0}),
      body_of("cube", {{part_of(cube(0.06), MeshAs::triangles)}}, at(0.3, 0.98, 0.3), {10.0, 20.0, 30.0}),
      body_of("sheet", {{part_of(square(0.1), MeshAs::triangles, false)}}, at(0.6, 0.6, 0.7), {30.0, 0.0, 0.0}),
      body_of("skin", {{part_of(cube(0.05), MeshAs::particles)}}, at(0.7, 0.7, 0.3))};
  scene.bodies[0].spin = {0.0, 5.0, 0.0};
  scene.bodies[1].velocity = {0.1, 0.3, -0.2};
  scene.bodies[3].material = 0;
  scene.bodies[3].spin = {1.0, 2.0, 3.0};
  const Method method = GENERATE(Method::dem, Method::vts);
  Solver solver = default_solver(method);
  solver.substeps = 3;
  Simulation simulation(with(scene, solver), in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(6));
}
