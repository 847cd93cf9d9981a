// Settings of the solver: what is read and written, the defaults of a method, materials by name, the number of substeps
// and what the engine advises against.
#include "engine/scene/convergence.h"
#include "engine/scene/presets.h"
#include "engine/scene/scene.h"
#include "engine/scene/text.h"
#include "engine/scene/words.h"
#include "engine/talus.h"
#include "scratch.h"
#include "tests/catch.h"
#include <cmath>

using namespace talus;
using talus_tests::contains;

namespace {

Solver solver_of(const std::string& settings) {
  return parse_scene("[solver]\n" + settings, "s.toml").solver;
}

// 1000 grains of 1 cm in a box of 0.2 x 0.2 m, up to 0.5 m: 11.2 layers when they lie.
//   height = 1000 * 4/3 pi 1e-6 / 0.55 / 0.04 = 0.1904 m, layers = height / 0.017
//   the highest falls 0.48 m and is 3.069 m/s fast: h <= 1.629 ms
Scene box(const std::string& solver, double dt = 0.01) {
  return parse_scene("[time]\ndt = " + std::to_string(dt) +
                         "\n[domain]\nmin = [0, 0, 0]\nmax = [0.2, 0.2, 1]\n[[material]]\nname = \"sand\"\ndensity = "
                         "2500\nrolling_friction = 0.1\n[[grains]]\nmaterial = \"sand\"\nradius = 0.01\nsampling = "
                         "\"lattice\"\ncount = 1000\n"
                         "fill.box = { min = [0, 0, 0], max = [0.2, 0.2, 0.5] }\n[solver]\n" +
                         solver,
                     "box.toml");
}

int substeps(const std::string& solver, double dt = 0.01) {
  return choose_substeps(box(solver, dt)).substeps;
}

bool advised(const Scene& scene, const std::string& text) {
  for (const std::string& advice : advise(scene))
    if (contains(advice, text))
      return true;
  return false;
}

}  // namespace

TEST_CASE("every setting of the solver is read", "[scene]") {
  Solver s = solver_of("method = \"p2\"\niteration = \"jacobi\"\niterations = 7\nsubsteps = \"auto\"\noverlap = 0.02\n"
                       "contact_memory = false\naveraging = \"plain\"\nneighbours = "
                       "\"linked\"\nerror_reduction = 0.25\n"
                       "sleep_speed = 0.018\n");
  CHECK(s.method == Method::p2);
  CHECK(s.iteration == Iteration::jacobi);
  CHECK(s.iterations == 7);
  CHECK(s.substeps == 0);
  CHECK(s.overlap == 0.02);
  CHECK(!s.contact_memory);
  CHECK(s.averaging == Averaging::plain);
  CHECK(s.neighbours == Neighbours::linked);
  CHECK(s.error_reduction == 0.25);
  CHECK(s.sleep_speed == 0.018);

  s = solver_of("method = \"pbd\"\nfriction = \"per_iteration\"\nmass_scaling = 3\nstabilization = 2\nsor = 1.5\n");
  CHECK(s.method == Method::pbd);
  CHECK(s.friction == FrictionBound::per_iteration);
  CHECK(s.mass_scaling == 3);
  CHECK(s.stabilization == 2);
  CHECK(s.sor == 1.5);

  s = solver_of("method = \"vts\"\nomega = 0.4\nbeta_a = 0.7\nbeta_b = 0.8\ngamma = 0.3\nwarm_start = 0.25\n");
  CHECK(s.method == Method::vts);
  CHECK(s.omega == 0.4);
  CHECK(s.beta_a == 0.7);
  CHECK(s.beta_b == 0.8);
  CHECK(s.gamma == 0.3);
  CHECK(s.warm_start == 0.25);

  s = solver_of("method = \"sp\"\niteration = \"gauss_seidel\"\nkv = 0.2\nkc = 0.9\n");
  CHECK(s.iteration == Iteration::gauss_seidel);
  CHECK(s.kv == 0.2);
  CHECK(s.kc == 0.9);

  s = solver_of("method = \"dem\"\nstiffness = \"material\"\ncontact_memory = true\nsubsteps = 12\n");
  CHECK(s.method == Method::dem);
  CHECK(s.stiffness == Stiffness::material);
  CHECK(s.substeps == 12);

  // What says nothing new may be said.
  CHECK(solver_of("method = \"pbd\"\ncontact_memory = false\n") == default_solver(Method::pbd));
  CHECK(!solver_of("method = \"vts\"\niteration = \"pja\"\ncontact_memory = false\n").contact_memory);

  const Scene scene = parse_scene("[domain]\nadhesion = 5\n[[material]]\nname = \"a\"\nadhesion = 1e4\n", "s");
  CHECK(scene.domain.adhesion == 5.0);
  CHECK(scene.materials[0].adhesion == 1e4);
  CHECK(!parse_scene("", "s").domain.adhesion);
}

TEST_CASE("defaults follow method, iteration and contact memory", "[scene]") {
  CHECK(default_solver(Method::p2) == Solver{});
  CHECK(solver_of("method = \"p2\"\n").iterations == 5);
  CHECK(solver_of("method = \"p2\"\n").error_reduction == 0.0);
  CHECK(solver_of("method = \"p2\"\ncontact_memory = false\n").error_reduction == 0.5);

  const Solver vts = solver_of("method = \"vts\"\n");
  CHECK(vts.iteration == Iteration::improved_jacobi);
  CHECK(vts.iterations == 5);
  CHECK(vts.contact_memory);
  CHECK((vts.omega == 0.5 && vts.beta_a == 0.5 && vts.beta_b == 0.6 && vts.gamma == 0.5 && vts.warm_start == 0.5));
  const Solver forgetful = solver_of("method = \"vts\"\ncontact_memory = false\n");
  CHECK((forgetful.omega == 0.5 && forgetful.beta_a == 1.0 && forgetful.warm_start == 0.0));
  CHECK(solver_of("method = \"vts\"\niteration = \"jacobi\"\n").omega == 0.3);
  CHECK(solver_of("method = \"vts\"\niteration = \"mass_splitting\"\n").omega == 1.0);
  const Solver exact = solver_of("method = \"vts\"\niteration = \"gauss_seidel\"\ncontact_memory = true\n");
  CHECK((exact.omega == 1.0 && exact.contact_memory));
  const Solver pja = solver_of("method = \"vts\"\niteration = \"pja\"\n");
  CHECK((pja.omega == 0.3 && pja.gamma == 0.8 && !pja.contact_memory && pja.warm_start == 0.0));

  const Solver sp = solver_of("method = \"sp\"\n");
  CHECK((sp.iteration == Iteration::improved_jacobi && sp.omega == 0.3 && sp.contact_memory && sp.warm_start == 0.5));
  CHECK(solver_of("method = \"sp\"\niteration = \"gauss_seidel\"\n").omega == 1.0);

  CHECK(!solver_of("method = \"pbd\"\n").contact_memory);
  CHECK(solver_of("method = \"pbd\"\n").iteration == Iteration::jacobi);
  CHECK(solver_of("method = \"dem\"\n").iterations == 1);
  CHECK(solver_of("method = \"dem\"\n").contact_memory);

  // Words stand for the enumerators in their order.
  CHECK(word(Method::dem) == "dem");
  CHECK(word(Iteration::gauss_seidel) == "gauss_seidel");
  CHECK(word(Sampling::lattice) == "lattice");
  CHECK(word(ColorBy::height) == "height");
  CHECK(word(Axis::periodic) == "periodic");
}

TEST_CASE("the canonical text holds every setting of each method", "[scene]") {
  const std::vector<std::string> texts{
      "",
      "method = \"p2\"\niteration = \"mass_splitting\"\nsubsteps = \"auto\"\noverlap = 0.03\nneighbours = \"linked\"\n",
      "method = \"p2\"\ncontact_memory = false\naveraging = \"plain\"\nerror_reduction = 0.25\nsleep_speed = 0.01\n"
      "incremental_rebuild = false\n",
      "method = \"pbd\"\nfriction = \"per_iteration\"\nmass_scaling = 3\nstabilization = 2\nsor = 1.5\niterations = "
      "9\n",
      "method = \"pbd\"\niteration = \"gauss_seidel\"\nfriction = \"afterwards\"\n",
      "method = \"vts\"\nomega = 0.4\nbeta_a = 0.7\nbeta_b = 0.8\ngamma = 0.3\nwarm_start = 0.25\n",
      "method = \"vts\"\ncontact_memory = false\niteration = \"jacobi\"\ngamma = 0.4\n",
      "method = \"vts\"\niteration = \"pja\"\nomega = 0.2\n",
      "method = \"sp\"\nkv = 0.2\nkc = 0.9\nomega = 0.25\n",
      "method = \"sp\"\niteration = \"mass_splitting\"\nwarm_start = 0\n",
      "method = \"dem\"\nstiffness = \"material\"\nsubsteps = 9\n",
  };
  std::vector<std::string> seen;
  for (const std::string& text : texts) {
    INFO(text);
    const Scene scene =
        parse_scene("[domain]\nadhesion = 3\n[[material]]\npreset = \"clay\"\n[solver]\n" + text, "s.toml");
    const std::string written = to_toml(scene);
    INFO(written);
    const Scene again = parse_scene(written, "again.toml");
    CHECK(again.solver == scene.solver);
    CHECK(again.domain.adhesion == scene.domain.adhesion);
    CHECK(again.materials[0].adhesion == scene.materials[0].adhesion);
    CHECK(to_toml(again) == written);
    CHECK(std::find(seen.begin(), seen.end(), written) == seen.end());
    seen.push_back(written);
  }
}

TEST_CASE("a preset gives what a material does not say itself", "[scene]") {
  REQUIRE(material_presets().size() == 7);
  for (const Preset& p : material_presets()) {
    const Material m =
        parse_scene("[[material]]\npreset = \"" + std::string(p.name) + "\"\n", "s.toml").materials.at(0);
    CHECK(m.name == p.name);
    CHECK(m.density == p.density);
    CHECK(m.friction_static == p.friction);
    CHECK(m.friction_kinetic == p.friction);
    CHECK(m.rolling_friction == p.rolling_friction);
    CHECK(m.restitution.value_or(0.0) == p.restitution);
    CHECK(m.adhesion == adhesion_for(p.tensile_strength));
    CHECK(m.color == p.color);
    CHECK((p.density >= 2500 && p.density < 8000));
    for (const double angle : {p.slopes.poured, p.slopes.lifted, p.slopes.drum})
      CHECK((angle > 15 && angle < 90));
  }
  // What says the same as a value of the preset stands in its place.
  CHECK_FALSE(parse_scene("[[material]]\npreset = \"glass_beads\"\ndamping = 3\n", "s")
                  .materials.at(0)
                  .restitution.has_value());
  CHECK(parse_scene("[[material]]\npreset = \"clay\"\ntensile_strength = 100\n", "s").materials.at(0).adhesion == 4000);
  const Scene s =
      parse_scene("[[material]]\npreset = \"wet_sand\"\nname = \"beach\"\ndensity = 2000\nfriction_static = "
                  "0.4\nadhesion = 0\ncolor = [1, 1, 1]\n[[grains]]\nmaterial = \"beach\"\nradius = 0.01\n"
                  "fill.points = [[0, 0, 1]]\n",
                  "s.toml");
  const Material& m = s.materials.at(0);
  CHECK(m.name == "beach");
  CHECK(m.density == 2000);
  CHECK(m.friction_static == 0.4);
  CHECK(m.friction_kinetic == 0.4);
  CHECK(m.adhesion == 0);
  CHECK(m.color == glm::vec3(1));
  CHECK(parse_scene("[[material]]\npreset = \"clay\"\n", "s", {"material.clay.density=3000"}).materials[0].density ==
        3000);
}

TEST_CASE("the number of substeps follows from the scene", "[substeps]") {
  SECTION("computed by hand") {
    // dem: h = sqrt(0.015 * 0.5 * 0.01 / (0.8352 * 9.81 * 11.2)) = 0.904 ms, 0.74 + 0.1 * 0.1904 / 0.2 = 0.8352
    CHECK(substeps("method = \"dem\"\n") == 12);
    CHECK(substeps("method = \"dem\"\noverlap = 0.03\n") == 8);  // 1.279 ms
    // vts: the overlap allows 2.337 ms, the speed 1.629 ms; with one iteration the overlap allows 1.045 ms
    CHECK(substeps("method = \"vts\"\n") == 7);
    CHECK(substeps("method = \"vts\"\niterations = 1\n") == 10);
    // p2: 1.280 ms
    CHECK(substeps("method = \"p2\"\n") == 8);
    // Springs of 1e5 N/m and grains of 10.47 g: sqrt(0.5 * 0.005236 / 1e5) = 0.1618 ms for a pair
    CHECK(choose_substeps(parse_scene(to_toml(box("method = \"dem\"\nstiffness = \"material\"\n")), "s",
                                      {"material.0.stiffness=1e5"}))
              .substeps == 62);
  }
  SECTION("why") {
    CHECK(
        choose_substeps(box("method = \"dem\"\n")).why ==
        "substeps = 12 (h = 0.833 ms): mean overlap 0.013 r at rest under 11 layers; the fastest grain, 3.1 m/s, moves "
        "0.26 r; the overlap decided");
    CHECK(contains(choose_substeps(box("method = \"vts\"\n")).why, "the speed decided"));
    CHECK(contains(choose_substeps(box("method = \"dem\"\nstiffness = \"material\"\n")).why,
                   "the stiffness of the lightest contact decided"));
    CHECK(contains(choose_substeps(box("method = \"vts\"\n", 1e-4)).why, "one is enough"));
    CHECK(choose_substeps(parse_scene("", "s")).substeps == 1);
  }
  SECTION("what asks for more gets no fewer") {
    for (const std::string method : {"p2", "pbd", "vts", "sp", "dem"}) {
      const std::string m = "method = \"" + method + "\"\n";
      int before = 0;
      for (const double dt : {0.001, 0.002, 0.01, 0.05}) {
        CHECK(substeps(m, dt) >= before);
        before = substeps(m, dt);
      }
      before = 0;
      for (const std::string overlap : {"0.1", "0.03", "0.01", "0.003", "0.001"}) {
        CHECK(substeps(m + "overlap = " + overlap + "\n") >= before);
        before = substeps(m + "overlap = " + overlap + "\n");
      }
      before = 0;
      for (const unsigned count : {100u, 500u, 2000u, 20000u}) {
        Scene scene = box(m + "overlap = 0.005\n");
        scene.grains[0].count = count;
        CHECK(choose_substeps(scene).substeps >= before);
        before = choose_substeps(scene).substeps;
      }
      Scene fast = box(m);
      fast.grains[0].velocity = {0, 0, -20};
      CHECK(choose_substeps(fast).substeps == 41);  // 20.23 m/s: h <= 0.247 ms
    }
  }
  SECTION("fills on top of each other are one bed, beside each other two") {
    Scene two = box("method = \"dem\"\noverlap = 0.005\n");
    const int one = choose_substeps(two).substeps;
    two.grains.push_back(two.grains[0]);
    two.grains[1].shape = BoxFill{{0, 0, 0.5}, {0.2, 0.2, 1}};
    const SubstepChoice above = choose_substeps(two);
    CHECK(contains(above.why, "under 22 layers"));
    CHECK(above.substeps > one);
    two.domain.max.x = 1;
    two.grains[1].shape = BoxFill{{0.5, 0, 0}, {0.7, 0.2, 0.5}};
    CHECK(contains(choose_substeps(two).why, "under 11 layers"));
  }
  SECTION("walls hold down what lies between them") {
    Scene s = box("method = \"dem\"\noverlap = 0.005\n");
    CHECK(choose_substeps(s).substeps == 20);  // 0.74 + 0.1 * 0.952: 0.522 ms
    s.domain.axis[0] = Axis::periodic;
    CHECK(choose_substeps(s).substeps == 20);
    s.domain.axis[1] = Axis::periodic;
    CHECK(choose_substeps(s).substeps == 19);  // 0.74: 0.554 ms
    s.domain.axis = {Axis::wall, Axis::wall, Axis::wall};
    s.grains[0].count = 500;
    s.domain.max.x = 0.1;
    s.grains[0].shape = BoxFill{{0, 0, 0}, {0.1, 0.2, 0.5}};
    CHECK(choose_substeps(s).substeps == 20);  // 0.74 + 0.1 * 1.5, no more than that: 0.506 ms
  }
  SECTION("a hill is as high as its columns are on average") {
    // A cone: half its height, filled to pi / 6 / 1.2^3 of it where 0.55 is a bed
    const Scene s = parse_scene("[[material]]\nname = \"a\"\n[[grains]]\nmaterial = \"a\"\nradius = 0.01\n"
                                "sampling = \"lattice\"\nfill.parts = [{ cone = { radius = 0.3, top_radius = 0, height "
                                "= 0.3 }, position = [0, 0, 0.15] }]\n",
                                "s");
    CHECK(contains(choose_substeps(s).why, "under 5 layers"));  // 0.0826 m
  }
  SECTION("a column of points is as many layers, and gravity may point anywhere") {
    Scene s =
        parse_scene("[[material]]\nname = \"a\"\n[[grains]]\nmaterial = \"a\"\nradius = 0.05\nfill.points = [[0, 0, "
                    "0.05], [0, 0, 0.15], [0, 0, 0.25], [0, 0, 0.35], [0, 0, 0.45]]\n",
                    "s");
    CHECK(contains(choose_substeps(s).why, "under 6 layers"));
    s.domain.gravity = {9.81, 0, 0};
    CHECK(contains(choose_substeps(s).why, "under 1 layer;"));
    CHECK(contains(choose_substeps(s).why, "4.3 m/s"));  // 0.95 m to the wall
    s.domain.axis[0] = Axis::open;
    CHECK(contains(choose_substeps(s).why, "0 m/s"));
    s.domain.gravity = {0, 0, 0};
    CHECK(choose_substeps(s).substeps == 1);
  }
  SECTION("what is poured makes a cone, or fills a narrow floor") {
    const std::string pour =
        "[time]\nend = 10\n[[material]]\nname = \"a\"\n[[emitter]]\nmaterial = \"a\"\nradius = 0.01\n"
        "rate = 1000\ncount = 1000\nshape.box = { min = [-0.1, -0.1, 0.5], max = [0.1, 0.1, 0.6] }\n";
    Scene s = parse_scene(pour, "s");
    CHECK(contains(choose_substeps(s).why, "under 8 layers"));  // cbrt(7.616e-3 / pi) = 0.134 m
    // Its grains bear what a level bed of 0.067 m, 3.95 layers, does: 0.74 x 9.81 (dt / 3)^2 3.95 / (0.5 x 0.01).
    CHECK(contains(choose_substeps(s).why, "substeps = 3 "));
    CHECK(contains(choose_substeps(s).why, "mean overlap 0.01 r"));
    s.domain.min = {-0.1, -0.1, 0};
    s.domain.max = {0.1, 0.1, 2};
    CHECK(contains(choose_substeps(s).why, "under 13 layers"));  // 0.190 + 0.038 m
    CHECK(contains(choose_substeps(s).why, "substeps = 5 "));    // 0.190 + 0.001 m
    CHECK(contains(choose_substeps(s).why, "mean overlap 0.012 r"));
    s.domain.axis = {Axis::open, Axis::open, Axis::wall};
    CHECK(contains(choose_substeps(s).why, "under 8 layers"));
    s.solver.substeps = 0;
    CHECK(populate(s).scheduled.size() == 1000);
  }
  SECTION("more than 1000 are an error that says what helps") {
    try {
      choose_substeps(box("method = \"dem\"\noverlap = 0.0001\n", 1.0));
      FAIL("no error");
    } catch (const SceneError& e) {
      INFO(e.what());
      CHECK(contains(e.what(), "box.toml: solver.substeps = \"auto\" comes to 13548 substeps"));
      CHECK(contains(e.what(), "for the overlap at rest under"));
      CHECK(contains(e.what(), "set time.dt to 0.0731 s or less"));
    }
    // No time.dt helps where a body jumps.
    const auto said = [](const std::string& x) -> std::string {
      const std::string text = "[[material]]\nname = \"m\"\n[[grains]]\nmaterial = \"m\"\nradius = 0.05\n"
                               "fill.points = [[0.3, 0, 0.5]]\n[[body]]\nname = \"a\"\nsphere.radius = 0.1\n"
                               "motion = { position = [\"t > 0.1 ? " +
                               x + " : 0\", 0, 0] }\n";
      try {
        choose_substeps(parse_scene(text, "fast.toml"));
      } catch (const SceneError& e) {
        return e.what();
      }
      return "no error";
    };
    CHECK(said("1e300") ==
          "fast.toml:10:24: body.a.motion.position.0 is 1e+300 m at 0.104 s: positions must stay within "
          "-1000000 to 1000000 m");
    CHECK(contains(said("1e6"),
                   "fast.toml: solver.substeps = \"auto\" finds none that are short enough: a grain's "
                   "greatest speed, 2.5e+08 m/s with what bodies that move give it, asks for substeps of"));
    CHECK_FALSE(contains(said("1e6"), "set time.dt"));
  }
}

TEST_CASE("a simulation takes the substeps that were chosen and says why", "[substeps]") {
  const Scene scene = box("substeps = \"auto\"\n");
  Simulation simulation(scene, {.device = "cpu"});
  CHECK(simulation.scene().solver.substeps == choose_substeps(scene).substeps);
  CHECK(simulation.notes() == std::vector{choose_substeps(scene).why, convergence_of(scene).value()});
  CHECK(simulation.warnings().empty());
  simulation.advance(2);
  CHECK(simulation.step() == 2);
  Simulation fixed(box("method = \"p2\"\nsubsteps = 20\niterations = 2\nerror_reduction = 0.5\n"), {.device = "cpu"});
  CHECK(fixed.notes().empty());
  REQUIRE(fixed.warnings().size() == 1);
  CHECK(contains(fixed.warnings()[0], "box.toml: solver.error_reduction = 0.5"));
}

TEST_CASE("what cannot work is advised against", "[advice]") {
  struct Case {
    std::string wrong, right, says;
    double dt = 0.01;
  };
  const std::vector<Case> cases{
      {"substeps = 5\n", "substeps = 7\n",
       "moves 0.61 r in a substep, and from 0.5 r on contacts are missed: set solver.substeps to 7 or \"auto\""},
      {"method = \"p2\"\nsubsteps = 1\n", "method = \"p2\"\nsubsteps = 7\n",
       "g h^2 / r is 0.098, and above 0.05 p2 crushes grains at rest"},
      {"method = \"dem\"\nsubsteps = 3\n", "method = \"dem\"\nsubsteps = 7\n", "overlap by 0.2 r on average at rest"},
      {"method = \"dem\"\nstiffness = \"material\"\nsubsteps = 170\n",
       "method = \"dem\"\nstiffness = \"material\"\nsubsteps = 200\n", "softer than the material"},
      {"method = \"vts\"\niteration = \"pja\"\nsubsteps = 9\n",
       "method = \"vts\"\niteration = \"pja\"\nsubsteps = 10\n", "with pja only if substeps are at most 0.001 s"},
      {"method = \"vts\"\nomega = 0.6\nsubsteps = 8\n", "method = \"vts\"\nomega = 0.5\nsubsteps = 8\n",
       "beyond the stable range of improved_jacobi: set it to 0.5 or less"},
      {"method = \"vts\"\niteration = \"jacobi\"\nomega = 0.4\nsubsteps = 8\n",
       "method = \"vts\"\niteration = \"jacobi\"\nsubsteps = 8\n", "set it to 0.3 or less"},
      {"method = \"vts\"\niteration = \"pja\"\nomega = 1\nsubsteps = 10\n",
       "method = \"vts\"\niteration = \"pja\"\nomega = 0.3\nsubsteps = 10\n", "set it to 0.3 or less"},
      {"method = \"vts\"\nbeta_a = 2\nsubsteps = 8\n", "method = \"vts\"\nbeta_a = 1\nsubsteps = 8\n", "jitter"},
      {"method = \"vts\"\nbeta_a = 1\niterations = 4\nsubsteps = 8\n",
       "method = \"vts\"\niterations = 4\nsubsteps = 8\n", "lone grains hop with 4 iterations"},
      {"method = \"sp\"\niterations = 1\nsubsteps = 8\n", "method = \"sp\"\niterations = 2\nsubsteps = 8\n",
       "a heap does not hold"},
      {"method = \"vts\"\nwarm_start = 0.9\nsubsteps = 8\n", "method = \"vts\"\nwarm_start = 0.8\nsubsteps = 8\n",
       "restless"},
      {"method = \"p2\"\nerror_reduction = 0.1\nsubsteps = 8\n",
       "method = \"p2\"\ncontact_memory = false\nerror_reduction = 0.1\nsubsteps = 8\n", "makes heaps too steep"},
      {"method = \"p2\"\nsleep_speed = 0.018\nsubsteps = 8\n", "method = \"p2\"\nsleep_speed = 0.012\nsubsteps = 8\n",
       "slow slides freeze"},
      {"method = \"pbd\"\nmass_scaling = 53\nsubsteps = 8\n", "method = \"pbd\"\nmass_scaling = 52\nsubsteps = 8\n",
       "over a pile 0.19 m high throws it into the air: set it to 53 or less"},
  };
  for (const Case& c : cases) {
    INFO(c.wrong << "\n" << (advise(box(c.wrong)).empty() ? "nothing" : advise(box(c.wrong))[0]));
    CHECK(advised(box(c.wrong), c.says));
    INFO(c.right << "\n" << (advise(box(c.right)).empty() ? "nothing" : advise(box(c.right))[0]));
    CHECK(advise(box(c.right)).empty());
  }

  // pbd has no adhesion.
  Scene sticky = box("method = \"pbd\"\nsubsteps = 8\n");
  CHECK(advise(sticky).empty());
  sticky.materials[0].adhesion = 100.0;
  CHECK(advised(sticky, "pbd has no adhesion, so that the adhesion of 100 Pa has no effect"));

  // Contacts of dem that are too soft for the adhesion: it stretches them by 0.73 r, with 27 substeps by 0.049 r.
  sticky = box("method = \"dem\"\nsubsteps = 7\n");
  CHECK(advise(sticky).empty());
  sticky.materials[0].adhesion = 1e6;
  CHECK(advised(sticky,
                "adhesion bears only 0.14 of its force, as contacts part at a gap of 0.1 r: set solver.substeps "
                "to 27 or \"auto\""));
  CHECK(choose_substeps(sticky).substeps == 27);
  CHECK(contains(choose_substeps(sticky).why, "the adhesion decided"));
  sticky.solver.substeps = 27;
  CHECK(advise(sticky).empty());

  // A grain of a stack counts as 1.1 layers of a bed.
  Scene tall = box("method = \"p2\"\ncontact_memory = false\nsubsteps = 8\n");
  tall.domain.max.z = 10.0;
  for (const int grains : {30, 60}) {
    PointsFill points;
    for (int i = 0; i < grains; ++i)
      points.points.push_back({0.1, 0.1, 0.01 + 0.02 * i});
    tall.grains[0].shape = points;
    tall.grains[0].count = {};
    CAPTURE(grains, advise(tall));
    CHECK(advised(tall, "throws piles of more than 40 layers apart") == (grains == 60));
  }

  // Contacts that are too soft for the bed: 11.2 layers of 10.47 g weigh 1.15 N, an overlap of 1 mm needs 1150 N/m.
  Scene soft = box("method = \"p2\"\nsubsteps = 8\n");
  soft.materials[0].stiffness = 1000;
  CHECK(advised(soft, "the stiffness of material sand, 1e+03 N/m, lets a bed of 11 layers"));
  soft.materials[0].stiffness = 1200;
  CHECK(advise(soft).empty());
  soft.materials[0].stiffness = 1;
  soft.solver = default_solver(Method::vts);
  soft.solver.substeps = 8;
  CHECK(advise(soft).empty());

  // Sane scenes: the defaults of each method with as many substeps as they need.
  for (const Method method : {Method::p2, Method::pbd, Method::vts, Method::sp, Method::dem}) {
    Scene sane = box("");
    sane.solver = default_solver(method);
    sane.solver.substeps = 0;
    CHECK(advise(sane).empty());
    for (const Iteration iteration : iterations_of(method)) {
      INFO(word(method) << " " << word(iteration));
      sane.solver = default_solver(method, iteration);
      sane.solver.substeps = 0;
      CHECK(advise(sane).empty());
    }
  }
  CHECK(advise(parse_scene("[solver]\nmethod = \"p2\"\nerror_reduction = 1\n", "s")).empty());  // no grains
}

TEST_CASE("Places too coarse for the grains are an error, and coarse ones are advised against", "[advice]") {
  const auto scene_at = [](double x, Axis axis) {
    Scene scene = box("");
    const double edge = scene.domain.max.x - scene.domain.min.x;
    scene.domain.axis[0] = axis;
    scene.domain.min.x = x - edge;
    scene.domain.max.x = x;
    scene.grains.resize(1);
    scene.grains[0].shape = PointsFill{{{x - edge / 2, 0.1, 0.5}}};
    scene.grains[0].count.reset();
    scene.grains[0].radius_min = scene.grains[0].radius_max = 0.01;
    return scene;
  };
  const std::string told = "move the scene towards the origin";
  for (const Axis axis : {Axis::wall, Axis::periodic, Axis::open}) {
    CHECK_FALSE(advised(scene_at(100.0, axis), told));  // 7.6e-6 m
    CHECK(advised(scene_at(250.0, axis), told));        // 1.5e-5 m
    CHECK_NOTHROW(Simulation(scene_at(1000.0, axis), {.device = "cpu", .threads = 1}));
    CHECK_THROWS_AS(Simulation(scene_at(1100.0, axis), {.device = "cpu", .threads = 1}), SceneError);  // 1.2e-4 m
  }
  // Where grains fly off along an open axis is not the scene's fault.
  Scene flying = scene_at(0.0, Axis::open);
  flying.dt = 0.1;
  flying.grains[0].velocity = {5000.0, 0.0, 0.0};
  flying.solver.substeps = 1;
  Simulation simulation(flying, {.device = "cpu", .threads = 1});
  CHECK_NOTHROW(simulation.advance(10));
  CHECK(simulation.grains()[0].position.x > 4000.0f);
}
