// clump of [[grains]].
#include "engine/scene/clump.h"
#include "engine/scene/limitations.h"
#include "engine/scene/load_parts.h"

namespace talus {

using namespace reading;

std::optional<Clump> reading::read_clump(const Value& clump, const Solver& solver) {
  if (!clump)
    return std::nullopt;
  std::optional<Clump> out;
  if (clump.is_word()) {
    std::string name;
    clump.get(name);
    if (name == "pair")
      out = pair_clump();
    else if (name == "tetrahedron")
      out = tetrahedron_clump();
    else
      clump.must_be("\"pair\", \"tetrahedron\" or a list of 2 to 8 spheres [x, y, z, radius]");
  } else if (clump.is_array()) {
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
    out = Clump(std::move(spheres));
  } else {
    clump.must_be("\"pair\", \"tetrahedron\" or a list of 2 to 8 spheres [x, y, z, radius]");
  }
  if (const auto refused = clumps_refused_by(solver))
    clump.fail("is refused: " + say(limitation_of(Capability::clumps, *refused)));
  return out;
}

}  // namespace talus
