// What there is to run on.
#include "engine/executors/open_devices.h"
#include "engine/gpu/device.h"
#include "module.h"
#include "repr.h"
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
  nb::class_<DeviceInfo>(m, "Device", "A Vulkan device of this machine, as devices() lists it.")
      .def_ro("index", &DeviceInfo::index,
              "Place in the list of devices(); Simulation(device=...) takes it as a string.")
      .def_ro("name", &DeviceInfo::name, "Name that the driver gives the device.")
      .def_ro("driver", &DeviceInfo::driver, "Name of the driver and, where it has one, its version.")
      .def_ro("api_version", &DeviceInfo::api_version, "Vulkan version of the device, such as \"1.3.230\".")
      .def_ro("type", &DeviceInfo::type,
              "Type: \"discrete GPU\", \"integrated GPU\", \"virtual GPU\", \"CPU\" or \"other\".")
      .def_ro("memory_bytes", &DeviceInfo::memory_bytes, "Memory of the device [bytes].")
      .def_ro("usable", &DeviceInfo::usable, "True if Talus can run on the device.")
      .def_ro("missing", &DeviceInfo::missing, "What the device lacks, a sentence each; empty if it is usable.")
      .def("__repr__", [](const DeviceInfo& d) -> std::string {
        Repr out("Device");
        out("index", d.index)("name", d.name)("type", d.type)("driver", d.driver);
        return out.add("memory=" + text_of(static_cast<double>(d.memory_bytes) / 1e9) + " GB")
            .add(d.usable ? "usable" : "not usable");
      });
  m.def("devices", &devices,
        "Lists the Vulkan devices of this machine, unusable ones too. The CPU path, device=\"cpu\", is\n"
        "always there and not in the list.");

  nb::class_<talus::OpenDevices>(m, "OpenDevices",
                                 "Devices that stay open from one simulation to the next: keep_devices_open().")
      .def("__repr__", [](const talus::OpenDevices&) { return "OpenDevices()"; });
  m.def("keep_devices_open", &talus::keep_devices_open,
        "Returns what Simulation(devices=...) takes: a simulation takes its device from there, with the\n"
        "passes compiled, and leaves it there. The devices are closed with the last owner of the object.");
}

}  // namespace talus_python
