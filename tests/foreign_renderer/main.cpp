// A Vulkan renderer of its own, with its window, swapchain and shaders, pours sand into its scene. Talus runs on the
// renderer's device and queue, and the renderer draws the grains from Talus' buffers: in the frame in which the steps
// are sent, by an indirect draw, without a copy and without waiting on the host for the steps.
//
//   foreign_renderer [--frames N] [--picture FILE.png] [--size WxH]
//
// With TALUS_VALIDATION=1 it runs under the validation layer and fails where that says anything. It fails, too, where
// the last frame does not show more sand than the first.
#define GLFW_INCLUDE_VULKAN
#include <GLFW/glfw3.h>
#define GLM_FORCE_DEPTH_ZERO_TO_ONE
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "engine/executors/adopt.h"
#include "engine/simulation/shared_buffers.h"
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <glm/gtc/matrix_transform.hpp>
#include <stb_image_write.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

const std::uint32_t grains_vert[] = {
#include "grains.vert.inc"
};
const std::uint32_t grains_frag[] = {
#include "grains.frag.inc"
};
const std::uint32_t box_vert[] = {
#include "box.vert.inc"
};
const std::uint32_t box_frag[] = {
#include "box.frag.inc"
};

// The renderer's scene: a floor and a box, here as Talus sees them.
const char* const sand = R"(
[time]
dt = 0.00833333
end = 60.0
[domain]
min = [-1.0, -1.0, 0.0]
max = [1.0, 1.0, 2.0]
x = "open"
y = "open"
[solver]
method = "dem"
substeps = 6
[[material]]
name = "sand"
[[body]]
name = "box"
position = [0.0, 0.0, 0.15]
part.box = { size = [0.4, 0.4, 0.3] }
[[emitter]]
material = "sand"
radius = [0.016, 0.024]
rate = 1200.0
velocity = [0.0, 0.0, -1.0]
shape.cylinder = { base = [0.1, -0.05, 1.0], radius = 0.16, height = 0.2 }
stop = 60.0
)";
struct Box {
  glm::vec4 low, high, colour;
};
const Box boxes[] = {{{-1.0f, -1.0f, -0.05f, 0.0f}, {1.0f, 1.0f, 0.0f, 0.0f}, {0.42f, 0.46f, 0.50f, 1.0f}},
                     {{-0.2f, -0.2f, 0.0f, 0.0f}, {0.2f, 0.2f, 0.3f, 0.0f}, {0.20f, 0.35f, 0.65f, 1.0f}}};

void check(VkResult result, const char* what) {
  if (result < 0)
    throw std::runtime_error(std::string(what) + " failed: Vulkan error " + std::to_string(result));
}

int complaints = 0;
VKAPI_ATTR VkBool32 VKAPI_CALL complain(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                        const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  ++complaints;
  std::fprintf(stderr, "Vulkan: %s\n", data->pMessage);
  return VK_FALSE;
}

constexpr VkFormat depth_format = VK_FORMAT_D32_SFLOAT;

class Renderer {
public:
  Renderer(int width, int height) {
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_RESIZABLE, GLFW_FALSE);
    window_ = glfwCreateWindow(width, height, "Sand in a foreign renderer", nullptr, nullptr);
    make_instance();
    make_device();
    make_swapchain();
    const VkVertexInputBindingDescription places{0, 32, VK_VERTEX_INPUT_RATE_INSTANCE};  // compared with frame.grains
    const VkVertexInputAttributeDescription grain{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    VkPipelineVertexInputStateCreateInfo none{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineVertexInputStateCreateInfo instances = none;
    instances.vertexBindingDescriptionCount = instances.vertexAttributeDescriptionCount = 1;
    instances.pVertexBindingDescriptions = &places;
    instances.pVertexAttributeDescriptions = &grain;
    const VkPushConstantRange push{VK_SHADER_STAGE_VERTEX_BIT, 0, 128};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &push;
    check(vkCreatePipelineLayout(device_, &layout, nullptr, &layout_), "Creating the layout");
    grains_ = make_pipeline(grains_vert, sizeof grains_vert, grains_frag, sizeof grains_frag, instances);
    boxes_ = make_pipeline(box_vert, sizeof box_vert, box_frag, sizeof box_frag, none);
  }

  ~Renderer() {
    vkDeviceWaitIdle(device_);
    for (VkPipeline pipeline : {grains_, boxes_})
      vkDestroyPipeline(device_, pipeline, nullptr);
    vkDestroyPipelineLayout(device_, layout_, nullptr);
    for (VkImageView view : views_)
      vkDestroyImageView(device_, view, nullptr);
    vkDestroyImageView(device_, depth_view_, nullptr);
    vkDestroyImage(device_, depth_, nullptr);
    vkDestroyBuffer(device_, pixels_, nullptr);
    for (VkDeviceMemory memory : {depth_memory_, pixels_memory_})
      vkFreeMemory(device_, memory, nullptr);
    for (VkSemaphore semaphore : drawn_)
      vkDestroySemaphore(device_, semaphore, nullptr);
    for (VkSemaphore semaphore : {acquired_, timeline_})
      vkDestroySemaphore(device_, semaphore, nullptr);
    vkDestroyCommandPool(device_, pool_, nullptr);
    vkDestroySwapchainKHR(device_, swapchain_, nullptr);
    vkDestroyDevice(device_, nullptr);
    vkDestroySurfaceKHR(instance_, surface_, nullptr);
    if (messenger_)
      function<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(instance_, messenger_, nullptr);
    vkDestroyInstance(instance_, nullptr);
    glfwDestroyWindow(window_);
  }
  Renderer(const Renderer&) = delete;

  std::shared_ptr<talus::OpenDevice> share_with_talus() const { return talus_; }
  bool open() const { return !glfwWindowShouldClose(window_); }

  // Draws the frame and presents it; the point of its timeline at which it has been drawn.
  talus::TimelinePoint draw(const talus::SharedFrame& sand) {
    wait();  // for the frame before: one command buffer
    std::uint32_t image = 0;
    check(vkAcquireNextImageKHR(device_, swapchain_, UINT64_MAX, acquired_, VK_NULL_HANDLE, &image), "Acquiring");
    record(image, sand);
    ++frames_;
    const auto point = [](VkSemaphore semaphore, std::uint64_t value, VkPipelineStageFlags2 stages) {
      return VkSemaphoreSubmitInfo{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, value, stages, 0};
    };
    const std::array wait{
        point(acquired_, 0, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT),
        // The steps that Talus has just sent: before their grains and their number are read.
        point(sand.ready.semaphore, sand.ready.value,
              VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT)};
    const std::array signal{point(drawn_[image], 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT),
                            point(timeline_, frames_, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT)};
    VkCommandBufferSubmitInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    commands.commandBuffer = commands_;
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.waitSemaphoreInfoCount = wait.size();
    submit.pWaitSemaphoreInfos = wait.data();
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &commands;
    submit.signalSemaphoreInfoCount = signal.size();
    submit.pSignalSemaphoreInfos = signal.data();
    check(vkQueueSubmit2(queue_, 1, &submit, VK_NULL_HANDLE), "Submitting the frame");
    VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    present.waitSemaphoreCount = present.swapchainCount = 1;
    present.pWaitSemaphores = &drawn_[image];
    present.pSwapchains = &swapchain_;
    present.pImageIndices = &image;
    check(vkQueuePresentKHR(queue_, &present), "Presenting");
    return {timeline_, frames_};
  }

  // The last frame: 8-bit RGB, rows from the top.
  std::vector<std::uint8_t> picture() {
    wait();
    std::vector<std::uint8_t> rgb;
    const auto* pixel = static_cast<const std::uint8_t*>(mapped_);
    const int red = bgra_ ? 2 : 0;
    for (std::uint32_t i = 0; i < size_.width * size_.height; ++i, pixel += 4)
      rgb.insert(rgb.end(), {pixel[red], pixel[1], pixel[2 - red]});
    return rgb;
  }
  VkExtent2D size() const { return size_; }

private:
  template <class F> F function(const char* name) const {
    return reinterpret_cast<F>(vkGetInstanceProcAddr(instance_, name));
  }

  void make_instance() {
    std::uint32_t count = 0;
    const char** needed = glfwGetRequiredInstanceExtensions(&count);
    std::vector<const char*> extensions(needed, needed + count);
    const char* wish = std::getenv("TALUS_VALIDATION");
    const bool validation = wish && std::strcmp(wish, "1") == 0;
    if (validation)
      extensions.insert(extensions.end(),
                        {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME});
    const char* layer = "VK_LAYER_KHRONOS_validation";
    const VkValidationFeatureEnableEXT sync = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
    features.enabledValidationFeatureCount = 1;
    features.pEnabledValidationFeatures = &sync;
    VkDebugUtilsMessengerCreateInfoEXT listen{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    listen.pNext = &features;
    listen.messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    listen.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    listen.pfnUserCallback = complain;
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    create.pNext = validation ? &listen : nullptr;
    create.pApplicationInfo = &application;
    create.enabledLayerCount = validation;
    create.ppEnabledLayerNames = &layer;
    create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    create.ppEnabledExtensionNames = extensions.data();
    check(vkCreateInstance(&create, nullptr, &instance_), "Creating the instance");
    listen.pNext = nullptr;
    if (validation)
      check(function<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(instance_, &listen, nullptr,
                                                                                           &messenger_),
            "Listening to the layer");
    check(glfwCreateWindowSurface(instance_, window_, nullptr, &surface_), "Creating the surface");
  }

  void make_device() {
    std::uint32_t one = 1;
    check(vkEnumeratePhysicalDevices(instance_, &one, &physical_), "Listing devices");
    // This renderer takes the first device and its first family, which has to draw, compute and present.
    VkBool32 presents = VK_FALSE;
    vkGetPhysicalDeviceSurfaceSupportKHR(physical_, 0, surface_, &presents);
    if (!presents)
      throw std::runtime_error("the first queue family of the first device does not present");
    VkPhysicalDeviceVulkan13Features features_13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features features_12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features_13};
    features_13.dynamicRendering = VK_TRUE;              // what this renderer draws with
    talus::enable_needs(features_12, features_13);       // what Talus needs
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char* extension = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features_12};
    create.queueCreateInfoCount = 1;
    create.pQueueCreateInfos = &queue;
    create.enabledExtensionCount = 1;
    create.ppEnabledExtensionNames = &extension;
    check(vkCreateDevice(physical_, &create, nullptr, &device_), "Creating the device");
    vkGetDeviceQueue(device_, 0, 0, &queue_);
    talus_ = talus::adopt({.get_instance_proc_addr = vkGetInstanceProcAddr,
                           .instance = instance_,
                           .api_version = VK_API_VERSION_1_3,
                           .debug_utils = messenger_ != VK_NULL_HANDLE,
                           .physical_device = physical_,
                           .device = device_,
                           .created_with = &create,
                           .queue_family = 0,
                           .queue = queue_});
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    check(vkCreateCommandPool(device_, &pool, nullptr, &pool_), "Creating the pool");
    VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                         VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    check(vkAllocateCommandBuffers(device_, &allocate, &commands_), "Allocating commands");
  }

  VkSemaphore make_semaphore(VkSemaphoreType kind) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, kind, 0};
    VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    check(vkCreateSemaphore(device_, &create, nullptr, &semaphore), "Creating a semaphore");
    return semaphore;
  }

  VkDeviceMemory allocate(const VkMemoryRequirements& need, VkMemoryPropertyFlags flags) {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
    VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, need.size, 0};
    while (!(need.memoryTypeBits >> info.memoryTypeIndex & 1u) ||
           (memory.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
      ++info.memoryTypeIndex;
    VkDeviceMemory out = VK_NULL_HANDLE;
    check(vkAllocateMemory(device_, &info, nullptr, &out), "Allocating memory");
    return out;
  }

  VkImageView view_of(VkImage image, VkFormat format, VkImageAspectFlags aspect) {
    VkImageViewCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    create.image = image;
    create.viewType = VK_IMAGE_VIEW_TYPE_2D;
    create.format = format;
    create.subresourceRange = {aspect, 0, 1, 0, 1};
    VkImageView view = VK_NULL_HANDLE;
    check(vkCreateImageView(device_, &create, nullptr, &view), "Creating a view");
    return view;
  }

  void make_swapchain();
  VkPipeline make_pipeline(const std::uint32_t* vert, std::size_t vert_bytes, const std::uint32_t* frag,
                           std::size_t frag_bytes, const VkPipelineVertexInputStateCreateInfo& input);
  void record(std::uint32_t image, const talus::SharedFrame& sand);
  void wait() {
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline_, &frames_};
    check(vkWaitSemaphores(device_, &info, UINT64_MAX), "Waiting for the frame");
  }
