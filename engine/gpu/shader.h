#pragma once
// Shaders describe themselves: what a pipeline binds, by which name and with which access, is read from its SPIR-V.
#include "engine/gpu/buffer.h"
#include "engine/gpu/image.h"
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talus::gpu {

enum class ScalarKind { float32, int32, uint32 };

// A scalar inside an element of a buffer: "position.x", "axis[2]", "rows[1].y"; of a plain uint array the name is "".
struct ScalarMember {
  std::string name;
  std::uint32_t offset = 0;  // bytes
  ScalarKind kind = ScalarKind::float32;
};

enum class BufferAccess { read, write, read_write };

// A storage block: a runtime array, a struct of fixed size, or one behind the other (header and tail), which is
// readonly.
struct BufferBinding {
  // As the shader says it: of the block's instance; where it has none, of `member`; else of the block.
  std::string name;
  std::string member;  // of the block's only member, such as the runtime array, or of its header; else empty
  std::uint32_t set = 0, binding = 0;
  BufferAccess access = BufferAccess::read_write;  // from readonly and writeonly
  bool array = false;                              // a runtime array
  std::uint32_t stride = 0;           // bytes of an element: of the array, of the header, or of the whole block
  std::vector<ScalarMember> scalars;  // of an element, in order of offset
  std::string tail;                   // name of the runtime array behind a header; else empty
  std::uint32_t tail_stride = 0;      // bytes of its elements
  VkShaderStageFlags stages = 0;
};

// A sampler2D or sampler2DShadow.
struct ImageBinding {
  std::string name;
  std::uint32_t set = 0, binding = 0;
  bool compare = false;  // a shadow sampler: less or equal, filtered, 1 outside
  VkShaderStageFlags stages = 0;
};

// A specialization constant: its constant_id, and its value as 32 bits (std::bit_cast for float).
struct Constant {
  std::uint32_t id = 0;
  std::uint32_t value = 0;
  auto operator<=>(const Constant&) const = default;
};

struct Reflection {
  VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
  std::vector<BufferBinding> buffers;  // by binding; only those that the shader uses
  std::vector<ImageBinding> images;    // likewise
  std::uint32_t push_bytes = 0;
  std::array<std::uint32_t, 3> local_size{1, 1, 1};  // with the constants given
  std::uint32_t shared_bytes = 0;                    // of a workgroup's memory
};

// Reads a shader's description. Throws Error, with the shader's name, for what this folder does not bind: another set
// than 0, blocks of several members other than a readonly header with its tail, uniform blocks, storage images.
Reflection reflect(std::string_view name, std::span<const std::uint32_t> spirv,
                   std::span<const Constant> constants = {});

// Storage buffers that a shader may bind at most, and a device has to take: of dem.comp, where grains rotate and sleep,
// and of draw_picture.frag, which looks up all that a pixel may show. Of the devices that are known none takes 12 or
// more and less than 16 (docs/limits.md).
inline constexpr std::size_t buffers_most = 15;

// What breaks the limits within which a shader runs on every device that Talus supports, a sentence each: more than
// buffers_most storage buffers, more than 128 bytes of push constants, more than 256 threads in a group, more than
// 16 KiB of memory that a group shares.
std::vector<std::string> portability_problems(std::string_view name, const Reflection& reflection);

// What compute and graphics pipelines have in common. What is compiled belongs to the logical device, where it is found
// again by the next pipeline of the same shaders. Descriptor sets are cached by what is bound.
class Pipeline {
public:
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  const std::string& name() const { return name_; }
  Label label() const { return label_; }
  const std::vector<BufferBinding>& buffers() const { return buffers_; }
  const std::vector<ImageBinding>& images() const { return images_; }
  std::uint32_t push_bytes() const { return push_bytes_; }

  // Buffers in the order in which passes take them, find(name) -> Buffer*. Throws Error where find gives null.
  template <class Find> std::vector<Buffer*> resolve(Find&& find) const {
    std::vector<Buffer*> found;
    for (const BufferBinding& binding : buffers_) {
      found.push_back(find(std::string_view(binding.name)));
      if (!found.back())
        missing(binding.name);
    }
    return found;
  }
  // The same from pairs; names that the shader does not use are fine.
  std::vector<Buffer*> resolve(std::initializer_list<std::pair<std::string_view, Buffer*>> named) const;

  VkPipeline handle() const { return compiled_.pipeline; }
  VkPipelineLayout layout() const { return compiled_.layout; }
  VkShaderStageFlags stages() const { return stages_; }
  VkDescriptorSet descriptor_set(std::span<Buffer* const> buffers, std::span<Image* const> images);
  void forget(std::uint64_t resource);

protected:
  Pipeline(Device& device, std::string name);
  ~Pipeline();
  void take_bindings(std::span<const Reflection> shaders);
  // The key says all that the layouts depend on; compiled pipelines are kept by it.
  std::string layout_key() const;
  void create_layouts(LogicalDevice::Compiled& made) const;
  void check_limits(const Reflection& shader) const;  // throws Error where the device takes less
  [[noreturn]] void missing(std::string_view binding) const;

  Device& device_;
  std::string name_;
  Label label_;
  LogicalDevice::Compiled compiled_;
  VkShaderStageFlags stages_ = 0;
  std::vector<BufferBinding> buffers_;
  std::vector<ImageBinding> images_;
  std::uint32_t push_bytes_ = 0;

private:
  struct CachedSet {
    std::uint64_t hash;
    std::vector<std::uint64_t> ids;
    Device::DescriptorSet set;
  };
  std::vector<CachedSet> sets_;

  void free(const CachedSet& cached);
};

// Where the dispatches of a pipeline start: at their first group, or at any (Work::range).
enum class Starts { at_first, anywhere };

class ComputePipeline : public Pipeline {
public:
  // Throws Error where the device cannot run the shader: too many buffers, too large a group.
  ComputePipeline(Device& device, std::string name, std::span<const std::uint32_t> spirv,
                  std::span<const Constant> constants = {}, Starts starts = Starts::at_first);

  bool starts_anywhere() const { return starts_ == Starts::anywhere; }

  const Reflection& reflection() const { return reflection_; }
  std::uint32_t group_size() const;  // threads

private:
  Reflection reflection_;
  Starts starts_;
};

struct GraphicsOptions {
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  bool depth_test = true, depth_write = true;
  VkCompareOp depth_compare = VK_COMPARE_OP_LESS;
  bool blend = false;  // source alpha over what is there
  VkCullModeFlags cull = VK_CULL_MODE_NONE;
  VkFrontFace front = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  float depth_bias = 0.0f, depth_bias_slope = 0.0f;
  std::vector<VkFormat> colour_formats;         // of the attachments it draws into
  VkFormat depth_format = VK_FORMAT_UNDEFINED;  // undefined: no depth attachment
  std::vector<Constant> constants;              // for both stages
};

// Draws into attachments without render pass objects. Vertices are pulled from storage buffers, which must be readonly.
class GraphicsPipeline : public Pipeline {
public:
  // An empty fragment shader draws depth only.
  GraphicsPipeline(Device& device, std::string name, std::span<const std::uint32_t> vertex,
                   std::span<const std::uint32_t> fragment, const GraphicsOptions& options);

private:
  void compile(LogicalDevice::Compiled& made, std::span<const std::uint32_t> vertex,
               std::span<const std::uint32_t> fragment, const GraphicsOptions& options) const;
};

}  // namespace talus::gpu
