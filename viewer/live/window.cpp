#include "viewer/live/window.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace viewer {

using namespace talus;

namespace {

const char* const instead = "`talus render` draws pictures and videos without a window, `talus run` simulates.";

std::string glfw_error() {
  const char* text = nullptr;
  return glfwGetError(&text) != GLFW_NO_ERROR && text ? text : "no reason given";
}

bool has(const gpu::DeviceInfo& device, const char* extension) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device.handle, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(device.handle, nullptr, &count, list.data());
  return std::ranges::any_of(list, [&](const auto& e) { return std::string_view(e.extensionName) == extension; });
}

template <class T, class F> std::vector<T> listed(F&& list) {
  std::uint32_t count = 0;
  list(&count, nullptr);
  std::vector<T> found(count);
  list(&count, found.data());
  found.resize(count);
  return found;
}

}  // namespace

Windows::Windows() {
  if (!glfwInit())
    throw NoWindow(fmt::format("no window can be opened: {}. {}", glfw_error(), instead));
}

Windows::~Windows() {
  glfwTerminate();
}

std::shared_ptr<OpenDevice> Windows::open_device(const std::string& wanted, std::optional<bool> validation) const {
  std::uint32_t count = 0;
  const char** names = glfwGetRequiredInstanceExtensions(&count);
  if (!names)
    throw NoWindow(fmt::format("Vulkan cannot draw in windows here: {}. {}", glfw_error(), instead));
  const auto choose = [&](const std::vector<gpu::DeviceInfo>& devices, const gpu::Instance& instance) {
    const auto fit = [&](gpu::DeviceInfo device) {
      if (!device.usable)
        return device;
      if (!device.graphics)
        device.missing.emplace_back("It does not draw.");
      else if (!has(device, VK_KHR_SWAPCHAIN_EXTENSION_NAME) ||
               !glfwGetPhysicalDevicePresentationSupport(instance.handle(), device.handle, device.queue_family))
        device.missing.emplace_back("It does not draw in windows of this display.");
      device.usable = device.missing.empty();
      return device;
    };
    std::vector<gpu::DeviceInfo> fitting;
    std::ranges::transform(devices, std::back_inserter(fitting), fit);
    try {
      return gpu::choose(fitting, wanted == "cpu" ? "auto" : wanted);
    } catch (const gpu::NoDevice& e) {
      throw NoWindow(fmt::format("{} {}", e.what(), instead));
    }
  };
  return std::make_shared<OpenDevice>(
      gpu::InstanceOptions{.validation = validation, .extensions = {names, names + count}, .print = true},
      gpu::DeviceOptions{.extensions = {VK_KHR_SWAPCHAIN_EXTENSION_NAME}}, choose);
}

Window::Window(OpenDevice& device, const std::string& title, int width, int height) {
  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  if (GLFWmonitor* monitor = glfwGetPrimaryMonitor()) {
    int x = 0, y = 0, most_wide = width, most_high = height;
    glfwGetMonitorWorkarea(monitor, &x, &y, &most_wide, &most_high);
    width = std::min(width, most_wide);
    height = std::min(height, most_high);
  }
  window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (!window_)
    throw NoWindow(fmt::format("no window can be opened: {}. {}", glfw_error(), instead));
  listen();
  try {
    use(device);
  } catch (...) {
    glfwDestroyWindow(window_);
    throw;
  }
}

Window::~Window() {
  leave();
  glfwDestroyWindow(window_);
}

void Window::use(OpenDevice& device) {
  device_ = &device.device;
  try {
    create_surface();
    create_swapchain();
  } catch (...) {
    leave();
    throw;
  }
}

void Window::leave() {
  if (!device_)
    return;
  lose_surface();
  for (const Frame& frame : frames_)
    vkDestroySemaphore(device_->handle(), frame.acquired, nullptr);
  frames_.clear();
  frame_ = 0;
  device_ = nullptr;
}

void Window::listen() {
  glfwSetWindowUserPointer(window_, this);
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int, int action, int mods) {
    auto& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
    if (action != GLFW_RELEASE)
      self.keys_.push_back({key, (mods & GLFW_MOD_SHIFT) != 0, (mods & GLFW_MOD_CONTROL) != 0, action == GLFW_REPEAT});
  });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** files) {
    auto& self = *static_cast<Window*>(glfwGetWindowUserPointer(window));
    self.dropped_.assign(files, files + count);
  });
}

void Window::poll() {
  if (hidden())
    glfwWaitEventsTimeout(0.05);
  else
    glfwPollEvents();
}

void Window::title(const std::string& text) {
  glfwSetWindowTitle(window_, text.c_str());
}

bool Window::closing() const {
  return glfwWindowShouldClose(window_);
}

bool Window::hidden() const {
  return width() == 0 || height() == 0 || glfwGetWindowAttrib(window_, GLFW_ICONIFIED);
}

int Window::width() const {
  int w = 0, h = 0;
  glfwGetFramebufferSize(window_, &w, &h);
  return w;
}

int Window::height() const {
  int w = 0, h = 0;
  glfwGetFramebufferSize(window_, &w, &h);
  return h;
}

std::pair<int, int> Window::points() const {
  float x = 1.0f, y = 1.0f;
  glfwGetWindowContentScale(window_, &x, &y);
  return {static_cast<int>(std::lround(static_cast<float>(width()) / x)),
          static_cast<int>(std::lround(static_cast<float>(height()) / y))};
}

void Window::set_vsync(bool on) {
  stale_ |= vsync_ != on;
  vsync_ = on;
}

void Window::create_surface() {
  if (glfwCreateWindowSurface(device_->instance().handle(), window_, nullptr, &surface_) != VK_SUCCESS)
    throw NoWindow(fmt::format("Vulkan cannot draw in this window: {}. {}", glfw_error(), instead));
  VkBool32 supported = VK_FALSE;
  vkGetPhysicalDeviceSurfaceSupportKHR(device_->physical(), device_->queue_family(), surface_, &supported);
  if (!supported)
    throw NoWindow(fmt::format("{} does not draw in windows of this display. {}", device_->info().name, instead));
  const auto formats = listed<VkSurfaceFormatKHR>([&](std::uint32_t* count, VkSurfaceFormatKHR* list) {
    vkGetPhysicalDeviceSurfaceFormatsKHR(device_->physical(), surface_, count, list);
  });
  // What is drawn is sRGB already.
  const auto found = std::ranges::find_if(formats, [](const VkSurfaceFormatKHR& f) {
    return (f.format == VK_FORMAT_B8G8R8A8_UNORM || f.format == VK_FORMAT_R8G8B8A8_UNORM) &&
           f.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  });
  if (found == formats.end())
    throw NoWindow(fmt::format("this display takes no pictures of 8 bits a colour in sRGB. {}", instead));
  format_ = found->format;
}

void Window::create_swapchain() {
  VkSurfaceCapabilitiesKHR can{};
  const VkResult asked = vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_->physical(), surface_, &can);
  if (asked == VK_ERROR_SURFACE_LOST_KHR) {
    lose_surface();
    create_surface();
    return;  // the next frame goes on
  }
  gpu::check(asked, "Asking the window what it can show");
  VkExtent2D size = can.currentExtent;
  if (size.width == ~0u)
    size = {std::clamp(static_cast<std::uint32_t>(width()), can.minImageExtent.width, can.maxImageExtent.width),
            std::clamp(static_cast<std::uint32_t>(height()), can.minImageExtent.height, can.maxImageExtent.height)};
  if (size.width == 0 || size.height == 0)
    return;
  const auto modes = listed<VkPresentModeKHR>([&](std::uint32_t* count, VkPresentModeKHR* list) {
    vkGetPhysicalDeviceSurfacePresentModesKHR(device_->physical(), surface_, count, list);
  });
  VkPresentModeKHR mode = VK_PRESENT_MODE_FIFO_KHR;  // always there
  if (!vsync_)
    for (const VkPresentModeKHR free : {VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_MAILBOX_KHR})
      if (std::ranges::find(modes, free) != modes.end())
        mode = free;

  auto create = gpu::make<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  create.surface = surface_;
  create.minImageCount = std::max(3u, can.minImageCount);
  if (can.maxImageCount > 0)
    create.minImageCount = std::min(create.minImageCount, can.maxImageCount);
  create.imageFormat = format_;
  create.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  create.imageExtent = size;
  create.imageArrayLayers = 1;
  create.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  create.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
  create.preTransform = can.currentTransform;
  create.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  if (!(can.supportedCompositeAlpha & create.compositeAlpha))
    create.compositeAlpha = VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR;
  create.presentMode = mode;
  create.clipped = VK_TRUE;
  create.oldSwapchain = swapchain_;
  VkSwapchainKHR fresh = VK_NULL_HANDLE;
  const VkResult made = vkCreateSwapchainKHR(device_->handle(), &create, nullptr, &fresh);
  destroy_swapchain();
  if (made == VK_ERROR_SURFACE_LOST_KHR || made == VK_ERROR_NATIVE_WINDOW_IN_USE_KHR) {
    lose_surface();
    create_surface();
    return;
  }
  gpu::check(made, "Making the window's swap chain");
  swapchain_ = fresh;
  const auto handles = listed<VkImage>([&](std::uint32_t* count, VkImage* list) {
    vkGetSwapchainImagesKHR(device_->handle(), swapchain_, count, list);
  });
  const auto semaphore = [&] {
    auto info = gpu::make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    VkSemaphore made_one = VK_NULL_HANDLE;
    gpu::check(vkCreateSemaphore(device_->handle(), &info, nullptr, &made_one), "Making a semaphore");
    return made_one;
  };
  for (const VkImage handle : handles) {
    images_.emplace_back(*device_, fmt::format("window {}", images_.size()),
                         gpu::ImageOptions{size.width, size.height, format_, false}, handle);
    drawn_.push_back(semaphore());
  }
  while (frames_.size() < images_.size() + 1)
    frames_.push_back({semaphore(), 0});
  stale_ = false;
}

void Window::destroy_swapchain() {
  if (!swapchain_)
    return;
  device_->drain();
  vkQueueWaitIdle(device_->queue());  // presenting, too
  images_.clear();
  for (const VkSemaphore semaphore : drawn_)
    vkDestroySemaphore(device_->handle(), semaphore, nullptr);
  drawn_.clear();
  device_->collect();
  vkDestroySwapchainKHR(device_->handle(), swapchain_, nullptr);
  swapchain_ = VK_NULL_HANDLE;
}

void Window::lose_surface() {
  destroy_swapchain();
  vkDestroySurfaceKHR(device_->instance().handle(), surface_, nullptr);
  surface_ = VK_NULL_HANDLE;
  stale_ = true;
}

gpu::Image* Window::acquire() {
  if (hidden())
    return nullptr;
  if (stale_ || !swapchain_)
    create_swapchain();
  if (!swapchain_)
    return nullptr;
  Frame& frame = frames_[frame_];
  if (!device_->done(frame.ticket))
    return nullptr;
  const VkResult result =
      vkAcquireNextImageKHR(device_->handle(), swapchain_, 0, frame.acquired, VK_NULL_HANDLE, &image_);
  switch (result) {
  case VK_SUBOPTIMAL_KHR:
    stale_ = true;
    [[fallthrough]];
  case VK_SUCCESS:
    images_[image_].discard();
    return &images_[image_];
  case VK_NOT_READY:
  case VK_TIMEOUT:
    return nullptr;
  case VK_ERROR_OUT_OF_DATE_KHR:
    stale_ = true;
    return nullptr;
  case VK_ERROR_SURFACE_LOST_KHR:
    lose_surface();
    create_surface();
    return nullptr;
  default:
    gpu::check(result, "Taking an image of the window");
    return nullptr;
  }
}

void Window::present(gpu::Graph& graph) {
  graph.present(images_[image_]);
  Frame& frame = frames_[frame_];
  frame.ticket = graph.submit({.wait = {&frame.acquired, 1}, .signal = {&drawn_[image_], 1}});
  frame_ = (frame_ + 1) % frames_.size();
  auto info = gpu::make<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &drawn_[image_];
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain_;
  info.pImageIndices = &image_;
  const VkResult result = vkQueuePresentKHR(device_->queue(), &info);
  if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR)
    stale_ = true;
  else if (result == VK_ERROR_SURFACE_LOST_KHR)
    lose_surface(), create_surface();
  else
    gpu::check(result, "Showing a frame");
}

}  // namespace viewer
