#include "bench/compile.h"
#include "bench/compile_scenes.h"
#include "bench/context.h"
#include "bench/files.h"
#include "bench/json.h"
#include "engine/executors/open_devices.h"
#include "engine/gpu/executables.h"
#include "engine/gpu/freeze.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace bench {
namespace {

namespace fs = std::filesystem;
namespace gpu = talus::gpu;
using Clock = std::chrono::steady_clock;

constexpr std::string_view devices_here = "devices";

void set_variable(const char* name, const char* value) {  // null: unset
#ifdef _WIN32
  _putenv_s(name, value ? value : "");
#else
  if (value)
    setenv(name, value, 1);
  else
    unsetenv(name);
#endif
}

// An environment variable that is as it was in the end.
class Variable {
public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name))
      before_ = before;
    set_variable(name, value.c_str());
  }
  ~Variable() { set_variable(name_, before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  const char* name_;
  std::optional<std::string> before_;
};

// Where the loader finds RADV.
std::string radv_icd() {
  for (const char* folder : {"/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/share/vulkan/icd.d"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("radeon_icd") && name.ends_with(".json") && name.find("i686") == name.npos &&
          name.find("i386") == name.npos)
        return entry.path().string();
    }
  }
  throw UsageError("families of AMD are compiled for by Mesa's RADV, and there is no radeon_icd*.json in the folders "
                   "vulkan/icd.d: install it (Debian: mesa-vulkan-drivers), or name --family devices");
}

struct PlannedScene {
  std::string name;
  talus::PlannedStep step;
};

// The code that a driver made of a pass. Scenes whose specialisation constants are equal share it.
struct Code {
  std::string error;
  double compile_ms = 0.0;
  std::optional<gpu::Executable> executable;
};

Code code_of(talus::OpenDevice& open, talus::Pass pass, const talus::Features& features) {
  Code code;
  const auto begin = Clock::now();
  try {
    const talus::PassProgram& program = open.program(pass, features);
    code.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    const std::vector<gpu::Executable> executables = gpu::executables_of(open.device, *program.pipeline);
    if (!executables.empty())
      code.executable = executables.front();
  } catch (const std::exception& e) {
    code.error = e.what();
  }
  return code;
}

CompiledPass compiled_pass(const PlannedScene& scene, const talus::PlannedPass& planned, const std::string& driver,
                           const Code& code) {
  const talus::PassInfo& info = talus::info(planned.pass);
  CompiledPass pass;
  pass.scene = scene.name;
  pass.pass = info.name;
  pass.driver = driver;
  pass.runs = planned.runs;
  pass.invocations = planned.elements * talus::threads_of(info.unit);
  pass.compile_ms = code.compile_ms;
  pass.error = code.error;
  if (code.executable) {
    pass.subgroup_size = code.executable->subgroup_size;
    for (const gpu::Statistic& statistic : code.executable->statistics)
      if (!statistic.name.ends_with("hash") && !statistic.name.ends_with("Hash"))
        pass.statistics[key_of(statistic.name)] = statistic.value;
  }
  return pass;
}

void compile_on(talus::OpenDevice& open, const std::string& name, const std::vector<PlannedScene>& scenes,
                Compiled& to) {
  const gpu::DeviceInfo& info = open.device.info();
  to.drivers.push_back({name, info.name, info.driver, open.device.statistics()});
  std::map<std::vector<std::uint32_t>, Code> codes;  // by what the driver is given
  for (const PlannedScene& scene : scenes)
    for (const talus::PlannedPass& planned : scene.step.passes) {
      const auto key = gpu::freeze(talus::shader_of(planned.pass), talus::constants_of(scene.step.features));
      auto found = codes.find(key);
      if (found == codes.end())
        found = codes.emplace(key, code_of(open, planned.pass, scene.step.features)).first;
      to.passes.push_back(compiled_pass(scene, planned, name, found->second));
    }
}

// The k-th device that the loader lists, of all or of those that Talus can use; null where there are fewer.
enum class Which { all, usable };
std::unique_ptr<talus::OpenDevice> open_device(Which which, std::size_t k) {
  struct NoMore {};
  const auto choose = [&](std::vector<gpu::DeviceInfo> devices, const gpu::Instance&) {
    if (which == Which::usable)
      std::erase_if(devices, [](const gpu::DeviceInfo& device) { return !device.usable; });
    return k < devices.size() ? devices[k] : throw NoMore();
  };
  try {
    return std::make_unique<talus::OpenDevice>(
        gpu::InstanceOptions{}, gpu::DeviceOptions{.pipeline_cache = false, .compile_only = true}, choose);
  } catch (const NoMore&) {
    return nullptr;
  }
}

void compile_family(const std::string& family, const std::vector<PlannedScene>& scenes, Compiled& to) {
  const std::string icd = radv_icd();
  const Variable files("VK_DRIVER_FILES", icd), older_loaders("VK_ICD_FILENAMES", icd),
      forced("RADV_FORCE_FAMILY", family);
  const auto open = open_device(Which::all, 0);
  if (!open)
    throw UsageError(fmt::format("RADV gives no device for the family {}", family));
  compile_on(*open, family, scenes, to);
}

void compile_devices(const std::vector<PlannedScene>& scenes, Compiled& to) {
  for (std::size_t k = 0; const auto open = open_device(Which::usable, k); ++k)
    compile_on(*open, open->device.info().name, scenes, to);
}

std::vector<PlannedScene> scenes_of(const std::vector<std::string>& given) {
  std::vector<std::string> names = given;
  if (names.empty())
    for (const CompiledScene& scene : common_scenes())
      names.push_back(scene.name);
  std::vector<PlannedScene> scenes;
  for (const std::string& name : names)
    scenes.push_back({name, planned_step_of(name)});
  return scenes;
}

// A folder that is gone in the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / fmt::format("talus-compile-{}", std::random_device()());
  Folder() { fs::create_directories(path); }
  ~Folder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  Folder(const Folder&) = delete;
};

Compiled compile_apart(const std::string& family, const CompileOptions& options) {
  const Folder folder;
  const fs::path json = folder.path / "compiled.json", log = folder.path / "log.txt";
  std::string command = in_quotes(options.program) + " compile --here --family " + in_quotes(family);
  for (const std::string& scene : options.scenes)
    command += " --scene " + in_quotes(scene);
  command += fmt::format(" --json {} >{} 2>&1", in_quotes(json), in_quotes(log));
  if (std::system(command.c_str()) != 0)
    throw UsageError(
        fmt::format("the passes were not compiled for the family {}; what was said:\n{}", family, file_text(log)));
  return compiled_of(read_json(json), json.string());
}

}  // namespace

std::vector<std::string> default_families() {
  return {"polaris10", "raven", "vega20", "navi10", "navi21", "gfx1100"};
}

Compiled compile_here(const std::string& family, const std::vector<std::string>& scenes) {
  const std::vector<PlannedScene> planned = scenes_of(scenes);
  const Variable no_cache("MESA_SHADER_CACHE_DISABLE", "true");  // code that is compiled, and timed, each time
  Compiled compiled;
  compiled.context = machine_context();
  if (family == devices_here)
    compile_devices(planned, compiled);
  else
    compile_family(family, planned, compiled);
  return compiled;
}

Compiled compile(const CompileOptions& options) {
  std::vector<std::string> families = options.families;
  if (families.empty()) {
    families = default_families();
    families.emplace_back(devices_here);
  }
  Compiled all;
  all.context = machine_context();
  for (const std::string& family : families) {
    Compiled of = family == devices_here ? compile_here(family, options.scenes) : compile_apart(family, options);
    std::ranges::move(of.drivers, std::back_inserter(all.drivers));
    std::ranges::move(of.passes, std::back_inserter(all.passes));
  }
  return all;
}

}  // namespace bench
