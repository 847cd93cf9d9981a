#include "engine/gpu/open.h"
#include <algorithm>
#include <exception>
#include <fmt/format.h>

namespace talus::gpu {

std::shared_ptr<LogicalDevice> open_chosen(Instance& instance, std::vector<DeviceInfo> devices, const Choice& choice,
                                           const DeviceOptions& options, std::vector<std::string>& passed_over) {
  std::exception_ptr failure;
  for (;;) {
    DeviceInfo chosen;
    try {
      chosen = choice(devices);
    } catch (const NoDevice&) {
      if (failure && passed_over.size() == 1)
        std::rethrow_exception(failure);
      throw;
    }
    const auto failed = std::ranges::find(devices, chosen.index, &DeviceInfo::index);
    if (failed == devices.end() || !failed->usable)  // opening it throws, and it cannot be passed over
      return std::make_shared<LogicalDevice>(instance, chosen, options);
    try {
      return std::make_shared<LogicalDevice>(instance, chosen, options);
    } catch (const Error& e) {
      failure = std::current_exception();
      failed->usable = false;
      failed->missing.emplace_back(e.what());
      passed_over.push_back(fmt::format("Device {} ({}) is passed over. {}", chosen.index, chosen.name, e.what()));
    }
  }
}

}  // namespace talus::gpu
