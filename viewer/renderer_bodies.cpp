#include "viewer/renderer_bodies.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "viewer/renderer_surface.h"
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
      surface = surface_of(body, tolerance, plane_reach(body, scene.domain));
    DrawBody look{body.color.value_or(default_color), 0, vec3(std::numeric_limits<float>::max()),
                  vec3(-std::numeric_limits<float>::max())};
    if (body.show == Show::cut)
      look.style |= draw_cut;
    if (std::isinf(reach_of(body)))
      look.style |= draw_in_domain;
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
  out.bodies.insert(out.bodies.end(), cloth.looks.begin(), cloth.looks.end());
  return out;
}

}  // namespace talus
