// Bodies that feel the ground by its surface, as terramechanics describes it.
#include "engine/simulation/checkpoint_file.h"
#include "tests/simulate.h"
#include <functional>

using namespace talus_tests;

namespace {

constexpr double modulus = 1e6, exponent = 0.8, cohesion = 500.0, friction_angle = 28.0, shear = 0.01;  // as in site()
constexpr double level = 0.03;  // m, of the ground

// Level ground of sand, without grains, and one body.
talus::Scene site(const std::string& body, const std::string& more = {}, const std::string& soil = {}) {
  return talus::parse_scene(fmt::format(R"(
[time]
dt = 0.001
[domain]
min = [0.0, 0.0, 0.0]
max = [1.2, 0.3, 0.6]
{}
[[material]]
name = "sand"
friction = 0.3
[soil]
material = "sand"
radius = 0.005
height = {}
{}
[soil.terramechanics]
frictional_modulus = {}
exponent = {}
cohesion = {}
friction_angle = {}
shear_displacement = {}
[[body]]
name = "wheel"
ground = "surface"
{}
)",
                                        more, level, soil, modulus, exponent, cohesion, friction_angle, shear, body),
                            "site.toml");
}

double pressure(double depth) {  // Pa
  return modulus * std::pow(depth, exponent);
}

double integral(double from, double to, const std::function<double(double)>& f) {
  constexpr int steps = 400;
  double sum = 0.0;
  for (int k = 0; k < steps; ++k)
    sum += f(from + (to - from) * (k + 0.5) / steps);
  return sum * (to - from) / steps;
}

}  // namespace

TEST_CASE("A plate that is pressed into the ground feels Bekker's pressure", "[soil][terramechanics]") {
  // 0.1 x 0.05 m: 20 x 10 samples. It moves down by 0.02 m/s from 1 mm above the ground.
  talus::Simulation simulation(
      site("box.size = [0.1, 0.05, 0.02]\nposition = [0.6, 0.15, 0.041]\nvelocity = [0, 0, -0.02]"), on_cpu);
  simulation.advance(40);
  CHECK(simulation.body_loads()[0].force == glm::vec3(0.0f));
  for (int k = 0; k < 4; ++k) {
    simulation.advance(100);
    // The mean over the last step of the force at the start of its substeps.
    const double depth = 0.02 * (simulation.time() - 0.0005) - 0.001;
    INFO("depth " << depth);
    CHECK(simulation.body_loads()[0].force.z == Approx(0.1 * 0.05 * pressure(depth)).epsilon(0.01));
    CHECK(std::abs(simulation.body_loads()[0].force.x) < 1e-3);
  }
  CHECK(simulation.grain_count() == 0);
  CHECK(simulation.soil()->deepest_track == Approx(0.9 * (0.02 * simulation.time() - 0.001)).epsilon(0.01));
}

TEST_CASE("A weight that is put on the ground sinks in until the ground has taken up its work",
          "[soil][terramechanics]") {
  // A k z^(n + 1) / (n + 1) = m g z, so that z = ((n + 1) m g / (A k))^(1 / n), and it goes back until its weight is
  // borne.
  const double mass = 8.0, area = 0.1 * 0.05, rebound = GENERATE(0.0, 0.1, 0.5);
  CAPTURE(rebound);
  talus::Scene scene = site("box.size = [0.1, 0.05, 0.02]\nposition = [0.6, 0.15, 0.04]\nmass = 8");
  scene.soil->terramechanics->rebound = rebound;
  talus::Simulation simulation(scene, on_cpu);
  advance_to(simulation, 1.5);
  const double sunk = std::pow((exponent + 1.0) * mass * g / (area * modulus), 1.0 / exponent);
  CHECK(simulation.soil()->deepest_track == Approx((1.0 - rebound) * sunk).epsilon(0.02));
  const talus::BodyState body = simulation.body_state(0);
  const double relieved = rebound * sunk * (1.0 - mass * g / (area * pressure(sunk)));
  CHECK(0.04 - body.pose.position.z == Approx(sunk - relieved).epsilon(0.02));
  CHECK(glm::length(body.twist.velocity) < 1e-4);
  CHECK(simulation.body_loads()[0].force.z == Approx(mass * g).epsilon(1e-3));
}

TEST_CASE("A sled that is dragged over the ground reaches its strength against shear as Janosi and Hanamoto have it",
          "[soil][terramechanics]") {
  // Prescribed: 2 mm deep from the start on, 0.05 m/s. Samples under it feel the slip since they came under it, so that
  // the mean over its length of 1 - exp(-j / K) acts, with j up to its way.
  const double length = 0.2, width = 0.05, depth = 0.002;
  talus::Simulation simulation(
      site("box.size = [0.2, 0.05, 0.02]\nposition = [0.3, 0.15, 0.038]\nvelocity = [0.05, 0, 0]"), on_cpu);
  const double strength = cohesion + pressure(depth) * std::tan(glm::radians(friction_angle));
  for (const double way : {0.005, 0.01, 0.02, 0.04}) {
    advance_to(simulation, way / 0.05);
    const double over = simulation.time() * 0.05 - 0.5 * 0.05 * 0.001;
    // Samples that were there from the start have slipped by `over`, and those that came in at the front by less.
    const double share = ((length - over) * (1.0 - std::exp(-over / shear)) +
                          integral(0.0, over, [](double j) { return 1.0 - std::exp(-j / shear); })) /
                         length;
    INFO("after " << over << " m");
    CHECK(-simulation.body_loads()[0].force.x == Approx(width * length * strength * share).epsilon(0.03));
    CHECK(simulation.body_loads()[0].force.z == Approx(width * length * pressure(depth)).epsilon(0.03));
  }
}

TEST_CASE("Slip carries soil away from under a sled, the more of it the more is pressed", "[soil][terramechanics]") {
  // Prescribed: 2 mm deep from the start on, 0.05 m/s. Of these the part e is pressed, and de = -s dj e / (e + K) has
  // the solution e0 - e + K ln(e0 / e) = s j. Samples that came in at the front have slipped by less.
  const double slope = GENERATE(0.5, 3.0), length = 0.2, width = 0.05, depth = 0.002;
  CAPTURE(slope);
  talus::Scene scene = site("box.size = [0.2, 0.05, 0.02]\nposition = [0.3, 0.15, 0.038]\nvelocity = [0.05, 0, 0]");
  scene.soil->terramechanics->slip_sinkage = slope;
  const auto pressed_after = [&](double j) {
    double low = 0.0, high = depth;
    for (int k = 0; k < 60; ++k) {
      const double e = 0.5 * (low + high);
      (depth - e + shear * std::log(depth / e) > slope * j ? low : high) = e;
    }
    return low;
  };
  talus::Simulation simulation(scene, on_cpu);
  for (const double way : {0.005, 0.02, 0.04}) {
    advance_to(simulation, way / 0.05);
    const double over = simulation.time() * 0.05 - 0.5 * 0.05 * 0.001;
    const double load = width * ((length - over) * pressure(pressed_after(over)) +
                                 integral(0.0, over, [&](double j) { return pressure(pressed_after(j)); }));
    INFO("after " << over << " m");
    CHECK(simulation.body_loads()[0].force.z == Approx(load).epsilon(0.03));
    // What was carried away does not come back.
    CHECK(simulation.soil()->deepest_track == Approx(depth - 0.1 * pressed_after(over)).epsilon(0.01));
  }
}

TEST_CASE("A rigid wheel has the load, drawbar pull and torque of the stresses along its rim",
          "[soil][terramechanics]") {
  const double slip = GENERATE(0.1, 0.3), sticks = GENERATE(1.0, 10.0) * cohesion, radius = 0.2, width = 0.1,
               depth = 0.015, speed = 0.2;
  CAPTURE(slip, sticks);
  const double turns = speed / ((1.0 - slip) * radius);  // rad/s
  talus::Scene scene =
      site(fmt::format("cylinder = {{ radius = {}, height = {} }}\nrotation = [90, 0, 0]\nposition = [0.3, 0.15, {}]\n"
                       "velocity = [{}, 0, 0]\nspin = [0, {}, 0]",
                       radius, width, level + radius - depth, speed, turns));
  scene.soil->terramechanics->cohesion = sticks;
  talus::Simulation simulation(scene, on_cpu);
  // The stresses along the rim (Wong and Reece 1967) with the pressure of each depth, relieved behind the lowest point,
  // and the slip of the ground there: dj = (omega R - v cos(theta)) dt, dt = R cos(theta) d theta / v.
  const double first = std::acos(1.0 - depth / radius), last = -std::acos(1.0 - 0.1 * depth / radius);
  const auto normal = [&](double angle) {
    const double z = radius * std::cos(angle) - (radius - depth);
    return angle >= 0.0 ? pressure(std::max(z, 0.0))
                        : pressure(depth) * std::max(1.0 - (depth - z) / (0.1 * depth), 0.0);
  };
  const auto stress = [&](double angle) {
    const double j = integral(angle, first, [&](double a) {
      return radius * std::cos(a) * (1.0 - (1.0 - slip) * std::cos(a)) / (1.0 - slip);
    });
    return (sticks + normal(angle) * std::tan(glm::radians(friction_angle))) * (1.0 - std::exp(-j / shear));
  };
  const auto over_rim = [&](const std::function<double(double)>& f) {
    return width * radius * (integral(last, 0.0, f) + integral(0.0, first, f));
  };
  const double load = over_rim([&](double a) { return normal(a) * std::cos(a) + stress(a) * std::sin(a); }),
               pull = over_rim([&](double a) { return stress(a) * std::cos(a) - normal(a) * std::sin(a); }),
               torque = radius * over_rim(stress);
  advance_to(simulation, 0.6);
  glm::dvec3 force(0.0), moment(0.0);
  const int steps = 500;  // over 0.1 m, 20 samples
  simulation.advance(steps);
  for (const talus::BodyLoad& of_step : simulation.load_history()) {
    force += glm::dvec3(of_step.force) / static_cast<double>(steps);
    moment += glm::dvec3(of_step.torque) / static_cast<double>(steps);
  }
  CHECK(force.z == Approx(load).epsilon(0.03));
  CHECK(force.x == Approx(pull).margin(0.03 * load));
  CHECK(-moment.y == Approx(torque).epsilon(0.03));
  CHECK(std::abs(force.y) < 1e-3 * load);
}

TEST_CASE("A second wheel in a track finds the ground pressed", "[soil][terramechanics]") {
  // To and fro at the same depth: on the way back the surface bears only on the last tenth of the depth.
  talus::Simulation simulation(site("cylinder = { radius = 0.1, height = 0.06 }\nrotation = [90, 0, 0]\n"
                                    "position = [0.3, 0.15, 0.12]\nkeyframes = [{ time = 0, position = [0, 0, 0] }, "
                                    "{ time = 1, position = [0.5, 0, 0] }, { time = 2, position = [0, 0, 0] }]"),
                               on_cpu);
  advance_to(simulation, 0.5);
  const double first = simulation.body_loads()[0].force.z;
  CHECK(first > 40.0);
  advance_to(simulation, 1.5);
  CHECK(simulation.body_loads()[0].force.z < 0.6 * first);
  // The track is drawn, and heights have it.
  float lowest = 1.0f;
  for (const float height : simulation.soil_heights().heights)
    lowest = std::min(lowest, height);
  CHECK(lowest == Approx(level - 0.9 * 0.01).margin(0.001));
}

TEST_CASE("A body on a slope of the ground stays where its friction holds, and slides where it does not",
          "[soil][terramechanics]") {
  const double tilt = GENERATE(20.0, 34.0);  // degrees; with its cohesion the ground holds up to 28 and more
  const double slope = std::tan(glm::radians(tilt)), height = 0.1 + slope * 0.4;
  talus::Scene scene = talus::parse_scene(
      fmt::format(
          "[time]\ndt = 0.002\n[domain]\nmin = [0, 0, 0]\nmax = [0.8, 0.4, 1.2]\n[[material]]\nname = \"sand\"\n"
          "friction = 0.3\n[soil]\nmaterial = \"sand\"\nradius = 0.02\nheight = \"0.1 + {0}*x\"\n"
          "[soil.terramechanics]\nfrictional_modulus = 1e7\nfriction_angle = 28\nshear_displacement = 0.005\n"
          "[[body]]\nname = \"box\"\nbox.size = [0.2, 0.2, 0.1]\nrotation = [0, {1}, 0]\nmass = 20\n"
          "ground = \"surface\"\nposition = [{2}, 0.2, {3}]\n",
          slope, -tilt, 0.4 - 0.05 * std::sin(glm::radians(tilt)), height + 0.05 * std::cos(glm::radians(tilt))),
      "slope.toml");
  talus::Simulation simulation(scene, on_cpu);
  advance_to(simulation, 0.5);
  const double at_first = simulation.body_state(0).pose.position.x;
  advance_to(simulation, 1.0);
  const talus::BodyState body = simulation.body_state(0);
  if (tilt < 28.0) {
    CHECK(std::abs(body.pose.position.x - at_first) < 2e-4);
    CHECK(glm::length(body.twist.velocity) < 2e-3);
  } else {
    CHECK(at_first < 0.3);
  }
}

TEST_CASE("What bodies leave on the ground goes on from a checkpoint and with any number of threads to the same bits",
          "[soil][terramechanics]") {
  const talus::Scene scene = site("cylinder = { radius = 0.1, height = 0.06 }\nrotation = [90, 0, 0]\nmass = 8\n"
                                  "position = [0.3, 0.15, 0.13]\nvelocity = [0.5, 0, 0]\nspin = [0, 8, 0]");
  talus::Simulation whole(scene, on_cpu), half(scene, {.device = "cpu", .threads = 1});
  whole.advance(400);
  half.advance(200);
  talus::Simulation rest(scene, on_cpu);
  rest.resume(half.checkpoint());
  rest.advance(200);
  CHECK(rest.state_hash() == whole.state_hash());
  CHECK(whole.soil()->deepest_track > 1e-3);
}

TEST_CASE("A wheel digs where it is deeper than it is said to, and leaves the rest of the ground alone",
          "[soil][terramechanics]") {
  const std::string wheel =
      "cylinder = {{ radius = 0.06, height = 0.04 }}\nrotation = [90, 0, 0]\nposition = [0.4, 0.15, {}]\n"
      "velocity = [0.05, 0, 0]";
  talus::Scene scene = site(fmt::format(fmt::runtime(wheel), level + 0.06 - 0.006));
  scene.soil->terramechanics->dig_depth = 0.01;
  talus::Simulation shallow(scene, on_cpu);
  shallow.advance(60);
  CHECK(shallow.soil()->live_grains == 0);
  CHECK(shallow.body_loads()[0].force.z > 10.0);
  talus::Scene deep_scene = site(fmt::format(fmt::runtime(wheel), level + 0.06 - 0.012));
  deep_scene.soil->terramechanics->dig_depth = 0.01;
  talus::Simulation deep(deep_scene, on_cpu);
  const std::uint64_t quanta = deep.soil()->quanta;
  deep.advance(60);
  CHECK(deep.soil()->live_grains > 100);
  CHECK(deep.soil()->quanta == quanta);
}

TEST_CASE("Bodies feel the surface of the ground as on the host", "[device][lockstep][soil][terramechanics]") {
  talus::Scene scene = site("cylinder = { radius = 0.1, height = 0.06 }\nrotation = [90, 0, 0]\nmass = 8\n"
                            "position = [0.3, 0.15, 0.13]\nvelocity = [0.5, 0, 0]\nspin = [0, 8, 0]\n"
                            "[[body]]\nname = \"foot\"\nground = \"surface\"\nbox.size = [0.1, 0.1, 0.02]\n"
                            "position = [0.33, 0.15, 0.045]\nvelocity = [0, 0, -0.5]\nrotation = [0, 10, 0]\n",
                            "y = \"periodic\"");
  talus::Simulation simulation(scene, in_lockstep());
  simulation.advance(25);
  CHECK(simulation.soil()->deepest_track > 1e-3);
}

TEST_CASE("A scene says what is wrong with a body on the surface of the ground", "[soil][terramechanics][scene]") {
  const auto said = [](const std::string& body, const std::string& soil) -> std::string {
    try {
      talus::parse_scene(
          fmt::format("[[material]]\nname = \"sand\"\n{}\n[[body]]\nname = \"wheel\"\nground = \"surface\"\n{}\n", soil,
                      body),
          "bad.toml");
    } catch (const talus::SceneError& e) {
      return e.what();
    }
    return "nothing";
  };
  const std::string
      ground = "[soil]\nmaterial = \"sand\"\nradius = 0.01\nheight = 0.1\n",
      bears = "[soil.terramechanics]\nfrictional_modulus = 1e6\nfriction_angle = 30\nshear_displacement = 0.01\n";
  CHECK_THAT(said("sphere.radius = 0.1", ""), Catch::Contains("bad.toml:6:10") && Catch::Contains("needs [soil] with"));
  CHECK_THAT(said("sphere.radius = 0.1", ground), Catch::Contains("needs [soil] with [soil.terramechanics]"));
  CHECK_THAT(said("plane = {}", ground + bears), Catch::Contains("neither planes nor particles"));
  CHECK_THAT(said("sphere.radius = 0.1", ground + bears + "cohesive_modulus = 1e4"), Catch::Contains("needs width"));
  CHECK_THAT(
      said("sphere.radius = 0.1", ground + "[soil.terramechanics]\nfriction_angle = 30\nshear_displacement = 0.01\n"),
      Catch::Contains("frictional_modulus"));
}
