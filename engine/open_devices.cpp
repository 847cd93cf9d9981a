#include "engine/open_devices.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus {

namespace {

// The shader is the truth about what a pass binds; here it is held against the fields.
PassProgram load(gpu::Device& device, Pass pass, const Features& features) {
  const std::string name(info(pass).name);
  const auto code = shader_of(pass);
  if (code.empty())
    throw DeviceError(fmt::format("pass {} has no shader: shaders/{}.comp is missing from this build", name, name));
  PassProgram program;
  const gpu::Constant constants[] = {{constant_solid_kinds, features.solid_kinds},
                                     {constant_shapes, features.shapes},
                                     {constant_cloth, features.cloth},
                                     {constant_rigid, features.rigid}};
  program.pipeline = std::make_unique<gpu::ComputePipeline>(device, name, code, constants);
  if (program.pipeline->push_bytes() != 0 && program.pipeline->push_bytes() != sizeof(Args))
    throw DeviceError(fmt::format("pass {} takes {} bytes of push constants, but Args has {}", name,
                                  program.pipeline->push_bytes(), sizeof(Args)));
  if (program.pipeline->group_size() != group_size)
    throw DeviceError(fmt::format("pass {} has workgroups of {} threads, but gates count in {}", name,
                                  program.pipeline->group_size(), group_size));
  program.bindings = bound_fields(pass, program.pipeline->buffers());
  return program;
}

}  // namespace

OpenDevice::OpenDevice(const Options& options)
    : instance({.validation = options.validation, .print = true}),
      device(instance, gpu::choose(gpu::list_devices(instance), options.device)), wanted_(options.device),
      validation_(options.validation) {}

OpenDevice::OpenDevice(const gpu::InstanceOptions& instance_options, const gpu::DeviceOptions& device_options,
                       const Choose& choose)
    : instance(instance_options), device(instance, choose(gpu::list_devices(instance), instance), device_options) {}

bool OpenDevice::serves(const Options& options) const {
  return options.device == wanted_ && options.validation == validation_;
}

const PassProgram& OpenDevice::program(Pass pass, const Features& features) {
  const std::pair key{pass, features};
  auto found = programs_.find(key);
  if (found == programs_.end())
    found = programs_.emplace(key, load(device, pass, features)).first;
  return found->second;
}

std::shared_ptr<OpenDevice> OpenDevices::take(const Options& options) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(idle_, [&](const auto& open) { return open->serves(options); });
    if (found != idle_.end()) {
      auto open = std::move(*found);
      idle_.erase(found);
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
