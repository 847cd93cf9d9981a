// Contact lists against brute force over all pairs.
#include "engine/core/passes.h"
#include "simulate.h"
#include <algorithm>
#include <map>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

using PartnerLists = std::map<uint, std::multiset<uint>>;  // partners by id; walls as they are

PartnerLists partner_lists_of(Simulation& simulation) {
  Executor& e = simulation.executor();
  const uint n = simulation.grain_count();
  const auto ids = read_field<uint>(e, FieldId::grain_id, n);
  const auto counts = read_field<uint>(e, FieldId::contact_count, n);
  const auto start = read_field<uint>(e, FieldId::slice_start, e.size(FieldId::slice_start));
  const auto partners = read_field<uint>(e, FieldId::contact_partner, e.size(FieldId::contact_partner));
  PartnerLists lists;
  for (uint i = 0; i < n; ++i) {
    auto& mine = lists[ids[i]];
    for (uint k = 0; k < counts[i]; ++k) {
      const uint partner = partners[(start[i / 16] + k) * 16 + i % 16];
      mine.insert(partner >= body_partner ? partner : ids.at(partner));
    }
  }
  return lists;
}

glm::dvec3 shortest_way(const Scene& scene, glm::dvec3 d) {
  for (int axis = 0; axis < 3; ++axis) {
    const double edge = scene.domain.max[axis] - scene.domain.min[axis];
    if (scene.domain.axis[static_cast<std::size_t>(axis)] == Axis::periodic)
      d[axis] -= edge * std::round(d[axis] / edge);
  }
  return d;
}

// After one step of one substep the lists are those of the start.
void check_against_brute_force(Scene scene, const Options& options) {
  scene.solver.substeps = 1;
  Simulation before(scene, options), simulation(scene, options);
  const std::vector<GrainState> grains = before.grains();
  simulation.advance(1);
  const PartnerLists lists = partner_lists_of(simulation);
  const double skin = read_field<World>(simulation.executor(), FieldId::worlds, 1)[0].lists.skin;
  REQUIRE(skin > 0.0);
  std::size_t pairs = 0, wrong = 0;
  for (const GrainState& a : grains) {
    const auto& mine = lists.at(a.id);
    for (const GrainState& b : grains) {
      if (a.id == b.id) {
        wrong += mine.count(b.id);
        continue;
      }
      const glm::dvec3 d = shortest_way(scene, glm::dvec3(a.position) - glm::dvec3(b.position));
      const double gap = glm::length(d) - (static_cast<double>(a.radius) + b.radius + skin);
      if (std::abs(gap) < 1e-6)
        continue;  // either is right in float
      pairs += gap < 0.0;
      wrong += mine.count(b.id) != (gap < 0.0 ? 1u : 0u);
    }
    for (int side = 0; side < 2; ++side) {
      const double gap = (side == 0 ? a.position.z - scene.domain.min.z : scene.domain.max.z - a.position.z) - a.radius;
      const uint wall = wall_partner + 4 + static_cast<uint>(side);
      if (gap < 0.9 * skin)
        wrong += mine.count(wall) != 1;
      if (gap > skin + 2.0 * scene.dt * 3.0 * glm::length(a.velocity) + 1e-6)
        wrong += mine.count(wall) != 0;
    }
  }
  CHECK(pairs > grains.size() / 4);
  CHECK(wrong == 0);
}

// Overlaps among grains and with walls that the lists of the last substep do not hold.
std::size_t missed_contacts(Simulation& simulation) {
  const Scene& scene = simulation.scene();
  const PartnerLists lists = partner_lists_of(simulation);
  const std::vector<GrainState> grains = simulation.grains();
  std::size_t missed = 0;
  for (const GrainState& a : grains) {
    for (const GrainState& b : grains) {
      const glm::dvec3 d = shortest_way(scene, glm::dvec3(a.position) - glm::dvec3(b.position));
      if (a.id != b.id && glm::length(d) < static_cast<double>(a.radius) + b.radius - 1e-6)
        missed += !lists.at(a.id).contains(b.id);
    }
    for (int wall = 0; wall < 6; ++wall) {
      const int axis = wall / 2;
      const double distance =
          wall % 2 == 0 ? a.position[axis] - scene.domain.min[axis] : scene.domain.max[axis] - a.position[axis];
      if (scene.domain.axis[static_cast<std::size_t>(axis)] == Axis::wall && distance < a.radius - 1e-6)
        missed += !lists.at(a.id).contains(wall_partner + static_cast<uint>(wall));
    }
  }
  return missed;
}

// Steps on, and looks for missed contacts after each; newly released grains have met nothing yet.
void check_none_missed(Simulation& simulation, int steps) {
  std::size_t contacts = 0;
  for (int i = 0; i < steps; ++i) {
    simulation.advance(1);
    REQUIRE(missed_contacts(simulation) == 0);
    contacts += static_cast<std::size_t>(simulation.measure().contacts_mean * simulation.grain_count() + 0.5);
  }
  CHECK(contacts > 10);
}

}  // namespace

TEST_CASE("No contact is missed between two list builds", "[neighbours]") {
  // Pairs that fly at each other from all distances: what matters is how both move, and how far in the substep to come.
  Scene scene = scene_of(1.0 / 2000, 1, 4);
  scene.domain.min = {-1.0, 0.0, -1.0};
  scene.domain.max = {1.0, 3.0, 1.0};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials[0].stiffness = 100.0;  // so soft that overlaps last
  std::vector<glm::dvec3> left, right;
  for (int i = 0; i < 60; ++i) {
    left.push_back({-0.011 - 0.0004 * i, 0.02 + 0.045 * i, 0.0});
    right.push_back({0.011 + 0.0004 * i, 0.02 + 0.045 * i, 0.0});
  }
  const double speed = GENERATE(0.5, 2.0, 6.0);
  CAPTURE(speed);
  add_points(scene, 0.01, left, {speed, 0.0, 0.0});
  add_points(scene, 0.01, right, {-speed, 0.0, 0.0});
  Simulation simulation(scene, on_cpu);
  check_none_missed(simulation, 40);
}

TEST_CASE("Lists of grains that have come to rest are built once more, with a narrow margin", "[neighbours]") {
  const Scene scene = with(box_of(300), default_solver(Method::dem));
  Simulation simulation(scene, on_cpu);
  const auto skin = [&] {  // in radii of the largest
    const World world = read_field<World>(simulation.executor(), FieldId::worlds, 1)[0];
    return world.lists.skin / world.radius;
  };
  simulation.advance(1);
  CHECK(skin() > 0.3f);
  simulation.advance(720);
  CHECK(skin() < lists_shrink * skin_rest);
  CHECK(skin() >= skin_least);
  check_none_missed(simulation, 20);
  const std::uint64_t rebuilds = simulation.rebuilds();
  simulation.advance(480);  // several times as many substeps as make lists old
  CHECK(simulation.rebuilds() - rebuilds <= 3);
}

TEST_CASE("No contact of a grain just released is missed", "[neighbours]") {
  Scene scene = scene_of(1.0 / 500, 1, 4);
  scene.domain.min = {-0.1, -0.1, 0.0};
  scene.domain.max = {0.1, 0.1, 0.5};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.materials[0].stiffness = 1.0;  // next to nothing moves but what is released
  std::vector<glm::dvec3> bed;
  for (int x = -4; x <= 4; ++x)
    for (int y = -4; y <= 4; ++y)
      bed.push_back({0.021 * x, 0.021 * y, 0.03});
  add_points(scene, 0.01, bed);
  Emitter emitter;
  emitter.radius_min = emitter.radius_max = 0.01;
  emitter.rate = 100.0;
  emitter.start = 0.01;
  emitter.stop = 0.2;
  SECTION("slowly, where the bed leaves room") {
    emitter.shape = BoxFill{{-0.08, -0.08, 0.02}, {0.08, 0.08, 0.06}};
    emitter.velocity = {0.0, 0.0, -0.5};
  }
  SECTION("faster than anything else, close above the bed") {
    emitter.shape = BoxFill{{-0.08, -0.08, 0.045}, {0.08, 0.08, 0.068}};
    emitter.velocity = {0.0, 0.0, -6.0};
  }
  scene.emitters.push_back(emitter);
  Simulation simulation(scene, on_cpu);
  double contacts = 0.0;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t before = simulation.grain_count();
    simulation.advance(1);
    if (simulation.grain_count() == before) {  // else the newest have not met anything yet
      REQUIRE(missed_contacts(simulation) == 0);
      contacts += simulation.measure().contacts_mean;
    }
  }
  CHECK(contacts > 0.0);
  CHECK(simulation.grain_count() > 90);
}

TEST_CASE("No contact is missed in a pile that is poured", "[neighbours]") {
  Scene scene = scene_of(1.0 / 240, 2, 3);
  scene.domain.min = {-0.1, -0.1, 0.0};
  scene.domain.max = {0.1, 0.1, 0.5};
  scene.domain.axis[0] = Axis::periodic;
  Emitter emitter;
  emitter.radius_min = 0.006;
  emitter.radius_max = 0.012;
  emitter.velocity = {0.5, 0.0, -1.0};
  emitter.shape = SphereFill{{0.0, 0.0, 0.3}, 0.06};
  emitter.rate = 500.0;
  emitter.stop = 0.4;
  scene.emitters.push_back(emitter);
  Simulation simulation(scene, on_cpu);
  simulation.advance(96);  // the last birth
  check_none_missed(simulation, 60);
}

TEST_CASE("Grains lie in memory by cell, and by id inside it", "[neighbours]") {
  Simulation simulation(jumble(1000), on_cpu);
  simulation.advance(3);
  Executor& e = simulation.executor();
  const auto ids = read_field<uint>(e, FieldId::grain_id, 1000);
  const auto start = read_field<uint>(e, FieldId::grid_start, e.size(FieldId::grid_start));
  CHECK(start.back() == 1000);
  for (std::size_t cell = 0; cell + 1 < start.size(); ++cell)
    CHECK(std::is_sorted(ids.begin() + start[cell], ids.begin() + start[cell + 1]));
}

TEST_CASE("Contact lists are those of brute force on the CPU path", "[neighbours]") {
  const unsigned n = GENERATE(13u, 127u, 1000u, 3000u);
  CAPTURE(n);
  check_against_brute_force(jumble(n), on_cpu);
}

TEST_CASE("Contact lists are those of brute force on the device", "[device][neighbours]") {
  const unsigned n = GENERATE(13u, 1000u);
  CAPTURE(n);
  check_against_brute_force(jumble(n), on_one_device());
}

TEST_CASE("A contact is found across a short periodic axis once", "[neighbours]") {
  Scene scene = scene_of(0.001, 1, 1);
  scene.domain.axis = {Axis::periodic, Axis::open, Axis::open};
  scene.domain.min = {0.0, -1.0, -1.0};
  scene.domain.max = {0.3, 1.0, 1.0};
  add_points(scene, 0.024, {{0.01, 0.0, 0.0}, {0.29, 0.0, 0.0}, {0.15, 0.0, 0.0}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(1);
  const PartnerLists lists = partner_lists_of(simulation);
  CHECK(lists.at(0) == std::multiset<uint>{1});
  CHECK(lists.at(1) == std::multiset<uint>{0});
  CHECK(lists.at(2).empty());
}

TEST_CASE("Worlds do not see each other", "[neighbours]") {
  Scene scene = scene_of(1.0 / 240, 2, 5);
  scene.domain.gravity = {0.0, 0.0, 0.0};
  add_points(scene, 0.02, {{0.0, 0.0, 0.5}});
  scene.worlds = 3;
  Simulation simulation(scene, on_cpu);
  simulation.advance(10);
  const auto grains = simulation.grains();
  REQUIRE(grains.size() == 3);
  for (std::uint32_t w = 0; w < 3; ++w) {
    CHECK(grains[w].world == w);
    CHECK(grains[w].position == glm::vec3(0.0f, 0.0f, 0.5f));  // where the others are, too
  }
}

TEST_CASE("A grain born faster than anything else meets what is in its way", "[neighbours]") {
  // It would fly through the fixed plate in its first substep, while nothing that moves tells how far lists must reach.
  const double r = 0.01, h = 1.0 / 240;
  Scene scene = scene_of(h, 1, 20);
  scene.solver = default_solver(GENERATE(Method::dem, Method::vts));
  scene.solver.substeps = 1;
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, 0.0};
  std::vector<glm::dvec3> plate;
  for (int x = -4; x <= 4; ++x)
    for (int y = -4; y <= 4; ++y)
      plate.push_back({1.2 * r * x, 1.2 * r * y, 0.0});
  add_points(scene, r, plate);
  scene.grains.back().fixed = true;
  Emitter emitter;
  emitter.radius_min = emitter.radius_max = r;
  emitter.rate = 1000.0;
  emitter.count = 1;
  emitter.stop = 0.1;
  emitter.velocity = {0.0, 0.0, -3.5 * r / h};
  emitter.shape = BoxFill{{-2.0 * r, -2.0 * r, 1.9 * r}, {2.0 * r, 2.0 * r, 4.0 * r}};
  scene.emitters.push_back(emitter);
  Simulation simulation(scene, on_cpu);
  for (int i = 0; i < 12; ++i) {
    simulation.advance(1);
    REQUIRE(simulation.grains().back().position.z >= 0.0f);
  }
  CHECK(simulation.grain_count() == plate.size() + 1);
}

TEST_CASE("A table of cells repeats along z before grains of a long flat bed share cells", "[neighbours]") {
  // The table holds 4096 cells, the domain some 120 x 10 x 100. Places of grains do not matter, only what they fill.
  const auto bits_of = [](double height, bool emits) {
    Scene scene = scene_of(0.01, 1, 1);
    scene.domain.min = {-1.25, -0.1, 0.0};
    scene.domain.max = {1.25, 0.1, 2.0};
    GrainGroup group;
    group.radius_min = group.radius_max = 0.01;
    group.shape = BoxFill{{-1.25, -0.1, 0.0}, {1.25, 0.1, height}};
    group.count = 100;
    scene.grains = {group};
    if (emits) {
      Emitter emitter;
      emitter.shape = BoxFill{{-0.1, -0.1, 1.8}, {0.1, 0.1, 1.9}};
      emitter.radius_min = emitter.radius_max = 0.01;
      emitter.rate = 10.0;
      emitter.stop = 0.1;
      scene.emitters = {emitter};
    }
    Simulation simulation(scene, on_cpu);
    return read_field<Settings>(simulation.executor(), FieldId::settings, 1)[0].grid.bits;
  };
  CHECK(bits_of(0.06, false) == glm::uvec3(5, 4, 3));
  CHECK(bits_of(2.0, false) == glm::uvec3(4, 4, 4));
  CHECK(bits_of(0.06, true) == glm::uvec3(4, 4, 4));
}
