#include "engine/simulation/soil_tile.h"
#include "engine/base/assert.h"
#include "engine/core/executor.h"
#include "engine/core/setup.h"
#include "engine/reference/space.h"
#include "engine/scene/ground.h"
#include "engine/scene/sampling.h"
#include "engine/scene/text.h"
#include "engine/talus.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace talus {

using namespace shared;

namespace {

// The material of grains while they settle. The less friction they have, the more densely they come to rest, up to
// random close packing (I. Agnolin and J.-N. Roux, Physical Review E 76, 061302, 2007, make dense samples in this way).
Material settling(Material material, double compaction) {
  const double share = 1.0 - compaction;
  material.friction_static *= share;
  material.friction_kinetic *= share;
  material.adhesion *= share;
  if (material.rolling_friction)
    *material.rolling_friction *= share;
  return material;
}

// A box with periodic sides in which the grains of a tile fall and come to rest. depth: m, that they fill at rest, if
// `packing` of it is theirs.
Scene box_of_tile(const Scene& scene, const SoilGrid& grid, double depth, double packing) {
  const Soil& soil = *scene.soil;
  constexpr double loose = 2.0;  // depth of the grains as they are placed, by that in which they rest
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
  box.materials = {settling(scene.materials[soil.material], soil.compaction)};
  GrainGroup grains;
  grains.radius_min = soil.radius_min;
  grains.radius_max = soil.radius_max;
  grains.shape = BoxFill{box.domain.min, {edge.x, edge.y, loose * depth}};
  grains.count = static_cast<std::uint32_t>(
      std::ceil(packing * edge.x * edge.y * depth / mean_ball_volume(soil.radius_min, soil.radius_max)));
  box.grains.push_back(grains);
  return box;
}

// The grains of the box, and what the springs of their contacts bear. All are there, each in the place of its row.
SoilTile tile_of(Simulation& simulation, const glm::uvec2& columns) {
  const Fields f =
      fields_of(simulation.executor(), {FieldId::settings, FieldId::worlds, FieldId::grains, FieldId::contact_count,
                                        FieldId::slice_start, FieldId::contact_partner, FieldId::contact_state});
  const Settings& settings = f.settings[0];
  const auto h = static_cast<float>(substep_of(simulation.scene()));
  SoilTile tile{columns, {}, {}, {0}};
  for (uint i = 0; i < simulation.grain_count(); ++i) {
    const Grain& grain = f.grains[i];
    tile.grains.push_back({vec3(grain.position), grain.position.w});
    for (uint k = 0; k < f.contact_count[i] && settings.contacts.memory != 0; ++k) {
      const std::size_t slot = reference::contact_slot(f, i, k);
      const uint partner = f.contact_partner[slot];
      const bool of_grains = is_grain(partner);
      const Grain& other = of_grains ? f.grains[partner] : grain;
      const float to_force = 1.0f / (h * (grain.velocity.w + (of_grains ? other.velocity.w : 0.0f)));
      const auto force = [&](uint member) {
        return member == state_none
                   ? vec3(0.0f)
                   : to_force * reference::vec3_at(f.contact_state, reference::state_at(f, slot, member));
      };
      const SoilSpring spring{partner, reference::shortest(vec3(other.position) - vec3(grain.position), settings),
                              force(settings.contacts.shear), force(settings.contacts.roll)};
      if (spring.shear != vec3(0.0f) || spring.roll != vec3(0.0f))
        tile.springs.push_back(spring);
    }
    tile.first_spring.push_back(static_cast<uint>(tile.springs.size()));
  }
  return tile;
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
  return tile_of(simulation, columns);
}

}  // namespace

SoilTile settled_tile(const Scene& scene) {
  static std::mutex mutex;
  static std::map<std::string, SoilTile> tiles;
  TALUS_ASSERT(scene.solver.substeps > 0, scene.solver.substeps);
  const SoilGrid grid(scene);
  const Soil& soil = *scene.soil;
  const glm::uvec2 columns = tile_columns(grid, soil);
  const double depth = Ground(soil, scene.domain.min.z).top(),
               time = std::sqrt(soil.mean_radius() / glm::length(scene.domain.gravity));
  constexpr double about = 0.6;  // share of the volume that grains fill at rest
  const Scene box = box_of_tile(scene, grid, depth, about);
  const std::string key = to_toml(box);
  const std::scoped_lock lock(mutex);
  auto found = tiles.find(key);
  if (found == tiles.end()) {
    // The second time with as many grains as fill the depth: level ground then ends where the tile does, and its grains
    // come out with the load under which they are at rest.
    const double filled = settle(box, columns, time).filled_height();
    found = tiles.emplace(key, settle(box_of_tile(scene, grid, depth, about * depth / filled), columns, time)).first;
  }
  return found->second;
}

}  // namespace talus
