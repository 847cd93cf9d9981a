#include "viewer/pour.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace viewer {

using namespace talus;

namespace {

const char* const poured = "what is poured by hand";  // Emitter::where, by which the emitter is found again

// Grains leave the ball as if they had fallen by ten radii, and take this share of the volume that passes through it.
constexpr double fallen = 10.0, share = 0.3;

Emitter emitter_like(const Scene& scene) {
  Emitter emitter;
  emitter.where = poured;
  const auto take = [&](const auto& from) {
    emitter.material = from.material;
    emitter.radius_min = from.radius_min;
    emitter.radius_max = from.radius_max;
  };
  const auto single = [](const auto& from) { return !from.clump && from.radius_max > 0.0; };
  const auto first_emitter = std::ranges::find_if(scene.emitters, single);
  const auto first_group = std::ranges::find_if(scene.grains, single);
  if (first_emitter != scene.emitters.end())
    take(*first_emitter);
  else if (first_group != scene.grains.end())
    take(*first_group);
  else
    throw std::invalid_argument("nothing can be poured: the scene has no [[emitter]] or [[grains]] of single spheres");
  return emitter;
}

}  // namespace

double pour_radius(const Scene& scene) {
  constexpr double balls = 4.0;  // radii of the largest grain
  return balls * radii_of(scene).max;
}

Scene with_pour(Scene scene, double time, const glm::dvec3& at) {
  if (scene.emitters.empty() || scene.emitters.back().where != poured)
    scene.emitters.push_back(emitter_like(scene));
  Emitter& emitter = scene.emitters.back();
  const double radius = pour_radius(scene), grain = emitter.radius_max, gravity = glm::length(scene.domain.gravity);
  const double speed = std::sqrt(2.0 * gravity * fallen * grain);  // m/s
  const glm::dvec3 low = scene.domain.min + radius, high = glm::max(low, scene.domain.max - radius);
  emitter.shape = SphereFill{glm::clamp(at, low, high), radius};
  emitter.velocity = gravity > 0.0 ? speed / gravity * scene.domain.gravity : glm::dvec3(0.0);
  // Volume flux, share * pi * radius^2 * speed, by the volume of a grain, 4/3 pi grain^3.
  emitter.rate = 0.75 * share * radius * radius * std::max(speed, 0.1) / (grain * grain * grain);
  emitter.start = time;
  emitter.stop = time + pour_lasts;
  scene.end = std::max(scene.end, emitter.stop);
  return scene;
}

}  // namespace viewer
