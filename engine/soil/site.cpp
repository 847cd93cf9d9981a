#include "engine/soil/site.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <glm/trigonometric.hpp>

namespace talus {

using namespace shared;

std::vector<std::uint32_t> bodies_on_surface(const Scene& scene) {
  std::vector<std::uint32_t> bodies;
  for (std::uint32_t b = 0; b < scene.bodies.size(); ++b)
    if (scene.bodies[b].ground == GroundContact::surface)
      bodies.push_back(b);
  return bodies;
}

GroundLaw law_of(const Terramechanics& t) {
  const double by_width = t.cohesive > 0.0 ? t.cohesive / *t.width : 0.0;
  return {.stiffness = static_cast<float>(by_width + t.frictional),
          .exponent = static_cast<float>(t.exponent),
          .cohesion = static_cast<float>(t.cohesion),
          .friction = static_cast<float>(std::tan(glm::radians(t.friction_angle))),
          .shear = static_cast<float>(t.shear),
          .rebound = static_cast<float>(t.rebound),
          .digs = static_cast<float>(t.slip_sinkage)};
}

SoilSite site_of(const Scene& scene, const SoilGrid& grid, std::span<const Body> bodies) {
  constexpr double span_most = 4096.0;
  SoilSite site{.min = vec2(grid.min()), .edge = vec2(grid.edge()), .count = grid.count()};
  const std::vector<std::uint32_t> pressing = bodies_on_surface(scene);
  if (pressing.empty())
    return site;
  const glm::dvec2 apart = glm::max(glm::round(grid.edge() / scene.soil->mean_radius()), 1.0);
  site.samples = glm::uvec2(apart);
  site.bodies = static_cast<uint>(pressing.size());
  const double pitch = std::min(grid.edge().x / apart.x, grid.edge().y / apart.y);
  for (const std::uint32_t b : pressing) {
    const double span = std::ceil(2.0 * static_cast<double>(bodies[b].reach) / pitch) + 1.0;
    if (!(span <= span_most))
      throw SceneError(fmt::format("{}: body {} reaches {:.6g} m around its origin, too far for samples of the ground "
                                   "that lie {:.6g} m apart: at most {} may lie along it; give a larger soil.radius",
                                   scene.source, scene.bodies[b].name, bodies[b].reach, pitch, span_most));
    site.span = std::max(site.span, static_cast<uint>(span));
  }
  site.law = law_of(*scene.soil->terramechanics);
  return site;
}

std::size_t sample_at(const SoilSite& site, const glm::vec2& place) {
  const vec2 last(samples_along(site) - 1u);
  const uvec2 at(glm::clamp(glm::floor((place - site.min) / site.edge * vec2(site.samples)), vec2(0.0f), last));
  return std::size_t{at.y} * samples_along(site).x + at.x;
}

std::vector<double> deepest_tracks(const SoilSite& site, std::span<const GroundSample> samples) {
  std::vector<double> deepest(samples.empty() ? 0 : std::size_t{site.count.x} * site.count.y);
  for (uint c = 0; c < deepest.size(); ++c)
    each_sample_of(site, {c % site.count.x, c / site.count.x}, [&](std::size_t s) {
      deepest[c] = std::max(deepest[c], static_cast<double>(track_depth(site.law, samples[s])));
    });
  return deepest;
}

double mean_track(const SoilSite& site, std::span<const GroundSample> samples, const glm::uvec2& column) {
  double sum = 0.0;
  each_sample_of(site, column, [&](std::size_t s) { sum += static_cast<double>(track_depth(site.law, samples[s])); });
  return sum / (site.samples.x * site.samples.y);
}

}  // namespace talus
