// The tables of cloth.
#include "engine/scene/cloth.h"
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::reading {

namespace {

constexpr std::size_t vertices_most = 1'000'000;
constexpr double thickness_share = 0.1, thickness_most = 0.5;  // of the shortest side: default, and greatest

ClothGrid read_grid(Table t) {
  ClothGrid grid;
  const Value size = t.need("size"), cells = t.need("cells");
  t.finish();
  const std::vector<Value> edges = both(size, "two lengths"), numbers = both(cells, "two numbers of cells");
  for (int a = 0; a < 2; ++a) {
    edges[static_cast<std::size_t>(a)].get(grid.size[a]);
    numbers[static_cast<std::size_t>(a)].get(grid.cells[a]);
  }
  return grid;
}

std::size_t vertices_of(const ClothSpec& cloth) {
  if (const auto* grid = std::get_if<ClothGrid>(&cloth.sheet))
    return std::size_t(grid->cells.x + 1) * (grid->cells.y + 1);
  return std::get<MeshPart>(cloth.sheet).loaded->mesh.vertices.size();
}

// What cannot be checked before the sheet is there.
void read_pins(const Value& pins, const Value& box, const ClothSheet& sheet, double side, ClothSpec& c) {
  for (const Value& pin : pins.elements()) {
    glm::dvec3& place = c.pins.emplace_back(0.0);
    pin.get(place);
    const glm::dvec3& vertex = sheet.vertices[nearest_vertex(sheet, place)];
    if (const double away = glm::distance(place, vertex); away > side)
      pin.fail(fmt::format("pins nothing: the nearest vertex, [{:.6g}, {:.6g}, {:.6g}], is {:.4g} m away; allowed is "
                           "up to the longest side of a triangle, {:.4g} m",
                           vertex.x, vertex.y, vertex.z, away, side));
  }
  if (!box)
    return;
  Table t = box.table();
  const Value min = t.need("min"), max = t.need("max");
  t.finish();
  BoxFill& b = c.pin_box.emplace(BoxFill{glm::dvec3(0.0), glm::dvec3(0.0)});
  min.get(b.min);
  max.get(b.max);
  if (glm::any(glm::greaterThan(b.min, b.max)))
    max.or_override(min).fail("makes the box empty: each of its max must be at least its min");
  ClothSpec alone;
  alone.pin_box = b;
  if (std::ranges::count(pinned_of(alone, sheet), true) == 0)
    box.fail("pins nothing: it holds no vertex; allowed is a box, in the frame of the cloth, that holds some");
}

}  // namespace

ClothSpec read_cloth(Table t, const Scene& scene) {
  ClothSpec c;
  const std::filesystem::path folder = std::filesystem::path(scene.source).parent_path();
  const Value name = t.need("name"), material = t.need("material"), grid = t["grid"], mesh = t["mesh"],
              position = t["position"], rotation = t["rotation"], velocity = t["velocity"], density = t["density"],
              thickness = t["thickness"], stretch = t["stretch"], shear = t["shear"], bend = t["bend"],
              pins = t["pins"], pin_box = t["pin_box"], self_contact = t["self_contact"], color = t["color"];
  t.finish();
  name.get(c.name);
  if (c.name.empty())
    name.fail("must not be empty");
  if (std::ranges::find(scene.cloths, c.name, &ClothSpec::name) != scene.cloths.end())
    name.fail(fmt::format("\"{}\" is taken by another cloth: names must differ", c.name));
  c.material = material_of(material, scene.materials);
  if (grid && mesh)
    mesh.fail("and a grid beside it exclude each other: a cloth has one of the two");
  if (!grid && !mesh)
    t.fail("has no sheet: give grid = { size = [..], cells = [..] } or mesh = { file = \"..\" }");
  if (grid)
    c.sheet = read_grid(grid.table());
  else
    c.sheet = read_mesh(mesh.table(), folder, PartUse::sheet);
  const Value& sheet_at = grid ? grid : mesh;
  std::size_t vertices = vertices_of(c);
  for (const ClothSpec& other : scene.cloths)
    vertices += vertices_of(other);
  if (vertices > vertices_most)
    sheet_at.fail(fmt::format("brings the scene to {} vertices of cloth: the limit is {}", vertices, vertices_most));
  position.get(c.position);
  rotation.get(c.rotation);
  velocity.get(c.velocity);
  density.get(c.density);
  stretch.get(c.stretch);
  if (mesh && shear)
    shear.fail("has no meaning for a mesh, whose sides brace each other: allowed with grid");
  shear.get(c.shear);
  bend.get(c.bend);
  self_contact.get(c.touches_itself);
  if (color) {
    glm::dvec3 rgb(0.0);
    color.get(rgb);
    c.color = rgb;
  }

  const ClothSheet sheet = sheet_of(c);
  const SideRange sides = sides_of(sheet);
  c.thickness = thickness_share * sides.min;
  thickness.get(c.thickness);
  if (const double most = thickness_most * sides.min; c.thickness > most * (1 + 1e-9))
    thickness.or_override(sheet_at).fail(
        fmt::format("makes the cloth {:.6g} m thick, too much for triangles with a side of {:.6g} m: allowed is half "
                    "of it, {:.6g} m",
                    c.thickness, sides.min, most));
  read_pins(pins, pin_box, sheet, sides.max, c);
  if (const std::string why = misplaced(c, sheet, scene.domain); !why.empty())
    (position ? position : name).or_override(sheet_at).fail("puts the cloth where it " + why);
  return c;
}

}  // namespace talus::reading
