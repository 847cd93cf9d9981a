// The shapes that grains fill.
#include "engine/scene/grain_file.h"
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <cmath>
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

// Along periodic axes, programs give places in images of the box, too. What float32 cannot tell from an end of the
// domain is inside.
void put_inside(LoadedGrains& grains, const Domain& domain, const std::filesystem::path& file) {
  for (std::size_t i = 0; i < grains.size(); ++i)
    for (int a = 0; a < 3; ++a) {
      float& at = grains.positions[i][a];
      const double min = domain.min[a], max = domain.max[a];
      const Axis axis = domain.axis[static_cast<std::size_t>(a)];
      if (axis == Axis::open || (at >= static_cast<float>(min) && at <= static_cast<float>(max)))
        continue;
      if (axis == Axis::wall)
        throw GrainFileError(
            fmt::format("{}{}: lies outside the domain, at {} m in {}: allowed is {} to {} m", file.string(),
                        grains.lines.empty() ? fmt::format(": grain {}", i) : fmt::format(":{}", grains.lines[i]), at,
                        "xyz"[a], min, max));
      at = static_cast<float>(at - (max - min) * std::floor((at - min) / (max - min)));
    }
}

FileFill read_file(const Value& at, const Value& scale, const Value& frame, const Value& materials,
                   const std::filesystem::path& folder, const Scene& scene) {
  FileFill fill;
  at.get(fill.file);
  scale.get(fill.scale);
  frame.get(fill.frame);
  if (materials)
    for (const Value& name : materials.elements())
      fill.materials.push_back(material_of(name, scene.materials));
  const std::filesystem::path path = folder / fill.file;
  try {
    LoadedGrains grains = load_grains(path, {fill.scale, fill.frame});
    put_inside(grains, scene.domain, path);
    fill.loaded = std::make_shared<LoadedGrains>(std::move(grains));
  } catch (const GrainFileError& e) {
    at.fail(fmt::format("cannot be used: {}", e.what()));
  }
  if (materials && fill.loaded->types.empty())
    materials.fail("has no meaning here: the file says no types of its grains");
  return fill;
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

PlacedShape read_shape(const Value& holder, FillUse use, const std::filesystem::path& folder, const Scene& scene) {
  Table shapes = holder.table();
  std::vector<std::pair<std::string_view, Value>> given;
  std::vector<std::string_view> allowed{"box",   "sphere", "cylinder", "capsule", "cone",
                                        "torus", "mesh",   "gear",     "parts"};
  if (use != FillUse::emitted)
    allowed.push_back("points");
  if (use == FillUse::grains)
    allowed.push_back("file");
  for (const std::string_view kind : allowed)
    if (const Value at = shapes[kind])
      given.emplace_back(kind, at);
  std::vector<Value> of_file;
  if (use == FillUse::grains)
    of_file = {shapes["scale"], shapes["frame"], shapes["materials"]};
  shapes.finish();
  if (given.empty())
    holder.fail(fmt::format("holds no geometry: give one of {}", fmt::join(allowed, ", ")));
  std::ranges::sort(given, [](const auto& a, const auto& b) { return a.second.before(b.second); });
  if (given.size() > 1)
    given[1].second.fail(
        fmt::format("is a second geometry beside {}: give one of {}; another geometry needs another [[..]] table",
                    given[0].second.path(), fmt::join(allowed, ", ")));
  const auto& [kind, at] = given[0];
  if (kind == "file")
    return {read_file(at, of_file[0], of_file[1], of_file[2], folder, scene), at};
  for (const Value& key : of_file)
    if (key)
      key.fail("has no meaning here: allowed with fill.file");
  const Shape shape = kind == "points" ? read_points(at) : read_solid(at, kind, folder);
  return {shape, at};
}

}  // namespace talus::reading
