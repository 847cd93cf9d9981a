// Spins of grains as they are given and told: keys of scenes, states, energy, checkpoints and worlds.
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace talus;
using namespace talus_tests;

namespace {

// Grains of two sizes that fly into each other and spin, without walls.
std::string spinning_text(const std::string& more = "") {
  return R"([time]
dt = 0.002
[domain]
x = "open"
y = "open"
z = "open"
gravity = [0, 0, 0]
[solver]
rotation = true
substeps = 4
[[material]]
name = "glass"
friction = 0.5
[[grains]]
material = "glass"
radius = [0.01, 0.02]
velocity_random = 0.5
spin = [3, -2, 10]
spin_random = 4
count = 60
fill.sphere = { center = [0, 0, 1], radius = 0.12 }
)" + more;
}
Scene spinning_scene(const std::string& more = "") {
  return parse_scene(spinning_text(more), "spin.toml");
}

double energy_of(const std::vector<GrainState>& grains) {
  double energy = 0.0;
  for (const GrainState& grain : grains) {
    const double mass = mass_of(grain.radius), speed = glm::length(glm::dvec3(grain.velocity)),
                 rim = grain.radius * glm::length(glm::dvec3(grain.spin));
    energy += 0.5 * mass * (speed * speed + 0.4 * rim * rim);
  }
  return energy;
}

bool any_has(const std::vector<std::string>& sentences, const std::string& words) {
  return std::ranges::any_of(sentences, [&](const std::string& one) { return contains(one, words); });
}

}  // namespace

TEST_CASE("Grains start with the spin of their scene", "[rotation][scene]") {
  const Scene scene = spinning_scene();
  CHECK(scene.grains[0].spin == glm::dvec3(3, -2, 10));
  CHECK(scene.grains[0].spin_random == 4.0);
  const Scene again = parse_scene(to_toml(scene), "again.toml");
  CHECK(again.grains[0].spin == scene.grains[0].spin);
  CHECK(again.grains[0].spin_random == scene.grains[0].spin_random);

  Simulation simulation(scene, on_cpu);
  glm::dvec3 mean(0.0), least(1e9), most(-1e9);
  for (const GrainState& grain : simulation.grains()) {
    const glm::dvec3 away = glm::dvec3(grain.spin) - scene.grains[0].spin;
    mean += away / 60.0;
    least = glm::min(least, away);
    most = glm::max(most, away);
  }
  for (int a = 0; a < 3; ++a) {
    CHECK(std::abs(mean[a]) < 1.0);  // standard deviation: 4 / sqrt(3 * 60) = 0.3
    CHECK(least[a] >= -4.001);
    CHECK(least[a] < -3.0);
    CHECK(most[a] <= 4.001);
    CHECK(most[a] > 3.0);
  }
  Scene still = scene;  // random velocities are the same with and without random spins
  still.grains[0].spin_random = 0.0;
  Simulation same(still, on_cpu);
  CHECK(same.grains()[59].velocity == simulation.grains()[59].velocity);
  CHECK(same.grains()[59].position == simulation.grains()[59].position);
  CHECK(same.grains()[59].spin == glm::vec3(3, -2, 10));
}

TEST_CASE("A scene says where a spin has no meaning", "[rotation][scene]") {
  const std::string start = R"([[material]]
name = "glass"
[[grains]]
material = "glass"
radius = 0.1
fill.points = [[0, 0, 1]]
)";
  const Marked fixed(start + "fixed = true\n@spin = [1, 0, 0]\n");
  CHECK(fixed.error.starts_with(fixed.line));
  CHECK(contains(fixed.error, "has no meaning for fixed grains"));
  const Marked named(start + "@angular_velocity = [1, 0, 0]\n");
  CHECK(contains(named.error, "it is spin [rad/s]"));

  const Scene still = parse_scene(
      start + "spin = [1, 0, 0]\n[solver]\nrotation = false\n[output]\ncolor_by = \"spin\"\n", "still.toml");
  CHECK(any_has(advise(still), "the spin of [[grains]] has no effect"));
  CHECK(any_has(advise(still), "output.color_by = \"spin\" gives all of them one colour"));
  CHECK(Simulation(still, on_cpu).grains()[0].spin == glm::vec3(0.0f));
  CHECK_FALSE(any_has(advise(spinning_scene("[output]\ncolor_by = \"spin\"\n")), "spin"));
}

TEST_CASE("Particles start with the spin of their shape, which keeps it", "[rotation][shape]") {
  Scene scene = spinning_scene(R"([[shape_matched_body]]
name = "brick"
material = "glass"
radius = 0.01
spin = [0, 0, 5]
fill.box = { min = [0.3, 0, 1], max = [0.38, 0.06, 1.04] }
)");
  Simulation simulation(scene, on_cpu);
  CHECK(simulation.grains().back().spin == glm::vec3(0, 0, 5));
  simulation.advance(1);
  CHECK(simulation.grains().back().spin.z == Approx(5.0).epsilon(1e-3));
}

TEST_CASE("The kinetic energy of grains has that of their spins", "[rotation]") {
  Simulation simulation(spinning_scene(), on_cpu);
  simulation.advance(20);
  const std::vector<GrainState> grains = simulation.grains();
  const double energy = energy_of(grains);
  CHECK(simulation.measure().kinetic_energy == Approx(energy).epsilon(1e-5));
  std::vector<GrainState> unturned = grains;
  for (GrainState& grain : unturned)
    grain.spin = {};
  CHECK(energy_of(unturned) < 0.99 * energy);
}

TEST_CASE("A device measures the kinetic energy of spins as the reference does", "[device][lockstep][rotation]") {
  Simulation simulation(spinning_scene(), in_lockstep());
  simulation.advance(1);
  CHECK(simulation.measure().kinetic_energy == Approx(energy_of(simulation.grains())).epsilon(1e-5));
  CHECK(simulation.spin_buffer() != nullptr);
}

TEST_CASE("Spins come back with a checkpoint, and a world forks with them", "[rotation][worlds]") {
  Scene scene = spinning_scene("[scene]\nworlds = 2\n");
  Simulation simulation(scene, on_cpu);
  simulation.advance(20);
  Simulation resumed(scene, on_cpu);
  resumed.resume(simulation.checkpoint());
  CHECK(resumed.grains()[7].spin == simulation.grains()[7].spin);
  simulation.advance(20);
  resumed.advance(20);
  CHECK(resumed.state_hash() == simulation.state_hash());

  CHECK(simulation.state_hash(0) != simulation.state_hash(1));
  const std::uint32_t second = 1;
  simulation.fork_world(0, std::span(&second, 1));
  CHECK(simulation.grains()[7].spin == simulation.grains()[60 + 7].spin);
  simulation.advance(20);
  CHECK(simulation.state_hash(0) == simulation.state_hash(1));

  auto spins = read_field<vec4>(simulation.executor(), FieldId::grain_spin, simulation.grain_places());
  spins[7].y = std::nextafter(spins[7].y, 100.0f);
  write_field(simulation.executor(), FieldId::grain_spin, spins);
  CHECK(simulation.state_hash(0) != simulation.state_hash(1));
}

TEST_CASE("A checkpoint with a spin that is no number is refused", "[rotation]") {
  Simulation simulation(spinning_scene(), on_cpu);
  simulation.advance(1);
  Checkpoint checkpoint = simulation.checkpoint();
  const float none = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(&checkpoint.fields.at("grain_spin")[sizeof(vec4) * 7], &none, sizeof none);
  try {
    simulation.resume(checkpoint);
    FAIL("it is taken");
  } catch (const CheckpointError& error) {
    CHECK(contains(error.what(), "field grain_spin has a number"));
  }
}
