// Ground that becomes grains where it is dug, and takes them in where they rest.
#include "engine/scene/ground.h"
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "engine/simulation/soil_tile.h"
#include "engine/soil/exchange.h"
#include "tests/scratch.h"
#include "tests/simulate.h"
#include <cstring>
#include <numeric>

using namespace talus_tests;

namespace {

// A channel, periodic along y, of 2,000 grains of ground; a blade goes through the upper third of it.
talus::Scene blade_in_ground(double margin = 8.0) {
  return talus::parse_scene(fmt::format(R"(
[time]
dt = 0.002
[domain]
min = [0.0, 0.0, 0.0]
max = [0.4, 0.075, 0.2]
y = "periodic"
[[material]]
name = "sand"
friction = 0.3
[soil]
material = "sand"
radius = [0.0045, 0.0055]
height = 0.06
margin = {}
[[body]]
name = "blade"
box = {{ size = [0.01, 0.075, 0.08] }}
position = [0.12, 0.0375, 0.08]
velocity = [0.2, 0.0, 0.0]
)",
                                        margin),
                            "ground.toml");
}

std::uint64_t mass_of_columns(const std::vector<talus::shared::SoilColumn>& columns) {
  return std::accumulate(columns.begin(), columns.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& column) { return sum + column.mass; });
}

// The deepest overlap of any two balls (xyz: centre, w: radius) across periodic ends of x and y, in radii of the
// smaller ball.
double deepest_overlap(const std::vector<glm::dvec4>& balls, const glm::dvec2& period) {
  double deepest = 0.0;
  for (std::size_t i = 0; i < balls.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      glm::dvec3 apart(balls[i] - balls[k]);
      for (int a = 0; a < 2; ++a)
        apart[a] -= period[a] * std::round(apart[a] / period[a]);
      deepest = std::max(deepest, (balls[i].w + balls[k].w - glm::length(apart)) / std::min(balls[i].w, balls[k].w));
    }
  return deepest;
}

}  // namespace

TEST_CASE("The mass of ground and grains stays the same to the quantum while a blade digs", "[soil]") {
  talus::Simulation simulation(blade_in_ground(), on_cpu);
  const auto before = simulation.soil();
  REQUIRE(before);
  REQUIRE(before->live_grains == 0);
  // The ground has a volume of 0.4 x 0.075 x 0.06 m3 = 1.8 l, and its packing fraction lies between that of random
  // loose packing, 0.55, and that of random close packing, 0.64.
  REQUIRE(before->mass > 0.55 * 1600.0 * 1.8e-3);
  REQUIRE(before->mass < 0.64 * 1600.0 * 1.8e-3);
  std::uint32_t most = 0;
  for (int k = 0; k < 20; ++k) {
    simulation.advance(20);
    const auto soil = simulation.soil();
    INFO("after " << simulation.time() << " s");
    REQUIRE(soil->quanta == before->quanta);
    REQUIRE(soil->live_grains + soil->rough_grains == simulation.grain_count());
    // The heights are those of the same mass: the mean is the ground's, whatever lies where.
    const talus::SoilHeights map = simulation.soil_heights();
    REQUIRE(map.heights.size() == std::size_t{map.columns.x} * map.columns.y);
    REQUIRE(std::accumulate(map.heights.begin(), map.heights.end(), 0.0) / map.heights.size() ==
            Approx(0.06).epsilon(0.02));
    most = std::max(most, soil->live_grains);
  }
  REQUIRE(most > 500);
  // A grain that falls by its own diameter is as fast as this; what the seam throws would be faster.
  for (const talus::GrainState& grain : simulation.grains())
    REQUIRE(glm::length(grain.velocity) < 0.2 + 2.0 * std::sqrt(g * 0.005));
}

TEST_CASE("Grains come out of level ground at rest, with their springs", "[soil]") {
  talus::Scene scene = blade_in_ground();
  scene.bodies[0].position.z = 0.109;  // .. hardly moves, a radius and more above the surface
  scene.bodies[0].velocity = {0.001, 0.0, 0.0};
  talus::Simulation simulation(scene, on_cpu);
  simulation.advance(25);
  const auto soil = simulation.soil();
  REQUIRE(soil->live_grains > 200);
  const double grain = soil->mass / static_cast<double>(soil->quanta) * 256.0, radius = 0.005, g = 9.81;
  // 1.9e-5 without the springs, and 2.4e-3 where the tile bore two radii more than the ground; that of a fall by a
  // radius is 1.
  REQUIRE(simulation.measure().kinetic_energy < 5e-6 * soil->live_grains * grain * g * radius);
  simulation.advance(175);  // 18 sqrt(r / g)
  REQUIRE(simulation.awake() == 0u);
}

TEST_CASE("No grain goes through the rough surface into the ground", "[soil]") {
  talus::Simulation simulation(blade_in_ground(3.0), on_cpu);
  simulation.advance(100);
  // The zone reaches 3 radii below the blade's edge at 0.04 m, and its surface is 3.5 radii thick.
  const double deepest = 0.04 - 3.0 * 0.005 - 3.5 * 0.005;
  REQUIRE(simulation.soil()->live_grains > 200);
  for (const talus::GrainState& grain : simulation.grains())
    if (grain.velocity != glm::vec3(0.0f))
      REQUIRE(grain.position.z > deepest);
}

TEST_CASE("A body that stands still leaves the ground alone", "[soil]") {
  talus::Scene scene = blade_in_ground();
  scene.bodies[0].velocity = glm::dvec3(0.0);
  talus::Simulation simulation(scene, on_cpu);
  simulation.advance(50);
  REQUIRE(simulation.grain_count() == 0);
  REQUIRE(simulation.rebuilds() <= 1);

  SECTION("until somebody moves it") {
    simulation.drive_body(0, {{0.2, 0.0, 0.0}, {}}, {});
    simulation.advance(10);
    REQUIRE(simulation.soil()->live_grains > 200);
  }
}

TEST_CASE("Ground goes on from a checkpoint, and from a fork, to the same bits", "[soil]") {
  talus::Scene scene = blade_in_ground();
  talus::Simulation whole(scene, on_cpu);
  whole.advance(60);
  Scratch scratch;
  whole.save(scratch / "state.talus");
  whole.advance(60);

  talus::Simulation resumed(scene, on_cpu);
  resumed.resume(scratch / "state.talus");
  resumed.advance(60);
  REQUIRE(resumed.state_hash() == whole.state_hash());

  scene.worlds = 2;
  talus::Simulation two(scene, on_cpu);
  two.advance(60);
  two.fork_world(0, std::vector<std::uint32_t>{1});
  two.advance(60);
  REQUIRE(two.state_hash(1) == two.state_hash(0));
  REQUIRE(two.soil()->quanta == 2 * whole.soil()->quanta);
}

TEST_CASE("A checkpoint that names ground that is not there is refused", "[soil]") {
  using namespace talus::shared;
  talus::Simulation simulation(blade_in_ground(), on_cpu);
  simulation.advance(50);
  const std::uint64_t before = simulation.state_hash();
  const auto said = [&](talus::FieldId id, std::size_t offset, std::uint32_t value) -> std::string {
    talus::Checkpoint bad = simulation.checkpoint();
    std::memcpy(bad.fields.at(std::string(talus::info(id).name)).data() + offset, &value, sizeof value);
    try {
      simulation.resume(bad);
    } catch (const talus::CheckpointError& error) {
      return error.what();
    }
    return "nothing";
  };
  for (const std::size_t member : {offsetof(SoilOrigin, column), offsetof(SoilOrigin, tile)})
    CHECK(said(talus::FieldId::soil_origin, sizeof(SoilOrigin) + member, 100'000) ==
          "field soil_origin names a column, or a grain of the tile, that is not there");
  CHECK(said(talus::FieldId::soil_columns, offsetof(SoilColumn, mass), ~0u) ==
        "field soil_columns has more mass than one can have");
  CHECK(simulation.state_hash() == before);
}

TEST_CASE("Places for grains of the ground grow on the way", "[soil]") {
  talus::Scene scene = blade_in_ground(1e6);  // all of it at once
  scene.soil->height = 0.14;
  scene.domain.max.z = 0.3;
  scene.bodies[0].position.z = 0.15;
  talus::Simulation simulation(scene, on_cpu);
  const auto quanta = simulation.soil()->quanta;
  simulation.advance(2);
  REQUIRE(simulation.grain_count() > 4096);
  REQUIRE(simulation.soil()->quanta == quanta);
}

TEST_CASE("Grains that come out where a heap is higher than the tile do not overlap", "[soil]") {
  const talus::Scene scene = talus::Simulation(blade_in_ground(), on_cpu).scene();  // with its substeps
  const talus::SoilStacks stacks(scene, talus::settled_tile(scene));
  talus::SoilRules rules;
  rules.margin = 0.08;
  rules.slope = 10.0;
  rules.overlap = 0.03;
  rules.density = 1600.0;
  rules.radius_min = 0.0045;
  rules.radius_max = 0.0055;
  rules.places = 4096;
  talus::SoilState state;
  state.columns = stacks.at_start();
  for (auto& column : state.columns)
    column = {column.mass / 2 * 3, 1u};
  const std::uint64_t mass = mass_of_columns(state.columns);
  state.grains.resize(rules.places);
  for (auto* field : {&state.ids, &state.tags, &state.rows, &state.counts})
    field->resize(rules.places);
  std::ranges::fill(state.ids, rules.places);
  state.rest.resize(rules.places);
  state.origins.resize(rules.places);
  talus::SoilTool tool{.low = {0.15, 0.0}, .high = {0.16, 0.075}, .edge = 0.08, .moves = true};
  tool.edges = {{{{0.15, 0.0, 0.08}, {0.16, 0.075, 0.08}}}};
  const talus::SoilExchange done = talus::exchange(stacks, rules, std::span(&tool, 1), state);
  REQUIRE(done.made > 500);
  REQUIRE(done.missing == 0);
  // Grains of one tile overlap as at rest. Where one tile lies on another some would by two radii.
  const glm::dvec2 tile = stacks.grid().edge() * glm::dvec2(stacks.tile().columns);
  std::vector<glm::dvec4> at_rest, out;
  for (const auto& grain : stacks.tile().grains)
    at_rest.emplace_back(grain.place, grain.radius);
  std::uint64_t loose = 0;
  for (const auto& grain : state.grains) {
    if (grain.position.w == 0.0f)
      continue;
    out.emplace_back(grain.position);
    loose += grain.velocity.w > 0.0f ? talus::quanta_of(grain.position.w, stacks.mean_radius()) : 0;
  }
  const double most = std::max(deepest_overlap(at_rest, tile), rules.overlap);
  REQUIRE(most < 0.1);
  REQUIRE(deepest_overlap(out, {1e3, 0.075}) < most + 1e-3);  // rounding of float32
  REQUIRE(mass_of_columns(state.columns) + loose == mass);
}

TEST_CASE("Disturbed ground slides to its angle of repose, and keeps its mass", "[soil]") {
  talus::Scene scene = blade_in_ground();
  scene.domain.max.y = 0.4;
  scene.soil->max.y = 0.4;
  scene = talus::Simulation(scene, on_cpu).scene();  // with its substeps
  const talus::SoilStacks stacks(scene, talus::settled_tile(scene));
  auto columns = stacks.at_start();
  const std::uint64_t mass = mass_of_columns(columns);
  const std::uint32_t middle = stacks.grid().column(stacks.grid().count() / 2u);
  // A tower of a hundredth of all mass beside a pit, as no tool would leave it.
  columns[middle].mass += static_cast<talus::shared::uint>(mass / 100);
  columns[middle].disturbed = 1;
  columns[middle + 1].mass = 0;
  const std::uint64_t all = mass_of_columns(columns);
  const std::vector<bool> may(columns.size(), true);
  const double slope = std::tan(glm::radians(30.0));
  int looks = 0;
  while (talus::relax(stacks, columns, may, slope, 8))
    REQUIRE(++looks < 1000);
  REQUIRE(mass_of_columns(columns) == all);
  for (std::uint32_t c = 0; c < columns.size(); ++c)
    for (const glm::ivec2 way : {glm::ivec2(1, 0), glm::ivec2(0, 1)})
      if (const auto other = stacks.grid().beside(c, way);
          other && (columns[c].disturbed | columns[*other].disturbed)) {
        const double rise = stacks.of(c).height(columns[c].mass) - stacks.of(*other).height(columns[*other].mass);
        // A quantum is as high as this where it lies in one column.
        REQUIRE(std::abs(rise) <= slope * stacks.grid().edge().x + 2.0 / stacks.of(c).per_meter() + 1e-12);
      }
}

TEST_CASE("Berms and trenches shape the ground before it is dug", "[soil]") {
  talus::Scene scene = blade_in_ground();
  scene.soil->parts = {{.shape = talus::BoxPart{{0.1, 0.4, 0.04}}, .position = {0.05, 0.0375, 0.06}},
                       {.shape = talus::BoxPart{{0.1, 0.4, 0.04}}, .position = {0.35, 0.0375, 0.06}, .subtract = true}};
  const talus::Ground ground(*scene.soil, 0.0);
  REQUIRE(ground.top() == Approx(0.08));
  REQUIRE(ground.height(0.05, 0.03) == Approx(0.08).margin(1e-4));
  REQUIRE(ground.height(0.2, 0.03) == Approx(0.06).margin(1e-4));
  REQUIRE(ground.height(0.35, 0.03) == Approx(0.04).margin(1e-4));
}

TEST_CASE("Ground is the same on a device", "[device][lockstep][soil]") {
  talus::Simulation simulation(blade_in_ground(), in_lockstep());
  simulation.advance(12);
  REQUIRE(simulation.soil()->live_grains > 200);
}

TEST_CASE("A scene says what is wrong with its ground", "[soil][scene]") {
  const auto refused = [](const std::string& changes) -> std::string {
    std::vector<std::string> sets{changes};
    try {
      talus::parse_scene(talus::to_toml(blade_in_ground()), "ground.toml", sets);
    } catch (const talus::SceneError& e) {
      return e.what();
    }
    return "";
  };
  REQUIRE_THAT(refused("soil.height=3.0"), Catch::Contains("soil.height"));
  REQUIRE_THAT(refused("soil.max=[2.0,0.075]"), Catch::Contains("soil.max"));
  REQUIRE_THAT(refused("soil.cell=0.01"), Catch::Contains("soil.cell"));
  REQUIRE_THAT(refused("domain.gravity=[1.0,0.0,-9.81]"), Catch::Contains("gravity along -z"));
  REQUIRE_THAT(refused("solver.sleep=false"), Catch::Contains("sleep = true"));
  REQUIRE_THAT(refused("solver={method=\"vts\"}"), Catch::Contains("dem"));
}
