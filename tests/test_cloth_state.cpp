// What is told of cloth: by the API, in reports and tables, and as files.
#include "engine/io/report.h"
#include "engine/io/series.h"
#include "engine/scene/cloth.h"
#include "scratch.h"
#include "simulate.h"
#include <limits>
#include <nlohmann/json.hpp>

using namespace talus;
using namespace talus_tests;

namespace {

ClothSpec grid_of(std::string name, glm::dvec3 position, glm::dvec3 velocity = {}) {
  ClothSpec cloth;
  cloth.name = std::move(name);
  cloth.sheet = ClothGrid{{0.6, 0.4}, {6, 4}};
  cloth.position = position;
  cloth.rotation = {0.0, 0.0, 30.0};
  cloth.velocity = velocity;
  cloth.density = 0.5;
  cloth.thickness = 0.01;
  return cloth;
}

// Two sheets in free fall, two grains and one that an emitter pours in the first step.
Scene falling() {
  Scene scene = scene_of(0.004, 2, 8);
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  scene.domain.gravity = {0.0, 0.0, -g};
  add_points(scene, 0.05, {{2.0, 0.0, 1.0}, {3.0, 0.0, 1.0}});
  Emitter emitter;
  emitter.radius_min = emitter.radius_max = 0.05;
  emitter.shape = BoxFill{{4.0, 0.0, 0.0}, {4.2, 0.2, 0.2}};
  emitter.rate = 1000.0;
  emitter.stop = 1.0;
  emitter.count = 1;
  scene.emitters.push_back(emitter);
  scene.cloths = {grid_of("a", {0.0, 0.0, 0.0}, {1.0, 0.0, 2.0}), grid_of("b", {0.0, 0.0, 1.0})};
  return scene;
}

void told(const Options& options) {
  const Scene scene = falling();
  Simulation simulation(scene, options);
  CHECK(simulation.grain_count() == 2);
  CHECK(simulation.grains().size() == 2);
  CHECK(simulation.cloth_first() == 2);
  CHECK(simulation.cloth("b") == 1);
  CHECK_THROWS_AS(simulation.cloth("c"), std::invalid_argument);
  CHECK_THROWS_AS(simulation.cloth_state(2), std::out_of_range);
  const ClothState before = simulation.cloth_state(0);
  const ClothSheet sheet = sheet_of(scene.cloths[0]);
  CHECK(before.triangles == sheet.triangles);
  REQUIRE(before.positions.size() == 35);
  simulation.advance(50);
  const double t = simulation.time();
  CHECK(simulation.grain_count() == 3);
  CHECK(simulation.grains_born() == 3);
  CHECK(simulation.grains().size() == 3);
  CHECK(simulation.grains()[2].id == 72);
  CHECK(simulation.measure().grains == 3);
  CHECK(simulation.cloth_uncounted() == 0);
  for (const std::uint32_t c : {0u, 1u}) {
    const ClothState state = simulation.cloth_state(c);
    const glm::dvec3 velocity = scene.cloths[c].velocity + t * scene.domain.gravity;
    for (std::size_t k = 0; k < 35; ++k) {
      const glm::dvec3 start = (pose_of(scene.cloths[c]) * Pose{sheet.vertices[k]}).position;
      const glm::dvec3 at = start + t * scene.cloths[c].velocity + 0.5 * t * t * scene.domain.gravity;
      CHECK(glm::distance(glm::dvec3(state.positions[k]), at) < 0.02);  // the method's own time steps
      CHECK(glm::distance(glm::dvec3(state.velocities[k]), velocity) < 1e-4);
    }
    CHECK(std::abs(state.strain_mean) < 1e-5);
    CHECK(std::abs(state.strain_max) < 1e-4);
    CHECK(state.kinetic_energy == Approx(0.5 * 0.5 * 0.24 * glm::dot(velocity, velocity)).epsilon(1e-4));
  }
}

// A column's value in a row of metrics.
double value_of(const std::string& header, const std::string& row, const std::string& name) {
  const std::vector<std::string> names = split(header, ','), values = split(row, ',');
  const auto found = std::ranges::find(names, name);
  REQUIRE(found != names.end());
  return std::stod(values.at(static_cast<std::size_t>(found - names.begin())));
}

}  // namespace

TEST_CASE("Cloth is told by name, apart from grains", "[cloth]") {
  told(on_cpu);
}
TEST_CASE("Cloth is told by name, apart from grains, on a device", "[device][cloth]") {
  told(on_device());
}

TEST_CASE("Strain is that of the sides that stretch", "[cloth]") {
  Scene scene = falling();
  scene.cloths.pop_back();
  scene.cloths[0].rotation = {};
  Simulation simulation(scene, on_cpu);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 37);
  for (std::size_t k = 2; k < 37; ++k)  // along x by a tenth
    grains[k].position.x *= 1.1f;
  write_field(simulation.executor(), FieldId::grains, grains);
  const ClothState state = simulation.cloth_state(0);
  // 6 x 5 sides along x and 7 x 4 along y, which are as they were.
  CHECK(state.strain_mean == Approx(0.1 * 30.0 / 58.0).epsilon(1e-4));
  CHECK(state.strain_max == Approx(0.1).epsilon(1e-4));
}

TEST_CASE("Cloth across a periodic axis hangs together", "[cloth]") {
  Scene scene = falling();
  scene.domain.gravity = {};
  scene.domain.min.x = -1.0;
  scene.domain.max.x = 1.0;
  scene.domain.axis[0] = Axis::periodic;
  scene.grains.clear();
  scene.emitters.clear();
  scene.cloths.resize(1);
  Simulation simulation(scene, on_cpu);
  const ClothState before = simulation.cloth_state(0);
  for (int part = 0; part < 10; ++part) {
    simulation.advance(40);
    const ClothState state = simulation.cloth_state(0);
    for (std::size_t k = 0; k < 35; ++k)
      CHECK(glm::distance(state.positions[k] - state.positions[0], before.positions[k] - before.positions[0]) < 1e-4f);
    CHECK(std::abs(state.strain_max) < 1e-4);
  }
}

TEST_CASE("A vertex that is lost is told by its cloth", "[cloth]") {
  Simulation simulation(falling(), on_cpu);
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, 72);
  grains[2 + 35 + 7].velocity.x = std::numeric_limits<float>::infinity();
  write_field(simulation.executor(), FieldId::grains, grains);
  try {
    simulation.advance(1);
    FAIL("the step went on");
  } catch (const StateError& e) {
    CAPTURE(e.what());
    CHECK(contains(e.what(), " of cloth b has no finite position"));
  }
}

TEST_CASE("Report and metrics tell of cloth", "[cloth]") {
  Simulation simulation(falling(), on_cpu);
  simulation.advance(25);
  const ClothState state = simulation.cloth_state(0);
  glm::dvec3 middle{0.0};
  for (const glm::vec3& p : state.positions)
    middle += glm::dvec3(p) / 35.0;
  const auto report = nlohmann::json::parse(report_json(simulation, {}));
  CHECK(report["grains"] == 3);
  CHECK(report["grains_born"] == 3);
  REQUIRE(report["cloth"].size() == 2);
  const auto& cloth = report["cloth"][0];
  CHECK(cloth["name"] == "a");
  CHECK(cloth["vertices"] == 35);
  CHECK(cloth["triangles"] == 48);
  CHECK(cloth["strain_mean"] == state.strain_mean);
  CHECK(cloth["strain_max"] == state.strain_max);
  CHECK(cloth["kinetic_energy"] == state.kinetic_energy);
  for (int a = 0; a < 3; ++a)
    CHECK(cloth["position"][a].get<double>() == Approx(middle[a]).margin(1e-9));
  CHECK(report["cloth"][1]["name"] == "b");

  const std::string header = metrics_header(simulation.scene()), row = metrics_row(simulation);
  CHECK(value_of(header, row, "grains") == 3.0);
  CHECK(value_of(header, row, "a.position_x") == Approx(middle.x));
  CHECK(value_of(header, row, "a.position_z") == Approx(middle.z));
  CHECK(value_of(header, row, "a.strain_max") == state.strain_max);
  CHECK(value_of(header, row, "b.kinetic_energy") == simulation.cloth_state(1).kinetic_energy);
  CHECK(split(header, ',').size() == split(row, ',').size());
}

TEST_CASE("Cloth is written as a mesh, and the vertices are no grains", "[cloth][io]") {
  const Scratch scratch;
  Scene scene = falling();
  scene.cloths[0].name = "the net/1";
  scene.cloths[1].name = "the_net,1";
  Simulation simulation(scene, on_cpu);
  {
    Series series(scratch / "ply", Format::ply, scene);
    series.add(simulation);
    simulation.advance(25);
    series.add(simulation);
  }
  const std::string index = read_text(scratch / "ply/index.csv");
  CHECK(contains(index, "grains_00000.ply,0,0,2\n"));
  CHECK(contains(index, "grains_00001.ply,0.1,25,3\n"));
  CHECK(read_text(scratch / "ply/index_cloth.csv") == "file,time,step,vertices,triangles,cloth\n"
                                                      "cloth_the_net_1_00000.ply,0,0,35,48,the net/1\n"
                                                      "cloth_the_net_1__00000.ply,0,0,35,48,\"the_net,1\"\n"
                                                      "cloth_the_net_1_00001.ply,0.1,25,35,48,the net/1\n"
                                                      "cloth_the_net_1__00001.ply,0.1,25,35,48,\"the_net,1\"\n");
  const ClothState state = simulation.cloth_state(1);
  const Mesh mesh = load_mesh(scratch / "ply/cloth_the_net_1__00001.ply", {.hole = 0.0, .solid = false}).mesh;
  CHECK(mesh.vertices == state.positions);
  CHECK(mesh.triangles == state.triangles);
  {  // one that goes on keeps what was before
    Series series(scratch / "ply", Format::ply, scene, 20);
    series.add(simulation);
  }
  CHECK(std::ranges::count(read_text(scratch / "ply/index_cloth.csv"), '\n') == 5);

  CHECK(!holds_cloth(Format::csv));
  Series(scratch / "csv", Format::csv, scene).add(simulation);
  CHECK(std::ranges::count(read_text(scratch / "csv/grains_00000.csv"), '\n') == 4);
  CHECK(!std::filesystem::exists(scratch / "csv/index_cloth.csv"));
  Series(scratch / "vtp", Format::vtp, scene).add(simulation);
  CHECK(contains(read_text(scratch / "vtp/cloth.pvd"),
                 "<DataSet timestep=\"0.1\" group=\"\" part=\"0\" file=\"cloth_the_net_1_00000.vtp\"/>\n"
                 "<DataSet timestep=\"0.1\" group=\"\" part=\"1\" file=\"cloth_the_net_1__00000.vtp\"/>\n"));
  CHECK(contains(read_text(scratch / "vtp/cloth_the_net_1__00000.vtp"), "NumberOfPolys=\"48\""));
}
