#pragma once
// Vulkan devices with the passes compiled for them, which go from one simulation to the next.
#include "engine/core/executor.h"
#include "engine/executors/bound_fields.h"
#include "engine/gpu/graph.h"
#include "engine/gpu/open.h"
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

namespace talus {

// What passes are compiled with for a scene that has these. few_registers: that of the device's limits.
std::array<gpu::Constant, 12> constants_of(const Features& features, bool few_registers = false);

struct PassProgram {
  std::shared_ptr<gpu::ComputePipeline> pipeline;  // of all features that are alike in what its shader reads
};

// A device as one simulation uses it, or several that run on one thread.
class OpenDevice {
public:
  // On the device that the options name: opens it, unless another OpenDevice of this process has it open in the same
  // way and it is not lost. They share Vulkan's device with its queue and what is compiled, and nothing else, so that
  // each may be used by a thread of its own. The device closes with the last of them. Throws gpu::Error.
  explicit OpenDevice(const Options& options);
  // One that can do more, such as draw in a window, for Options::on. choose: takes one from the list, or throws.
  using Choose = std::function<gpu::DeviceInfo(const std::vector<gpu::DeviceInfo>&, const gpu::Instance&)>;
  OpenDevice(const gpu::InstanceOptions& instance, const gpu::DeviceOptions& device, const Choose& choose);

  // Adopts an application's device (engine/executors/adopt.h). Throws gpu::Error.
  explicit OpenDevice(const gpu::Adoption& application);

private:
  // An instance of Vulkan and a device of it that is open.
  struct Opened {
    template <class Wishes> explicit Opened(const Wishes& wishes) : instance(wishes) {}
    gpu::Instance instance;
    std::vector<std::string> passed_over;
    std::shared_ptr<gpu::LogicalDevice> device;
  };
  std::shared_ptr<Opened> opened_;

public:
  gpu::Instance& instance;
  std::vector<std::string> passed_over;  // devices that were tried before this one, a sentence each: why they failed
  gpu::Device device;

  bool serves(const Options& options) const;
  // Compiled when it is first asked for: a method needs few of the passes.
  const PassProgram& program(Pass pass, const Features& features, gpu::Starts starts = gpu::Starts::at_first);
  // Another shader for a pass, in all that run here, from the next run of it on. Throws what program() would, and
  // changes nothing then.
  void reload(Pass pass, std::vector<std::uint32_t> spirv);
  std::uint64_t reloads() const { return reloads_; }  // so far

private:
  explicit OpenDevice(std::shared_ptr<Opened> opened);
  static std::shared_ptr<Opened> opened(const Options& options);
  static std::shared_ptr<Opened> opened(const gpu::InstanceOptions& instance, const gpu::DeviceOptions& device,
                                        const Choose& choose);
  static std::shared_ptr<Opened> opened(const gpu::Adoption& application);
  std::shared_ptr<gpu::ComputePipeline> pipeline(Pass pass, const Features& features, gpu::Starts starts);

  std::string wanted_;
  std::optional<bool> validation_;
  std::map<std::tuple<Pass, Features, gpu::Starts>, PassProgram> programs_;
  std::map<std::tuple<Pass, std::vector<gpu::Constant>, gpu::Starts>, std::shared_ptr<gpu::ComputePipeline>> pipelines_;
  std::uint64_t reloads_ = 0;
};

// The devices that are open and that no simulation uses. Safe to use from any thread.
class OpenDevices {
public:
  std::shared_ptr<OpenDevice> take(const Options& options);  // opens one where none serves
  void leave(std::shared_ptr<OpenDevice> device);            // closes it where it is lost

private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<OpenDevice>> idle_;
};

}  // namespace talus
