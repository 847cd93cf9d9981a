// Emitters pour clumps whole, and sinks take them whole.
#include "engine/scene/clump.h"
#include "engine/scene/limitations.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "spinning.h"

using namespace talus;
using namespace talus_tests;

namespace {

// Two emitters of clumps and one of balls above a drain, in a box that they would fill.
Scene clumps_through_a_box(unsigned seed = 1) {
  Scene scene = rotating_scene(default_solver(Method::dem), 8);
  scene.seed = seed;
  scene.domain.min = {-0.03, -0.03, 0.0};
  scene.domain.max = {0.03, 0.03, 0.3};
  for (int k = 0; k < 3; ++k) {
    Emitter emitter;
    emitter.radius_min = emitter.radius_max = 0.005;
    emitter.velocity = {0.0, 0.0, -1.0};
    emitter.rate = k == 2 ? 150.0 : 250.0;
    emitter.stop = 1.0;
    emitter.shape = BoxFill{{-0.03, -0.03, 0.14 + 0.05 * k}, {0.03, 0.03, 0.18 + 0.05 * k}};
    if (k < 2)
      emitter.clump = k == 0 ? tetrahedron_clump() : pair_clump();
    scene.emitters.push_back(std::move(emitter));
  }
  return scene;
}

Scene with_drain(Scene scene) {
  scene.sinks.push_back({.name = "drain", .material = {}, .parts = {{BoxPart{{0.02, 0.02, 0.02}}, {0.0, 0.0, 0.01}}}});
  return scene;
}

double mass_of_all(Simulation& simulation) {
  double mass = 0.0;
  std::vector<bool> of_clump(simulation.ids_end());
  for (const ClumpState& clump : simulation.clumps()) {
    mass += clump.mass;
    std::fill_n(of_clump.begin() + clump.first, clump.spheres, true);
  }
  for (const SpinningGrain& grain : spinning_grains(simulation))
    if (grain.radius > 0.0 && !of_clump[grain.id])  // places that grains will have are empty
      mass += grain.mass;
  return mass;
}

// Of spheres that were not there before with those of others, as a share of both radii.
double deepest_of_born(Simulation& simulation, const std::vector<GrainState>& before) {
  std::vector<bool> old(simulation.ids_end());
  for (const GrainState& grain : before)
    old[grain.id] = true;
  std::vector<std::uint32_t> clump_of(simulation.ids_end());
  for (std::uint32_t id = 0; id < clump_of.size(); ++id)
    clump_of[id] = id;
  for (const ClumpState& clump : simulation.clumps())
    std::fill_n(clump_of.begin() + clump.first, clump.spheres, clump.first);
  double deepest = 0.0;
  const auto grains = simulation.grains();
  for (const GrainState& born : grains)
    for (const GrainState& other : grains)
      if (!old[born.id] && clump_of[born.id] != clump_of[other.id])
        deepest = std::max(deepest, 1.0 - double(glm::distance(born.position, other.position)) /
                                              double(born.radius + other.radius));
  return deepest;
}

void pours_in_lockstep(const Options& options, std::uint32_t worlds) {
  Scene scene = with_drain(clumps_through_a_box());
  scene.worlds = worlds;
  // In the way of what emitters release first.
  scene.grains.push_back({.radius_min = 0.005,
                          .radius_max = 0.006,
                          .shape = BoxFill{{-0.03, -0.03, 0.12}, {0.03, 0.03, 0.2}},
                          .count = 60});
  Simulation simulation(scene, options);
  REQUIRE_NOTHROW(simulation.advance(12));
  CHECK(simulation.emitter_counts()[0].waiting > 0);
  CHECK(simulation.clumps().size() > 10);
}

}  // namespace

TEST_CASE("Emitters release clumps with all of their spheres, turned at random", "[clumps]") {
  Simulation simulation(clumps_through_a_box(), on_cpu);
  const double ball = 4.0 / 3 * pi_ * std::pow(0.005, 3) * simulation.scene().materials[0].density;
  const double share[] = {tetrahedron_clump().shape().volume / (4.0 / 3 * pi_),
                          pair_clump().shape().volume / (4.0 / 3 * pi_), 1.0};
  glm::dvec3 turned(0.0);
  bool alike = true;
  for (int k = 0; k < 100; ++k) {
    simulation.advance(1);
    const auto counts = simulation.emitter_counts();
    REQUIRE(simulation.grain_count() == 4 * counts[0].born + 2 * counts[1].born + counts[2].born);
    const std::vector<ClumpState> clumps = simulation.clumps();
    REQUIRE(clumps.size() == counts[0].born + counts[1].born);
    double mass = 0.0;
    for (std::size_t e = 0; e < 3; ++e)
      mass += counts[e].born * share[e] * ball;
    CHECK(mass_of_all(simulation) == Approx(mass).epsilon(1e-5));
    if (k == 99)
      for (const ClumpState& clump : clumps) {
        turned += clump.pose.rotation * glm::dvec3(1.0, 0.0, 0.0) / static_cast<double>(clumps.size());
        alike = alike && clump.pose.rotation == clumps[0].pose.rotation;
      }
  }
  CHECK(simulation.clumps().size() > 100);
  CHECK(!alike);
  CHECK(glm::length(turned) < 0.3);  // of unit vectors in all directions
}

TEST_CASE("A clump that an emitter releases falls free with its spheres where it says", "[clumps]") {
  Scene scene = clumps_through_a_box();
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.emitters.resize(1);
  scene.emitters[0].count = 1;
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  REQUIRE(simulation.clumps().size() == 1);
  const ClumpState clump = simulation.clumps()[0];
  CHECK(clump.momentum == glm::dvec3(0.0));
  CHECK(clump.velocity.z < -1.0);
  const ClumpShape& shape = tetrahedron_clump().shape();
  for (const GrainState& grain : simulation.grains()) {
    const glm::dvec3 lever = clump.pose.rotation * (0.005 * glm::dvec3(shape.spheres[grain.id]));
    CHECK(glm::length(glm::dvec3(grain.position) - clump.pose.position - lever) < 1e-7);
    CHECK(glm::length(glm::dvec3(grain.velocity) - clump.velocity) < 1e-6);
  }
}

TEST_CASE("Clumps wait until each of their spheres has room", "[clumps]") {
  Simulation simulation(clumps_through_a_box(), on_cpu);
  simulation.advance(120);
  std::uint32_t waited = 0;
  std::size_t born = 0;
  for (int k = 0; k < 60; ++k) {
    const std::vector<GrainState> before = simulation.grains();
    simulation.advance(1);
    REQUIRE(deepest_of_born(simulation, before) < 2e-3);
    born += simulation.grains().size() - before.size();
    waited = std::max(waited, simulation.emitter_counts()[0].waiting);
  }
  CHECK(waited > 20);
  CHECK(born > 20);
  simulation.advance(100);
  const EmitterCounts full = simulation.emitter_counts()[0];
  const auto spheres = static_cast<std::uint32_t>(
      std::ranges::count(populate(simulation.scene()).scheduled, 0u, &ScheduledGrain::emitter));
  CHECK(spheres % 4 == 0);
  CHECK(full.born + full.waiting + full.given_up == spheres / 4);
}

TEST_CASE("What emitters have poured and sinks have not taken is there, clumps whole", "[clumps]") {
  const Scene scene = with_drain(clumps_through_a_box());
  Simulation simulation(scene, on_cpu);
  for (int k = 0; k < 24; ++k) {
    simulation.advance(10);
    const auto counts = simulation.emitter_counts();
    std::uint32_t spheres = 0, of_kind[2] = {0, 0};
    for (const ClumpState& clump : simulation.clumps()) {
      spheres += clump.spheres;
      ++of_kind[clump.spheres == 4 ? 0 : 1];
    }
    const std::uint32_t poured = 4 * counts[0].born + 2 * counts[1].born + counts[2].born,
                        taken = simulation.sink_counts()[0];
    REQUIRE(simulation.grain_count() == poured - taken);
    CHECK(of_kind[0] <= counts[0].born);
    CHECK(spheres <= simulation.grain_count());
    const std::uint32_t clumps_taken = 4 * (counts[0].born - of_kind[0]) + 2 * (counts[1].born - of_kind[1]);
    CHECK(clumps_taken <= taken);
    CHECK(taken - clumps_taken <= counts[2].born);  // balls
  }
  CHECK(simulation.sink_counts()[0] > 100);
}

TEST_CASE("Runs whose emitters pour clumps repeat, on and from a checkpoint, in any number of threads", "[clumps]") {
  const Scratch scratch;
  const Scene scene = with_drain(clumps_through_a_box());
  Simulation one(scene, on_cpu), two(scene, {.device = "cpu", .threads = 3});
  one.advance(160);
  two.advance(90);
  two.save(scratch / "state");
  two.advance(70);
  CHECK(one.state_hash() == two.state_hash());
  CHECK(one.emitter_counts()[0].waiting > 0);
  Simulation three(scene, on_cpu);
  three.resume(scratch / "state");
  three.advance(70);
  CHECK(three.state_hash() == one.state_hash());
  CHECK(three.clumps().back().pose.rotation == one.clumps().back().pose.rotation);
  Simulation other(with_drain(clumps_through_a_box(2)), on_cpu);
  other.advance(160);
  CHECK(other.state_hash() != one.state_hash());
}

TEST_CASE("Worlds pour clumps of their own", "[clumps]") {
  Scene scene = with_drain(clumps_through_a_box());
  scene.worlds = 2;
  Simulation simulation(scene, on_cpu), alone(with_drain(clumps_through_a_box(2)), on_cpu);
  simulation.advance(60);
  alone.advance(60);
  std::vector<ClumpState> of_second = simulation.clumps();
  std::erase_if(of_second, [](const ClumpState& clump) { return clump.world == 0; });
  REQUIRE(of_second.size() == alone.clumps().size());
  for (std::size_t k = 0; k < of_second.size(); ++k) {
    REQUIRE(of_second[k].pose.rotation == alone.clumps()[k].pose.rotation);
    REQUIRE(of_second[k].pose.position == alone.clumps()[k].pose.position);
  }
}

TEST_CASE("Vectorised passes agree with their references where emitters pour clumps", "[clumps][lockstep]") {
  pours_in_lockstep({.device = "cpu", .verify = true}, 1);
}

TEST_CASE("Every pass agrees with its reference where emitters pour clumps", "[device][clumps][lockstep]") {
  pours_in_lockstep(in_lockstep(), GENERATE(1u, 2u));
}

TEST_CASE("clump of an emitter is read, written and refused as that of grains", "[clumps]") {
  const std::string text = "[domain]\nmin = [-1, -1, 0]\nmax = [1, 1, 1]\n[[material]]\nname = \"sand\"\n"
                           "[[emitter]]\nmaterial = \"sand\"\nradius = 0.02\nrate = 10\nclump = \"pair\"\n"
                           "shape.box = { size = [0.5, 0.5, 0.2], position = [0, 0, 0.5] }\n";
  const Scene scene = parse_scene(text, "s.toml");
  CHECK(scene.emitters[0].clump->name() == "pair");
  CHECK(parse_scene(to_toml(scene), "s.toml").emitters[0].clump->name() == "pair");
  CHECK_THROWS_WITH(parse_scene(text, "s.toml", {"solver.method=vts"}),
                    Catch::StartsWith("s.toml:10:9: emitter.0.clump is refused") &&
                        Catch::Contains(say(limitation_of(Capability::clumps, Capability::iterated_methods))));
  CHECK_THROWS_WITH(parse_scene(text + "[upsampling]\nradius = 0.005\n", "s.toml"),
                    Catch::Contains(say(limitation_of(Capability::clumps, Capability::upsampling))));
  // The ball around a pair has 1.8 times its radius: it is placed within the shape.
  CHECK_THROWS_WITH(parse_scene(text, "s.toml", {"emitter.0.radius=0.06"}), Catch::Contains("holds no grain"));
}
