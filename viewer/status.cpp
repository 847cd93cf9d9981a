#include "viewer/status.h"
#include "engine/base/atomic_file.h"
#include "engine/gpu/error.h"
#include "engine/talus.h"
#include "viewer/terminal.h"
#include <cstdio>
#include <fmt/format.h>
#include <new>

namespace viewer {

int tell_error() {
  // Each of several errors, on a line of its own, says that it is one.
  auto tell = [](Status status, std::string_view text) {
    std::fflush(stdout);
    for (std::size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
      end = text.find('\n');
      print_err("error: {}\n", text.substr(0, end));
    }
    return static_cast<int>(status);
  };
  try {
    throw;
  } catch (const UsageError& e) {
    return tell(usage, e.what());
  } catch (const talus::SceneError& e) {
    return tell(usage, e.what());
  } catch (const talus::CheckpointError& e) {
    return tell(usage, e.what());
  } catch (const talus::ExportError& e) {
    return tell(usage, e.what());
  } catch (const talus::DeviceError& e) {
    return tell(no_device, e.what());
  } catch (const talus::gpu::NoDevice& e) {
    return tell(no_device, e.what());
  } catch (const talus::ResourceError& e) {
    return tell(out_of_resources, e.what());
  } catch (const talus::gpu::Error& e) {  // out of memory, device lost, or set-up of the renderer that failed
    return tell(out_of_resources, e.what());
  } catch (const std::bad_alloc&) {
    return tell(out_of_resources, "this machine has no memory left for what the scene needs");
  } catch (const talus::StateError& e) {
    return tell(invalid_state, e.what());
  } catch (const std::exception& e) {
    return tell(internal_error, e.what());
  }
}

std::filesystem::path crash_file(const std::filesystem::path& scene) {
  std::string name = scene.stem().string();
  name.erase(0, name.find_first_not_of('.'));
  return (name.empty() ? "scene" : name) + ".crash.talus";
}

void rescue(talus::Simulation& simulation, std::vector<std::filesystem::path> files) {
  std::error_code error;
  if (const auto folder = std::filesystem::temp_directory_path(error); !error)
    files.push_back(folder / files.back().filename());
  for (const std::filesystem::path& file : files)
    try {
      simulation.save(file);
      print_err("the last valid state, step {} ({:.6g} s), is saved in {}; go on from it with --resume\n",
                simulation.step(), simulation.time(), file.string());
      return;
    } catch (const std::exception& e) {
      print_err("the last valid state could not be saved: {}\n", e.what());
    }
}

}  // namespace viewer
