// Limits of devices: Talus asks for no more than the device has, and says in a sentence what is missing. Tests take one
// device for another (engine/gpu/limits.h).
#include "engine/gpu/graph.h"
#include "engine/gpu/open.h"
#include "simulate.h"
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>

namespace talus::test_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

using namespace talus::gpu;
using Catch::Matchers::Contains;
using talus::test_shaders::find_shader;

// The device of the tests with other limits.
struct LimitedMachine {
  Instance instance{{.validation = true}};
  std::unique_ptr<Device> device;

  explicit LimitedMachine(const std::function<void(Limits&)>& limit) {
    DeviceInfo info = choose(list_devices(instance), talus_tests::vulkan_device());
    limit(info.limits);
    device = std::make_unique<Device>(instance, info, DeviceOptions{.pipeline_cache = false});
  }
  ~LimitedMachine() {
    device.reset();
    CHECK(instance.log().messages() == std::vector<std::string>{});
  }
};

// Runs with TALUS_TEST_LIMITS set.
class WithTestLimits {
public:
  explicit WithTestLimits(const char* name) {
    if (const char* now = std::getenv(variable))
      before_ = now;
    set(name);
  }
  ~WithTestLimits() { set(before_.c_str()); }

private:
  static constexpr const char* variable = "TALUS_TEST_LIMITS";
  std::string before_;

  static void set(const char* value) {
#ifdef _WIN32
    _putenv_s(variable, value);
#else
    setenv(variable, value, 1);
#endif
  }
};

ComputePipeline scale_on(Device& device) {
  return {device, "scale", find_shader("scale.comp")};
}

}  // namespace

TEST_CASE("The limits of a test are those of the device where these are less", "[gpu]") {
  const auto of = [](std::string_view name) { return *std::ranges::find(test_limits(), name, &TestLimits::name); };
  Limits large;
  large.core.maxStorageBufferRange = large.core.maxMemoryAllocationCount = ~0u;
  large.core.maxPerStageDescriptorStorageBuffers = 1000000;
  large.core.maxComputeWorkGroupCount[2] = ~0u;
  large.core.minStorageBufferOffsetAlignment = 4;
  large.buffer_bytes = large.allocation_bytes = ~0ull;
  large.conditional_rendering = large.timestamps = true;
  const Limits mali = lesser(large, of("mali"));
  CHECK(mali.core.maxStorageBufferRange == 1u << 27);
  CHECK(mali.core.maxMemoryAllocationCount == 4096);
  CHECK(mali.core.maxPerStageDescriptorStorageBuffers == 35);
  CHECK(mali.core.maxComputeWorkGroupCount[2] == 65535);
  CHECK(mali.core.minStorageBufferOffsetAlignment == 256);
  CHECK(mali.buffer_bytes == 1u << 30);
  CHECK(mali.allocation_bytes == 1u << 30);
  CHECK_FALSE(mali.conditional_rendering);
  CHECK_FALSE(mali.timestamps);
  CHECK_FALSE(mali.few_registers);

  Limits small = large;
  small.core.maxStorageBufferRange = 1000;
  small.core.minStorageBufferOffsetAlignment = 1024;
  small.conditional_rendering = false;
  const Limits intel = lesser(small, of("intel"));
  CHECK(intel.core.maxStorageBufferRange == 1000);
  CHECK(intel.core.minStorageBufferOffsetAlignment == 1024);
  CHECK_FALSE(intel.conditional_rendering);
  CHECK(intel.timestamps);
  for (const TestLimits& test : test_limits())
    CHECK(test.stage_storage_buffers >= buffers_most);
}

// So that what runs with them runs with the others, too.
TEST_CASE("No test limits are below the least", "[gpu]") {
  Limits large;
  std::memset(&large.core, 0xFF, sizeof large.core);
  large.core.minStorageBufferOffsetAlignment = large.core.nonCoherentAtomSize = 1;
  large.buffer_bytes = large.allocation_bytes = ~0ull;
  const Limits least = lesser(large, *std::ranges::find(test_limits(), "least", &TestLimits::name));
  for (const TestLimits& test : test_limits()) {
    const Limits both = lesser(least, test);
    CAPTURE(test.name);
    CHECK(std::memcmp(&both.core, &least.core, sizeof least.core) == 0);
    CHECK(both.buffer_bytes == least.buffer_bytes);
    CHECK(both.allocation_bytes == least.allocation_bytes);
    CHECK(both.few_registers == least.few_registers);
  }
}

// Passes that go through contacts with few registers (Limits::few_registers) have a loop of their own, which drivers of
// AMD's GCN alone take otherwise.
TEST_CASE("Every method agrees with its reference on a device with few registers", "[gpu][device][lockstep]") {
  const auto few = [] {
    Instance instance;
    return choose(list_devices(instance), talus_tests::vulkan_device()).limits.few_registers;
  };
  const bool every_test_has_few = few();
  const WithTestLimits limits("least");
  REQUIRE(few());
  talus_tests::Variant variant = talus_tests::each_variant();
  variant.solver.rotation = GENERATE(false, true);
  CAPTURE(variant.name, variant.solver.rotation);
  // Without rotation, "Every method agrees with its reference" runs the same passes where each test has these limits,
  // and where the passes of the method do not depend on the number of registers.
  const bool depends = variant.solver.method == talus::Method::dem || variant.solver.method == talus::Method::p2 ||
                       variant.solver.method == talus::Method::pbd;
  if (!variant.solver.rotation && (every_test_has_few || !depends))
    return;
  talus::Simulation simulation(talus_tests::with(talus_tests::jumble_with_bodies(1024), variant.solver),
                               talus_tests::in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(4));
}

TEST_CASE("Devices are listed with the limits that a test gives them", "[gpu][device]") {
  for (const TestLimits& test : test_limits()) {
    const WithTestLimits with(std::string(test.name).c_str());
    Instance instance;
    const DeviceInfo info = choose(list_devices(instance), talus_tests::vulkan_device());
    CAPTURE(info.driver);
    CHECK_THAT(info.driver, Contains(fmt::format("\"{}\"", test.name)));
    CHECK(info.max_storage_buffer_range <= test.storage_buffer_range);
    CHECK(info.max_group_size <= test.group_size);
    CHECK(info.subgroup_size == test.subgroup_size);
    CHECK(info.timestamps <= test.timestamps);
    CHECK(info.opens == test.opens);
    if (!test.opens)
      continue;
    const Device device(instance, info);
    CHECK(device.limits().maxPushConstantsSize <= test.push_bytes);
    CHECK(device.conditions() <= test.conditional_rendering);
    CHECK((device.timestamp_bits() > 0) <= test.timestamps);
  }
}

TEST_CASE("Buffers beyond a limit of the device are refused with name, need and limit", "[gpu][device]") {
  const LimitedMachine machine([](Limits& limits) {
    limits.core.maxStorageBufferRange = 1 << 20;
    limits.core.maxMemoryAllocationCount = 2;
  });
  Device& device = *machine.device;
  CHECK_THROWS_WITH(Buffer(device, "slots", (1 << 20) + 1),
                    Contains("The buffer slots needs 1.0 MiB, and shaders on ") && Contains("at most 1.0 MiB"));
  const Buffer first(device, "first", 1 << 20);  // the range itself fits
  {
    const Buffer second(device, "second", 16);
    CHECK_THROWS_WITH(Buffer(device, "third", 16), Contains("The buffer third needs an allocation of memory, and ") &&
                                                       Contains(" all of its 2 in use"));
  }
  CHECK_NOTHROW(Buffer(device, "third", 16));  // what is freed makes room

  const LimitedMachine small([](Limits& limits) { limits.buffer_bytes = 4096; });
  CHECK_THROWS_WITH(Buffer(*small.device, "slots", 4097), Contains("The buffer slots needs 4.0 KiB, and a buffer of "));
  const LimitedMachine narrow([](Limits& limits) { limits.allocation_bytes = 1 << 20; });
  CHECK_THROWS_WITH(Buffer(*narrow.device, "slots", 2 << 20),
                    Contains("slots needs ") && Contains(" allocates at most 1.0 MiB at once"));
}

TEST_CASE("Pipelines and dispatches beyond a limit of the device are refused with need and limit", "[gpu][device]") {
  const auto refused = [](const std::function<void(Limits&)>& limit, const std::string& what,
                          const char* shader = "scale.comp") {
    const LimitedMachine machine(limit);
    CHECK_THROWS_WITH(ComputePipeline(*machine.device, "pipe", find_shader(shader)),
                      Contains("The pipeline pipe") && Contains(what));
  };
  refused([](Limits& l) { l.core.maxPerStageDescriptorStorageBuffers = 0; }, "storage buffers, and ");
  refused([](Limits& l) { l.core.maxPerStageResources = 0; }, "resources in a stage, and ");
  refused([](Limits& l) { l.core.maxDescriptorSetStorageBuffers = 0; }, "stages bind ");
  refused([](Limits& l) { l.core.maxPushConstantsSize = 4; }, " has 8 bytes of push constants, and ");
  refused([](Limits& l) { l.core.maxComputeWorkGroupInvocations = 1; }, " threads in a group, and ");
  refused([](Limits& l) { l.core.maxComputeWorkGroupSize[0] = 1; }, " threads along an axis of its groups, and ");
  refused([](Limits& l) { l.core.maxComputeSharedMemorySize = 255; },
          " has 256 bytes of memory that a group shares, and ", "limits_shared.comp");
  {
    const LimitedMachine enough([](Limits& l) { l.core.maxComputeSharedMemorySize = 256; });
    CHECK_NOTHROW(ComputePipeline(*enough.device, "pipe", find_shader("limits_shared.comp")));
  }

  const LimitedMachine machine([](Limits& l) {
    l.core.maxComputeWorkGroupCount[0] = 7;
    l.core.maxImageDimension2D = l.core.maxFramebufferWidth = 64;
  });
  Device& device = *machine.device;
  ComputePipeline scale = scale_on(device);
  Graph graph(device);
  Buffer source(device, "source", 4096), target(device, "target", 4096);
  const std::vector<Buffer*> buffers{&source, &target};
  const struct {
    std::uint32_t count = 0;
    float factor = 1.0f;
  } args;
  CHECK_NOTHROW(graph.compute(scale, buffers, args, talus::gpu::Work::grid(7, 1, 1)));
  CHECK_THROWS_WITH(graph.compute(scale, buffers, args, talus::gpu::Work::grid(8, 1, 1)),
                    Contains("The pass scale would take 8 groups along an axis, and ") && Contains("takes 7"));
  graph.finish();
  CHECK_THROWS_WITH(Image(device, "wide", {65, 4, VK_FORMAT_R32_UINT, false}), Contains("takes 1 to 64"));
}

TEST_CASE("A scene that needs a larger buffer than the device has ends in a sentence", "[device]") {
  const WithTestLimits with("mali");
  talus::Options options = talus_tests::on_device();
  options.devices = nullptr;           // those that are open have other limits
  options.contact_slots = 40'000'000;  // of at least 4 bytes
  CHECK_THROWS_AS(talus::Simulation(talus_tests::box_of(20), options), talus::ResourceError);
  CHECK_THROWS_WITH(talus::Simulation(talus_tests::box_of(20), options),
                    Contains("The buffer contact_") && Contains(" reach at most 128.0 MiB of a buffer."));
}

TEST_CASE("A device that fails while it is opened makes room for the next", "[gpu][device]") {
  Instance instance{{.validation = true}};
  DeviceInfo good = choose(list_devices(instance), talus_tests::vulkan_device());
  DeviceInfo bad = good;
  bad.index = 0;
  bad.name = "Broken";
  bad.opens = false;
  good.index = 1;
  const auto open = [&](const std::vector<DeviceInfo>& devices, const char* wanted, std::vector<std::string>& notes) {
    return open_chosen(
        instance, devices, [&](const std::vector<DeviceInfo>& list) { return choose(list, wanted); },
        {.pipeline_cache = false}, notes);
  };
  {
    std::vector<std::string> notes;
    const auto device = open({bad, good}, "auto", notes);
    CHECK(device->info().index == 1);
    CHECK(notes == std::vector<std::string>{"Device 0 (Broken) is passed over. Opening the device Broken failed: "
                                            "initialization failed."});
  }
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(open({bad, good}, "0", notes), "Opening the device Broken failed: initialization failed.");
  CHECK_THROWS_WITH(open({bad, good}, "broken", notes = {}), Contains("Opening the device Broken failed"));
  DeviceInfo worse = bad;
  worse.index = 1;
  notes.clear();
  CHECK_THROWS_WITH(open({bad, worse}, "auto", notes),
                    Contains("No Vulkan device of this machine can run Talus.") && Contains("1: Broken") &&
                        Contains("not usable. Opening the device Broken failed: initialization failed."));
  CHECK(notes.size() == 2);
  CHECK(instance.log().messages() == std::vector<std::string>{});
}
