// The tables of depth cameras.
#include "engine/scene/load_parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::reading {

namespace {

constexpr std::size_t pixels_most = 1u << 25;  // of all cameras in all worlds: devices may bind no more than 128 MiB

std::uint32_t body_of(const Value& name, const std::vector<BodySpec>& bodies) {
  std::string word;
  name.get(word);
  std::vector<std::string> names;
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].name == word)
      return b;
    names.push_back(bodies[b].name);
  }
  name.fail(
      fmt::format("= \"{}\" is not a body of this scene{}; {}", word, did_you_mean(word, names),
                  names.empty() ? "it has none: add [[body]]" : fmt::format("there are: {}", fmt::join(names, ", "))));
}

void read_size(const Value& size, const Scene& scene, DepthCameraSpec& c) {
  const std::vector<Value> edges = size.is_array() ? size.elements() : std::vector<Value>{};
  if (edges.size() != 2)
    size.must_be("[width, height] in pixels");
  for (int a = 0; a < 2; ++a)
    edges[static_cast<std::size_t>(a)].get(c.size[a]);
  std::size_t pixels = std::size_t{c.size.x} * c.size.y;
  for (const DepthCameraSpec& other : scene.depth_cameras)
    pixels += std::size_t{other.size.x} * other.size.y;
  pixels *= scene.worlds;
  if (pixels > pixels_most)
    size.fail(fmt::format("brings the depth cameras to {} pixels in all worlds: the limit is {}", pixels, pixels_most));
}

}  // namespace

DepthCameraSpec read_depth_camera(Table t, const Scene& scene) {
  DepthCameraSpec c;
  const Value name = t.need("name"), body = t["body"], position = t["position"], rotation = t["rotation"],
              target = t["target"], size = t.need("size"), projection = t["projection"], fov = t["fov"],
              width = t["width"], near = t["near"], far = t.need("far"), values = t["values"];
  t.finish();
  name.get(c.name);
  check_name(name, c.name, scene.depth_cameras, "depth camera");
  if (body)
    c.body = body_of(body, scene.bodies);
  position.get(c.position);
  rotation.get(c.rotation);
  target.get(c.target);
  if (target && rotation)
    target.or_override(rotation).fail("and a rotation beside it exclude each other: a depth camera has one of the two");
  if (c.target && *c.target == c.position)
    target.or_override(position).fail(
        "must differ from the other end of the view: position and target are the same point");
  read_size(size, scene, c);
  projection.get(c.projection);
  const bool perspective = c.projection == Projection::perspective;
  if (perspective && width)
    width.or_override(projection).fail("has no meaning here: allowed with projection = \"orthographic\"");
  if (!perspective && fov)
    fov.or_override(projection).fail("has no meaning here: allowed with projection = \"perspective\"");
  if (!perspective && !width)
    projection.fail("= \"orthographic\" needs a width: that of what the camera sees, in m");
  fov.get(c.fov);
  width.get(c.width);
  near.get(c.near);
  far.get(c.far);
  if (c.near >= c.far)
    far.or_override(near).fail(
        fmt::format("makes the camera see nothing: its far {} m must lie beyond its near {} m", c.far, c.near));
  values.get(c.values);
  return c;
}

}  // namespace talus::reading
