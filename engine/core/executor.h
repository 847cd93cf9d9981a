#pragma once
// "Run this pass": on a Vulkan device, on the CPU, or on both in lockstep. step.cpp is the same for all three.
#include "engine/core/options.h"
#include "engine/core/passes.h"
#include <algorithm>
#include <compare>
#include <functional>
#include <initializer_list>
#include <memory>

namespace talus {

namespace gpu {
class Device;
class Buffer;
}  // namespace gpu

// How much a pass has to do, and the gate that it stands behind: closed, it does nothing (shared/types.h).
struct Work {
  std::uint32_t elements;
  std::uint32_t gate = gates_total;  // none
};

// What a scene has; a device's passes are compiled without the rest.
struct Features {
  std::uint32_t solid_kinds = ~0u;  // bit k: bodies have parts of kind k (shared/types.h); 0: there are no bodies
  std::uint32_t shapes = 1;         // 0: no grain belongs to a shape
  std::uint32_t cloth = 1;          // 0: there is no cloth
  std::uint32_t rigid = 1;          // 0: no body is dynamic
  std::uint32_t worlds = 1;         // 0: there is one world
  std::uint32_t periodic = 7;       // bit a: axis a is periodic
  std::uint32_t rotation = rotation_rolling;  // SolverSettings.rotation
  std::uint32_t restitution = 1;              // 0: it is given for no pair of materials
  std::uint32_t clumps = 1;                   // 0: no grain belongs to a clump
  std::uint32_t sleep = 1;                    // 0: grains at rest do not sleep
  std::uint32_t hertz = 0;                    // 1: the contacts of dem are Hertz's
  auto operator<=>(const Features&) const = default;
};

class Executor {
public:
  virtual ~Executor() = default;

  // Before the first run.
  virtual void specialize(const Features&) {}

  // Runs a pass after all that were run before it. A device only records it; finish() waits.
  virtual void run(Pass pass, Work work, const Args& args) = 0;
  // Runs what `passes` runs, so many times; it must be the same each time. A device may record it once.
  virtual void repeat(std::uint32_t times, const std::function<void()>& passes) {
    for (std::uint32_t k = 0; k < times; ++k)
      passes();
  }
  // Runs passes that do nothing while the gate is closed, each by itself. A device may leave them out at once.
  virtual void behind([[maybe_unused]] std::uint32_t gate, const std::function<void()>& passes) { passes(); }
  // Exchanges a field and its copy `next`.
  virtual void swap(FieldId id) = 0;
  // Copies the whole of one field into another of its type and size, or from one of its copies to another, in order
  // with the passes.
  virtual void copy(FieldCopy from, FieldCopy to) = 0;
  // Copies bytes of one field to another, or to elsewhere in the same one where the two do not overlap; likewise in
  // order.
  virtual void copy_part(FieldId from, std::size_t from_offset, FieldId to, std::size_t to_offset,
                         std::size_t bytes) = 0;
  // Are passes recorded, and run later? Then those behind a closed gate take time as well.
  virtual bool defers() const { return false; }
  // Sends what was run so far; done() says whether it is done. Devices only: others have done it already.
  virtual void submit() {}
  virtual bool done() { return true; }
  // Everything run so far is done when this returns. Throws ResourceError.
  virtual void finish() = 0;

  // Sets the first elements of a field aside, in order with the passes, to be had without reading it: kept() has them
  // once they are done, until the field is kept again.
  virtual void keep(FieldCopy field, std::size_t elements) = 0;
  virtual std::span<const std::byte> kept(FieldCopy field) const = 0;

  // The following finish() first where they must.
  virtual void resize(FieldId id, std::size_t elements) = 0;  // with its copies: keeps what is there; new is zero
  virtual std::size_t size(FieldId id) const = 0;             // elements
  virtual void write(FieldCopy field, std::span<const std::byte> bytes, std::size_t offset = 0) = 0;
  virtual void read(FieldCopy field, std::span<std::byte> bytes, std::size_t offset = 0) = 0;

  // The field itself where it lies in the host's memory, to look at without a copy: as it is until the next pass, and
  // there for as long as it is held. Null: it lies on a device, or is empty.
  virtual std::shared_ptr<const std::byte> hold(FieldId) { return {}; }

  virtual std::vector<PassTime> pass_times() const = 0;  // in the order of the pass table
  virtual DeviceSummary device() const = 0;
  virtual std::vector<RankSummary> ranks() { return {}; }  // of an executor that shares its passes
  virtual gpu::Device* gpu_device() { return nullptr; }
  virtual gpu::Buffer* gpu_buffer(FieldId) { return nullptr; }
};

// threads: 0 stands for all cores. lanes: Options::lanes, or 1 for the plain passes alone, which all others are compared
// with.
std::unique_ptr<Executor> make_cpu_executor(int threads, int lanes = 16);
// notes: receives a sentence for each device that was tried before and did not open.
std::unique_ptr<Executor> make_gpu_executor(const Options& options, std::vector<std::string>* notes = nullptr);
// Runs each pass there and by its reference from the same input and compares every field that it writes; run() throws
// VerifyError where they differ by more than the pass table allows.
std::unique_ptr<Executor> make_lockstep_executor(std::unique_ptr<Executor> tested, int threads);

template <class T> std::vector<T> read_field(Executor& executor, FieldId id, std::size_t elements) {
  std::vector<T> data(elements);
  executor.read(id, std::as_writable_bytes(std::span(data)));
  return data;
}
// These fields as they are now; the others are empty.
Fields fields_of(Executor& executor, std::initializer_list<FieldId> ids);
template <class T> std::vector<T> kept_field(const Executor& executor, FieldId id, std::size_t elements) {
  std::vector<T> data(elements);
  std::ranges::copy(executor.kept(id).first(elements * sizeof(T)), std::as_writable_bytes(std::span(data)).begin());
  return data;
}
template <class T> void write_field(Executor& executor, FieldId id, const std::vector<T>& data) {
  executor.write(id, std::as_bytes(std::span(data)));
}

}  // namespace talus
