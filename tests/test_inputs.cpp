// What an operator does: settings that change while a scene runs, and recordings that play back to the same bits.
#include "engine/scene/text.h"
#include "scratch.h"
#include "simulate.h"
#include "viewer/inputs.h"
#include "viewer/parameters.h"
#include "viewer/status.h"
#include "wrong.h"

using namespace talus;
using namespace talus_tests;
using namespace viewer;

namespace {

const std::string scene_files = std::string(TALUS_SOURCE_DIR) + "/scenes/";

const char* const shovel = R"(
[time]
dt = 0.004
end = 1
[domain]
min = [-0.3, -0.3, 0.0]
max = [0.3, 0.3, 0.5]
[solver]
substeps = 2
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.02
fill.box = { min = [-0.2, -0.2, 0.0], max = [0.2, 0.2, 0.1] }
[[body]]
name = "arm"
position = [-0.25, 0.0, 0.1]
joint = { type = "revolute", axis = [0, -1, 0], min = -60, max = 60 }
parts = [ { box = { size = [0.3, 0.1, 0.05] }, position = [0.15, 0, 0] } ]
[[body]]
name = "block"
density = 500
position = [0.1, 0.0, 0.3]
parts = [ { box = { size = [0.1, 0.1, 0.1] } } ]
)";

const std::vector<std::pair<std::uint64_t, Input>> shift{
    {3, DriveJoint{"arm", -40.0}},
    {20, SetParameter{"material.sand.friction_static", 0.9}},
    {20, PushBody{"block", {5.0, 0.0, 8.0}, {0.0, 0.1, 0.0}}},
    {30, Grab{{0.1, 0.1, 0.05}, 0.06}},
    {31, MoveHand{{0.1, 0.1, 0.15}}},
    {35, Dig{{-0.1, 0.1, 0.05}, 0.05}},
    {40, Pour{{0.0, 0.0, 0.3}}},
    {45, SetParameter{"domain.gravity.x", 2.0}},
    {50, Release{}},
    {55, MoveJoint{"arm", 10.0}},
    {60, SetParameter{"solver.method", 0.0}},
    {70, Push{{0.0, -0.1, 0.05}, 0.06}},
};

// batch: steps done together at most.
std::uint64_t play(Simulation& simulation, const Inputs& inputs, std::uint64_t batch) {
  Replay replay(inputs);
  for (replay.play(simulation); !replay.done(simulation); replay.play(simulation))
    simulation.advance(std::min(batch, replay.next() - simulation.step()));
  return simulation.state_hash();
}

void takes_back_commands(const Options& options) {
  const Scene scene = parse_scene(shovel, "shovel.toml");
  const Scratch scratch;
  for (const Input& wild : {Input(PushBody{"block", {1e38, 0.0, 0.0}, {}}), Input(MoveHand{{1e300, 0.0, 0.0}})}) {
    Simulation simulation(scene, options), plain(scene, options);
    for (Simulation* s : {&simulation, &plain}) {
      act(*s, DriveJoint{"arm", -40.0});
      act(*s, PushBody{"block", {0.0, 0.0, 8.0}, {}});
      act(*s, Grab{{0.1, 0.1, 0.05}, 0.06});
      s->advance(3);
    }
    act(simulation, wild);
    act(simulation, DriveJoint{"arm", 30.0});
    CHECK_THROWS_AS(simulation.advance(2), StateError);
    simulation.save(scratch / "rescued.talus");
    Simulation resumed(scene, options);
    resumed.resume(scratch / "rescued.talus");
    resumed.advance(5);
    CHECK(resumed.step() == 8);
    // As if nothing had been commanded, but for the memory of contacts, which a fall back loses.
    plain.advance(5);
    CHECK(resumed.joint_state(0).value == plain.joint_state(0).value);
    CHECK(resumed.body_state(1).twist.velocity.z == Approx(plain.body_state(1).twist.velocity.z).margin(0.01));
  }
}

}  // namespace

TEST_CASE("Inputs of a recording come back from its file, and play to the same bits in any batches") {
  const Scene scene = parse_scene(shovel, "shovel.toml");
  Inputs inputs{.scene = "shovel.toml", .scene_text = to_toml(scene), .end = 80, .device = "CPU", .inputs = shift};
  Simulation first(scene, on_cpu);
  inputs.hash = play(first, inputs, 1);

  const Scratch scratch;
  inputs.save(scratch / "inputs.json");
  const Inputs read = Inputs::load(scratch / "inputs.json");
  CHECK(read.scene == inputs.scene);
  CHECK(read.end == inputs.end);
  CHECK(read.hash == inputs.hash);
  CHECK(read.device == inputs.device);
  CHECK(read.inputs == inputs.inputs);

  Simulation second(parse_scene(read.scene_text, read.scene.string()), on_cpu);
  CHECK(play(second, read, 16) == inputs.hash);

  // Each of them does something: without it, the state is another one.
  for (std::size_t i = 0; i < shift.size(); ++i) {
    INFO("without input " << i);
    Inputs fewer = read;
    fewer.inputs.erase(fewer.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    Simulation third(scene, on_cpu);
    CHECK(play(third, fewer, 16) != inputs.hash);
  }
}

TEST_CASE("A file that is no recording of inputs says so") {
  const Scratch scratch;
  const auto refused = [&](const std::string& text, const std::string& why) {
    write_text(scratch / "inputs.json", text);
    try {
      Inputs::load(scratch / "inputs.json");
      FAIL("nothing was refused: " << text);
    } catch (const UsageError& e) {
      INFO(e.what());
      CHECK(std::string(e.what()).find(why) != std::string::npos);
    }
  };
  const std::string head = R"({"scene": "a", "scene_text": "", "device": "CPU", "end": 9, "hash": "0f", "inputs": [)";
  refused("{", "not a recording of inputs");
  refused("{}", "inputs.json: not a recording of inputs, or a damaged one: it lacks \"scene\"");
  refused("[]", "object");
  refused(head + R"({"step": 1, "release": true}, {"step": 2, "jump": 1}]})", "inputs[1]: ");
  refused(head + R"({"step": 1, "drive_joint": "arm"}]})",
          "inputs[0]: not a recording of inputs, or a damaged one: it lacks \"speed\"");
  for (const char* step : {"-1", "1.5", "9e+46", "\"1\""})
    refused(head + R"({"release": true, "step": )" + step + "}]}",
            std::string("\"step\" must be a whole number from 0 on, not ") + step);
  refused(R"({"scene": "a", "scene_text": "", "device": "CPU", "end": 9e46, "hash": "0f", "inputs": []})",
          "\"end\" must be a whole number from 0 on, not 9e+46");
  refused(head + R"({"step": 1, "drive_joint": 7, "speed": 1}]})", "\"drive_joint\" must be a string, not 7");
  refused(head + R"({"step": 1, "move_hand": [1, 2, "a"]}]})", "\"move_hand\" must be three numbers");
  refused(head + R"({"step": 5, "release": true}, {"step": 2, "release": true}]})", "inputs[1]: ");
  CHECK_THROWS_AS(Inputs::load(scratch / "none.json"), UsageError);
}

TEST_CASE("A state that commands make invalid goes back to what was commanded before, and can go on") {
  takes_back_commands(on_cpu);
}
TEST_CASE("A state that commands make invalid goes back on a device, too", "[device]") {
  takes_back_commands(on_one_device());
}

TEST_CASE("Settings that may change make scenes that a file can hold, at both ends of their range") {
  const std::string name = GENERATE(std::string("pile"), "excavator_dig", "sandcastle");
  const Scene loaded = load_scene(scene_files + name + ".toml");
  for (const Method method : {Method::p2, Method::pbd, Method::vts, Method::sp, Method::dem}) {
    const Scene scene = with_parameter(loaded, "solver.method", static_cast<double>(method));
    CHECK(scene.solver.method == method);
    for (const Parameter& parameter : parameters_of(scene)) {
      INFO(name << ": " << parameter.key);
      const double value = parameter.get(scene);
      CHECK(value >= parameter.least);
      CHECK(value <= parameter.most);
      if (parameter.scale != Parameter::Scale::choice)
        CHECK(to_toml(with_parameter(scene, parameter.key, value)) == to_toml(scene));
      for (const double end : {parameter.low, parameter.high}) {
        const std::string text = to_toml(with_parameter(scene, parameter.key, end));
        CHECK(to_toml(parse_scene(text, scene_files + "changed.toml")) == text);
      }
      CHECK_THROWS_AS(with_parameter(scene, parameter.key, 1.01 * parameter.most + 1.0), std::invalid_argument);
    }
  }
  CHECK_THROWS_AS(with_parameter(loaded, "solver.omega", 0.5), std::invalid_argument);  // dem has none
}
