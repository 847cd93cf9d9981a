#pragma once
// A simulation's buffers for the renderer of an application, on the same device (engine/executors/adopt.h), or by file
// descriptors in another API. Nothing is copied.
//
//   talus::SharedBuffers shared(simulation, {.vertices = 6});
//   for (;;) {
//     simulation.start(2);                                 // sends two steps and does not wait
//     const talus::SharedFrame frame = shared.frame();     // the state after them
//     // The application records its frame: it binds frame.grains.buffer, and draws with
//     // vkCmdDrawIndirect(commands, frame.draws.buffer, frame.draw_grains, 1, 16).
//     // Its submission waits for frame.ready, at the stages that read, and signals a timeline of its own:
//     vkQueueSubmit2(queue, ..);                           // waits {frame.ready}, signals {timeline, n}
//     shared.release({timeline, n});                       // Talus overwrites nothing before that
//     simulation.finish();                                 // or advance(n) in place of start() and finish()
//   }
//
// Read after write: a submission of the application that reads the buffers waits for frame.ready, a value of Talus' own
// timeline semaphore. The wait makes all of Talus' writes visible to the stages that wait. On Talus' own queue a
// pipeline barrier does as well: from written_at and written_by of each buffer, which are the last stages and access
// that wrote to it, to those that read. Buffers are exclusive to the family of Talus' queue, or shared by the families
// of Adoption::other_families.
//
// Write after read: once that submission is made, release() names what it signals. The next submission of Talus waits
// for it on the device, and whatever Talus destroys until then, such as a buffer that had to grow, stays until then.
// The signal has to be on its way when Talus submits next: submitted, or signalled by another thread. The semaphore
// stays until that submission has ended, or until SharedBuffers is gone, whose destructor waits. Without release(), the
// application waits itself until it has read, before it calls Talus again.
//
// Validity: handles and counts hold until release(), or the next call of Talus that changes the state, whichever comes
// first. They differ from frame to frame: a field has two buffers that change places, and a third where it grew. Ask
// frame() anew, and keep descriptor sets by handle.
#include "engine/gpu/adoption.h"
#include "engine/talus.h"
#include <memory>
#include <span>

namespace talus {

using gpu::TimelinePoint;

// A member of an element: format, and bytes from the element's start, as vertex attributes have them.
struct SharedMember {
  const char* name;  // with its unit
  VkFormat format;
  std::uint32_t offset;
};

struct SharedBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;  // usable as storage, vertex, index and indirect buffer, and as source of copies
  VkDeviceSize bytes = 0;
  std::uint32_t stride = 0;               // bytes of an element, as it lies in scalar block layout
  std::uint32_t count = 0;                // elements
  std::span<const SharedMember> members;  // that are of use for drawing
  VkPipelineStageFlags2 written_at = 0;   // by Talus, last; 0: not since it was made
  VkAccessFlags2 written_by = 0;
};

struct SharedFrame {
  // Places of grains. A place of radius 0 has no grain, and is to be left out. Worlds lie one after another.
  SharedBuffer grains;  // shared::Grain: position [m] and radius [m], velocity [m/s] and inverse mass [1/kg]
  SharedBuffer tags;    // uint: the material's index in the low 8 bits
  SharedBuffer ids;     // uint: number of the grain in its world, for good
  // Fine grains, likewise; w of the velocity is how loose they are, 0 to 1, in place of the inverse mass.
  SharedBuffer fine_grains;
  SharedBuffer fine_tags;  // uint: material in the low 8 bits, above them the number of the fine grain
  // One per body of Scene::bodies, world after world: pose [m, quaternion xyzw], velocity [m/s], spin [rad/s].
  SharedBuffer bodies;
  // One per shape-matched body of Scene::shapes: rotation from how it was given, position of the center of mass [m],
  // velocity [m/s].
  SharedBuffer shapes;
  // Vertices of cloth lie among the grains, as balls of the cloth's thickness, with the numbers from
  // Simulation::cloth_first() on.
  // uint: in which place of its world's grains a vertex of cloth lies, cloth after cloth, as ClothState::positions has
  // them.
  SharedBuffer cloth;
  // VkDrawIndirectCommand at draw_grains and draw_fine, VkDrawIndexedIndirectCommand at draw_grains_indexed and
  // draw_fine_indexed [bytes]: an instance per place. Command buffers that draw by them need not be recorded anew
  // where emitters pour.
  SharedBuffer draws;
  static constexpr VkDeviceSize draw_grains = 0, draw_fine = 16, draw_grains_indexed = 32, draw_fine_indexed = 52;
  TimelinePoint ready;  // the buffers are as described once the counter has got there
};

// The application draws this in each place: vertices of a draw without indices, indices of one with.
struct DrawnPlace {
  std::uint32_t vertices = 0, indices = 0;
};

// The memory of a buffer, for an import with a dedicated allocation: cudaImportExternalMemory with
// cudaExternalMemoryDedicated, glImportMemoryFdEXT after GL_DEDICATED_MEMORY_OBJECT_EXT, or VkImportMemoryFdInfoKHR
// with VkMemoryDedicatedAllocateInfo.
struct ExportedMemory {
  int fd = -1;                     // an opaque one, the caller's to close, or to give to an import that takes it over
  std::uint64_t memory_bytes = 0;  // of the allocation; the buffer begins at 0
  std::uint64_t buffer_bytes = 0;  // VkBufferCreateInfo::size
};

// Goes before its simulation, which is not moved meanwhile. On the thread of the simulation.
class SharedBuffers {
public:
  // Throws DeviceError where the simulation is on the CPU path, std::logic_error while steps are under way.
  explicit SharedBuffers(Simulation& simulation, const DrawnPlace& drawn = {});
  ~SharedBuffers();  // waits on the host for what was sent and released
  SharedBuffers(const SharedBuffers&) = delete;
  SharedBuffers& operator=(const SharedBuffers&) = delete;

  // The state after the steps that were done or sent, bodies posed for that time. Submits, and waits for nothing.
  // Throws ResourceError.
  SharedFrame frame();
  // The application reads the buffers of the last frame() until the counter gets there. Throws std::invalid_argument
  // for no semaphore.
  void release(const TimelinePoint& read);

  // A buffer of the last frame(). Each handle is exported once and kept by the importer, which waits until `ready` on
  // the host (wait()) or by the exported timeline. Throws DeviceError where the device was not opened or adopted to
  // export, std::invalid_argument for another buffer.
  ExportedMemory export_fd(VkBuffer buffer) const;
  // The timeline of `ready`, as an opaque file descriptor. Throws DeviceError where the device exports none.
  int export_timeline() const;
  void wait(const TimelinePoint& ready);  // on the host, for a `ready` of frame(). Throws ResourceError

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace talus
