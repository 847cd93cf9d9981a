// The tables of sinks.
#include "engine/scene/bodies.h"
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::reading {

SinkSpec read_sink(Table t, const Scene& scene) {
  SinkSpec s;
  const std::filesystem::path folder = std::filesystem::path(scene.source).parent_path();
  const std::optional<PlacedPart> shape = read_part_shape(t, folder, PartUse::filled);
  const Value name = t.need("name"), material = t["material"], position = t["position"], rotation = t["rotation"],
              parts = t["parts"];
  t.finish();
  name.get(s.name);
  check_name(name, s.name, scene.sinks, "sink");
  if (material)
    s.material = material_of(material, scene.materials);
  position.get(s.position);
  rotation.get(s.rotation);
  s.parts = read_parts(shape, parts, t, folder, PartUse::filled);
  const Bounds b = bounds_of(s.parts, {s.position, rotation_of(s.rotation)});
  const Domain& d = scene.domain;
  for (int a = 0; a < 3; ++a)
    if (d.axis[static_cast<std::size_t>(a)] == Axis::wall && (b.max[a] <= d.min[a] || b.min[a] >= d.max[a]))
      (position ? position : name)
          .fail(fmt::format("puts the sink where no grain comes: it reaches from {:.9g} to {:.9g} m in {}, beyond the "
                            "walls at {:.9g} and {:.9g} m",
                            b.min[a], b.max[a], "xyz"[a], d.min[a], d.max[a]));
  return s;
}

}  // namespace talus::reading
