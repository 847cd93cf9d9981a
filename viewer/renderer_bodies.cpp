#include "viewer/renderer_bodies.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/mass.h"
#include "engine/scene/surface.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {
namespace {

using namespace shared;

constexpr glm::vec3 default_color{0.20f, 0.27f, 0.35f};

// A square of twice this edge covers the domain, wherever in it the body moves.
double plane_reach(const BodySpec& body, const Domain& domain) {
  double reach = 2.0 * (glm::distance(domain.min, domain.max) + glm::distance(body.position, domain.min));
  for (const BodyPart& part : body.parts)
    reach += glm::length(part.position);
  return reach;
}

void add(BodyDrawing& out, const Surface& surface, const vec3& color, Finish finish, uint style) {
  DrawBody look{color, static_cast<uint>(finish), style, vec3(std::numeric_limits<float>::max()),
                vec3(-std::numeric_limits<float>::max())};
  for (const DrawVertex& v : surface.vertices) {
    look.low = glm::min(look.low, v.position);
    look.high = glm::max(look.high, v.position);
  }
  const auto base = static_cast<uint>(out.vertices.size()), number = static_cast<uint>(out.bodies.size());
  out.vertices.insert(out.vertices.end(), surface.vertices.begin(), surface.vertices.end());
  for (const glm::uvec3& t : surface.triangles)
    out.triangles.push_back({base + t, number});
  out.bodies.push_back(look);
}

}  // namespace

std::vector<Body> bodies_at_start(const Scene& scene) {
  std::vector<Body> out;
  for (const Pose& pose : initial_poses(scene)) {
    Body body{};
    const glm::dquat& q = pose.rotation;
    body.motion.rotation = vec4(q.x, q.y, q.z, q.w);
    body.motion.position = vec3(pose.position);
    out.push_back(body);
  }
  return out;
}

BodyDrawing body_drawing(const Scene& scene, const ClothDrawing& cloth, double tolerance) {
  BodyDrawing out{cloth.vertices, cloth.triangles, {}};
  for (const BodySpec& body : scene.bodies) {
    Surface surface;
    if (body.show != Show::hidden)
      surface = drawn_surface_of(body, tolerance, plane_reach(body, scene.domain));
    uint style = body.show == Show::cut ? draw_cut : 0;
    if (std::isinf(reach_of(body)))
      style |= draw_in_domain;
    add(out, surface, body.color.value_or(default_color),
        body.finish.value_or(body.color ? Finish::paint : Finish::metal), style);
  }
  out.bodies.insert(out.bodies.end(), cloth.looks.begin(), cloth.looks.end());
  for (const ShapeSpec& shape : scene.shapes) {
    Surface surface;
    if (const auto* solid = std::get_if<SolidFill>(&shape.grains.shape)) {
      // Particles all over a solid have its centre of mass, to within a small part of their radius.
      BodySpec body;
      body.parts = solid->parts;
      body.density = 1.0;
      surface = surface_of(body, tolerance, plane_reach(body, scene.domain));
      const vec3 center(mass_of(body).center);
      for (DrawVertex& v : surface.vertices)
        v.position -= center;
    }
    add(out, surface, scene.materials.at(shape.grains.material).color, Finish::plain, draw_matched);
  }
  // Particles that sinks take would leave the surface behind.
  out.shapes = scene.sinks.empty() && std::ranges::all_of(scene.shapes, [](const ShapeSpec& shape) {
                 return std::holds_alternative<SolidFill>(shape.grains.shape);
               });
  return out;
}

}  // namespace talus
