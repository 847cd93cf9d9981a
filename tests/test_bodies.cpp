// Solids that grains push against.
#include "engine/reference/space.h"
#include "engine/scene/bodies.h"
#include "scratch.h"
#include "simulate.h"
#include <numbers>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

// A single body of one part, at rest where it is made.
struct Single {
  Fields fields;
  explicit Single(std::vector<BodyPart> parts) {
    Scene scene = scene_of(0.01, 1, 1);
    scene.bodies.push_back(body_of("solid", std::move(parts)));
    Simulation simulation(scene, on_cpu);
    fields = fields_of(simulation.executor(), {FieldId::bodies, FieldId::shape_data});
  }
  reference::Distance at(glm::vec3 p) const { return reference::from_body(fields, 0, p); }
};

// A domain without walls.
}  // namespace

TEST_CASE("Distances from solids are those of geometry", "[bodies]") {
  const Single box({{BoxPart{{2.0, 4.0, 6.0}}}}), ball({{SpherePart{2.0}}}), capsule({{CapsulePart{1.0, 6.0}}}),
      cylinder({{ConePart{2.0, 2.0, 6.0}}}), cone({{ConePart{3.0, 0.0, 4.0}}}), ring({{TorusPart{3.0, 1.0}}}),
      plane({{PlanePart{}}});
  struct Case {
    const Single& solid;
    glm::vec3 point, normal;
    float distance;
  };
  const float s = std::sqrt(0.5f);
  const Case cases[] = {
      {box, {3, 0, 0}, {1, 0, 0}, 2},
      {box, {0, -5, 1}, {0, -1, 0}, 3},
      {box, {4, 6, 3}, {0.6f, 0.8f, 0}, 5},
      {box, {0.5f, 0, 1}, {1, 0, 0}, -0.5f},
      {ball, {0, 0, 5}, {0, 0, 1}, 3},
      {ball, {1, 0, 0}, {1, 0, 0}, -1},
      {ball, {0, 0, 0}, {0, 0, 1}, -2},
      {capsule, {3, 0, 1}, {1, 0, 0}, 2},
      {capsule, {0, 0, 7}, {0, 0, 1}, 4},
      {capsule, {3, 4, -2}, {0.6f, 0.8f, 0}, 4},
      {cylinder, {0, 5, 1}, {0, 1, 0}, 3},
      {cylinder, {1, 0, -7}, {0, 0, -1}, 4},
      {cylinder, {5, 0, 7}, {0.6f, 0, 0.8f}, 5},
      {cylinder, {0, 1.5f, 0}, {0, 1, 0}, -0.5f},
      {cylinder, {0, 0, 2.5f}, {0, 0, 1}, -0.5f},
      {cone, {0, 0, 7}, {0, 0, 1}, 5},
      {cone, {1.5f + 4.0f, 0, 3}, {0.8f, 0, 0.6f}, 5},
      {cone, {0, 1, -3}, {0, 0, -1}, 1},
      {cone, {0, 0, -1.9f}, {0, 0, -1}, -0.1f},
      {ring, {6, 0, 0}, {1, 0, 0}, 2},
      {ring, {0, 3, 3}, {0, 0, 1}, 2},
      {ring, {0, 0, 0}, {-1, 0, 0}, 2},
      {ring, {3 + 2 * s, 0, 2 * s}, {s, 0, s}, 1},
      {plane, {5, 6, 7}, {0, 0, 1}, 7},
  };
  for (const Case& c : cases) {
    const reference::Distance d = c.solid.at(c.point);
    CAPTURE(c.point.x, c.point.y, c.point.z, c.distance);
    CHECK(d.value == Approx(c.distance).margin(1e-6));
    CHECK(glm::length(d.gradient - c.normal) < 1e-6f);
  }
}

TEST_CASE("The gradient is that of the distance, of length 1, all around", "[bodies]") {
  const Single solids[] = {
      Single({{BoxPart{{2.0, 1.0, 3.0}}, {0.3, 0.0, 0.2}, {10.0, 20.0, 30.0}}}),
      Single({{ConePart{1.0, 0.4, 2.0}, {}, {40.0, 0.0, 10.0}}}),
      Single({{TorusPart{1.0, 0.4}}, {CapsulePart{0.3, 3.0}}}),
      Single({{BoxPart{{2.0, 2.0, 2.0}}}, {SpherePart{0.8}, {0.0, 0.0, 1.0}, {}, true}}),
  };
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<float>(random()) / 4294967296.0f * 5.0f - 2.5f; };
  for (const Single& solid : solids) {
    int bends = 0;
    for (int i = 0; i < 1000; ++i) {
      const glm::vec3 p{uniform(), uniform(), uniform()};
      const reference::Distance d = solid.at(p);
      CHECK(glm::length(d.gradient) == Approx(1.0).epsilon(1e-5));
      for (int a = 0; a < 3; ++a) {
        glm::vec3 step(0.0f);
        step[a] = 1e-3f;
        const float slope = (solid.at(p + step).value - solid.at(p - step).value) / 2e-3f;
        bends += std::abs(slope - d.gradient[a]) > 0.02f;  // ridges, where the nearest point jumps
      }
    }
    CHECK(bends < 60);
  }
}

TEST_CASE("The passes see the same solids as whoever places grains", "[bodies]") {
  // Two implementations, of float and of double.
  const Scene scene = jumble_with_bodies(1);
  Simulation simulation(scene, on_cpu);
  const Fields f = fields_of(simulation.executor(), {FieldId::bodies, FieldId::shape_data});
  std::mt19937 random(3);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  for (uint b = 0; b < f.bodies.size(); ++b) {
    const Solid solid = solid_of(scene.bodies[b], pose_of(scene.bodies[b]));
    for (int i = 0; i < 500; ++i) {
      const glm::dvec3 p =
          scene.bodies[b].position + 0.2 * (glm::dvec3{uniform(), uniform(), uniform()} - glm::dvec3(0.5));
      const float distance = reference::from_body(f, b, glm::vec3(p) - f.bodies[b].motion.position).value;
      CHECK(distance == Approx(sample(solid, p).distance).margin(1e-6));
    }
  }
}

TEST_CASE("Fills leave out the places where bodies stand", "[bodies]") {
  Scene scene = scene_of(1.0 / 240, 1, 1);
  scene.bodies.push_back(body_of("ring", {{TorusPart{0.2, 0.1}}}, {0.0, 0.0, 0.3}, {30.0, 0.0, 0.0}));
  for (const Sampling sampling : {Sampling::poisson, Sampling::lattice}) {
    GrainGroup group;
    group.radius_min = group.radius_max = 0.02;
    group.shape = BoxFill{{-0.4, -0.4, 0.0}, {0.4, 0.4, 0.6}};
    group.sampling = sampling;
    scene.grains = {group};
    const Solid solid = solid_of(scene.bodies[0], pose_of(scene.bodies[0]));
    double nearest = 1.0;
    for (const Seed& seed : populate(scene).initial)
      nearest = std::min(nearest, sample(solid, glm::dvec3(seed.position)).distance - 0.02);
    CHECK(nearest > -1e-6);
    CHECK(nearest < 0.01);
  }
}

TEST_CASE("A grain on a tilted solid follows Coulomb's law", "[bodies]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  if (variant.solver.detection != Detection::lists)
    return;  // forgets what friction has held
  if (variant.solver.error_reduction > 0.0 || variant.solver.sleep_speed > 0.0 || variant.solver.mass_scaling > 0.0)
    return;  // act on what is upper, slow or high
  for (const auto& [degrees, mu] : {std::pair{20.0, 0.5}, std::pair{30.0, 0.3}}) {
    const double slope = glm::radians(degrees), r = 0.05;
    Scene scene = with(open_scene(1.0 / 960, 1, 20), variant.solver);
    scene.domain.friction_static = scene.domain.friction_kinetic = mu;
    const glm::dvec3 normal{std::sin(slope), 0.0, std::cos(slope)}, down{std::cos(slope), 0.0, -std::sin(slope)};
    scene.bodies.push_back(body_of("slab", {{BoxPart{{40.0, 4.0, 1.0}}}}, -0.5 * normal, {0.0, degrees, 0.0}));
    add_points(scene, r, {r * normal});
    Simulation simulation(scene, on_cpu);
    simulation.advance(960);
    const glm::dvec3 v(simulation.grains()[0].velocity);
    CAPTURE(degrees, v.x, v.z);
    CHECK(glm::dot(v, down) == Approx(std::max(sliding(degrees, mu), 0.0)).epsilon(5e-3).margin(3e-3));
    CHECK(std::abs(glm::dot(v, normal)) < 1e-3);
  }
}

TEST_CASE("Fast grains do not pass a thin plate", "[bodies]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  const double r = 0.01;
  Scene scene = with(open_scene(1.0 / 1000, 2, 5), variant.solver);  // they move a radius in a substep
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.3;
  scene.bodies.push_back(body_of("plate", {{BoxPart{{r, 1.0, 1.0}}}}));
  GrainGroup group;
  group.radius_min = group.radius_max = r;
  group.shape = BoxFill{{0.06, -0.15, -0.15}, {0.36, 0.15, 0.15}};
  group.velocity = {-20.0, 1.0, 0.5};
  group.count = 1000;
  scene.grains.push_back(group);
  Simulation simulation(scene, on_cpu);
  for (int i = 0; i < 60; ++i) {
    simulation.advance(1);
    int behind = 0;
    for (const GrainState& grain : simulation.grains())
      behind += grain.position.x < 0.0f;
    CAPTURE(i);
    REQUIRE(behind == 0);
  }
}

TEST_CASE("A belt takes a grain along, a turntable carries it around as far as friction holds", "[bodies]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  if (variant.solver.sleep_speed > 0.0 || variant.solver.detection != Detection::lists)
    return;  // sleeping grains stay behind, without lists friction is forgotten
  const double r = 0.02, mu = 0.4;
  Scene scene = with(open_scene(1.0 / 480, 2, 10), variant.solver);
  scene.domain.friction_static = scene.domain.friction_kinetic = mu;
  SECTION("belt") {
    scene.bodies.push_back(body_of("belt", {{BoxPart{{20.0, 1.0, 0.2}}}}, {0.0, 0.0, -0.1}));
    scene.bodies[0].velocity = {1.0, 0.0, 0.0};
    add_points(scene, r, {{0.0, 0.0, r}});
    Simulation simulation(scene, on_cpu);
    simulation.advance(60);
    CHECK(simulation.grains()[0].velocity.x == Approx(mu * g * 0.125).epsilon(2e-2));
    simulation.advance(420);
    CHECK(simulation.grains()[0].velocity.x == Approx(1.0).epsilon(2e-3));
  }
  SECTION("turntable") {
    const double spin = 3.0;  // holds within mu g / spin^2 = 0.436 m
    scene.bodies.push_back(body_of("table", {{ConePart{2.0, 2.0, 0.2}}}, {0.0, 0.0, -0.1}));
    scene.bodies[0].spin = {0.0, 0.0, spin};
    add_points(scene, r, {{0.3, 0.0, r}}, {0.0, 0.3 * spin, 0.0});
    add_points(scene, r, {{0.0, -0.6, r}}, {0.6 * spin, 0.0, 0.0});
    Simulation simulation(scene, on_cpu);
    simulation.advance(480);
    const auto grains = simulation.grains();
    const glm::vec3 held = grains[0].position, lost = grains[1].position;
    CHECK(std::hypot(held.x, held.y) == Approx(0.3).epsilon(2e-2));
    CHECK(std::atan2(held.y, held.x) == Approx(spin - 0.0).epsilon(2e-2));
    CHECK(std::hypot(lost.x, lost.y) > 0.7);
  }
}

TEST_CASE("A body goes around a periodic axis for ever", "[bodies]") {
  const double r = 0.02;
  Scene scene = with(open_scene(1.0 / 240, 2, 10), default_solver(Method::vts));
  scene.domain.axis[0] = Axis::periodic;
  scene.domain.min = {0.0, -1.0, -1.0};
  scene.domain.max = {0.5, 1.0, 1.0};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.bodies.push_back(body_of("pusher", {{BoxPart{{0.04, 0.2, 0.2}}}}, {0.1, 0.0, 0.0}));
  scene.bodies[0].velocity = {1.0, 0.0, 0.0};
  add_points(scene, r, {{0.3, 0.0, 0.0}});
  Simulation simulation(scene, on_cpu);
  for (int second = 0; second < 20; ++second) {
    auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 1);
    grains[0].velocity = glm::vec4(0.0f, 0.0f, 0.0f, grains[0].velocity.w);  // stopped: the pusher comes again
    write_field(simulation.executor(), FieldId::grains, grains);
    simulation.advance(240);
    CHECK(simulation.grains()[0].velocity.x > 0.99f);
  }
}

TEST_CASE("Lists hold every body that a grain may touch", "[bodies]") {
  // At the start, and while grains rain on moving bodies.
  Scene rain = with(pouring(8, 1, 1.0), {.method = Method::dem, .iterations = 1});
  rain.bodies = jumble_with_bodies(1).bodies;
  rain.bodies.push_back(body_of("tray",
                                {{BoxPart{{0.2, 0.2, 0.1}}}, {BoxPart{{0.1, 0.1, 0.1}}, {0.0, 0.0, 0.05}, {}, true}},
                                {0.0, 0.0, 0.1}, {20.0, 10.0, 0.0}));
  const std::pair<Scene, int> cases[] = {{with(jumble_with_bodies(1000), rain.solver), 1}, {rain, 60}};
  for (const auto& [scene, steps] : cases) {
    Simulation simulation(scene, on_cpu);
    std::size_t touching = 0;
    for (int step = 0; step < steps; ++step) {
      simulation.measure();
      const Fields f =
          fields_of(simulation.executor(), {FieldId::settings, FieldId::bodies, FieldId::shape_data, FieldId::grains,
                                            FieldId::contact_count, FieldId::slice_start, FieldId::contact_partner});
      for (uint i = 0; i < simulation.grain_count(); ++i)
        for (uint b = 0; b < f.bodies.size(); ++b)
          for (uint k = 0; k < f.bodies[b].parts; ++k)
            for (uint s = 0; s < surfaces_of(reference::solid_part(f, f.bodies[b].first_part + k).kind); ++s) {
              const uint partner = surface_partner(b, part_surfaces * k + s);
              if (reference::contact_with(f, i, partner).gap >= 0.0f)
                continue;
              touching += 1;
              bool listed = false;
              for (uint c = 0; c < f.contact_count[i]; ++c)
                listed = listed || f.contact_partner[reference::contact_slot(f, i, c)] == partner;
              CAPTURE(step, i, b, k, s);
              CHECK(listed);
            }
      simulation.advance(1);
    }
    CHECK(touching > 50);
  }
}

TEST_CASE("A run with moving bodies goes on from a checkpoint to the same bits", "[bodies]") {
  const Scratch scratch;
  const Scene scene = with(jumble_with_bodies(300), {.method = Method::dem, .iterations = 1});
  Simulation whole(scene, on_cpu), half(scene, on_cpu);
  whole.advance(20);
  half.advance(9);
  half.save(scratch / "half.talus");
  Simulation rest(scene, on_cpu);
  rest.resume(scratch / "half.talus");
  rest.advance(11);
  CHECK(rest.state_hash() == whole.state_hash());
}
