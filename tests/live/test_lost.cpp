// Surfaces and devices that are lost, by a driver that says so: Vulkan's functions are replaced for a while.
#include "engine/gpu/vulkan.h"
#include "live.h"

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

// Of a device that is said to be lost and is not: what it draws is done afterwards.
void until_it_ends(Live& live) {
  try {
    while (live.app->frame())
      ;
  } catch (...) {
    vkDeviceWaitIdle(live.app->device().device.handle());
    throw;
  }
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

TEST_CASE("When the device is lost, the window ends and the state on the CPU path is saved", "[live]") {
  viewer::ViewOptions options = live_options();
  options.device = "cpu";
  Live live(balls, options);
  live.play_to(0.2);
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(live.scratch.path());
  {
    const Says lost(vkQueueSubmit2, VK_ERROR_DEVICE_LOST, true);
    CHECK_THROWS_AS(until_it_ends(live), gpu::DeviceLost);
    live.app->rescue();
  }
  std::filesystem::current_path(here);
  Simulation simulation(load_scene(live.scratch / "scene.toml"), {.device = "cpu"});
  simulation.resume(live.scratch / "scene.crash.talus");
  CHECK(simulation.step() == live.session().step());
}

TEST_CASE("When the device of the simulation is lost, the window ends", "[live]") {
  Live live(balls, live_options());
  live.session().playing = true;
  {
    const Says lost(vkQueueSubmit2, VK_ERROR_DEVICE_LOST, true);
    CHECK_THROWS_AS(until_it_ends(live), std::runtime_error);
    CHECK(live.app->device().device.is_lost());
    live.app->rescue();  // says that there is nothing to be had
  }
  CHECK_FALSE(std::filesystem::exists("scene.crash.talus"));
}
