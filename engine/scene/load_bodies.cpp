// The tables of bodies, and of shapes in general.
#include "engine/scene/bodies.h"
#include "engine/scene/load_parts.h"
#include "engine/scene/mass.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace talus::reading {

namespace {

[[noreturn]] void conflict(const Value& a, const Value& b, std::string_view instead) {
  const bool b_first = b.before(a);
  (b_first ? a : b).fail(fmt::format("cannot be given together with {}: give {}", (b_first ? b : a).path(), instead));
}

// Where a shape says that it is, by the keys that all shapes have or by others.
class Placing {
public:
  explicit Placing(Table& t) : position_(t["position"]), rotation_(t["rotation"]) {
    position_.get(part_.position);
    rotation_.get(part_.rotation);
    if (position_ || rotation_)
      key_ = position_ ? position_ : rotation_;
  }

  // Another key gives the position, in place of `position`.
  void at(const Value& key, const glm::dvec3& position, std::string_view instead) {
    if (position_)
      conflict(key, position_, instead);
    part_.position = position;
    key_ = key;
  }
  // As at(); a rotation beside it is an error, since there is no centre to turn about.
  void at_without_rotation(const Value& key, const glm::dvec3& position, std::string_view instead) {
    at(key, position, instead);
    if (rotation_)
      conflict(key, rotation_, instead);
  }
  void given_as(const Shape& shape) { as_given_ = shape; }

  PlacedPart of(const PartShape& shape) {
    part_.shape = shape;
    return {part_, key_, as_given_};
  }

private:
  Value position_, rotation_;
  BodyPart part_{};
  std::optional<Value> key_;
  std::optional<Shape> as_given_;
};

PartShape read_plane(Table t, Placing&) {
  t.finish();
  return PlanePart{};
}

PartShape read_box(Table t, Placing& placing) {
  BoxPart part{};
  constexpr std::string_view instead = "size, position and rotation, or min and max";
  const bool corners = t["min"] || t["max"];
  const Value size = corners ? t["size"] : t.need("size"), lo = corners ? t.need("min") : t["min"],
              hi = corners ? t.need("max") : t["max"];
  t.finish();
  size.get(part.size);
  if (!corners)
    return part;
  if (size)
    conflict(lo, size, instead);
  BoxFill box{};
  lo.get(box.min);
  hi.get(box.max);
  for (int a = 0; a < 3; ++a)
    if (box.min[a] >= box.max[a])
      hi.or_override(lo).element(a).fail(
          fmt::format("must lie above min: the box has {} <= {} in {}", box.max[a], box.min[a], "xyz"[a]));
  part.size = box.max - box.min;
  placing.at_without_rotation(lo, (box.min + box.max) / 2.0, instead);
  placing.given_as(box);
  return part;
}

PartShape read_sphere(Table t, Placing& placing) {
  SpherePart part{};
  const Value center = t["center"], radius = t.need("radius");
  t.finish();
  radius.get(part.radius);
  if (center) {
    glm::dvec3 at(0.0);
    center.get(at);
    placing.at(center, at, "center or position");
  }
  return part;
}

PartShape read_capsule(Table t, Placing&) {
  CapsulePart part{};
  const Value radius = t.need("radius"), height = t.need("height");
  t.finish();
  radius.get(part.radius);
  height.get(part.height);
  if (part.height < 2 * part.radius)
    height.or_override(radius).fail(fmt::format(
        "= {} m must be at least twice the radius, {} m: it counts the round ends", part.height, part.radius));
  return part;
}

// base: the middle of the lower end, in place of that of the whole.
std::optional<glm::dvec3> read_base(const Value& base, double height, Placing& placing) {
  if (!base)
    return {};
  glm::dvec3 at(0.0);
  base.get(at);
  placing.at_without_rotation(base, at + glm::dvec3(0, 0, height / 2), "position and rotation, or base");
  return at;
}

PartShape read_cylinder(Table t, Placing& placing) {
  ConePart part{};
  const Value base = t["base"], radius = t.need("radius"), height = t.need("height");
  t.finish();
  radius.get(part.radius);
  height.get(part.height);
  part.top_radius = part.radius;
  if (const auto at = read_base(base, part.height, placing))
    placing.given_as(CylinderFill{*at, part.radius, part.height});
  return part;
}

PartShape read_cone(Table t, Placing& placing) {
  ConePart part{};
  const Value base = t["base"], radius = t.need("radius"), top = t["top_radius"], height = t.need("height");
  t.finish();
  radius.get(part.radius);
  top.get(part.top_radius);
  height.get(part.height);
  read_base(base, part.height, placing);
  return part;
}

PartShape read_torus(Table t, Placing&) {
  TorusPart part{};
  const Value radius = t.need("radius"), tube = t.need("tube_radius");
  t.finish();
  radius.get(part.radius);
  tube.get(part.section);
  return part;
}

// What meshes of all kinds have: how grains meet them.
struct Meeting {
  explicit Meeting(Table& t) : as(t["as"]), cell(t["cell"]), radius(t["radius"]) {}

  void get(MeshPart& part) const {
    as.get(part.as);
    if (part.as != MeshAs::sdf && cell)
      cell.or_override(as).fail("has no meaning here: allowed with as = \"sdf\", whose grid's cells it sizes");
    if (part.as != MeshAs::particles && radius)
      radius.or_override(as).fail("has no meaning here: allowed with as = \"particles\", whose radius it is");
    cell.get(part.cell);
    radius.get(part.radius);
  }

  Value as, cell, radius;
};

PartShape read_gear(Table t, PartUse use) {
  MeshPart part;
  GearSpec gear;
  const Value module = t.need("module"), teeth = t.need("teeth"), width = t.need("width"), helix = t["helix_angle"],
              pressure = t["pressure_angle"], bore = t["bore_radius"], samples = t["samples"];
  std::optional<Meeting> meeting;
  if (use == PartUse::met)
    meeting.emplace(t);
  t.finish();
  module.get(gear.module);
  teeth.get(gear.teeth);
  width.get(gear.width);
  helix.get(gear.helix_angle);
  pressure.get(gear.pressure_angle);
  bore.get(gear.bore_radius);
  samples.get(gear.samples);
  if (meeting)
    meeting->get(part);
  try {
    part.loaded = std::make_shared<LoadedMesh>(LoadedMesh{talus::gear(gear), true, {}});
  } catch (const MeshError& e) {
    t.fail(fmt::format("cannot be made: {}", e.what()));
  }
  part.gear = gear;
  return part;
}

using ReadShape = std::function<PartShape(Table, Placing&)>;

std::vector<std::pair<std::string_view, ReadShape>> part_shapes(const std::filesystem::path& folder, PartUse use) {
  return {{"plane", read_plane},
          {"box", read_box},
          {"sphere", read_sphere},
          {"capsule", read_capsule},
          {"cylinder", read_cylinder},
          {"cone", read_cone},
          {"torus", read_torus},
          {"mesh", [=](Table t, Placing&) { return read_mesh(std::move(t), folder, use); }},
          {"gear", [=](Table t, Placing&) { return read_gear(std::move(t), use); }}};
}

PlacedPart read_placed(const Value& at, const ReadShape& read) {
  Table t = at.table();
  Placing placing(t);
  PlacedPart placed = placing.of(read(t, placing));
  if (auto* mesh = std::get_if<MeshPart>(&placed.part.shape))
    mesh->where = at.label(at.path());
  return placed;
}

BodyPart read_part(Table t, bool first, const std::filesystem::path& folder, PartUse use) {
  const std::optional<PlacedPart> placed = read_part_shape(t, folder, use);
  const Value position = t["position"], rotation = t["rotation"],
              subtract = use == PartUse::sheet ? Value(nullptr, "", {}) : t["subtract"],
              after_fill = use == PartUse::met ? t["after_fill"] : Value(nullptr, "", {});
  t.finish();
  if (!placed)
    t.fail(fmt::format("has no geometry: give one of {}", shapes_allowed));
  if (const Value& beside = position ? position : rotation; beside && placed->key)
    conflict(*placed->key, beside, "position and rotation of a part once, in its geometry or beside it");
  BodyPart part = placed->part;
  position.get(part.position);
  rotation.get(part.rotation);
  subtract.get(part.subtract);
  after_fill.get(part.after_fill);
  if (part.after_fill && !part.subtract)
    after_fill.fail("is for parts that are taken away: give subtract = true beside it");
  if (first && part.subtract)
    subtract.fail(
        "cannot be true for the first part, since there is nothing to subtract it from: give a solid part before it");
  if (const auto* mesh = std::get_if<MeshPart>(&part.shape);
      mesh && part.subtract && (mesh->as == MeshAs::particles || !mesh->loaded->closed))
    subtract.fail(
        "cannot be true for a mesh that encloses no volume: use a closed mesh with as = \"sdf\" or \"triangles\"");
  return part;
}

}  // namespace

MeshPart read_mesh(Table t, const std::filesystem::path& folder, PartUse use) {
  MeshPart part;
  const Value file = t.need("file"), scale = t["scale"], up = t["up"];
  std::optional<Meeting> meeting;
  if (use == PartUse::met)
    meeting.emplace(t);
  t.finish();
  file.get(part.file);
  scale.get(part.scale);
  up.get(part.up);
  if (meeting)
    meeting->get(part);
  MeshOptions options{.scale = part.scale, .up = part.up};
  options.solid = use != PartUse::sheet && part.as == MeshAs::sdf;  // what has no inside still has triangles to meet
  if (use == PartUse::sheet)
    options.hole = 0.0;
  try {
    part.loaded = std::make_shared<LoadedMesh>(load_mesh(folder / part.file, options));
  } catch (const MeshError& e) {
    file.fail(fmt::format("cannot be used: {}", e.what()));
  }
  if (use == PartUse::filled && !part.loaded->closed)
    file.fail(fmt::format("= \"{}\" encloses no volume, since its holes are too large to be closed: use a closed mesh",
                          part.file));
  return part;
}

std::optional<PlacedPart> read_part_shape(Table& t, const std::filesystem::path& folder, PartUse use) {
  std::optional<PlacedPart> shape;
  std::string first;
  for (const auto& [key, read] : part_shapes(folder, use))
    if (const Value at = t[key]) {
      if (shape)
        at.fail(fmt::format("is a second geometry beside {}: give one, or several as parts = [{{..}}, ..]", first));
      shape = read_placed(at, read);
      first = at.path();
    }
  return shape;
}

PlacedPart read_placed_part(const Value& at, std::string_view kind, const std::filesystem::path& folder, PartUse use) {
  const auto shapes = part_shapes(folder, use);
  return read_placed(at, std::ranges::find(shapes, kind, [](const auto& shape) { return shape.first; })->second);
}

std::vector<BodyPart> read_parts(const std::optional<PlacedPart>& shape, const Value& parts, const Table& holder,
                                 const std::filesystem::path& folder, PartUse use) {
  if (shape && parts)
    parts.fail("and a geometry beside it exclude each other: give one geometry, or all of them as parts");
  std::vector<BodyPart> all;
  if (shape)
    all.push_back(shape->part);
  for (const Table& part : parts.tables()) {
    all.push_back(read_part(part, all.empty(), folder, use));
    if (all.size() > 1 && all[all.size() - 2].after_fill && !all.back().after_fill)
      part.fail("comes after a part with after_fill = true: give those last");
  }
  if (all.empty())
    holder.fail(fmt::format("has no geometry: give one of {}, or parts = [{{..}}, ..]", shapes_allowed));
  return all;
}

std::vector<BodyPart> read_parts_of_ground(const Value& parts, const std::filesystem::path& folder) {
  std::vector<BodyPart> all;
  for (const Table& part : parts.tables())
    all.push_back(read_part(part, false, folder, PartUse::filled));
  return all;
}

namespace {

// The centre of mass, and moments and products of inertia, in place of those of evenly dense parts.
void read_inertia(BodySpec& b, const Value& center, const Value& inertia) {
  if (!center && !inertia)
    return;
  if (!center || !inertia)
    (center ? center : inertia).fail("needs the other one beside it: give center_of_mass and inertia, or neither");
  if (!b.mass)
    inertia.fail("needs a mass beside it");
  center.get(b.center.emplace());
  const std::vector<Value> elements = inertia.elements();
  if (elements.size() != 3 && elements.size() != 6)
    inertia.must_be("[Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in kg m2");
  std::array<double, 6>& out = b.inertia.emplace();
  for (std::size_t k = 0; k < elements.size(); ++k)
    elements[k].get(out[k], {k < 3 ? 0.0 : -1e12, 1e12, "kg m2"});
  const glm::dvec3 m = principal_axes(inertia_matrix(out)).moments;
  if (!can_be_inertia(m))
    inertia.fail(fmt::format("has the principal moments {:.6g}, {:.6g} and {:.6g} kg m2, which no body has: they are "
                             "above 0, and the greatest is at most the sum of the others",
                             m[0], m[1], m[2]));
}

}  // namespace

void check_on_surface(const Value& said, const BodySpec& body, const Scene& scene) {
  if (!scene.soil || !scene.soil->terramechanics)
    said.fail("needs [soil] with [soil.terramechanics], which say what the surface of the ground bears");
  if (body.parts.empty() || std::ranges::any_of(body.parts, [](const BodyPart& part) {
        return std::holds_alternative<PlanePart>(part.shape) || is_boundary(part);
      }))
    said.fail(fmt::format("lays body {} on the surface of the ground, which is for bodies with an end: allowed are "
                          "parts that are neither planes nor particles",
                          body.name));
}

BodySpec read_body(Table t, const Scene& scene, std::unordered_set<std::string>& names) {
  BodySpec b;
  const std::filesystem::path folder = std::filesystem::path(scene.source).parent_path();
  const std::optional<PlacedPart> shape = read_part_shape(t, folder, PartUse::met);
  const Value name = t.need("name"), material = t["material"], position = t["position"], rotation = t["rotation"],
              parts = t["parts"], visual = t["visual"], load_filter = t["load_filter"], color = t["color"],
              finish = t["finish"], show = t["show"], ignores = t["ignores"], mass = t["mass"], density = t["density"],
              center = t["center_of_mass"], inertia = t["inertia"], ground = t["ground"];
  const MotionKeys motion(t);
  t.finish();
  name.get(b.name);
  check_name(name, b.name, !names.insert(b.name).second, "body");
  if (scene.bodies.size() == shared::bodies_most)
    t.fail(fmt::format("is one body too many: a scene has at most {}", shared::bodies_most));
  if (material)
    b.material = material_of(material, scene.materials);
  position.get(b.position);
  rotation.get(b.rotation);
  if (mass && density) {
    const Value& second = density.or_override(mass);
    second.fail(
        fmt::format("and {} exclude each other: give one of the two", (&second == &mass ? density : mass).path()));
  }
  mass.get(b.mass);
  density.get(b.density);
  read_inertia(b, center, inertia);
  motion.get(b);
  load_filter.get(b.load_filter);
  finish.get(b.finish);
  if (color) {
    glm::dvec3 rgb(0.0);
    color.get(rgb);
    b.color = rgb;
  }
  show.get(b.show);
  if (ignores) {
    b.ignores_where = ignores.label(ignores.path());
    for (const Value& other : ignores.elements())
      other.get(b.ignores.emplace_back());
  }
  const bool frame = !shape && parts.is_array() && parts.elements().empty();
  if (!frame)
    b.parts = read_parts(shape, parts, t, folder, PartUse::met);
  else if (is_dynamic(b) && !b.inertia)
    parts.fail(
        "is empty, which leaves a body with mass or density no inside: give a part, or center_of_mass and inertia");
  for (BodyPart& part : b.parts)
    if (auto* mesh = std::get_if<MeshPart>(&part.shape))
      mesh->where += " of body " + b.name;
  if (visual)
    b.visual = read_parts({}, visual, t, folder, PartUse::sheet);
  ground.get(b.ground);
  if (b.ground == GroundContact::surface)
    check_on_surface(ground, b, scene);
  if (b.parts.size() > shared::parts_most)
    parts.fail(fmt::format("are {}, too many for one body, which has at most {}", b.parts.size(), shared::parts_most));
  if (!b.material && std::ranges::any_of(b.parts, is_boundary))
    t.fail("needs a material, which its boundary particles (as = \"particles\") have");
  if (is_dynamic(b)) {
    try {
      if (b.inertia)
        check_dynamic_parts(b, false);
      else
        b.weighed = {b.parts, volume_of(b)};
    } catch (const SceneError& e) {
      (mass ? mass : density).fail(fmt::format("gives the body no mass: {}", e.what()));
    }
  }
  return b;
}

}  // namespace talus::reading
