// Lists that are searched again only where grains have moved.
#include "engine/core/passes.h"
#include "engine/simulation/checkpoint_file.h"
#include "lanes.h"
#include "scratch.h"
#include "simulate.h"
#include <cstring>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

// A bed at rest, seams along x, and grains that fall onto it one by one; a ball goes through it, a block stands in it.
Scene rain(Solver solver = default_solver(Method::dem)) {
  Scene scene = with(scene_of(1.0 / 240, 4, 4), solver);
  scene.solver.substeps = 4;
  scene.domain.min = {-0.1, -0.1, 0.0};
  scene.domain.max = {0.1, 0.1, 0.5};
  scene.domain.axis[0] = Axis::periodic;
  GrainGroup bed;
  bed.radius_min = 0.006;
  bed.radius_max = 0.008;
  bed.shape = BoxFill{{-0.1, -0.1, 0.0}, {0.1, 0.1, 0.04}};
  scene.grains.push_back(bed);
  Emitter emitter;
  emitter.radius_min = 0.006;
  emitter.radius_max = 0.008;
  emitter.velocity = {0.5, 0.0, -1.0};
  emitter.shape = SphereFill{{0.0, 0.0, 0.3}, 0.05};
  emitter.rate = 60.0;
  emitter.stop = 1.0;
  scene.emitters.push_back(emitter);
  scene.bodies = {body_of("ball", {{SpherePart{0.02}}}, {-0.05, -0.06, 0.03}),
                  body_of("block", {{BoxPart{{0.02, 0.02, 0.03}}}}, {0.05, 0.05, 0.03})};
  scene.bodies[0].velocity = {0.0, 0.2, 0.0};
  return scene;
}

// The same with grains that are up to twice as large among those that fall. Where one comes to lie it touches more
// of the others than a row of a bed at rest has room for.
Scene hail(Solver solver = default_solver(Method::dem)) {
  Scene scene = rain(solver);
  scene.emitters[0].radius_max = 0.015;
  return scene;
}

struct Lists {
  World world;
  uint places;
  std::vector<Grain> grains;
  std::vector<vec4> listed;  // where grains are for their lists
  std::vector<std::multiset<uint>> rows;
};

Lists lists_of(Simulation& simulation) {
  Executor& e = simulation.executor();
  Lists lists{read_field<World>(e, FieldId::worlds, 1)[0], simulation.grain_places(), {}, {}, {}};
  lists.grains = read_field<Grain>(e, FieldId::grains, lists.places);
  lists.listed = read_field<vec4>(e, FieldId::list_position, lists.places);
  const auto counts = read_field<uint>(e, FieldId::contact_count, lists.places);
  const auto start = read_field<uint>(e, FieldId::slice_start, e.size(FieldId::slice_start));
  const auto partners = read_field<uint>(e, FieldId::contact_partner, e.size(FieldId::contact_partner));
  for (uint i = 0; i < lists.places; ++i) {
    auto& row = lists.rows.emplace_back();
    for (uint k = 0; k < counts[i]; ++k)
      row.insert(partners[(start[i / slice_grains] + k) * slice_grains + i % slice_grains]);
  }
  return lists;
}

// Are the lists those of the places that they say, and all grains near theirs? Grains just released have none.
void check_lists(Simulation& simulation, std::size_t& pairs) {
  const Scene& scene = simulation.scene();
  const Lists lists = lists_of(simulation);
  const auto apart = [&](vec3 a, vec3 b) {
    glm::dvec3 d = glm::dvec3(a) - glm::dvec3(b);
    const double edge = scene.domain.max.x - scene.domain.min.x;
    d.x -= edge * std::round(d.x / edge);
    return glm::length(d);
  };
  std::size_t wrong = 0, far = 0, bodies_missed = 0;
  for (uint i = 0; i < lists.places; ++i) {
    const float radius = std::abs(lists.listed[i].w);
    if (radius == 0.0f)
      continue;
    far += apart(vec3(lists.listed[i]), vec3(lists.grains[i].position)) > 0.5001 * lists.world.lists.skin;
    for (uint j = 0; j < lists.places; ++j) {
      const double reach = static_cast<double>(radius) + std::abs(lists.listed[j].w) + lists.world.lists.skin;
      const double gap = apart(vec3(lists.listed[i]), vec3(lists.listed[j])) - reach;
      if (i == j || lists.listed[j].w == 0.0f || std::abs(gap) < 1e-6)
        continue;
      pairs += gap < 0.0;
      wrong += lists.rows[i].count(j) != (gap < 0.0 ? 1u : 0u);
    }
    // The ball is where it was a substep ago.
    const glm::dvec3 ball = glm::dvec3(scene.bodies[0].position) + simulation.time() * scene.bodies[0].velocity;
    const double speed = glm::length(scene.bodies[0].velocity), h = scene.dt / scene.solver.substeps;
    if (apart(vec3(ball), vec3(lists.grains[i].position)) < 0.02 + radius - 2.0 * speed * h)
      bodies_missed += !lists.rows[i].contains(body_partner);
  }
  CHECK(wrong == 0);
  CHECK(far == 0);
  CHECK(bodies_missed == 0);
}

void check_rain(const Options& options, int steps, std::uint64_t incremental_rebuilds) {
  Simulation simulation(rain(), options);
  std::size_t pairs = 0;
  for (int k = 0; k < steps; ++k) {
    simulation.advance(2);
    check_lists(simulation, pairs);
  }
  CHECK(pairs > 1000);
  CHECK(simulation.incremental_rebuilds() > incremental_rebuilds);
  CHECK(simulation.incremental_rebuilds() > 2 * simulation.rebuilds());
}

// A state of the scene in which the bed has come to rest, saved.
class Settled {
public:
  explicit Settled(const Scene& scene) {
    Simulation simulation(scene, on_cpu);
    simulation.advance(96);
    incremental_rebuilds_ = simulation.incremental_rebuilds();
    simulation.save(file());
  }

  std::filesystem::path file() const { return scratch_ / "settled.talus"; }
  // Goes on from there, with or without incremental rebuilds.
  Simulation resumed(const Scene& scene, bool incremental_rebuild) const {
    Simulation simulation(scene, on_cpu);
    simulation.resume(file());
    Scene changed = scene;
    changed.solver.incremental_rebuild = incremental_rebuild;
    simulation.change(changed);
    return simulation;
  }
  std::uint64_t incremental_rebuilds() const { return incremental_rebuilds_; }

private:
  Scratch scratch_;
  std::uint64_t incremental_rebuilds_ = 0;
};

// m, between the places of a grain in two runs, at most.
float furthest_apart(Simulation& a, Simulation& b) {
  const auto p = a.grains(), q = b.grains();
  REQUIRE(p.size() == q.size());
  float most = 0.0f;
  for (std::size_t i = 0; i < p.size(); ++i)
    most = std::max(most, glm::length(p[i].position - q[i].position));
  return most;
}

// How many lists are rebuilt incrementally in a few steps is chance: goes on until enough were, at least `least` and at
// most three times as many steps. The number of steps.
int advance_until_incremental(Simulation& simulation, std::uint64_t incremental_rebuilds, int least) {
  int steps = 0;
  while (steps < least || (simulation.incremental_rebuilds() <= incremental_rebuilds && steps < 3 * least)) {
    simulation.advance(1);
    ++steps;
  }
  return steps;
}

// Goes on until slices of a workgroup have dealt out their rows anew, since one had too few, without all lists having
// been built. The number of steps; at most as many.
int advance_until_refit(Simulation& simulation, int most) {
  Executor& e = simulation.executor();
  const auto starts = [&] { return read_field<uint>(e, FieldId::slice_start, e.size(FieldId::slice_start)); };
  for (int steps = 1; steps <= most; ++steps) {
    const auto before = starts();
    const std::uint64_t rebuilds = simulation.rebuilds();
    simulation.advance(1);
    if (simulation.rebuilds() == rebuilds && starts() != before)
      return steps;
  }
  FAIL("no rows were dealt out anew in " << most << " steps");
  return most;
}

// Goes on from there in lockstep.
void check_passes(const Scene& scene, const Options& options, int steps) {
  const Settled settled(scene);
  Simulation simulation(scene, options);
  simulation.resume(settled.file());
  REQUIRE_NOTHROW(advance_until_incremental(simulation, settled.incremental_rebuilds() + 5, steps));
  CHECK(simulation.incremental_rebuilds() > settled.incremental_rebuilds() + 5);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

}  // namespace

TEST_CASE("Mended lists are those of brute force on the CPU path", "[neighbours][mending]") {
  check_rain(on_cpu, 60, 60);
}

TEST_CASE("Mended lists are those of brute force on the device", "[device][neighbours][mending]") {
  check_rain(on_device(), 40, 40);
}

TEST_CASE("Passes that mend lists agree with their references", "[device][lockstep][mending]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  check_passes(rain(variant.solver), in_lockstep(), 6);
}

TEST_CASE("Passes that mend lists agree with their references beside a dynamic body", "[device][lockstep][mending]") {
  Scene scene = rain();
  scene.bodies[1].density = 800.0;
  scene.bodies[1].position.z = 0.1;
  check_passes(scene, in_lockstep(), 6);
}

TEST_CASE("Vectorised passes that mend lists agree with their references", "[lockstep][mending]") {
  const int lanes = each_lanes();
  CAPTURE(lanes);
  const Variant variant = each_method();
  CAPTURE(variant.name);
  check_passes(rain(variant.solver), {.device = "cpu", .verify = true, .lanes = lanes}, 24);
}

TEST_CASE("Contacts remember while lists are mended", "[neighbours][mending]") {
  // Other rows hold the same contacts, in another order: runs differ by rounding only, which is not to grow.
  const Variant variant = each_method();
  CAPTURE(variant.name);
  Scene scene = rain(variant.solver);
  scene.solver.sleep_speed = 0.0;  // rounding may take a grain across this threshold
  const Settled settled(scene);
  Simulation mended = settled.resumed(scene, true), built = settled.resumed(scene, false);
  built.advance(static_cast<std::uint64_t>(advance_until_incremental(mended, settled.incremental_rebuilds() + 3, 4)));
  CHECK(mended.incremental_rebuilds() > settled.incremental_rebuilds() + 3);
  CHECK(built.incremental_rebuilds() == settled.incremental_rebuilds());
  CHECK(furthest_apart(mended, built) < 1e-3f * 0.006f);
}

TEST_CASE("Slices whose rows are too few get some of their neighbours'", "[neighbours][mending]") {
  const Scene scene = hail();
  const Settled settled(scene);
  Simulation refit = settled.resumed(scene, true), built = settled.resumed(scene, false);
  built.advance(static_cast<std::uint64_t>(advance_until_refit(refit, 60)));
  CHECK(furthest_apart(refit, built) < 1e-3f * 0.006f);
  std::size_t pairs = 0;
  for (int k = 0; k < 6; ++k) {
    advance_until_refit(refit, 60);
    check_lists(refit, pairs);
  }
  CHECK(pairs > 1000);
}

TEST_CASE("Slices get rows of their neighbours in lockstep", "[device][lockstep][mending]") {
  const Scene scene = hail();
  const Settled settled(scene);
  Simulation simulation(scene, in_validated_lockstep());
  simulation.resume(settled.file());
  REQUIRE_NOTHROW(advance_until_refit(simulation, 20));
  REQUIRE_NOTHROW(simulation.advance(2));
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

TEST_CASE("A run whose lists are mended goes on from a saved state bit for bit", "[mending][io]") {
  const Scene scene = rain();
  const Settled settled(scene);
  Simulation whole(scene, on_cpu), rest(scene, on_cpu);
  whole.advance(120);
  rest.resume(settled.file());
  rest.advance(24);
  CHECK(settled.incremental_rebuilds() > 10);
  CHECK(rest.incremental_rebuilds() == whole.incremental_rebuilds());
  CHECK(rest.state_hash() == whole.state_hash());
}

TEST_CASE("A saved state knows of the bodies that stand among grains whose lists are mended", "[mending][io]") {
  Scene scene = with(scene_of(1.0 / 200, 8, 1), default_solver(Method::dem));
  scene.domain.min = {-0.1, -0.1, 0.0};
  scene.domain.max = {0.1, 0.1, 0.6};
  GrainGroup fall;
  fall.radius_min = fall.radius_max = 0.006;
  fall.count = 600;
  fall.velocity_random = 0.3;
  fall.shape = BoxFill{{-0.1, -0.1, 0.1}, {0.1, 0.1, 0.5}};
  scene.grains = {fall};
  scene.bodies = {body_of("ball", {{SpherePart{0.03}}}, {0.0, 0.0, 0.05})};
  Simulation whole(scene, on_cpu), resumed(scene, on_cpu);
  whole.advance(60);
  for (int k = 0; k < 20; ++k) {
    CAPTURE(k);
    resumed.resume(whole.checkpoint());
    whole.advance(5);
    resumed.advance(5);
    CHECK(resumed.state_hash() == whole.state_hash());
  }
}

TEST_CASE("Contacts of dynamic bodies are counted while lists are mended", "[rigid][mending]") {
  Scene scene = rain();
  scene.bodies[1].density = 800.0;
  scene.bodies[1].position.z = 0.1;
  Simulation simulation(scene, on_cpu);
  for (int k = 0; k < 40; ++k) {
    simulation.advance(4);
    const Lists lists = lists_of(simulation);
    uint counted = 0;
    for (const auto& row : lists.rows)
      counted += static_cast<uint>(row.count(body_partner + 1));
    CHECK(read_field<uint>(simulation.executor(), FieldId::body_contacts, 2)[1] == counted);
  }
  CHECK(simulation.incremental_rebuilds() > 50);
  // Fewer than the lists have, in a checkpoint that was changed, would fall below none.
  Checkpoint fewer = simulation.checkpoint();
  auto& bytes = fewer.fields.at("body_contacts");
  uint count = 0;
  std::memcpy(&count, bytes.data() + sizeof count, sizeof count);
  REQUIRE(count > 0);
  --count;
  std::memcpy(bytes.data() + sizeof count, &count, sizeof count);
  REQUIRE_THROWS_WITH(simulation.resume(fewer), "field body_contacts counts fewer than the lists have");
}

TEST_CASE("Lists of grains that all move are built, not mended", "[neighbours][mending]") {
  Simulation simulation(with(box_of(500), default_solver(Method::dem)), on_cpu);
  simulation.advance(24);  // falling
  CHECK(simulation.rebuilds() > 2 * simulation.incremental_rebuilds());
}
