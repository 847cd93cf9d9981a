#pragma once
// Results as a page: tables that need nothing, charts that need JavaScript; all of it in one file.
#include "bench/compiled.h"
#include "bench/results.h"
#include <filesystem>
#include <string>
#include <vector>

namespace bench {

// All results of one device, of however many files.
struct DeviceResults {
  std::string device;  // its name; a CPU path by its processor; numbered where one has results of a name twice
  Json context;        // of its first file
  std::vector<Measured> measured;
};

// files: results, or directories of them; those of talus-bench compile are left out. Throws UsageError where one is
// wrong or there are none.
std::vector<DeviceResults> read_devices(const std::vector<std::filesystem::path>& files);
// The files of talus-bench compile among these, merged into one.
Compiled read_all_compiled(const std::vector<std::filesystem::path>& files);

// before: older results, of which those of the same devices are compared; may be empty, as may be compiled.
std::string report_page(const std::vector<DeviceResults>& devices, const std::vector<DeviceResults>& before,
                        const Compiled& compiled = {});

void write_report(const std::vector<std::filesystem::path>& files, const std::vector<std::filesystem::path>& before,
                  const std::filesystem::path& out);

}  // namespace bench
