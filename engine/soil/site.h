#pragma once
// The surface of the ground as passes know it, for bodies that feel it without grains.
#include "engine/soil/grid.h"
#include "shaders/shared/types.h"
#include <span>
#include <vector>

namespace talus {

// Returns the numbers of the bodies of a scene that feel the ground by its surface.
std::vector<std::uint32_t> bodies_on_surface(const Scene& scene);

// Returns the ground's law of pressure and shear in floats, as passes read it.
shared::GroundLaw law_of(const Terramechanics& terramechanics);

// Returns where columns and samples of the surface are, and what the surface bears. Samples lie about a mean radius
// apart; there are none where no body feels the ground by its surface. bodies: those of one world at least, in the
// order of the scene. Throws SceneError where a body reaches over more samples than a square may have along an edge.
shared::SoilSite site_of(const Scene& scene, const SoilGrid& grid, std::span<const shared::Body> bodies);

inline glm::uvec2 samples_along(const shared::SoilSite& site) {  // x and y
  return site.count * site.samples;
}
inline std::size_t samples_of(const shared::SoilSite& site) {
  return std::size_t{samples_along(site).x} * samples_along(site).y;
}
// The number of the sample nearest to a place in the world [m].
std::size_t sample_at(const shared::SoilSite& site, const glm::vec2& place);
// Calls visit(number) for the samples in the column at x, y.
void each_sample_of(const shared::SoilSite& site, const glm::uvec2& column, auto&& visit) {
  for (shared::uint y = column.y * site.samples.y; y < (column.y + 1) * site.samples.y; ++y)
    for (shared::uint x = column.x * site.samples.x; x < (column.x + 1) * site.samples.x; ++x)
      visit(std::size_t{y} * samples_along(site).x + x);
}

// m, how much lower the surface stays where it was pressed.
inline float track_depth(const shared::GroundLaw& law, const shared::GroundSample& sample) {
  return sample.sunk - law.rebound * (sample.sunk - sample.dug);
}
// m, of each column the greatest; empty where there are no samples.
std::vector<double> deepest_tracks(const shared::SoilSite& site, std::span<const shared::GroundSample> samples);
// m, its mean over the column at x, y.
double mean_track(const shared::SoilSite& site, std::span<const shared::GroundSample> samples,
                  const glm::uvec2& column);

}  // namespace talus
