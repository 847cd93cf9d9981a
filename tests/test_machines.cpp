// The machines of scenes/: where their joints put them, and what they carry.
#include "engine/scene/kinematics.h"
#include "simulate.h"
#include <array>
#include <filesystem>
#include <glm/ext/matrix_transform.hpp>
#include <glm/mat4x4.hpp>
#include <optional>

using namespace talus;
using namespace talus_tests;

namespace {

const std::filesystem::path scenes_of_house = std::filesystem::path(TALUS_SOURCE_DIR) / "scenes";

std::size_t index_of(const Scene& scene, const std::string& name) {
  const auto it = std::ranges::find(scene.bodies, name, &BodySpec::name);
  REQUIRE(it != scene.bodies.end());
  return static_cast<std::size_t>(it - scene.bodies.begin());
}

// The arm with its joints at these angles [degrees] throughout.
Scene arm_at(const std::array<double, 7>& angles) {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < angles.size(); ++i)
    set.push_back(fmt::format("body.link{}.joint.value={}", i + 1, angles[i]));
  return load_scene(scenes_of_house / "robot_scoop.toml", set);
}

// From the world to the flange, by the data sheet: rows of a [m], alpha [degrees], d [m], Craig's convention.
glm::dmat4 flange_by_table(const std::array<double, 7>& angles) {
  constexpr double table[7][3] = {{0.0, 0.0, 0.333},       {0.0, -90.0, 0.0}, {0.0, 90.0, 0.316}, {0.0825, 90.0, 0.0},
                                  {-0.0825, -90.0, 0.384}, {0.0, 90.0, 0.0},  {0.088, 90.0, 0.0}};
  glm::dmat4 m(1.0);
  for (std::size_t i = 0; i < 7; ++i) {
    m = glm::rotate(m, glm::radians(table[i][1]), {1, 0, 0});
    m = glm::translate(m, {table[i][0], 0.0, 0.0});
    m = glm::rotate(m, glm::radians(angles[i]), {0, 0, 1});
    m = glm::translate(m, {0.0, 0.0, table[i][2]});
  }
  return glm::translate(m, {0.0, 0.0, 0.107});
}

}  // namespace

TEST_CASE("The arm's flange is where the data sheet puts it", "[bodies][motion]") {
  struct Case {
    std::array<double, 7> angles;
    std::optional<glm::dvec3> published;  // m, to 0.1 mm
  };
  const Case c =
      GENERATE(Case{{0, 0, 0, -4, 0, 0, 0}, {}}, Case{{0, -45, 0, -135, 0, 90, 45}, glm::dvec3(0.3069, 0.0, 0.5903)},
               Case{{10, -20, 30, -140, -50, 160, 70}, {}});
  const Scene scene = arm_at(c.angles);
  // The scoop's origin is the flange; it leans by 25 degrees about the flange's y.
  const Pose scoop = Kinematics(scene).in_world(0.0, scene.dt)[index_of(scene, "scoop")].begin;
  const glm::dmat4 flange = flange_by_table(c.angles);
  CHECK(glm::length(scoop.position - glm::dvec3(flange[3])) < 1e-9);
  CHECK(glm::length(scoop.rotation * glm::dvec3(0, 1, 0) - glm::dvec3(flange[1])) < 1e-9);
  if (c.published)
    CHECK(glm::length(scoop.position - *c.published) < 1e-4);
}

TEST_CASE("A bucket weighs what is in it", "[bodies][loads]") {
  // As it is held still in the scene, with grains put into it instead of dug.
  const Scene scene = load_scene(
      scenes_of_house / "excavator_dig.toml",
      {"body.base.joint.value=0", "body.boom.joint.value=61.4", "body.stick.joint.value=-99.8",
       "body.bucket.joint.value=-145.6",
       "grains=[{ material = \"sand\", radius = [0.008, 0.010], sampling = \"lattice\", spacing = 1.05, count = 150, "
       "fill = { box = { min = [0.41, -0.1, 0.50], max = [0.53, 0.04, 0.66] } } }]"});
  const std::size_t bucket = index_of(scene, "bucket");
  Simulation simulation(scene, on_cpu);
  simulation.advance(200);
  simulation.advance(50);
  glm::dvec3 force(0.0), torque(0.0);  // means over 0.2 s
  const auto& history = simulation.load_history();
  for (std::size_t k = bucket; k < history.size(); k += scene.bodies.size()) {
    force += glm::dvec3(history[k].force) / 50.0;
    torque += glm::dvec3(history[k].torque) / 50.0;
  }
  glm::dvec3 weight(0.0), moment(0.0);
  const glm::dvec3 origin = simulation.body_state(static_cast<std::uint32_t>(bucket)).pose.position;
  for (const GrainState& grain : simulation.grains()) {
    CHECK(grain.position.z > 0.44f);  // nothing leaks
    const double mass =
        scene.materials[grain.material].density * 4.0 / 3.0 * 3.14159265358979 * std::pow(grain.radius, 3);
    weight += mass * scene.domain.gravity;
    moment += glm::cross(glm::dvec3(grain.position) - origin, mass * scene.domain.gravity);
  }
  CAPTURE(force.x, force.y, force.z, weight.z, torque.x, torque.y, torque.z, moment.x, moment.y);
  CHECK(glm::length(force - weight) < 0.01 * glm::length(weight));
  CHECK(glm::length(torque - moment) < 0.02 * glm::length(moment));  // grains that do not turn bear a little of it
}
