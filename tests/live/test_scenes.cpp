// Scenes that come, go and fail, in the window that the tests share.
#include "engine/core/executor.h"
#include "engine/scene/text.h"
#include "live.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <malloc.h>
#include <set>

using namespace talus;
using namespace talus_tests;

namespace {

// In use, of what has been allocated. Resident memory says less: a leak of 15 MB once filled free pages unnoticed, and
// SwiftShader made it grow by 17 MB at once where nothing leaked.
std::int64_t allocated_bytes() {
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

void seen_falling(Live& live) {
  const Image start = live.picture();
  REQUIRE(start.width == width);
  REQUIRE(start.height == height);
  const Patch red_before = patch(start, red), green_before = patch(start, green), blue_before = patch(start, blue);
  CHECK(red_before.pixels > 50);
  CHECK(red_before.middle.x < 0.5 * width);
  CHECK(green_before.middle.x > 0.5 * width);
  live.play_to(0.4);
  const Image later = live.picture();
  CHECK(patch(later, red).middle.y > red_before.middle.y + 10.0);
  CHECK(patch(later, green).middle.y > green_before.middle.y + 10.0);
  CHECK(glm::distance(patch(later, blue).middle, blue_before.middle) < 1.0);
}

// Gravity that no number holds: the next step is invalid.
void spoil(Live& live) {
  live.session().between_steps([](Simulation& simulation) {
    auto settings = read_field<shared::Settings>(simulation.executor(), FieldId::settings, 1);
    settings[0].domain.gravity = {0.0f, 0.0f, 1e23f};
    write_field(simulation.executor(), FieldId::settings, settings);
  });
}

void survives_an_invalid_state(Live& live) {
  live.play_to(0.2);
  const std::uint64_t step = live.session().step();
  spoil(live);
  live.session().playing = true;
  live.until([&] { return !live.session().error().empty(); });
  CHECK(contains(live.session().error(), "step"));
  CHECK_FALSE(live.session().playing);
  CHECK(live.session().step() == step);
  CHECK(live.session().simulation().step() == step);
  CHECK(patch(live.picture(), red).pixels > 50);
  live.key("BackSpace");
  live.loaded();
  CHECK(live.session().step() == 0);
  CHECK(live.session().error() == "");
  live.play_to(0.4);
  CHECK(live.session().error() == "");
}

}  // namespace

TEST_CASE("A scene opens in a window, plays, and its grains are seen to fall", "[live]") {
  Live live(balls);
  CHECK(live.session().simulation().gpu_device() == &live.app->device().device);
  seen_falling(live);
}

TEST_CASE("A scene that becomes invalid stands at its last valid state and can be restarted", "[live]") {
  Live live(balls);
  survives_an_invalid_state(live);
}

TEST_CASE("On the CPU path the window shows the same", "[live]") {
  viewer::ViewOptions options = live_options();
  options.device = "cpu";
  Live live(balls, options);
  REQUIRE(live.app->session());
  CHECK(live.session().simulation().gpu_device() == nullptr);
  seen_falling(live);
  live.play_to(0.6);
  survives_an_invalid_state(live);
}

TEST_CASE("Scenes follow one another while they run", "[live]") {
  Live live(balls);
  const std::filesystem::path scenes[] = {live.scratch / "scene.toml", live.write("box.toml", box)};
  for (int i = 0; i < 10; ++i) {
    live.open(scenes[(i + 1) % 2]);
    live.session().playing = true;
    live.until([&] { return live.session().step() > 2; });
  }
  live.session().playing = false;
  // The last of those asked for at once is the one that comes.
  for (int i = 0; i < 5; ++i)
    live.app->open(scenes[i % 2]);
  live.loaded();
  CHECK(live.session().file() == scenes[0]);
  CHECK(patch(live.picture(), red).pixels > 50);
}

TEST_CASE("A scene restarted after its end stands at its start", "[live]") {
  std::string scene = balls;
  scene.replace(scene.find("end = 4.0"), 9, "end = 0.1");
  Live live(scene);
  live.session().playing = true;
  live.until([&] { return live.session().ended() && !live.session().playing; });
  live.key("BackSpace");
  live.loaded();
  live.frames(5);
  CHECK(live.session().step() == 0);
  CHECK_FALSE(live.session().playing);
}

TEST_CASE("A scene that cannot be opened leaves the one that runs", "[live]") {
  Live live(balls);
  live.session().playing = true;
  const auto refused = [&](const std::filesystem::path& file, const std::string& why) {
    live.app->open(file);
    live.loaded();
    CHECK(contains(live.app->message(), file.filename().string()));
    CHECK(contains(live.app->message(), why));
    CHECK(live.session().file() == live.scratch / "scene.toml");
    const std::uint64_t step = live.session().step();
    live.until([&] { return live.session().step() > step; });
    live.app->message().clear();
  };
  refused(live.write("wrong.toml", "[scene]\ntitel = \"x\"\n"), "wrong.toml:2:");
  refused(live.scratch / "missing.toml", "missing.toml");
}

TEST_CASE("A scene dropped on the window is opened", "[live]") {
  Live live(balls);
  const std::string file = live.write("box.toml", box).string();
  live.drop(file);
  live.loaded();
  CHECK(live.session().file() == file);
}

TEST_CASE("A mesh dropped on the window becomes a body of the scene, which can be saved", "[live]") {
  Live live(balls);
  Mesh cube;  // 40 units wide: in a domain of 8 m they are cm
  for (int c = 0; c < 8; ++c)
    cube.vertices.push_back(40.0f * glm::vec3(c & 1, c >> 1 & 1, c >> 2));
  cube.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  write_mesh(live.scratch / "cube.obj", cube);
  live.drop(live.scratch / "cube.obj");
  live.until([&] { return live.app->dropped_mesh().has_value(); });
  CHECK(live.app->dropped_mesh()->scale == 0.01);
  live.picture(true);
  live.app->add_mesh();
  live.loaded();
  CHECK(live.app->message() == "");
  REQUIRE(live.session().scene().bodies.size() == 1);
  const double start = live.session().simulation().body_state(0).pose.position.z;
  CHECK(start > 1.8);  // where the balls end
  live.play_to(0.2);
  CHECK(live.session().simulation().body_state(0).pose.position.z < start - 0.1);

  const Scene saved = load_scene(live.write("saved.toml", to_toml(live.session().scene())));
  REQUIRE(saved.bodies.size() == 1);
  CHECK(std::get<MeshPart>(saved.bodies[0].parts[0].shape).file == "cube.obj");

  live.drop(live.scratch / "cube.obj");
  live.until([&] { return live.app->dropped_mesh().has_value(); });
  live.app->dropped_mesh()->dynamic = false;
  live.app->add_mesh();
  live.loaded();
  REQUIRE(live.session().scene().bodies.size() == 2);
  CHECK(live.session().scene().bodies[1].name == "cube 2");
  live.play_to(0.2);
  CHECK(live.session().simulation().body_state(1).twist.velocity == glm::dvec3(0.0));
}

TEST_CASE("A mesh that is none is refused with its reader's sentence", "[live]") {
  Live live(balls);
  live.drop(live.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
  live.until([&] { return !live.app->message().empty(); });
  std::string sentence;
  try {
    load_mesh(live.scratch / "flat.obj");
  } catch (const MeshError& e) {
    sentence = e.what();
  }
  CHECK(live.app->message() == sentence);
  CHECK_FALSE(live.app->dropped_mesh());
}

TEST_CASE("A hundred scenes one after the other leave nothing behind", "[live]") {
  Live live(balls);
  live.resize(32, 32);                                             // drawing is slow on these drivers
  live.app->sharpness().choice = viewer::Sharpness::Choice::full;  // one size of the picture
  const std::filesystem::path scene = live.scratch / "scene.toml";
  const auto round = [&] {
    live.open(scene);
    live.session().play_step();
    live.until([&] { return live.session().step() == 1; });
  };
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i)
      round();
  };
  rounds(25);  // until caches are full
  const auto on_device = [&] {
    live.app->device().device.wait_idle();  // what is still to be freed is
    return live.app->device().device.memory_bytes();
  };
  // A leak adds to every set of scenes; caches grow at times. Hence the median.
  const std::uint64_t device = on_device();
  constexpr int sets = 5, scenes = 15;
  std::array<std::int64_t, sets> growth{};
  for (std::int64_t& of_set : growth) {
    const std::int64_t before = allocated_bytes();
    rounds(scenes);
    of_set = allocated_bytes() - before;
  }
  CAPTURE(growth);
  std::ranges::sort(growth);
  CHECK(on_device() == device);
  CHECK(growth[sets / 2] < scenes * (200 << 10));  // 200 KiB a scene, of which the validation layer keeps 70 to 95
}

TEST_CASE("The time of frames is split into simulation, drawing and idle", "[live]") {
  Live live(box);
  live.session().playing = true;
  const auto& statistics = live.app->statistics();
  const auto start = std::chrono::steady_clock::now();
  // On a slow device a while may pass without a new picture.
  const auto drew = [&] {
    return std::ranges::any_of(statistics.drawing(), [](const auto& pass) { return pass.name == "draw_picture"; });
  };
  const bool timed = live.app->device().device.info().timestamps;
  live.until([&] { return statistics.splits().size() >= 2 && (drew() || !timed); });
  const double wall = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const viewer::Statistics::Split mean = statistics.mean_split();
  const auto frames = static_cast<double>(statistics.frames());
  CHECK(frames >= 2);
  CHECK(frames * (mean.simulation + mean.drawing) < 2.0 * wall);
  CHECK(frames * (mean.simulation + mean.drawing + mean.idle) > 0.5 * wall);
  CHECK((mean.simulation > 0.0) == timed);  // on a device without timestamps nothing is known but the whole
  CHECK((mean.drawing > 0.0) == timed);
  std::set<std::string> names;
  double drawing = 0.0;
  for (const viewer::Statistics::Pass& pass : statistics.drawing()) {
    names.insert(pass.name);
    drawing += pass.ms;
  }
  for (const char* name : {"draw_grain", "draw_shadow", "draw_gui"})
    CHECK(names.contains(name) == timed);
  CHECK(drawing == Approx(statistics.splits().back().drawing));
  // What is paused is not simulated.
  live.session().playing = false;
  live.until([&] { return !live.session().simulation().under_way(); });
  const std::size_t before = statistics.splits().size();
  live.until([&] { return statistics.splits().size() >= before + 2; });
  CHECK(statistics.splits().back().simulation == 0.0);
}

TEST_CASE("Contacts and what grains feel are shown while a scene plays and while it stands", "[live]") {
  Live live(box);
  live.session().playing = true;
  live.until([&] { return live.session().time() > 0.15; });
  viewer::Session& session = live.session();
  const Image plain = live.picture();
  live.app->look().color_by = ColorBy::contacts;
  live.until([&] { return session.contacts_evaluated() && live.app->renderer().color_range(); });
  session.playing = false;
  live.until([&] { return !session.simulation().under_way(); });
  live.frames(4);
  const double most = session.simulation().measure().contacts_max;
  const Image colored = live.picture();
  CHECK(most > 0.0);
  CHECK(static_cast<double>(live.app->renderer().color_range()->y) == most);
  CHECK((colored.rgba != plain.rgba));
  live.app->look().color_by = ColorBy::material;
  live.app->look().contacts = ContactLines::force;
  live.app->look().grain_size = 0.3;
  live.key("Home");
  CHECK((live.picture().rgba != colored.rgba));
  CHECK(session.contacts_evaluated());
}
