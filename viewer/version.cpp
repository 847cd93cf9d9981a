#include "viewer/version.h"
#include "talus_commit.h"
#include <fmt/format.h>
#include <string_view>
#include <vulkan/vulkan_core.h>

namespace viewer {

std::string version_text() {
#if defined(__clang__)
  const std::string compiler = fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  const std::string compiler = fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#elif defined(_MSC_VER)
  const std::string compiler = fmt::format("MSVC {}", _MSC_FULL_VER);
#else
  const std::string compiler = "unknown";
#endif
  const std::string_view commit = talus_commit;
  constexpr auto vulkan = VK_HEADER_VERSION_COMPLETE;
  return fmt::format("talus {}\ncommit {}\nVulkan headers {}.{}.{}\ncompiler {}", TALUS_VERSION,
                     commit.empty() ? "unknown" : commit, VK_API_VERSION_MAJOR(vulkan), VK_API_VERSION_MINOR(vulkan),
                     VK_API_VERSION_PATCH(vulkan), compiler);
}

}  // namespace viewer
