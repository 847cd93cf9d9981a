#include "engine/gpu/executables.h"

namespace talus::gpu {

namespace {

double number_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
    return statistic.value.b32 ? 1.0 : 0.0;
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
    return static_cast<double>(statistic.value.i64);
  case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
    return static_cast<double>(statistic.value.u64);
  default:
    return statistic.value.f64;
  }
}

}  // namespace

std::vector<Executable> executables_of(const Device& device, const Pipeline& pipeline) {
  if (!device.statistics())
    return {};
  constexpr const char* asking = "Asking for the statistics of a pipeline";
  auto of = make<VkPipelineInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR);
  of.pipeline = pipeline.handle();
  std::uint32_t count = 0;
  check(vkGetPipelineExecutablePropertiesKHR(device.handle(), &of, &count, nullptr), asking);
  std::vector<VkPipelineExecutablePropertiesKHR> properties(
      count, make<VkPipelineExecutablePropertiesKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR));
  check(vkGetPipelineExecutablePropertiesKHR(device.handle(), &of, &count, properties.data()), asking);

  std::vector<Executable> executables;
  for (std::uint32_t k = 0; k < count; ++k) {
    auto which = make<VkPipelineExecutableInfoKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR);
    which.pipeline = pipeline.handle();
    which.executableIndex = k;
    std::uint32_t many = 0;
    check(vkGetPipelineExecutableStatisticsKHR(device.handle(), &which, &many, nullptr), asking);
    std::vector<VkPipelineExecutableStatisticKHR> statistics(
        many, make<VkPipelineExecutableStatisticKHR>(VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR));
    check(vkGetPipelineExecutableStatisticsKHR(device.handle(), &which, &many, statistics.data()), asking);
    Executable executable{properties[k].name, properties[k].subgroupSize, {}};
    for (const auto& statistic : statistics)
      executable.statistics.push_back({statistic.name, number_of(statistic)});
    executables.push_back(std::move(executable));
  }
  return executables;
}

}  // namespace talus::gpu
