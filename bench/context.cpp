#include "bench/context.h"
#include "build.h"
#include "engine/gpu/device.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace bench {
namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// The value of "key : value" in files of /proc.
std::string value_in(const fs::path& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key))
      if (const std::size_t colon = line.find(':'); colon != line.npos)
        return line.substr(std::min(line.find_first_not_of(" \t", colon + 1), line.size()));
  return {};
}

std::uint64_t memory_of(const std::string& key) {
  return 1024 * std::strtoull(value_in("/proc/meminfo", key).c_str(), nullptr, 10);
}

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json load_average() {
  std::istringstream line(line_of("/proc/loadavg"));
  Json load = Json::array();
  for (double value; load.size() < 3 && line >> value;)
    load.push_back(value);
  return load;
}

// Governors, MHz and how often a core was slowed down for heat, where Linux tells.
Json clocks() {
  std::set<std::string> governors;
  double now = 0.0, most = 0.0;
  std::uint64_t throttled = 0;
  bool counts = false;
  const fs::path cpus = "/sys/devices/system/cpu";
  for (unsigned i = 0; fs::exists(cpus / fmt::format("cpu{}", i)); ++i) {
    const fs::path cpu = cpus / fmt::format("cpu{}", i);
    if (const std::string governor = line_of(cpu / "cpufreq/scaling_governor"); !governor.empty())
      governors.insert(governor);
    now = std::max(now, std::atof(line_of(cpu / "cpufreq/scaling_cur_freq").c_str()) / 1e3);
    most = std::max(most, std::atof(line_of(cpu / "cpufreq/cpuinfo_max_freq").c_str()) / 1e3);
    if (const std::string count = line_of(cpu / "thermal_throttle/core_throttle_count"); !count.empty()) {
      counts = true;
      throttled += std::strtoull(count.c_str(), nullptr, 10);
    }
  }
  if (governors.empty() && !counts)
    return {{"known", false}, {"why", "this system tells neither governor nor throttling"}};
  return {{"known", true},
          {"governors", governors},
          {"mhz", now > 0.0 ? Json(now) : Json()},
          {"mhz_most", most > 0.0 ? Json(most) : Json()},
          {"throttled", counts ? Json(throttled) : Json()}};
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// Calls visit(device) for what Vulkan lists; not at all without Vulkan.
void each_device(auto&& visit) {
  try {
    talus::gpu::Instance instance;
    for (const talus::gpu::DeviceInfo& info : talus::gpu::list_devices(instance))
      visit(info);
  } catch (const talus::gpu::Error&) {
  }
}

}  // namespace

std::uint64_t free_memory() {
  return memory_of("MemAvailable");
}

Json machine_context() {
  return {{"date", now_text()},
          {"num_cpus", std::thread::hardware_concurrency()},
          {"load_avg", load_average()},
          {"library_build_type", build_type},
          {"host",
           {{"cpu", or_null(value_in("/proc/cpuinfo", "model name"))},
            {"cores", std::thread::hardware_concurrency()},
            {"memory_bytes", memory_of("MemTotal")},
            {"clocks", clocks()}}},
          {"build",
           {{"version", build_version},
            {"commit", or_null(build_commit)},
            {"compiler", build_compiler},
            {"flags", build_flags}}}};
}

Json device_context(const talus::DeviceSummary& device) {
  Json json{
      {"name", device.name}, {"driver", device.driver}, {"api_version", device.api_version}, {"type", device.type}};
  each_device([&](const talus::gpu::DeviceInfo& info) {
    if (info.name != device.name || info.driver != device.driver)
      return;
    json["memory_bytes"] = info.memory_bytes;
    json["subgroup_size"] = info.subgroup_size;
    json["limits"] = {{"max_storage_buffer_range", info.max_storage_buffer_range},
                      {"max_group_size", info.max_group_size},
                      {"timestamps", info.timestamps}};
  });
  if (!json.contains("memory_bytes"))
    json["memory_bytes"] = free_memory();
  return json;
}

std::vector<std::string> usable_devices() {
  std::vector<std::string> devices;
  each_device([&](const talus::gpu::DeviceInfo& info) {
    if (info.usable)
      devices.push_back(std::to_string(info.index));
  });
  devices.push_back("cpu");
  return devices;
}

std::string folder_of(const std::string& device_name) {
  std::string folder;
  for (const char c : device_name.substr(0, device_name.find(" ("))) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (word)
      folder += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!folder.empty() && folder.back() != '-')
      folder += '-';
  }
  while (folder.ends_with('-'))
    folder.pop_back();
  return folder;
}

}  // namespace bench
