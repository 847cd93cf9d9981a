#include "viewer/cut.h"
#include "engine/scene/bodies.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace viewer {

using namespace talus;

namespace {

bool has_inside(const BodyPart& part) {
  const auto* mesh = std::get_if<MeshPart>(&part.shape);
  return !is_boundary(part) && !(mesh && !mesh->loaded->closed);
}

}  // namespace

Scene with_cut(Scene scene, const std::string& body, const glm::dvec3& at, double radius) {
  if (body.empty())
    throw std::invalid_argument("nothing is cut here: only bodies are cut, not grains, cloth or walls of the domain");
  const auto cut = BodyNames(scene).find(body);
  if (!cut)
    throw std::invalid_argument(fmt::format("there is no body {} to be cut", body));
  constexpr double most = 1e6;  // m, as a scene's numbers
  if (!(radius > 0.0 && radius <= most) || !(glm::length(at) <= most))
    throw std::invalid_argument(
        fmt::format("a hole has a radius above 0, and this and its place are within {} m of the body's origin", most));
  BodySpec& spec = scene.bodies[*cut];
  if (is_dynamic(spec))
    throw std::invalid_argument(
        fmt::format("body {} has a mass and stays whole: only bodies without one are cut", body));
  if (scene.soil)
    throw std::invalid_argument("no body is cut in a scene with [soil]");
  if (!std::ranges::all_of(spec.parts, has_inside))
    throw std::invalid_argument(
        fmt::format("body {} is a mesh that is not closed, or that particles stand for, and stays whole", body));
  if (spec.parts.size() == shared::parts_most)
    throw std::invalid_argument(
        fmt::format("body {} has {} parts, and no room for another one", body, spec.parts.size()));
  spec.parts.push_back({.shape = SpherePart{radius}, .position = at, .subtract = true, .after_fill = true});
  spec.visual.clear();
  return scene;
}

}  // namespace viewer
