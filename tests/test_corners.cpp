// Grains in the hollow corners of one body.
#include "engine/reference/space.h"
#include "engine/scene/bodies.h"
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

constexpr double grain_radius = 0.02;

// A hollow that a grain falls into.
struct Hollow {
  std::string name;
  std::vector<BodyPart> parts;
  glm::dvec3 turn;                // degrees
  std::vector<glm::dvec3> faces;  // their normals: all of them go through `corner`
  glm::dvec3 corner;
  std::vector<BodyPart> planes;  // one for each face
};

// Two slopes that meet at the origin, in an edge along y.
Hollow valley(std::string name, double degrees, const PartShape& shape, double depth) {
  const double slope = glm::radians(degrees), s = std::sin(slope), c = std::cos(slope);
  const glm::dvec3 left{s, 0.0, c}, right{-s, 0.0, c};
  return {std::move(name),
          {{shape, -depth * left, {0.0, degrees, 0.0}}, {shape, -depth * right, {0.0, -degrees, 0.0}}},
          {},
          {left, right},
          {},
          {{PlanePart{}, {}, {0.0, degrees, 0.0}}, {PlanePart{}, {}, {0.0, -degrees, 0.0}}}};
}

// A box with a box taken away, tilted so that a grain rolls into an edge, or a corner, of it.
Hollow bin(std::string name, glm::dvec3 turn, bool corner) {
  Hollow h{std::move(name),
           {{BoxPart{{0.4, 0.4, 0.3}}, {0.0, 0.0, 0.05}}, {BoxPart{{0.3, 0.3, 0.4}}, {0.0, 0.0, 0.2}, {}, true}},
           turn,
           {{-1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}},
           {0.15, 0.0, 0.0},
           {{PlanePart{}, {0.15, 0.0, 0.0}, {0.0, -90.0, 0.0}}, {PlanePart{}}}};
  if (corner) {
    h.faces.push_back({0.0, -1.0, 0.0});
    h.corner.y = 0.15;
    h.planes.insert(h.planes.begin() + 1, {PlanePart{}, {0.0, 0.15, 0.0}, {90.0, 0.0, 0.0}});
  }
  return h;
}

// Likewise of cylinders, with the edge between bottom and wall.
Hollow can(std::string name, glm::dvec3 turn) {
  Hollow h = bin(std::move(name), turn, false);
  h.parts = {{ConePart{0.2, 0.2, 0.3}, {0.0, 0.0, 0.05}}, {ConePart{0.15, 0.15, 0.4}, {0.0, 0.0, 0.2}, {}, true}};
  h.planes.clear();
  return h;
}

std::vector<Hollow> hollows() {
  const BoxPart box{{0.4, 0.4, 0.1}};
  return {
      valley("valley of boxes, 30 degrees", 30.0, box, 0.05), valley("valley of boxes, 45 degrees", 45.0, box, 0.05),
      valley("valley of planes", 40.0, PlanePart{}, 0.0),     bin("edge of a bin", {0.0, 35.0, 0.0}, false),
      bin("corner of a bin", {-30.0, 30.0, 0.0}, true),       can("edge of a can", {0.0, 35.0, 0.0})};
}

Scene corner_scene(const Solver& solver, double mu) {
  Scene scene = with(scene_of(1.0 / 240, 4, 10), solver);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.friction_static = scene.domain.friction_kinetic = mu;
  scene.materials[0].rolling_friction = 0.1;  // without, a ball rolls along a valley for ever
  return scene;
}

// Where a grain touches all faces of the hollow.
glm::dvec3 rest_in(const Hollow& hollow) {
  glm::dvec3 p = hollow.corner;
  if (hollow.faces[0].z > 0.0)  // a valley
    p.z += grain_radius / hollow.faces[0].z;
  else
    for (const glm::dvec3& n : hollow.faces)
      p += grain_radius * n;
  return rotation_of(hollow.turn) * p;
}

Scene scene_in(const Hollow& hollow, const Solver& solver, double mu) {
  Scene scene = corner_scene(solver, mu);
  scene.bodies.push_back(body_of("hollow", hollow.parts, {}, hollow.turn));
  glm::dvec3 above{0.0};
  for (const glm::dvec3& n : hollow.faces)
    above += 0.3 * grain_radius * n;
  above.x += 0.1 * grain_radius;  // not amidst
  add_points(scene, grain_radius, {rest_in(hollow) + rotation_of(hollow.turn) * above});
  return scene;
}

}  // namespace

TEST_CASE("A grain comes to rest in a hollow corner of one body", "[bodies]") {
  const Method method = GENERATE(Method::dem, Method::p2, Method::pbd, Method::vts, Method::sp);
  const double mu = GENERATE(0.0, 0.5);
  for (const Hollow& hollow : hollows()) {
    CAPTURE(method, mu, hollow.name);
    const Scene scene = scene_in(hollow, default_solver(method), mu);
    Simulation simulation(scene, on_cpu);
    simulation.advance(720);
    double fastest = 0.0;
    glm::dvec3 force(0.0);
    for (int i = 0; i < 120; ++i) {
      simulation.advance(1);
      fastest = std::max(fastest, static_cast<double>(glm::length(simulation.grains()[0].velocity)));
      force += glm::dvec3(simulation.body_loads()[0].force) / 120.0;
    }
    // pbd, which remembers nothing, leaves as much over between several bodies.
    CHECK(fastest < (method == Method::pbd ? 1e-3 : 5e-5));
    const double weight = mass_of(grain_radius, scene.materials[0].density) * g;
    CHECK(glm::length(force - glm::dvec3(0.0, 0.0, -weight)) < 5e-3 * weight);
    if (mu == 0.0)
      CHECK(glm::length(glm::dvec3(simulation.grains()[0].position) - rest_in(hollow)) < 2e-2 * grain_radius);
  }
}

TEST_CASE("A corner of one body is like that of several", "[bodies]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  for (const Hollow& hollow : hollows()) {
    CAPTURE(hollow.name);
    const Scene one = scene_in(hollow, variant.solver, 0.3);
    Scene several = one;
    several.bodies.clear();
    for (const BodyPart& plane : hollow.planes)
      several.bodies.push_back(body_of(fmt::format("face {}", several.bodies.size()), {plane}, {}, hollow.turn));
    if (several.bodies.empty())
      continue;
    Simulation in_one(one, on_cpu), in_several(several, on_cpu);
    for (int i = 0; i < 40; ++i) {
      in_one.advance(6);
      in_several.advance(6);
      CHECK(glm::length(in_one.grains()[0].position - in_several.grains()[0].position) < 1e-2 * grain_radius);
    }
  }
}

TEST_CASE("Boxes side by side are one floor", "[bodies]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  if (variant.solver.sleep_speed > 0.0)
    return;
  // One slides over five seams, one along a seam, one starts on a crossing of them, one lies on one.
  const auto slide = [&](bool pieces) {
    Scene scene = corner_scene(variant.solver, 0.3);
    std::vector<BodyPart> parts;
    if (pieces)
      for (const double x : {-0.15, -0.05, 0.05, 0.15, 0.25, 0.35})
        for (const double y : {-0.25, 0.25})
          parts.push_back({BoxPart{{0.1, 0.5, 0.1}}, {x, y, -0.05}});
    else
      parts.push_back({BoxPart{{0.6, 1.0, 0.1}}, {0.1, 0.0, -0.05}});
    scene.bodies.push_back(body_of("floor", parts));
    add_points(scene, grain_radius, {{-0.12, 0.1, grain_radius}}, {1.5, 0.0, 0.0});
    add_points(scene, grain_radius, {{-0.15, 0.0, grain_radius}}, {1.0, 0.0, 0.0});
    add_points(scene, grain_radius, {{0.1, -0.2, grain_radius}}, {0.3, 0.4, 0.0});
    add_points(scene, grain_radius, {{0.3, 0.3, grain_radius}});
    Simulation simulation(scene, on_cpu);
    double deepest = 0.0;
    for (int i = 0; i < 192; ++i) {
      simulation.advance(1);
      deepest = std::max(deepest, simulation.measure().penetration_max);
    }
    return std::pair{simulation.grains(), deepest};
  };
  const auto [one, depth] = slide(false);
  const auto [many, depth_of_many] = slide(true);
  CHECK(one[0].position.x > 0.05f);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CAPTURE(i, one[i].position.x, many[i].position.x, one[i].position.z, many[i].position.z);
    CHECK(glm::length(one[i].position - many[i].position) < 0.02 * grain_radius);
    CHECK(glm::length(one[i].velocity - many[i].velocity) < 1e-3);
  }
  CHECK(depth_of_many < depth + 2e-3);
}

TEST_CASE("Every pass agrees with its reference in hollow corners", "[device][bodies][lockstep]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  Scene scene = corner_scene(variant.solver, 0.4);
  scene.dt = 1.0 / 60;
  scene.solver.substeps = 2;
  scene.solver.iterations = variant.solver.method == Method::dem ? 1 : 4;
  double at = 0.0;
  for (const Hollow& hollow : hollows()) {
    if (std::holds_alternative<PlanePart>(hollow.parts[0].shape))
      continue;  // without end
    const glm::dvec3 place{at, 0.0, 0.0};
    scene.bodies.push_back(body_of(hollow.name, hollow.parts, place, hollow.turn));
    scene.bodies.back().spin = {0.1, 0.0, 0.2};
    GrainGroup group;
    group.radius_min = 0.8 * grain_radius;
    group.radius_max = grain_radius;
    group.velocity = {0.1, -0.3, -1.0};
    group.velocity_random = 0.5;
    group.shape = CylinderFill{place + rest_in(hollow) - glm::dvec3(0.0, 0.0, grain_radius), 0.08, 0.1};
    scene.grains.push_back(group);
    at += 0.7;
  }
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(8));
  REQUIRE_NOTHROW(simulation.measure());
  CHECK(simulation.measure().contacts_max > 2);
}

namespace {

// Grains on a mesh of waves whose valleys are narrower than a grain. Only the mesh bears them: the walls are smooth.
Scene on_waves(const Solver& solver, int grains) {
  constexpr int cells = 24;
  constexpr double width = 0.5, wave = 2.0 * std::numbers::pi / 0.07;
  auto loaded = std::make_shared<LoadedMesh>();
  for (int y = 0; y <= cells; ++y)
    for (int x = 0; x <= cells; ++x) {
      const glm::dvec2 at = width * (glm::dvec2(x, y) / double{cells} - 0.5);
      loaded->mesh.vertices.emplace_back(at.x, at.y, 0.02 * std::sin(wave * at.x) * std::cos(wave * at.y));
    }
  for (unsigned y = 0; y < cells; ++y)
    for (unsigned x = 0; x < cells; ++x) {
      const unsigned a = y * (cells + 1) + x, b = a + 1, c = a + cells + 1, d = c + 1;
      loaded->mesh.triangles.insert(loaded->mesh.triangles.end(), {{a, b, d}, {a, d, c}});
    }
  MeshPart waves;
  waves.as = MeshAs::triangles;
  waves.loaded = loaded;
  Scene scene = corner_scene(solver, 0.0);
  scene.domain.axis = {Axis::wall, Axis::wall, Axis::open};
  scene.domain.min = {-0.2, -0.2, -0.1};
  scene.domain.max = {0.2, 0.2, 1.0};
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.4;
  scene.bodies.push_back(body_of("waves", {{waves}}));
  scene.bodies[0].material = 0;
  std::vector<glm::dvec3> places;
  for (int k = 0; k < grains; ++k)
    places.emplace_back(0.043 * (k % 8 - 3.5), 0.043 * (k / 8 % 8 - 3.5) + 0.001 * (k % 3), 0.045 + 0.043 * (k / 64));
  add_points(scene, grain_radius, places);
  return scene;
}

}  // namespace

TEST_CASE("Grains rest on a mesh whose valleys are narrower than they are", "[bodies][mesh]") {
  const Method method = GENERATE(Method::dem, Method::vts);
  CAPTURE(method);
  const Scene scene = on_waves(default_solver(method), 64);
  Simulation simulation(scene, on_cpu);
  simulation.advance(300);
  CHECK(simulation.measure().speed_max < 2e-3);
  CHECK(simulation.measure().contacts_max > 2);
  glm::dvec3 force(0.0);
  for (int i = 0; i < 20; ++i) {
    simulation.advance(1);
    force += glm::dvec3(simulation.body_loads()[0].force) / 20.0;
  }
  const double weight = 64 * mass_of(grain_radius, scene.materials[0].density) * g;
  CHECK(std::abs(force.z + weight) < 5e-3 * weight);
}

TEST_CASE("Contacts in the hollows of a mesh agree with their reference", "[device][lockstep]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  Simulation simulation(on_waves(variant.solver, 128), in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(24));
}
