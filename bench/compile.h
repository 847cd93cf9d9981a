#pragma once
// talus-bench compile: what compilers make of the passes, on GPUs that are not there, too.
#include "bench/compiled.h"
#include <string>
#include <vector>

namespace bench {

// The GPU families of AMD that are compiled for by default, with RADV and without hardware: GCN 4 and 5, RDNA 1, 2
// and 3.
std::vector<std::string> default_families();

struct CompileOptions {
  // Families of AMD (RADV_FORCE_FAMILY), or "devices": those of this machine. Empty: default_families() and devices.
  std::vector<std::string> families;
  std::vector<std::string> scenes;  // for planned_step_of(); empty: common_scenes()
  std::string program;              // talus-bench, to be run again
};

// Compiles and runs nothing. Each family is a run of `program` of its own, because RADV aborts the process where it
// does not know a family. Throws UsageError where a scene or a family is not known, or RADV is missing.
Compiled compile(const CompileOptions& options);

// The same for one family in this process, which is what such a run does. Sets environment variables of Vulkan's loader
// and of Mesa while it does, so that no other thread may use Vulkan.
Compiled compile_here(const std::string& family, const std::vector<std::string>& scenes);

}  // namespace bench
