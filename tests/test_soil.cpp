// Ground that becomes grains where it is dug, and takes them in where they rest.
#include "engine/scene/ground.h"
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "engine/simulation/soil_tile.h"
#include "engine/soil/exchange.h"
#include "tests/scratch.h"
#include "tests/simulate.h"
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>

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

// Quanta of undisturbed soil that would fill as much as the soil of all columns.
double volume_of_columns(const std::vector<talus::shared::SoilColumn>& columns) {
  return std::accumulate(columns.begin(), columns.end(), 0.0,
                         [](double sum, const auto& column) { return sum + talus::volume_of(column); });
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

// m, the mean height of the upper envelope of all grains, those that the columns have too, by the place along x: a
// value for each of `bands` of the domain, which is periodic along y.
std::vector<double> surface_along_x(talus::Simulation& simulation, std::size_t bands) {
  constexpr std::size_t samples = 5, across = 30;  // of a band along x, and along y
  const talus::Domain& domain = simulation.scene().domain;
  const glm::dvec2 size(domain.max - domain.min), step = size / glm::dvec2(bands * samples, across);
  std::vector<double> tops(bands * samples * across, 0.0);
  const auto add = [&](const glm::dvec3& place, double radius) {
    for (int image = -1; image <= 1; ++image) {
      const glm::dvec2 at(place.x - domain.min.x, place.y - domain.min.y + image * size.y);
      const glm::dvec2 last = glm::dvec2(bands * samples, across) - 1.0;
      const glm::dvec2 low = glm::clamp(glm::floor((at - radius) / step), glm::dvec2(0.0), last),
                       high = glm::clamp(glm::floor((at + radius) / step), glm::dvec2(0.0), last);
      for (auto y = static_cast<std::size_t>(low.y); y <= static_cast<std::size_t>(high.y); ++y)
        for (auto x = static_cast<std::size_t>(low.x); x <= static_cast<std::size_t>(high.x); ++x) {
          const glm::dvec2 off = (glm::dvec2(x, y) + 0.5) * step - at;
          const double square = radius * radius - glm::dot(off, off);
          double& top = tops[y * bands * samples + x];
          if (square > 0.0)
            top = std::max(top, place.z - domain.min.z + std::sqrt(square));
        }
    }
  };
  for (const auto& grains : {simulation.soil_surface(), simulation.grains()})
    for (const talus::GrainState& grain : grains)
      add(grain.position, grain.radius);
  std::vector<double> means(bands, 0.0);
  for (std::size_t k = 0; k < tops.size(); ++k)
    means[k % (bands * samples) / samples] += tops[k] / (samples * across);
  return means;
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

// The kinetic energy of a grain that has come out of level ground, in units of m g r, that of a fall by its radius.
double energy_of_level_ground(float radius_max) {
  talus::Scene scene = blade_in_ground();
  scene.soil->radius_max = radius_max;
  scene.bodies[0].position.z = 0.109;  // .. hardly moves, a radius and more above the surface
  scene.bodies[0].velocity = {0.001, 0.0, 0.0};
  talus::Simulation simulation(scene, on_cpu);
  simulation.advance(25);
  const auto soil = simulation.soil();
  REQUIRE(soil->live_grains > 200);
  const double grain = soil->mass / static_cast<double>(soil->quanta) * 256.0, radius = 0.005, g = 9.81;
  const double energy = simulation.measure().kinetic_energy / (soil->live_grains * grain * g * radius);
  simulation.advance(175);  // 18 sqrt(r / g)
  CHECK(simulation.awake() == 0u);
  return energy;
}

// Eight soils whose radii differ by 20 um have 5e-7 to 2.8e-6. Without the springs it is 2e-5 or more, 2.4e-3 where the
// tile bore two radii more than the ground, and 2e-5 to 5e-4 in seven of eleven where pairs that bear most, and overlap
// most, had only one of the two beside each other.
TEST_CASE("Grains come out of level ground at rest, with their springs", "[soil]") {
  std::array energies{energy_of_level_ground(0.0055f), energy_of_level_ground(0.00554f),
                      energy_of_level_ground(0.00558f), energy_of_level_ground(0.0056f)};
  std::ranges::sort(energies);
  CAPTURE(energies);
  CHECK(energies.back() < 5e-6);
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

TEST_CASE("The ground takes in grains below a body that is far above them, and none that lie on it", "[soil]") {
  // The lower face of the plate is so many radii above level ground; it moves by 0.2 mm.
  const double above = GENERATE(3.0, 17.0), z = 0.06 + above * 0.005;
  std::string text = talus::to_toml(blade_in_ground()) + fmt::format(R"(
[[body]]
name = "plate"
box = {{ min = [0.01, 0.0, {}], max = [0.39, 0.075, {}] }}
velocity = [0.0002, 0.0, 0.0]
[[grains]]
material = "sand"
radius = 0.005
fill.points = [)",
                                                                     z, z + 0.01);
  for (int k = 0; k < 9; ++k)
    text += fmt::format("[{}, 0.0375, {}], ", 0.3 + 0.01 * k, z + 0.015);
  talus::Simulation simulation(talus::parse_scene(text + "]\n", "plate.toml"), on_cpu);
  simulation.advance(60);
  const std::uint32_t dug = simulation.soil()->live_grains;
  REQUIRE(dug > 300);
  simulation.drive_body(0, {{0.0, 0.0, 2.0}, {}}, {});  // the blade leaves through the plate
  simulation.advance(1200);
  const auto soil = simulation.soil();
  REQUIRE(simulation.grain_count() - soil->live_grains - soil->rough_grains == 9);
  if (above < 4.0)
    REQUIRE(soil->live_grains > dug / 2);
  else
    REQUIRE(soil->live_grains < dug / 2);
}

// sqrt(g r), the speed of the fastest grain that was at rest 5 steps before, while columns take grains in behind a
// blade that has left. shift: m, of the blade at the start.
double fastest_from_rest_while_taken_in(double shift) {
  talus::Scene scene = blade_in_ground();
  scene.materials[0].rolling_friction = 0.1;
  scene.bodies[0].position.x += shift;
  talus::Simulation simulation(scene, on_cpu);
  simulation.advance(200);
  simulation.drive_body(0, {{0.0, 0.0, 2.0}, {}}, {});
  simulation.advance(250);  // some 22 sqrt(r / g), in which what fell from the blade has come to rest
  const std::uint32_t before = simulation.soil()->live_grains;
  REQUIRE(before > 1000);
  double fastest = 0.0;
  std::map<std::uint32_t, double> last;  // sqrt(g r), speeds by the number of the grain
  for (int k = 0; k < 120 && simulation.soil()->live_grains > 0; ++k) {
    simulation.advance(5);
    const bool some_taken_in = simulation.soil()->live_grains < before;
    std::map<std::uint32_t, double> now;
    for (const talus::GrainState& grain : simulation.grains())
      now[grain.id] = static_cast<double>(glm::length(grain.velocity)) / std::sqrt(g * 0.005);
    for (const auto& [id, speed] : now)
      if (const auto was = last.find(id); some_taken_in && was != last.end() && was->second < 0.05)
        fastest = std::max(fastest, speed);
    last = std::move(now);
  }
  CHECK(simulation.soil()->live_grains == 0);
  return fastest;
}

// A grain that tumbles over the ground sets others moving: of 44 starts, the fastest that was at rest reaches 0.04 to
// 0.85, with a median of 0.19. Where columns had the grains of the tile in their place, so that neighbours lost what
// they rested on, it was 0.8 to 1.1 in the three below.
TEST_CASE("What the ground takes in leaves its neighbours at rest", "[soil]") {
  std::array fastest{fastest_from_rest_while_taken_in(0.0), fastest_from_rest_while_taken_in(1e-5),
                     fastest_from_rest_while_taken_in(2e-5)};
  std::ranges::sort(fastest);
  CAPTURE(fastest);
  CHECK(fastest[0] < 0.3);
  CHECK(fastest[1] < 0.6);
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

// The new simulation has room for six contacts with a history at first.
TEST_CASE("Ground that goes on from a checkpoint renews its lists when it would have done so", "[soil][mending]") {
  const talus::Scene scene = blade_in_ground();
  talus::Simulation whole(scene, on_cpu);
  whole.advance(40);
  for (int k = 0; k < 12; ++k) {
    CAPTURE(k);
    talus::Simulation resumed(scene, {.device = "cpu", .contact_slots = 16});
    resumed.resume(whole.checkpoint());
    whole.advance(3);
    resumed.advance(3);
    CHECK(resumed.rebuilds() == whole.rebuilds());
    CHECK(resumed.incremental_rebuilds() == whole.incremental_rebuilds());
    CHECK(resumed.state_hash() == whole.state_hash());
  }
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
  rules.overlap = 0.03;
  rules.materials = {{1600.0, 0.0f, 10.0}};
  rules.radius_min = 0.0045;
  rules.radius_max = 0.0055;
  rules.places = 4096;
  talus::SoilState state;
  state.columns = stacks.at_start();
  for (auto& column : state.columns)
    column = {column.mass / 2 * 3, 1u, 0u, 1.0f, {}};
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
  const float swell = GENERATE(1.0f, 1.2f);  // of the upper half of the tower
  columns[middle].loose = columns[middle].mass / 2;
  columns[middle].swell = swell;
  const std::uint64_t all = mass_of_columns(columns);
  const double volume = volume_of_columns(columns);
  const std::vector<bool> may(columns.size(), true);
  const double slope = std::tan(glm::radians(30.0));
  int looks = 0;
  while (talus::relax(stacks, columns, may, std::array{slope}, 8))
    REQUIRE(++looks < 1000);
  REQUIRE(mass_of_columns(columns) == all);
  REQUIRE(volume_of_columns(columns) == Approx(volume).epsilon(1e-7));
  for (std::uint32_t c = 0; c < columns.size(); ++c)
    for (const glm::ivec2 way : {glm::ivec2(1, 0), glm::ivec2(0, 1)})
      if (const auto other = stacks.grid().beside(c, way);
          other && (columns[c].disturbed | columns[*other].disturbed)) {
        const double rise = stacks.of(c).height(columns[c]) - stacks.of(*other).height(columns[*other]);
        // A quantum is as high as this where it lies in one column.
        REQUIRE(std::abs(rise) <= slope * stacks.grid().edge().x + 2.0 / stacks.of(c).per_meter() + 1e-12);
      }
}

namespace {

// Stacks of the channel, made once.
const talus::SoilStacks& channel() {
  static const talus::Scene scene = talus::Simulation(blade_in_ground(), on_cpu).scene();  // with its substeps
  static const talus::SoilStacks stacks(scene, talus::settled_tile(scene));
  return stacks;
}

// The grains of which a column consists, their heights times `stretch`. Stretched ones have no number in the tile.
std::vector<talus::RestingGrain> grains_of(const talus::SoilStacks& stacks, std::uint32_t column,
                                           const talus::shared::SoilColumn& soil, double stretch) {
  const talus::Stack& stack = stacks.of(column);
  const talus::Filling filling(stack, soil);
  const glm::dvec2 corner = stacks.grid().corner(column);
  std::vector<talus::RestingGrain> grains;
  for (std::uint32_t k = 0; k < filling.end(); ++k)
    if (const auto grain = stack.grain(k); filling.has(k))
      grains.push_back({glm::vec3(corner + glm::dvec2(grain.place), stretch * grain.place.z), grain.radius,
                        stretch == 1.0 ? grain.tile + 1 : 0, *stacks.material(column, soil, k, 0)});
  return grains;
}

std::uint64_t quanta_of_all(const std::vector<talus::RestingGrain>& grains, double mean_radius) {
  std::uint64_t sum = 0;
  for (const auto& grain : grains)
    sum += talus::quanta_of(grain.radius, mean_radius);
  return sum;
}

}  // namespace

TEST_CASE("Loosened soil is as many grains of the stack as its mass, in more of it", "[soil]") {
  const talus::SoilStacks& stacks = channel();
  const auto swell = static_cast<float>(GENERATE(0.9, 1.0, 1.03, 1.1, 1.3, 2.0));
  const std::uint32_t column = 7;
  const talus::Stack& stack = stacks.of(column);
  talus::shared::SoilColumn soil = stacks.at_start()[column];
  const std::uint32_t firm = soil.mass / 2;
  soil = {firm, 1u, 0u, 1.0f, {}};
  talus::add_loose(soil, talus::only(0, firm), static_cast<double>(swell));
  REQUIRE(soil.mass == 2 * firm);
  REQUIRE(stack.height(soil) == Approx(stacks.height() / 2.0 * (1.0 + static_cast<double>(swell))).epsilon(1e-3));
  const auto mass = [&](const talus::shared::SoilColumn& of) {
    return static_cast<double>(quanta_of_all(grains_of(stacks, column, of, 1.5), stacks.mean_radius()));
  };
  // One or two grains of some 60, and the parts of a grain that are left over of the firm and of the loosened soil.
  REQUIRE(std::abs(mass(soil) - soil.mass) < 3.5 * talus::quanta_of_mean);

  // When the upper half of it is dug, the rest has the same grains as before.
  talus::shared::SoilColumn dug = soil;
  talus::take_loose(dug, talus::only(0, firm / 2));
  REQUIRE(dug.loose == firm - firm / 2);
  REQUIRE(dug.swell == soil.swell);
  const talus::Filling all(stack, soil), left(stack, dug);
  REQUIRE(left.firm() == all.firm());
  REQUIRE(left.end() < all.end());
  for (std::uint32_t k = 0; k < left.end(); ++k)
    REQUIRE(left.has(k) == all.has(k));
  talus::take_loose(dug, talus::only(0, dug.loose));
  REQUIRE(dug.swell == 1.0f);
  REQUIRE(talus::volume_of(dug) == firm);
}

TEST_CASE("Two lots of loosened soil on a column fill what they filled apart", "[soil]") {
  talus::shared::SoilColumn soil{1000u, 0u, 0u, 1.0f, {}};
  talus::add_loose(soil, talus::only(0, 0), 1.2);
  REQUIRE(soil.disturbed == 0);
  talus::add_loose(soil, talus::only(0, 600), 1.2);
  talus::add_loose(soil, talus::only(1, 400), 1.05);
  REQUIRE(talus::mixture_of(soil) == talus::Mixture{1600, 400, 0, 0});
  REQUIRE(soil.mass == 2000);
  REQUIRE(soil.loose == 1000);
  REQUIRE(soil.disturbed == 1);
  REQUIRE(talus::volume_of(soil) == Approx(1000.0 + 600.0 * 1.2 + 400.0 * 1.05).epsilon(1e-6));
}

TEST_CASE("A column takes in undisturbed grains as what they were, and others with the volume that they fill",
          "[soil]") {
  const talus::SoilStacks& stacks = channel();
  const std::uint32_t column = 20;
  const talus::shared::SoilColumn soil = stacks.at_start()[column], none{0u, 1u, 0u, 1.0f, {}};
  const auto taken_in = [&](const std::vector<talus::RestingGrain>& grains, double most) {
    return talus::with_grains(stacks, 0.0, most, column, none, grains);
  };
  const auto in_place = grains_of(stacks, column, soil, 1.0);
  const auto again = taken_in(in_place, 1.3);
  REQUIRE(again.mass == quanta_of_all(in_place, stacks.mean_radius()));
  REQUIRE(again.loose == 0);
  REQUIRE(again.swell == 1.0f);
  REQUIRE(again.disturbed == 1);

  for (const double stretch : {1.04, 1.15}) {
    const auto moved = grains_of(stacks, column, soil, stretch);
    const auto loosened = taken_in(moved, 1.3);
    REQUIRE(loosened.mass == again.mass);
    REQUIRE(loosened.loose == again.mass);
    REQUIRE(static_cast<double>(loosened.swell) == Approx(stretch).epsilon(0.01));
    REQUIRE(taken_in(moved, 1.02).swell == 1.02f);
    REQUIRE(taken_in(moved, 1.0).swell == 1.0f);
  }
  // Soil may be denser than the undisturbed soil, but not without limit.
  REQUIRE(static_cast<double>(taken_in(grains_of(stacks, column, soil, 0.9), 1.3).swell) == Approx(0.9).epsilon(0.01));
  REQUIRE(taken_in(grains_of(stacks, column, soil, 0.5), 1.3).swell == talus::shared::soil_swell_least);
}

namespace {

// Compacted ground, and a blade above it. It is all grains as long as a pin at its end moves, which it does by a
// hundredth of a radius.
talus::Simulation channel_with_blade(double swell) {
  talus::Scene scene = blade_in_ground(1e6);
  scene.soil->swell = swell;
  scene.soil->compaction = 1.0;
  scene.bodies[0].position.z = 0.103;  // its edge is above the ground, from where it goes down by 4.5 radii
  scene.bodies[0].velocity = {0.0, 0.0, -0.2};
  scene.bodies.push_back(scene.bodies[0]);
  scene.bodies[1].name = "pin";
  scene.bodies[1].parts = {{.shape = talus::BoxPart{{0.01, 0.01, 0.04}}}};
  scene.bodies[1].position = {0.39, 0.0375, 0.075};
  scene.bodies[1].velocity = {5e-5, 0.0, 0.0};
  return talus::Simulation(scene, on_cpu);
}

// The blade goes down, along, and up again; the grains come to rest.
void plough(talus::Simulation& simulation) {
  simulation.advance(57);
  simulation.drive_body(0, {{0.2, 0.0, 0.0}, {}}, {});
  simulation.advance(250);
  simulation.drive_body(0, {{0.0, 0.0, 0.5}, {}}, {});
  simulation.advance(100);
  simulation.drive_body(0, {}, {});
  simulation.advance(350);
}

// Until the ground has the grains, but for those below the two bodies.
void take_pin_out(talus::Simulation& simulation) {
  simulation.drive_body(1, {{0.0, 0.0, 0.5}, {}}, {});
  simulation.advance(60);
  simulation.drive_body(1, {}, {});
  simulation.advance(500);
}

}  // namespace

TEST_CASE("The ground takes in what a blade has ploughed with the volume that it has as grains", "[soil]") {
  constexpr std::size_t bands = 16;  // as wide as a column
  constexpr double radius = 0.005;
  const auto mean = [](const auto& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  struct Rise {
    double grains, ground;  // radii, of the mean surface by the blade's work: as grains, and when the ground has them
  };
  const auto rise = [&](double swell) {
    talus::Simulation simulation = channel_with_blade(swell);
    const std::uint64_t quanta = simulation.soil()->quanta;
    simulation.advance(1);  // all is grains
    const double level = mean(surface_along_x(simulation, bands)), height = mean(simulation.soil_heights().heights);
    plough(simulation);
    REQUIRE(simulation.soil()->live_grains > 1500);
    const double ploughed = mean(surface_along_x(simulation, bands));
    take_pin_out(simulation);
    REQUIRE(simulation.soil()->loosened_mass > 0.1 * simulation.soil()->mass);
    REQUIRE(simulation.soil()->quanta == quanta);
    return Rise{(ploughed - level) / radius, (mean(simulation.soil_heights().heights) - height) / radius};
  };
  const Rise with = rise(1.3), without = rise(1.0);
  CAPTURE(with.grains, with.ground, without.grains, without.ground);
  // Dense soil swells when it is sheared. The ground follows as far as it may.
  CHECK(with.grains > 0.1);
  CHECK(std::abs(with.ground - with.grains) < 0.2);
  CHECK(without.ground < 0.1);
}

namespace {

// The same simulation with the upper two thirds of all columns loosened.
void loosen(talus::Simulation& simulation, float swell) {
  using talus::shared::SoilColumn;
  talus::Checkpoint state = simulation.checkpoint();
  auto& bytes = state.fields.at(std::string(talus::info(talus::FieldId::soil_columns).name));
  std::vector<SoilColumn> columns(bytes.size() / sizeof(SoilColumn));
  std::memcpy(columns.data(), bytes.data(), bytes.size());
  for (SoilColumn& column : columns)
    column = {column.mass, 1u, column.mass / 3 * 2, swell, {}};
  std::memcpy(bytes.data(), columns.data(), bytes.size());
  simulation.resume(state);
}

}  // namespace

TEST_CASE("Loosened soil can be dug again, without grains that are thrown", "[soil]") {
  talus::Scene scene = blade_in_ground();
  scene.soil->compaction = 1.0;
  scene.bodies[0].position.z = 0.115;
  scene.bodies[0].velocity = {0.0, 0.0, -0.2};
  talus::Simulation simulation(scene, on_cpu);
  const auto before = simulation.soil();
  loosen(simulation, 1.1f);
  REQUIRE(simulation.soil()->quanta == before->quanta);
  REQUIRE(simulation.soil()->loosened_mass == Approx(before->mass * 2.0 / 3.0).epsilon(1e-3));
  REQUIRE(simulation.soil()->swell == Approx(1.1));
  const auto heights = simulation.soil_heights().heights;
  for (const float height : heights)
    REQUIRE(height == Approx(0.06 * (1.0 + 0.1 * 2.0 / 3.0)).epsilon(5e-3));
  double fastest = 0.0;
  for (int k = 0; k < 30; ++k) {
    if (k == 10)
      simulation.drive_body(0, {{0.2, 0.0, 0.0}, {}}, {});
    simulation.advance(10);
    REQUIRE(simulation.soil()->quanta == before->quanta);
    for (const talus::GrainState& grain : simulation.grains())
      fastest = std::max(fastest, static_cast<double>(glm::length(grain.velocity)));
  }
  REQUIRE(simulation.soil()->live_grains > 500);
  REQUIRE(fastest < 0.2 + 2.0 * std::sqrt(g * 0.005));
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

namespace {

// A layer of 4 radii of clay, and one of loam below it that is twice as thick on the right as on the left, on the sand
// of the channel.
talus::Scene blade_in_layers() {
  return talus::parse_scene(talus::to_toml(blade_in_ground()) + R"(
[[material]]
name = "clay"
density = 2000.0
friction = 0.3
[[material]]
name = "loam"
density = 1200.0
friction = 0.3
[[soil.layer]]
material = "clay"
thickness = 0.02
angle_of_repose = 45.0
[[soil.layer]]
material = "loam"
thickness = "0.01 + 0.01*(1 + tanh(1e4*(x - 0.2)))/2"
)",
                            "layers.toml");
}

// Stacks of it, made once.
const talus::SoilStacks& layers() {
  static const talus::Scene scene = talus::Simulation(blade_in_layers(), on_cpu).scene();  // with its substeps
  static const talus::SoilStacks stacks(scene, talus::settled_tile(scene));
  return stacks;
}

}  // namespace

TEST_CASE("Layers follow the surface without parts, and a trench opens them", "[soil]") {
  talus::Scene scene = blade_in_layers();
  REQUIRE(scene.soil->materials() == std::vector<std::uint32_t>{0, 1, 2});
  scene.soil->parts = {{.shape = talus::BoxPart{{0.1, 0.4, 0.1}}, .position = {0.05, 0.0375, 0.055}, .subtract = true},
                       {.shape = talus::BoxPart{{0.1, 0.4, 0.1}}, .position = {0.35, 0.0375, 0.03}}};
  const talus::SoilStacks stacks(scene, layers().tile());
  const auto material_at = [&](const glm::dvec2& place, double z) {
    const std::uint32_t column = *stacks.grid().column_at(place);
    const talus::Stack& stack = stacks.of(column);
    return scene.materials[stacks.materials()[stacks.material(column, stack.whole(stack.mass(z)))]].name;
  };
  // Between the ends of the layers there is room of half a radius for the grain that lies there.
  for (const double x : {0.15, 0.25}) {
    const glm::dvec2 place(x, 0.03);
    CAPTURE(x);
    CHECK(material_at(place, 0.0575) == "clay");
    CHECK(material_at(place, 0.0425) == "clay");
    CHECK(material_at(place, 0.0375) == "loam");
    CHECK(material_at(place, x < 0.2 ? 0.0325 : 0.0225) == "loam");
    CHECK(material_at(place, x < 0.2 ? 0.0275 : 0.0175) == "sand");
    CHECK(material_at(place, 0.0) == "sand");
  }
  // The trench reaches to 5 mm above the floor, and what is left in it is sand; the berm is of clay.
  const auto kg_at = [&](const glm::dvec2& place) {
    return talus::mixture_of(stacks.at_start()[*stacks.grid().column_at(place)]);
  };
  const talus::Mixture trench = kg_at({0.05, 0.03}), berm = kg_at({0.35, 0.03}), between = kg_at({0.25, 0.03});
  CHECK(trench[0] > 0);
  CHECK(trench[1] + trench[2] == 0);
  // The ends of the three layers are at 0.02, 0.04 and 0.06 m, that of the berm at 0.08 m. A quantum is 1/256 of a
  // grain, and a column has some 11 of them in 0.02 m.
  const talus::Stack& stack = stacks.of(*stacks.grid().column_at({0.25, 0.03}));
  const double third = 0.02 * stack.per_meter();
  for (std::size_t m = 0; m < 3; ++m)
    CHECK(std::abs(between[m] - third) < 1.5 * talus::quanta_of_mean);
  CHECK(berm[1] > 1.6 * third);
  // In place of 0.06 m of sand.
  double mass = 0.0, of_sand = 0.0;
  for (std::uint32_t c = 0; c < stacks.grid().size(); ++c) {
    of_sand += stacks.kg_per_quantum(0) * channel().at_start()[c].mass;
    for (std::uint32_t m = 0; m < 3; ++m)
      mass += stacks.kg_per_quantum(m) * talus::mixture_of(layers().at_start()[c])[m];
  }
  CHECK(mass / of_sand == Approx((0.02 * 2000.0 + 0.015 * 1200.0 + 0.025 * 1600.0) / (0.06 * 1600.0)).epsilon(0.02));
}

TEST_CASE("The mass of each material of the ground stays the same to the quantum while a blade digs", "[soil]") {
  talus::Simulation simulation(blade_in_layers(), on_cpu);
  const auto before = simulation.soil();
  REQUIRE(before->materials.size() == 3);
  REQUIRE(before->materials[1].name == "clay");
  std::uint32_t most = 0, gone_back = 0;
  std::set<std::uint32_t> dug;  // materials
  for (int k = 0; k < 100; ++k) {
    if (k == 25)  // The blade leaves, and grains go back into the ground.
      simulation.drive_body(0, {{0.0, 0.0, 0.5}, {}}, {});
    if (k == 60)  // It comes back, and they come out again.
      simulation.drive_body(0, {{0.0, 0.0, -0.7}, {}}, {});
    if (k == 85)
      simulation.drive_body(0, {{-0.2, 0.0, 0.0}, {}}, {});
    simulation.advance(20);
    const auto soil = simulation.soil();
    CAPTURE(k);
    for (std::size_t m = 0; m < 3; ++m)
      REQUIRE(soil->materials[m].quanta == before->materials[m].quanta);
    REQUIRE(soil->mass == Approx(before->mass).epsilon(1e-12));
    if (k == 59) {
      gone_back = most - soil->live_grains;
      most = soil->live_grains;
    }
    most = std::max(most, soil->live_grains);
    for (const talus::GrainState& grain : simulation.grains())
      dug.insert(grain.material);
  }
  REQUIRE(gone_back > 200);
  REQUIRE(most > 500);
  REQUIRE(dug == std::set<std::uint32_t>{0, 1, 2});
}

TEST_CASE("A column never has less of a material than its undisturbed soil, whatever goes in and out", "[soil]") {
  const talus::SoilStacks& stacks = layers();
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  auto columns = stacks.at_start();
  std::vector<talus::RestingGrain> out;  // what lies beside the ground
  const auto total = [&] {
    using talus::operator+;
    talus::Mixture sum{};
    for (const auto& column : columns)
      sum = sum + talus::mixture_of(column);
    for (const auto& grain : out)
      sum[grain.material] += talus::quanta_of(grain.radius, stacks.mean_radius());
    return sum;
  };
  const talus::Mixture before = total();
  const std::vector<bool> may(columns.size(), true);
  const std::array slopes{0.6, 1.0, 0.7};
  for (int k = 0; k < 100000; ++k) {
    const std::uint32_t c = below(static_cast<std::uint32_t>(columns.size()));
    talus::shared::SoilColumn& column = columns[c];
    const talus::Stack& stack = stacks.of(c);
    const talus::Filling filling(stack, column);
    if (k % 3 < 2 && filling.end() > 0) {  // a grain goes out, most often the uppermost one
      const std::uint32_t i = filling.end() - 1 - below(std::min(filling.end(), 3u));
      const talus::Stack::Grain grain = stack.grain(i);
      const bool loose = i >= filling.firm();
      if (!filling.has(i) || (loose && column.loose < grain.quanta))
        continue;
      const auto material = stacks.material(c, column, i, grain.quanta);
      if (!material) {  // It has no whole grain of any material.
        const auto left = stacks.loosened(c, column);
        REQUIRE(*std::ranges::max_element(left) < grain.quanta);
        continue;
      }
      (loose ? talus::take_loose : talus::take_firm)(column, talus::only(*material, grain.quanta));
      const bool in_place = below(2) == 0;
      out.push_back({glm::vec3(stacks.grid().corner(c) + glm::dvec2(grain.place), grain.place.z), grain.radius,
                     in_place ? grain.tile + 1 : 0, *material});
    } else if (!out.empty()) {  // some go in, wherever they came from
      std::vector<talus::RestingGrain> in;
      for (std::uint32_t n = below(4); n > 0 && !out.empty(); --n) {
        std::swap(out[below(static_cast<std::uint32_t>(out.size()))], out.back());
        in.push_back(out.back());
        out.pop_back();
      }
      column = talus::with_grains(stacks, 0.0, 1.3, c, column, in);
    }
    REQUIRE(stacks.is_consistent(c, columns[c]));
    if (k % 1000 == 0) {
      talus::relax(stacks, columns, may, slopes, 4);
      for (std::uint32_t other = 0; other < columns.size(); ++other)
        REQUIRE(stacks.is_consistent(other, columns[other]));
      REQUIRE(total() == before);
    }
  }
  REQUIRE(total() == before);
}

TEST_CASE("Soil that slides from a column of several materials is what lies uppermost", "[soil]") {
  const talus::SoilStacks& stacks = layers();
  auto columns = stacks.at_start();
  const std::uint32_t high = *stacks.grid().column_at({0.25, 0.03}), low = *stacks.grid().beside(high, {1, 0});
  columns[low] = {0u, 1u, 0u, 1.0f, {}};
  std::vector<bool> may(columns.size(), false);
  may[high] = may[low] = true;
  const double clay = 1.0, tan_sand = std::tan(glm::radians(20.0));
  REQUIRE(talus::relax(stacks, columns, may, std::array{tan_sand, clay, tan_sand}, 1));
  const talus::Mixture slid = talus::mixture_of(columns[low]);
  CHECK(slid[1] > 0);
  CHECK(slid[0] == 0);
  // By the angle of clay, which is the uppermost, though sand below would slide further.
  const double rise = stacks.of(high).height(columns[high]) - stacks.of(low).height(columns[low]);
  CHECK(rise == Approx(clay * stacks.grid().edge().x).epsilon(0.02));
}

TEST_CASE("Layers go on from a checkpoint to the same bits, and one that contradicts them is refused", "[soil]") {
  talus::Simulation simulation(blade_in_layers(), on_cpu);
  simulation.advance(60);
  talus::Checkpoint state = simulation.checkpoint();
  simulation.advance(40);
  talus::Simulation other(blade_in_layers(), on_cpu);
  other.resume(state);
  other.advance(40);
  REQUIRE(other.state_hash() == simulation.state_hash());

  auto& bytes = state.fields.at(std::string(talus::info(talus::FieldId::soil_columns).name));
  talus::shared::SoilColumn column;
  std::memcpy(&column, bytes.data(), sizeof column);
  REQUIRE(column.others.x > 0);
  column.others.x += 1000;  // so much less is left of the first material
  std::memcpy(bytes.data(), &column, sizeof column);
  REQUIRE_THROWS_WITH(other.resume(state), Catch::Contains("has less of a material than its undisturbed soil"));
}

TEST_CASE("Ground is the same on a device", "[device][lockstep][soil]") {
  talus::Simulation simulation(blade_in_layers(), in_lockstep());
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
  REQUIRE_THAT(refused("soil.swell=0.9"), Catch::Contains("soil.swell"));
  REQUIRE_THAT(refused("domain.gravity=[1.0,0.0,-9.81]"), Catch::Contains("gravity along -z"));
  REQUIRE_THAT(refused("solver.sleep=false"), Catch::Contains("sleep = true"));
  REQUIRE_THAT(refused("solver={method=\"vts\"}"), Catch::Contains("dem"));
  REQUIRE_THAT(refused("soil.layer=[{material=\"clay\",thickness=0.1}]"), Catch::Contains("soil.layer.0.material"));
  REQUIRE_THAT(refused("soil.layer=[{material=\"sand\",thickness=\"0.1 - x\"}]"),
               Catch::Contains("soil.layer.0.thickness gives -0.0"));
  REQUIRE_THAT(refused("soil.layer=[{material=\"sand\",thickness=0.1,angle_of_repose=30}]"),
               Catch::Contains("is given twice for the material sand"));
}
