#pragma once
// The grains of which the columns of the ground consist. A tile of grains at rest, periodic in x and y, is repeated
// under the whole site. The grains of the tile within a column are the stack of that column, sorted by height. The mass
// of the column tells how many grains of the stack are present, from below, so that mass is conserved to the quantum.
// Where soil was loosened some grains of the stack are left out, so that the same mass fills more of it.
#include "engine/soil/column.h"
#include "engine/soil/grid.h"
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

// Which grains of its stack the soil of a column consists of: the lowest ones are undisturbed soil; of those above, up
// to the end, loosened soil has the share 1 / swell. Where it is denser than undisturbed soil it has all, and these
// reach a little higher than the column, since the mass of grains that have no place could not be dug. They are the
// same grains for the same swell, whatever lies on or below them, so that nothing changes in what is left when a column
// is dug or heaped up.
class Filling {
public:
  Filling(const class Stack& stack, const shared::SoilColumn& column);

  std::uint32_t firm() const { return firm_; }  // grains of undisturbed soil
  std::uint32_t end() const { return end_; }
  bool has(std::uint32_t k) const;  // k < end()

private:
  std::uint32_t firm_, end_;
  double share_;
};

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

  // Grains of which so much undisturbed soil consists [quanta]; what is left over is less than the next grain.
  std::uint32_t whole(std::uint32_t mass) const;
  // Quanta of the lowest so many grains.
  std::uint32_t mass_of(std::uint32_t count) const;
  double height(const shared::SoilColumn& column) const {  // m
    return volume_of(column) / per_meter_;
  }
  std::uint32_t mass(double height) const;  // quanta, of undisturbed soil
  double per_meter() const { return per_meter_; }
  // The k-th from below. Where there are more than the tile has, it lies on itself.
  Grain grain(std::uint32_t k) const;
  // Tiles on which the k-th one's tile lies.
  std::uint32_t tiles_below(std::uint32_t k) const { return k / static_cast<std::uint32_t>(grains_.size()); }
  double z(std::uint32_t count) const { return count > 0 ? grain(count - 1).place.z : 0.0; }  // m, of the uppermost
  // m, height of the centre of mass of so much undisturbed soil on top of as much as fills `volume` [quanta].
  double middle_of(double volume, std::uint32_t mass) const;

private:
  std::vector<Grain> grains_;
  std::vector<std::uint64_t> below_;  // quanta of the grains before the k-th; one more: of all
  double height_, per_meter_;
};

// The stacks of all columns, and the layers of which their grains are.
//
// A column has at least as much of each material as the whole grains of its undisturbed soil consist of. The rest of it
// is its loosened soil, and less than a grain of undisturbed soil.
class SoilStacks {
public:
  SoilStacks(const Scene& scene, SoilTile tile);

  const SoilGrid& grid() const { return grid_; }
  const SoilTile& tile() const { return tile_; }
  const Stack& of(std::uint32_t column) const { return stacks_[kinds_[column]]; }
  // The ground's materials, as indices into Scene::materials.
  const std::vector<std::uint32_t>& materials() const { return materials_; }
  // The index of one of these; their number where the ground has no such material.
  std::uint32_t material_of(std::uint32_t in_scene) const;
  double kg_per_quantum(std::uint32_t material) const { return kg_[material]; }
  // The material (an index into materials()) of the k-th grain of a column's stack where the soil is undisturbed.
  std::uint32_t material(std::uint32_t column, std::uint32_t k) const;
  // Returns the material of the k-th grain of the column's soil, which takes so many quanta of it, or nothing where no
  // material has as many left.
  std::optional<std::uint32_t> material(std::uint32_t column, const shared::SoilColumn& soil, std::uint32_t k,
                                        std::uint32_t quanta) const;
  // Returns the quanta of each material in the lowest `count` grains of a column's stack, where the soil is
  // undisturbed.
  Mixture undisturbed(std::uint32_t column, std::uint32_t count) const;
  // Returns the part of a column's soil that is in no whole grain of so much undisturbed soil [quanta].
  Mixture beyond(std::uint32_t column, const shared::SoilColumn& soil, std::uint32_t undisturbed_mass) const;
  Mixture loosened(std::uint32_t column, const shared::SoilColumn& soil) const {  // beyond its own undisturbed soil
    return beyond(column, soil, soil.mass - soil.loose);
  }
  // Is there as much of each material as its undisturbed soil has?
  bool is_consistent(std::uint32_t column, const shared::SoilColumn& soil) const;
  double mean_radius() const { return mean_radius_; }  // m
  double height() const { return height_; }            // m, of the tile
  // Columns before anything digs.
  const std::vector<shared::SoilColumn>& at_start() const { return at_start_; }

private:
  // Returns a column as it is at the start, and notes where its layers begin.
  shared::SoilColumn lay(const Soil& soil, const class Ground& ground, std::uint32_t column);

  SoilGrid grid_;
  SoilTile tile_;
  std::vector<Stack> stacks_;
  std::vector<std::uint32_t> kinds_;
  std::vector<std::uint32_t> materials_;  // of the ground
  std::vector<std::uint32_t> layers_;     // an index into materials_ of each layer, from the lowest one on
  std::vector<std::uint32_t> begins_;     // by column and layer: the first grain of the stack that is in the layer
  std::vector<shared::SoilColumn> at_start_;
  std::vector<double> kg_;  // by material
  double mean_radius_, height_;
};

// A grain that rests on or in the ground.
struct RestingGrain {
  glm::vec3 place;         // m, in the world
  float radius;            // m
  std::uint32_t tile;      // SoilOrigin.tile
  std::uint32_t material;  // an index into SoilStacks::materials()
};

// Returns the column as it is after it has taken in the grains that rest in it. Up to where most of them lie as in the
// tile they are undisturbed soil. The others are loosened soil on top of it and of what was there, as loose as keeps
// their centre of mass where it is, between soil_swell_least and swell_most. floor: m, z of the lowest soil.
shared::SoilColumn with_grains(const SoilStacks& stacks, double floor, double swell_most, std::uint32_t column,
                               shared::SoilColumn soil, std::span<const RestingGrain> grains);

// Lets the columns that may_flow slide to slopes of at most the tangent of the material that slides (one for each of
// SoilStacks::materials(), of a mixture their mean): of two neighbours that are steeper the higher one gives what makes
// them so steep, one pair after another in an order that follows from their places alone. What moves is the uppermost
// soil, as loose as it is and in its proportions, and lies on the lower column as loosened soil. At least one of the
// two was disturbed. Says whether anything moved.
bool relax(const SoilStacks& stacks, std::span<shared::SoilColumn> columns, const std::vector<bool>& may_flow,
           std::span<const double> slopes, int sweeps);

}  // namespace talus
