// The tables of bodies and of their shapes.
#include "engine/scene/load_parts.h"
#include "shaders/shared/types.h"
#include <fmt/format.h>

namespace talus::reading {

namespace {

// One of the shapes that a body's part can have, beside the keys that all of them have.
std::optional<PartShape> read_part_shape(Table& t) {
  const std::pair<const char*, PartShape (*)(Table)> kinds[] = {
      {"plane",
       [](Table s) -> PartShape {
         s.finish();
         return PlanePart{};
       }},
      {"box",
       [](Table s) -> PartShape {
         BoxPart part{};
         const Value size = s.need("size");
         s.finish();
         size.get(part.size, length_range);
         return part;
       }},
      {"sphere",
       [](Table s) -> PartShape {
         SpherePart part{};
         const Value radius = s.need("radius");
         s.finish();
         radius.get(part.radius, length_range);
         return part;
       }},
      {"capsule",
       [](Table s) -> PartShape {
         CapsulePart part{};
         const Value radius = s.need("radius"), height = s.need("height");
         s.finish();
         radius.get(part.radius, length_range);
         height.get(part.height, length_range);
         if (part.height < 2 * part.radius)
           height.or_override(radius).fail(fmt::format(
               "= {} m must be at least twice the radius, {} m: it counts the round ends", part.height, part.radius));
         return part;
       }},
      {"cylinder",
       [](Table s) -> PartShape {
         ConePart part{};
         const Value radius = s.need("radius"), height = s.need("height");
         s.finish();
         radius.get(part.radius, length_range);
         height.get(part.height, length_range);
         part.top_radius = part.radius;
         return part;
       }},
      {"cone",
       [](Table s) -> PartShape {
         ConePart part{};
         const Value radius = s.need("radius"), top = s["top_radius"], height = s.need("height");
         s.finish();
         radius.get(part.radius, length_range);
         top.get(part.top_radius, {0.0, length_range.max, "m"});
         height.get(part.height, length_range);
         return part;
       }},
      {"torus", [](Table s) -> PartShape {
         TorusPart part{};
         const Value radius = s.need("radius"), section = s.need("section");
         s.finish();
         radius.get(part.radius, length_range);
         section.get(part.section, length_range);
         return part;
       }}};
  std::optional<PartShape> shape;
  std::string first;
  for (const auto& [key, read] : kinds)
    if (const Value at = t[key]) {
      if (shape)
        at.fail(
            fmt::format("is a second shape beside {}: a part has one; give several as parts = [{{..}}, ..]", first));
      shape = read(at.table());
      first = at.path();
    }
  return shape;
}

BodyPart read_part(Table t, bool first) {
  BodyPart part;
  const std::optional<PartShape> shape = read_part_shape(t);
  const Value position = t["position"], rotation = t["rotation"], subtract = t["subtract"];
  t.finish();
  if (!shape)
    t.fail("has no shape: give one of plane, box, sphere, capsule, cylinder, cone, torus");
  part.shape = *shape;
  position.get(part.position, place_range);
  rotation.get(part.rotation, angle_range);
  subtract.get(part.subtract);
  if (first && part.subtract)
    subtract.fail("= true takes away from nothing: the first part of a body is solid");
  return part;
}

}  // namespace

BodySpec read_body(Table t, const Scene& scene) {
  BodySpec b;
  const std::optional<PartShape> shape = read_part_shape(t);
  const Value name = t.need("name"), material = t["material"], position = t["position"], rotation = t["rotation"],
              velocity = t["velocity"], spin = t["spin"], parts = t["parts"], load_filter = t["load_filter"];
  t.not_yet({"mesh", "mass"});
  t.finish();
  name.get(b.name);
  if (b.name.empty())
    name.fail("must not be empty");
  for (const BodySpec& other : scene.bodies)
    if (other.name == b.name)
      name.fail(fmt::format("\"{}\" is taken by another body: names must differ", b.name));
  if (scene.bodies.size() == shared::bodies_most)
    t.fail(fmt::format("is one body too many: at most {}", shared::bodies_most));
  if (material)
    b.material = material_of(material, scene.materials);
  position.get(b.position, place_range);
  rotation.get(b.rotation, angle_range);
  velocity.get(b.velocity, speed_range);
  spin.get(b.spin, {-1e4, 1e4, "rad/s"});
  load_filter.get(b.load_filter, {0.0, 1e6, "s"});
  if (shape && parts)
    parts.fail("and a shape beside it exclude each other: give one shape, or all of them as parts");
  if (shape)
    b.parts.push_back({*shape});
  for (const Table& part : parts.tables())
    b.parts.push_back(read_part(part, b.parts.empty()));
  if (b.parts.empty())
    t.fail("has no shape: give one of plane, box, sphere, capsule, cylinder, cone, torus, or parts = [{..}, ..]");
  return b;
}

}  // namespace talus::reading
