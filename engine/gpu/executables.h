#pragma once
// Statistics of the code that a driver has made of a pipeline (VK_KHR_pipeline_executable_properties).
#include "engine/gpu/shader.h"
#include <string>
#include <vector>

namespace talus::gpu {

struct Statistic {
  std::string name;  // the driver's own, such as "Spilled VGPRs"
  double value = 0.0;
};

// Code of a stage or of several.
struct Executable {
  std::string name;
  std::uint32_t subgroup_size = 0;  // threads that run together; 0: not known
  std::vector<Statistic> statistics;
};

// By VK_KHR_pipeline_executable_properties. Empty where the device was not opened with DeviceOptions::compile_only, or
// its driver lacks that extension (Device::statistics()).
std::vector<Executable> executables_of(const Device& device, const Pipeline& pipeline);

}  // namespace talus::gpu
