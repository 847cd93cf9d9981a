#include "viewer/renderer_bodies.h"
#include "engine/scene/bodies.h"
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

BodyDrawing body_drawing(const Scene& scene, double tolerance) {
  BodyDrawing out;
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
  return out;
}

}  // namespace talus
