// The C interface: what it tells is what the C++ API tells, errors come back as results, and no misuse harms it.
#include "engine/c/talus_c.h"
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "simulate.h"
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

using namespace talus;
using namespace talus_tests;

namespace {

// Something of every kind that a scene has, in two worlds.
const std::string yard_text = R"([scene]
title = "Yard"
seed = 7
worlds = 2
[time]
dt = 0.004
end = 2.0
[domain]
min = [-0.3, -0.2, 0.0]
max = [0.3, 0.2, 0.6]
x = "periodic"
[solver]
substeps = 4
[[material]]
name = "sand"
[[material]]
name = "felt"
density = 300.0
[[grains]]
material = "sand"
radius = [0.012, 0.014]
velocity = [1.5, 0.0, 0.0]
count = 90
fill.box = { min = [-0.25, -0.15, 0.25], max = [0.25, 0.15, 0.55] }
[[shape_matched_body]]
name = "brick"
material = "felt"
radius = 0.012
spin = [0, 0, 3]
fill.box = { min = [-0.25, -0.15, 0.12], max = [-0.18, -0.08, 0.17] }
[[cloth]]
name = "sheet"
material = "felt"
grid = { size = [0.12, 0.1], cells = [4, 3] }
position = [0.0, 0.1, 0.2]
pins = [[-0.06, -0.05, 0.0]]
[[emitter]]
material = "felt"
radius = 0.012
rate = 200.0
velocity = [0, 0, -1]
stop = 1.0
shape.box = { min = [0.1, -0.15, 0.5], max = [0.2, 0.15, 0.58] }
[[sink]]
name = "drain"
box.size = [0.2, 0.4, 0.1]
[[body]]
name = "slab"
box.size = [0.1, 0.1, 0.02]
position = [0.15, 0.0, 0.1]
[[body]]
name = "arm"
parent = "slab"
capsule = { radius = 0.015, height = 0.12 }
position = [0, 0, 0.07]
joint = { type = "revolute", axis = [0, 1, 0], min = -60, max = 60, speed = 400 }
[[body]]
name = "crate"
density = 700.0
box.size = [0.06, 0.06, 0.06]
position = [-0.1, 0.0, 0.1]
[[depth_camera]]
name = "above"
position = [0, 0, 0.59]
target = [0, 0, 0]
size = [12, 8]
far = 1.0
[[depth_camera]]
name = "side"
position = [-0.29, 0, 0.3]
size = [6, 4]
far = 1.0
)";

const std::string fine_text = R"([time]
dt = 0.004
[domain]
min = [-0.1, -0.1, 0.0]
max = [0.1, 0.1, 0.3]
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
count = 12
fill.box = { min = [-0.1, -0.1, 0.0], max = [0.1, 0.1, 0.2] }
[upsampling]
radius = 0.008
)";

// A handle that is freed with this; C's functions take it as it is.
template <class T, talus_result (*free_handle)(T*)> struct Owned {
  T* handle = nullptr;

  Owned() = default;
  Owned(Owned&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  ~Owned() { free_handle(handle); }
  operator T*() const { return handle; }
  T** operator&() { return &handle; }
};
using OwnedScene = Owned<talus_scene, talus_scene_free>;
using OwnedPrepared = Owned<talus_prepared, talus_prepared_free>;
using OwnedSimulation = Owned<talus_simulation, talus_simulation_free>;
using OwnedCheckpoint = Owned<talus_checkpoint, talus_checkpoint_free>;
using OwnedDevices = Owned<talus_devices, talus_devices_free>;

void must(talus_result result) {
  INFO(talus_result_name(result) << ": " << talus_last_error());
  REQUIRE(result == TALUS_OK);
}

OwnedScene c_scene(const std::string& text) {
  OwnedScene scene;
  must(talus_scene_parse(text.c_str(), "yard.toml", nullptr, 0, &scene));
  return scene;
}

template <class T> T sized() {
  T value{};
  value.size = sizeof(T);
  return value;
}

OwnedSimulation c_simulation(const talus_scene* scene, const std::string& device = "cpu", std::uint32_t shelves = 0) {
  talus_options options = sized<talus_options>();
  options.device = device.c_str();
  options.shelves = shelves;
  OwnedSimulation simulation;
  must(talus_simulation_create(scene, &options, &simulation));
  return simulation;
}
OwnedSimulation c_simulation(const std::string& text, const std::string& device = "cpu") {
  return c_simulation(c_scene(text), device);
}

std::uint64_t hash_of(talus_simulation* simulation, std::uint32_t world = TALUS_ALL_WORLDS) {
  std::uint64_t hash = 0;
  must(talus_state_hash(simulation, world, &hash));
  return hash;
}

std::uint32_t number_of(talus_simulation* simulation, std::uint32_t kind, const char* name, std::uint32_t world) {
  std::uint32_t number = 0;
  must(talus_find(simulation, kind, name, world, &number));
  return number;
}

// All of an array: first how many there are, then they.
template <class T> std::vector<T> all_of(auto&& read) {
  std::uint64_t count = 0, again = 0;
  must(read(nullptr, 0, &count));
  std::vector<T> elements(count);
  must(read(elements.data(), elements.size(), &again));
  CHECK(again == count);
  return elements;
}

struct Grains {
  explicit Grains(std::uint64_t n)
      : ids(n), materials(n), worlds(n), positions(3 * n), velocities(3 * n), radii(n), spins(3 * n, -1.0f),
        arrays(sized<talus_grain_arrays>()) {
    arrays.capacity = n;
    arrays.ids = ids.data();
    arrays.positions = positions.data();
    arrays.velocities = velocities.data();
    arrays.radii = radii.data();
    arrays.materials = materials.data();
    arrays.worlds = worlds.data();
    arrays.spins = spins.data();
  }

  std::vector<std::uint32_t> ids, materials, worlds;
  std::vector<float> positions, velocities, radii, spins;
  talus_grain_arrays arrays;
};

void check_grains(const Grains& there, const std::vector<GrainState>& wanted) {
  REQUIRE(there.arrays.count == wanted.size());
  const auto vector = [](const std::vector<float>& all, std::size_t k) {
    return glm::vec3(all[3 * k], all[3 * k + 1], all[3 * k + 2]);
  };
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const GrainState& g = wanted[k];
    const bool same = there.ids[k] == g.id && there.materials[k] == g.material && there.worlds[k] == g.world &&
                      there.radii[k] == g.radius && vector(there.positions, k) == g.position &&
                      vector(there.velocities, k) == g.velocity && vector(there.spins, k) == g.spin;
    CHECK(same);
  }
}

glm::dvec3 vector_of(const double* xyz) {
  return {xyz[0], xyz[1], xyz[2]};
}
void check_pose(const talus_pose& pose, const Pose& wanted) {
  CHECK(vector_of(pose.position) == wanted.position);
  CHECK(glm::dquat(pose.rotation[3], pose.rotation[0], pose.rotation[1], pose.rotation[2]) == wanted.rotation);
}

void check_loads(const std::vector<talus_body_load>& loads, const std::vector<BodyLoad>& wanted) {
  REQUIRE(loads.size() == wanted.size());
  const auto vector = [](const float* xyz) { return glm::vec3(xyz[0], xyz[1], xyz[2]); };
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    CHECK(vector(loads[b].force) == glm::vec3(wanted[b].force));
    CHECK(vector(loads[b].torque) == glm::vec3(wanted[b].torque));
    CHECK(vector(loads[b].force_filtered) == glm::vec3(wanted[b].force_filtered));
    CHECK(vector(loads[b].torque_filtered) == glm::vec3(wanted[b].torque_filtered));
    CHECK(loads[b].uncounted == wanted[b].uncounted);
  }
}

// The result, and what its sentence has.
void check_error(talus_result result, talus_result wanted, const std::string& part) {
  CHECK(std::string(talus_result_name(result)) == talus_result_name(wanted));
  const std::string sentence = talus_last_error();
  CAPTURE(sentence, part);
  CHECK(contains(sentence, part));
}

// The yard by both interfaces.
struct Both {
  OwnedSimulation c = c_simulation(c_scene(yard_text), "cpu", 2);
  Simulation cpp{parse_scene(yard_text, "yard.toml"), {.device = "cpu", .shelves = 2}};

  void advance(std::uint64_t steps) {
    must(talus_advance(c, steps));
    cpp.advance(steps);
    check_same();
  }
  void check_same() {
    CHECK(hash_of(c) == cpp.state_hash());
    CHECK(hash_of(c, 1) == cpp.state_hash(1));
  }
};

}  // namespace

TEST_CASE("C reads scenes as C++ does", "[c]") {
  const OwnedScene scene = c_scene(yard_text);
  talus_scene_info info = sized<talus_scene_info>();
  must(talus_scene_describe(scene, &info));
  CHECK(std::string(info.title) == "Yard");
  CHECK(info.seed == 7);
  CHECK(info.worlds == 2);
  CHECK(info.dt == 0.004);
  CHECK(info.end == 2.0);
  CHECK(vector_of(info.domain_min) == glm::dvec3(-0.3, -0.2, 0.0));
  CHECK(vector_of(info.domain_max) == glm::dvec3(0.3, 0.2, 0.6));
  CHECK(info.substeps == 4);
  const std::array counts{info.materials, info.emitters, info.sinks,        info.bodies,
                          info.shapes,    info.cloths,   info.depth_cameras};
  CHECK(counts == std::array<std::uint32_t, 7>{2, 1, 1, 3, 1, 1, 2});

  const std::array<const char*, 6> names{"felt", "arm", "brick", "sheet", "drain", "side"};
  const std::array<std::uint32_t, 6> indices{1, 1, 0, 0, 0, 1};
  for (std::uint32_t kind = TALUS_KIND_MATERIAL; kind <= TALUS_KIND_DEPTH_CAMERA; ++kind) {
    const char* name = nullptr;
    must(talus_scene_name(scene, kind, indices[kind], &name));
    CHECK(std::string(name) == names[kind]);
    check_error(talus_scene_name(scene, kind, 3, &name), TALUS_ERROR_INVALID_ARGUMENT, "there is no");
  }
  const char* text = nullptr;
  must(talus_scene_text(scene, &text));
  CHECK(text == to_toml(parse_scene(yard_text, "yard.toml")));

  const Scratch scratch;
  write_text(scratch / "yard.toml", yard_text);
  const std::array overrides{"scene.seed=9", "solver.substeps=auto"};
  OwnedScene other;
  must(talus_scene_load((scratch / "yard.toml").string().c_str(), overrides.data(), overrides.size(), &other));
  must(talus_scene_describe(other, &info));
  CHECK(info.seed == 9);
  CHECK(info.substeps == 0);
}

TEST_CASE("C tells of a simulation what C++ tells", "[c]") {
  Both both;
  Simulation& cpp = both.cpp;
  const std::uint32_t slab = number_of(both.c, TALUS_KIND_BODY, "slab", 1),
                      arm = number_of(both.c, TALUS_KIND_BODY, "arm", 1),
                      crate = number_of(both.c, TALUS_KIND_BODY, "crate", 0),
                      brick = number_of(both.c, TALUS_KIND_SHAPE, "brick", 1),
                      sheet = number_of(both.c, TALUS_KIND_CLOTH, "sheet", 1),
                      side = number_of(both.c, TALUS_KIND_DEPTH_CAMERA, "side", 0);
  CHECK(std::array{slab, arm, crate, brick, sheet, side} ==
        std::array{cpp.body("slab", 1), cpp.body("arm", 1), cpp.body("crate"), cpp.shape("brick", 1),
                   cpp.cloth("sheet", 1), cpp.depth_camera("side")});
  both.advance(10);

  // Commands of every kind.
  const talus_pose place{{0.0, 0.05, 0.15}, {0.0, 0.0, 0.6, 0.8}}, target{{0.1, 0.05, 0.15}, {0.0, 0.0, 0.0, 2.0}};
  must(talus_place_body(both.c, slab, &place));
  cpp.place_body(slab, {{0.0, 0.05, 0.15}, {0.8, 0.0, 0.0, 0.6}});
  both.advance(2);
  const talus_body_limits limits{0.4, 0.0, 0.0, 2.0};
  must(talus_move_body(both.c, slab, &target, &limits));
  cpp.move_body(slab, {{0.1, 0.05, 0.15}, {2.0, 0.0, 0.0, 0.0}}, {.speed = 0.4, .spin_acceleration = 2.0});
  must(talus_move_joint(both.c, arm, 25.0));
  cpp.move_joint(arm, 25.0);
  const double force[3]{4.0, 0.0, 3.0}, torque[3]{0.0, 0.01, 0.0};
  must(talus_push_body(both.c, crate, force, torque));
  cpp.push_body(crate, {{4.0, 0.0, 3.0}, {0.0, 0.01, 0.0}});
  const double at[3]{0.0, 0.0, 0.3}, to[3]{0.02, 0.0, 0.32};
  std::uint32_t held = 0;
  must(talus_grab(both.c, at, 0.15, &held));
  CHECK(held > 0);
  CHECK(held == cpp.grab({0.0, 0.0, 0.3}, 0.15));
  must(talus_move_hand(both.c, to));
  cpp.move_hand({0.02, 0.0, 0.32});
  both.advance(20);
  must(talus_release(both.c));
  cpp.release();
  std::uint32_t pushed = 0, removed = 0, removed_so_far = 0;
  must(talus_push_grains(both.c, to, 0.1, &pushed));
  CHECK(pushed > 0);
  CHECK(pushed == cpp.push_grains({0.02, 0.0, 0.32}, 0.1));
  both.advance(2);
  must(talus_release(both.c));
  cpp.release();
  must(talus_remove_grains(both.c, at, 0.1, &removed));
  CHECK(removed > 0);
  CHECK(removed == cpp.remove_grains({0.0, 0.0, 0.3}, 0.1));
  must(talus_removed_grains(both.c, &removed_so_far));
  CHECK(removed_so_far == removed);
  const talus_twist twist{{-0.3, 0.0, 0.0}, {0.0, 0.0, 1.0}};
  must(talus_drive_body(both.c, slab, &twist, nullptr));
  cpp.drive_body(slab, {{-0.3, 0.0, 0.0}, {0.0, 0.0, 1.0}});
  must(talus_drive_joint(both.c, arm, -30.0));
  cpp.drive_joint(arm, -30.0);
  both.advance(30);

  talus_counts counts = sized<talus_counts>();
  must(talus_get_counts(both.c, &counts));
  CHECK(counts.worlds == 2);
  CHECK(counts.step == 64);
  CHECK(counts.grains == cpp.grain_count());
  CHECK(counts.grains_emitted == cpp.grains_born());
  CHECK(counts.grains < counts.grains_emitted);
  CHECK(std::array{counts.fine_grains, counts.bodies, counts.shapes, counts.cloths} ==
        std::array<std::uint32_t, 4>{0, 6, 2, 2});
  CHECK(counts.memory_bytes == cpp.memory_bytes());
  CHECK(counts.rebuilds == cpp.rebuilds());
  CHECK(counts.incremental_rebuilds == cpp.incremental_rebuilds());
  CHECK(counts.cfl_violations == cpp.cfl_violations());
  CHECK(counts.cloth_uncounted == cpp.cloth_uncounted());
  double seconds = 0.0;
  must(talus_time(both.c, 1, &seconds));
  CHECK(seconds == cpp.time(1));

  for (const std::uint32_t world : {0u, TALUS_ALL_WORLDS}) {
    talus_measure m = sized<talus_measure>();
    must(talus_measure_state(both.c, world, &m));
    const Measure wanted = world == 0 ? cpp.measure(0) : cpp.measure();
    CHECK(m.grains == wanted.grains);
    CHECK(m.contacts_max == wanted.contacts_max);
    CHECK(std::array{m.contacts_mean, m.penetration_mean, m.penetration_max, m.kinetic_energy, m.speed_max, m.height} ==
          std::array{wanted.contacts_mean, wanted.penetration_mean, wanted.penetration_max, wanted.kinetic_energy,
                     wanted.speed_max, wanted.height});
    CHECK(vector_of(m.momentum) == wanted.momentum);
  }

  Grains grains(counts.grains + counts.cloths);  // more room than needed
  must(talus_read_grains(both.c, &grains.arrays));
  check_grains(grains, cpp.grains());

  const auto taken = all_of<std::uint32_t>([&](auto... a) { return talus_sink_counts(both.c, a...); });
  CHECK(taken == cpp.sink_counts());
  CHECK(taken[0] > 0);
  const auto emitted = all_of<talus_emitter_count>([&](auto... a) { return talus_emitter_counts(both.c, a...); });
  REQUIRE(emitted.size() == 2);
  const EmitterCounts second = cpp.emitter_counts()[1];
  CHECK(std::array{emitted[1].emitted, emitted[1].waiting, emitted[1].given_up} ==
        std::array{second.born, second.waiting, second.given_up});
  std::array<std::uint32_t, 6> crossings{};
  must(talus_periodic_crossings(both.c, crossings.data()));
  const auto wanted_crossings = cpp.periodic_crossings();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    CHECK(crossings[2 * axis] == wanted_crossings[axis].up);
    CHECK(crossings[2 * axis + 1] == wanted_crossings[axis].down);
  }
  CHECK(crossings[0] > 0);
  const auto times = all_of<talus_pass_time>([&](auto... a) { return talus_pass_times(both.c, a...); });
  const auto wanted_times = cpp.pass_times();
  REQUIRE(times.size() == wanted_times.size());
  for (std::size_t p = 0; p < times.size(); ++p) {
    CHECK(times[p].name == wanted_times[p].name);
    CHECK(times[p].calls == wanted_times[p].calls);
  }

  for (std::uint32_t body = 0; body < counts.bodies; ++body) {
    talus_pose pose;
    talus_twist motion;
    must(talus_body_state(both.c, body, &pose, &motion));
    const BodyState state = cpp.body_state(body);
    check_pose(pose, state.pose);
    CHECK(vector_of(motion.velocity) == state.twist.velocity);
    CHECK(vector_of(motion.spin) == state.twist.spin);
  }
  double value = 0.0, speed = 0.0;
  must(talus_joint_state(both.c, arm, &value, &speed));
  CHECK(value == cpp.joint_state(arm).value);
  CHECK(speed == -30.0);
  check_loads(all_of<talus_body_load>([&](auto... a) { return talus_body_loads(both.c, a...); }), cpp.body_loads());
  const auto history = all_of<talus_body_load>([&](auto... a) { return talus_load_history(both.c, a...); });
  CHECK(history.size() == 30 * 6);
  check_loads(history, cpp.load_history());

  talus_pose pose;
  std::array<double, 3> velocity{};
  must(talus_shape_state(both.c, brick, &pose, velocity.data()));
  check_pose(pose, cpp.shape_state(brick).pose);
  CHECK(vector_of(velocity.data()) == cpp.shape_state(brick).velocity);

  const ClothState cloth = cpp.cloth_state(sheet);
  talus_cloth_arrays arrays = sized<talus_cloth_arrays>();
  must(talus_read_cloth(both.c, sheet, &arrays));
  CHECK(arrays.vertices == 20);
  CHECK(arrays.triangles == 24);
  std::vector<glm::vec3> positions(20), velocities(20);
  std::vector<glm::uvec3> corners(24);
  arrays.vertex_capacity = 20, arrays.triangle_capacity = 24;
  arrays.positions = &positions[0].x, arrays.velocities = &velocities[0].x, arrays.corners = &corners[0].x;
  must(talus_read_cloth(both.c, sheet, &arrays));
  CHECK(positions == cloth.positions);
  CHECK(velocities == cloth.velocities);
  CHECK(corners == cloth.triangles);
  CHECK(std::array{arrays.strain_mean, arrays.strain_max, arrays.kinetic_energy} ==
        std::array{cloth.strain_mean, cloth.strain_max, cloth.kinetic_energy});
  arrays.triangle_capacity = 23;
  check_error(talus_read_cloth(both.c, sheet, &arrays), TALUS_ERROR_TOO_SMALL, "24 triangles");
  arrays.vertex_capacity = 19;
  check_error(talus_read_cloth(both.c, sheet, &arrays), TALUS_ERROR_TOO_SMALL, "20 vertices");

  std::uint32_t width = 0, height = 0;
  must(talus_depth_size(both.c, side, &width, &height));
  CHECK(std::array{width, height} == std::array{6u, 4u});
  CHECK(all_of<float>([&](auto... a) { return talus_read_depth(both.c, side, a...); }) == cpp.depth(side));

  talus_device_info device = sized<talus_device_info>();
  must(talus_simulation_device(both.c, &device));
  CHECK(device.index == TALUS_NO_INDEX);
  CHECK(std::array<std::string, 5>{device.name, device.driver, device.api_version, device.type, device.missing} ==
        std::array<std::string, 5>{cpp.device().name, cpp.device().driver, "", "CPU path", ""});

  for (const auto& [kind, wanted] :
       {std::pair(TALUS_MESSAGE_WARNING, cpp.warnings()), std::pair(TALUS_MESSAGE_NOTE, cpp.notes())}) {
    std::uint64_t count = 0;
    must(talus_message_count(both.c, kind, &count));
    REQUIRE(count == wanted.size());
    for (std::uint64_t k = 0; k < count; ++k) {
      const char* text = nullptr;
      must(talus_message(both.c, kind, k, &text));
      CHECK(text == wanted[k]);
    }
  }
}

TEST_CASE("C views grains on the CPU path, and the view stays readable", "[c]") {
  const OwnedSimulation simulation = c_simulation(fine_text);
  must(talus_advance(simulation, 5));
  talus_grain_view view = sized<talus_grain_view>();
  must(talus_view_grains(simulation, &view));
  CHECK(view.stride == 32);
  CHECK(view.spins != nullptr);
  const std::vector<float> before(view.grains, view.grains + 8 * view.count);
  Grains grains(12);
  must(talus_read_grains(simulation, &grains.arrays));
  std::size_t seen = 0;
  for (std::size_t slot = 0; slot < view.count; ++slot) {
    const float* grain = view.grains + 8 * slot;
    if (grain[3] == 0.0f)
      continue;
    ++seen;
    const std::size_t k = view.ids[slot];
    CHECK(grains.ids[k] == k);
    CHECK(std::memcmp(grain, &grains.positions[3 * k], 12) == 0);
    CHECK(grain[3] == grains.radii[k]);
    CHECK(std::memcmp(grain + 4, &grains.velocities[3 * k], 12) == 0);
    CHECK((view.materials[slot] & 0xFF) == grains.materials[k]);
  }
  CHECK(seen == 12);
  must(talus_advance(simulation, 5));
  float sum = 0.0f;
  for (std::size_t k = 0; k < 8 * view.count; ++k)
    sum += view.grains[k];  // a sanitizer would see that it is gone
  CHECK(std::isfinite(sum));
  must(talus_view_grains(simulation, &view));
  CHECK(std::memcmp(before.data(), view.grains, before.size() * sizeof(float)) != 0);

  Simulation cpp(parse_scene(fine_text, "fine.toml"), on_cpu);
  cpp.advance(10);
  talus_grain_arrays count = sized<talus_grain_arrays>();
  must(talus_read_fine_grains(simulation, &count));
  CHECK(count.count > 50);
  Grains fine(count.count);
  must(talus_read_fine_grains(simulation, &fine.arrays));
  check_grains(fine, cpp.fine_grains());
}

TEST_CASE("C reads the spins of grains", "[c][rotation]") {
  const std::string text = R"([domain]
gravity = [0, 0, 0]
[solver]
rotation = true
[[material]]
name = "glass"
[[grains]]
material = "glass"
radius = 0.01
spin = [1, 2, -3]
fill.points = [[0, 0, 0.5], [0, 0, 1]]
)";
  const OwnedSimulation simulation = c_simulation(text);
  must(talus_advance(simulation, 2));
  Grains grains(2);
  must(talus_read_grains(simulation, &grains.arrays));
  for (std::size_t k = 0; k < 6; ++k)
    CHECK(grains.spins[k] == Approx(std::array{1, 2, -3}[k % 3]));
  talus_grain_view view = sized<talus_grain_view>();
  must(talus_view_grains(simulation, &view));
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(view.spins[4 * k + 2] == Approx(-0.03));
    CHECK(view.spins[4 * k + 3] == Approx(2.5));
  }

  // As a program that was compiled before there were spins calls it.
  talus_grain_arrays earlier = grains.arrays;
  earlier.size = offsetof(talus_grain_arrays, spins);
  std::ranges::fill(grains.spins, -1.0f);
  must(talus_read_grains(simulation, &earlier));
  CHECK(earlier.count == 2);
  CHECK(grains.spins[0] == -1.0f);
}

TEST_CASE("C resets, forks, saves and restores worlds", "[c]") {
  Both both;
  both.advance(5);
  must(talus_save_world(both.c, 0, 1));
  both.cpp.save_world(0, 1);
  both.advance(5);
  const std::array<std::uint32_t, 1> first{0}, second{1};
  must(talus_fork_world(both.c, 0, second.data(), 1));
  both.cpp.fork_world(0, second);
  CHECK(hash_of(both.c, 0) == hash_of(both.c, 1));
  both.check_same();
  must(talus_restore_world(both.c, 1, second.data(), 1));
  both.cpp.restore_world(1, second);
  CHECK(hash_of(both.c, 0) != hash_of(both.c, 1));
  both.advance(5);
  CHECK(both.cpp.time(1) == Approx(10 * 0.004));
  const std::array<std::uint64_t, 1> seed{123};
  must(talus_reset_worlds(both.c, first.data(), 1, seed.data()));
  both.cpp.reset_worlds(first, seed);
  both.check_same();
  const std::uint64_t other_seed = hash_of(both.c, 0);
  must(talus_reset_worlds(both.c, first.data(), 1, nullptr));
  both.cpp.reset_worlds(first);
  both.advance(1);
  CHECK(hash_of(both.c, 0) != other_seed);

  const std::array<std::uint32_t, 1> third{2};
  check_error(talus_fork_world(both.c, 0, third.data(), 1), TALUS_ERROR_INVALID_ARGUMENT, "there is no world 2");
  check_error(talus_save_world(both.c, 2, 0), TALUS_ERROR_INVALID_ARGUMENT, "there is no world 2");
  check_error(talus_save_world(both.c, 0, 2), TALUS_ERROR_INVALID_ARGUMENT, "shelf");
  check_error(talus_restore_world(both.c, 0, second.data(), 1), TALUS_ERROR_INVALID_ARGUMENT, "shelf 0 is empty");
  check_error(talus_reset_worlds(both.c, nullptr, 1, nullptr), TALUS_ERROR_INVALID_ARGUMENT, "worlds is null");
}

TEST_CASE("C saves and resumes, in files and in memory, what C++ saves and resumes", "[c][io]") {
  const Scratch scratch;
  const std::string file = (scratch / "state.talus").string();
  Both both;
  both.advance(8);
  must(talus_save(both.c, file.c_str()));
  OwnedCheckpoint checkpoint;
  must(talus_checkpoint_create(both.c, &checkpoint));
  const void* bytes = nullptr;
  std::uint64_t count = 0;
  must(talus_checkpoint_bytes(checkpoint, &bytes, &count));
  CHECK(read_text(file) == std::string(static_cast<const char*>(bytes), count));
  both.advance(8);
  const std::uint64_t there = hash_of(both.c);
  must(talus_resume(both.c, file.c_str()));
  must(talus_advance(both.c, 8));
  CHECK(hash_of(both.c) == there);
  must(talus_resume_bytes(both.c, bytes, count));
  must(talus_advance(both.c, 8));
  CHECK(hash_of(both.c) == there);
  both.cpp.resume(std::filesystem::path(file));
  both.cpp.advance(8);
  both.check_same();

  std::vector<char> harmed(static_cast<const char*>(bytes), static_cast<const char*>(bytes) + count);
  harmed[count / 2] ^= 4;
  check_error(talus_resume_bytes(both.c, harmed.data(), count), TALUS_ERROR_CHECKPOINT, "the checkpoint is damaged");
  check_error(talus_resume_bytes(both.c, bytes, 0), TALUS_ERROR_CHECKPOINT, "not a state saved by Talus");
  check_error(talus_resume_bytes(both.c, bytes, count - 1), TALUS_ERROR_CHECKPOINT, "ends too early");
  check_error(talus_resume(both.c, (scratch / "none").string().c_str()), TALUS_ERROR_CHECKPOINT,
              "none cannot be opened");
  check_error(talus_save(both.c, (scratch / "none" / "x").string().c_str()), TALUS_ERROR_CHECKPOINT, "none");
  const OwnedSimulation other = c_simulation(fine_text);
  check_error(talus_resume_bytes(other, bytes, count), TALUS_ERROR_CHECKPOINT, "scene");
  CHECK(hash_of(both.c) == there);
}

TEST_CASE("C changes what may change, and names what may not", "[c]") {
  const OwnedScene scene = c_scene(fine_text), moon = c_scene(fine_text + "[solver]\nsubsteps = 9\n"),
                   other = c_scene(fine_text + "[scene]\nseed = 3\n");
  OwnedPrepared prepared;
  must(talus_prepare(scene, &prepared));
  OwnedSimulation simulation, again;
  talus_options options = sized<talus_options>();
  options.device = "cpu";
  options.threads = 1;
  options.lanes = 4;
  options.no_timing = 1;
  options.verify = 1;
  options.validation = TALUS_VALIDATION_OFF;
  options.slice = 0.01;
  options.contact_slots = 4096;
  must(talus_simulation_create_prepared(prepared, &options, &simulation));
  must(talus_simulation_create_prepared(prepared, &options, &again));
  Simulation cpp(parse_scene(fine_text, "yard.toml"), on_cpu);
  for (talus_simulation* one : {simulation.handle, again.handle}) {
    must(talus_advance(one, 3));
    must(talus_change(one, moon));
    must(talus_advance(one, 3));
  }
  cpp.advance(3);
  cpp.change(parse_scene(fine_text + "[solver]\nsubsteps = 9\n", "yard.toml"));
  cpp.advance(3);
  CHECK(hash_of(simulation) == cpp.state_hash());
  CHECK(hash_of(again) == cpp.state_hash());

  OwnedScene now;
  must(talus_simulation_scene(simulation, &now));
  talus_scene_info info = sized<talus_scene_info>();
  must(talus_scene_describe(now, &info));
  CHECK(info.substeps == 9);
  const char* key = "";
  must(talus_scene_needs_restart(scene, moon, &key));
  CHECK(key == nullptr);
  must(talus_scene_needs_restart(scene, other, &key));
  REQUIRE(key != nullptr);
  CHECK(std::string(key) ==
        *needs_restart(parse_scene(fine_text, ""), parse_scene(fine_text + "[scene]\nseed = 3\n", "")));
  check_error(talus_change(simulation, other), TALUS_ERROR_SCENE, key);
}

TEST_CASE("C steps without waiting", "[c]") {
  const OwnedSimulation simulation = c_simulation(fine_text);
  Simulation cpp(parse_scene(fine_text, "fine.toml"), on_cpu);
  std::uint32_t under_way = 7, ready = 0;
  must(talus_under_way(simulation, &under_way));
  CHECK(under_way == 0);
  check_error(talus_finish(simulation), TALUS_ERROR_SEQUENCE, "no steps are under way");
  must(talus_start(simulation, 20, 1));
  must(talus_under_way(simulation, &under_way));
  CHECK(under_way == 1);
  std::uint64_t hash = 0;
  double seconds = 0.0;
  check_error(talus_state_hash(simulation, 0, &hash), TALUS_ERROR_SEQUENCE, "under way");
  check_error(talus_time(simulation, 0, &seconds), TALUS_ERROR_SEQUENCE, "under way");
  check_error(talus_start(simulation, 1, 0), TALUS_ERROR_SEQUENCE, "under way");
  while (!ready)
    must(talus_ready(simulation, &ready));
  must(talus_finish(simulation));
  cpp.advance(20);
  CHECK(hash_of(simulation) == cpp.state_hash());
  must(talus_evaluate_contacts(simulation));
  must(talus_start(simulation, 20, 0));  // given up where it is freed
}

TEST_CASE("C's results tell the exceptions apart", "[c]") {
  OwnedScene scene;
  OwnedSimulation simulation;
  const char* bad = "[time]\ndt = 0.004\n[domain]\nmin = [0, 0, 0]\nmax = [1, 1, -1]\n[solver]\niterations = 0\n";
  check_error(talus_scene_parse(bad, "s.toml", nullptr, 0, &scene), TALUS_ERROR_SCENE, "s.toml:5:");
  check_error(talus_scene_parse(bad, nullptr, nullptr, 0, &scene), TALUS_ERROR_SCENE, "scene:5:");
  check_error(talus_scene_load("none.toml", nullptr, 0, &scene), TALUS_ERROR_SCENE, "none.toml");
  const char* override = "solver.iterations=none";
  check_error(talus_scene_parse(fine_text.c_str(), nullptr, &override, 1, &scene), TALUS_ERROR_SCENE, "iterations");
  CHECK(scene.handle == nullptr);

  const std::string without_upsampling = fine_text.substr(0, fine_text.find("[upsampling]"));
  const OwnedScene serial = c_scene(without_upsampling + "[solver]\nmethod = \"p2\"\niteration = \"gauss_seidel\"\n");
  talus_options options = sized<talus_options>();
  options.device = "0";
  check_error(talus_simulation_create(serial, &options, &simulation), TALUS_ERROR_DEVICE, "gauss_seidel");
  CHECK(simulation.handle == nullptr);

  // A formula that has no value at its second step, and a crate that is pushed until it is not a number any more.
  const char* end = "time.end=0.004";  // up to where formulas are looked at before
  OwnedScene formulas;
  must(talus_scene_parse((fine_text + "[[body]]\nname = \"b\"\nsphere.radius = 0.01\n"
                                      "motion.position = [\"sqrt(0.025 - t)\", 0, 0]\n")
                             .c_str(),
                         nullptr, &end, 1, &formulas));
  const OwnedSimulation formula = c_simulation(formulas);
  check_error(talus_advance(formula, 20), TALUS_ERROR_SCENE, "finite");
  const OwnedSimulation crate =
      c_simulation(without_upsampling + "[[body]]\nname = \"c\"\nbox.size = [0.02, 0.02, 0.02]\nmass = 0.001\n"
                                        "position = [0, 0, 0.28]\n");
  const double force[3]{1e38, 0.0, 0.0}, none[3]{0.0, 0.0, 0.0};
  must(talus_advance(crate, 1));
  const std::uint64_t valid = hash_of(crate);
  must(talus_push_body(crate, 0, force, none));
  check_error(talus_advance(crate, 1), TALUS_ERROR_STATE, "step");
  CHECK(hash_of(crate) == valid);
  must(talus_advance(crate, 1));

  const std::array<std::string, 13> names{"TALUS_OK",
                                          "TALUS_ERROR_INVALID_ARGUMENT",
                                          "TALUS_ERROR_SCENE",
                                          "TALUS_ERROR_DEVICE",
                                          "TALUS_ERROR_RESOURCE",
                                          "TALUS_ERROR_STATE",
                                          "TALUS_ERROR_VERIFY",
                                          "TALUS_ERROR_CHECKPOINT",
                                          "TALUS_ERROR_SEQUENCE",
                                          "TALUS_ERROR_TOO_SMALL",
                                          "TALUS_ERROR_UNAVAILABLE",
                                          "TALUS_ERROR_MEMORY",
                                          "TALUS_ERROR_INTERNAL"};
  for (std::size_t k = 0; k < names.size(); ++k)
    CHECK(talus_result_name(static_cast<talus_result>(k)) == names[k]);
  CHECK(std::string(talus_result_name(13)) == "unknown");
  CHECK(talus_version() >> 16 == TALUS_VERSION_MAJOR);
  CHECK((talus_version() >> 8 & 255) == TALUS_VERSION_MINOR);
  CHECK(std::string(talus_version_text()) ==
        fmt::format("{}.{}.{}", TALUS_VERSION_MAJOR, TALUS_VERSION_MINOR, TALUS_VERSION_PATCH));
}

TEST_CASE("C's handles are looked up before they are used", "[c]") {
  OwnedScene scene = c_scene(fine_text);
  OwnedSimulation simulation = c_simulation(scene);
  std::uint64_t count = 0;
  must(talus_simulation_free(nullptr));
  check_error(talus_advance(nullptr, 1), TALUS_ERROR_INVALID_ARGUMENT, "a handle is null");
  check_error(talus_advance(reinterpret_cast<talus_simulation*>(scene.handle), 1), TALUS_ERROR_INVALID_ARGUMENT,
              "of another type");
  int anything = 0;
  check_error(talus_advance(reinterpret_cast<talus_simulation*>(&anything), 1), TALUS_ERROR_INVALID_ARGUMENT,
              "of another type");
  check_error(talus_message_count(nullptr, 0, &count), TALUS_ERROR_INVALID_ARGUMENT, "a handle is null");
  talus_simulation* const freed = std::exchange(simulation.handle, nullptr);
  must(talus_simulation_free(freed));
  check_error(talus_advance(freed, 1), TALUS_ERROR_INVALID_ARGUMENT, "was freed");
  check_error(talus_simulation_free(freed), TALUS_ERROR_INVALID_ARGUMENT, "was freed");
  check_error(talus_change(c_simulation(scene), nullptr), TALUS_ERROR_INVALID_ARGUMENT, "a handle is null");

  // The sentence of an error is that of its thread.
  std::string there = "none";
  std::thread([&] { there = talus_last_error(); }).join();
  CHECK(there.empty());
}

TEST_CASE("A simulation that another thread is in a call with is refused to C", "[c]") {
  const OwnedSimulation simulation = c_simulation(yard_text);
  std::atomic<bool> refused = false;
  std::thread stepping([&] {
    while (!refused)
      talus_advance(simulation, 20);
  });
  double seconds = 0.0;
  talus_result result = TALUS_OK;
  while (result == TALUS_OK)
    result = talus_time(simulation, 0, &seconds);
  refused = true;
  stepping.join();
  check_error(result, TALUS_ERROR_SEQUENCE, "another thread");
  must(talus_time(simulation, 0, &seconds));
  CHECK(seconds > 0.0);
}

TEST_CASE("Whatever null pointer, index or size C is given is an error", "[c]") {
  const OwnedScene scene = c_scene(yard_text);
  const OwnedSimulation simulation = c_simulation(scene);
  talus_simulation* const s = simulation;
  const std::uint64_t before = hash_of(s);
  std::uint32_t number = 0;
  std::uint64_t count = 0;
  double value = 0.0;
  const char* text = nullptr;
  talus_pose pose{};
  talus_twist twist{};
  float pixel = 0.0f;
  talus_body_load load{};
  talus_scene_info info = sized<talus_scene_info>();
  talus_options options = sized<talus_options>();
  talus_simulation* made = nullptr;
  const double three[3]{0.0, 0.0, 0.0}, nan[3]{std::nan(""), 0.0, 0.0};
  const talus_body_limits negative{-1.0, 0.0, 0.0, 0.0};
  const talus_pose still{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
  const auto refused = [&](talus_result result, const std::string& part) {
    check_error(result, TALUS_ERROR_INVALID_ARGUMENT, part);
  };
  // Pointers.
  refused(talus_scene_parse(nullptr, nullptr, nullptr, 0, nullptr), "scene is null");
  OwnedScene none;
  refused(talus_scene_parse(nullptr, nullptr, nullptr, 0, &none), "text is null");
  refused(talus_scene_parse("", nullptr, nullptr, 1, &none), "overrides is null");
  refused(talus_scene_parse("", nullptr, &text, 1, &none), "an override is null");
  refused(talus_scene_load(nullptr, nullptr, 0, &none), "file is null");
  refused(talus_scene_text(scene, nullptr), "text is null");
  refused(talus_scene_describe(scene, nullptr), "info is null");
  refused(talus_scene_name(scene, 0, 0, nullptr), "name is null");
  refused(talus_scene_needs_restart(scene, scene, nullptr), "key is null");
  refused(talus_prepare(scene, nullptr), "prepared is null");
  refused(talus_simulation_create(scene, nullptr, nullptr), "simulation is null");
  refused(talus_simulation_create_prepared(nullptr, nullptr, &made), "a handle is null");
  refused(talus_ready(s, nullptr), "ready is null");
  refused(talus_under_way(s, nullptr), "under_way is null");
  refused(talus_simulation_scene(s, nullptr), "scene is null");
  refused(talus_simulation_device(s, nullptr), "info is null");
  refused(talus_message_count(s, 0, nullptr), "count is null");
  refused(talus_message(s, 0, 0, nullptr), "text is null");
  refused(talus_get_counts(s, nullptr), "counts is null");
  refused(talus_time(s, 0, nullptr), "seconds is null");
  refused(talus_measure_state(s, 0, nullptr), "measure is null");
  refused(talus_state_hash(s, 0, nullptr), "hash is null");
  refused(talus_sink_counts(s, nullptr, 0, nullptr), "count is null");
  refused(talus_emitter_counts(s, nullptr, 1, &count), "its capacity is 1");
  refused(talus_periodic_crossings(s, nullptr), "crossings is null");
  refused(talus_pass_times(s, nullptr, 0, nullptr), "count is null");
  refused(talus_read_grains(s, nullptr), "grains is null");
  refused(talus_read_fine_grains(s, nullptr), "grains is null");
  refused(talus_view_grains(s, nullptr), "view is null");
  refused(talus_find(s, TALUS_KIND_BODY, nullptr, 0, &number), "name is null");
  refused(talus_find(s, TALUS_KIND_BODY, "slab", 0, nullptr), "number is null");
  refused(talus_body_state(s, 0, nullptr, &twist), "pose is null");
  refused(talus_body_state(s, 0, &pose, nullptr), "twist is null");
  refused(talus_joint_state(s, 1, nullptr, &value), "value is null");
  refused(talus_joint_state(s, 1, &value, nullptr), "speed is null");
  refused(talus_body_loads(s, nullptr, 0, nullptr), "count is null");
  refused(talus_load_history(s, nullptr, 0, nullptr), "count is null");
  refused(talus_place_body(s, 0, nullptr), "at is null");
  refused(talus_move_body(s, 0, nullptr, nullptr), "target is null");
  refused(talus_drive_body(s, 0, nullptr, nullptr), "target is null");
  refused(talus_push_body(s, 2, nullptr, three), "force is null");
  refused(talus_push_body(s, 2, three, nullptr), "torque is null");
  refused(talus_grab(s, nullptr, 1.0, &number), "at is null");
  refused(talus_grab(s, three, 1.0, nullptr), "held is null");
  refused(talus_move_hand(s, nullptr), "at is null");
  refused(talus_push_grains(s, nullptr, 1.0, &number), "at is null");
  refused(talus_push_grains(s, three, 1.0, nullptr), "pushed is null");
  refused(talus_remove_grains(s, nullptr, 1.0, &number), "at is null");
  refused(talus_remove_grains(s, three, 1.0, nullptr), "removed is null");
  refused(talus_removed_grains(s, nullptr), "removed is null");
  refused(talus_shape_state(s, 0, nullptr, &value), "pose is null");
  refused(talus_shape_state(s, 0, &pose, nullptr), "velocity is null");
  refused(talus_read_cloth(s, 0, nullptr), "arrays is null");
  refused(talus_depth_size(s, 0, nullptr, &number), "width is null");
  refused(talus_depth_size(s, 0, &number, nullptr), "height is null");
  refused(talus_read_depth(s, 0, &pixel, 1, nullptr), "count is null");
  refused(talus_fork_world(s, 0, nullptr, 1), "to is null");
  refused(talus_restore_world(s, 0, nullptr, 1), "worlds is null");
  refused(talus_save(s, nullptr), "file is null");
  refused(talus_resume(s, nullptr), "file is null");
  refused(talus_checkpoint_create(s, nullptr), "checkpoint is null");
  refused(talus_checkpoint_bytes(nullptr, nullptr, &count), "bytes is null");
  refused(talus_resume_bytes(s, nullptr, 0), "bytes is null");
  refused(talus_devices_list(nullptr), "devices is null");
  refused(talus_devices_count(nullptr, &number), "a handle is null");
  // Indices, names and kinds.
  refused(talus_scene_name(scene, 6, 0, &text), "TALUS_KIND_");
  refused(talus_message_count(s, 2, &count), "TALUS_MESSAGE_");
  refused(talus_message(s, TALUS_MESSAGE_NOTE, 99, &text), "there is no message 99");
  refused(talus_time(s, 2, &value), "there is no world 2");
  refused(talus_state_hash(s, 2, &count), "there is no world 2");
  refused(talus_find(s, TALUS_KIND_BODY, "slob", 0, &number), "slob");
  refused(talus_find(s, TALUS_KIND_BODY, "slab", 2, &number), "there is no world 2");
  refused(talus_find(s, TALUS_KIND_SINK, "drain", 0, &number), "kind 4");
  refused(talus_body_state(s, 6, &pose, &twist), "there is no body 6");
  refused(talus_joint_state(s, 0, &value, &value), "has no joint");
  refused(talus_joint_state(s, 6, &value, &value), "there is no body 6");
  refused(talus_place_body(s, 6, &still), "there is no body 6");
  refused(talus_move_body(s, 6, &still, nullptr), "there is no body 6");
  refused(talus_drive_body(s, 6, &twist, nullptr), "there is no body 6");
  refused(talus_move_joint(s, 6, 0.0), "there is no body 6");
  refused(talus_drive_joint(s, 6, 0.0), "there is no body 6");
  refused(talus_push_body(s, 6, three, three), "body 6");
  refused(talus_shape_state(s, 2, &pose, &value), "there is no shape 2");
  talus_cloth_arrays cloth = sized<talus_cloth_arrays>();
  refused(talus_read_cloth(s, 2, &cloth), "there is no cloth 2");
  refused(talus_depth_size(s, 2, &number, &number), "there is no depth camera 2");
  refused(talus_read_depth(s, 2, &pixel, 1, &count), "there is no depth camera 2");
  // Values.
  refused(talus_push_body(s, 0, three, three), "has no mass");
  refused(talus_push_body(s, 2, nan, three), "finite");
  refused(talus_move_hand(s, nan), "finite");
  refused(talus_move_joint(s, 1, 61.0), "cannot reach 61");
  refused(talus_move_body(s, 0, &pose, nullptr), "rotation");  // of length 0
  refused(talus_drive_body(s, 0, &twist, &negative), "above 0");
  refused(talus_advance(s, static_cast<std::uint64_t>(-1)), "too many");
  refused(talus_start(s, static_cast<std::uint64_t>(-1), 0), "too many");
  // Sizes.
  info.size = 8;
  refused(talus_scene_describe(scene, &info), "info.size is 8");
  options.size = 0;
  refused(talus_simulation_create(scene, &options, &made), "options.size is 0");
  options = sized<talus_options>();
  options.threads = -1;
  refused(talus_simulation_create(scene, &options, &made), "threads");
  options = sized<talus_options>();
  options.slice = std::nan("");
  refused(talus_simulation_create(scene, &options, &made), "slice");
  options = sized<talus_options>();
  options.validation = 3;
  refused(talus_simulation_create(scene, &options, &made), "validation");
  options = sized<talus_options>();
  options.reserved = 1;
  refused(talus_simulation_create(scene, &options, &made), "reserved");
  CHECK(made == nullptr);
  check_error(talus_read_depth(s, 0, &pixel, 1, &count), TALUS_ERROR_TOO_SMALL, "192");
  CHECK(count == 2 * 12 * 8);
  check_error(talus_body_loads(s, &load, 1, &count), TALUS_ERROR_TOO_SMALL, "6");
  Grains few(3);
  check_error(talus_read_grains(s, &few.arrays), TALUS_ERROR_TOO_SMALL, "room for 3");
  CHECK(few.ids == std::vector<std::uint32_t>(3));
  CHECK(few.arrays.count > 180);
  // Not on the CPU path.
  talus_vulkan vulkan = sized<talus_vulkan>();
  check_error(talus_vulkan_handles(s, &vulkan), TALUS_ERROR_UNAVAILABLE, "CPU path");
  talus_buffer buffer = sized<talus_buffer>();
  check_error(talus_get_buffer(s, TALUS_BUFFER_GRAINS, &buffer), TALUS_ERROR_UNAVAILABLE, "CPU path");
  CHECK(hash_of(s) == before);
}

TEST_CASE("C's structs may be of an older or of a newer header", "[c]") {
  const OwnedScene scene = c_scene(fine_text);
  // A newer one: what the library does not know becomes 0, and beyond the struct nothing is written.
  struct Newer {
    talus_scene_info known;
    std::uint64_t more, behind;
  } info{sized<talus_scene_info>(), 77, 77};
  info.known.size += 8;
  must(talus_scene_describe(scene, &info.known));
  CHECK(info.known.size == sizeof(talus_scene_info) + 8);
  CHECK(info.known.dt == 0.004);
  CHECK(info.more == 0);
  CHECK(info.behind == 77);
  // In a struct that the library reads, the unknown members must be 0.
  struct NewerOptions {
    talus_options known;
    std::uint64_t more;
  } options{sized<talus_options>(), 0};
  options.known.size += 8;
  options.known.device = "cpu";
  OwnedSimulation simulation, other;
  must(talus_simulation_create(scene, &options.known, &simulation));
  options.more = 1;
  check_error(talus_simulation_create(scene, &options.known, &other), TALUS_ERROR_INVALID_ARGUMENT, "does not know");
}

TEST_CASE("C lists devices as C++ does", "[c][device]") {
  OwnedDevices devices;
  must(talus_devices_list(&devices));
  gpu::Instance instance;
  const auto wanted = gpu::list_devices(instance);
  std::uint32_t count = 0;
  must(talus_devices_count(devices, &count));
  REQUIRE(count == wanted.size());
  REQUIRE(count > 0);
  for (std::uint32_t k = 0; k < count; ++k) {
    talus_device_info info = sized<talus_device_info>();
    must(talus_devices_get(devices, k, &info));
    CHECK(info.index == k);
    CHECK(info.memory_bytes == wanted[k].memory_bytes);
    CHECK(std::array<std::string, 4>{info.name, info.driver, info.api_version, info.type} ==
          std::array<std::string, 4>{wanted[k].name, wanted[k].driver, wanted[k].api_version, wanted[k].type});
    CHECK((*info.missing == '\0') == wanted[k].usable);
  }
  talus_device_info info = sized<talus_device_info>();
  check_error(talus_devices_get(devices, count, &info), TALUS_ERROR_INVALID_ARGUMENT, "there is no device");

  talus_options options = sized<talus_options>();
  options.device = "no such device";
  OwnedSimulation simulation;
  check_error(talus_simulation_create(c_scene(fine_text), &options, &simulation), TALUS_ERROR_DEVICE, "no such device");
}

TEST_CASE("C says where everything lies on a device", "[c][device]") {
  const OwnedSimulation simulation = c_simulation(fine_text + R"([[shape_matched_body]]
name = "brick"
material = "sand"
radius = 0.02
fill.box = { min = [0.0, 0.0, 0.2], max = [0.08, 0.08, 0.28] }
[[body]]
name = "slab"
box.size = [0.1, 0.1, 0.02]
[[depth_camera]]
name = "above"
position = [0, 0, 0.29]
target = [0, 0, 0]
size = [12, 8]
far = 1.0
)",
                                                  vulkan_device());
  must(talus_advance(simulation, 2));
  must(talus_evaluate_contacts(simulation));
  talus_vulkan vulkan = sized<talus_vulkan>();
  must(talus_vulkan_handles(simulation, &vulkan));
  CHECK((vulkan.instance != 0 && vulkan.physical_device != 0 && vulkan.device != 0 && vulkan.queue != 0));
  talus_device_info device = sized<talus_device_info>();
  must(talus_simulation_device(simulation, &device));
  CHECK(std::to_string(device.index) == vulkan_device());

  const auto buffer_of = [&](std::uint32_t which) {
    talus_buffer buffer = sized<talus_buffer>();
    must(talus_get_buffer(simulation, which, &buffer));
    CHECK(buffer.vk_buffer != 0);
    CHECK(buffer.bytes >= buffer.count * buffer.stride);
    return buffer;
  };
  const std::uint64_t grains = buffer_of(TALUS_BUFFER_GRAINS).count, fine = buffer_of(TALUS_BUFFER_FINE_GRAINS).count;
  talus_counts counts = sized<talus_counts>();
  must(talus_get_counts(simulation, &counts));
  CHECK(counts.grains > 12);
  CHECK(grains >= counts.grains);
  CHECK(counts.fine_grains > 0);
  CHECK(fine >= counts.fine_grains);
  struct Wanted {
    std::uint32_t which, stride;
    std::uint64_t count;
  };
  for (const Wanted& w :
       {Wanted{TALUS_BUFFER_GRAINS, 32, grains}, Wanted{TALUS_BUFFER_GRAIN_MATERIALS, 4, grains},
        Wanted{TALUS_BUFFER_GRAIN_IDS, 4, grains}, Wanted{TALUS_BUFFER_GRAIN_SPINS, 16, grains},
        Wanted{TALUS_BUFFER_FINE_GRAINS, 32, fine}, Wanted{TALUS_BUFFER_FINE_MATERIALS, 4, fine},
        Wanted{TALUS_BUFFER_BODIES, sizeof(Body), 1}, Wanted{TALUS_BUFFER_SHAPES, sizeof(ShapeMotion), 1},
        Wanted{TALUS_BUFFER_DEPTH, 4, 12 * 8}, Wanted{TALUS_BUFFER_MEASURES, sizeof(GrainMeasure), grains}}) {
    CAPTURE(w.which);
    const talus_buffer buffer = buffer_of(w.which);
    CHECK(buffer.stride == w.stride);
    CHECK(buffer.count == w.count);
  }
  CHECK(buffer_of(TALUS_BUFFER_CONTACT_LINES).stride == sizeof(ContactLine));
  CHECK(buffer_of(TALUS_BUFFER_CONTACT_LINES).count > 0);

  talus_grain_view view = sized<talus_grain_view>();
  check_error(talus_view_grains(simulation, &view), TALUS_ERROR_UNAVAILABLE, "talus_read_grains()");
  talus_buffer buffer = sized<talus_buffer>();
  check_error(talus_get_buffer(simulation, 11, &buffer), TALUS_ERROR_INVALID_ARGUMENT, "TALUS_BUFFER_");
  check_error(talus_get_buffer(simulation, 0, nullptr), TALUS_ERROR_INVALID_ARGUMENT, "buffer is null");
  must(talus_start(simulation, 1, 0));
  CHECK(buffer_of(TALUS_BUFFER_GRAINS).vk_buffer != 0);
  check_error(talus_get_buffer(simulation, TALUS_BUFFER_DEPTH, &buffer), TALUS_ERROR_SEQUENCE, "under way");
  must(talus_finish(simulation));
}

TEST_CASE("A program pushes joints between bodies, and reads what they bear", "[c]") {
  const std::string text = "[time]\ndt = 0.005\n[domain]\nmin = [-1, -1, -1]\nmax = [1, 1, 1]\n[solver]\nmethod = "
                           "\"dem\"\nsubsteps = 20\n[[material]]\nname = \"sand\"\n[[grains]]\nmaterial = "
                           "\"sand\"\nradius = 0.01\nfill.points = [[0.9, 0.9, -0.99]]\n[[body]]\nname = "
                           "\"post\"\nbox.size = [0.1, 0.1, 0.1]\n[[body]]\nname = \"arm\"\nmass = 2\nbox.size = "
                           "[0.1, 0.1, 0.2]\nposition = [0, 0, -0.2]\nparent = \"post\"\njoint = { type = "
                           "\"revolute\", axis = [0, 1, 0] }\n";
  const OwnedSimulation c = c_simulation(c_scene(text), "cpu", 0);
  Simulation cpp(parse_scene(text, "yard.toml"), {.device = "cpu"});
  must(talus_push_joint(c, 1, 0.5));
  cpp.push_joint(1, 0.5);
  must(talus_advance(c, 10));
  cpp.advance(10);
  CHECK(hash_of(c) == cpp.state_hash());
  talus_joint_load load{};
  int known = 0;
  must(talus_get_joint_load(c, 1, &load, &known));
  REQUIRE(known == 1);
  const JointLoad should = cpp.joint_load(1).value();
  CHECK(vector_of(load.force) == should.force);
  CHECK(vector_of(load.torque) == should.torque);
  CHECK(load.along == should.along);
  CHECK(load.along == Approx(0.5).epsilon(1e-3));
  must(talus_get_joint_load(c, 0, &load, &known));
  CHECK(known == 0);
  check_error(talus_get_joint_load(c, 1, nullptr, &known), TALUS_ERROR_INVALID_ARGUMENT, "load is null");
  check_error(talus_get_joint_load(c, 1, &load, nullptr), TALUS_ERROR_INVALID_ARGUMENT, "known is null");
  check_error(talus_push_joint(c, 0, 1.0), TALUS_ERROR_INVALID_ARGUMENT, "nothing pushes it");
}
