// A Vulkan renderer of its own, with its window, swapchain and shaders, pours sand into its scene. Talus runs on the
// renderer's device and queue, and the renderer draws the grains from Talus' buffers: in the frame in which the steps
// are sent, by an indirect draw, without a copy and without waiting on the host for the steps.
//
//   foreign_renderer [--frames N] [--picture FILE.png] [--size WxH]
//
// It fails where the last frame does not show more sand than the first.
#include <vulkan/vulkan_raii.hpp>
#define GLFW_INCLUDE_VULKAN
#include <GLFW/glfw3.h>
#define GLM_FORCE_DEPTH_ZERO_TO_ONE
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "engine/executors/adopt.h"
#include "engine/simulation/shared_buffers.h"
#include <array>
#include <cstdio>
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
box = { size = [0.4, 0.4, 0.3] }
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

constexpr vk::Format depth_format = vk::Format::eD32Sfloat;
using Stage = vk::PipelineStageFlagBits2;
using Access = vk::AccessFlagBits2;
using Layout = vk::ImageLayout;
using Aspect = vk::ImageAspectFlagBits;

struct Window {
  GLFWwindow* handle = nullptr;
  Window(int width, int height) {
    if (!glfwInit())
      throw std::runtime_error("there is no display");
    glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
    glfwWindowHint(GLFW_RESIZABLE, GLFW_FALSE);
    handle = glfwCreateWindow(width, height, "Sand in a foreign renderer", nullptr, nullptr);
  }
  ~Window() { glfwTerminate(); }
};

vk::raii::Instance make_instance(const vk::raii::Context& context) {
  std::uint32_t count = 0;
  const char** names = glfwGetRequiredInstanceExtensions(&count);
  const vk::ApplicationInfo application(nullptr, 0, nullptr, 0, VK_API_VERSION_1_3);
  return {context, vk::InstanceCreateInfo({}, &application, 0, nullptr, count, names)};
}

class Renderer {
public:
  Renderer(int width, int height)
      : window_(width, height), instance_(make_instance(context_)), surface_(make_surface()),
        physical_(instance_.enumeratePhysicalDevices().at(0)), device_(make_device()), queue_(device_, 0, 0),
        talus_(talus::adopt({.get_instance_proc_addr = vkGetInstanceProcAddr,
                             .instance = *instance_,
                             .api_version = VK_API_VERSION_1_3,
                             .physical_device = *physical_,
                             .device = *device_,
                             .created_with = reinterpret_cast<const VkDeviceCreateInfo*>(&create_),
                             .queue_family = 0,
                             .queue = *queue_})),
        swapchain_(make_swapchain()), acquired_(make_semaphore(vk::SemaphoreType::eBinary)),
        timeline_(make_semaphore(vk::SemaphoreType::eTimeline)),
        depth_(device_, vk::ImageCreateInfo({}, vk::ImageType::e2D, depth_format, {size_.width, size_.height, 1}, 1, 1,
                                            vk::SampleCountFlagBits::e1, vk::ImageTiling::eOptimal,
                                            vk::ImageUsageFlagBits::eDepthStencilAttachment)),
        depth_memory_(allocate(depth_.getMemoryRequirements(), {})),
        pixels_(device_,
                vk::BufferCreateInfo({}, 4 * size_.width * size_.height, vk::BufferUsageFlagBits::eTransferDst)),
        pixels_memory_(allocate(pixels_.getMemoryRequirements(),
                                vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent)),
        pool_(device_, vk::CommandPoolCreateInfo(vk::CommandPoolCreateFlagBits::eResetCommandBuffer, 0)),
        commands_(std::move(device_.allocateCommandBuffers({*pool_, vk::CommandBufferLevel::ePrimary, 1})[0])) {
    depth_.bindMemory(*depth_memory_, 0);
    views_.push_back(view_of(*depth_, depth_format, Aspect::eDepth));
    pixels_.bindMemory(*pixels_memory_, 0);
    mapped_ = static_cast<const std::uint8_t*>(pixels_memory_.mapMemory(0, VK_WHOLE_SIZE));
    const vk::PushConstantRange push(vk::ShaderStageFlagBits::eVertex, 0, 128);
    layout_ = vk::raii::PipelineLayout(device_, vk::PipelineLayoutCreateInfo({}, {}, push));
    // An instance for each place of a grain.
    const vk::VertexInputBindingDescription places(0, sizeof(talus::shared::Grain), vk::VertexInputRate::eInstance);
    const vk::VertexInputAttributeDescription grain(0, 0, vk::Format::eR32G32B32A32Sfloat, 0);
    grains_ = make_pipeline(grains_vert, grains_frag, vk::PipelineVertexInputStateCreateInfo({}, places, grain));
    boxes_ = make_pipeline(box_vert, box_frag, {});
  }
  ~Renderer() { device_.waitIdle(); }

  const std::shared_ptr<talus::OpenDevice>& talus() const { return talus_; }
  bool open() const { return !glfwWindowShouldClose(window_.handle); }
  vk::Extent2D size() const { return size_; }

  // Draws a frame and presents it; the point of its timeline at which it has been drawn.
  talus::TimelinePoint draw(const talus::SharedFrame& sand) {
    wait();  // for the frame before: there is one command buffer
    const std::uint32_t image = swapchain_.acquireNextImage(UINT64_MAX, *acquired_).second;
    record(image, sand);
    ++frames_;
    const std::array wait{vk::SemaphoreSubmitInfo(*acquired_, 0, Stage::eColorAttachmentOutput),
                          // The steps that Talus has just sent: before their grains, and the number of those, are read.
                          vk::SemaphoreSubmitInfo(sand.ready.semaphore, sand.ready.value,
                                                  Stage::eVertexAttributeInput | Stage::eDrawIndirect)};
    const std::array signal{vk::SemaphoreSubmitInfo(*drawn_[image], 0, Stage::eAllCommands),
                            vk::SemaphoreSubmitInfo(*timeline_, frames_, Stage::eAllCommands)};
    const vk::CommandBufferSubmitInfo commands(*commands_);
    queue_.submit2(vk::SubmitInfo2({}, wait, commands, signal));
    if (queue_.presentKHR(vk::PresentInfoKHR(1, &*drawn_[image], 1, &*swapchain_, &image)) != vk::Result::eSuccess)
      throw std::runtime_error("the window has changed");
    return {*timeline_, frames_};
  }

  // The last frame: 8-bit RGB, rows from the top.
  std::vector<std::uint8_t> picture() {
    wait();
    std::vector<std::uint8_t> rgb;
    const bool bgra = format_ == vk::Format::eB8G8R8A8Unorm || format_ == vk::Format::eB8G8R8A8Srgb;
    for (const std::uint8_t* p = mapped_; p != mapped_ + 4 * size_.width * size_.height; p += 4)
      rgb.insert(rgb.end(), {p[bgra ? 2 : 0], p[1], p[bgra ? 0 : 2]});
    return rgb;
  }

private:
  vk::raii::SurfaceKHR make_surface() {
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    if (glfwCreateWindowSurface(*instance_, window_.handle, nullptr, &surface) != VK_SUCCESS)
      throw std::runtime_error("the window has no surface");
    return {instance_, surface};
  }

  // This renderer takes the first device and its first family, which has to draw, compute and present.
  vk::raii::Device make_device() {
    if (!physical_.getSurfaceSupportKHR(0, *surface_))
      throw std::runtime_error("the first queue family of the first device does not present");
    features_12_.pNext = &features_13_;
    features_13_.dynamicRendering = VK_TRUE;          // what this renderer draws with
    talus::enable_needs(features_12_, features_13_);  // what Talus needs
    return {physical_, create_};
  }

  vk::raii::SwapchainKHR make_swapchain() {
    const auto can = physical_.getSurfaceCapabilitiesKHR(*surface_);
    const auto format = physical_.getSurfaceFormatsKHR(*surface_).at(0);
    format_ = format.format;
    size_ = can.currentExtent;
    vk::raii::SwapchainKHR swapchain(
        device_,
        vk::SwapchainCreateInfoKHR({}, *surface_, can.minImageCount, format_, format.colorSpace, size_, 1,
                                   vk::ImageUsageFlagBits::eColorAttachment | vk::ImageUsageFlagBits::eTransferSrc,
                                   vk::SharingMode::eExclusive, {}, can.currentTransform,
                                   vk::CompositeAlphaFlagBitsKHR::eOpaque, vk::PresentModeKHR::eFifo, VK_TRUE));
    for (const vk::Image image : swapchain.getImages()) {
      images_.push_back(image);
      views_.push_back(view_of(image, format_, Aspect::eColor));
      drawn_.push_back(make_semaphore(vk::SemaphoreType::eBinary));
    }
    return swapchain;
  }

  vk::raii::Semaphore make_semaphore(vk::SemaphoreType kind) const {
    const vk::SemaphoreTypeCreateInfo type(kind, 0);
    return {device_, vk::SemaphoreCreateInfo({}, &type)};
  }

  vk::raii::DeviceMemory allocate(const vk::MemoryRequirements& need, vk::MemoryPropertyFlags flags) const {
    const auto memory = physical_.getMemoryProperties();
    std::uint32_t type = 0;
    while (!(need.memoryTypeBits >> type & 1u) || (memory.memoryTypes[type].propertyFlags & flags) != flags)
      ++type;
    return {device_, vk::MemoryAllocateInfo(need.size, type)};
  }

  vk::raii::ImageView view_of(vk::Image image, vk::Format format, Aspect aspect) const {
    return {device_, vk::ImageViewCreateInfo({}, image, vk::ImageViewType::e2D, format, {}, {aspect, 0, 1, 0, 1})};
  }

  template <std::size_t V, std::size_t F>
  vk::raii::Pipeline make_pipeline(const std::uint32_t (&vert)[V], const std::uint32_t (&frag)[F],
                                   const vk::PipelineVertexInputStateCreateInfo& input) const {
    const vk::raii::ShaderModule vertex(device_, vk::ShaderModuleCreateInfo({}, sizeof vert, vert)),
        fragment(device_, vk::ShaderModuleCreateInfo({}, sizeof frag, frag));
    const std::array stages{
        vk::PipelineShaderStageCreateInfo({}, vk::ShaderStageFlagBits::eVertex, *vertex, "main"),
        vk::PipelineShaderStageCreateInfo({}, vk::ShaderStageFlagBits::eFragment, *fragment, "main")};
    const vk::PipelineInputAssemblyStateCreateInfo assembly({}, vk::PrimitiveTopology::eTriangleList);
    const vk::Viewport viewport(0, 0, float(size_.width), float(size_.height), 0, 1);
    const vk::Rect2D all({0, 0}, size_);
    const vk::PipelineViewportStateCreateInfo view({}, viewport, all);
    vk::PipelineRasterizationStateCreateInfo raster;
    raster.lineWidth = 1.0f;
    const vk::PipelineMultisampleStateCreateInfo samples;
    const vk::PipelineDepthStencilStateCreateInfo depth({}, VK_TRUE, VK_TRUE, vk::CompareOp::eLess);
    vk::PipelineColorBlendAttachmentState write;
    write.colorWriteMask = vk::ColorComponentFlags(vk::FlagTraits<vk::ColorComponentFlagBits>::allFlags);
    const vk::PipelineColorBlendStateCreateInfo blend({}, VK_FALSE, vk::LogicOp::eCopy, write);
    const vk::PipelineRenderingCreateInfo target(0, format_, depth_format);
    return {device_, nullptr,
            vk::GraphicsPipelineCreateInfo({}, stages, &input, &assembly, nullptr, &view, &raster, &samples, &depth,
                                           &blend, nullptr, *layout_, {}, 0, {}, 0, &target)};
  }

  void change(vk::Image image, Aspect aspect, vk::PipelineStageFlags2 from, vk::AccessFlags2 written, Layout before,
              vk::PipelineStageFlags2 to, vk::AccessFlags2 used, Layout after) {
    const vk::ImageMemoryBarrier2 barrier(from, written, to, used, before, after, VK_QUEUE_FAMILY_IGNORED,
                                          VK_QUEUE_FAMILY_IGNORED, image, {aspect, 0, 1, 0, 1});
    commands_.pipelineBarrier2(vk::DependencyInfo({}, {}, {}, barrier));
  }

  void record(std::uint32_t image, const talus::SharedFrame& sand) {
    const auto depths = Stage::eEarlyFragmentTests | Stage::eLateFragmentTests;
    const auto depth_use = Access::eDepthStencilAttachmentRead | Access::eDepthStencilAttachmentWrite;
    commands_.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    change(images_[image], Aspect::eColor, Stage::eColorAttachmentOutput, {}, Layout::eUndefined,
           Stage::eColorAttachmentOutput, Access::eColorAttachmentWrite, Layout::eColorAttachmentOptimal);
    change(*depth_, Aspect::eDepth, depths, depth_use, Layout::eUndefined, depths, depth_use,
           Layout::eDepthAttachmentOptimal);
    const vk::RenderingAttachmentInfo colour(*views_[image], Layout::eColorAttachmentOptimal, {}, {}, {},
                                             vk::AttachmentLoadOp::eClear, vk::AttachmentStoreOp::eStore,
                                             vk::ClearColorValue(std::array{0.10f, 0.12f, 0.16f, 1.0f}));
    const vk::RenderingAttachmentInfo depth(*views_.back(), Layout::eDepthAttachmentOptimal, {}, {}, {},
                                            vk::AttachmentLoadOp::eClear, vk::AttachmentStoreOp::eDontCare,
                                            vk::ClearDepthStencilValue(1.0f, 0));
    commands_.beginRendering(vk::RenderingInfo({}, {{0, 0}, size_}, 1, 0, colour, &depth));
    const glm::mat4 view = glm::lookAt(glm::vec3(1.5f, -1.9f, 1.2f), glm::vec3(0.0f, 0.0f, 0.2f), glm::vec3(0, 0, 1));
    glm::mat4 projection = glm::perspective(glm::radians(38.0f), float(size_.width) / float(size_.height), 0.1f, 10.0f);
    projection[1][1] *= -1.0f;  // y goes down in Vulkan
    commands_.bindPipeline(vk::PipelineBindPoint::eGraphics, *boxes_);
    for (const Box& box : boxes) {
      const PushedBox push{projection * view, box};
      commands_.pushConstants<PushedBox>(*layout_, vk::ShaderStageFlagBits::eVertex, 0, push);
      commands_.draw(36, 1, 0, 0);
    }
    // The sand: Talus' own buffers.
    commands_.bindPipeline(vk::PipelineBindPoint::eGraphics, *grains_);
    commands_.pushConstants<glm::mat4>(*layout_, vk::ShaderStageFlagBits::eVertex, 0, {view, projection});
    commands_.bindVertexBuffers(0, vk::Buffer(sand.grains.buffer), vk::DeviceSize{0});
    commands_.drawIndirect(sand.draws.buffer, talus::SharedFrame::draw_grains, 1, sizeof(VkDrawIndirectCommand));
    commands_.endRendering();
    change(images_[image], Aspect::eColor, Stage::eColorAttachmentOutput, Access::eColorAttachmentWrite,
           Layout::eColorAttachmentOptimal, Stage::eCopy, Access::eTransferRead, Layout::eTransferSrcOptimal);
    const vk::BufferImageCopy whole(0, 0, 0, {Aspect::eColor, 0, 0, 1}, {}, {size_.width, size_.height, 1});
    commands_.copyImageToBuffer(images_[image], Layout::eTransferSrcOptimal, *pixels_, whole);
    change(images_[image], Aspect::eColor, Stage::eCopy, {}, Layout::eTransferSrcOptimal, Stage::eNone, {},
           Layout::ePresentSrcKHR);
    const vk::MemoryBarrier2 to_host(Stage::eCopy, Access::eTransferWrite, Stage::eHost, Access::eHostRead);
    commands_.pipelineBarrier2(vk::DependencyInfo({}, to_host));
    commands_.end();
  }

  void wait() {
    const vk::Semaphore timeline = *timeline_;
    if (device_.waitSemaphores(vk::SemaphoreWaitInfo({}, timeline, frames_), UINT64_MAX) != vk::Result::eSuccess)
      throw std::runtime_error("the frame does not end");
  }

  struct PushedBox {
    glm::mat4 clip;
    Box box;
  };
  Window window_;
  vk::raii::Context context_;
  vk::raii::Instance instance_;
  vk::raii::SurfaceKHR surface_;
  vk::raii::PhysicalDevice physical_;
  vk::PhysicalDeviceVulkan13Features features_13_;
  vk::PhysicalDeviceVulkan12Features features_12_;
  const float priority_ = 1.0f;
  const char* extension_ = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
  vk::DeviceQueueCreateInfo queues_{{}, 0, 1, &priority_};
  vk::DeviceCreateInfo create_{{}, 1, &queues_, 0, nullptr, 1, &extension_, nullptr, &features_12_};
  vk::raii::Device device_;
  vk::raii::Queue queue_;
  std::shared_ptr<talus::OpenDevice> talus_;  // goes before the device
  vk::Format format_{};
  vk::Extent2D size_;
  std::vector<vk::Image> images_;
  std::vector<vk::raii::ImageView> views_;  // of these, and of the depth
  std::vector<vk::raii::Semaphore> drawn_;
  vk::raii::SwapchainKHR swapchain_;
  vk::raii::Semaphore acquired_, timeline_;
  std::uint64_t frames_ = 0;
  vk::raii::Image depth_;
  vk::raii::DeviceMemory depth_memory_;
  vk::raii::Buffer pixels_;
  vk::raii::DeviceMemory pixels_memory_;
  const std::uint8_t* mapped_ = nullptr;
  vk::raii::PipelineLayout layout_{nullptr};
  vk::raii::Pipeline grains_{nullptr}, boxes_{nullptr};
  vk::raii::CommandPool pool_;
  vk::raii::CommandBuffer commands_;
};

// Sand is the only thing here that is much redder than blue.
std::size_t sandy_pixels(const std::vector<std::uint8_t>& rgb) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rgb.size(); i += 3)
    count += rgb[i] > 60 && rgb[i] > 1.3 * rgb[i + 2];
  return count;
}

void run(int frames, const std::string& picture, int width, int height) {
  Renderer renderer(width, height);
  talus::Simulation simulation(talus::parse_scene(sand, "sand"), {.timing = false, .on = renderer.talus()});
  talus::SharedBuffers shared(simulation, {.vertices = 6});
  std::size_t first = 0;
  for (int frame = 0; frame < frames && renderer.open(); ++frame) {
    glfwPollEvents();
    simulation.start(2);                            // sent, and not waited for
    shared.release(renderer.draw(shared.frame()));  // drawn in the same frame; overwritten only after that
    simulation.finish();
    if (frame == 0)
      first = sandy_pixels(renderer.picture());
  }
  const std::vector<std::uint8_t> last = renderer.picture();
  const std::size_t sandy = sandy_pixels(last);
  std::printf("%u grains; %zu pixels of sand in the first frame, %zu in the last\n", simulation.grain_count(), first,
              sandy);
  const auto size = renderer.size();
  if (!picture.empty() && !stbi_write_png(picture.c_str(), int(size.width), int(size.height), 3, last.data(), 0))
    throw std::runtime_error("cannot write " + picture);
  if (sandy < first + 1000)
    throw std::runtime_error("the sand does not grow");
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  int frames = 100, width = 640, height = 400;
  std::string picture;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--frames")
      frames = std::stoi(arguments[i + 1]);
    else if (arguments[i] == "--picture")
      picture = arguments[i + 1];
    else if (arguments[i] != "--size" || std::sscanf(arguments[i + 1].c_str(), "%dx%d", &width, &height) != 2)
      throw std::runtime_error("unknown option " + arguments[i]);
  }
  run(frames, picture, width, height);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 1;
}
