// Bodies of particles that keep their shape: they move as rigid bodies do, and push and are pushed as grains are.
#include "engine/reference/shape.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

ShapeSpec shape_of(std::string name, Shape fill, glm::dvec3 velocity = {}, glm::dvec3 spin = {},
                   double stiffness = 1.0) {
  ShapeSpec shape;
  shape.name = std::move(name);
  shape.grains.radius_min = shape.grains.radius_max = 0.01;
  shape.grains.shape = std::move(fill);
  shape.grains.velocity = velocity;
  shape.spin = spin;
  shape.stiffness = stiffness;
  return shape;
}

const BoxFill brick{{-0.08, -0.05, -0.03}, {0.08, 0.05, 0.03}};

// 1 kHz, far from any wall, without gravity.
Scene empty_space() {
  Scene scene = scene_of(0.004, 4, 4);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = glm::dvec3(0.0);
  scene.solver.rotation = false;  // momenta_of() leaves out the spins of particles; test_rotation.cpp has them
  return scene;
}

Momenta momenta_of(Simulation& simulation) {
  Momenta all;
  for (const GrainState& grain : simulation.grains()) {
    const double r = grain.radius;
    const double mass = simulation.scene().materials[grain.material].density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
    all.mass += mass;
    all.linear += mass * glm::dvec3(grain.velocity);
    all.angular += mass * glm::cross(glm::dvec3(grain.position), glm::dvec3(grain.velocity));
  }
  return all;
}

// How far the particle that is furthest from its place in the shape is from it, m.
double deviation(Simulation& simulation, std::uint32_t shape = 0) {
  const Population population = populate(simulation.scene());
  const Pose pose = simulation.shape_state(shape).pose;
  const std::size_t first = population.initial.size() - population.boundary.size() - population.shaped.size();
  double most = 0.0;
  for (const GrainState& grain : simulation.grains())
    if (const std::size_t k = grain.id - first; grain.id >= first && k < population.shaped.size())
      if (population.shaped[k].shape == shape) {
        glm::dvec3 way = glm::dvec3(grain.position) - (pose * Pose{population.shaped[k].place}).position;
        const Domain& d = simulation.scene().domain;
        for (int a = 0; a < 3; ++a)
          if (d.axis[static_cast<std::size_t>(a)] == Axis::periodic)
            way[a] -= (d.max[a] - d.min[a]) * std::round(way[a] / (d.max[a] - d.min[a]));
        most = std::max(most, glm::length(way));
      }
  return most;
}

// time [s]: of the flight.
void fly(const Options& options, double time) {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const bool falls = GENERATE(true, false);
  Scene scene = empty_space();
  if (falls)
    scene.domain.gravity = {0.0, 0.0, -9.81};
  scene.shapes.push_back(shape_of("brick", brick, {1.0, 0.5, 3.0}, {2.0, 3.0, 9.0}));
  Simulation simulation(with(scene, variant.solver), options);
  const Momenta before = momenta_of(simulation);
  const glm::dvec3 center = simulation.shape_state(0).pose.position;
  const glm::dvec3 own = before.angular - glm::cross(center, before.linear);
  advance_to(simulation, time);
  const Momenta after = momenta_of(simulation);
  const ShapeState state = simulation.shape_state(0);
  const glm::dvec3 own_after = after.angular - glm::cross(state.pose.position, after.linear);
  const glm::dvec3 thrown(1.0, 0.5, 3.0), velocity = thrown + time * scene.domain.gravity;
  CHECK(glm::length(after.linear / after.mass - velocity) < 1e-4 * glm::length(velocity));
  CHECK(glm::length(state.velocity - velocity) < 1e-4 * glm::length(velocity));
  CHECK(glm::length(own_after - own) < 1e-4 * glm::length(own));
  const double h = 1e-3;  // v += h g, x += h v
  const glm::dvec3 there = center + time * thrown + 0.5 * time * (time + h) * scene.domain.gravity;
  CHECK(glm::length(state.pose.position - there) < 1e-3 * time);
  CHECK(deviation(simulation) < 1e-5);
  CHECK(simulation.body_loads().empty());
}

}  // namespace

TEST_CASE("A shape flies and spins as a rigid body", "[shape]") {
  fly(on_cpu, 0.5);
}

TEST_CASE("A shape flies and spins as a rigid body on a device", "[device][shape]") {
  fly(on_device(), 0.24);
}

TEST_CASE("A shape turns about its axis at the speed that it was given", "[shape]") {
  Scene scene = empty_space();
  scene.shapes.push_back(shape_of("disc", CylinderFill{{0.0, 0.0, -0.02}, 0.08, 0.04}, {}, {0.0, 0.0, 5.0}));
  Simulation simulation(scene, on_cpu);
  const Momenta before = momenta_of(simulation);
  advance_to(simulation, 1.2);
  // The particles are placed at random: their axis of inertia is not quite z.
  const glm::dvec3 x = simulation.shape_state(0).pose.rotation * glm::dvec3(1.0, 0.0, 0.0);
  CHECK(std::remainder(std::atan2(x.y, x.x) - 6.0, 2 * std::numbers::pi) == Approx(0.0).margin(0.05));
  CHECK(momenta_of(simulation).angular.z == Approx(before.angular.z).epsilon(1e-4));
}

TEST_CASE("A rotation is extracted from any matrix", "[shape]") {
  std::mt19937 random(3);
  const auto number = [&] { return std::uniform_real_distribution<double>(-1.0, 1.0)(random); };
  const auto any = [&] {
    glm::dquat q(number(), number(), number(), number());
    return glm::normalize(q);
  };
  const auto trace = [](const glm::dmat3& a, const glm::dquat& q) {
    const glm::dmat3 r = glm::mat3_cast(q);
    return glm::dot(a[0], r[0]) + glm::dot(a[1], r[1]) + glm::dot(a[2], r[2]);
  };
  // Principal stretches: of a body, flat, straight, mirrored, mirrored and flat.
  for (const glm::dvec3 stretch : {glm::dvec3(3.0, 2.0, 1.0),
                                   {1.0, 1.0, 1.0},
                                   {5.0, 0.1, 0.05},
                                   {2.0, 1.0, 0.0},
                                   {1.0, 0.0, 0.0},
                                   {3.0, 2.0, -1.0},
                                   {1.0, 1.0, -1.0}}) {
    CAPTURE(stretch.x, stretch.y, stretch.z);
    for (int k = 0; k < 200; ++k) {
      const glm::dmat3 v = glm::mat3_cast(any());
      const glm::dquat truth = any();
      const glm::dmat3 squares = v * glm::dmat3(stretch.x, 0, 0, 0, stretch.y, 0, 0, 0, stretch.z) * glm::transpose(v);
      const glm::dmat3 a = 1e-6 * glm::mat3_cast(truth) * squares;
      const glm::dquat found = reference::extract_rotation(a, any());
      CHECK(trace(a, found) == Approx(1e-6 * (stretch.x + stretch.y + stretch.z)).epsilon(1e-4));
      if (stretch.z > 0.0)
        CHECK(std::abs(glm::dot(found, truth)) > 1.0 - 1e-4);
    }
  }
  const glm::dquat q = any();
  CHECK(reference::extract_rotation(glm::dmat3(0.0), q) == q);
  // Half a turn away the trace is least, and no way leads uphill.
  const glm::dquat turned = reference::extract_rotation(glm::dmat3(1.0), glm::dquat(0.0, 1.0, 0.0, 0.0));
  CHECK(std::abs(turned.w) > 1.0 - 1e-6);
}

TEST_CASE("Flat, straight and single shapes move as they should", "[shape]") {
  PointsFill points;
  SECTION("flat") {
    for (int x = 0; x < 4; ++x)
      for (int y = 0; y < 3; ++y)
        points.points.push_back({0.03 * x, 0.03 * y, 0.0});
  }
  SECTION("straight") {
    for (int x = 0; x < 5; ++x)
      points.points.push_back({0.03 * x, 0.0, 0.0});
  }
  SECTION("two") {
    points.points = {{-0.05, 0.0, 0.0}, {0.05, 0.0, 0.0}};
  }
  SECTION("one") {
    points.points = {{0.0, 0.0, 0.0}};
  }
  Scene scene = empty_space();
  scene.shapes.push_back(shape_of("few", points, {0.5, 0.0, 0.0}, {0.0, 2.0, 5.0}));
  Simulation simulation(scene, on_cpu);
  const Momenta before = momenta_of(simulation);
  advance_to(simulation, 1.0);
  const Momenta after = momenta_of(simulation);
  CHECK(glm::length(after.linear - before.linear) < 1e-4 * glm::length(before.linear));
  CHECK(glm::length(after.angular - before.angular) < 1e-4 * glm::length(before.angular) + 1e-12);
  CHECK(deviation(simulation) < 1e-5);
}

TEST_CASE("A shape that was turned inside out turns back", "[shape]") {
  Scene scene = empty_space();
  scene.shapes.push_back(shape_of("brick", brick, {}, {}, 0.5));
  Simulation simulation(scene, on_cpu);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_count());
  for (Grain& grain : grains)
    grain.position.z *= -1.0f;
  write_field(simulation.executor(), FieldId::grains, grains);
  advance_to(simulation, 1.0);
  CHECK(deviation(simulation) < 1e-4);
}

TEST_CASE("A shape lands and comes to rest in its shape", "[shape]") {
  Variant variant = each_method();
  variant.solver.stabilization = 0;  // what it moves without a speed, the shape brings back with one
  CAPTURE(variant.name);
  Scene scene = scene_of(0.004, 8, 8);
  scene.shapes.push_back(shape_of("brick", BoxFill{{-0.08, -0.05, 0.1}, {0.08, 0.05, 0.16}}, {}, {1.0, 2.0, 0.0}));
  Simulation simulation(with(scene, variant.solver), on_cpu);
  advance_to(simulation, 3.0);
  const Measure m = simulation.measure();
  CAPTURE(m.speed_max, m.penetration_max, deviation(simulation));
  CHECK(m.speed_max < 0.02);
  CHECK(m.penetration_max < 0.35);
  CHECK(deviation(simulation) < 1e-4);
  CHECK(m.height < 0.15);
}

TEST_CASE("A soft shape gives way where it lands, and takes its shape again", "[shape][slow]") {
  const auto worst_and_last = [](double stiffness) {
    Scene scene = scene_of(0.004, 8, 8);
    scene.shapes.push_back(shape_of("ball", SphereFill{{0.0, 0.0, 0.2}, 0.06}, {}, {}, stiffness));
    Simulation simulation(with(scene, default_solver(Method::dem)), on_cpu);
    double most = 0.0;
    for (int k = 0; k < 150; ++k) {
      simulation.advance(5);
      most = std::max(most, deviation(simulation));
    }
    return std::pair(most, deviation(simulation));
  };
  const auto [stiff_most, stiff_last] = worst_and_last(1.0);
  const auto [soft_most, soft_last] = worst_and_last(0.05);
  CAPTURE(stiff_most, stiff_last, soft_most, soft_last);
  CHECK(stiff_most < 1e-4);
  CHECK(soft_most > 0.01);             // a sixth of its radius
  CHECK(soft_last < 0.5 * soft_most);  // what is left is its own weight
  CHECK(soft_last > 10 * stiff_last);
}

TEST_CASE("A shape pushes grains and is pushed, without loss of momentum", "[shape]") {
  const std::string name = GENERATE("dem", "vts, improved_jacobi, with memory", "sp, mass_splitting",
                                    "p2 with split masses", "pbd with split masses");
  const auto all = variants();
  Solver solver = std::ranges::find(all, name, &Variant::name)->solver;
  solver.error_reduction = solver.mass_scaling = 0.0;
  CAPTURE(name);
  Scene scene = empty_space();
  scene.shapes.push_back(shape_of("brick", brick, {1.5, 0.0, 0.0}, {0.0, 0.0, 3.0}));
  std::vector<glm::dvec3> places;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 6; ++y)
      for (int z = 0; z < 6; ++z)
        places.push_back({0.1 + 0.022 * x, 0.022 * (y - 1), 0.022 * (z - 3)});
  add_points(scene, 0.01, places, {-0.5, 0.0, 0.0});
  Simulation simulation(with(scene, solver), on_cpu);
  const Momenta before = momenta_of(simulation);
  advance_to(simulation, 0.3);
  const Momenta after = momenta_of(simulation);
  const glm::dvec3 change = simulation.shape_state(0).velocity - glm::dvec3(1.5, 0.0, 0.0);
  const double exchanged = glm::length(change) * after.mass / 2;
  CHECK(change.x < -0.3);
  CHECK(glm::length(after.linear - before.linear) < 1e-4 * exchanged);
  CHECK(deviation(simulation) < 1e-4);
}

TEST_CASE("Shapes collide", "[shape]") {
  Scene scene = empty_space();
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.0;  // it turns what cannot turn
  for (int k = 0; k < 3; ++k)
    scene.shapes.push_back(
        shape_of(fmt::format("ball {}", k), SphereFill{{0.2 * k, 0.01 * k, 0.0}, 0.05}, {1.0 - k, 0.0, 0.0}));
  Solver solver = default_solver(Method::dem);
  solver.rotation = false;
  Simulation simulation(with(scene, solver), on_cpu);
  const Momenta before = momenta_of(simulation);
  double nearest = 1.0;
  for (int k = 0; k < 25; ++k) {
    simulation.advance(4);
    for (std::uint32_t s = 0; s < 2; ++s)
      nearest = std::min(
          nearest, glm::distance(simulation.shape_state(s).pose.position, simulation.shape_state(s + 1).pose.position));
  }
  const Momenta after = momenta_of(simulation);
  CHECK(nearest > 0.07);  // they are rough
  CHECK(nearest < 0.11);
  CHECK(simulation.shape_state(0).velocity.x < 0.5);  // it has met the others
  CHECK(glm::length(after.linear - before.linear) < 1e-4 * before.mass);
  CHECK(glm::length(after.angular - before.angular) < 1e-4 * before.mass * 0.2);
  for (std::uint32_t s = 0; s < 3; ++s)
    CHECK(deviation(simulation, s) < 1e-4);
  CHECK(simulation.shape("ball 2") == 2);
  CHECK_THROWS_WITH(simulation.shape("ball"), Catch::Contains("no shape ball"));
}

TEST_CASE("A shape goes through the seam of a periodic axis", "[shape]") {
  Scene scene = empty_space();
  scene.domain.axis = {Axis::periodic, Axis::open, Axis::open};
  scene.domain.min.x = -0.3;
  scene.domain.max.x = 0.3;
  scene.shapes.push_back(shape_of("brick", brick, {1.0, 0.0, 0.0}, {0.0, 0.0, 5.0}));
  Simulation simulation(scene, on_cpu);
  const double start = simulation.shape_state(0).pose.position.x;
  advance_to(simulation, 0.8);
  CHECK(simulation.shape_state(0).velocity.x == Approx(1.0).epsilon(1e-4));
  CHECK(simulation.shape_state(0).pose.position.x == Approx(start + 0.8 - 0.6).margin(1e-3));
  CHECK(deviation(simulation) < 1e-5);
  const SeamCrossings crossings = simulation.periodic_crossings()[0];
  CHECK(crossings.up - crossings.down == simulation.grain_count());  // each of them once
  scene.shapes[0].grains.shape = BoxFill{{-0.29, -0.05, -0.03}, {0.29, 0.05, 0.03}};
  CHECK_THROWS_WITH(Simulation(scene, on_cpu), Catch::Contains("shape brick") && Catch::Contains("allowed is 0.45"));
}

TEST_CASE("What sinks leave of a shape keeps its shape", "[shape]") {
  const Neighbours neighbours = GENERATE(Neighbours::sorted, Neighbours::linked);
  Scene scene = empty_space();
  scene.solver.neighbours = neighbours;
  scene.shapes.push_back(shape_of("brick", brick, {0.0, 0.0, 0.5}, {0.0, 2.0, 0.0}));
  scene.sinks.push_back(
      {.name = "corner", .material = {}, .position = {0.08, 0.0, 0.1}, .parts = {{SpherePart{0.05}}}});
  Simulation simulation(scene, on_cpu);
  const std::uint32_t grains = simulation.grain_count();
  advance_to(simulation, 0.5);
  CHECK(simulation.grain_count() < grains);
  CHECK(simulation.grain_count() > grains / 2);
  const Momenta before = momenta_of(simulation);
  advance_to(simulation, 1.0);
  const Momenta after = momenta_of(simulation);
  CHECK(after.mass == before.mass);
  CHECK(glm::length(after.linear - before.linear) < 1e-4 * glm::length(before.linear));
}

TEST_CASE("Runs with shapes repeat, and go on from a checkpoint as they would have", "[shape]") {
  const Scratch scratch;
  Scene scene = scene_of(0.004, 4, 4);
  scene.shapes.push_back(
      shape_of("brick", BoxFill{{-0.08, -0.05, 0.2}, {0.08, 0.05, 0.26}}, {0.5, 0.0, 0.0}, {3.0, 0.0, 1.0}, 0.6));
  scene.grains.push_back(
      {.radius_min = 0.008, .radius_max = 0.01, .shape = BoxFill{{-0.15, -0.15, 0.0}, {0.15, 0.15, 0.08}}});
  Simulation one(scene, on_cpu), two(scene, {.device = "cpu", .threads = 3});
  one.advance(40);
  two.advance(20);
  two.save(scratch / "state");
  two.advance(20);
  CHECK(one.state_hash() == two.state_hash());
  Simulation three(scene, on_cpu);
  three.resume(scratch / "state");
  three.advance(20);
  CHECK(three.state_hash() == one.state_hash());
  CHECK(three.shape_state(0).pose.rotation == one.shape_state(0).pose.rotation);
}

TEST_CASE("Every method agrees with its reference with shapes among grains", "[device][shape]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  Scene scene = jumble(300);
  scene.shapes.push_back(
      shape_of("brick", BoxFill{{-0.04, 0.0, 0.02}, {0.04, 0.06, 0.07}}, {1.0, 0.5, -0.5}, {2.0, 3.0, 9.0}));
  scene.shapes.push_back(shape_of("soft", SphereFill{{0.0, -0.03, 0.1}, 0.03}, {}, {}, 0.3));
  scene.shapes.push_back(shape_of("one", PointsFill{{{0.05, 0.05, 0.1}}}));
  Simulation simulation(with(scene, variant.solver), in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(6));
  REQUIRE_NOTHROW(simulation.measure());
}

TEST_CASE("Scenes describe shapes", "[shape]") {
  const std::string text = R"([[material]]
name = "felt"
[[shape_matched_body]]
name = "ball"
material = "felt"
radius = 0.02
velocity = [1, 2, 3]
spin = [0, 0, 4]
stiffness = 0.25
fill.sphere = { center = [0, 0, 1], radius = 0.1 }
)";
  const Scene scene = parse_scene(text, "scene.toml");
  REQUIRE(scene.shapes.size() == 1);
  const ShapeSpec& shape = scene.shapes[0];
  CHECK(shape.name == "ball");
  CHECK(shape.grains.radius_max == 0.02);
  CHECK(shape.grains.velocity == glm::dvec3(1, 2, 3));
  CHECK(shape.spin == glm::dvec3(0, 0, 4));
  CHECK(shape.stiffness == 0.25);
  CHECK(to_toml(parse_scene(to_toml(scene), "scene.toml")) == to_toml(scene));
  const Population population = populate(scene);
  CHECK(population.shaped.size() > 10);
  CHECK(population.shaped.size() == population.initial.size());
  const auto refused = [&](const std::string& change) {
    return error_of([&] { parse_scene(text, "scene.toml", {change}); });
  };
  CHECK_THAT(refused("shape_matched_body.0.stiffness=0"), Catch::Contains("stiffness") && Catch::Contains("1e-06"));
  CHECK_THAT(refused("shape_matched_body.0.stiffness=1.5"), Catch::Contains("1"));
  CHECK_THAT(refused("shape_matched_body.0.material=wool"), Catch::Contains("is not a material of this scene"));
  CHECK_THAT(refused("shape_matched_body.0.fixed=true"), Catch::Contains("fixed"));
  CHECK_THAT(refused("shape_matched_body.0.radius=0.2"), Catch::Contains("holds no grain"));
  CHECK_THROWS_WITH(parse_scene(text + text.substr(text.find("[[shape_matched_body]]")), "scene.toml"),
                    Catch::Contains("scene.toml:12:") && Catch::Contains("taken by another shape-matched body"));
}
