// Every pass on the device against its reference, from the same input.
#include "engine/core/passes.h"
#include "engine/core/sdf.h"
#include "engine/executors/bound_fields.h"
#include "engine/executors/open_devices.h"
#include "engine/gpu/graph.h"
#include "engine/gpu/shader.h"
#include "engine/scene/clump.h"
#include "lanes.h"
#include "simulate.h"
#include <algorithm>
#include <set>
#include <spirv_cross/spirv.hpp>

namespace talus::shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

using namespace talus;
using namespace talus_tests;

namespace {

ClothSpec small_sheet(glm::dvec2 size, glm::dvec3 position) {
  ClothSpec cloth;
  cloth.name = "sheet";
  cloth.sheet = ClothGrid{size, {5, 4}};
  cloth.position = position;
  cloth.thickness = 0.004;
  return cloth;
}

}  // namespace

TEST_CASE("Every pass agrees with its reference for any number of grains", "[device][lockstep]") {
  const unsigned n = GENERATE(0u, 1u, 2u, 13u, 127u, 1000u, 4097u);
  CAPTURE(n);
  Simulation simulation(jumble(n), in_validated_lockstep());
  // One has flown away, further than there are cells.
  auto grains = read_field<Grain>(simulation.executor(), FieldId::grains, simulation.grain_places());
  for (Grain& grain : grains)
    if (grain.position.x > 400.0f)
      grain.position.x = 1e4f;
  write_field(simulation.executor(), FieldId::grains, grains);
  REQUIRE_NOTHROW(simulation.advance(4));
  REQUIRE_NOTHROW(simulation.measure());
  CHECK(simulation.step() == 4);
  CHECK(simulation.grain_count() == n);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

TEST_CASE("Every pass agrees with its reference in many worlds", "[device][lockstep]") {
  Scene scene = jumble_with_bodies(300);
  scene.emitters = pouring(2, 3, 0.08).emitters;
  scene.emitters[0].shape = CylinderFill{{0.0, 0.0, 0.09}, 0.06, 0.05};
  scene.cloths.push_back(small_sheet({0.08, 0.06}, {0.0, 0.0, 0.05}));
  scene.worlds = 3;
  Simulation simulation(scene, in_validated_lockstep());
  REQUIRE_NOTHROW(simulation.advance(2));
  // From here on they build their lists in different substeps.
  const std::uint32_t second = 1;
  simulation.reset_worlds(std::span(&second, 1));
  REQUIRE_NOTHROW(simulation.advance(3));
  REQUIRE_NOTHROW(simulation.measure());
  CHECK(simulation.grains().back().world == 2);
  CHECK(simulation.grains_born() > 900);
  CHECK(complaints(simulation) == std::vector<std::string>{});
}

TEST_CASE("Every pass agrees with its reference while an emitter pours and contact slots run out",
          "[device][lockstep]") {
  Options options = in_validated_lockstep();
  options.contact_slots = 1;
  MeshPart boundary;
  boundary.as = MeshAs::particles;
  boundary.radius = 0.01;
  boundary.file = "made here";
  boundary.loaded =
      std::make_shared<LoadedMesh>(LoadedMesh{{{{0, 0, 0}, {0.03f, 0, 0}, {0, 0.03f, 0}}, {{0, 1, 2}}}, false, {}});
  std::set<std::string> run;
  const auto add_run = [&](const std::vector<PassTime>& passes) {
    for (const PassTime& pass : passes)
      if (pass.calls > 0)
        run.insert(pass.name);
  };
  for (const Variant& variant : variants()) {
    CAPTURE(variant.name);
    Scene scene = with(pouring(2, 3, 0.08), variant.solver);
    scene.depth_cameras.push_back({.name = "map",
                                   .position = {0, 0, 1},
                                   .rotation = {0, 90, 0},
                                   .size = {9, 7},
                                   .far = 2.0,
                                   .values = PixelValue::height});
    scene.bodies.push_back(body_of("cone", {{ConePart{0.08, 0.02, 0.05}}}));
    scene.bodies.push_back(body_of("skin", {{boundary}}, {-0.05, 0.0, 0.1}));
    scene.bodies.back().material = 0;
    if (variant.solver.detection == Detection::lists) {
      scene.bodies.push_back(body_of("ball", {{SpherePart{0.02}}}, {0.0, 0.05, 0.12}));
      scene.bodies.back().mass = 0.1;
      scene.bodies.push_back(body_of("bob", {{SpherePart{0.015}}}, {0.0, 0.0, -0.04}));
      scene.bodies.back().mass = 0.05;
      scene.bodies.back().parent = "ball";
      scene.bodies.back().motion = Joint{.axis = {0.0, 1.0, 0.0}, .friction = 1e-4};
      scene.cloths.push_back(small_sheet({0.1, 0.08}, {0.0, -0.06, 0.1}));
    }
    scene.sinks.push_back(
        {.name = "drain", .material = {}, .position = {0.08, 0.0, 0.1}, .parts = {{SpherePart{0.03}}}});
    scene.shapes.push_back({.name = "ball"});
    scene.shapes.back().grains.radius_min = scene.shapes.back().grains.radius_max = 0.01;
    scene.shapes.back().grains.shape = SphereFill{{-0.1, 0.05, 0.2}, 0.03};
    scene.upsampling = Upsampling{.radius_min = 0.004, .radius_max = 0.006, .step = 0.017, .where = {}};
    Simulation simulation(scene, options);
    REQUIRE_NOTHROW(simulation.advance(8));
    CHECK(simulation.grab({0.0, 0.0, 0.2}, 0.1) > 0);
    simulation.move_hand({0.02, 0.0, 0.21});
    REQUIRE_NOTHROW(simulation.advance(4));
    if (run.empty())  // the same for all methods
      REQUIRE_NOTHROW(simulation.depth_buffer());
    REQUIRE_NOTHROW(simulation.evaluate_contacts());
    REQUIRE_NOTHROW(simulation.measure());
    CHECK(simulation.grain_count() > 50);
    CHECK(simulation.fine_count() > 200);
    CHECK(complaints(simulation) == std::vector<std::string>{});
    add_run(simulation.pass_times());
  }
  Simulation mended(pouring(2, 3, 0.08), options);  // without cloth, whose lists are built whole
  REQUIRE_NOTHROW(mended.advance(4));
  add_run(mended.pass_times());
  Scene clumped = with(pouring(2, 3, 0.08), default_solver(Method::dem));
  clumped.solver.rotation = true;
  add_points(clumped, 0.01, {{0.0, 0.0, 0.05}, {0.05, 0.0, 0.05}});
  clumped.grains.back().clump = pair_clump();
  Simulation clumps(clumped, options);
  REQUIRE_NOTHROW(clumps.advance(4));
  add_run(clumps.pass_times());
  Scene resting = with(pouring(2, 3, 0.08), default_solver(Method::dem));
  resting.solver.sleep = true;
  Simulation sleepers(resting, options);
  REQUIRE_NOTHROW(sleepers.advance(4));
  add_run(sleepers.pass_times());
  Scene dug = parse_scene(
      "[domain]\nmin = [-0.1, -0.1, 0.0]\nmax = [0.1, 0.1, 0.2]\n[[material]]\nname = \"sand\"\n[soil]\nmaterial = "
      "\"sand\"\nradius = 0.01\nheight = 0.05\n[soil.terramechanics]\nfrictional_modulus = 1e6\nfriction_angle = 30\n"
      "shear_displacement = 0.01\n[[body]]\nname = \"foot\"\nsphere.radius = 0.02\nposition = [0.07, 0.08, 0.069]\n"
      "ground = \"surface\"\n[[body]]\nname = \"blade\"\nbox.size = [0.02, 0.1, 0.1]\nposition = [0, "
      "0, "
      "0.08]\nvelocity = [0.1, 0, 0]\n[[depth_camera]]\nname = \"map\"\nposition = [0, 0, 1]\nrotation = [0, 90, "
      "0]\nsize = "
      "[9, 7]\nfar = 2\n",
      "dug.toml");
  Simulation ground(dug, options);
  REQUIRE_NOTHROW(ground.advance(4));
  REQUIRE_NOTHROW(ground.depth_buffer());
  add_run(ground.pass_times());
  const auto executor = make_lockstep_executor(make_gpu_executor(options), options.threads);
  std::string note;
  bake_sdf({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}, {.cell = 0.2f}, *executor, note);
  add_run(executor->pass_times());
  for (const PassInfo& pass : pass_infos) {  // none was left out
    CAPTURE(pass.name);
    CHECK((pass.unit == Unit::serial || run.contains(std::string(pass.name))));
  }
}

TEST_CASE("Every method agrees with its reference", "[device][lockstep]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  // A contact at the edge of its friction cone may fall to either side of it: among so many grains there is none.
  Simulation simulation(with(jumble_with_bodies(1024), variant.solver), in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
  REQUIRE_NOTHROW(simulation.evaluate_contacts());
  REQUIRE_NOTHROW(simulation.measure());
}

// None of variants(): its friction is not Coulomb's.
TEST_CASE("Friction applied afterwards agrees with its reference", "[device][lockstep]") {
  const Solver after{.method = Method::pbd, .friction = FrictionBound::afterwards};
  Simulation simulation(with(jumble_with_bodies(1024), after), in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(6));
}

TEST_CASE("Lockstep finds a difference and names pass and field", "[device][lockstep]") {
  Simulation simulation(jumble(127), in_lockstep());
  simulation.advance(1);
  // The device's copy alone gets another radius.
  gpu::Graph graph(*simulation.gpu_device());
  const float radius = 0.5f;
  graph.upload(*simulation.grain_buffer(), std::as_bytes(std::span(&radius, 1)),
               offsetof(shared::Grain, position) + 12);
  graph.finish();
  REQUIRE_THROWS_WITH(simulation.advance(1), Catch::Contains("pass ") && Catch::Contains("in the reference"));
}

TEST_CASE("Every pass has a shader that binds no more fields than it may, and any device can run", "[lockstep]") {
  for (const PassInfo& pass : pass_infos) {
    if (pass.unit == Unit::serial)
      continue;
    const std::string name = std::string(pass.name) + ".comp";
    CAPTURE(name);
    const auto code = shaders::find_shader(name);
    REQUIRE(!code.empty());
    const gpu::Reflection shader = gpu::reflect(name, code);
    CHECK(shader.push_bytes == (shader.push_bytes ? sizeof(Args) : 0));
    CHECK(shader.local_size[0] == group_size);
    CHECK(gpu::portability_problems(name, shader) == std::vector<std::string>{});
    for (std::size_t at = 5; at < code.size();
         at += code[at] >> spv::WordCountShift) {  // undefined of negative numbers
      CHECK((code[at] & spv::OpCodeMask) != spv::OpSMod);
      CHECK((code[at] & spv::OpCodeMask) != spv::OpSRem);
    }
    CHECK_NOTHROW(bound_fields(static_cast<Pass>(&pass - pass_infos.data()), shader.buffers));
  }
}

TEST_CASE("A pass that declares a field behind another one otherwise than the table is refused", "[lockstep]") {
  const auto bound = [](gpu::BufferBinding binding) {
    bound_fields(Pass::dem, std::vector{std::move(binding)});
    return true;
  };
  gpu::BufferBinding settings{.member = "settings", .access = gpu::BufferAccess::read, .stride = sizeof(Settings)};
  settings.tail = "pair_laws";
  settings.tail_stride = sizeof(PairLaw);
  CHECK(bound(settings));
  CHECK_THROWS_WITH(bound({.member = "pair_laws", .array = true, .stride = sizeof(PairLaw)}),
                    Catch::Contains("pair_laws alone, which lies behind settings"));
  settings.tail_stride = 4;
  CHECK_THROWS_WITH(bound(settings), Catch::Contains("pair_laws in elements of 4 bytes"));
  settings.tail = "grain_tag";
  CHECK_THROWS_WITH(bound(settings), Catch::Contains("grain_tag behind settings"));
}

// What vectorised passes must get right, in one scene: partly filled slices, materials, adhesion, seams, bodies, cloth,
// fixed grains, worlds, grains that come and go.
TEST_CASE("Vectorised passes agree with their references", "[lockstep]") {
  const int lanes = each_lanes();
  CAPTURE(lanes);
  const Options options{.device = "cpu", .verify = true, .lanes = lanes};
  SECTION("any number of grains") {
    const unsigned n = GENERATE(0u, 1u, 7u, 8u, 9u, 17u, 1000u, 4097u);
    CAPTURE(n);
    Simulation simulation(with(jumble(n), default_solver(Method::dem)), options);
    REQUIRE_NOTHROW(simulation.advance(4));
    CHECK(simulation.grain_count() == n);
  }
  SECTION("a box of equal grains, whose law is the simplest, at rest and falling") {
    Simulation simulation(with(box_of(500), default_solver(Method::dem)), options);
    REQUIRE_NOTHROW(simulation.advance(100));
  }
  SECTION("adhesion and a stiffness of the material") {
    Scene scene = with(box_of(500), default_solver(Method::dem));
    scene.materials[0].adhesion = 500.0;
    SECTION("tied to the step") {}
    SECTION("given") {
      scene.solver.stiffness = Stiffness::material;
      scene.materials[0].stiffness = 2000.0;
      SECTION("without damping") {}
      SECTION("with damping") {
        scene.materials[0].damping = 0.01;
      }
    }
    Simulation simulation(scene, options);
    REQUIRE_NOTHROW(simulation.advance(50));
  }
  SECTION("without memory") {
    Scene scene = with(box_of(500), default_solver(Method::dem));
    scene.solver.contact_memory = false;
    Simulation simulation(scene, options);
    REQUIRE_NOTHROW(simulation.advance(50));
  }
  SECTION("all methods") {
    std::vector<Variant> all = variants();
    all.push_back({"pbd, friction afterwards", {.method = Method::pbd, .friction = FrictionBound::afterwards}});
    for (const Variant& variant : all) {
      CAPTURE(variant.name);
      Scene scene = with(jumble_with_bodies(403), variant.solver);
      scene.grains.front().fixed = true;
      Simulation moving(scene, options);
      REQUIRE_NOTHROW(moving.advance(5));
      Simulation settling(with(box_of(300), variant.solver), options);
      REQUIRE_NOTHROW(settling.advance(30));
    }
  }
  SECTION("many worlds") {
    Scene scene = with(jumble_with_bodies(300), default_solver(Method::dem));
    scene.cloths.push_back(small_sheet({0.08, 0.06}, {0.0, 0.0, 0.05}));
    scene.worlds = 4;
    Simulation simulation(scene, options);
    REQUIRE_NOTHROW(simulation.advance(2));
    const std::uint32_t second = 1;
    simulation.reset_worlds(std::span(&second, 1));
    REQUIRE_NOTHROW(simulation.advance(3));
  }
  SECTION("an emitter, and slots that run out") {
    Options few = options;
    few.contact_slots = 1;
    Simulation simulation(with(pouring(4, 1, 0.08), default_solver(Method::dem)), few);
    REQUIRE_NOTHROW(simulation.advance(60));
    CHECK(simulation.grain_count() > 50);
  }
}

TEST_CASE("A pass is compiled once for all features that its shader does not read", "[device]") {
  OpenDevice open(on_device());
  const Features all;
  Features still;
  still.rotation = rotation_off;
  CHECK(open.program(Pass::body_move, still).pipeline == open.program(Pass::body_move, all).pipeline);
  CHECK(open.program(Pass::emit, still).pipeline != open.program(Pass::emit, all).pipeline);
}
