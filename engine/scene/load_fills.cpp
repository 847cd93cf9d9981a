// The shapes that grains fill.
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::reading {

namespace {

Shape read_points(const Value& at) {
  PointsFill s;
  for (const Value& p : at.elements())
    p.get(s.points.emplace_back(), place_range);
  if (s.points.empty())
    at.fail("is empty: give at least one [x, y, z]");
  return s;
}

Shape read_box(const Value& at) {
  Table t = at.table();
  BoxFill s{};
  const Value lo = t.need("min"), hi = t.need("max");
  t.finish();
  lo.get(s.min, place_range);
  hi.get(s.max, place_range);
  for (int a = 0; a < 3; ++a)
    if (s.min[a] >= s.max[a])
      hi.or_override(lo).elements()[a].fail(
          fmt::format("must lie above min: the box has {} <= {} in {}", s.max[a], s.min[a], "xyz"[a]));
  return s;
}

Shape read_sphere(const Value& at) {
  Table t = at.table();
  SphereFill s{};
  const Value center = t.need("center"), radius = t.need("radius");
  t.finish();
  center.get(s.center, place_range);
  radius.get(s.radius, length_range);
  return s;
}

Shape read_cylinder(const Value& at) {
  Table t = at.table();
  CylinderFill s{};
  const Value base = t.need("base"), radius = t.need("radius"), height = t.need("height");
  t.finish();
  base.get(s.base, place_range);
  radius.get(s.radius, length_range);
  height.get(s.height, length_range);
  return s;
}

Shape read_solid(const Value& at, std::string_view kind, const std::filesystem::path& folder) {
  if (kind != "parts")
    return SolidFill{{read_placed_part(at, kind, folder, PartUse::filled)}};
  const std::vector<Table> tables = at.tables();
  if (tables.empty())
    at.fail(fmt::format("is empty: give at least one of {}", shapes_allowed));
  SolidFill s{read_parts({}, at, tables.front(), folder, PartUse::filled)};
  for (std::size_t i = 0; i < s.parts.size(); ++i)
    if (std::holds_alternative<PlanePart>(s.parts[i].shape) && !s.parts[i].subtract)
      tables[i].fail("fills without end: a plane is allowed with subtract = true");
  return s;
}

}  // namespace

PlacedShape read_shape(const Value& holder, bool points_too, const std::filesystem::path& folder) {
  Table shapes = holder.table();
  std::vector<std::pair<std::string_view, Value>> given;
  std::vector<std::string_view> allowed{"box",   "sphere", "cylinder", "capsule", "cone",
                                        "torus", "mesh",   "gear",     "parts"};
  if (points_too)
    allowed.push_back("points");
  for (const std::string_view kind : allowed)
    if (const Value at = shapes[kind])
      given.emplace_back(kind, at);
  shapes.finish();
  if (given.empty())
    holder.fail(fmt::format("holds no shape: give one of {}", fmt::join(allowed, ", ")));
  std::ranges::sort(given, [](const auto& a, const auto& b) { return a.second.before(b.second); });
  if (given.size() > 1)
    given[1].second.fail(
        fmt::format("is a second shape beside {}: give one of {}; another shape is another [[..]] table",
                    given[0].second.path(), fmt::join(allowed, ", ")));
  const auto& [kind, at] = given[0];
  const Shape shape = kind == "points"     ? read_points(at)
                      : kind == "box"      ? read_box(at)
                      : kind == "sphere"   ? read_sphere(at)
                      : kind == "cylinder" ? read_cylinder(at)
                                           : read_solid(at, kind, folder);
  return {shape, at};
}

}  // namespace talus::reading
