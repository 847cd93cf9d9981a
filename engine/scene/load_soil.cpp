// The table of the ground.
#include "engine/scene/load_parts.h"
#include <fmt/format.h>

namespace talus::reading {

namespace {

glm::dvec2 read_corner(const Value& at, const glm::dvec3& of_domain) {
  glm::dvec2 corner(of_domain);
  if (!at)
    return corner;
  const std::vector<Value> numbers = both(at, "two places");
  for (int a = 0; a < 2; ++a)
    numbers[static_cast<std::size_t>(a)].get(corner[a]);
  return corner;
}

}  // namespace

std::optional<Soil> read_soil(const Value& at, const Scene& scene) {
  if (!at)
    return {};
  Table t = at.table();
  Soil s;
  const Value material = t.need("material"), radius = t.need("radius"), min = t["min"], max = t["max"],
              cell = t["cell"], height = t.need("height"), parts = t["parts"], repose = t["angle_of_repose"],
              margin = t["margin"];
  t.finish();
  const Domain& d = scene.domain;
  s.where = at.place();
  s.material = material_of(material, scene.materials);
  const Radii r = read_radius(radius);
  s.radius_min = r.min;
  s.radius_max = r.max;
  s.min = read_corner(min, d.min);
  s.max = read_corner(max, d.max);
  for (int a = 0; a < 2; ++a) {
    const bool periodic = d.axis[static_cast<std::size_t>(a)] == Axis::periodic;
    if (s.min[a] < d.min[a] || s.max[a] > d.max[a] || s.min[a] >= s.max[a] ||
        (periodic && (s.min[a] > d.min[a] || s.max[a] < d.max[a])))
      (max   ? max.or_override(min)
       : min ? min
             : at)
          .fail(fmt::format("makes the site reach from {} to {} m in {}; allowed is {} {} to {} m", s.min[a], s.max[a],
                            "xy"[a], periodic ? "all of the periodic domain," : "what lies within the domain,",
                            d.min[a], d.max[a]));
    if (s.max[a] - s.min[a] < 8.0 * r.max)
      (max ? max : at)
          .fail(fmt::format("makes the site {} m wide in {}; the least is 8 radii of its largest grain, {} "
                            "m",
                            s.max[a] - s.min[a], "xy"[a], 8.0 * r.max));
  }
  if (d.gravity.x != 0.0 || d.gravity.y != 0.0 || !(d.gravity.z < 0.0))
    at.fail(fmt::format("needs gravity along -z, not [{}, {}, {}]", d.gravity.x, d.gravity.y, d.gravity.z));
  if (d.axis[2] != Axis::wall)
    at.fail("lies on the floor of the domain: allowed where domain.z is \"wall\"");
  cell.get(s.cell, {4.0 * r.max, 1e6, "m"});
  height.get(s.height, {4.0 * r.max, d.max.z - d.min.z, "m"});
  s.parts = read_parts_of_ground(parts, std::filesystem::path(scene.source).parent_path());
  repose.get(s.repose);
  margin.get(s.margin);
  return s;
}

}  // namespace talus::reading
