#pragma once
// What results were measured on and with: device, machine, build.
#include "bench/results.h"
#include "engine/talus.h"
#include <string>
#include <vector>

namespace bench {

// The machine's clocks and load, the processor and the build: what holds for all devices. No name of the machine.
Json machine_context();
// The device that a simulation runs on; index, cpu, auto or part of a name as in Options::device.
Json device_context(const talus::DeviceSummary& device);

// What `--device all` runs on: indices of the devices that Talus can use, and cpu.
std::vector<std::string> usable_devices();

// "nvidia-h200": of a device's name, without what its driver adds in brackets.
std::string folder_of(const std::string& device_name);

std::uint64_t free_memory();  // bytes of the machine; 0: not known

}  // namespace bench
