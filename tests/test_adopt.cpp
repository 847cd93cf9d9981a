// Talus on the device of an application: adoption, shared buffers, exported memory.
#include "engine/executors/adopt.h"
#include "engine/executors/open_devices.h"
#include "engine/gpu/limits.h"
#include "engine/simulation/shared_buffers.h"
#include "scratch.h"
#include "simulate.h"
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#ifndef _WIN32
#include <unistd.h>
#endif

using namespace talus;
using namespace talus_tests;
using gpu::make;

namespace {

// An application makes its device with these.
struct Wishes {
  bool conditions = true;  // conditional rendering, where it is offered
  bool exports = false;
};

// An application with a device and a queue of its own, under the validation layer, which has to be silent to the end:
// what Talus leaves behind on the device counts as well.
struct Application {
  gpu::Instance instance{{.validation = true}};
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditions = make<VkPhysicalDeviceConditionalRenderingFeaturesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT);
  VkPhysicalDeviceVulkan13Features features_13 =
      make<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  VkPhysicalDeviceVulkan12Features features_12 =
      make<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  std::vector<const char*> extensions;
  bool offers_conditions = false;
  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queues = make<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  VkDeviceCreateInfo create = make<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  gpu::DeviceInfo chosen;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkSemaphore timeline = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory{};

  explicit Application(const Wishes& wishes = {}) : chosen(gpu::choose(gpu::list_devices(instance), vulkan_device())) {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(chosen.handle, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> offered(count);
    vkEnumerateDeviceExtensionProperties(chosen.handle, nullptr, &count, offered.data());
    enable_needs(features_12, features_13);
    features_12.pNext = &features_13;
    offers_conditions = gpu::offers(offered, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
    if (wishes.conditions && offers_conditions) {
      extensions.push_back(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME);
      conditions.conditionalRendering = VK_TRUE;
      features_13.pNext = &conditions;
    }
    if (wishes.exports)
      extensions.push_back(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    queues.queueFamilyIndex = chosen.queue_family;
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    create.pNext = &features_12;
    create.queueCreateInfoCount = 1;
    create.pQueueCreateInfos = &queues;
    create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
    create.ppEnabledExtensionNames = extensions.data();
    REQUIRE(vkCreateDevice(chosen.handle, &create, nullptr, &device) == VK_SUCCESS);
    vkGetDeviceQueue(device, chosen.queue_family, 0, &queue);
    vkGetPhysicalDeviceMemoryProperties(chosen.handle, &memory);
    auto pools = make<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pools.queueFamilyIndex = chosen.queue_family;
    REQUIRE(vkCreateCommandPool(device, &pools, nullptr, &pool) == VK_SUCCESS);
    auto type = make<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto semaphore = make<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    semaphore.pNext = &type;
    REQUIRE(vkCreateSemaphore(device, &semaphore, nullptr, &timeline) == VK_SUCCESS);
  }
  ~Application() {
    vkDestroySemaphore(device, timeline, nullptr);
    vkDestroyCommandPool(device, pool, nullptr);
    vkDestroyDevice(device, nullptr);
    for (const std::string& message : instance.log().messages())
      UNSCOPED_INFO(message);
    CHECK(instance.log().count() == 0);
  }
  Application(const Application&) = delete;

  Adoption adoption() const {
    return {.get_instance_proc_addr = vkGetInstanceProcAddr,
            .instance = instance.handle(),
            .api_version = VK_API_VERSION_1_3,
            .debug_utils = true,
            .physical_device = chosen.handle,
            .device = device,
            .created_with = &create,
            .queue_family = chosen.queue_family,
            .queue = queue};
  }

  struct Host {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void* data = nullptr;
  };
  Host host_buffer(VkDeviceSize bytes) {
    Host out;
    auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    REQUIRE(vkCreateBuffer(device, &info, nullptr, &out.buffer) == VK_SUCCESS);
    VkMemoryRequirements need{};
    vkGetBufferMemoryRequirements(device, out.buffer, &need);
    constexpr VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    auto allocate = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocate.allocationSize = need.size;
    while (!(need.memoryTypeBits >> allocate.memoryTypeIndex & 1u) ||
           (memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & host) != host)
      ++allocate.memoryTypeIndex;
    REQUIRE(vkAllocateMemory(device, &allocate, nullptr, &out.memory) == VK_SUCCESS);
    REQUIRE(vkBindBufferMemory(device, out.buffer, out.memory, 0) == VK_SUCCESS);
    REQUIRE(vkMapMemory(device, out.memory, 0, VK_WHOLE_SIZE, 0, &out.data) == VK_SUCCESS);
    return out;
  }
  void destroy(const Host& host) {
    vkDestroyBuffer(device, host.buffer, nullptr);
    vkFreeMemory(device, host.memory, nullptr);
  }

  // Copies buffers of a frame in one submission of the application's own, which waits for the frame and signals
  // `signal`, and returns what they had. Waits on the host only for its own copy.
  std::vector<std::vector<std::byte>> read(const std::vector<std::pair<VkBuffer, VkDeviceSize>>& buffers,
                                           const std::optional<TimelinePoint>& ready, std::uint64_t signal) {
    auto allocate = make<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    allocate.commandPool = pool;
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    REQUIRE(vkAllocateCommandBuffers(device, &allocate, &commands) == VK_SUCCESS);
    auto begin = make<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    vkBeginCommandBuffer(commands, &begin);
    std::vector<Host> hosts;
    for (const auto& [buffer, bytes] : buffers) {
      hosts.push_back(host_buffer(bytes));
      const VkBufferCopy region{0, 0, bytes};
      vkCmdCopyBuffer(commands, buffer, hosts.back().buffer, 1, &region);
    }
    auto barrier = make<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    auto dependency = make<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &barrier;
    vkCmdPipelineBarrier2(commands, &dependency);
    vkEndCommandBuffer(commands);
    auto wait = make<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
    if (ready) {
      wait.semaphore = ready->semaphore;
      wait.value = ready->value;
      wait.stageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    }
    auto done = make<VkSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO);
    done.semaphore = timeline;
    done.value = signal;
    done.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    auto command = make<VkCommandBufferSubmitInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO);
    command.commandBuffer = commands;
    auto submit = make<VkSubmitInfo2>(VK_STRUCTURE_TYPE_SUBMIT_INFO_2);
    submit.waitSemaphoreInfoCount = ready ? 1 : 0;
    submit.pWaitSemaphoreInfos = &wait;
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &command;
    submit.signalSemaphoreInfoCount = 1;
    submit.pSignalSemaphoreInfos = &done;
    REQUIRE(vkQueueSubmit2(queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS);
    auto waits = make<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
    waits.semaphoreCount = 1;
    waits.pSemaphores = &timeline;
    waits.pValues = &signal;
    REQUIRE(vkWaitSemaphores(device, &waits, UINT64_MAX) == VK_SUCCESS);
    std::vector<std::vector<std::byte>> out;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const auto* data = static_cast<const std::byte*>(hosts[i].data);
      out.emplace_back(data, data + buffers[i].second);
      destroy(hosts[i]);
    }
    vkFreeCommandBuffers(device, pool, 1, &commands);
    return out;
  }
};

template <class T> std::vector<T> as(const std::vector<std::byte>& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

// Grains, a moving body, and a cloth: a few of each.
Scene of_all_kinds() {
  Scene scene = box_of(60);
  scene.solver = default_solver(Method::dem);
  scene.solver.substeps = 2;
  scene.bodies = {body_of("paddle", {{BoxPart{{0.01, 0.01, 0.01}}}}, {0.02, 0.02, 0.03})};
  scene.bodies[0].velocity = {0.0, 0.0, 0.1};
  scene.shapes.push_back({.name = "lump"});
  GrainGroup& lump = scene.shapes.back().grains;
  lump.radius_min = lump.radius_max = 0.004;
  lump.shape = BoxFill{{0.01, 0.01, 0.4}, {0.04, 0.04, 0.43}};
  lump.sampling = Sampling::lattice;
  ClothSpec cloth;
  cloth.name = "sheet";
  cloth.sheet = ClothGrid{{0.03, 0.03}, {3, 3}};
  cloth.position = {0.02, 0.02, 0.6};
  cloth.thickness = 0.002;
  scene.cloths.push_back(cloth);
  Emitter emitter;
  emitter.radius_min = emitter.radius_max = 0.005;
  emitter.shape = BoxFill{{0.0, 0.0, 0.8}, {0.04, 0.04, 0.9}};
  emitter.rate = 500.0;
  emitter.stop = 1.0;
  scene.emitters.push_back(emitter);
  scene.upsampling = Upsampling{.radius_min = 0.002, .radius_max = 0.002};
  return scene;
}

Options on(const std::shared_ptr<OpenDevice>& device) {
  return {.timing = false, .on = device};
}

// The message of the error E that act() throws.
template <class E> std::string error_of(auto&& act) {
  try {
    act();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

std::string refusal(const Adoption& adoption) {
  return error_of<DeviceError>([&] { adopt(adoption); });
}

void check_says(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(contains(text, part));
}

}  // namespace

TEST_CASE("Simulations on the device of an application end in the bits of those on Talus' own", "[device][adopt]") {
  Scene scene = box_of(60);
  scene.solver.substeps = 2;
  Scene other = scene;
  other.seed = 7;
  const auto alone = [&](const Scene& s) {
    Simulation simulation(s, on_device());
    simulation.advance(12);
    return simulation.state_hash();
  };
  const std::uint64_t first = alone(scene), second = alone(other);
  CHECK(first != second);

  // With and without conditional rendering, where it is offered and the limits of the test allow it.
  const gpu::TestLimits* limits = gpu::wanted_test_limits();
  const bool allowed = !limits || limits->conditional_rendering;
  for (const bool conditions : {true, false}) {
    CAPTURE(conditions);
    Application application({.conditions = conditions});
    if (!conditions && !application.offers_conditions)
      return;
    int locked = 0, unlocked = 0;
    {
      Adoption adoption = application.adoption();
      adoption.lock = [&] { CHECK(locked++ == unlocked); };
      adoption.unlock = [&] { CHECK(++unlocked == locked); };
      const auto open = adopt(adoption);
      CHECK(open->device.handle() == application.device);
      CHECK(open->device.queue() == application.queue);
      CHECK(open->device.conditions() == (conditions && application.offers_conditions && allowed));
      Simulation a(scene, on(open)), b(other, on(open));
      for (int i = 0; i < 4; ++i) {
        a.advance(3);
        b.start(3);
        b.finish();
      }
      CHECK(a.state_hash() == first);
      CHECK(b.state_hash() == second);
      CHECK(a.device().name == application.chosen.name);
    }
    CHECK(locked > 0);
    CHECK(locked == unlocked);
  }
}

TEST_CASE("An application reads what a simulation computes, in the frame in which it is sent", "[device][adopt]") {
  const Scene scene = of_all_kinds();
  Application application;
  const auto open = adopt(application.adoption());
  Simulation simulation(scene, on(open));
  SharedBuffers shared(simulation, {.vertices = 6, .indices = 36});
  std::uint64_t frames = 0;
  std::uint32_t poured = 0;
  for (int i = 0; i < 3; ++i) {
    simulation.start(5);
    const SharedFrame frame = shared.frame();
    CHECK_THROWS_AS(SharedBuffers(simulation), std::logic_error);
    CHECK(frame.ready.semaphore == open->device.timeline());
    std::vector<std::pair<VkBuffer, VkDeviceSize>> wanted;
    const std::array buffers{&frame.grains, &frame.tags,   &frame.ids,   &frame.fine_grains, &frame.fine_tags,
                             &frame.bodies, &frame.shapes, &frame.cloth, &frame.draws};
    for (const SharedBuffer* buffer : buffers) {
      REQUIRE(VkDeviceSize{buffer->stride} * buffer->count <= buffer->bytes);
      REQUIRE(buffer->count > 0);
      for (const SharedMember& member : buffer->members)
        CHECK(member.offset + 4 <= buffer->stride);
      wanted.emplace_back(buffer->buffer, VkDeviceSize{buffer->stride} * buffer->count);
    }
    CHECK(frame.grains.written_at != 0);
    CHECK(frame.grains.written_by != 0);
    CHECK(frame.draws.written_at == VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
    const auto read = application.read(wanted, frame.ready, ++frames);
    shared.release({application.timeline, frames});
    simulation.finish();

    const auto grains = as<shared::Grain>(read[0]);
    const auto tags = as<std::uint32_t>(read[1]), ids = as<std::uint32_t>(read[2]);
    std::vector<GrainState> seen;
    for (std::size_t k = 0; k < grains.size(); ++k) {
      if (grains[k].position.w > 0.0f)
        seen.push_back({ids[k], glm::vec3(grains[k].position), glm::vec3(grains[k].velocity), grains[k].position.w,
                        tags[k] & shared::tag_material_mask, 0});
    }
    std::ranges::sort(seen, {}, &GrainState::id);
    const std::uint32_t cloth_first = simulation.cloth_first(), cloth_end = cloth_first + frame.cloth.count;
    std::erase_if(seen, [&](const GrainState& g) { return g.id >= cloth_first && g.id < cloth_end; });
    const std::vector<GrainState> expected = simulation.grains();
    REQUIRE(seen.size() == expected.size());
    for (std::size_t k = 0; k < seen.size(); ++k) {
      REQUIRE(seen[k].id == expected[k].id);
      REQUIRE(seen[k].position == expected[k].position);
      REQUIRE(seen[k].velocity == expected[k].velocity);
      REQUIRE(seen[k].radius == expected[k].radius);
      REQUIRE(seen[k].material == expected[k].material);
    }
    CHECK(seen.size() > poured);  // the emitter pours from frame to frame
    poured = static_cast<std::uint32_t>(seen.size());

    const auto fine = as<shared::Grain>(read[3]);
    CHECK(std::ranges::count_if(fine, [](const shared::Grain& g) { return g.position.w > 0.0f; }) ==
          simulation.fine_count());
    glm::vec3 position;
    std::memcpy(&position, read[5].data() + frame.bodies.members[1].offset, sizeof position);
    CHECK(position.z == Approx(simulation.body_state(0).pose.position.z).margin(1e-6));
    std::memcpy(&position, read[6].data() + frame.shapes.members[1].offset, sizeof position);
    CHECK(position.z == Approx(simulation.shape_state(0).pose.position.z).margin(1e-6));
    const auto vertices = as<std::uint32_t>(read[7]);
    const ClothState cloth = simulation.cloth_state(0);
    REQUIRE(vertices.size() == cloth.positions.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      REQUIRE(vertices[v] < grains.size());
      REQUIRE(glm::vec3(grains[vertices[v]].position) == cloth.positions[v]);
    }
    const auto draws = as<std::uint32_t>(read[8]);
    const auto n = static_cast<std::uint32_t>(grains.size()), m = static_cast<std::uint32_t>(fine.size());
    CHECK(draws == std::vector<std::uint32_t>{6, n, 0, 0, 6, m, 0, 0, 36, n, 0, 0, 0, 36, m, 0, 0, 0});
  }
}

TEST_CASE("Talus overwrites and destroys nothing that an application still reads", "[device][adopt]") {
  Application application;
  const auto open = adopt(application.adoption());
  {
    Simulation simulation(box_of(30), on(open));
    SharedBuffers shared(simulation);
    simulation.advance(1);
    shared.frame();
    CHECK_THROWS_AS(shared.release({}), std::invalid_argument);
    const auto until = [&](std::uint64_t value) {
      auto signal = make<VkSemaphoreSignalInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO);
      signal.semaphore = application.timeline;
      signal.value = value;
      REQUIRE(vkSignalSemaphore(application.device, &signal) == VK_SUCCESS);
    };
    // Not released: the steps end, however long they take.
    simulation.start(1);
    while (!simulation.ready()) {
    }
    simulation.finish();
    // Released at a value that is not reached yet: they cannot.
    shared.release({application.timeline, 1});
    shared.release({application.timeline, 2});
    const std::uint64_t memory = open->device.memory_bytes();
    { const gpu::Buffer kept(open->device, "kept", 1 << 20); }  // goes once the next submission is done
    CHECK(open->device.memory_bytes() > memory);
    simulation.start(1);
    const auto never_ready = [&] {  // long enough for a step that would not wait to end
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      CHECK_FALSE(simulation.ready());
    };
    never_ready();
    until(1);
    never_ready();
    CHECK(open->device.memory_bytes() > memory);
    until(2);
    simulation.finish();
    open->device.collect();
    CHECK(open->device.memory_bytes() == memory);
    // At the end the destructor waits, after which nothing refers to the semaphore.
    shared.release({application.timeline, 3});
    until(3);
  }
}

TEST_CASE("A device that Talus cannot adopt is refused in sentences that name what is missing", "[device][adopt]") {
  Application application;
  const auto refused = [](Adoption adoption, auto&& change) {
    change(adoption);
    return refusal(adoption);
  };
  const Adoption good = application.adoption();
  CHECK(refusal({}) == "Talus cannot run on the application's device. get_instance_proc_addr is not given. "
                       "instance is not given. physical_device is not given. device is not given. "
                       "created_with, the VkDeviceCreateInfo of the device, is not given. queue is not given. "
                       "api_version, that of the instance (VkApplicationInfo), is 0.0, and 1.3 is needed.");
  check_says(refused(good, [](Adoption& a) { a.api_version = VK_API_VERSION_1_2; }), "is 1.2, and 1.3 is needed");
  check_says(refused(good, [](Adoption& a) { a.lock = [] {}; }), "lock and unlock are given both or not");
  check_says(refused(good, [](Adoption& a) { a.queue_family = 77; }), "There is no queue family 77.");
  check_says(refused(good, [](Adoption& a) { a.other_families = {88}; }),
             "without queues of family 88, one of other_families");
  check_says(refused(good, [](Adoption& a) { a.export_memory = true; }),
             "without VK_KHR_external_memory_fd, which export_memory needs");
  int nothing = 0;
  check_says(refused(good, [&](Adoption& a) { a.queue = reinterpret_cast<VkQueue>(&nothing); }),
             "queue is none of the device's queues of family");
  check_says(refused(good, [&](Adoption& a) { a.physical_device = reinterpret_cast<VkPhysicalDevice>(&nothing); }),
             "physical_device is none of the instance");
  check_says(refused(good,
                     [](Adoption& a) {
                       a.get_instance_proc_addr = [](VkInstance, const char*) -> PFN_vkVoidFunction { return nullptr; };
                     }),
             "it is none of the given instance");
  // A second loader, while devices of the first are open: the application's own instance is.
  check_says(refused(good,
                     [](Adoption& a) {
                       a.get_instance_proc_addr = [](VkInstance, const char*) -> PFN_vkVoidFunction {
                         return reinterpret_cast<PFN_vkVoidFunction>(+[] {});
                       };
                     }),
             "another Vulkan loader");

  // Each feature by itself, in either of the structures that have it.
  const DeviceNeeds needs = device_needs();
  CHECK(needs.api_version == VK_API_VERSION_1_3);
  CHECK(needs.features.size() >= 7);
  auto without = application.features_12;
  without.timelineSemaphore = without.scalarBlockLayout = VK_FALSE;
  VkDeviceCreateInfo created = application.create;
  created.pNext = &without;
  Adoption lacking = good;
  lacking.created_with = &created;
  check_says(refusal(lacking),
             "without the feature timelineSemaphore of VkPhysicalDeviceVulkan12Features. The device was made "
             "without the feature scalarBlockLayout of VkPhysicalDeviceVulkan12Features.");
  auto alone =
      make<VkPhysicalDeviceTimelineSemaphoreFeatures>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
  alone.pNext = &without;
  alone.timelineSemaphore = VK_TRUE;
  created.pNext = &alone;
  check_says(refusal(lacking), "scalarBlockLayout");
  CHECK_FALSE(contains(refusal(lacking), "timelineSemaphore"));
  created.pNext = nullptr;
  const std::string nothing_on = refusal(lacking);
  for (const auto& feature : needs.features) {
    CAPTURE(feature.name);
    CHECK(contains(nothing_on, feature.name) == !feature.drawing);
  }
  // Features that only the renderer needs: Talus computes there, and draws elsewhere.
  auto no_drawing = application.features_13;
  no_drawing.dynamicRendering = VK_FALSE;
  auto computing = application.features_12;
  computing.pNext = &no_drawing;
  created.pNext = &computing;
  CHECK_FALSE(adopt(lacking)->device.graphics());
  CHECK(adopt(good)->device.graphics() == application.chosen.graphics);
  CHECK_THROWS_AS(adopt(good)->device.export_timeline(), gpu::Error);
}

TEST_CASE("The CPU path has no buffers to share", "[adopt]") {
  Simulation simulation(box_of(8), on_cpu);
  check_says(error_of<DeviceError>([&] { SharedBuffers shared(simulation); }),
             "CPU path has no buffers on a device to share");
}

#ifndef _WIN32
TEST_CASE("Buffers go to a second device as file descriptors", "[device][adopt]") {
  Application reader({.exports = true});
  const auto open = open_to_export({.device = vulkan_device(), .validation = true});
  {
    Simulation simulation(box_of(30), on(open));
    SharedBuffers shared(simulation);
    simulation.start(4);
    const SharedFrame frame = shared.frame();
    const ExportedMemory exported = shared.export_fd(frame.grains.buffer);
    CHECK_THROWS_AS(shared.export_fd(VK_NULL_HANDLE), std::invalid_argument);
    CHECK_THROWS_AS(shared.wait({reader.timeline, 1}), std::invalid_argument);
    REQUIRE(exported.fd >= 0);
    CHECK(exported.memory_bytes >= exported.buffer_bytes);
    CHECK(exported.buffer_bytes >= frame.grains.bytes);

    auto external = make<VkExternalMemoryBufferCreateInfo>(VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    auto info = make<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    info.pNext = &external;
    info.size = exported.buffer_bytes;
    info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    Application::Host imported;
    REQUIRE(vkCreateBuffer(reader.device, &info, nullptr, &imported.buffer) == VK_SUCCESS);
    VkMemoryRequirements need{};
    vkGetBufferMemoryRequirements(reader.device, imported.buffer, &need);
    auto dedicated = make<VkMemoryDedicatedAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    dedicated.buffer = imported.buffer;
    auto import = make<VkImportMemoryFdInfoKHR>(VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
    import.pNext = &dedicated;
    import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    import.fd = exported.fd;  // taken over
    auto allocate = make<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    allocate.pNext = &import;
    allocate.allocationSize = exported.memory_bytes;
    allocate.memoryTypeIndex = static_cast<std::uint32_t>(std::countr_zero(need.memoryTypeBits));
    REQUIRE(vkAllocateMemory(reader.device, &allocate, nullptr, &imported.memory) == VK_SUCCESS);
    REQUIRE(vkBindBufferMemory(reader.device, imported.buffer, imported.memory, 0) == VK_SUCCESS);

    shared.wait(frame.ready);
    const VkDeviceSize bytes = VkDeviceSize{frame.grains.stride} * frame.grains.count;
    const auto read = as<shared::Grain>(reader.read({{imported.buffer, bytes}}, {}, 1)[0]);
    reader.destroy(imported);
    simulation.finish();
    std::vector<glm::vec3> seen, expected;
    for (const shared::Grain& g : read)
      seen.emplace_back(g.position);
    for (const GrainState& g : simulation.grains())
      expected.push_back(g.position);
    const auto order = [](const glm::vec3& a, const glm::vec3& b) {
      return std::array{a.x, a.y, a.z} < std::array{b.x, b.y, b.z};
    };
    std::ranges::sort(seen, order);
    std::ranges::sort(expected, order);
    CHECK(seen == expected);

    if (open->device.exports_timeline()) {
      const int timeline = shared.export_timeline();
      CHECK(timeline >= 0);
      close(timeline);
    } else {
      check_says(error_of<DeviceError>([&] { shared.export_timeline(); }), "cannot be exported");
    }
  }
  CHECK(open->instance.log().count() == 0);

  // On an adopted device, too.
  Adoption adoption = reader.adoption();
  adoption.export_memory = true;
  const auto adopted = adopt(adoption);
  const gpu::Buffer buffer(adopted->device, "exported", 100);
  const gpu::Buffer::Exported exported = buffer.export_fd();
  CHECK(exported.fd >= 0);
  CHECK(exported.buffer_bytes == 112);  // whole 16 bytes
  close(exported.fd);
}
#endif

TEST_CASE("A device that was not opened to export says so", "[device][adopt]") {
  Simulation simulation(box_of(8), on_device());
  SharedBuffers shared(simulation);
  const SharedFrame frame = shared.frame();
  check_says(error_of<DeviceError>([&] { shared.export_fd(frame.grains.buffer); }),
             "not opened or adopted with export_memory");
  check_says(error_of<DeviceError>([&] { shared.export_timeline(); }), "not opened or adopted with export_memory");
}
