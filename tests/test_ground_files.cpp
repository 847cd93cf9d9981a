// Heights of the ground as files, and such a file as the surface of another scene.
#include "engine/geometry/raster.h"
#include "engine/io/series.h"
#include "engine/io/writers.h"
#include "engine/scene/ground.h"
#include "engine/simulation/soil_tile.h"
#include "engine/soil/stacks.h"
#include "tests/scratch.h"
#include "tests/simulate.h"
#include <cmath>
#include <limits>

using namespace talus_tests;

namespace {

constexpr const char* berm_and_hollow = R"(height = 0.05
parts = [
  { box = { size = [0.1, 1.0, 0.04] }, position = [0.2, 0.0, 0.03] },
  { sphere.radius = 0.03, position = [0.0, 0.05, 0.05], subtract = true },
])";

// A channel of 15 x 4 columns, and a blade that digs in it.
talus::Scene ground_with(const std::string& surface, const std::string& file = "ground.toml") {
  return talus::parse_scene(fmt::format(R"(
[time]
dt = 0.002
[domain]
min = [-0.1, 0.0, -0.02]
max = [0.275, 0.1, 0.18]
y = "periodic"
[[material]]
name = "sand"
friction = 0.3
[[body]]
name = "blade"
box = {{ size = [0.01, 0.1, 0.08] }}
position = [0.05, 0.05, 0.05]
velocity = [0.2, 0.0, 0.0]
[soil]
material = "sand"
radius = [0.0045, 0.0055]
{}
)",
                                        surface),
                            file);
}

}  // namespace

TEST_CASE("Heights of the ground come back from a file as the same columns", "[heightmap][soil]") {
  if (!talus::has_tiff())
    return;
  const Scratch scratch;
  const talus::Scene dug = ground_with(berm_and_hollow);
  talus::Simulation simulation(dug, on_cpu);
  const auto from_file = [&] {
    return ground_with("surface = { file = \"ground.tif\", interpolation = \"nearest\" }",
                       (scratch / "again.toml").string());
  };
  const talus::SoilStacks before(simulation.scene(), talus::settled_tile(simulation.scene()));
  // The mass [quanta] of undisturbed soil as high as the file says, and as high as the simulation does.
  const auto written = [&] {
    const talus::SoilHeights heights = simulation.soil_heights();
    REQUIRE(heights.columns == glm::uvec2(15, 4));
    talus::write_ground(scratch / "ground.tif", heights, dug, simulation.time());
    const talus::Scene again = from_file();
    const talus::Ground ground(*again.soil, again.domain.min.z);
    std::uint64_t read = 0, told = 0;
    for (std::uint32_t c = 0; c < heights.heights.size(); ++c) {
      const glm::dvec2 middle = before.grid().corner(c) + 0.5 * before.grid().edge();
      read += before.of(c).mass(ground.height(middle.x, middle.y));
      told += before.of(c).mass(heights.heights[c]);
    }
    REQUIRE(read == told);
    return read;
  };
  // Undisturbed soil comes back to the quantum.
  REQUIRE(simulation.soil()->loosened_mass == 0.0);
  REQUIRE(written() == simulation.soil()->quanta);
  // Heights are those of the surface: what has moved fills 0.8 to 1.3 times as much as undisturbed soil of its mass.
  simulation.advance(50);
  REQUIRE(simulation.soil()->live_grains > 100);
  const std::uint64_t quanta = simulation.soil()->quanta, surface = written();
  CAPTURE(quanta, surface);
  CHECK(surface != quanta);
  CHECK(static_cast<double>(surface) == Approx(static_cast<double>(quanta)).epsilon(0.002));
  const talus::SoilHeights heights = simulation.soil_heights();
  // Of stacks as high as this ground is now: the heights, as near as whole quanta come.
  const talus::Scene again = from_file();
  talus::Simulation filled(again, on_cpu);
  const talus::SoilStacks stacks(again, talus::settled_tile(filled.scene()));
  const talus::SoilHeights copied = filled.soil_heights();
  for (std::uint32_t c = 0; c < heights.heights.size(); ++c) {
    const double height = heights.heights[c], rounding = std::numeric_limits<float>::epsilon() * height;
    REQUIRE(std::abs(copied.heights[c] - height) <= 0.5 / stacks.of(c).per_meter() + rounding);
  }
}

TEST_CASE("A run exports the heights of the ground beside its grains", "[heightmap][soil][io]") {
  const Scratch scratch;
  talus::Scene scene = ground_with(berm_and_hollow);
  scene.worlds = 2;
  talus::Simulation simulation(scene, on_cpu);
  const auto write = [&](const std::string& folder, talus::Format format, std::uint64_t keep_before) {
    talus::Series series(scratch / folder, format, scene, keep_before);
    series.add(simulation);
    series.finish();
  };
  write("csv", talus::Format::csv, 0);
  write("vtp", talus::Format::vtp, 0);
  simulation.advance(5);
  write("csv", talus::Format::csv, 5);
  const std::string kind = talus::has_tiff() ? "tif" : "vti";
  REQUIRE(read_text(scratch / "csv/index_ground.csv") ==
          fmt::format("file,time,step,world\nground_of_world_0_00000.{0},0,0,0\nground_of_world_1_00000.{0},0,0,1\n"
                      "ground_of_world_0_00001.{0},0.01,5,0\nground_of_world_1_00001.{0},0.01,5,1\n",
                      kind));
  REQUIRE_THAT(read_text(scratch / "vtp/ground.pvd"), Catch::Contains("ground_of_world_1_00000.vti"));
  REQUIRE_THAT(read_text(scratch / "vtp/ground_of_world_0_00000.vti"),
               Catch::Contains("WholeExtent=\"0 14 0 3 0 0\" Origin=\"-0.0875"));
  if (!talus::has_tiff())
    return;
  const talus::Raster raster = talus::load_raster(scratch / "csv/ground_of_world_1_00001.tif");
  REQUIRE(raster.values == simulation.soil_heights(1).heights);
  REQUIRE(raster.cell->x == Approx(0.025));
}
