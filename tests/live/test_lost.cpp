// Surfaces and devices that are lost, by a driver that says so: Vulkan's functions are replaced for a while.
#include "engine/gpu/vulkan.h"
#include "live.h"
#include <cstdlib>

using namespace talus;
using namespace talus_tests;

namespace {

VkResult answer = VK_SUCCESS;  // of the replaced function, once
template <class Function> Function original = nullptr;

// Lets a function of Vulkan give another answer, the next time that it is asked. instead: of the work, too.
template <class Result, class... Arguments> class Says {
public:
  using Function = Result(VKAPI_PTR*)(Arguments...);
  Says(Function& function, VkResult result, bool instead) : function_(function) {
    original<Function> = function;
    answer = result;
    function = instead ? refuse : pass;
  }
  ~Says() { function_ = original<Function>; }
  bool said() const { return answer == VK_SUCCESS; }

private:
  Function& function_;

  static VKAPI_ATTR VkResult VKAPI_CALL refuse(Arguments... arguments) {
    return answer == VK_SUCCESS ? original<Function>(arguments...) : std::exchange(answer, VK_SUCCESS);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL pass(Arguments... arguments) {
    const VkResult result = original<Function>(arguments...);
    return answer == VK_SUCCESS ? result : std::exchange(answer, VK_SUCCESS);
  }
};
template <class Result, class... Arguments>
Says(Result(VKAPI_PTR*&)(Arguments...), VkResult, bool) -> Says<Result, Arguments...>;

// Memory that runs out after so many allocations.
class Memory {
public:
  explicit Memory(int enough) {
    left_ = enough;
    original<PFN_vkAllocateMemory> = std::exchange(vkAllocateMemory, allocate);
  }
  ~Memory() { vkAllocateMemory = original<PFN_vkAllocateMemory>; }
  int left() const { return left_; }

private:
  static inline int left_ = 0;
  static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                                 const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
    return left_-- > 0 ? original<PFN_vkAllocateMemory>(device, info, callbacks, memory)
                       : VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
};

// What Vulkan finds no driver with, for a while.
class NoDriver {
public:
  NoDriver() {
    for (std::size_t v = 0; v < variables.size(); ++v) {
      const char* value = std::getenv(variables[v]);
      before_[v] = value ? std::optional<std::string>(value) : std::nullopt;
      setenv(variables[v], "/nowhere/driver.json", 1);
    }
  }
  ~NoDriver() {
    for (std::size_t v = 0; v < variables.size(); ++v)
      before_[v] ? setenv(variables[v], before_[v]->c_str(), 1) : unsetenv(variables[v]);
  }

private:
  static constexpr std::array variables{"VK_ICD_FILENAMES", "VK_DRIVER_FILES"};
  std::array<std::optional<std::string>, 2> before_;
};

// The next thing sent to the device does not reach it; the device is said to be lost.
void lose_device(Live& live) {
  const GLFWwindow* const window = live.handle();
  {
    const Says lost(vkQueueSubmit2, VK_ERROR_DEVICE_LOST, true);
    live.until([&] { return lost.said(); });
  }
  CHECK(live.handle() == window);
}

}  // namespace

TEST_CASE("Surfaces and swap chains that are lost or out of date are made anew", "[live]") {
  Live live(balls);
  const Image before = live.picture(true);
  const auto goes_on = [&](const auto& says) {
    live.until([&] { return says.said(); });
    CHECK(live.picture(true).rgba == before.rgba);
  };
  for (const VkResult result : {VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR, VK_NOT_READY}) {
    CAPTURE(result);
    goes_on(Says(vkAcquireNextImageKHR, result, true));
  }
  for (const VkResult result : {VK_SUBOPTIMAL_KHR, VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR}) {
    CAPTURE(result);
    goes_on(Says(vkQueuePresentKHR, result, false));
  }
  goes_on(Says(vkAcquireNextImageKHR, VK_SUBOPTIMAL_KHR, false));
  for (const VkResult result : {VK_ERROR_SURFACE_LOST_KHR, VK_ERROR_NATIVE_WINDOW_IN_USE_KHR}) {
    CAPTURE(result);
    live.app->window().set_vsync(!live.app->window().vsync());  // makes a swap chain
    goes_on(Says(vkCreateSwapchainKHR, result, true));
  }
  live.app->window().set_vsync(!live.app->window().vsync());
  goes_on(Says(vkGetPhysicalDeviceSurfaceCapabilitiesKHR, VK_ERROR_SURFACE_LOST_KHR, true));
}

TEST_CASE("A scene for which memory runs out when it is drawn leaves the one that runs", "[live]") {
  std::string many = balls;
  many.replace(many.find("y = \"open\""), 10, "y = \"open\"\nz = \"open\"");  // no lines are drawn of it
  for (int m = 0; m < 100; ++m)
    many += fmt::format("[[material]]\nname = \"{}\"\n", m);
  constexpr int plenty = 1 << 20;
  int needed = 0;
  {
    Live live(balls, live_options());
    live.app->sharpness().choice = viewer::Sharpness::Choice::full;  // one size of the picture
    live.picture();
    const Memory memory(plenty);
    live.open(live.write("many.toml", many));
    needed = plenty - memory.left() - 6;  // then come the six images of the picture
  }
  REQUIRE(needed > 0);
  Live live(balls, live_options());
  live.app->sharpness().choice = viewer::Sharpness::Choice::full;
  const Image before = live.picture();
  {
    const Memory memory(needed - 1);
    live.app->open(live.write("many.toml", many));
    live.loaded();
  }
  CHECK(contains(live.app->message(), "draw_light"));
  CHECK(live.session().file() == live.scratch / "scene.toml");
  live.app->message().clear();
  CHECK(live.picture().rgba == before.rgba);
  live.play_to(0.1);
}

TEST_CASE("When the device is lost, the window stays, and the CPU path goes on where it is", "[live]") {
  viewer::ViewOptions options = live_options();
  options.device = "cpu";
  Live live(balls, options);
  live.play_to(0.2);
  const std::uint64_t step = live.session().step();
  live.session().playing = true;
  live.session().pace = 0.25;
  live.session().hold = 0.2;  // no step
  lose_device(live);
  CHECK(contains(live.app->message(), fmt::format("goes on from step {}", step)));
  live.loaded();
  CHECK(live.session().playing);
  CHECK(live.session().pace == 0.25);
  CHECK(live.session().step() >= step);
  const Image before = live.picture();
  live.play_to(0.5);
  CHECK(patch(live.picture(), red).middle.y > patch(before, red).middle.y + 1.0);
  Simulation again(load_scene(live.scratch / "scene.toml"), {.device = "cpu"});
  again.advance(live.session().step());
  CHECK(live.session().simulation().state_hash() == again.state_hash());
}

TEST_CASE("When the device of the simulation is lost, the scene goes on from a state of a few seconds ago", "[live]") {
  Live live(balls, live_options());
  live.session().give(viewer::SetParameter{"domain.gravity.z", -3.0});
  live.frames(3);
  lose_device(live);  // before any state was kept
  live.loaded();
  CHECK(live.session().step() == 0);
  CHECK(live.session().scene().domain.gravity.z != -3.0);

  live.session().give(viewer::SetParameter{"domain.gravity.z", -3.0});
  live.play_to(0.2);
  live.session().settle(10.0);  // s
  live.play_to(0.3);
  live.session().playing = true;
  lose_device(live);
  live.loaded();
  CHECK_FALSE(live.session().playing);  // the second time within half a minute
  CHECK(live.session().step() >= 20);
  CHECK(live.session().scene().domain.gravity.z == -3.0);
  live.play_to(0.4);
  live.app->message().clear();
  live.app->save_inputs(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  live.app->message().clear();
  live.app->replay(live.scratch / "inputs.json");
  live.until([&] { return !live.app->message().empty(); });
  CHECK_THAT(live.app->message(), Catch::Contains("bit for bit"));
}

TEST_CASE("A device that does not open again is waited for, with the state saved", "[live]") {
  viewer::ViewOptions options = live_options();
  options.device = "cpu";
  Live live(balls, options);
  live.play_to(0.2);
  const std::uint64_t step = live.session().step();
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(live.scratch.path());
  {
    const NoDriver none;
    lose_device(live);
    CHECK_FALSE(live.app->drawing());
    live.frames(3);
  }
  std::filesystem::current_path(here);
  live.until([&] { return live.app->drawing(); });
  live.loaded();
  CHECK(live.session().step() == step);
  Simulation simulation(load_scene(live.scratch / "scene.toml"), {.device = "cpu"});
  simulation.resume(live.scratch / "scene.crash.talus");
  CHECK(simulation.step() == step);
  CHECK(simulation.state_hash() == live.session().simulation().state_hash());
}
