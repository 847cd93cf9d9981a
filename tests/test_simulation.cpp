// What a run promises: the same bits, nothing dropped, no state lost.
#include "engine/core/passes.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "shaders/shared/partner.h"
#include "simulate.h"
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

using namespace talus;
using namespace talus_tests;

namespace {

std::uint64_t hash_after(const Scene& scene, const Options& options, std::uint64_t steps) {
  Simulation simulation(scene, options);
  simulation.advance(steps);
  CHECK(complaints(simulation) == std::vector<std::string>{});
  return simulation.state_hash();
}

void resumes_bit_for_bit(const Options& options, const Variant& variant) {
  CAPTURE(variant.name);
  Scratch scratch;
  const Scene scene = with(box_of(300), variant.solver);
  Simulation whole(scene, options), first(scene, options), second(scene, options);
  first.advance(37);
  first.save(scratch / "state.talus");
  second.resume(scratch / "state.talus");
  CHECK(second.step() == 37);
  CHECK(second.state_hash() == first.state_hash());
  second.advance(60);
  whole.advance(97);
  CHECK(second.state_hash() == whole.state_hash());
  CHECK(second.time() == whole.time());
}

void invalid_state_falls_back(Options options) {
  options.contact_slots = 100'000;  // to make more, the host would write the settings, too
  Scene scene = box_of(100);
  // Too fast for a float within a substep: the square of the speed overflows.
  scene.domain.gravity = {0.0, 0.0, 0.0};
  scene.domain.axis = {Axis::open, Axis::open, Axis::open};
  Simulation simulation(scene, options);
  simulation.advance(5);
  auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
  settings[0].domain.gravity = {0.0f, 0.0f, 1e23f};
  write_field(simulation.executor(), FieldId::settings, settings);
  const std::uint64_t before = simulation.state_hash();
  REQUIRE_THROWS_WITH(simulation.advance(1), Catch::Contains("grain 0 ") && Catch::Contains("in step 5"));
  CHECK(simulation.step() == 5);
  CHECK(simulation.state_hash() == before);
  CHECK(read_field<World>(simulation.executor(), FieldId::worlds, 1)[0].lists.travel == lists_invalid);
  settings[0].domain.gravity = {0.0f, 0.0f, -9.81f};
  write_field(simulation.executor(), FieldId::settings, settings);
  simulation.advance(5);
  CHECK(simulation.step() == 10);
}

}  // namespace

TEST_CASE("The CPU path repeats bit for bit, for any number of threads", "[simulation]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  const Scene scene = with(box_of(1500), variant.solver);
  const std::uint64_t one = hash_after(scene, {.device = "cpu", .threads = 1}, 30);
  CHECK(hash_after(scene, {.device = "cpu", .threads = 1}, 30) == one);
  CHECK(hash_after(scene, {.device = "cpu", .threads = 2}, 30) == one);
  CHECK(hash_after(scene, {.device = "cpu", .threads = 5}, 30) == one);
  Scene other = scene;
  other.seed += 1;
  CHECK(hash_after(other, on_cpu, 30) != one);
}

TEST_CASE("The device repeats bit for bit", "[device][simulation]") {
  const Variant variant = each_method();
  CAPTURE(variant.name);
  const Scene scene = with(box_of(1500), variant.solver);
  const std::uint64_t first = hash_after(scene, on_device(), 30);
  CHECK(hash_after(scene, on_device(), 30) == first);
}

TEST_CASE("How steps are grouped does not matter", "[simulation]") {
  const Scene scene = box_of(300);
  Simulation together(scene, on_cpu), apart(scene, on_cpu);
  together.advance(50);
  for (int i = 0; i < 50; ++i)
    apart.advance(1);
  CHECK(together.state_hash() == apart.state_hash());
}

TEST_CASE("Steps end between batches where they are told to, with the state and the loads of those done",
          "[simulation]") {
  const Scene scene = box_of(300);
  Simulation stopped(scene, on_cpu), whole(scene, on_cpu);
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  stopped.advance(1, [] { return false; });
  CHECK(stopped.step() == 1);
  int asked = 0;
  stopped.advance(most, [&] { return ++asked < 3; });  // more than are left to be counted
  CHECK(asked == 3);
  REQUIRE(stopped.step() >= 4);  // a batch has a step at least
  CHECK(stopped.load_history().size() == (stopped.step() - 1) * scene.bodies.size());
  CHECK_THROWS_WITH(stopped.advance(most, []() -> bool { throw std::runtime_error("enough"); }), "enough");
  stopped.advance(5);
  whole.advance(stopped.step());
  CHECK(stopped.state_hash() == whole.state_hash());
}

TEST_CASE("Too few contact slots change nothing but the capacity", "[simulation]") {
  Scene scene = box_of(500);
  scene.solver.iterations = GENERATE(2, 3);  // grains and grains_next change places an even or odd number of times
  Options options{.device = "cpu", .contact_slots = 1};
  CHECK(hash_after(scene, options, 40) == hash_after(scene, on_cpu, 40));
}

TEST_CASE("Contact slots that run out in the middle of a run change nothing", "[simulation]") {
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  // Enough for the lattice at rest at the start; as it falls the margin grows and with it the lists, by more than the
  // way of the grains since the last build. Many steps share the batch that is halted.
  Scene scene = box_of(500);
  scene.grains[0].velocity_random = 0.0;
  scene.solver.iterations = GENERATE(2, 3);
  scene = with(scene, variant.solver);
  scene.solver.incremental_rebuild = GENERATE(false, true);  // with rows to spare, so that they may not run out
  CAPTURE(scene.solver.incremental_rebuild);
  Simulation plenty(scene, on_cpu);
  plenty.advance(1);
  const std::uint32_t slots = read_field<Status>(plenty.executor(), FieldId::status, 1)[0].lists.slots;
  plenty.advance(79);
  Simulation scarce(scene, {.device = "cpu", .contact_slots = slots});
  scarce.advance(80);
  if (slots > 0 && !scene.solver.incremental_rebuild)
    CHECK(scarce.executor().size(FieldId::contact_partner) > slots);
  CHECK(scarce.state_hash() == plenty.state_hash());
}

TEST_CASE("A stash that runs out while slots do not changes nothing but its size", "[simulation]") {
  // A dense lattice: whatever is in a list touches and remembers, where a heap's contacts do half of the time.
  Scene scene = with(box_of(500), default_solver(Method::dem));
  scene.solver.incremental_rebuild = false;
  scene.solver.substeps = 8;
  scene.grains[0].radius_min = scene.grains[0].radius_max;
  scene.grains[0].spacing = 1.0;
  scene.domain.max = {0.08, 0.08, 0.2};  // eight diameters
  scene.grains[0].shape = BoxFill{scene.domain.min, scene.domain.max};
  scene.grains[0].velocity_random = 0.01;
  const Options narrow{.device = "cpu", .contact_slots = 500 * 8};
  Simulation plenty(scene, on_cpu), scarce(scene, narrow);
  const std::size_t slots = scarce.executor().size(FieldId::contact_partner),
                    history = scarce.executor().size(FieldId::history);
  plenty.advance(60);
  scarce.advance(60);
  CHECK(scarce.executor().size(FieldId::contact_partner) == slots);
  CHECK(scarce.executor().size(FieldId::history) > history);
  CHECK(scarce.state_hash() == plenty.state_hash());
}

TEST_CASE("A checkpoint with births that its scene cannot have is refused", "[simulation]") {
  const Scene scene = parse_scene(R"(
[time]
end = 1
[domain]
min = [0, 0, 0]
max = [0.2, 0.2, 0.4]
[[material]]
name = "sand"
[[emitter]]
material = "sand"
radius = 0.02
rate = 20
count = 3
shape.box = { min = [0, 0, 0.3], max = [0.2, 0.2, 0.4] }
)",
                                  "pour.toml");
  Simulation simulation(scene, on_cpu);
  const Checkpoint good = simulation.checkpoint();
  // Words of the first birth: position, radius, velocity, material, emitter.
  const auto refused = [&](std::size_t word, std::uint32_t value) {
    Checkpoint bad = good;
    std::memcpy(&bad.fields.at("emission_schedules").at(4 * word), &value, sizeof value);
    CHECK_THROWS_AS(simulation.resume(bad), CheckpointError);
  };
  constexpr float infinite = std::numeric_limits<float>::infinity();
  refused(0, std::bit_cast<std::uint32_t>(infinite));
  refused(3, std::bit_cast<std::uint32_t>(-0.02f));
  refused(3, std::bit_cast<std::uint32_t>(20.0f));
  refused(5, std::bit_cast<std::uint32_t>(1e30f));
  refused(7, 1);
  refused(8, 1);
  simulation.resume(good);
  simulation.advance(20);
  CHECK(simulation.grains_born() == 2);
}

TEST_CASE("Contact slots that run out while an emitter pours change nothing", "[simulation]") {
  // Grows several times, at substeps of all parities, with an odd and an even number of exchanges of grains and
  // grains_next.
  const Variant variant = each_variant();
  CAPTURE(variant.name);
  const Scene scene = with(pouring(3, GENERATE(2, 3), 0.5), variant.solver);
  const std::uint64_t plenty = hash_after(scene, on_cpu, 60);
  CHECK(hash_after(scene, {.device = "cpu", .contact_slots = 1}, 60) == plenty);
  CHECK(hash_after(scene, {.device = "cpu", .contact_slots = 999}, 60) == plenty);
}

TEST_CASE("A device kept open changes nothing, and serves one simulation at a time", "[device][simulation]") {
  const auto after = [](Simulation& simulation) {
    simulation.advance(20);
    return simulation.state_hash();
  };
  Options own = on_device(), kept = on_device();
  own.devices = nullptr;
  kept.devices = keep_devices_open();
  Scene scene = jumble(200);
  scene.bodies = {body_of("ball", {{SpherePart{0.03}}}, {0.0, 0.0, 0.07})};
  Simulation alone(scene, own);
  const std::uint64_t hash = after(alone);
  const gpu::Device* device;
  {
    Simulation first(with(jumble(300), {.method = Method::dem, .iterations = 1}), kept);
    after(first);
    device = first.gpu_device();
  }
  {
    Simulation second(scene, kept), third(scene, kept);
    CHECK(second.gpu_device() == device);
    CHECK(third.gpu_device() != device);
    CHECK(after(second) == hash);
    CHECK(after(third) == hash);
    CHECK(complaints(second).empty());
  }
  CHECK(Simulation(scene, kept).gpu_device() == device);  // the one that was left last
}

TEST_CASE("Simulations share an open device with what is compiled for it, each on a thread of its own",
          "[device][simulation]") {
  Options own = on_device();
  own.devices = nullptr;
  const std::array scenes{with(jumble(200), {.method = Method::dem, .iterations = 1}), box_of(300)};
  std::array<std::uint64_t, 2> alone{}, together{};
  for (std::size_t k = 0; k < scenes.size(); ++k)
    alone[k] = hash_after(scenes[k], own, 20);

  std::array simulations{std::make_unique<Simulation>(scenes[0], own), std::make_unique<Simulation>(scenes[1], own)};
  CHECK(simulations[0]->gpu_device() != simulations[1]->gpu_device());
  CHECK(simulations[0]->gpu_device()->handle() == simulations[1]->gpu_device()->handle());
  std::array<std::thread, 2> threads;
  for (std::size_t k = 0; k < scenes.size(); ++k)
    threads[k] = std::thread([&, k] {
      simulations[k]->advance(20);
      together[k] = simulations[k]->state_hash();
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(together == alone);
  CHECK(complaints(*simulations[0]).empty());

  // The device stays open for the other, and a third compiles nothing.
  simulations[0].reset();
  gpu::LogicalDevice& logical = simulations[1]->gpu_device()->logical();
  const std::size_t compiled = logical.compiled_count();
  CHECK(hash_after(scenes[0], own, 20) == alone[0]);
  CHECK(logical.compiled_count() == compiled);
  CHECK(complaints(*simulations[1]).empty());
}

namespace {

PFN_vkQueueSubmit2 real_queue_submit = nullptr;
VKAPI_ATTR VkResult VKAPI_CALL lost_queue_submit(VkQueue, std::uint32_t, const VkSubmitInfo2*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}

}  // namespace

TEST_CASE("A device that is lost is lost for all that share it, and not for those after them", "[device][simulation]") {
  Options own = on_device();
  own.devices = nullptr;
  const Scene scene = box_of(100);
  const std::uint64_t hash = hash_after(scene, own, 5);
  const Options kept = [&] {
    Options options = own;
    options.devices = keep_devices_open();
    return options;
  }();
  hash_after(scene, kept, 1);  // leaves its device there
  Simulation first(scene, own), second(scene, own);
  REQUIRE(first.gpu_device()->handle() == second.gpu_device()->handle());
  real_queue_submit = std::exchange(vkQueueSubmit2, lost_queue_submit);
  CHECK_THROWS_AS(first.advance(5), ResourceError);
  vkQueueSubmit2 = real_queue_submit;
  CHECK_THROWS_AS(second.advance(5), ResourceError);
  Simulation third(scene, own);
  CHECK(third.gpu_device()->handle() != first.gpu_device()->handle());
  third.advance(5);
  CHECK(third.state_hash() == hash);
  CHECK(hash_after(scene, kept, 5) == hash);
}

TEST_CASE("Too few contact slots change nothing on the device", "[device][simulation]") {
  Scene scene = box_of(500);
  scene.solver.iterations = GENERATE(2, 3);
  Options options = on_device();
  options.contact_slots = 1;
  CHECK(hash_after(scene, options, 40) == hash_after(scene, on_device(), 40));
}

TEST_CASE("A resumed run goes on bit for bit", "[simulation]") {
  resumes_bit_for_bit(on_cpu, each_variant());
}
TEST_CASE("A resumed run goes on bit for bit on the device", "[device][simulation]") {
  resumes_bit_for_bit(on_one_device(), each_method());
}

TEST_CASE("A checkpoint of another scene is refused and nothing changes", "[simulation]") {
  Scratch scratch;
  Scene scene = box_of(50);
  Simulation simulation(scene, on_cpu);
  simulation.advance(3);
  simulation.save(scratch / "state.talus");
  scene.materials[0].friction_kinetic = 0.4;
  Simulation other(scene, on_cpu);
  const std::uint64_t before = other.state_hash();
  REQUIRE_THROWS_AS(other.resume(scratch / "state.talus"), CheckpointError);
  CHECK(other.state_hash() == before);
  CHECK(other.step() == 0);
}

TEST_CASE("A checkpoint that names what is not there is refused and nothing changes", "[simulation]") {
  Scene scene = box_of(50);
  scene.solver = default_solver(Method::dem);
  scene.bodies.push_back(body_of("plate", {{BoxPart{{0.1, 0.1, 0.02}}}}, {0.0, 0.0, 0.05}));
  Simulation simulation(scene, on_cpu);
  simulation.advance(100);
  const Checkpoint good = simulation.checkpoint();
  const std::uint64_t before = simulation.state_hash();
  // Element k of a field, as a word, set to a value.
  const auto said = [&](FieldId id, std::size_t offset, std::uint32_t value) -> std::string {
    Checkpoint bad = good;
    auto& bytes = bad.fields.at(std::string(info(id).name));
    REQUIRE(bytes.size() >= offset + sizeof value);
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    try {
      simulation.resume(bad);
    } catch (const CheckpointError& e) {
      return e.what();
    }
    return "nothing";
  };
  constexpr std::uint32_t huge = 0x7FFFFFFF, nan = 0x7FC00000;
  const auto status = [&](std::size_t at, std::uint32_t value) { return said(FieldId::status, at, value); };
  const auto world = [&](std::size_t at, std::uint32_t value) { return said(FieldId::worlds, at, value); };
  CHECK(status(offsetof(Status, halt), halt_slots) == "field status is not at the end of a step");
  CHECK(status(offsetof(Status, substep), 3) == "field status is not at the end of a step");
  CHECK(status(offsetof(Status, step), 7) == "field status is of another step");
  CHECK(status(offsetof(Status, lists.rebuilding), huge) == "field status has lists of more worlds than there are");
  CHECK(status(offsetof(Status, freed), 1) == "field status has more free places than grains are gone");
  CHECK(status(offsetof(Status, fine.gone), 1) == "field status counts fine grains that are not there");
  CHECK(world(offsetof(World, population.born), 1) ==
        "field worlds has another number of emitted grains than emitted_count");
  CHECK(world(offsetof(World, population.gone), 1) == "field worlds is not at the end of a step");
  CHECK(world(offsetof(World, lists.table), 1) == "field worlds names a table that is not there");
  CHECK(world(offsetof(World, lists.slots), huge) == "field worlds counts more than there is room for");
  CHECK(world(offsetof(World, lists.grains), huge) == "field worlds counts more than there is room for");
  CHECK(world(offsetof(World, lists.grains), 0) ==
        "field contact_count has contacts of grains that have come since the lists were built");
  CHECK(world(offsetof(World, lists.skin), nan) == "field worlds has a number that is not finite");
  CHECK(world(offsetof(World, grid.cells), 5) == "field worlds has a period of cells where there is none");
  CHECK(world(offsetof(World, grid.inverse_cell), 0x501502F9) ==
        "field worlds has cells smaller than a grain");  // 1e10
  CHECK(said(FieldId::grain_id, 0, 50) == "field grain_id has a number that no grain has");
  CHECK(said(FieldId::grain_tag, 0, 9) == "field grain_tag names a material that is not there");
  // The first and another sphere of a clump, where there is no clump.
  for (const std::uint32_t sphere : {1u, 2u})
    CHECK(said(FieldId::grain_tag, 0, sphere << tag_sphere_shift) ==
          "field grain_tag names a sphere of a clump that is not there");
  CHECK(said(FieldId::grain_row, 0, 50) == "field grain_row names a row that is not there");
  CHECK(said(FieldId::grains, 0, nan) == "field grains has a number that is not finite");
  CHECK(said(FieldId::grains, offsetof(Grain, position) + 12, 0x3F800000) ==
        "field grains has a radius or a mass that no grain has");
  CHECK(said(FieldId::grains, offsetof(Grain, position) + 12, 0) ==
        "field grains are not as many as were born and not gone");
  CHECK(said(FieldId::contact_count, 0, huge) == "field contact_count reaches beyond the rows of its slice");
  CHECK(said(FieldId::grid_start, 0, huge) == "field grid_start has cells of more grains than there are");
  for (const std::size_t slice : {0, 1})
    CHECK(said(FieldId::slice_start, slice * sizeof(uint), huge) ==
          "field slice_start reaches beyond the rows that there are");
  for (const std::uint32_t partner :
       {50u, triangle_partner, body_partner + 1, surface_partner(0, part_surfaces), wall_partner + 6, no_partner})
    CHECK(said(FieldId::contact_partner, 0, partner) == "field contact_partner names a partner that is not there");
  CHECK(simulation.state_hash() == before);
  simulation.resume(good);
  CHECK(simulation.state_hash() == before);
}

TEST_CASE("A state that is not a number any more is named, and the last valid one comes back", "[simulation]") {
  invalid_state_falls_back(on_cpu);
}
TEST_CASE("An invalid state falls back on the device", "[device][simulation]") {
  invalid_state_falls_back(on_device());
}

TEST_CASE("Emitters release their grains in time and in order", "[simulation]") {
  Scene scene = scene_of(0.01, 1, 2);
  Emitter emitter;
  emitter.radius_min = emitter.radius_max = 0.01;
  emitter.velocity = {0.0, 0.0, -1.0};
  emitter.shape = BoxFill{{-0.3, -0.3, 1.0}, {0.3, 0.3, 1.1}};
  emitter.rate = 200.0;
  emitter.stop = 0.5;
  scene.emitters.push_back(emitter);
  Simulation simulation(scene, on_cpu);
  CHECK(simulation.grain_count() <= 1);
  simulation.advance(25);
  CHECK(simulation.grain_count() >= 49);
  CHECK(simulation.grain_count() <= 52);
  simulation.advance(75);
  const auto grains = simulation.grains();
  CHECK(grains.size() == Approx(100).margin(1));
  for (std::size_t i = 0; i < grains.size(); ++i)
    CHECK(grains[i].id == i);
  const Population population = populate(scene);
  CHECK(grains.size() == population.initial.size() + population.scheduled.size());
}

TEST_CASE("A new camera, title or end does not keep a run from being resumed", "[simulation]") {
  Scratch scratch;
  Scene scene = box_of(50);
  Simulation first(scene, on_cpu);
  first.advance(3);
  first.save(scratch / "state.talus");
  scene.title = "another";
  scene.end += 1.0;
  scene.camera.fov = 20.0;
  Simulation second(scene, on_cpu);
  second.resume(scratch / "state.talus");
  CHECK(second.state_hash() == first.state_hash());
}

TEST_CASE("A checkpoint takes no device's place, and goes where a link points", "[simulation]") {
  Scratch scratch;
  Simulation simulation(box_of(5), on_cpu);
  REQUIRE_THROWS_AS(simulation.save(scratch.path()), CheckpointError);
  std::error_code refused;
  std::filesystem::create_symlink(scratch / "target.talus", scratch / "link.talus", refused);
  if (!refused) {  // some systems allow links to administrators only
    write_text(scratch / "target.talus", "old");
    simulation.save(scratch / "link.talus");
    CHECK(std::filesystem::is_symlink(scratch / "link.talus"));
    CHECK(std::filesystem::file_size(scratch / "target.talus") > 100);
  }
}

TEST_CASE("Measuring changes nothing, and needs no step before", "[simulation]") {
  const Scene scene = box_of(300);
  Simulation measured(scene, on_cpu), left_alone(scene, on_cpu);
  measured.measure();
  for (int i = 0; i < 10; ++i) {
    measured.advance(4);
    measured.measure();
  }
  left_alone.advance(40);
  CHECK(measured.state_hash() == left_alone.state_hash());

  Scene overlapping = scene_of(0.01, 1, 1);
  add_points(overlapping, 0.05, {{0.0, 0.0, 0.5}, {0.08, 0.0, 0.5}});
  overlapping.parts_overlaps = false;
  CHECK(Simulation(overlapping, on_cpu).measure().penetration_max == Approx(0.4).epsilon(1e-4));
}

TEST_CASE("The measure is right after a fall back", "[simulation]") {
  // Slots for any margin: a halt for want of them would sort the grains before they are kept, and hide a fault.
  Simulation simulation(box_of(300), {.device = "cpu", .contact_slots = 1u << 16});
  simulation.advance(60);
  const Measure before = simulation.measure();
  auto settings = read_field<Settings>(simulation.executor(), FieldId::settings, 1);
  settings[0].domain.gravity = {0.0f, 0.0f, 1e23f};
  write_field(simulation.executor(), FieldId::settings, settings);
  REQUIRE_THROWS_AS(simulation.advance(1), StateError);
  settings[0].domain.gravity = {0.0f, 0.0f, -9.81f};
  write_field(simulation.executor(), FieldId::settings, settings);
  const Measure after = simulation.measure();
  CHECK(after.contacts_mean == before.contacts_mean);
  CHECK(after.penetration_max == before.penetration_max);
}

TEST_CASE("An empty world runs", "[simulation]") {
  Scene scene = scene_of(0.01, 2, 2);
  Simulation simulation(scene, on_cpu);
  simulation.advance(10);
  CHECK(simulation.step() == 10);
  CHECK(simulation.measure().grains == 0);
}

TEST_CASE("Coincident grains part", "[simulation]") {
  Scene scene = scene_of(1.0 / 240, 4, 5);
  add_points(scene, 0.02, {{0, 0, 0.5}, {0, 0, 0.5}, {0, 0, 0.5}});
  Simulation simulation(scene, on_cpu);
  simulation.advance(480);
  const auto grains = simulation.grains();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < i; ++j)
      CHECK(glm::distance(grains[i].position, grains[j].position) > 0.03);
}

TEST_CASE("A step is described with its passes and barriers", "[device][simulation]") {
  Simulation simulation(box_of(100), on_cpu);
  const std::string text = simulation.describe_step(false), dot = simulation.describe_step(true);
  for (const char* part :
       {"plan", "grid_scan", "contact_fill", "p2_solve", "finalize", "end_step", "contact_state", "grains_next"}) {
    CAPTURE(part);
    CHECK(contains(text, part));
    CHECK(contains(dot, part));
  }
  CHECK(dot.starts_with("digraph"));
}

TEST_CASE("An unknown device is refused with what there is", "[simulation]") {
  REQUIRE_THROWS_AS(Simulation(box_of(1), {.device = "no such device"}), DeviceError);
}
