// clump of [[grains]] and [[emitter]].
#include "engine/scene/clump.h"
#include "engine/scene/limitations.h"
#include "engine/scene/load_parts.h"
#include "shaders/shared/types.h"

namespace talus {

using namespace reading;

namespace {

constexpr std::string_view allowed =
    "\"pair\", \"tetrahedron\", a list of 2 to 8 spheres [x, y, z, radius] or { mesh = FILE, spheres = N }";

Clump clump_by_name(const Value& clump) {
  std::string name;
  clump.get(name);
  if (name == "pair")
    return pair_clump();
  if (name == "tetrahedron")
    return tetrahedron_clump();
  clump.must_be(std::string(allowed));
}

Clump clump_of_spheres(const Value& clump) {
  std::vector<glm::dvec4> spheres;
  for (const Value& sphere : clump.elements()) {
    const std::vector<Value> numbers = sphere.elements();
    if (numbers.size() != 4)
      sphere.must_be("a sphere [x, y, z, radius]");
    glm::dvec4& s = spheres.emplace_back();
    for (int k = 0; k < 4; ++k)
      numbers[static_cast<std::size_t>(k)].get(s[k], {-1e6, 1e6});
  }
  if (const std::string what = misshapen(spheres); !what.empty())
    clump.fail(what);
  return Clump(std::move(spheres));
}

Clump clump_of_mesh(const Value& clump, const std::filesystem::path& folder) {
  Table t = clump.table();
  const Value mesh = t.need("mesh"), spheres = t["spheres"];
  t.finish();
  MeshPart part;
  std::uint32_t count = shared::clump_spheres_most;
  mesh.get(part.file);
  spheres.get(count);
  part.where = mesh.label(mesh.path());
  try {
    part.loaded = std::make_shared<LoadedMesh>(load_mesh(folder / part.file));
    if (!part.loaded->closed)
      throw MeshError(fmt::format("{}: the mesh is open and encloses no volume, since its holes are too large to be "
                                  "closed: use a closed mesh",
                                  (folder / part.file).string()));
    return Clump(std::move(part), count);
  } catch (const MeshError& e) {
    mesh.fail(fmt::format("cannot be used: {}", e.what()));
  }
}

}  // namespace

std::optional<Clump> reading::read_clump(const Value& clump, const Solver& solver,
                                         const std::filesystem::path& folder) {
  if (!clump)
    return std::nullopt;
  if (const auto refused = clumps_refused_by(solver))
    clump.fail("is refused: " + say(limitation_of(Capability::clumps, *refused)));
  if (clump.is_word())
    return clump_by_name(clump);
  if (clump.is_array())
    return clump_of_spheres(clump);
  if (clump.is_table())
    return clump_of_mesh(clump, folder);
  clump.must_be(std::string(allowed));
}

}  // namespace talus
