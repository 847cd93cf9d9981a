// Machines, grains and settings in the hands of an operator.
#include "live.h"
#include "viewer/inputs.h"
#include <cstdlib>

using namespace talus;
using namespace talus_tests;

namespace {

// An arm that turns about the vertical, and grains in its way.
const std::string arm = R"(
[time]
dt = 0.005
end = 30
[domain]
min = [-0.5, -0.5, 0.0]
max = [0.5, 0.5, 0.5]
[solver]
substeps = 2
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.03
fill.box = { min = [0.1, 0.1, 0.0], max = [0.3, 0.3, 0.12] }
[[body]]
name = "arm"
position = [0.0, 0.0, 0.06]
joint = { type = "revolute", axis = [0, 0, 1], min = -90, max = 90 }
parts = [ { box = { size = [0.4, 0.04, 0.1] }, position = [0.2, 0, 0] } ]
)";

}  // namespace

TEST_CASE("The mouse holds a grain, drags it and lets it fall", "[live]") {
  Live live(balls);
  const glm::dvec2 start = patch(live.picture(), red).middle;
  const glm::dvec2 there = start + glm::dvec2(30.0, -15.0);
  live.point_at(static_cast<int>(start.x), static_cast<int>(start.y));
  live.input("keydown ctrl mousedown 1");
  CHECK(live.app->holding());
  live.point_at(static_cast<int>(there.x), static_cast<int>(there.y));
  live.play_to(0.5);
  CHECK(glm::distance(patch(live.picture(), red).middle, there) < 6.0);
  CHECK(patch(live.picture(), green).middle.y > start.y + 10.0);  // which nobody held
  live.input("mouseup 1 keyup ctrl");
  CHECK_FALSE(live.app->holding());
  live.play_to(0.8);
  CHECK(patch(live.picture(), red).middle.y > there.y + 10.0);
}

TEST_CASE("A machine goes by keys, settings change, and what was done plays back to the same bits", "[live]") {
  Live live(arm);
  live.input("keydown j");
  live.play_to(0.3);
  live.input("keyup j");
  const double turned = live.session().simulation().joint_state(0).value;
  CHECK(turned > 5.0);
  live.session().give(viewer::SetParameter{"domain.gravity.z", -3.0});
  live.play_to(0.5);
  CHECK(live.session().simulation().joint_state(0).value == turned);
  CHECK(live.session().scene().domain.gravity.z == -3.0);

  const std::filesystem::path file = live.scratch / "inputs.json";
  live.app->save_inputs(file);
  live.until([&] { return !live.app->message().empty(); });
  REQUIRE(std::filesystem::exists(file));
  const viewer::Inputs inputs = viewer::Inputs::load(file);
  CHECK(inputs.inputs.size() >= 3);
  live.app->message().clear();
  live.app->replay(file);
  live.until([&] { return !live.app->message().empty(); });
  CHECK_THAT(live.app->message(), Catch::Contains("bit for bit"));
  CHECK(live.session().step() == inputs.end);
  const std::string out = (live.scratch / "pictures").string(), told = (live.scratch / "told.txt").string();
  REQUIRE(std::system(fmt::format("{} render --replay {} --device {} --size 32x32 --fps 2 --out {} > {}", TALUS_PROGRAM,
                                  file.string(), live_options().device, out, told)
                          .c_str()) == 0);
  CHECK(contains(read_text(told), "bit for bit"));
  CHECK(std::filesystem::exists(live.scratch / "pictures/final.png"));
}

TEST_CASE("A setting that cannot be is told, and told until it is read", "[live]") {
  Live live(arm);
  live.session().give(viewer::SetParameter{"material.sand.density", -1.0});
  live.play_to(0.1);
  CHECK(contains(live.session().error(), "material.sand.density"));
  CHECK(live.session().scene().materials[0].density > 0.0);
}

TEST_CASE("The force on what is driven is an arrow in the scene and a number in the panel", "[live]") {
  Live live(arm);
  live.resize(900, 600);
  live.app->remembered().panels_shown = true;
  live.key("F6");
  live.frames(2);
  CHECK(live.app->forces().most() == 0.0);
  live.input("keydown j");
  const auto force = [&] {
    const auto& arrows = live.app->forces().arrows();
    return arrows.empty() ? 0.0 : glm::length(arrows[0].force);
  };
  for (double time = 0.1; time < 1.0 && !(force() > 0.5 * live.app->forces().most()); time += 0.02) {
    live.play_to(time);
    live.frames(2);
  }
  live.input("keyup j");
  REQUIRE(live.app->forces().arrows().size() == 1);
  const viewer::Forces::Arrow arrow = live.app->forces().arrows()[0];
  CHECK(arrow.body == 0);
  CHECK(arrow.force == glm::dvec3(live.session().simulation().body_loads()[0].force_filtered));
  CHECK(glm::length(arrow.force) > 0.01);
  CHECK(glm::length(arrow.force) <= live.app->forces().most());
  // From the middle of the arm, against the way that it turns.
  const Pose pose = live.session().simulation().body_state(0).pose;
  CHECK(glm::distance(arrow.at, pose.position + pose.rotation * glm::dvec3(0.2, 0.0, 0.0)) < 1e-6);
  CHECK(glm::dot(arrow.force, pose.rotation * glm::dvec3(0.0, -1.0, 0.0)) > 0.0);
  const auto arrow_pixels = [&] {
    const Image image = live.picture(true);
    int count = 0;
    for (std::size_t p = 0; p < image.rgba.size(); p += 4)
      count += image.rgba[p] == 255 && image.rgba[p + 1] == 120 && image.rgba[p + 2] == 60;
    return count;
  };
  CHECK(arrow_pixels() > 20);
  live.key("F6");
  live.frames(2);
  CHECK(arrow_pixels() == 0);
  live.key("F6");
  live.app->restart();
  live.loaded();
  live.frames(2);
  CHECK(live.app->forces().most() == 0.0);
  live.resize(width, height);
}
