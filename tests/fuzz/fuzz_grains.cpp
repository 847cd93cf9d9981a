// Files of grains: the first byte says of which kind the file is, the second one how it is read, the rest is the file.
#include "engine/scene/grain_file.h"
#include "small.h"
#include <array>
#include <cmath>

using namespace talus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const talus_fuzz::Folder folder;
  static constexpr std::string_view kinds = "cxlvgp";
  static const std::array<std::string, 6> names{"grains.csv", "grains.extxyz", "grains.lammps",
                                                "grains.vtp", "grains.gsd",    "grains.ply"};
  if (size < 2)
    return 0;
  const std::size_t kind = kinds.find(static_cast<char>(data[0]));
  if (kind == kinds.npos)
    return 0;
  GrainFileOptions options;
  options.scale = data[1] & 1 ? 1e-3 : 1.0;
  if (data[1] & 2)
    options.frame = data[1] & 4 ? 1 : 0;
  try {
    const LoadedGrains loaded =
        load_grains(folder.write(names[kind], talus_fuzz::text_of(data + 2, size - 2)), options);
    const std::size_t n = loaded.size();
    const auto whole = [&](const auto& values) { return values.empty() || values.size() == n; };
    if (n == 0 || !whole(loaded.radii) || !whole(loaded.velocities) || !whole(loaded.spins) || !whole(loaded.types))
      __builtin_trap();
    for (const glm::vec3& p : loaded.positions)
      if (!std::isfinite(p.x + p.y + p.z))
        __builtin_trap();
    if (!loaded.radii.empty() && !(radii_of(loaded).min > 0.0))
      __builtin_trap();
  } catch (const GrainFileError&) {
  }
  return 0;
}
