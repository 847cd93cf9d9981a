// The table of the ground.
#include "engine/geometry/raster.h"
#include "engine/scene/formula.h"
#include "engine/scene/load_parts.h"
#include "shaders/shared/types.h"
#include <cmath>
#include <fmt/format.h>

namespace talus::reading {

namespace {

glm::dvec2 read_corner(const Value& at, glm::dvec2 corner) {
  if (!at)
    return corner;
  const std::vector<Value> numbers = both(at, "two places");
  for (int a = 0; a < 2; ++a)
    numbers[static_cast<std::size_t>(a)].get(corner[a]);
  return corner;
}

void check_height(double height, const std::string& place, const Domain& domain, const Value& at) {
  const double most = domain.max.z - domain.min.z;
  if (!(height >= 0.0 && height <= most))
    at.fail(fmt::format("gives a height of {} m at {}: allowed are 0 to {} m above the floor of the domain", height,
                        place, most));
}

void check_top(const Heightmap& map, const Soil& soil, const Value& at) {
  if (const double least = 4.0 * soil.radius_max; map.top() < least)
    at.fail(
        fmt::format("gives no height above {:.6g} m: the greatest must be at least 4 radii of the largest grain, {} m",
                    map.top(), least));
}

// The heights of the samples that the site needs, as the keys say.
std::shared_ptr<const Heightmap> heights_of(const Raster& raster, const SoilSurface& s, const Soil& soil,
                                            const Domain& domain, const Value& file) {
  const glm::dvec2 min = s.min.value_or(soil.min), max = s.max         ? *s.max
                                                         : raster.cell ? min + *raster.cell * glm::dvec2(raster.size)
                                                                       : soil.max;
  const glm::dvec2 cell = (max - min) / glm::dvec2(raster.size);
  const glm::dvec2 slack = 1e-6 * cell;
  if (glm::any(glm::lessThanEqual(cell, glm::dvec2(0.0))) || glm::any(glm::greaterThan(min - slack, soil.min)) ||
      glm::any(glm::lessThan(max + slack, soil.max)))
    file.fail(
        fmt::format("covers [{}, {}] to [{}, {}] m; the site reaches from [{}, {}] to [{}, {}] m: give min and max "
                    "of the surface, so that it covers the site",
                    min.x, min.y, max.x, max.y, soil.min.x, soil.min.y, soil.max.x, soil.max.y));
  const glm::dvec2 last(raster.size - 1u);
  const glm::uvec2 from(glm::clamp(glm::floor((soil.min - min) / cell - 0.5), glm::dvec2(0.0), last)),
      to(glm::clamp(glm::ceil((soil.max - min) / cell - 0.5), glm::dvec2(0.0), last));
  const bool image = raster.white > 0.0;
  const double scale = image ? (*s.white - *s.black) / raster.white : s.scale, offset = image ? *s.black : s.offset;
  std::vector<float> heights;
  for (std::uint32_t y = from.y; y <= to.y; ++y)
    for (std::uint32_t x = from.x; x <= to.x; ++x) {
      const float value = raster.values[std::size_t{y} * raster.size.x + x];
      const auto place = [&] { return fmt::format("row {}, column {}", raster.size.y - y, x + 1); };
      if (std::isnan(value) && !s.fill)
        file.fail(fmt::format("has no data at {}, which the site needs: give fill, a height for such places", place()));
      const double height = std::isnan(value) ? *s.fill : offset + scale * double{value};
      check_height(height, place(), domain, file);
      heights.push_back(static_cast<float>(height));
    }
  auto map = std::make_shared<Heightmap>(to - from + 1u, std::move(heights), min + cell * glm::dvec2(from),
                                         min + cell * glm::dvec2(to + 1u), s.resampling);
  check_top(*map, soil, file);
  return map;
}

// A height or a thickness by a formula, sampled where a column's mean takes it (SoilStacks), at the centres of its nine
// parts. It is bilinear between samples, of which a site has 4096 along an axis at most. check(z, place) refuses
// values.
SoilSurface surface_of_formula(const Value& at, const Soil& soil, auto&& check) {
  constexpr std::uint32_t samples = 3, most = 4096;  // along a column; along the site
  SoilSurface s;
  at.get(s.formula);
  std::function<double(double, double)> height;
  try {
    height = parse_formula_of_place(s.formula);
  } catch (const std::invalid_argument& e) {
    at.fail(fmt::format("is no formula of x and y: {}; allowed: numbers, x, y, {}", e.what(), allowed_in_formulas));
  }
  const glm::uvec2 count = glm::min(samples * soil.columns(), most);
  const glm::dvec2 each = (soil.max - soil.min) / glm::dvec2(count);
  std::vector<float> heights;
  heights.reserve(std::size_t{count.x} * count.y);
  for (std::uint32_t row = 0; row < count.y; ++row)
    for (std::uint32_t k = 0; k < count.x; ++k) {
      const glm::dvec2 place = soil.min + each * (glm::dvec2(k, row) + 0.5);
      const double z = height(place.x, place.y);
      check(z, fmt::format("[{:.6g}, {:.6g}]", place.x, place.y));
      heights.push_back(static_cast<float>(z));
    }
  s.heights = std::make_shared<Heightmap>(count, std::move(heights), soil.min, soil.max, Resampling::bilinear);
  return s;
}

SoilSurface read_surface(const Value& at, const Soil& soil, const Scene& scene) {
  Table t = at.table();
  const Value file = t.need("file"), min = t["min"], max = t["max"], black = t["black"], white = t["white"],
              scale = t["scale"], offset = t["offset"], fill = t["fill"], interpolation = t["interpolation"];
  t.finish();
  SoilSurface s;
  file.get(s.file);
  if (min)
    s.min = read_corner(min, glm::dvec2(0.0));
  if (max)
    s.max = read_corner(max, glm::dvec2(0.0));
  black.get(s.black);
  white.get(s.white);
  scale.get(s.scale);
  offset.get(s.offset);
  fill.get(s.fill);
  interpolation.get(s.resampling);
  Raster raster;
  try {
    raster = load_raster(std::filesystem::path(scene.source).parent_path() / s.file);
  } catch (const RasterError& e) {
    file.fail(fmt::format("cannot be used: {}", e.what()));
  }
  if (raster.white > 0.0) {
    if (const Value& other = scale ? scale : offset)
      other.fail("is of files of numbers, and this one is an image: give black and white, the heights of 0 and of its "
                 "greatest value");
    if (!black || !white)
      file.fail("is an image: give black and white, the heights of 0 and of its greatest value");
  } else if (const Value& other = black ? black : white)
    other.fail("is of images of unsigned integers, and this file has numbers: give scale and offset");
  s.heights = heights_of(raster, s, soil, scene.domain, file);
  return s;
}

}  // namespace

namespace {

SoilLayer read_layer(Table table, const Soil& soil, const Scene& scene) {
  SoilLayer layer;
  const Value material = table.need("material"), thickness = table.need("thickness"), repose = table["angle_of_repose"];
  table.finish();
  layer.material = material_of(material, scene.materials);
  const auto check = [&](double value, const std::string& place) {
    if (!(value >= 0.0))
      thickness.fail(fmt::format("gives {} m at {}: allowed are 0 m and more", value, place));
  };
  if (thickness.is_word())
    layer.varying = surface_of_formula(thickness, soil, check);
  else
    thickness.get(layer.thickness);
  repose.get(layer.repose);
  const bool known = layer.material == soil.material ||
                     std::ranges::find(soil.layers, layer.material, &SoilLayer::material) != soil.layers.end();
  if (repose && known)
    repose.fail(fmt::format("is given twice for the material {}: allowed with the first layer of a material, and by "
                            "soil.angle_of_repose for soil.material",
                            scene.materials[layer.material].name));
  return layer;
}

}  // namespace

namespace {

Terramechanics read_terramechanics(const Value& at) {
  Table table = at.table();
  Terramechanics t;
  const Value frictional = table.need("frictional_modulus"), cohesive = table["cohesive_modulus"],
              width = table["width"], exponent = table["exponent"], cohesion = table["cohesion"],
              angle = table.need("friction_angle"), shear = table.need("shear_displacement"),
              rebound = table["rebound"], slip_sinkage = table["slip_sinkage"], dig_depth = table["dig_depth"];
  table.finish();
  frictional.get(t.frictional);
  cohesive.get(t.cohesive);
  width.get(t.width);
  exponent.get(t.exponent);
  cohesion.get(t.cohesion);
  angle.get(t.friction_angle);
  shear.get(t.shear);
  rebound.get(t.rebound);
  slip_sinkage.get(t.slip_sinkage);
  dig_depth.get(t.dig_depth);
  if (t.cohesive > 0.0 && !t.width)
    cohesive.fail("needs width, the lesser side of the patch where a body touches the ground");
  return t;
}

}  // namespace

std::optional<Soil> read_soil(const Value& at, const Scene& scene) {
  if (!at)
    return {};
  Table t = at.table();
  Soil s;
  const Value material = t.need("material"), layers = t["layer"], radius = t.need("radius"), min = t["min"],
              max = t["max"], cell = t["cell"], height = t["height"], surface = t["surface"], parts = t["parts"],
              repose = t["angle_of_repose"], margin = t["margin"], compaction = t["compaction"], swell = t["swell"],
              terramechanics = t["terramechanics"];
  t.finish();
  const Domain& d = scene.domain;
  s.where = at.place();
  s.material = material_of(material, scene.materials);
  const Radii r = read_radius(radius);
  s.radius_min = r.min;
  s.radius_max = r.max;
  s.min = read_corner(min, glm::dvec2(d.min));
  s.max = read_corner(max, glm::dvec2(d.max));
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
  if (height && surface)
    surface.or_override(height).fail("and height exclude each other: give one of them");
  if (!height && !surface)
    at.fail("has no surface: give height, or surface = { file = .. }");
  if (height.is_word()) {
    s.surface =
        surface_of_formula(height, s, [&](double z, const std::string& place) { check_height(z, place, d, height); });
    check_top(*s.surface->heights, s, height);
  } else
    height.get(s.height, {4.0 * r.max, d.max.z - d.min.z, "m"});
  if (surface)
    s.surface = read_surface(surface, s, scene);
  s.parts = read_parts_of_ground(parts, std::filesystem::path(scene.source).parent_path());
  for (const Table& layer : layers.tables())
    s.layers.push_back(read_layer(layer, s, scene));
  if (s.materials().size() > shared::soil_materials_most)
    layers.fail(fmt::format("have {} materials together with soil.material: allowed are {}", s.materials().size(),
                            shared::soil_materials_most));
  repose.get(s.repose);
  margin.get(s.margin);
  compaction.get(s.compaction);
  swell.get(s.swell);
  if (terramechanics)
    s.terramechanics = read_terramechanics(terramechanics);
  return s;
}

}  // namespace talus::reading
