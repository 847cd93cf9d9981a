#pragma once
// A window and what Vulkan draws in it. The only files of the viewer that see GLFW's types are those that say so here.
#include "engine/executors/open_devices.h"
#include "engine/gpu/graph.h"
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct GLFWwindow;

namespace viewer {

// There is no display, or nothing on this machine can draw in a window. Says what to do instead. Exit status 3.
struct NoWindow : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// GLFW, for as long as the program has windows. Throws NoWindow where there is no display.
class Windows {
public:
  Windows();
  ~Windows();
  Windows(const Windows&) = delete;

  // A device that computes and draws in windows: the one that `wanted` names (as in `talus devices`), or the best,
  // where it is auto or cpu. Throws NoWindow.
  std::shared_ptr<talus::OpenDevice> open_device(const std::string& wanted, std::optional<bool> validation) const;
};

struct KeyPress {
  int key = 0;  // GLFW_KEY_..
  bool shift = false, control = false;
  bool again = false;  // by being held
};

class Window {
public:
  // size: in points, as large as fits. Throws NoWindow.
  Window(talus::OpenDevice& device, const std::string& title, int width, int height);
  ~Window();
  Window(const Window&) = delete;

  // The window stays while what draws in it is exchanged: leave() before a device goes, use() with the next one. In
  // between it only polls. use() throws NoWindow.
  void leave();
  void use(talus::OpenDevice& device);

  void poll();  // input; hidden windows wait for some a while
  void title(const std::string& text);
  bool closing() const;  // the user wants it closed
  bool hidden() const;   // minimised: nothing to draw on
  int width() const;     // pixels
  int height() const;
  std::pair<int, int> points() const;  // width and height, as the constructor takes them; 0 where it is minimised
  bool vsync() const { return vsync_; }
  void set_vsync(bool on);

  // The image of the next frame; null where there is none now: hidden, or all of them are still on their way to the
  // screen. The swap chain follows the window's size by itself, and the surface is made anew where it was lost.
  talus::gpu::Image* acquire();
  VkFormat format() const { return format_; }
  // Ends the frame: what `graph` has recorded is submitted and the image shown.
  void present(talus::gpu::Graph& graph);

  // Since they were asked for last.
  std::vector<KeyPress> keys() { return std::exchange(keys_, {}); }
  std::vector<std::filesystem::path> dropped() { return std::exchange(dropped_, {}); }

  GLFWwindow* handle() const { return window_; }

private:
  struct Frame {
    VkSemaphore acquired = VK_NULL_HANDLE;
    talus::gpu::Ticket ticket = 0;  // that waited for it
  };

  talus::gpu::Device* device_ = nullptr;
  GLFWwindow* window_ = nullptr;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  VkFormat format_ = VK_FORMAT_B8G8R8A8_UNORM;
  std::vector<talus::gpu::Image> images_;
  std::vector<VkSemaphore> drawn_;  // one per image
  std::vector<Frame> frames_;
  std::size_t frame_ = 0;
  std::uint32_t image_ = 0;  // acquired
  bool vsync_ = true, stale_ = true;
  std::vector<KeyPress> keys_;
  std::vector<std::filesystem::path> dropped_;

  void listen();
  void create_surface();
  void create_swapchain();
  void destroy_swapchain();
  void lose_surface();
};

}  // namespace viewer
