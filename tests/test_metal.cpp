// Metal, through which Vulkan reaches Apple's GPUs: every shader in Metal's language, as MoltenVK translates it, and
// within what Metal has (docs/limits.md).
#include "catch.h"
#include "engine/core/executor.h"
#include "engine/gpu/freeze.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <spirv_cross/spirv_msl.hpp>
#include <string>
#include <vector>

namespace talus::shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
std::span<const std::string_view> shader_names();
}  // namespace talus::shaders
namespace talus::draw_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
std::span<const std::string_view> shader_names();
}  // namespace talus::draw_shaders
namespace talus::test_shaders {
std::span<const std::uint32_t> find_shader(std::string_view name);
}

namespace {

using namespace talus;
using MetalOptions = spirv_cross::CompilerMSL::Options;

// Of Metal's functions in MoltenVK 1.3, which is the first with Vulkan 1.3.
constexpr std::size_t metal_buffers = 31;            // arguments of a function
constexpr std::size_t metal_samplers = 16;           // arguments of a function
constexpr std::uint32_t metal_threads = 1024;        // of a threadgroup
constexpr std::uint32_t metal_shared_bytes = 32768;  // of a threadgroup

struct MetalTarget {
  std::uint32_t major, minor;
  MetalOptions::Platform platform;
  bool argument_buffers;  // descriptor sets are buffers of pointers; MoltenVK's choice where the GPU can do it
};
// macOS 11 is the oldest with shaderDemoteToHelperInvocation, and has Metal 2.3; macOS 26 has 4.0.
constexpr MetalTarget oldest_metal{2, 3, MetalOptions::macOS, false};
constexpr MetalTarget metal_targets[] = {
    oldest_metal,
    {2, 4, MetalOptions::macOS, false},
    {3, 0, MetalOptions::macOS, false},
    {3, 1, MetalOptions::macOS, false},
    {3, 2, MetalOptions::macOS, false},
    {4, 0, MetalOptions::macOS, true},
    {2, 3, MetalOptions::iOS, false},
    {4, 0, MetalOptions::iOS, true},
};

// Why the shader does not run on Metal, a sentence each. SPIRV-Cross refuses what has no translation, but also
// translates what Metal then refuses.
std::vector<std::string> metal_problems(const std::string& name, std::span<const std::uint32_t> spirv,
                                        const MetalTarget& target) {
  std::vector<std::string> problems;
  spirv_cross::CompilerMSL metal(spirv.data(), spirv.size());
  MetalOptions options;
  options.platform = target.platform;
  options.set_msl_version(target.major, target.minor);
  options.argument_buffers = target.argument_buffers;
  options.argument_buffers_tier = MetalOptions::ArgumentBuffersTier::Tier2;
  metal.set_msl_options(options);
  for (const spv::Capability capability : metal.get_declared_capabilities()) {
    if (capability != spv::CapabilityShader && capability != spv::CapabilityImageQuery)
      problems.push_back(fmt::format("{} needs the capability {} of SPIR-V, which not every GPU with Metal has.", name,
                                     static_cast<unsigned>(capability)));
  }
  std::string text;
  try {
    text = metal.compile();
  } catch (const spirv_cross::CompilerError& e) {
    problems.push_back(
        fmt::format("{} does not translate to Metal {}.{}: {}", name, target.major, target.minor, e.what()));
    return problems;
  }
  if (text.find(" main0(") == std::string::npos)
    problems.push_back(fmt::format("{} has no function main0 in Metal {}.{}.", name, target.major, target.minor));

  const gpu::Reflection shader = gpu::reflect(name, spirv);
  const std::size_t buffers = shader.buffers.size() + (shader.push_bytes > 0) + metal.needs_buffer_size_buffer() +
                              metal.needs_swizzle_buffer() + metal.needs_output_buffer() +
                              metal.needs_dispatch_base_buffer() + metal.needs_view_mask_buffer();
  const auto check = [&](std::size_t has, std::size_t most, const char* what) {
    if (has > most)
      problems.push_back(fmt::format("{} has {} {}, and Metal takes {}.", name, has, what, most));
  };
  check(buffers, metal_buffers, "buffers");
  check(shader.images.size(), metal_samplers, "samplers");
  check(std::size_t{1} * shader.local_size[0] * shader.local_size[1] * shader.local_size[2], metal_threads,
        "threads in a group");
  check(shader.shared_bytes, metal_shared_bytes, "bytes of memory that a group shares");
  return problems;
}

struct EmbeddedShader {
  std::string name;
  std::span<const std::uint32_t> code;
};
std::vector<EmbeddedShader> all_embedded_shaders() {
  std::vector<EmbeddedShader> all;
  for (const std::string_view name : shaders::shader_names())
    all.push_back({std::string(name), shaders::find_shader(name)});
  for (const std::string_view name : draw_shaders::shader_names())
    all.push_back({std::string(name), draw_shaders::find_shader(name)});
  return all;
}

// The specialization constants of passes (Features).
constexpr std::uint32_t feature_constants[] = {constant_solid_kinds, constant_shapes, constant_cloth,
                                               constant_rigid,       constant_worlds, constant_periodic};

bool names(const std::vector<std::string>& problems, std::string_view text) {
  return std::ranges::any_of(problems, [&](const std::string& p) { return p.find(text) != std::string::npos; });
}
std::vector<std::string> metal_problems_of_test(const std::string& name) {
  return metal_problems(name, test_shaders::find_shader(name), oldest_metal);
}

}  // namespace

TEST_CASE("Every shader translates to each version of Metal's language, and needs nothing that Metal lacks",
          "[metal]") {
  const std::vector<EmbeddedShader> shaders = all_embedded_shaders();
  REQUIRE(shaders.size() > 100);
  for (const MetalTarget& target : metal_targets)
    for (const EmbeddedShader& shader : shaders)
      REQUIRE(metal_problems(shader.name, shader.code, target) == std::vector<std::string>{});
}

TEST_CASE("Passes translate to Metal's language as scenes specialise them", "[metal]") {
  std::vector<gpu::Constant> plain;
  for (const std::uint32_t id : feature_constants)
    plain.push_back({id, 0});
  const Features all;
  const std::vector<gpu::Constant> full{{constant_solid_kinds, all.solid_kinds},
                                        {constant_shapes, all.shapes},
                                        {constant_cloth, all.cloth},
                                        {constant_rigid, all.rigid},
                                        {constant_worlds, all.worlds},
                                        {constant_periodic, all.periodic}};
  for (const std::string_view name : shaders::shader_names())
    for (const std::vector<gpu::Constant>& constants : {plain, full})
      REQUIRE(metal_problems(std::string(name), gpu::freeze(shaders::find_shader(name), constants), oldest_metal) ==
              std::vector<std::string>{});
}

TEST_CASE("Every shader keeps the limits within which it runs on every device", "[metal]") {
  for (const EmbeddedShader& shader : all_embedded_shaders())
    REQUIRE(gpu::portability_problems(shader.name, gpu::reflect(shader.name, shader.code)) ==
            std::vector<std::string>{});
}

TEST_CASE("A shader that Metal cannot run is named with what Metal lacks", "[metal]") {
  const std::vector<std::string> atomic64 = metal_problems_of_test("metal_atomic64.comp");
  CHECK(names(atomic64, fmt::format("capability {}", static_cast<unsigned>(spv::CapabilityInt64Atomics))));
  CHECK(names(atomic64, "metal_atomic64.comp does not translate to Metal 2.3: "));
  const std::vector<std::string> wide = metal_problems_of_test("metal_double.comp");
  CHECK(names(wide, fmt::format("capability {}", static_cast<unsigned>(spv::CapabilityFloat64))));
  const std::vector<std::string> subgroup = metal_problems_of_test("metal_subgroup.comp");
  CHECK(names(subgroup, fmt::format("capability {}", static_cast<unsigned>(spv::CapabilityGroupNonUniformArithmetic))));
  const std::vector<std::string> room = metal_problems_of_test("metal_room.comp");
  CHECK(names(room, "32 buffers, and Metal takes 31"));
  CHECK(names(room, "1089 threads in a group, and Metal takes 1024"));
  CHECK(names(room, "34848 bytes of memory that a group shares, and Metal takes 32768"));
}
