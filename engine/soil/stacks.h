#pragma once
// The grains of which the columns of the ground consist. A tile of grains at rest, periodic in x and y, is repeated
// under the whole site. The grains of the tile within a column are the stack of that column, sorted by height. The mass
// of the column tells how many grains of the stack are present, from below, so that mass is conserved to the quantum.
#include "engine/soil/grid.h"
#include "shaders/shared/types.h"
#include <span>
#include <vector>

namespace talus {

// Grains at rest on a floor at z = 0, periodic in x and y, and their contacts. They fill it as high as the highest
// ground.
struct SoilTile {
  struct Grain {
    glm::vec3 place;  // m
    float radius;     // m
  };
  glm::uvec2 columns;                       // of the grid that it is as large as
  std::vector<Grain> grains;                // x, y from 0 to columns * edge
  std::vector<shared::SoilSpring> springs;  // of grain k: from first_spring[k] to before first_spring[k + 1]
  std::vector<std::uint32_t> first_spring;

  // m, to which the grains fill it: their volume by the packing fraction in the middle of their height.
  double filled_height() const;
};
// As many columns as a tile has: at least 20 mean radii; a whole part of a periodic axis, or all of it.
glm::uvec2 tile_columns(const SoilGrid& grid, const Soil& soil);

// The mass of a grain of the mean radius, in quanta, which are the unit of mass of the ground.
inline constexpr std::uint32_t quanta_of_mean = 256;

// The mass of a grain in quanta, at least 1.
std::uint32_t quanta_of(double radius, double mean_radius);

class Stack {
public:
  struct Grain {
    glm::vec3 place;  // m, from the lower corner of the column on the floor
    float radius;     // m
    std::uint32_t quanta;
    std::uint32_t tile;  // number in the tile
  };

  // grains: by z. height: m, that they fill.
  Stack(std::vector<Grain> grains, double height);

  // These take the mass of the column in quanta. whole() is the number of grains that are present; the mass that is
  // left over is less than that of the next grain.
  std::uint32_t whole(std::uint32_t mass) const;
  double height(std::uint32_t mass) const {  // m
    return mass / per_meter_;
  }
  std::uint32_t mass(double height) const;  // quanta
  double per_meter() const { return per_meter_; }
  // The k-th from below. Where there are more than the tile has, it lies on itself.
  Grain grain(std::uint32_t k) const;
  // Tiles on which the k-th one's tile lies.
  std::uint32_t tiles_below(std::uint32_t k) const { return k / static_cast<std::uint32_t>(grains_.size()); }
  double z(std::uint32_t count) const { return count > 0 ? grain(count - 1).place.z : 0.0; }  // m, of the uppermost

private:
  std::vector<Grain> grains_;
  std::vector<std::uint64_t> below_;  // quanta of the grains before the k-th; one more: of all
  double height_, per_meter_;
};

class SoilStacks {
public:
  SoilStacks(const Scene& scene, SoilTile tile);

  const SoilGrid& grid() const { return grid_; }
  const SoilTile& tile() const { return tile_; }
  const Stack& of(std::uint32_t column) const { return stacks_[kinds_[column]]; }
  double kg_per_quantum() const { return kg_; }
  double mean_radius() const { return mean_radius_; }  // m
  double height() const { return height_; }            // m, of the tile
  // Columns before anything digs.
  const std::vector<shared::SoilColumn>& at_start() const { return at_start_; }

private:
  SoilGrid grid_;
  SoilTile tile_;
  std::vector<Stack> stacks_;
  std::vector<std::uint32_t> kinds_;
  std::vector<shared::SoilColumn> at_start_;
  double kg_, mean_radius_, height_;
};

// Lets the columns that may_flow slide to slopes of at most `slope` (tangent): of two neighbours that are steeper the
// higher one gives what makes them so steep, one pair after another in an order that follows from their places alone.
// At least one of the two was disturbed. Says whether anything moved.
bool relax(const SoilStacks& stacks, std::span<shared::SoilColumn> columns, const std::vector<bool>& may_flow,
           double slope, int sweeps);

}  // namespace talus
