#include "engine/simulation/soil_tile.h"
#include "engine/scene/ground.h"
#include "engine/scene/sampling.h"
#include "engine/scene/text.h"
#include "engine/talus.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace talus {
namespace {

// A box with periodic sides in which the grains of a tile fall and come to rest.
Scene box_of_tile(const Scene& scene, const SoilGrid& grid, double depth) {
  const Soil& soil = *scene.soil;
  constexpr double loose = 2.0;    // depth of the grains as they are placed, by that in which they rest
  constexpr double packing = 0.6;  // share of the volume that they fill at rest, about
  const double radius = soil.mean_radius(), time = std::sqrt(radius / glm::length(scene.domain.gravity));
  const glm::dvec2 edge = grid.edge() * glm::dvec2(tile_columns(grid, soil));
  Scene box;
  box.source = scene.source;
  box.seed = 1;  // the ground is the same in all worlds
  box.domain.min = {0.0, 0.0, 0.0};
  box.domain.max = {edge.x, edge.y, loose * depth + 2.0 * soil.radius_max};
  box.domain.axis = {Axis::periodic, Axis::periodic, Axis::wall};
  box.domain.gravity = scene.domain.gravity;
  box.solver = scene.solver;
  const double h = scene.dt / scene.solver.substeps;
  box.solver.substeps = std::max(1, static_cast<int>(std::round(0.5 * time / h)));
  box.dt = h * box.solver.substeps;
  box.materials = {scene.materials[soil.material]};
  GrainGroup grains;
  grains.radius_min = soil.radius_min;
  grains.radius_max = soil.radius_max;
  grains.shape = BoxFill{box.domain.min, {edge.x, edge.y, loose * depth}};
  grains.count = static_cast<std::uint32_t>(
      std::ceil(packing * edge.x * edge.y * depth / mean_ball_volume(soil.radius_min, soil.radius_max)));
  box.grains.push_back(grains);
  return box;
}

SoilTile settle(const Scene& box, const glm::uvec2& columns, double time) {
  constexpr double longest = 400.0;    // sqrt(r / g), until all sleep
  constexpr double all_asleep = 0.01;  // share of grains that may be awake
  Simulation simulation(box, {.device = "cpu"});
  const auto steps = static_cast<std::uint64_t>(longest * time / box.dt);
  for (std::uint64_t k = 0; k < steps; k += 8) {
    simulation.advance(8);
    if (simulation.awake().value_or(0) <= all_asleep * simulation.grain_count())
      break;
  }
  SoilTile tile{columns, {}};
  for (const GrainState& grain : simulation.grains())
    tile.grains.push_back({grain.position, grain.radius});
  return tile;
}

}  // namespace

SoilTile settled_tile(const Scene& scene) {
  static std::mutex mutex;
  static std::map<std::string, SoilTile> tiles;
  const SoilGrid grid(scene);
  const Soil& soil = *scene.soil;
  // Two radii more, since its own surface is not even: much more would load its grains as those of the ground are not.
  const double depth = Ground(soil, scene.domain.min.z).top() + 2.0 * soil.radius_max;
  const Scene box = box_of_tile(scene, grid, depth);
  const std::string key = to_toml(box);
  const std::scoped_lock lock(mutex);
  auto found = tiles.find(key);
  if (found == tiles.end())
    found = tiles
                .emplace(key, settle(box, tile_columns(grid, soil),
                                     std::sqrt(soil.mean_radius() / glm::length(scene.domain.gravity))))
                .first;
  return found->second;
}

}  // namespace talus
