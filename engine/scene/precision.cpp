#include "engine/scene/precision.h"
#include "engine/scene/sampling.h"
#include <cmath>
#include <fmt/format.h>

namespace talus {

double float_spacing(double coordinate) {
  const float at = static_cast<float>(std::abs(coordinate));
  return at - std::nextafter(at, 0.0f);
}

Furthest furthest_of(const Scene& scene) {
  Furthest furthest;
  const Domain& domain = scene.domain;
  const auto look = [&](double coordinate, int axis, const std::string& where, std::optional<bool> domain_max = {}) {
    if (std::abs(coordinate) > std::abs(furthest.coordinate))
      furthest = {coordinate, axis, where, domain_max};
  };
  const auto look_along_open = [&](const glm::dvec3& place, const std::string& where) {
    for (int a = 0; a < 3; ++a)
      if (domain.axis[static_cast<std::size_t>(a)] == Axis::open)
        look(place[a], a, where);
  };
  for (int a = 0; a < 3; ++a)
    if (domain.axis[static_cast<std::size_t>(a)] != Axis::open) {
      look(domain.min[a], a, "", false);
      look(domain.max[a], a, "", true);
    }
  const auto look_at = [&](const Shape& shape, const std::string& where) {
    const Bounds box = bounds(shape);
    look_along_open(box.min, where);
    look_along_open(box.max, where);
  };
  each_group(scene, [&](const GrainGroup& group) { look_at(group.shape, group.where); });
  for (const Emitter& emitter : scene.emitters)
    look_at(emitter.shape, emitter.where);
  // Not how far they reach: a ground may be much larger than the heap on it.
  for (const BodySpec& body : scene.bodies)
    if (body.parent.empty())
      look_along_open(body.position, "");
  for (const ClothSpec& cloth : scene.cloths)
    look_along_open(cloth.position, "");
  return furthest;
}

std::optional<std::string> coarse_places(const Scene& scene, const Furthest& furthest, double most) {
  const double radius = radii_of(scene).min, spacing = float_spacing(furthest.coordinate);
  if (!(spacing > most * radius) || !(radius > 0.0))
    return {};
  return fmt::format(
      "lets grains be at {} = {:.9g} m, where float32 positions are {:.2g} m apart, {:.2g} % of the smallest radius "
      "({:.3g} m); {:g} % is {}: move the scene towards the origin",
      "xyz"[furthest.axis], furthest.coordinate, spacing, 100 * spacing / radius, radius, 100 * most,
      most == spacing_most ? "allowed" : "fine enough");
}

std::string place_of(const Scene& scene, const Furthest& furthest) {
  return fmt::format("{}: {} ", furthest.where.empty() ? scene.source : furthest.where,
                     furthest.domain_max ? (*furthest.domain_max ? "domain.max" : "domain.min") : "this");
}

void check_spacing(const Scene& scene) {
  const Furthest furthest = furthest_of(scene);
  if (const auto coarse = coarse_places(scene, furthest, spacing_most))
    throw SceneError(place_of(scene, furthest) + *coarse);
}

}  // namespace talus
