#include "engine/executors/open_devices.h"
#include "engine/gpu/freeze.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <vector>

namespace talus {

std::array<gpu::Constant, 12> constants_of(const Features& features, bool few_registers) {
  return {{{constant_solid_kinds, features.solid_kinds},
           {constant_shapes, features.shapes},
           {constant_cloth, features.cloth},
           {constant_rigid, features.rigid},
           {constant_worlds, features.worlds},
           {constant_periodic, features.periodic},
           {constant_rotation, features.rotation},
           {constant_restitution, features.restitution},
           {constant_clumps, features.clumps},
           {constant_sleep, features.sleep},
           {constant_hertz, features.hertz},
           {constant_few_registers, few_registers ? 1u : 0u}}};
}

namespace {

// The shader is the truth about what a pass binds; here it is held against the fields.
void check_bindings(Pass pass, const gpu::Reflection& shader) {
  const std::string_view name = info(pass).name;
  if (shader.push_bytes != 0 && shader.push_bytes != sizeof(Args))
    throw DeviceError(fmt::format("pass {} takes {} bytes of push constants, but Args has {}", name, shader.push_bytes,
                                  sizeof(Args)));
  if (shader.local_size != std::array{group_size, 1u, 1u})
    throw DeviceError(fmt::format("pass {} has workgroups of {} threads, but gates count in {}", name,
                                  shader.local_size[0] * shader.local_size[1] * shader.local_size[2], group_size));
  bound_fields(pass, shader.buffers);
}

std::string file_of(Pass pass) {
  return std::string(info(pass).name) + ".comp";
}

}  // namespace

std::shared_ptr<OpenDevice::Opened> OpenDevice::opened(const gpu::InstanceOptions& instance_options,
                                                       const gpu::DeviceOptions& device_options, const Choose& choose) {
  auto opened = std::make_shared<Opened>(instance_options);
  opened->device = gpu::open_chosen(
      opened->instance, gpu::list_devices(opened->instance),
      [&](const std::vector<gpu::DeviceInfo>& devices) { return choose(devices, opened->instance); }, device_options,
      opened->passed_over);
  return opened;
}

std::shared_ptr<OpenDevice::Opened> OpenDevice::opened(const gpu::Adoption& application) {
  auto opened = std::make_shared<Opened>(application);
  opened->device = std::make_shared<gpu::LogicalDevice>(opened->instance,
                                                        gpu::adopted_info(opened->instance, application), application);
  return opened;
}

std::shared_ptr<OpenDevice::Opened> OpenDevice::opened(const Options& options) {
  struct Entry {
    std::string wanted;
    bool validation;
    const gpu::TestLimits* limits;
    std::weak_ptr<Opened> opened;
  };
  // Its users own a device; this list only finds it. Two threads that want one device open it once.
  static std::mutex mutex;
  static std::vector<Entry> entries;
  const std::scoped_lock lock(mutex);
  const bool validation = gpu::wants_validation(options.validation);
  const gpu::TestLimits* limits = gpu::wanted_test_limits();
  std::erase_if(entries, [](const Entry& entry) { return entry.opened.expired(); });
  for (const Entry& entry : entries)
    if (entry.wanted == options.device && entry.validation == validation && entry.limits == limits)
      if (auto opened = entry.opened.lock(); opened && !opened->device->is_lost())
        return opened;
  auto fresh = opened({.validation = validation, .print = true}, {},
                      [&](const std::vector<gpu::DeviceInfo>& devices, const gpu::Instance&) {
                        return gpu::choose(devices, options.device);
                      });
  entries.push_back({options.device, validation, limits, fresh});
  return fresh;
}

OpenDevice::OpenDevice(std::shared_ptr<Opened> opened)
    : opened_(std::move(opened)), instance(opened_->instance), passed_over(opened_->passed_over),
      device(opened_->device) {}

OpenDevice::OpenDevice(const Options& options) : OpenDevice(opened(options)) {
  wanted_ = options.device;
  validation_ = options.validation;
}

OpenDevice::OpenDevice(const gpu::InstanceOptions& instance_options, const gpu::DeviceOptions& device_options,
                       const Choose& choose)
    : OpenDevice(opened(instance_options, device_options, choose)) {}

OpenDevice::OpenDevice(const gpu::Adoption& application) : OpenDevice(opened(application)) {}

bool OpenDevice::serves(const Options& options) const {
  return options.device == wanted_ && options.validation == validation_;
}

const PassProgram& OpenDevice::program(Pass pass, const Features& features, gpu::Starts starts) {
  const std::tuple key{pass, features, starts};
  auto found = programs_.find(key);
  if (found == programs_.end())
    found = programs_.emplace(key, PassProgram{pipeline(pass, features, starts)}).first;
  return found->second;
}

std::shared_ptr<gpu::ComputePipeline> OpenDevice::pipeline(Pass pass, const Features& features, gpu::Starts starts) {
  const auto code = shader_of(pass);
  if (code.empty())
    throw DeviceError(
        fmt::format("pass {} has no shader: shaders/{} is missing from this build", info(pass).name, file_of(pass)));
  const auto constants = constants_of(features, device.info().limits.few_registers);
  const std::tuple key{pass, gpu::constants_read(device.shader(file_of(pass), code), constants), starts};
  auto found = pipelines_.find(key);
  if (found == pipelines_.end()) {
    auto compiled =
        std::make_shared<gpu::ComputePipeline>(device, std::string(info(pass).name), code, constants, starts);
    check_bindings(pass, compiled->reflection());
    found = pipelines_.emplace(key, std::move(compiled)).first;
  }
  return found->second;
}

void OpenDevice::reload(Pass pass, std::vector<std::uint32_t> spirv) {
  const std::string name(info(pass).name);
  check_bindings(pass, gpu::reflect(name, spirv, constants_of({})));
  std::vector<std::uint32_t> before = device.replace_shader(file_of(pass), std::move(spirv));
  const auto kept = pipelines_;
  const auto of_pass = [&](const auto& entry) { return std::get<Pass>(entry.first) == pass; };
  try {
    std::erase_if(pipelines_, of_pass);
    std::vector<std::pair<PassProgram*, std::shared_ptr<gpu::ComputePipeline>>> fresh;
    for (auto& [key, program] : programs_)
      if (const auto& [of, features, starts] = key; of == pass)
        fresh.emplace_back(&program, pipeline(pass, features, starts));
    for (auto& [program, with] : fresh)
      program->pipeline = std::move(with);
    ++reloads_;
  } catch (...) {
    pipelines_ = kept;
    device.replace_shader(file_of(pass), std::move(before));
    throw;
  }
}

std::shared_ptr<OpenDevice> OpenDevices::take(const Options& options) {
  {
    const std::scoped_lock lock(mutex_);
    // Another simulation may have lost the device since it was left.
    std::erase_if(idle_, [](const auto& open) { return open->device.is_lost(); });
    // The one that was left last: where simulations follow one another, it has the most passes compiled.
    const auto found =
        std::ranges::find_if(idle_.rbegin(), idle_.rend(), [&](const auto& open) { return open->serves(options); });
    if (found != idle_.rend()) {
      auto open = std::move(*found);
      idle_.erase(std::next(found).base());
      open->instance.log().clear();
      return open;
    }
  }
  return std::make_shared<OpenDevice>(options);
}

void OpenDevices::leave(std::shared_ptr<OpenDevice> device) {
  if (device->device.is_lost())
    return;
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(device));
}

std::shared_ptr<OpenDevices> keep_devices_open() {
  return std::make_shared<OpenDevices>();
}

}  // namespace talus
