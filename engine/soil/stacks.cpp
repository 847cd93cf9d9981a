#include "engine/soil/stacks.h"
#include "engine/base/assert.h"
#include "engine/scene/ground.h"
#include "engine/scene/sampling.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <ranges>
#include <tuple>

namespace talus {

using shared::SoilColumn;

glm::uvec2 tile_columns(const SoilGrid& grid, const Soil& soil) {
  constexpr double least = 20.0;  // mean radii
  glm::uvec2 columns;
  for (int a = 0; a < 2; ++a) {
    const double edge = std::max(least * soil.mean_radius(), 12.5 * soil.radius_max);
    columns[a] = static_cast<std::uint32_t>(std::ceil(edge / grid.edge()[a]));
    if (!grid.periodic(a))
      continue;
    columns[a] = std::min(columns[a], grid.count()[a]);
    while (grid.count()[a] % columns[a] != 0)
      ++columns[a];
  }
  return columns;
}

std::uint32_t quanta_of(double radius, double mean_radius) {
  const double share = radius / mean_radius;
  return static_cast<std::uint32_t>(std::max(std::round(quanta_of_mean * share * share * share), 1.0));
}

Stack::Stack(std::vector<Grain> grains, double height) : grains_(std::move(grains)), below_{0}, height_(height) {
  TALUS_ASSERT(!grains_.empty() && height > 0.0, grains_.size(), height);
  for (const Grain& grain : grains_)
    below_.push_back(below_.back() + grain.quanta);
  per_meter_ = static_cast<double>(below_.back()) / height_;
}

std::uint32_t Stack::whole(std::uint32_t mass) const {
  const std::uint64_t all = below_.back();
  const auto above = std::ranges::upper_bound(below_, mass % all);
  return static_cast<std::uint32_t>(mass / all * grains_.size() +
                                    static_cast<std::uint64_t>(above - below_.begin() - 1));
}

std::uint32_t Stack::mass_of(std::uint32_t count) const {
  const std::uint64_t tiles = count / grains_.size();
  return static_cast<std::uint32_t>(tiles * below_.back() + below_[count % grains_.size()]);
}

std::uint32_t Stack::mass(double height) const {
  return static_cast<std::uint32_t>(std::max(std::round(height * per_meter_), 0.0));
}

double Stack::middle_of(double volume, std::uint32_t mass) const {
  double moment = 0.0;  // quanta m
  std::uint32_t left = mass;
  for (std::uint32_t k = whole(static_cast<std::uint32_t>(volume)); left > 0; ++k) {
    const Grain next = grain(k);
    const std::uint32_t part = std::min(next.quanta, left);
    moment += static_cast<double>(part) * static_cast<double>(next.place.z);
    left -= part;
  }
  return moment / mass;
}

Filling::Filling(const Stack& stack, const SoilColumn& column) : firm_(stack.whole(column.mass - column.loose)) {
  const double swell = std::max(static_cast<double>(column.swell), 1.0);
  end_ = stack.whole(column.mass - column.loose + static_cast<std::uint32_t>(column.loose * swell));
  share_ = 1.0 / swell;
}

namespace {

// The fractional parts of the multiples of an irrational number are spread so evenly that of n of them in a row n times
// a share lie in an interval of that length, but for one or two (Kuipers and Niederreiter, Uniform Distribution of
// Sequences, 1974, chapter 2.3).
double spread(std::uint32_t k, double irrational) {
  const double turns = k * irrational;
  return turns - std::floor(turns);
}

}  // namespace

bool Filling::has(std::uint32_t k) const {
  return k < firm_ || share_ >= 1.0 || spread(k, std::numbers::phi - 1.0) < share_;
}

Stack::Grain Stack::grain(std::uint32_t k) const {
  Grain grain = grains_[k % grains_.size()];
  grain.place.z += static_cast<float>(height_ * static_cast<double>(k / grains_.size()));
  return grain;
}

namespace {

// m3, of a ball that is below a plane so high above its middle [m].
double volume_below(double radius, double height) {
  const double h = std::clamp(height, -radius, radius) + radius;
  return std::numbers::pi * h * h * (radius - h / 3.0);
}

}  // namespace

double SoilTile::filled_height() const {
  float top = 0.0f;
  for (const Grain& grain : grains)
    top = std::max(top, grain.place.z);
  const double low = 0.25 * top, high = 0.75 * top;
  double all = 0.0, middle = 0.0;
  for (const Grain& grain : grains) {
    const double r = grain.radius, z = grain.place.z;
    all += ball_volume(r);
    middle += volume_below(r, high - z) - volume_below(r, low - z);
  }
  return all / middle * (high - low);
}

namespace {

// The grains of each column of the tile, by height.
std::vector<std::vector<Stack::Grain>> grains_of_columns(const SoilTile& tile, const SoilGrid& grid,
                                                         double mean_radius) {
  std::vector<std::vector<Stack::Grain>> columns(std::size_t{tile.columns.x} * tile.columns.y);
  for (std::uint32_t k = 0; k < tile.grains.size(); ++k) {
    const SoilTile::Grain& grain = tile.grains[k];
    const glm::dvec2 column = glm::floor(glm::dvec2(grain.place) / grid.edge());
    const glm::uvec2 at = glm::min(glm::uvec2(glm::max(column, 0.0)), tile.columns - 1u);
    const glm::dvec2 corner = grid.edge() * glm::dvec2(at);
    columns[at.y * tile.columns.x + at.x].push_back(
        {{static_cast<float>(grain.place.x - corner.x), static_cast<float>(grain.place.y - corner.y), grain.place.z},
         grain.radius,
         quanta_of(grain.radius, mean_radius),
         k});
  }
  for (auto& column : columns)
    std::ranges::stable_sort(column, {}, [](const Stack::Grain& g) { return g.place.z; });
  return columns;
}

}  // namespace

SoilStacks::SoilStacks(const Scene& scene, SoilTile tile)
    : grid_(scene), tile_(std::move(tile)), kinds_(grid_.size()), materials_(scene.soil->materials()), layers_{0},
      at_start_(grid_.size()), mean_radius_(scene.soil->mean_radius()) {
  const Domain& domain = scene.domain;
  const Soil& soil = *scene.soil;
  for (const std::uint32_t m : materials_)
    kg_.push_back(scene.materials[m].density * ball_volume(mean_radius_) / quanta_of_mean);
  for (const SoilLayer& layer : soil.layers | std::views::reverse)
    layers_.push_back(material_of(layer.material));
  const Ground ground(soil, domain.min.z);
  height_ = ground.top();
  const auto cells = grains_of_columns(tile_, grid_, mean_radius_);

  // Columns at a wall have no grains that would be in it.
  const auto clear_of_walls = [&](const glm::dvec2& corner, const Stack::Grain& grain) {
    constexpr double share = 0.98;  // of a radius, from a wall at least
    for (int a = 0; a < 2; ++a) {
      const double at = corner[a] + grain.place[a], least = share * grain.radius;
      if (domain.axis[static_cast<std::size_t>(a)] == Axis::wall &&
          (at < domain.min[a] + least || at > domain.max[a] - least))
        return false;
    }
    return true;
  };
  std::map<std::tuple<std::uint32_t, bool, bool, bool, bool>, std::uint32_t> kinds;
  for (std::uint32_t c = 0; c < grid_.size(); ++c) {
    const glm::uvec2 at = grid_.at(c), in_tile = at % tile_.columns;
    const glm::dvec2 corner = grid_.corner(c);
    const std::uint32_t cell = in_tile.y * tile_.columns.x + in_tile.x;
    const auto [kind, is_new] =
        kinds.try_emplace({cell, at.x == 0, at.x + 1 == grid_.count().x, at.y == 0, at.y + 1 == grid_.count().y},
                          static_cast<std::uint32_t>(stacks_.size()));
    if (is_new) {
      std::vector<Stack::Grain> grains;
      std::ranges::copy_if(cells[cell], std::back_inserter(grains),
                           [&](const Stack::Grain& grain) { return clear_of_walls(corner, grain); });
      stacks_.emplace_back(std::move(grains), height_);
    }
    kinds_[c] = kind->second;
    at_start_[c] = lay(soil, ground, c);
  }
}

SoilColumn SoilStacks::lay(const Soil& soil, const Ground& ground, std::uint32_t column) {
  constexpr int samples = 3;                     // along each axis, of the surface and of the ends of layers
  double surface = 0.0;                          // m, mean height
  std::vector<double> ends(soil.layers.size());  // m, mean heights of the lower ends of layers, from below
  for (int y = 0; y < samples; ++y)
    for (int x = 0; x < samples; ++x) {
      const glm::dvec2 place = grid_.corner(column) + grid_.edge() * (glm::dvec2(x, y) + 0.5) / double{samples};
      surface += ground.height(place.x, place.y) / (samples * samples);
      if (ends.empty())
        continue;
      double end = ground.height_without_parts(place.x, place.y);
      for (std::size_t l = 0; l < ends.size(); ++l) {
        end -= soil.layers[l].at(place);
        ends[ends.size() - 1 - l] += end / (samples * samples);
      }
    }
  const Stack& stack = of(column);
  for (const double end : ends)
    begins_.push_back(stack.whole(stack.mass(end)));
  const std::uint32_t mass = stack.mass(surface), grains = stack.whole(mass);
  SoilColumn laid{0u, 0u, 0u, 1.0f, glm::uvec3(0u)};
  add_firm(laid, undisturbed(column, grains) + only(material(column, grains), mass - stack.mass_of(grains)));
  laid.disturbed = 0;
  return laid;
}

std::uint32_t SoilStacks::material_of(std::uint32_t in_scene) const {
  return static_cast<std::uint32_t>(std::ranges::find(materials_, in_scene) - materials_.begin());
}

std::uint32_t SoilStacks::material(std::uint32_t column, std::uint32_t k) const {
  const std::size_t layers = layers_.size() - 1;  // above the lowest
  const std::uint32_t* begin = begins_.data() + layers * column;
  return layers_[static_cast<std::size_t>(std::upper_bound(begin, begin + layers, k) - begin)];
}

Mixture SoilStacks::undisturbed(std::uint32_t column, std::uint32_t count) const {
  const Stack& stack = of(column);
  const std::size_t layers = layers_.size() - 1;
  Mixture mixture{};
  std::uint32_t from = 0;
  for (std::size_t l = 0; l <= layers; ++l) {
    const std::uint32_t to = l < layers ? std::min(begins_[layers * column + l], count) : count;
    mixture[layers_[l]] += stack.mass_of(to) - stack.mass_of(from);
    from = to;
  }
  return mixture;
}

Mixture SoilStacks::beyond(std::uint32_t column, const SoilColumn& soil, std::uint32_t undisturbed_mass) const {
  return mixture_of(soil) - undisturbed(column, of(column).whole(undisturbed_mass));
}

bool SoilStacks::is_consistent(std::uint32_t column, const SoilColumn& soil) const {
  const std::uint64_t others = std::uint64_t{soil.others.x} + soil.others.y + soil.others.z;
  if (others > soil.mass)
    return false;
  const Mixture all = mixture_of(soil), firm = undisturbed(column, of(column).whole(soil.mass - soil.loose));
  return std::ranges::equal(firm, all, std::ranges::less_equal());
}

std::optional<std::uint32_t> SoilStacks::material(std::uint32_t column, const SoilColumn& soil, std::uint32_t k,
                                                  std::uint32_t quanta) const {
  const std::uint32_t firm = soil.mass - soil.loose;
  const bool loose = k >= of(column).whole(firm);
  // The grain may be of any soil that is not in the undisturbed grains which are there without it.
  const Mixture mixture = beyond(column, soil, loose ? firm : firm - quanta);
  std::uint32_t chosen = 0;
  if (loose) {  // The materials follow each other along k in their shares.
    const double at = spread(k, std::numbers::sqrt2 - 1.0) * sum_of(mixture);
    for (double end = mixture[0]; chosen + 1 < materials_.size() && end <= at; end += mixture[chosen])
      ++chosen;
  } else {
    chosen = material(column, k);
  }
  // Where a grain above it had no room and stays, there may be too little of its own.
  if (mixture[chosen] < quanta)
    chosen = static_cast<std::uint32_t>(std::ranges::max_element(mixture) - mixture.begin());
  if (mixture[chosen] < quanta)
    return {};
  return chosen;
}

namespace {

// Does the grain lie where the tile has it, under the site again and again? It does not if it has moved by half a
// radius, which the load that it bore in the ground does not make it do (0.01 radii), and a tool does.
bool lies_as_in_tile(const SoilStacks& stacks, double floor, const RestingGrain& grain) {
  constexpr double most = 0.5;  // radii
  if (grain.tile == 0)
    return false;
  const SoilGrid& grid = stacks.grid();
  const glm::dvec3 tile(grid.edge() * glm::dvec2(stacks.tile().columns), stacks.height()),
      off = glm::dvec3(grain.place) - glm::dvec3(grid.min(), floor) -
            glm::dvec3(stacks.tile().grains[grain.tile - 1].place);
  return glm::length(off - tile * glm::round(off / tile)) < most * static_cast<double>(grain.radius);
}

}  // namespace

SoilColumn with_grains(const SoilStacks& stacks, double floor, double swell_most, std::uint32_t column, SoilColumn soil,
                       std::span<const RestingGrain> grains) {
  struct Resting {
    double z;  // m above the floor
    std::uint32_t quanta, material;
    bool moved;
  };
  std::vector<Resting> upwards;
  for (const RestingGrain& grain : grains)
    upwards.push_back({static_cast<double>(grain.place.z) - floor,
                       quanta_of(static_cast<double>(grain.radius), stacks.mean_radius()), grain.material,
                       !lies_as_in_tile(stacks, floor, grain)});
  std::ranges::stable_sort(upwards, {}, &Resting::z);
  // Undisturbed soil ends at the height below which grains that have not moved outnumber the others by most.
  std::size_t firm = 0;
  std::int64_t more = 0, most = 0;
  for (std::size_t k = 0; k < upwards.size(); ++k) {
    more += upwards[k].moved ? -1 : 1;
    if (more > most) {
      most = more;
      firm = k + 1;
    }
  }
  // It ends lower where there are not as many grains of a layer's material as its soil has up to there.
  const auto firm_up_to = [&](std::size_t end) {
    SoilColumn firm = soil;
    Mixture mixture{};
    for (std::size_t k = 0; k < end; ++k)
      mixture[upwards[k].material] += upwards[k].quanta;
    add_firm(firm, mixture);
    return firm;
  };
  SoilColumn with = firm_up_to(firm);
  while (firm > 0 && !stacks.is_consistent(column, with))
    with = firm_up_to(--firm);
  Mixture above{};      // the grains above that height
  double moment = 0.0;  // quanta m above the floor, of these
  for (std::size_t k = firm; k < upwards.size(); ++k) {
    above[upwards[k].material] += upwards[k].quanta;
    moment += upwards[k].quanta * upwards[k].z;
  }
  if (const std::uint32_t mass = sum_of(above); mass > 0) {
    // The middle of a layer that swells by a factor s on the spot rises by (s - 1) / 2 of its thickness.
    const Stack& stack = stacks.of(column);
    const double rise = moment / mass - stack.middle_of(volume_of(with), mass), thickness = mass / stack.per_meter();
    add_loose(with, above, std::clamp(1.0 + 2.0 * rise / thickness, double{shared::soil_swell_least}, swell_most));
  }
  with.disturbed = 1;
  return with;
}

namespace {

// The mean tangent of the materials that are uppermost in a column.
double slope_of(const SoilStacks& stacks, std::uint32_t column, const SoilColumn& soil,
                std::span<const double> slopes) {
  if (stacks.materials().size() == 1)
    return slopes[0];
  if (soil.loose == 0) {
    const std::uint32_t grains = stacks.of(column).whole(soil.mass);
    return slopes[stacks.material(column, grains > 0 ? grains - 1 : 0)];
  }
  const Mixture mixture = stacks.loosened(column, soil);
  double sum = 0.0;
  for (std::size_t m = 0; m < slopes.size(); ++m)
    sum += mixture[m] * slopes[m];
  return sum / sum_of(mixture);
}

}  // namespace

bool relax(const SoilStacks& stacks, std::span<SoilColumn> columns, const std::vector<bool>& may_flow,
           std::span<const double> slopes, int sweeps) {
  TALUS_ASSERT(slopes.size() == stacks.materials().size(), slopes.size(), stacks.materials().size());
  const SoilGrid& grid = stacks.grid();
  bool any = false;
  const auto slide = [&](std::uint32_t a, const glm::ivec2& way) {
    const auto other = grid.beside(a, way);
    if (!other || *other == a || !may_flow[a] || !may_flow[*other] ||
        (columns[a].disturbed | columns[*other].disturbed) == 0)
      return false;
    std::uint32_t high = a, low = *other;
    double rise = stacks.of(high).height(columns[high]) - stacks.of(low).height(columns[low]);
    if (rise < 0.0) {
      std::swap(high, low);
      rise = -rise;
    }
    const double slope = slope_of(stacks, high, columns[high], slopes),
                 excess = rise - slope * (way.x != 0 ? grid.edge().x : grid.edge().y);
    if (excess <= 0.0)
      return false;
    // m quanta of swell s lower the one by m s / p and raise the other by m s / q: m = excess p q / (s (p + q)) leaves
    // the steepest slope.
    const double p = stacks.of(high).per_meter(), q = stacks.of(low).per_meter();
    SoilColumn& from = columns[high];
    const bool loose = from.loose > 0;
    const double swell = loose ? static_cast<double>(from.swell) : 1.0;
    const auto moved =
        std::min(static_cast<std::uint32_t>(excess * p * q / (swell * (p + q))), loose ? from.loose : from.mass);
    if (moved == 0)
      return false;
    const std::uint32_t stays = loose ? from.mass - from.loose : from.mass - moved;  // undisturbed
    const Mixture soil = part_of(stacks.beyond(high, from, stays), moved);
    if (loose)
      take_loose(from, soil);
    else
      take_firm(from, soil);
    add_loose(columns[low], soil, swell);
    return true;
  };
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool moved = false;
    for (const glm::ivec2 way : {glm::ivec2(1, 0), glm::ivec2(0, 1)})
      for (std::uint32_t parity = 0; parity < 2; ++parity)
        for (std::uint32_t c = 0; c < grid.size(); ++c)
          if (const glm::uvec2 at = grid.at(c); (way.x != 0 ? at.x : at.y) % 2 == parity)
            moved = slide(c, way) || moved;
    any = any || moved;
    if (!moved)
      break;
  }
  return any;
}

}  // namespace talus
