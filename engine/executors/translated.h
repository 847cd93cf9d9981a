#pragma once
#include "engine/core/executor.h"
#include "engine/gpu/error.h"

namespace talus {

// The result of f(), with errors of the folder gpu thrown as those that the public API names: ResourceError where
// memory ran out or the device was lost, else DeviceError.
template <class F> decltype(auto) translated(F f) {
  try {
    return f();
  } catch (const gpu::OutOfMemory& e) {
    throw ResourceError(e.what());
  } catch (const gpu::DeviceLost& e) {
    throw ResourceError(e.what());
  } catch (const gpu::Error& e) {
    throw DeviceError(e.what());
  }
}

}  // namespace talus
