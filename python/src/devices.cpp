// What there is to run on.
#include "engine/executors/open_devices.h"
#include "engine/gpu/device.h"
#include "module.h"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace talus_python {

namespace nb = nanobind;
using namespace nb::literals;
using talus::gpu::DeviceInfo;

namespace {

std::vector<DeviceInfo> devices() {
  talus::gpu::Instance instance;
  return talus::gpu::list_devices(instance);
}

}  // namespace

void bind_devices(nb::module_& m) {
  nb::class_<DeviceInfo>(m, "Device", "A Vulkan device of this machine.")
      .def_ro("index", &DeviceInfo::index, "What Simulation(device=...) takes for it, as a string.")
      .def_ro("name", &DeviceInfo::name)
      .def_ro("driver", &DeviceInfo::driver)
      .def_ro("api_version", &DeviceInfo::api_version)
      .def_ro("type", &DeviceInfo::type, "discrete GPU, integrated GPU, virtual GPU, CPU or other.")
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes)
      .def_ro("usable", &DeviceInfo::usable)
      .def_ro("missing", &DeviceInfo::missing, "Why it cannot be used, a sentence each.")
      .def("__repr__", [](const DeviceInfo& d) { return "Device(" + std::to_string(d.index) + ", '" + d.name + "')"; });
  m.def("devices", &devices,
        "The Vulkan devices of this machine, unusable ones too; the CPU path, device=\"cpu\", is always there.");

  nb::class_<talus::OpenDevices>(m, "OpenDevices", "Devices that stay open from one simulation to the next.")
      .def("__repr__", [](const talus::OpenDevices&) { return "OpenDevices()"; });
  m.def(
      "keep_devices_open", &talus::keep_devices_open,
      "For Simulation(devices=...): a simulation takes its device from here, with the passes compiled, and leaves it\n"
      "here. Closes them with the last owner.");
}

}  // namespace talus_python
