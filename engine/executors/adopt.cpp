#include "engine/executors/adopt.h"
#include "engine/executors/open_devices.h"

namespace talus {

namespace {

template <class... Arguments> std::shared_ptr<OpenDevice> opened(const Arguments&... arguments) {
  try {
    return std::make_shared<OpenDevice>(arguments...);
  } catch (const gpu::Error& e) {
    throw DeviceError(e.what());
  }
}

}  // namespace

std::shared_ptr<OpenDevice> adopt(const Adoption& application) {
  return opened(application);
}

std::shared_ptr<OpenDevice> open_to_export(const Options& options) {
  const OpenDevice::Choose choose = [&](const std::vector<gpu::DeviceInfo>& devices, const gpu::Instance&) {
    return gpu::choose(devices, options.device);
  };
  return opened(gpu::InstanceOptions{.validation = options.validation, .print = true},
                gpu::DeviceOptions{.export_memory = true}, choose);
}

}  // namespace talus
