#include "engine/io/body_meshes.h"
#include "engine/scene/bodies.h"
#include "engine/scene/surface.h"
#include <algorithm>
#include <cmath>

namespace talus {

Mesh exported_mesh(BodySpec body, const Domain& domain) {
  Mesh mesh;
  if (body.show == Show::hidden)
    return mesh;
  for (BodyPart& part : body.parts)
    if (auto* p = std::get_if<MeshPart>(&part.shape); p && p->as == MeshAs::particles)
      p->as = MeshAs::triangles;  // the grains that stand for it are not exported
  const double domain_size = glm::distance(domain.min, domain.max), reach = reach_of(body);
  double plane = domain_size / 2;
  for (const BodyPart& part : body.parts)
    plane = std::max(plane, domain_size / 2 + glm::distance((domain.min + domain.max) / 2.0, body.position) +
                                glm::length(part.position));
  constexpr double chord_error = 1.0 / 400;  // of what is round, as a share of the size
  const Surface surface = drawn_surface_of(body, chord_error * (std::isfinite(reach) ? reach : domain_size), plane);
  for (const shared::DrawVertex& v : surface.vertices)
    mesh.vertices.push_back(v.position);
  mesh.triangles = surface.triangles;
  return mesh;
}

std::vector<Mesh> exported_meshes(const Scene& scene) {
  std::vector<Mesh> meshes;
  for (const BodySpec& body : scene.bodies)
    meshes.push_back(exported_mesh(body, scene.domain));
  return meshes;
}

}  // namespace talus
