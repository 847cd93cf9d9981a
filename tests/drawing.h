#pragma once
// Where tests draw.
#include "engine/executors/open_devices.h"
#include "picture.h"
#include "simulate.h"

namespace talus_tests {

// A device whose validation layer must have had nothing to say when the test ends. Tests share it, one after another,
// with what has been compiled for it.
struct Setup {
  const Options options = on_one_device();
  gpu::Instance& instance = options.on->instance;
  gpu::Device& device = options.on->device;

  ~Setup() { CHECK(instance.log().count() == 0); }

  Image draw(const Scene& scene, const std::vector<GrainState>& grains) {
    return Renderer(scene, width, height, &device).draw(grains);
  }
};

}  // namespace talus_tests
