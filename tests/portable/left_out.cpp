// In place of the parts of the engine that need a device or a library that is missing here.
#include "engine/core/executor.h"
#include "engine/executors/gpu_executor.h"
#include "engine/geometry/mesh.h"
#include "engine/geometry/raster.h"
#include "engine/scene/formula.h"
#include "engine/scene/grain_reader.h"
#include "engine/scene/urdf.h"

namespace talus {
namespace {

constexpr const char* left_out = "this program is built without it";

}  // namespace

std::unique_ptr<Executor> make_real_gpu_executor(Options, std::vector<std::string>&) {
  return nullptr;
}
std::unique_ptr<Executor> make_gpu_executor(const Options&, std::vector<std::string>*) {
  throw DeviceError(left_out);
}
std::unique_ptr<Executor> make_lockstep_executor(std::unique_ptr<Executor>, int) {
  throw DeviceError(left_out);
}
LoadedMesh load_mesh(const std::filesystem::path& file, const MeshOptions&) {
  throw MeshError(file.string() + ": " + left_out);
}
Raster read_png(const std::string&) {
  throw std::runtime_error(left_out);
}
void grain_files::read_vtp(std::string_view, Grains& grains) {
  grains.fail(left_out);
}
Urdf load_urdf(const std::filesystem::path& file) {
  throw UrdfError(file.string() + ": " + left_out);
}
std::vector<std::size_t> links_from_root(const Urdf&) {
  return {};
}
std::filesystem::path find_urdf_file(const std::string&, const std::filesystem::path&, const UrdfPackages&) {
  throw std::runtime_error(left_out);
}
std::function<double(double)> parse_formula(const std::string&) {
  throw std::invalid_argument(left_out);
}
std::function<double(double, double)> parse_formula_of_place(const std::string&) {
  throw std::invalid_argument(left_out);
}

}  // namespace talus
