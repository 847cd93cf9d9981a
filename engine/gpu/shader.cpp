#include "engine/gpu/shader.h"
#include "engine/gpu/freeze.h"
#include <algorithm>
#include <fmt/format.h>
#include <spirv_cross/spirv_cross.hpp>

namespace talus::gpu {

namespace {

// Limits that no shader of Talus may exceed if it is to run everywhere.
constexpr std::uint32_t portable_push_bytes = 128;
constexpr std::uint32_t portable_group_size = 256;
constexpr std::uint32_t portable_shared_bytes = 16384;

std::uint32_t group_size_of(const Reflection& r) {
  return r.local_size[0] * r.local_size[1] * r.local_size[2];
}

class Reader {
public:
  Reader(std::string_view name, std::span<const std::uint32_t> spirv)
      : name_(name), words_(spirv), spirv_(spirv.data(), spirv.size()) {}

  Reflection read(std::span<const Constant> constants) {
    Reflection r;
    switch (spirv_.get_execution_model()) {
    case spv::ExecutionModelGLCompute:
      r.stage = VK_SHADER_STAGE_COMPUTE_BIT;
      break;
    case spv::ExecutionModelVertex:
      r.stage = VK_SHADER_STAGE_VERTEX_BIT;
      break;
    case spv::ExecutionModelFragment:
      r.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
      break;
    default:
      fail("it is neither a compute, a vertex nor a fragment shader");
    }
    // What an include declares and this shader does not touch is no binding of it, and no reason for a barrier.
    const auto used = spirv_.get_shader_resources(spirv_.get_active_interface_variables());
    const auto refuse = [&](const auto& resources, const char* kind) {
      if (!resources.empty())
        fail(fmt::format("{} is a {}, which talus::gpu does not bind", resources[0].name, kind));
    };
    refuse(used.uniform_buffers, "uniform block");
    refuse(used.storage_images, "storage image");
    refuse(used.separate_images, "texture without sampler");
    refuse(used.separate_samplers, "sampler without texture");
    refuse(used.acceleration_structures, "acceleration structure");

    for (const auto& b : used.storage_buffers)
      r.buffers.push_back(buffer(b, r.stage));
    for (const auto& i : used.sampled_images) {
      const auto& type = spirv_.get_type(i.type_id);
      if (!type.array.empty() || type.image.dim != spv::Dim2D || type.image.arrayed || type.image.ms) {
        fail(fmt::format("{} is not a plain sampler2D or sampler2DShadow", i.name));
      }
      r.images.push_back({spirv_.get_name(i.id), set_of(i), spirv_.get_decoration(i.id, spv::DecorationBinding),
                          type.image.depth, static_cast<VkShaderStageFlags>(r.stage)});
    }
    const auto by_binding = [](const auto& a, const auto& b) { return a.binding < b.binding; };
    std::ranges::sort(r.buffers, by_binding);
    std::ranges::sort(r.images, by_binding);
    for (const auto& p : used.push_constant_buffers) {
      r.push_bytes = static_cast<std::uint32_t>(spirv_.get_declared_struct_size(spirv_.get_type(p.base_type_id)));
    }
    if (r.stage == VK_SHADER_STAGE_COMPUTE_BIT) {
      r.local_size = local_size(constants);
      r.shared_bytes = shared_bytes();
    }
    return r;
  }

private:
  std::string_view name_;
  std::span<const std::uint32_t> words_;
  spirv_cross::Compiler spirv_;

  [[noreturn]] void fail(std::string_view why) const { throw Error(fmt::format("The shader {}: {}.", name_, why)); }

  std::uint32_t set_of(const spirv_cross::Resource& resource) const {
    const std::uint32_t set = spirv_.get_decoration(resource.id, spv::DecorationDescriptorSet);
    if (set != 0)
      fail(fmt::format("{} is in descriptor set {}, and only set 0 is bound", resource.name, set));
    return set;
  }

  std::array<std::uint32_t, 3> local_size(std::span<const Constant> constants) const {
    std::array<std::uint32_t, 3> size;
    spirv_cross::SpecializationConstant special[3];
    spirv_.get_work_group_size_specialization_constants(special[0], special[1], special[2]);
    for (std::uint32_t i = 0; i < 3; ++i) {
      size[i] = spirv_.get_execution_mode_argument(spv::ExecutionModeLocalSize, i);
      if (special[i].id == spirv_cross::ConstantID(0))
        continue;
      size[i] = spirv_.get_constant(special[i].id).scalar();
      for (const Constant& c : constants) {
        if (c.id == special[i].constant_id)
          size[i] = c.value;
      }
    }
    return size;
  }

  // As maxComputeSharedMemorySize counts: each variable laid out on its own, a vector of three in the room of four.
  std::uint32_t shared_bytes() const {
    std::uint32_t bytes = 0;
    for (std::size_t at = 5; at < words_.size(); at += words_[at] >> spv::WordCountShift) {
      if ((words_[at] & spv::OpCodeMask) == spv::OpVariable && words_[at + 3] == spv::StorageClassWorkgroup)
        bytes += bytes_of(spirv_.get_type(words_[at + 1]));
    }
    return bytes;
  }

  std::uint32_t bytes_of(const spirv_cross::SPIRType& type) const {
    std::uint32_t bytes = 0;
    if (type.basetype == spirv_cross::SPIRType::Struct) {
      for (const spirv_cross::TypeID member : type.member_types)
        bytes += bytes_of(spirv_.get_type(member));
    } else {
      bytes = std::max(type.width, 32u) / 8 * (type.vecsize == 3 ? 4 : type.vecsize) * type.columns;
    }
    for (std::size_t i = 0; i < type.array.size(); ++i)
      bytes *= type.array_size_literal[i] ? type.array[i] : spirv_.get_constant(type.array[i]).scalar();
    return bytes;
  }

  BufferBinding buffer(const spirv_cross::Resource& resource, VkShaderStageFlagBits stage) const {
    BufferBinding b;
    b.name = spirv_.get_name(resource.id);
    b.set = set_of(resource);
    b.binding = spirv_.get_decoration(resource.id, spv::DecorationBinding);
    b.stages = stage;
    if (!spirv_.get_type(resource.type_id).array.empty())
      fail(fmt::format("{} is an array of blocks", b.name));

    const auto flags = spirv_.get_buffer_block_flags(resource.id);
    if (flags.get(spv::DecorationNonWritable))
      b.access = BufferAccess::read;
    else if (flags.get(spv::DecorationNonReadable))
      b.access = BufferAccess::write;

    const auto& block = spirv_.get_type(resource.base_type_id);
    const std::size_t members = block.member_types.size();
    const auto& last = spirv_.get_type(block.member_types.back());
    const bool runtime = !last.array.empty() && last.array_size_literal.back() && last.array.back() == 0;
    const bool tailed = runtime && members == 2;
    b.array = runtime && !tailed;
    if (members == 1 || tailed)
      b.member = spirv_.get_member_name(block.self, 0);
    if (b.name.empty())
      b.name = b.member.empty() ? spirv_.get_name(resource.base_type_id) : b.member;
    if (tailed) {
      if (b.access != BufferAccess::read)
        fail(fmt::format("the block {} has a runtime array behind a header, but is not readonly", b.name));
      b.stride = spirv_.type_struct_member_offset(block, 1);  // the header's size, which the host's must be, too
      flatten(block.member_types[0], "", 0, 0, b.scalars);
      b.tail = spirv_.get_member_name(block.self, 1);
      b.tail_stride = spirv_.type_struct_member_array_stride(block, 1);
      return b;
    }
    if (!b.array) {
      b.stride = static_cast<std::uint32_t>(spirv_.get_declared_struct_size(block));
      const bool plain_struct = members == 1 && last.array.empty() && last.basetype == spirv_cross::SPIRType::Struct;
      flatten_struct(plain_struct ? last : block, "", 0, b.scalars);
      return b;
    }
    if (members != 1) {
      fail(fmt::format("the block {} has a runtime array behind {} members: one is the most", b.name, members - 1));
    }
    b.stride = spirv_.type_struct_member_array_stride(block, 0);
    const bool matrix = last.columns > 1;
    flatten(last.parent_type, "", 0, matrix ? spirv_.type_struct_member_matrix_stride(block, 0) : 0, b.scalars);
    return b;
  }

  void flatten_struct(const spirv_cross::SPIRType& type, const std::string& name, std::uint32_t offset,
                      std::vector<ScalarMember>& out) const {
    for (std::uint32_t i = 0; i < type.member_types.size(); ++i) {
      const std::string member = spirv_.get_member_name(type.self, i);
      const bool matrix = spirv_.get_type(type.member_types[i]).columns > 1;
      flatten(type.member_types[i], name.empty() ? member : name + "." + member,
              offset + spirv_.type_struct_member_offset(type, i),
              matrix ? spirv_.type_struct_member_matrix_stride(type, i) : 0, out);
    }
  }

  void flatten(spirv_cross::TypeID id, const std::string& name, std::uint32_t offset, std::uint32_t matrix_stride,
               std::vector<ScalarMember>& out) const {
    const auto& type = spirv_.get_type(id);
    if (!type.array.empty()) {
      if (!type.array_size_literal.back())
        fail(fmt::format("the length of {} is a specialization constant", name));
      const std::uint32_t stride = spirv_.get_decoration(id, spv::DecorationArrayStride);
      for (std::uint32_t i = 0; i < type.array.back(); ++i) {
        flatten(type.parent_type, fmt::format("{}[{}]", name, i), offset + i * stride, matrix_stride, out);
      }
      return;
    }
    ScalarKind kind = ScalarKind::float32;
    switch (type.basetype) {
    case spirv_cross::SPIRType::Struct:
      flatten_struct(type, name, offset, out);
      return;
    case spirv_cross::SPIRType::Float:
      kind = ScalarKind::float32;
      break;
    case spirv_cross::SPIRType::Int:
      kind = ScalarKind::int32;
      break;
    case spirv_cross::SPIRType::UInt:
      kind = ScalarKind::uint32;
      break;
    default:
      fail(fmt::format("{} is not made of 32-bit numbers", name));
    }
    for (std::uint32_t column = 0; column < type.columns; ++column) {
      const std::string base = type.columns > 1 ? fmt::format("{}[{}]", name, column) : name;
      for (std::uint32_t row = 0; row < type.vecsize; ++row) {
        const char letter = "xyzw"[row];
        std::string full = base;
        if (type.vecsize > 1)
          full += full.empty() ? std::string(1, letter) : std::string{'.', letter};
        out.push_back({std::move(full), offset + column * matrix_stride + 4 * row, kind});
      }
    }
  }
};

// Needed only while a pipeline is made.
struct Module {
  VkDevice device;
  VkShaderModule handle = VK_NULL_HANDLE;

  Module(const Device& d, std::string_view name, std::span<const std::uint32_t> code) : device(d.handle()) {
    auto info = make<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    info.codeSize = 4 * code.size();
    info.pCode = code.data();
    check(vkCreateShaderModule(device, &info, nullptr, &handle), fmt::format("Loading the shader {}", name));
  }
  ~Module() { vkDestroyShaderModule(device, handle, nullptr); }
  Module(const Module&) = delete;
};

VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, const Module& module) {
  auto info = make<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage = stage;
  info.module = module.handle;
  info.pName = "main";
  return info;
}

// Appends a number, or the words of a shader, to the key of what is compiled.
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void append(std::string& key, T value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void append(std::string& key, std::span<const std::uint32_t> code) {
  append(key, code.size());
  key.append(reinterpret_cast<const char*>(code.data()), code.size_bytes());
}

}  // namespace

Reflection reflect(std::string_view name, std::span<const std::uint32_t> spirv, std::span<const Constant> constants) {
  try {
    return Reader(name, spirv).read(constants);
  } catch (const spirv_cross::CompilerError& error) {
    throw Error(fmt::format("The shader {} cannot be read: {}", name, error.what()));
  }
}

std::vector<std::string> portability_problems(std::string_view name, const Reflection& r) {
  std::vector<std::string> list;
  if (r.buffers.size() > buffers_most) {
    std::string names;
    for (const BufferBinding& b : r.buffers)
      names += (names.empty() ? "" : ", ") + b.name;
    list.push_back(fmt::format("{} binds {} storage buffers, and {} is the most: {}.", name, r.buffers.size(),
                               buffers_most, names));
  }
  if (r.push_bytes > portable_push_bytes) {
    list.push_back(fmt::format("{} has {} bytes of push constants; every device takes {}.", name, r.push_bytes,
                               portable_push_bytes));
  }
  if (group_size_of(r) > portable_group_size) {
    list.push_back(fmt::format("{} has {} threads in a group; every device takes {}.", name, group_size_of(r),
                               portable_group_size));
  }
  if (r.shared_bytes > portable_shared_bytes) {
    list.push_back(fmt::format("{} shares {} bytes in a group; every device takes {}.", name, r.shared_bytes,
                               portable_shared_bytes));
  }
  return list;
}

Pipeline::Pipeline(Device& device, std::string name)
    : device_(device), name_(std::move(name)), label_(device.label(name_)) {
  device_.add_pipeline(this);
}

Pipeline::~Pipeline() {
  device_.remove_pipeline(this);
  for (const CachedSet& cached : sets_)
    free(cached);
}

void Pipeline::take_bindings(std::span<const Reflection> shaders) {
  const auto fail = [&](std::string_view why) { throw Error(fmt::format("The pipeline {}: {}.", name_, why)); };
  const auto merge = [&](auto& all, const auto& more) {
    for (const auto& binding : more) {
      const auto found = std::ranges::find(all, binding.binding, [](const auto& b) { return b.binding; });
      if (found == all.end()) {
        all.push_back(binding);
      } else if (found->name != binding.name) {
        fail(
            fmt::format("binding {} is {} in one stage and {} in another", binding.binding, found->name, binding.name));
      } else {
        found->stages |= binding.stages;
      }
    }
    std::ranges::sort(all, {}, [](const auto& b) { return b.binding; });
  };
  for (const Reflection& r : shaders) {
    merge(buffers_, r.buffers);
    merge(images_, r.images);
    push_bytes_ = std::max(push_bytes_, r.push_bytes);
    stages_ |= r.stage;
    check_limits(r);
  }
  const VkPhysicalDeviceLimits& limits = device_.limits();
  if (buffers_.size() > limits.maxDescriptorSetStorageBuffers) {
    fail(fmt::format("its stages bind {} storage buffers, and {} takes {}", buffers_.size(), device_.info().name,
                     limits.maxDescriptorSetStorageBuffers));
  }
}

std::string Pipeline::layout_key() const {
  std::string key;
  append(key, stages_);
  append(key, push_bytes_);
  append(key, buffers_.size());
  for (const BufferBinding& b : buffers_) {
    append(key, b.binding);
    append(key, b.stages);
  }
  for (const ImageBinding& i : images_) {
    append(key, i.binding);
    append(key, i.stages);
    append(key, i.compare);
  }
  return key;
}

void Pipeline::create_layouts(LogicalDevice::Compiled& made) const {
  // Comparison samplers are part of the layout, because some portable devices take them only there.
  VkFormatProperties depth{};
  vkGetPhysicalDeviceFormatProperties(device_.physical(), depth_format, &depth);
  const bool filtered = depth.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  VkSampler compare = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (const BufferBinding& b : buffers_) {
    bindings.push_back({b.binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, b.stages, nullptr});
  }
  for (const ImageBinding& i : images_) {
    if (i.compare)
      compare = device_.logical().sampler(filtered, true);
    bindings.push_back(
        {i.binding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, i.stages, i.compare ? &compare : nullptr});
  }
  auto set = make<VkDescriptorSetLayoutCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO);
  set.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set.pBindings = bindings.data();
  check(vkCreateDescriptorSetLayout(device_.handle(), &set, nullptr, &made.set_layout),
        fmt::format("Laying out {}", name_));

  const VkPushConstantRange push{stages_, 0, (push_bytes_ + 3) & ~3u};
  auto layout = make<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &made.set_layout;
  layout.pushConstantRangeCount = push_bytes_ ? 1 : 0;
  layout.pPushConstantRanges = &push;
  check(vkCreatePipelineLayout(device_.handle(), &layout, nullptr, &made.layout), fmt::format("Laying out {}", name_));
}

void Pipeline::check_limits(const Reflection& r) const {
  const VkPhysicalDeviceLimits& limits = device_.limits();
  const auto check = [&](std::size_t wants, std::uint32_t most, std::string_view what) {
    if (wants > most)
      throw Error(
          fmt::format("The pipeline {} has {} {}, and {} takes {}.", name_, wants, what, device_.info().name, most));
  };
  check(r.buffers.size(), limits.maxPerStageDescriptorStorageBuffers, "storage buffers");
  check(r.images.size(), std::min(limits.maxPerStageDescriptorSamplers, limits.maxPerStageDescriptorSampledImages),
        "sampled images");
  check(r.buffers.size() + r.images.size(), limits.maxPerStageResources, "resources in a stage");
  check(r.push_bytes, limits.maxPushConstantsSize, "bytes of push constants");
  if (r.stage != VK_SHADER_STAGE_COMPUTE_BIT)
    return;
  check(group_size_of(r), limits.maxComputeWorkGroupInvocations, "threads in a group");
  for (std::size_t axis = 0; axis < 3; ++axis)
    check(r.local_size[axis], limits.maxComputeWorkGroupSize[axis], "threads along an axis of its groups");
  check(r.shared_bytes, limits.maxComputeSharedMemorySize, "bytes of memory that a group shares");
}

void Pipeline::missing(std::string_view binding) const {
  throw Error(fmt::format("The pass {} needs a buffer {}, and there is none of that name.", name_, binding));
}

std::vector<Buffer*> Pipeline::resolve(std::initializer_list<std::pair<std::string_view, Buffer*>> named) const {
  return resolve([&](std::string_view name) -> Buffer* {
    for (const auto& [key, buffer] : named) {
      if (key == name)
        return buffer;
    }
    return nullptr;
  });
}

VkDescriptorSet Pipeline::descriptor_set(std::span<Buffer* const> buffers, std::span<Image* const> images) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t id) { hash = (hash ^ id) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29; };
  for (const Buffer* b : buffers)
    mix(b->id);
  for (const Image* i : images)
    mix(i->id);
  const auto same = [&](const CachedSet& cached) {
    auto id = cached.ids.begin();
    for (const Buffer* b : buffers) {
      if (*id++ != b->id)
        return false;
    }
    for (const Image* i : images) {
      if (*id++ != i->id)
        return false;
    }
    return true;
  };
  for (const CachedSet& cached : sets_) {
    if (cached.hash == hash && same(cached))
      return cached.set.handle;
  }

  CachedSet fresh{hash, {}, device_.allocate_set(compiled_.set_layout)};
  std::vector<VkDescriptorBufferInfo> buffer_infos(buffers.size());
  std::vector<VkDescriptorImageInfo> image_infos(images.size());
  std::vector<VkWriteDescriptorSet> writes;
  auto write = make<VkWriteDescriptorSet>(VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET);
  write.dstSet = fresh.set.handle;
  write.descriptorCount = 1;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    fresh.ids.push_back(buffers[i]->id);
    buffer_infos[i] = {buffers[i]->handle(), 0, VK_WHOLE_SIZE};
    write.dstBinding = buffers_[i].binding;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer_infos[i];
    writes.push_back(write);
  }
  write.pBufferInfo = nullptr;
  for (std::size_t i = 0; i < images.size(); ++i) {
    fresh.ids.push_back(images[i]->id);
    image_infos[i] = {images[i]->sampler(), images[i]->view(), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    write.dstBinding = images_[i].binding;
    write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    write.pImageInfo = &image_infos[i];
    writes.push_back(write);
  }
  vkUpdateDescriptorSets(device_.handle(), static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
  return sets_.emplace_back(std::move(fresh)).set.handle;
}

void Pipeline::free(const CachedSet& cached) {
  device_.defer(
      [device = device_.handle(), set = cached.set] { vkFreeDescriptorSets(device, set.pool, 1, &set.handle); });
}

void Pipeline::forget(std::uint64_t resource) {
  std::erase_if(sets_, [&](const CachedSet& cached) {
    const bool uses = std::ranges::find(cached.ids, resource) != cached.ids.end();
    if (uses)
      free(cached);
    return uses;
  });
}

ComputePipeline::ComputePipeline(Device& device, std::string name, std::span<const std::uint32_t> spirv,
                                 std::span<const Constant> constants, Starts starts)
    : Pipeline(device, std::move(name)), reflection_(reflect(name_, device.shader(name_ + ".comp", spirv), constants)),
      starts_(starts) {
  if (reflection_.stage != VK_SHADER_STAGE_COMPUTE_BIT) {
    throw Error(fmt::format("The pipeline {} computes, and its shader does not.", name_));
  }
  take_bindings({&reflection_, 1});
  const std::vector<std::uint32_t> code = freeze(device.shader(name_ + ".comp", spirv), constants);
  std::string key = layout_key();
  append(key, code);
  append(key, starts);
  compiled_ = device.logical().compiled(key, [&](LogicalDevice::Compiled& made) {
    create_layouts(made);
    const Module module(device, name_, code);
    auto info = make<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
    info.stage = stage_info(VK_SHADER_STAGE_COMPUTE_BIT, module);
    info.layout = made.layout;
    if (device.statistics())
      info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    if (starts_anywhere())
      info.flags |= VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    check(
        vkCreateComputePipelines(device.handle(), device.logical().pipeline_cache(), 1, &info, nullptr, &made.pipeline),
        fmt::format("Compiling the shader {}", name_));
    device.set_name(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<std::uint64_t>(made.pipeline), name_);
  });
}

std::uint32_t ComputePipeline::group_size() const {
  return group_size_of(reflection_);
}

GraphicsPipeline::GraphicsPipeline(Device& device, std::string name, std::span<const std::uint32_t> vertex,
                                   std::span<const std::uint32_t> fragment, const GraphicsOptions& options)
    : Pipeline(device, std::move(name)) {
  if (!device.graphics())
    throw Error(fmt::format("{} computes but does not draw.", device.info().name));
  vertex = device.shader(name_ + ".vert", vertex);
  if (!fragment.empty())
    fragment = device.shader(name_ + ".frag", fragment);
  std::vector<Reflection> shaders{reflect(name_ + ".vert", vertex, options.constants)};
  if (!fragment.empty())
    shaders.push_back(reflect(name_ + ".frag", fragment, options.constants));
  for (std::size_t i = 0; i < shaders.size(); ++i) {
    if (shaders[i].stage != (i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT)) {
      throw Error(fmt::format("The pipeline {} wants a vertex and a fragment shader, in this order.", name_));
    }
    for (const BufferBinding& b : shaders[i].buffers) {
      if (b.access != BufferAccess::read) {
        throw Error(fmt::format("The pipeline {} draws, so its buffer {} must be readonly.", name_, b.name));
      }
    }
  }
  take_bindings(shaders);
  if (options.colour_formats.size() > device.limits().maxColorAttachments) {
    throw Error(fmt::format("The pipeline {} draws into {} images, and {} takes {}.", name_,
                            options.colour_formats.size(), device.info().name, device.limits().maxColorAttachments));
  }

  const std::vector<std::uint32_t> vertex_code = freeze(vertex, options.constants);
  std::vector<std::uint32_t> fragment_code;
  if (!fragment.empty())
    fragment_code = freeze(fragment, options.constants);
  std::string key = layout_key();
  append(key, options.topology);
  append(key, options.depth_test);
  append(key, options.depth_write);
  append(key, options.depth_compare);
  append(key, options.blend);
  append(key, options.cull);
  append(key, options.front);
  append(key, options.depth_bias);
  append(key, options.depth_bias_slope);
  append(key, options.colour_formats.size());
  for (const VkFormat format : options.colour_formats)
    append(key, format);
  append(key, options.depth_format);
  append(key, vertex_code);
  append(key, fragment_code);
  compiled_ = device.logical().compiled(
      key, [&](LogicalDevice::Compiled& made) { compile(made, vertex_code, fragment_code, options); });
}

void GraphicsPipeline::compile(LogicalDevice::Compiled& made, std::span<const std::uint32_t> vertex,
                               std::span<const std::uint32_t> fragment, const GraphicsOptions& options) const {
  create_layouts(made);
  const Module vertex_module(device_, name_, vertex);
  std::optional<Module> fragment_module;
  std::vector<VkPipelineShaderStageCreateInfo> stages{stage_info(VK_SHADER_STAGE_VERTEX_BIT, vertex_module)};
  if (!fragment.empty()) {
    fragment_module.emplace(device_, name_, fragment);
    stages.push_back(stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, *fragment_module));
  }

  const auto input =
      make<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  auto assembly =
      make<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = options.topology;
  auto viewport = make<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  viewport.viewportCount = viewport.scissorCount = 1;
  auto raster =
      make<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.cullMode = options.cull;
  raster.frontFace = options.front;
  raster.lineWidth = 1.0f;
  raster.depthBiasEnable = options.depth_bias != 0.0f || options.depth_bias_slope != 0.0f;
  raster.depthBiasConstantFactor = options.depth_bias;
  raster.depthBiasSlopeFactor = options.depth_bias_slope;
  auto samples = make<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  auto depth = make<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  const bool has_depth = options.depth_format != VK_FORMAT_UNDEFINED;
  depth.depthTestEnable = has_depth && options.depth_test;
  depth.depthWriteEnable = has_depth && options.depth_write;
  depth.depthCompareOp = options.depth_compare;
  VkPipelineColorBlendAttachmentState blend{};
  blend.blendEnable = options.blend;
  blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  blend.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  blend.colorWriteMask =
      VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  const std::vector<VkPipelineColorBlendAttachmentState> blends(options.colour_formats.size(), blend);
  auto colour = make<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  colour.attachmentCount = static_cast<std::uint32_t>(blends.size());
  colour.pAttachments = blends.data();
  const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  auto dynamic = make<VkPipelineDynamicStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO);
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = dynamic_states;
  auto rendering = make<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  rendering.colorAttachmentCount = static_cast<std::uint32_t>(options.colour_formats.size());
  rendering.pColorAttachmentFormats = options.colour_formats.data();
  rendering.depthAttachmentFormat = options.depth_format;

  auto info = make<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.pNext = &rendering;
  info.stageCount = static_cast<std::uint32_t>(stages.size());
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &colour;
  info.pDynamicState = &dynamic;
  info.layout = made.layout;
  check(vkCreateGraphicsPipelines(device_.handle(), device_.logical().pipeline_cache(), 1, &info, nullptr,
                                  &made.pipeline),
        fmt::format("Compiling the shaders of {}", name_));
  device_.set_name(VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<std::uint64_t>(made.pipeline), name_);
}

}  // namespace talus::gpu
