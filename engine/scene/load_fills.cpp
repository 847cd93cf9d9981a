// The shapes that grains fill.
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::reading {

namespace {

Shape read_points(const Value& at) {
  PointsFill s;
  for (const Value& p : at.elements())
    p.get(s.points.emplace_back());
  if (s.points.empty())
    at.fail("is empty: give at least one [x, y, z]");
  return s;
}

// Boxes, spheres and cylinders that stand upright are filled as what they are, all else as a solid.
Shape fill_of(const PlacedPart& placed, std::string_view kind) {
  if (placed.as_given)
    return *placed.as_given;
  const BodyPart& part = placed.part;
  if (const auto* sphere = std::get_if<SpherePart>(&part.shape))
    return SphereFill{part.position, sphere->radius};
  if (part.rotation == glm::dvec3(0.0)) {
    if (const auto* box = std::get_if<BoxPart>(&part.shape))
      return BoxFill{part.position - box->size / 2.0, part.position + box->size / 2.0};
    if (const auto* cylinder = std::get_if<ConePart>(&part.shape); cylinder && kind == "cylinder")
      return CylinderFill{part.position - glm::dvec3(0, 0, cylinder->height / 2), cylinder->radius, cylinder->height};
  }
  return SolidFill{{part}};
}

Shape read_solid(const Value& at, std::string_view kind, const std::filesystem::path& folder) {
  if (kind != "parts")
    return fill_of(read_placed_part(at, kind, folder, PartUse::filled), kind);
  const std::vector<Table> tables = at.tables();
  if (tables.empty())
    at.fail(fmt::format("is empty: give at least one of {}", shapes_allowed));
  SolidFill s{read_parts({}, at, tables.front(), folder, PartUse::filled)};
  for (std::size_t i = 0; i < s.parts.size(); ++i)
    if (std::holds_alternative<PlanePart>(s.parts[i].shape) && !s.parts[i].subtract)
      tables[i].fail("has no end that grains could fill it to: a plane needs subtract = true here");
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
    holder.fail(fmt::format("holds no geometry: give one of {}", fmt::join(allowed, ", ")));
  std::ranges::sort(given, [](const auto& a, const auto& b) { return a.second.before(b.second); });
  if (given.size() > 1)
    given[1].second.fail(
        fmt::format("is a second geometry beside {}: give one of {}; another geometry needs another [[..]] table",
                    given[0].second.path(), fmt::join(allowed, ", ")));
  const auto& [kind, at] = given[0];
  const Shape shape = kind == "points" ? read_points(at) : read_solid(at, kind, folder);
  return {shape, at};
}

}  // namespace talus::reading
