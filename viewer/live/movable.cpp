#include "viewer/live/movable.h"
#include "engine/core/depth_cameras.h"
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/sampling.h"
#include <cmath>
#include <fmt/format.h>

namespace viewer {

using namespace talus;

namespace {

using Kind = Movable::Kind;

glm::dvec3 rounded(const glm::dvec3& v) {
  constexpr double per_unit = 1e9;
  return glm::round(v * per_unit) / per_unit + 0.0;  // without -0, which the text of a scene has as 0
}

// Frames that a motion is seen from leave it a rotation of some 1e-16 where it has none.
bool turns(const Pose& motion) {
  return glm::length(glm::dvec3(motion.rotation.x, motion.rotation.y, motion.rotation.z)) > 1e-12;
}

void put(const Pose& by, glm::dvec3& position, glm::dvec3& rotation) {
  const Pose pose = by * Pose{position, rotation_of(rotation)};
  position = rounded(pose.position);
  if (turns(by))
    rotation = rounded(angles_of(pose.rotation));
}

// A box, a ball and an upright cylinder cannot turn: their middles go where the motion takes them.
struct PutShape {
  const Pose& by;

  glm::dvec3 to(const glm::dvec3& point) const { return rounded((by * Pose{point}).position); }
  glm::dvec3 way(const glm::dvec3& middle) const { return to(middle) - middle; }

  void operator()(BoxFill& box) const {
    const glm::dvec3 by_this = way(0.5 * (box.min + box.max));
    box = {rounded(box.min + by_this), rounded(box.max + by_this)};
  }
  void operator()(SphereFill& sphere) const { sphere.center = to(sphere.center); }
  void operator()(CylinderFill& c) const {
    const glm::dvec3 up(0.0, 0.0, 0.5 * c.height);
    c.base = rounded(c.base + way(c.base + up));
  }
  void operator()(PointsFill& points) const {
    for (glm::dvec3& point : points.points)
      point = to(point);
  }
  void operator()(FileFill&) const {}
  void operator()(SolidFill& solid) const {
    for (BodyPart& part : solid.parts)
      put(by, part.position, part.rotation);
  }
};

// scene: const or not.
auto* shape_of(auto& scene, const Movable& what) {
  switch (what.kind) {
  case Kind::shape:
    return &scene.shapes.at(what.number).grains.shape;
  case Kind::grains:
    return &scene.grains.at(what.number).shape;
  case Kind::emitter:
    return &scene.emitters.at(what.number).shape;
  default:
    return decltype(&scene.emitters.at(what.number).shape){};
  }
}

// Returns the frame that a body's own pose is in, as it is at the start.
Pose parent_of(const Scene& scene, const BodySpec& body) {
  const auto parent = BodyNames(scene).find(body.parent);
  return parent ? initial_poses(scene).at(*parent) : Pose{};
}

Pose carrier_of(const Scene& scene, const DepthCameraSpec& camera) {
  return camera.body ? initial_poses(scene).at(*camera.body) : Pose{};
}

Pose seen_from(const Pose& frame, const Pose& by) {
  return inverse_of(frame) * by * frame;
}

void put(const Scene& before, BodySpec& body, const Pose& by) {
  const Pose here = seen_from(parent_of(before, body), by);
  if (auto* joint = std::get_if<Joint>(&body.motion))
    put(here, joint->origin, joint->rotation);
  else
    put(here, body.position, body.rotation);
}

void put(const Scene& before, DepthCameraSpec& camera, const Pose& by) {
  const Pose here = seen_from(carrier_of(before, camera), by);
  if (camera.target && turns(here))
    camera.target = rounded((here * Pose{*camera.target}).position);
  put(here, camera.position, camera.rotation);
}

Standing of_shape(const Shape& shape) {
  const Bounds box = bounds(shape);
  const glm::dvec3 middle = 0.5 * (box.min + box.max);
  return {{middle}, {box.min - middle, box.max - middle}};
}

// A camera has no size: a box that is long the way that it looks.
Standing of_camera(const Scene& scene, std::size_t number) {
  const DepthCameraSpec& camera = scene.depth_cameras.at(number);
  const double size = 0.03 * glm::distance(scene.domain.min, scene.domain.max);
  const glm::dquat turn = quaternion_of(depth_cameras_of(scene).at(number).rotation);
  return {carrier_of(scene, camera) * Pose{camera.position, turn},
          {size * glm::dvec3(0.0, -0.3, -0.3), size * glm::dvec3(1.0, 0.3, 0.3)}};
}

}  // namespace

std::vector<Movable> movables_of(const Scene& scene) {
  std::vector<Movable> all;
  const auto add = [&](Kind kind, std::size_t count) {
    for (std::size_t n = 0; n < count; ++n)
      if (const Movable one{kind, n}; !shape_of(scene, one) || !std::holds_alternative<FileFill>(*shape_of(scene, one)))
        all.push_back(one);
  };
  add(Kind::body, scene.bodies.size());
  add(Kind::shape, scene.shapes.size());
  add(Kind::cloth, scene.cloths.size());
  add(Kind::grains, scene.grains.size());
  add(Kind::emitter, scene.emitters.size());
  add(Kind::sink, scene.sinks.size());
  add(Kind::depth_camera, scene.depth_cameras.size());
  return all;
}

std::string name_of(const Scene& scene, const Movable& what) {
  const auto named = [&](const char* kind, const std::string& name) {
    return name.empty() ? fmt::format("{} {}", kind, what.number + 1) : fmt::format("{} {}", kind, name);
  };
  switch (what.kind) {
  case Kind::body:
    return named("body", scene.bodies.at(what.number).name);
  case Kind::shape:
    return named("shape", scene.shapes.at(what.number).name);
  case Kind::cloth:
    return named("cloth", scene.cloths.at(what.number).name);
  case Kind::grains:
    return named("grains", "");
  case Kind::emitter:
    return named("emitter", "");
  case Kind::sink:
    return named("sink", scene.sinks.at(what.number).name);
  case Kind::depth_camera:
    return named("camera", scene.depth_cameras.at(what.number).name);
  }
  return "";
}

bool can_turn(const Scene& scene, const Movable& what) {
  const Shape* shape = shape_of(scene, what);
  return !shape || std::holds_alternative<SolidFill>(*shape) || std::holds_alternative<PointsFill>(*shape);
}

bool has_angles(const Movable& what) {
  return what.kind != Kind::shape && what.kind != Kind::grains && what.kind != Kind::emitter;
}

Standing standing_of(const Scene& scene, const Movable& what) {
  if (const Shape* shape = shape_of(scene, what))
    return of_shape(*shape);
  switch (what.kind) {
  case Kind::cloth: {
    ClothSpec cloth = scene.cloths.at(what.number);
    const Pose pose = pose_of(cloth);
    cloth.position = cloth.rotation = glm::dvec3(0.0);
    return {pose, bounds_of(cloth, sheet_of(cloth))};
  }
  case Kind::sink: {
    const SinkSpec& sink = scene.sinks.at(what.number);
    return {{sink.position, rotation_of(sink.rotation)}, bounds_of(sink.parts, Pose{})};
  }
  case Kind::depth_camera:
    return of_camera(scene, what.number);
  default:
    return {initial_poses(scene).at(what.number), bounds_of(scene.bodies.at(what.number), Pose{})};
  }
}

glm::dvec3 middle_of(const Standing& standing) {
  const auto& [pose, box] = standing;
  if (!std::isfinite(glm::length(box.max - box.min)))
    return pose.position;
  return (pose * Pose{0.5 * (box.min + box.max)}).position;
}

Scene moved(Scene scene, const Movable& what, const Pose& by) {
  if (Shape* shape = shape_of(scene, what)) {
    std::visit(PutShape{by}, *shape);
    return scene;
  }
  switch (what.kind) {
  case Kind::cloth:
    put(by, scene.cloths.at(what.number).position, scene.cloths.at(what.number).rotation);
    break;
  case Kind::sink:
    put(by, scene.sinks.at(what.number).position, scene.sinks.at(what.number).rotation);
    break;
  case Kind::depth_camera:
    put(scene, scene.depth_cameras.at(what.number), by);
    break;
  default:
    put(scene, scene.bodies.at(what.number), by);
  }
  return scene;
}

}  // namespace viewer
