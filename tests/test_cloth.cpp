// Cloth in motion: it keeps its distances and its momentum, and grains, bodies and itself touch it on both faces.
#include "scratch.h"
#include "simulate.h"
#include <numbers>

using namespace talus;
using namespace talus_tests;

namespace {

// Without walls; materials[0] is that of grains and cloth.
Scene space(glm::dvec3 gravity = {}) {
  Scene scene = scene_of(0.004, 4, 8);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = gravity;
  return scene;
}

ClothSpec sheet_of(glm::dvec2 size, glm::uvec2 cells, glm::dvec3 position = {}, glm::dvec3 velocity = {}) {
  ClothSpec cloth;
  cloth.name = "sheet";
  cloth.sheet = ClothGrid{size, cells};
  cloth.position = position;
  cloth.velocity = velocity;
  cloth.density = 0.5;
  cloth.thickness = 0.004;
  cloth.shear = cloth.bend = 1.0;
  return cloth;
}

// Those that run with cloth.
Variant each_cloth_variant() {
  std::vector<Variant> all = variants();
  std::erase_if(all, [](const Variant& v) {
    return v.solver.detection == Detection::one_loop || v.solver.detection == Detection::two_loops;
  });
  return all[GENERATE_COPY(range(std::size_t{0}, all.size()))];
}

// Grains and vertices as they are, with their masses.
struct Particle {
  std::uint32_t id;
  glm::dvec3 position, velocity;
  double mass;  // kg; 0: fixed
};
std::vector<Particle> particles_of(Simulation& simulation) {
  const std::uint32_t places = simulation.grain_places();
  const auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, places);
  const auto ids = read_field<uint>(simulation.executor(), FieldId::grain_id, places);
  std::vector<Particle> out;
  for (std::uint32_t i = 0; i < places; ++i)
    out.push_back({ids[i], glm::dvec3(vec3(grains[i].position)), glm::dvec3(vec3(grains[i].velocity)),
                   grains[i].velocity.w > 0.0f ? 1.0 / static_cast<double>(grains[i].velocity.w) : 0.0});
  std::ranges::sort(out, {}, &Particle::id);
  return out;
}

Momenta momenta_of(std::span<const Particle> particles) {
  Momenta all;
  for (const Particle& p : particles) {
    all.mass += p.mass;
    all.linear += p.mass * p.velocity;
    all.angular += p.mass * glm::cross(p.position, p.velocity);
    all.energy += 0.5 * p.mass * glm::dot(p.velocity, p.velocity);
  }
  return all;
}

// Greatest share by which a stretched side is longer or shorter than it should be.
double strain_of(const Scene& scene, std::span<const Particle> vertices) {
  const Population population = populate(scene);
  double most = 0.0;
  for (const ClothPlace& place : population.cloths)
    for (const ClothEdge& edge : place.sheet.edges)
      if (edge.kind == ClothLinkKind::stretch) {
        const auto at = [&](uint v) { return vertices[place.first + v].position; };
        const double rest = glm::distance(place.sheet.vertices[edge.ends.x], place.sheet.vertices[edge.ends.y]);
        most = std::max(most, std::abs(glm::distance(at(edge.ends.x), at(edge.ends.y)) / rest - 1.0));
      }
  return most;
}

// Cloth comes after the grains in ids.
struct Parts {
  std::vector<Particle> all;
  std::span<const Particle> grains, vertices;
};
Parts parts_of(Simulation& simulation) {
  Parts parts{particles_of(simulation), {}, {}};
  const std::size_t vertices = populate(simulation.scene()).cloth_vertices;
  parts.grains = std::span(parts.all).first(parts.all.size() - vertices);
  parts.vertices = std::span(parts.all).last(vertices);
  return parts;
}

void spin(Simulation& simulation, glm::dvec3 spin) {
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_places());
  for (Grain& grain : grains)
    grain.velocity += vec4(glm::cross(vec3(spin), vec3(grain.position)), 0.0f);
  write_field(simulation.executor(), FieldId::grains, grains);
}

}  // namespace

TEST_CASE("Cloth flies and spins without loss of momentum", "[cloth]") {
  const Variant variant = each_cloth_variant();
  CAPTURE(variant.name);
  Scene scene = space();
  scene.cloths.push_back(sheet_of({0.3, 0.2}, {9, 6}, {}, {1.0, 0.5, 3.0}));
  Simulation simulation(with(scene, variant.solver), on_cpu);
  const glm::dvec3 turns(1.0, 1.0, 2.5);
  spin(simulation, turns);
  const Momenta before = momenta_of(particles_of(simulation));
  advance_to(simulation, 0.5);
  const Parts parts = parts_of(simulation);
  const Momenta after = momenta_of(parts.all);
  CHECK(before.mass == Approx(0.5 * 0.06).epsilon(1e-5));
  CHECK(glm::length(after.linear - before.linear) < 1e-4 * glm::length(before.linear));
  // Positions are corrected where the substep ends, as implicit Euler does: a rotation loses h w^2 / 2 of its speed a
  // second.
  const double loss = variant.solver.method == Method::vts ? 0.0 : 0.001 * glm::dot(turns, turns) * 0.5;
  const glm::dvec3 own_before = before.angular,
                   own_after = after.angular - glm::cross(0.5 * before.linear / before.mass, before.linear);
  CHECK(glm::length(own_after - own_before) < (loss + 1e-3) * glm::length(own_before));
  CHECK(after.energy < 1.0001 * before.energy);
  CHECK(strain_of(scene, parts.vertices) < 0.02);
}

TEST_CASE("A link of cloth leaves the share of its error that its stiffness says", "[cloth]") {
  // Two vertices far apart from the others' links: a strip of two cells, of which only the stretch in x is there.
  const double k = GENERATE(1.0, 0.7, 0.2, 0.01);
  const int iterations = GENERATE(30, 200);
  CAPTURE(k, iterations);
  Scene scene = space();
  scene.dt = 1e-3;
  scene.solver = default_solver(Method::pbd);
  scene.solver.substeps = 1;
  scene.solver.iterations = iterations;
  ClothSpec cloth = sheet_of({0.1, 0.1}, {1, 1});
  cloth.stretch = k;
  cloth.shear = cloth.bend = 0.0;
  scene.cloths = {cloth};
  Simulation simulation(scene, on_cpu);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 4);
  for (Grain& grain : grains)
    grain.position.x *= 1.1f;
  write_field(simulation.executor(), FieldId::grains, grains);
  simulation.advance(1);
  const auto after = particles_of(simulation);
  CHECK(glm::distance(after[0].position, after[1].position) == Approx(0.1 + (1.0 - k) * 0.01).margin(2e-5));
  CHECK(glm::distance(after[0].position, after[2].position) == Approx(0.1).margin(1e-5));
}

TEST_CASE("A strip between two pins hangs as a catenary", "[cloth]") {
  const std::string name = GENERATE("dem", "sp, improved_jacobi, with memory", "pbd", "vts, improved_jacobi");
  const auto all = variants();
  Solver solver = std::ranges::find(all, name, &Variant::name)->solver;
  solver.cloth_iterations = 4;
  CAPTURE(name);
  // Of length 1.2 over a span of 1: sag a (cosh(1 / 2a) - 1) where 2 a sinh(1 / 2a) = 1.2.
  double low = 0.1, high = 10.0;
  for (int n = 0; n < 100; ++n) {
    const double a = 0.5 * (low + high);
    (2.0 * a * std::sinh(0.5 / a) > 1.2 ? low : high) = a;
  }
  const double sag = low * (std::cosh(0.5 / low) - 1.0);
  Scene scene = space({0.0, 0.0, -g});
  ClothSpec cloth = sheet_of({1.2, 0.05}, {24, 1});
  cloth.bend = 0.0;
  cloth.pins = {{-0.6, -0.025, 0.0}, {-0.6, 0.025, 0.0}, {0.6, -0.025, 0.0}, {0.6, 0.025, 0.0}};
  scene.cloths = {cloth};
  scene.dt = 0.002;
  scene.solver.substeps = 2;
  Simulation simulation(with(scene, solver), on_cpu);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_places());
  for (Grain& grain : grains)  // pinned nearer to each other; the others begin on a parabola of the same length
    grain.position =
        vec4(grain.position.x / 1.2f, grain.position.y,
             static_cast<float>(-sag) * (1.0f - grain.position.x * grain.position.x / 0.36f), grain.position.w);
  write_field(simulation.executor(), FieldId::grains, grains);
  for (int n = 0; n < 150; ++n) {  // brought to rest
    simulation.advance(10);
    auto slowed = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_places());
    for (Grain& grain : slowed)
      grain.velocity *= vec4(0.9f, 0.9f, 0.9f, 1.0f);
    write_field(simulation.executor(), FieldId::grains, slowed);
  }
  const auto particles = particles_of(simulation);
  double fastest = 0.0;
  for (const Particle& p : particles)
    fastest = std::max(fastest, glm::length(p.velocity));
  CAPTURE(fastest, strain_of(scene, parts_of(simulation).vertices));
  CHECK(fastest < 0.05);
  CHECK(particles[12].position.z == Approx(-sag).epsilon(0.01));
}

TEST_CASE("Grains and cloth exchange momentum without loss", "[cloth]") {
  const Variant variant = each_cloth_variant();
  Solver solver = variant.solver;
  solver.stabilization = 0;  // moves positions alone, from one side
  const bool light = GENERATE(true, false);
  CAPTURE(variant.name, light);
  const bool conserves = solver.method == Method::vts || solver.method == Method::sp || solver.method == Method::dem ||
                         solver.iteration == Iteration::mass_splitting;
  solver.error_reduction = solver.mass_scaling = 0.0;
  Scene scene = space();
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = 0.0;  // turns what cannot turn
  scene.materials[0].density = light ? 10.0 : 4000.0;
  scene.cloths.push_back(sheet_of({0.3, 0.3}, {15, 15}));
  std::vector<glm::dvec3> places;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      places.push_back({0.031 * (x - 1) + 0.003, 0.031 * (y - 1), 0.03});
  add_points(scene, 0.01, places, {0.0, 0.0, -2.0});
  Simulation simulation(with(scene, solver), on_cpu);
  const Momenta before = momenta_of(particles_of(simulation));
  advance_to(simulation, 0.1);
  const Parts parts = parts_of(simulation);
  const Momenta after = momenta_of(parts.all), cloth = momenta_of(parts.vertices);
  const double exchanged = glm::length(cloth.linear);
  CAPTURE(exchanged, before.linear.z, after.linear.z);
  CHECK(-cloth.linear.z > 0.1 * std::min(before.mass - cloth.mass, cloth.mass) * 2.0);
  if (conserves || variant.name == "pbd" || variant.name == "p2") {
    CHECK(glm::length(after.linear - before.linear) < 1e-4 * exchanged);
    CHECK(glm::length(after.angular - before.angular) < 2e-3 * exchanged * 0.1);
  }
  CHECK(after.energy < 1.001 * before.energy);
  CHECK(read_field<Status>(simulation.executor(), FieldId::status, 1)[0].cloth_uncounted == 0);
}

namespace {

// Balls above (side 1) or below (-1) a sheet that is held at its edges, thrown at it. One of 400 kg/m3 weighs five
// times what a vertex does.
Scene net(double speed, double side, double density = 400.0, unsigned balls = 5) {
  Scene scene = space({0.0, 0.0, -side * g});
  scene.materials[0].density = density;
  ClothSpec cloth = sheet_of({0.5, 0.5}, {20, 20});
  for (int k = 0; k <= 20; ++k)
    for (const double edge : {-0.25, 0.25}) {
      cloth.pins.push_back({edge, -0.25 + 0.025 * k, 0.0});
      cloth.pins.push_back({-0.25 + 0.025 * k, edge, 0.0});
    }
  scene.cloths = {cloth};
  std::vector<glm::dvec3> places;
  for (unsigned x = 0; x < balls; ++x)
    for (unsigned y = 0; y < balls; ++y)
      for (int z = 0; z < 3; ++z)
        places.push_back({0.023 * x - 0.023 * balls / 2 + 0.004 * z, 0.023 * y - 0.023 * balls / 2 + 0.001 * x,
                          side * (0.05 + 0.025 * z)});
  add_points(scene, 0.01, places, {0.0, 0.0, -side * speed});
  return scene;
}

// Grains beyond the whole sheet. A heavy one that stretches a triangle, which is 2.5 radii wide, hangs up to a radius
// below the lowest vertex: half a radius is measured.
unsigned passed(Simulation& simulation, double side) {
  const Parts parts = parts_of(simulation);
  double furthest = 0.0;
  for (const Particle& vertex : parts.vertices)
    furthest = std::min(furthest, side * vertex.position.z);
  return static_cast<unsigned>(std::ranges::count_if(parts.grains, [&](const Particle& grain) {
    return std::max(std::abs(grain.position.x), std::abs(grain.position.y)) < 0.25 &&
           side * grain.position.z < furthest - 0.01;
  }));
}

}  // namespace

TEST_CASE("Nothing passes through cloth, from either face", "[cloth]") {
  const Variant variant = each_method();
  struct Throw {
    double side, speed, density;
  };
  // The heavy ones press the sheet past themselves within a substep: they come back.
  const auto [side, speed, density] =
      GENERATE(Throw{1.0, 1.0, 400.0}, Throw{-1.0, 8.0, 400.0}, Throw{1.0, 1.0, 1600.0}, Throw{-1.0, 12.0, 1600.0});
  CAPTURE(variant.name, side, speed, density);
  Scene chosen = with(net(speed, side, density), variant.solver);
  chosen.solver.substeps = 0;
  if (chosen.solver.method == Method::dem)
    chosen.solver.cloth_iterations = default_solver(Method::dem).cloth_iterations;
  Simulation simulation(chosen, on_cpu);
  for (int n = 0; n < 5; ++n) {
    CAPTURE(n);
    simulation.advance(8);
    CHECK(passed(simulation, side) == 0);
  }
}

TEST_CASE("Coarse cloth bears grains on both sides of the end of a short periodic axis", "[cloth]") {
  // One and two cells of triangles fit along the axis. The sheet slides across its end with the grains on it.
  const double length = GENERATE(0.4, 0.6);
  CAPTURE(length);
  Scene scene = space({0.0, 0.0, -g});
  scene.domain.axis = {Axis::periodic, Axis::open, Axis::wall};
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.0;
  scene.domain.min = {-length / 2, -1.0, 0.0};
  scene.domain.max = {length / 2, 1.0, 1.0};
  const glm::dvec3 velocity{0.5, 0.0, 0.0};
  scene.cloths = {sheet_of({0.19, 0.19}, {2, 2}, {0.0, 0.0, 0.002}, velocity)};
  add_points(scene, 0.02, {{0.05, 0.04, 0.0241}, {0.05, -0.06, 0.0241}, {-0.05, 0.06, 0.0241}, {-0.05, -0.04, 0.0241}},
             velocity);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 8;
  Simulation simulation(scene, on_cpu);
  for (const double time : {0.8 * length, length, 1.2 * length}) {  // around the end
    advance_to(simulation, 0.004 * std::round(time / 0.004));
    for (int k = 0; k < 4; ++k)
      CHECK(particles_of(simulation)[static_cast<std::size_t>(k)].position.z == Approx(0.024).margin(0.001));
  }
}

TEST_CASE("What goes round the border of cloth is on its other face", "[cloth]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  // Past the border of a sheet that slopes down, and back below it: gravity holds the grain against the lower face.
  Scene scene = space({g, 0.0, 0.0});
  ClothSpec cloth = sheet_of({1.0, 0.2}, {40, 8}, {0.5 * std::cos(glm::radians(30.0)), 0.0, -0.25});
  cloth.rotation = {0.0, 30.0, 0.0};
  cloth.pin_box = BoxFill{{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
  scene.cloths = {cloth};
  add_points(scene, 0.02, {{-0.0092, 0.0, 0.0248}}, {-0.54, 0.0, -0.45});  // near enough to stay in the lists
  Solver solver = variant.solver;
  solver.stabilization = 0;
  Simulation simulation(with(scene, solver), on_cpu);
  const glm::dvec3 up{std::sin(glm::radians(30.0)), 0.0, std::cos(glm::radians(30.0))};  // across the sheet
  const auto above = [&] { return glm::dot(particles_of(simulation)[0].position, up); };
  CHECK(above() > 0.015);
  advance_to(simulation, 0.3);
  CHECK(above() == Approx(-0.022).margin(0.002));
}

TEST_CASE("A grain slides on a sheet as on a plane, across its triangles", "[cloth]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const double slope = glm::radians(20.0), mu = GENERATE(0.2, 0.6);
  Scene scene = space({g * std::sin(slope), 0.0, -g * std::cos(slope)});
  scene.materials[0].friction_static = scene.materials[0].friction_kinetic = mu;
  ClothSpec cloth = sheet_of({2.4, 0.3}, {48, 6}, {0.0, 0.0, -0.002});
  cloth.pin_box = BoxFill{{-2.0, -1.0, -1.0}, {2.0, 1.0, 1.0}};
  scene.cloths = {cloth};
  // Over corners, sides and in triangles.
  add_points(scene, 0.02, {{-1.0, 0.0, 0.02}, {-0.993, 0.0813, 0.02}, {-0.975, -0.075, 0.02}});
  scene.dt = 0.002;
  scene.solver.substeps = 4;
  Solver solver = variant.solver;
  solver.stabilization = 0;
  Simulation simulation(with(scene, solver), on_cpu);
  advance_to(simulation, 0.3);
  const auto before = particles_of(simulation);
  advance_to(simulation, 0.8);
  const auto after = particles_of(simulation);
  for (int k = 0; k < 3; ++k) {
    CAPTURE(k);
    const double a = (after[k].velocity.x - before[k].velocity.x) / 0.5;
    if (mu < std::tan(slope))
      CHECK(a == Approx(sliding(20.0, mu)).epsilon(0.02));
    else
      CHECK(std::abs(after[k].velocity.x) < 2e-3);
    CHECK(after[k].position.z == Approx(0.02).margin(0.001));
    CHECK(std::abs(after[k].velocity.y) < 0.01);
  }
}

TEST_CASE("Cloth in any state comes back to its distances without energy from nowhere", "[cloth]") {
  const Variant variant = each_cloth_variant();
  const double momentum = GENERATE(true, false);
  CAPTURE(variant.name, momentum);
  Scene scene = space();
  ClothSpec cloth = sheet_of({0.2, 0.2}, {10, 10});
  cloth.touches_itself = false;
  scene.cloths = {cloth};
  Solver solver = variant.solver;
  solver.cloth_momentum = momentum;
  Scene chosen = with(scene, solver);
  Simulation simulation(chosen, on_cpu);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_places());
  std::mt19937 random(5);
  const auto shift = [&] { return 0.03f * (static_cast<float>(random()) / 4294967296.0f - 0.5f); };
  for (Grain& grain : grains)  // crumpled: up to three quarters of a side
    grain.position += vec4(shift(), shift(), shift(), 0.0f);
  write_field(simulation.executor(), FieldId::grains, grains);
  simulation.advance(2);  // it has found back, with what that gave it
  const double energy = momenta_of(particles_of(simulation)).energy;
  for (int n = 0; n < 8; ++n) {
    simulation.advance(5);
    CAPTURE(n, energy);
    CHECK(momenta_of(particles_of(simulation)).energy < 1.01 * energy);
  }
  CHECK(strain_of(scene, particles_of(simulation)) < 0.1);
}

TEST_CASE("Fine cloth is stable at long steps", "[cloth]") {
  // Cells of 2 cm at 16 ms, where plain relaxation by 0.5 blows up.
  Scene scene = space({0.0, 0.0, -g});
  ClothSpec cloth = sheet_of({0.8, 0.8}, {40, 40});
  cloth.pins = {{-0.5, -0.5, 0.0}, {0.5, -0.5, 0.0}};
  scene.cloths = {cloth};
  scene.dt = 0.016;
  scene.solver = default_solver(GENERATE(Method::sp, Method::pbd));
  scene.solver.substeps = 1;
  scene.solver.iterations = 15;
  Simulation simulation(scene, on_cpu);
  for (int n = 0; n < 6; ++n) {
    simulation.advance(10);
    const auto vertices = particles_of(simulation);
    CHECK(momenta_of(vertices).energy < 0.32 * g * 0.8);  // all of it 0.8 m down
    for (const Particle& p : vertices)
      REQUIRE(p.position.z < 1.0);
  }
}

TEST_CASE("Cloth lies on a ball and holds by friction, and slides off without", "[cloth]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const auto drift = [&](double mu) {
    Scene scene = scene_of(0.004, 4, 8);
    scene.domain.axis = {Axis::open, Axis::open, Axis::open};
    scene.materials[0].friction_static = scene.materials[0].friction_kinetic = mu;
    scene.bodies.push_back(body_of("ball", {{SpherePart{0.15}}}));
    scene.bodies[0].material = 0;
    scene.cloths.push_back(sheet_of({0.4, 0.4}, {12, 12}, {0.06, 0.0, 0.155}));  // off its centre
    Solver solver = variant.solver;
    solver.stabilization = 0;
    Simulation simulation(with(scene, solver), on_cpu);
    advance_to(simulation, 0.4);
    const auto at = [&] {
      glm::dvec3 center(0.0);
      const auto all = particles_of(simulation);
      for (const Particle& p : all) {
        CHECK(glm::length(p.position) > 0.145);
        center += p.position / static_cast<double>(all.size());
      }
      return center;
    };
    const glm::dvec3 before = at();
    advance_to(simulation, 1.0);
    return glm::length(at() - before);
  };
  const double held = drift(0.8), slid = drift(0.0);
  CAPTURE(held, slid);
  CHECK(held < 0.03);
  CHECK(slid > 0.1);
}

TEST_CASE("Cloth does not pass through itself", "[cloth]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  // Two sheets fall onto a floor and onto each other; then a sheet that falls on its edge and folds.
  Scene scene = scene_of(0.004, 4, 8);
  scene.cloths = {sheet_of({0.3, 0.3}, {8, 8}, {0.0, 0.0, 0.05}), sheet_of({0.3, 0.3}, {8, 8}, {0.01, 0.007, 0.1})};
  for (std::size_t k = 0; k < 2; ++k) {
    scene.cloths[k].name += std::to_string(k);
    scene.cloths[k].thickness = 0.01;
  }
  Solver solver = variant.solver;
  solver.stabilization = 0;
  Simulation simulation(with(scene, solver), on_cpu);
  advance_to(simulation, 0.8);
  const auto all = particles_of(simulation);
  for (std::size_t k = 0; k < all.size() / 2; ++k) {
    CHECK(all[k].position.z == Approx(0.005).margin(0.001));
    const glm::dvec3 above = all[k + all.size() / 2].position;
    if (std::max(std::abs(above.x), std::abs(above.y)) < 0.14)  // not over the edge
      CHECK(above.z == Approx(0.015).margin(0.003));
  }
}

namespace {

// Two sheets, one pinned, one free and turned, across a seam, among grains and a body that they push.
Scene tangle() {
  Scene scene = jumble(150);
  scene.domain.min.y = -0.2;
  scene.domain.max.y = 0.2;
  ClothSpec held = sheet_of({0.16, 0.12}, {8, 6}, {0.0, -0.05, 0.06});
  held.rotation = {10.0, 20.0, 30.0};
  held.pins = {{-0.08, -0.06, 0.0}, {0.08, 0.06, 0.0}};
  held.bend = 0.3;
  ClothSpec loose = sheet_of({0.08, 0.1}, {5, 6}, {0.0, 0.145, 0.1}, {0.5, 2.0, -1.0});
  loose.name = "loose";
  loose.material = 1;
  loose.stretch = 0.5;
  loose.touches_itself = false;
  scene.cloths = {held, loose};
  BodySpec ball = body_of("ball", {{SpherePart{0.03}}}, {0.02, -0.03, 0.12});
  ball.density = 300.0;
  scene.bodies = {ball};
  return scene;
}

}  // namespace

TEST_CASE("Passes of cloth agree with their references", "[device][cloth][lockstep]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  Simulation simulation(with(tangle(), variant.solver), in_lockstep());
  simulation.advance(12);
  CHECK(simulation.measure().contacts_max > 0);
}

TEST_CASE("Runs with cloth repeat, and go on from a checkpoint as they would have", "[cloth]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const Scratch scratch;
  const Scene scene = with(tangle(), variant.solver);
  Simulation first(scene, on_cpu), second(scene, {.device = "cpu", .threads = 2});
  first.advance(10);
  first.save(scratch / "half");
  first.advance(10);
  second.advance(20);
  CHECK(first.state_hash() == second.state_hash());
  Simulation resumed(scene, on_cpu);
  resumed.resume(scratch / "half");
  resumed.advance(10);
  CHECK(resumed.state_hash() == first.state_hash());
}

TEST_CASE("Gauss-Seidel keeps cloth's distances best of all", "[cloth]") {
  const Method method = GENERATE(Method::sp, Method::pbd);
  const auto strain = [&](Iteration iteration, bool momentum) {
    Scene scene = space({0.0, 0.0, -g});
    ClothSpec cloth = sheet_of({0.5, 0.5}, {12, 12});
    cloth.pins = {{-0.25, -0.25, 0.0}, {0.25, -0.25, 0.0}};
    scene.cloths = {cloth};
    scene.dt = 0.008;
    scene.solver = default_solver(method, iteration);
    scene.solver.substeps = 1;
    scene.solver.iterations = 20;
    scene.solver.cloth_momentum = momentum;
    Simulation simulation(scene, on_cpu);
    double worst = 0.0;
    for (int n = 0; n < 6; ++n) {
      simulation.advance(10);
      worst = std::max(worst, strain_of(scene, particles_of(simulation)));
    }
    return worst;
  };
  const double jacobi = strain(Iteration::jacobi, false), improved = strain(Iteration::jacobi, true),
               serial = strain(Iteration::gauss_seidel, true);
  CAPTURE(jacobi, improved, serial);
  CHECK(improved < 0.5 * jacobi);
  CHECK(serial < jacobi);
}

TEST_CASE("A sink takes no cloth, and methods without contact lists refuse it", "[cloth]") {
  Scene scene = space({0.0, 0.0, -g});
  scene.cloths = {sheet_of({0.2, 0.2}, {5, 5})};
  scene.sinks.push_back({.name = "hole", .material = {}, .position = {0.0, 0.0, -0.2}, .parts = {{SpherePart{0.15}}}});
  Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.4);
  CHECK(particles_of(simulation).size() == 36);
  CHECK(simulation.sink_counts()[0] == 0);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 4;
  scene.solver.contact_memory = false;
  scene.solver.detection = Detection::one_loop;
  CHECK_THROWS_WITH(Simulation(scene, on_cpu), Catch::Contains("cloth"));
}
