// Stands in for parts that the engine of the fuzzers goes without, so that it compiles sooner: Vulkan devices, lockstep, and the
// vectorised passes. Simulations run on the CPU by the reference passes, which the sanitizers can follow line by line.
#include "engine/cpu/passes.h"
#include "engine/executor.h"
#include "engine/talus.h"

namespace talus {

std::optional<std::string> real_gpu() {
  return {};
}

std::unique_ptr<Executor> make_gpu_executor(const Options&) {
  throw DeviceError("the fuzzers have no devices");
}

std::unique_ptr<Executor> make_lockstep_executor(std::unique_ptr<Executor>, int) {
  throw DeviceError("the fuzzers have no lockstep");
}

namespace cpu {

bool runs_wide() {
  return false;
}

PassFunctions vectorised(PassFunctions passes, bool) {
  return passes;
}

}  // namespace cpu
}  // namespace talus
