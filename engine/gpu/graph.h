#pragma once
// An ordered list of passes with derived barriers. Passes are recorded as they are listed; the order given is the order
// run.
//
//   Buffer in(device, "in", n * 4), out(device, "out", n * 4);
//   ComputePipeline scale(device, "scale", find_shader("scale.comp"));
//   auto bound = scale.resolve({{"in", &in}, {"out", &out}});  // once
//   Graph graph(device);
//   graph.upload(in, std::as_bytes(std::span(values)));
//   graph.compute(scale, bound, ScaleArgs{n, 2.0f}, Work::elements(n));
//   graph.download(out, std::as_writable_bytes(std::span(values)));  // submits and waits
#include "engine/gpu/shader.h"
#include "engine/gpu/timestamps.h"
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace talus::gpu {

// Push constants: any plain struct. What exceeds the shader's push-constant block is not passed on.
struct Push {
  const void* data = nullptr;
  std::uint32_t bytes = 0;

  Push() = default;
  Push(std::span<const std::byte> raw) : data(raw.data()), bytes(static_cast<std::uint32_t>(raw.size())) {}
  template <class T>
  requires(std::is_trivially_copyable_v<T>&& std::is_class_v<T> &&
           !std::is_convertible_v<const T&, std::span<const std::byte>>) Push(const T& value)
      : data(&value), bytes(sizeof(T)) {}
};

// How much a compute pass does. Groups beyond 32768 are split over x and y as (32768, ceil(groups / 32768), 1): a
// shader's linear group is gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, and it must check its bound.
struct Work {
  enum class Kind { elements, groups, grid, indirect, range } kind = Kind::groups;
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint32_t x = 0, y = 0, z = 0;
  Buffer* buffer = nullptr;
  std::uint64_t offset = 0;

  static Work elements(std::uint64_t n) { return {.kind = Kind::elements, .count = n}; }  // one thread each
  static Work groups(std::uint64_t n) { return {.kind = Kind::groups, .count = n}; }
  static Work grid(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return {.kind = Kind::grid, .x = x, .y = y, .z = z};
  }
  // A VkDispatchIndirectCommand at offset [bytes].
  static Work indirect(Buffer& buffer, std::uint64_t offset = 0) {
    return {.kind = Kind::indirect, .buffer = &buffer, .offset = offset};
  }
  // The linear groups [first, end) alone. The pipeline has to be made for it (ComputePipeline).
  static Work range(std::uint64_t first, std::uint64_t end) {
    return {.kind = Kind::range, .count = end - first, .first = first};
  }
};

// Bytes of a buffer from an offset on, and where they are or go in the host's memory.
struct Piece {
  Buffer* buffer = nullptr;
  std::uint64_t offset = 0;  // bytes
  std::span<std::byte> data;
};

struct ColourTarget {
  Image* image = nullptr;
  bool clear = true;                                   // else what is there is kept
  std::array<float, 4> value{0.0f, 0.0f, 0.0f, 1.0f};  // of integer formats only zeros make sense
};

struct DepthTarget {
  Image* image = nullptr;  // null: none
  bool clear = true;
  float value = 1.0f;
};

struct Rendering {
  std::vector<ColourTarget> colour;
  DepthTarget depth{};
};

struct Draw {
  std::uint32_t vertices = 0;  // or indices, where there is an index buffer
  std::uint32_t instances = 1;
  std::uint32_t first_vertex = 0;
  std::uint32_t first_instance = 0;
  Buffer* indices = nullptr;  // of uint32
  Buffer* indirect =
      nullptr;  // VkDrawIndirectCommand, or VkDrawIndexedIndirectCommand with indices; replaces the counts
  std::uint64_t indirect_offset = 0;          // bytes
  std::array<float, 4> viewport{0, 0, 0, 0};  // x, y, width, height in pixels; zero: all of the target
};

// Where the passes recorded so far last wrote to a resource: the stages and the access for a barrier after them. Zero
// where none has.
struct LastWrite {
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 access = 0;
};
LastWrite last_write(const Resource& resource);

enum class Hazard { read_after_write, write_after_read, write_after_write, layout };
const char* hazard_text(Hazard hazard);

// Why a barrier stands before a pass.
struct BarrierReason {
  Hazard hazard;
  std::string resource;
  std::string earlier;  // the pass that has to end first; empty where there is none
};

// A pass as recorded.
struct PassRecord {
  std::string name;
  std::string kind;  // "compute", "draw" (a whole rendering), "fill", "copy", "upload", "download", "present"
  std::vector<std::string> reads, writes;
  std::vector<BarrierReason> barrier;  // empty: none
};
// A line per pass, with the barrier before it.
std::string to_text(std::span<const PassRecord> passes);

struct GraphOptions {
  bool barriers = true;  // false leaves hazards in, for a test that wants to see them found; layouts still change
  bool timing = true;
  bool labels = true;           // debug labels, where a tool can show them
  std::uint32_t in_flight = 3;  // submissions that may be under way before recording waits
};

// Several graphs may share a device, one after the other: while one has passes that are not submitted, others throw
// Error. Hazards are tracked across graphs and submissions. Misuse throws Error with the pass's name and records
// nothing.
class Graph {
public:
  explicit Graph(Device& device, const GraphOptions& options = {});
  ~Graph();  // waits for what was submitted and drops what was not
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  // buffers: in the order of pipeline.buffers(), as resolve() gives them; images likewise. Without a label the pass
  // goes by the pipeline's name.
  void compute(ComputePipeline& pipeline, std::span<Buffer* const> buffers, const Push& push, const Work& work,
               Label label = {}, std::span<Image* const> images = {});

  // Compute passes between the two are left out where the 32-bit word at offset [bytes] is 0, if the device can do so;
  // else they run, so that each must do nothing by itself then. What the word becomes in between may be seen or not.
  void begin_condition(Buffer& buffer, std::uint64_t offset);
  void end_condition();

  // Draws stand between begin_rendering and end_rendering and run at the latter. Nothing else may stand there.
  void begin_rendering(const Rendering& rendering, Label label = {});
  void draw(GraphicsPipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images,
            const Push& push, const Draw& draw, Label label = {});
  // Foreign drawing, such as ImGui's, that touches nothing that is tracked here.
  void draw_foreign(Label label, std::function<void(VkCommandBuffer)> record);
  void end_rendering();

  static constexpr std::uint64_t whole = ~0ull;
  // Sets 32-bit words; offset and bytes [bytes] are multiples of 4, or all of the rest.
  void fill(Buffer& buffer, std::uint32_t word = 0, std::uint64_t offset = 0, std::uint64_t bytes = whole);
  void copy(Buffer& from, Buffer& to, std::uint64_t bytes = whole, std::uint64_t from_offset = 0,
            std::uint64_t to_offset = 0);
  // Takes the data over at once. Submits and waits only when there is more than the staging buffer holds (8 MiB).
  void upload(Buffer& to, std::span<const std::byte> data, std::uint64_t offset = 0);
  // Submits what was recorded, waits and returns with the data. To read without waiting: copy to a readback Buffer.
  void download(Buffer& from, std::span<std::byte> data, std::uint64_t offset = 0);
  // The same for many pieces. Those of one buffer that follow one another are one copy, and all are one submission, up
  // to what the staging buffer holds.
  void upload(std::span<const Piece> pieces);
  void download(std::span<const Piece> pieces);
  std::vector<std::byte> download(Image& image);  // rows from the top, tightly packed
  void upload(Image& image, std::span<const std::byte> data);
  void copy(Image& from, Buffer& to, std::uint64_t to_offset = 0);
  void present(Image& image);  // ready for vkQueuePresentKHR after this submission

  bool recording() const { return current_ != nullptr; }
  // Sends what was recorded; without any, returns the last ticket, unless there are semaphores to pass on.
  Ticket submit(const Semaphores& semaphores = {});
  void finish();  // submits and waits

  // Submits what was recorded before, then what `passes` records, so many times. It is recorded once, without times of
  // its passes, and must mean the same each time; it does not submit, so it downloads nothing.
  void repeat(std::uint32_t times, const std::function<void()>& passes);

  // Sums per label over finished submissions since the last clear. Empty with timing off.
  std::vector<PassTime> times();
  void clear_times();
  void set_timing(bool on) { options_.timing = on; }  // from the next submission on
  bool timing() const { return options_.timing; }

  // While on, every pass is also written down.
  void set_trace(bool on) { trace_ = on; }
  bool tracing() const { return trace_; }
  std::vector<PassRecord> take_trace() { return std::exchange(records_, {}); }

  std::uint64_t barriers() const { return barriers_; }  // barrier commands recorded so far
  std::uint64_t passes() const { return passes_; }      // passes recorded so far
  Device& device() const { return device_; }

private:
  struct Slot;     // a command buffer and what belongs to its submission
  struct Pending;  // a rendering being listed
  struct Access {
    Resource* resource;
    Stage stage;
    bool read, write;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
    Image* image = nullptr;
  };

  Device& device_;
  GraphOptions options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Slot* current_ = nullptr;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkPipeline bound_ = VK_NULL_HANDLE;
  std::unique_ptr<Pending> pending_;
  std::vector<Access> accesses_;
  PassTotals totals_;
  StageMask host_writes_ = 0;  // stages that wrote to readback buffers since the last submission
  Buffer upload_, readback_;   // staging
  std::uint64_t upload_used_ = 0;
  Ticket upload_ticket_ = 0;
  bool trace_ = false;
  std::vector<PassRecord> records_;
  std::uint64_t barriers_ = 0, passes_ = 0;
  bool repeating_ = false, conditional_ = false;
  Label label_condition_, label_copy_, label_fill_, label_upload_, label_download_, label_present_, label_rendering_;
  std::vector<VkMemoryBarrier2> memory_barriers_;  // of the pass being recorded
  std::vector<VkImageMemoryBarrier2> image_barriers_;

  enum class Recorded { once, to_repeat };
  void begin(Recorded recorded = Recorded::once);
  Ticket close(std::uint32_t times, const Semaphores& semaphores);
  void wait_for_all();
  void read_times(Slot& slot);
  void outside_rendering(std::string_view pass) const;
  void touch(Buffer& buffer, Stage stage, bool read, bool write);
  void touch(Image& image, Stage stage, bool read, bool write, VkImageLayout layout);
  void touch_bindings(const Pipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images);
  void check_bindings(const Pipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images,
                      const Push& push) const;
  void check_range(std::string_view pass, const Buffer& buffer, std::uint64_t offset, std::uint64_t bytes) const;
  void start_pass(Label label, const char* kind, std::size_t draws = 0);  // draws: that a rendering has, each timed
  void change_layout(const Access& access, Label label);
  void emit_barriers();
  void end_label();
  void end_pass(Label label);
  void bind(Pipeline& pipeline, VkPipelineBindPoint point, std::span<Buffer* const> buffers,
            std::span<Image* const> images, const Push& push);
  void record_draw(GraphicsPipeline& pipeline, std::span<Buffer* const> buffers, std::span<Image* const> images,
                   const Push& push, const Draw& draw, VkExtent2D extent);
  void copy_as(Label label, Buffer& from, Buffer& to, std::uint64_t bytes, std::uint64_t from_offset,
               std::uint64_t to_offset);
  void copy_as(Label label, Buffer& from, Buffer& to, std::span<const VkBufferCopy> regions);
  void dispatch_range(const Work& work, std::string_view pass);
  std::uint64_t upload_room(std::uint64_t wanted, std::uint64_t minimum);
  void upload_taken(std::uint64_t bytes);
  static VkBufferImageCopy image_region(const Image& image, std::uint64_t offset, std::uint32_t y, std::uint32_t rows);
};

}  // namespace talus::gpu
