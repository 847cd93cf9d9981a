#include "viewer/commands.h"
#include "engine/gpu/device.h"
#include "engine/scene/convergence.h"
#include "engine/scene/keys.h"
#include "viewer/status.h"
#include "viewer/terminal.h"
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <thread>

namespace viewer {
namespace {

// What there is, and what `--device auto` makes of it: the best real GPU, else the CPU path.
struct Machine {
  std::vector<talus::gpu::DeviceInfo> devices;
  std::string no_vulkan;  // why there are none; empty where Vulkan is there
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  const talus::gpu::DeviceInfo* automatic = nullptr;  // null: the CPU path
};

void look_for_devices(Machine& machine) {
  try {
    talus::gpu::Instance instance;
    machine.devices = talus::gpu::list_devices(instance);
  } catch (const talus::gpu::Error& e) {
    machine.no_vulkan = e.what();
  }
  auto real = std::ranges::find_if(machine.devices, [](const auto& device) { return device.usable && device.gpu; });
  if (real != machine.devices.end())
    machine.automatic = &*real;
}

void print_json(const Machine& machine) {
  using Json = nlohmann::ordered_json;
  Json devices = Json::array();
  for (const auto& device : machine.devices)
    devices.push_back({{"index", device.index},
                       {"name", device.name},
                       {"driver", device.driver},
                       {"api_version", device.api_version},
                       {"type", device.type},
                       {"memory_bytes", device.memory_bytes},
                       {"subgroup_size", device.subgroup_size},
                       {"timestamps", device.timestamps},
                       {"usable", device.usable},
                       {"missing", device.missing}});
  const Json list = {{"devices", devices},
                     {"cpu", {{"threads", machine.threads}}},
                     {"auto", machine.automatic ? Json(machine.automatic->index) : Json("cpu")},
                     {"no_vulkan", machine.no_vulkan.empty() ? Json() : Json(machine.no_vulkan)}};
  print_out("{}\n", list.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_table(const Machine& machine) {
  auto mark = [](bool chosen) { return chosen ? "  <- auto" : ""; };
  std::size_t width = 0;
  for (const auto& device : machine.devices)
    width = std::max(width, device.name.size());
  for (const auto& device : machine.devices) {
    print_out("{:>3}  {:<{}}  {}, Vulkan {}, {}, {}{}\n", device.index, device.name, width, device.type,
              device.api_version, device.driver, talus::gpu::byte_text(device.memory_bytes),
              mark(&device == machine.automatic));
    for (const std::string& missing : device.missing)
      print_out("     cannot be used: {}\n", missing);
  }
  if (!machine.no_vulkan.empty())
    print_out("     no Vulkan device: {}\n", machine.no_vulkan);
  else if (machine.devices.empty())
    print_out("     no Vulkan device\n");
  print_out("{:>3}  {:<{}}  {} thread{}{}\n", "cpu", "the CPU path", width, machine.threads,
            machine.threads == 1 ? "" : "s", mark(!machine.automatic));
}

}  // namespace

int devices(bool json) {
  Machine machine;
  look_for_devices(machine);
  if (json)
    print_json(machine);
  else
    print_table(machine);
  return done;
}

int check(const std::vector<std::filesystem::path>& scenes, const std::vector<std::string>& overrides) {
  int status = done;
  for (const auto& file : scenes) {
    try {
      const talus::Scene scene = talus::load_scene(file, overrides);
      const talus::Population population = talus::populate(scene);
      const std::vector<std::string> advice = talus::advise(scene);
      print_out("ok: {}: {} grains", file.string(), population.initial.size() - population.cloth_vertices);
      if (population.cloth_vertices > 0)
        print_out(", {} vertices of cloth", population.cloth_vertices);
      if (!population.scheduled.empty())
        print_out(", {} poured", population.scheduled.size());
      if (scene.upsampling)
        print_out(", {} fine, {} of them poured", population.fine.size() + population.fine_first.back(),
                  population.fine_first.back());
      print_out("\n");
      if (scene.solver.substeps == 0)
        print_err("note: {}: {}\n", file.string(), talus::choose_substeps(scene).why);
      if (const auto convergence = talus::convergence_of(scene))
        print_err("note: {}: {}\n", file.string(), *convergence);
      for (const std::vector<std::string>& warnings : {population.warnings, advice})
        for (const std::string& warning : warnings)
          print_err("warning: {}\n", warning);
    } catch (...) {
      status = std::max(status, tell_error());
    }
  }
  return status;
}

int keys() {
  print_out("{}", talus::scene_keys_text());
  return done;
}

int graph(const std::filesystem::path& scene, const std::vector<std::string>& overrides, const talus::Options& options,
          bool dot) {
  talus::Simulation simulation(talus::load_scene(scene, overrides), options);
  const std::string text = simulation.describe_step(dot);
  print_out("{}{}", text, text.ends_with('\n') ? "" : "\n");
  return done;
}

}  // namespace viewer
