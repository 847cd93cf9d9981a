#pragma once
// All errors of talus::gpu are exceptions that carry one sentence a user can act on.
#include "engine/gpu/vulkan.h"
#include <stdexcept>
#include <string>
#include <string_view>

namespace talus::gpu {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// No device fits what was asked for; the sentence lists what there is and what each device lacks.
struct NoDevice : Error {
  using Error::Error;
};
// Name, need and limit.
struct OutOfMemory : Error {
  using Error::Error;
};
// The driver gave the device up. Nothing on it can be read any more.
struct DeviceLost : Error {
  using Error::Error;
};

// Throws the matching error unless result is a success; what completes the sentence "... failed".
void check(VkResult result, std::string_view what);

// "12.5 MiB"
std::string byte_text(std::uint64_t bytes);

}  // namespace talus::gpu
