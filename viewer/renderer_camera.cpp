#include "viewer/renderer_camera.h"
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/ground.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/sampling.h"
#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <limits>

namespace talus {
namespace {

constexpr double heap_packing = 0.6;   // solid part of a heap ..
constexpr double fill_packing = 0.35;  // .. and about that of a shape when it has been filled

struct Extent {
  glm::dvec3 min{std::numeric_limits<double>::infinity()}, max{-std::numeric_limits<double>::infinity()};
  void add(const glm::dvec3& low, const glm::dvec3& high) {
    min = glm::min(min, low);
    max = glm::max(max, high);
  }
};

double cube(double x) {
  return x * x * x;
}

// Adds the shape to the bounds and returns the volume that the grains in it take as a heap [m3].
struct HeapVolume {
  Extent& bounds;
  double radius;

  static double settled(double volume) { return volume * fill_packing / heap_packing; }

  double operator()(const BoxFill& box) const {
    bounds.add(box.min, box.max);
    const glm::dvec3 edge = box.max - box.min;
    return settled(edge.x * edge.y * edge.z);
  }
  double operator()(const SphereFill& sphere) const {
    bounds.add(sphere.center - sphere.radius, sphere.center + sphere.radius);
    return settled(4.0 / 3.0 * glm::pi<double>() * cube(sphere.radius));
  }
  double operator()(const CylinderFill& c) const {
    bounds.add(c.base - glm::dvec3(c.radius, c.radius, 0.0), c.base + glm::dvec3(c.radius, c.radius, c.height));
    return settled(glm::pi<double>() * c.radius * c.radius * c.height);
  }
  double operator()(const PointsFill& points) const {
    for (const glm::dvec3& p : points.points)
      bounds.add(p - radius, p + radius);
    return points.points.size() * 4.0 / 3.0 * glm::pi<double>() * cube(radius) / heap_packing;
  }
  double operator()(const FileFill& file) const {
    const LoadedGrains& grains = *file.loaded;
    double volume = 0.0;
    for (std::size_t i = 0; i < grains.size(); ++i) {
      const double r = grains.radii.empty() ? radius : grains.radii[i];
      bounds.add(glm::dvec3(grains.positions[i]) - r, glm::dvec3(grains.positions[i]) + r);
      volume += 4.0 / 3.0 * glm::pi<double>() * cube(r) / heap_packing;
    }
    return volume;
  }
  double operator()(const SolidFill& solid) const {
    const Space space(solid, Domain{.axis = {Axis::open, Axis::open, Axis::open}}, radius);
    bounds.add(space.bounds().min, space.bounds().max);
    return settled(space.volume());
  }
};

}  // namespace

Box content(const Scene& scene) {
  const Domain& domain = scene.domain;
  Extent bounds;
  double volume = 0.0;
  each_group(scene, [&](const GrainGroup& group) {
    volume += std::visit(HeapVolume{bounds, group.radius_max}, group.shape);
  });
  for (const Emitter& emitter : scene.emitters) {
    std::visit(HeapVolume{bounds, emitter.radius_max}, emitter.shape);
    double grains = emitter.rate * (emitter.stop - emitter.start);
    if (emitter.count)
      grains = std::min<double>(grains, *emitter.count);
    volume += grains * 4.0 / 3.0 * glm::pi<double>() * cube(emitter.radius_max) / heap_packing;
  }
  if (domain.axis[2] == Axis::wall && volume > 0.0) {
    // The cone that all of it would form on the floor, at 30 degrees.
    const double spread = std::cbrt(3.0 * volume / (glm::pi<double>() * std::tan(glm::radians(30.0))));
    const glm::dvec3 middle = 0.5 * (bounds.min + bounds.max);
    const glm::dvec3 foot(middle.x, middle.y, domain.min.z);
    bounds.add(foot - glm::dvec3(spread, spread, 0.0), foot + glm::dvec3(spread, spread, 0.0));
  }
  if (scene.soil)
    bounds.add({scene.soil->min.x, scene.soil->min.y, domain.min.z},
               {scene.soil->max.x, scene.soil->max.y,
                domain.min.z + Ground(*scene.soil, domain.min.z).top() + scene.soil->radius_max});
  for (const ClothSpec& cloth : scene.cloths) {
    const ClothSheet sheet = sheet_of(cloth);
    const Bounds own = bounds_of(cloth, sheet);
    const std::vector<bool> pinned = pinned_of(cloth, sheet);
    double low = own.min.z;
    if (std::ranges::find(pinned, true) != pinned.end())
      low = std::min(low, own.max.z - distance(own.min, own.max));  // hangs down
    else if (domain.axis[2] == Axis::wall)
      low = domain.min.z;
    bounds.add({own.min.x, own.min.y, low}, own.max);
  }
  const std::vector<Pose> poses = initial_poses(scene);
  for (std::size_t b = 0; b < poses.size(); ++b)
    if (const Bounds own = bounds_of(scene.bodies[b], poses[b]);
        scene.bodies[b].show != Show::hidden && std::isfinite(own.max.x - own.min.x))
      bounds.add(own.min, own.max);
  if (!(bounds.min.x <= bounds.max.x))
    return {domain.min, domain.max};
  for (int a = 0; a < 3; ++a)
    if (domain.axis[a] != Axis::open) {
      bounds.min[a] = std::clamp(bounds.min[a], domain.min[a], domain.max[a]);
      bounds.max[a] = std::clamp(bounds.max[a], domain.min[a], domain.max[a]);
    }
  return {bounds.min, bounds.max};
}

glm::vec3 View::project(const glm::vec3& point) const {
  const glm::vec3 d = point - eye;
  const float z = dot(d, forward);
  return {dot(d, right) / dot(right, right) / z, dot(d, up) / dot(up, up) / z, z};
}

View view_of(const Scene& scene, float aspect) {
  const Box box = content(scene);
  const glm::vec3 target = scene.camera.target ? glm::vec3(*scene.camera.target) : 0.5f * (box.min + box.max);
  const glm::vec3 from_eye(-0.42f, 0.86f, -0.30f);  // from the front, a little right and above
  View view;
  view.forward = scene.camera.eye ? target - glm::vec3(*scene.camera.eye) : from_eye;
  view.forward = dot(view.forward, view.forward) > 0.0f ? normalize(view.forward) : normalize(from_eye);
  const bool steep = std::abs(view.forward.z) > 0.9999f;  // then y is up
  view.right = normalize(cross(view.forward, steep ? glm::vec3(0, 1, 0) : glm::vec3(0, 0, 1)));
  view.up = cross(view.right, view.forward);

  const float tangent = std::tan(0.5f * glm::radians(static_cast<float>(scene.camera.fov)));
  const glm::vec2 half(tangent * aspect, tangent);
  if (scene.camera.eye) {
    view.eye = *scene.camera.eye;
  } else {
    constexpr float filled = 0.94f;  // part of the picture that the content takes
    float distance = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
      const glm::vec3 c = glm::mix(box.min, box.max, glm::vec3(corner & 1, corner >> 1 & 1, corner >> 2)) - target;
      const float needed = std::max(std::abs(dot(c, view.right)) / half.x, std::abs(dot(c, view.up)) / half.y) / filled;
      distance = std::max(distance, needed - dot(c, view.forward));
    }
    view.eye = target - distance * view.forward;
  }
  view.right *= half.x;
  view.up *= half.y;
  return view;
}

}  // namespace talus
