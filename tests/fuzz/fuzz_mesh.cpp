// Meshes: the first byte says of which kind the file is, the second one how it is read, the rest is the file.
#include "engine/geometry/mesh.h"
#include "small.h"
#include <algorithm>
#include <array>

using namespace talus;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const talus_fuzz::Folder folder;
  static constexpr std::string_view kinds = "ospgbd";
  static const std::array<std::string, 6> names{"mesh.obj",  "mesh.stl", "mesh.ply",
                                                "mesh.gltf", "mesh.glb", "mesh.dae"};
  if (size < 2)
    return 0;
  const std::size_t kind = kinds.find(static_cast<char>(data[0]));
  if (kind == kinds.npos)
    return 0;
  MeshOptions options;
  options.solid = (data[1] & 1) == 0;
  options.hole = data[1] & 2 ? 100.0 : 0.25;
  options.scale = data[1] & 4 ? 1e-3 : 1.0;
  if (data[1] & 8)
    options.up = UpAxis::x;
  try {
    const LoadedMesh loaded = load_mesh(folder.write(names[kind], talus_fuzz::text_of(data + 2, size - 2)), options);
    for (const glm::uvec3& t : loaded.mesh.triangles)
      if (std::max({t.x, t.y, t.z}) >= loaded.mesh.vertices.size())
        __builtin_trap();
    volume_properties(loaded.mesh);
  } catch (const MeshError&) {
  }
  return 0;
}
