#pragma once
// Opening a device, and another one where that fails.
#include "engine/gpu/logical_device.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace talus::gpu {

// Takes one of the list, as choose() of device.h does, or throws NoDevice.
using Choice = std::function<DeviceInfo(const std::vector<DeviceInfo>&)>;

// Opens the device that `choice` takes. One that fails to open becomes unusable in the list, with the reason, and
// `choice` is asked again; `passed_over` then says so, a sentence each. Throws the failure where `choice` finds no
// other device, or NoDevice with the list after several failures.
std::shared_ptr<LogicalDevice> open_chosen(Instance& instance, std::vector<DeviceInfo> devices, const Choice& choice,
                                           const DeviceOptions& options, std::vector<std::string>& passed_over);

}  // namespace talus::gpu
