#pragma once
// talus-bench compile: what compilers make of the passes, on GPUs that are not there, too.
#include "bench/compiled.h"
#include <string>
#include <vector>

namespace bench {

// Those of AMD that RADV compiles for without hardware: GCN 4 and 5, RDNA 1, 2 and 3.
std::vector<std::string> default_families();

struct CompileOptions {
  // Families of AMD (RADV_FORCE_FAMILY), or "devices": those of this machine. Empty: default_families() and devices.
  std::vector<std::string> families;
  std::vector<std::string> scenes;  // for planned_step_of(); empty: common_scenes()
};

// Compiles and runs nothing. Sets environment variables of Vulkan's loader and of Mesa while it does, so that no other
// thread may use Vulkan. Throws UsageError where a family or a scene is not known, or RADV is missing.
Compiled compile(const CompileOptions& options);

}  // namespace bench
