#include "engine/scene/fine_sampling.h"
#include "engine/scene/even_sampling.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <tbb/parallel_for.h>

namespace talus {

namespace {

using Part = Region::Part;

constexpr std::uint64_t stream_fine = 6'000'000'000;

// Share of the volume in balls, to which random places are found in little time. Fine grains that lie denser
// are placed as smaller balls: those overlap a little.
constexpr double sparse = 0.30;

// Cells of the box around a fill: their blocks take some 100 MB, and some seconds.
constexpr double cells_most = 2e9;

// Radii up to which a mesh tells depths: whole cubes as wide as the largest ball are then known to be within it.
constexpr double depth_radii = 3.0;

// For balls that are a share as large as fine grains: where these are in the fill's shape.
class InShape final : public Region {
public:
  InShape(const Space& space, double share, const Upsampling& spec) : space_(space), share_(share), spec_(spec) {}

  Part part(const glm::dvec3& center, double half) const override {
    return space_.holds_all(center, half, spec_.radius_max) ? Part::all
           : space_.reaches(center, half, spec_.radius_min) ? Part::some
                                                            : Part::none;
  }
  bool holds(const glm::dvec3& center, double radius) const override { return space_.holds(center, radius / share_); }

private:
  const Space& space_;
  double share_;
  const Upsampling& spec_;
};

// .. and beside bodies.
class Beside final : public Region {
public:
  Beside(const Space::Blocked& blocked, double share, const Upsampling& spec)
      : blocked_(blocked), share_(share), spec_(spec) {}

  Part part(const glm::dvec3& center, double half) const override {
    const double out = std::numbers::sqrt3 * half, depth = out - spec_.radius_min;
    if (!blocked_(center, out + spec_.radius_max))
      return Part::all;
    // How deep a place lies in a mesh is known up to a coarse radius.
    return depth <= spec_.radius_min && blocked_(center, -depth) ? Part::none : Part::some;
  }
  bool holds(const glm::dvec3& center, double radius) const override { return !blocked_(center, radius / share_); }

private:
  const Space::Blocked& blocked_;
  double share_;
  const Upsampling& spec_;
};

// Apart from balls that lie there already.
class Apart final : public Region {
public:
  Apart(const Packing& packing, double radius_min, double radius_max)
      : packing_(packing), radius_min_(radius_min), radius_max_(radius_max) {}

  Part part(const glm::dvec3& center, double half) const override {
    Near near;
    packing_.near(center, half, radius_max_, near);
    return near.size() == 0                                                                 ? Part::all
           : near.covers(glm::vec3(0.0f), glm::vec3(half), static_cast<float>(radius_min_)) ? Part::none
                                                                                            : Part::some;
  }
  bool holds(const glm::dvec3& center, double radius) const override {
    return packing_.free({glm::vec3(center), static_cast<float>(radius)});
  }

private:
  const Packing& packing_;
  double radius_min_, radius_max_;  // m
};

// Where a fine grain hangs on the coarse ones around so that it rests with them, as fine_move sees it.
class Carried final : public Region {
public:
  Carried(const std::vector<Ball>& coarse, const Domain& domain) {
    for (const Ball& ball : coarse) {
      reach_ = std::max(reach_, shared::near_reach * ball.radius);
      advecting_.push_back({ball.center, 1.0f / (shared::near_reach * ball.radius)});
    }
    for (int a = 0; a < 3; ++a)
      if (domain.axis[a] == Axis::periodic)
        add_images(a, static_cast<float>(domain.min[a]), static_cast<float>(domain.max[a]));
    sort_by_cell();
  }

  Part part(const glm::dvec3& center, double half) const override {
    const float out = static_cast<float>(std::numbers::sqrt3 * half);
    if (out > reach_ || holds(center))
      return Part::some;  // more would be no cheaper to tell than of single places
    Sum most;
    each(center, reach_ + out, [&](float distance2, float per_reach) {
      const float nearest = std::max(std::sqrt(distance2) - out, 0.0f) * per_reach;
      return most.add(nearest * nearest);
    });
    return most.enough() ? Part::some : Part::none;
  }
  bool holds(const glm::dvec3& center, double = 0.0) const override {
    for (const float share : {0.4f, 1.0f}) {  // most often the nearest ones are enough
      Sum sum;
      each(center, share * reach_,
           [&](float distance2, float per_reach) { return sum.add(distance2 * per_reach * per_reach); });
      if (sum.enough())
        return true;
    }
    return false;
  }

private:
  struct AdvectingGrain {
    glm::vec3 place;
    float per_reach;  // 1/m
  };
  struct Sum {
    float weights = 0.0f;
    bool within = false;  // a coarse grain

    bool add(float distance2) {  // squared, in reaches; is it enough?
      const float near = std::max(1.0f - distance2, 0.0f), weight = near * near * near;
      weights += weight;
      within = within || weight > shared::fine_c1;
      return enough();
    }
    bool enough() const { return within || weights >= shared::fine_carried; }
  };

  // Of those that reach across an end of a periodic axis from as far as it is asked for.
  void add_images(int axis, float min, float max) {
    for (std::size_t i = 0, n = advecting_.size(); i < n; ++i)
      for (const float side : {-1.0f, 1.0f}) {
        AdvectingGrain image = advecting_[i];
        image.place[axis] += side * (max - min);
        if (image.place[axis] > min - 2.0f * reach_ && image.place[axis] < max + 2.0f * reach_)
          advecting_.push_back(image);
      }
  }

  void sort_by_cell() {
    glm::vec3 high(std::numeric_limits<float>::lowest());
    low_ = -high;
    for (const AdvectingGrain& c : advecting_) {
      low_ = glm::min(low_, c.place);
      high = glm::max(high, c.place);
    }
    const glm::vec3 extent = glm::max(high - low_, glm::vec3(reach_));
    // Few more cells than advecting grains, where these lie far apart.
    const float edge = std::max(
        0.5f * reach_, std::cbrt(extent.x * extent.y * extent.z / (4.0f * static_cast<float>(advecting_.size()))));
    cells_ = advecting_.empty() ? glm::ivec3(1) : glm::ivec3(extent / edge) + 1;
    per_meter_ = advecting_.empty() ? 1.0f : 1.0f / edge;
    first_.assign(index(cells_ - 1) + 2, 0);
    for (const AdvectingGrain& c : advecting_)
      ++first_[index(cell_of(c.place))];
    std::uint32_t sum = 0;
    for (std::uint32_t& first : first_)
      first = sum += first;
    std::vector<AdvectingGrain> sorted(advecting_.size());
    for (std::size_t i = advecting_.size(); i-- > 0;)
      sorted[--first_[index(cell_of(advecting_[i].place))]] = advecting_[i];
    advecting_ = std::move(sorted);
  }

  glm::ivec3 cell_of(const glm::vec3& place) const {  // the nearest
    return glm::ivec3(glm::clamp((place - low_) * per_meter_, glm::vec3(0.0f), glm::vec3(cells_ - 1)));
  }
  std::size_t index(const glm::ivec3& c) const {
    return (static_cast<std::size_t>(c.z) * cells_.y + c.y) * cells_.x + c.x;
  }

  // Calls visit(squared distance [m2], 1 / reach) for all within `around` [m] of a place, and some beyond, until that
  // says enough.
  void each(const glm::dvec3& center, float around, auto&& visit) const {
    const glm::vec3 place(center);
    const glm::ivec3 from = cell_of(place - around), to = cell_of(place + around);
    for (int z = from.z; z <= to.z; ++z)
      for (int y = from.y; y <= to.y; ++y)
        for (std::uint32_t i = first_[index({from.x, y, z})], end = first_[index({to.x, y, z}) + 1]; i < end; ++i)
          if (const glm::vec3 way = advecting_[i].place - place; visit(glm::dot(way, way), advecting_[i].per_reach))
            return;
  }

  float reach_ = 0.0f;  // m, the longest
  glm::vec3 low_;
  float per_meter_;  // cells
  glm::ivec3 cells_;
  std::vector<std::uint32_t> first_;       // advecting grain of a cell; one more
  std::vector<AdvectingGrain> advecting_;  // by cell
};

class FineSampling {
public:
  FineSampling(const Scene& scene, const Space::Blocked& blocked, Population& population)
      : scene_(scene), spec_(*scene.upsampling), blocked_(blocked), population_(population),
        mean_volume_(mean_ball_volume(spec_.radius_min, spec_.radius_max)) {}

  // kept_out: what fine grains lie around, and never within. carriers: the coarse grains that advect them.
  void fill_all(const std::vector<std::size_t>& group_first, const std::vector<Ball>& kept_out,
                const std::vector<Ball>& advecting) {
    const double largest = std::accumulate(kept_out.begin(), kept_out.end(), spec_.radius_max,
                                           [](double most, const Ball& b) { return std::max<double>(most, b.radius); });
    Packing others(largest, scene_.domain);
    for (const Ball& ball : kept_out)
      others.add(ball);
    const Carried carried(advecting, scene_.domain);
    for (std::size_t i = 0; i < scene_.grains.size(); ++i)
      if (!scene_.grains[i].fixed)
        fill(i, std::span<const Seed>(population_.initial).subspan(group_first[i], group_first[i + 1] - group_first[i]),
             carried, others);
  }

  // How many each emitted coarse grain brings: all together their volume.
  void count_emitted() {
    double sum = 0.0;
    population_.fine_first.clear();
    for (const ScheduledGrain& emitted : population_.scheduled) {
      population_.fine_first.push_back(check(std::llround(sum / mean_volume_)));
      sum += ball_volume(emitted.seed.radius);
    }
    population_.fine_first.push_back(check(std::llround(sum / mean_volume_)));
  }

private:
  std::uint32_t check(long long more) const {
    const auto all = population_.fine.size() + static_cast<std::size_t>(more);
    if (all > fine_most)
      throw SceneError(fmt::format("{}: upsampling.radius makes {} fine grains or more: the limit is {}; give a larger "
                                   "radius",
                                   spec_.where.empty() ? scene_.source : spec_.where, all, fine_most));
    return static_cast<std::uint32_t>(more);
  }

  void fill(std::size_t i, std::span<const Seed> coarse, const Carried& carried, Packing& others) {
    const GrainGroup& group = scene_.grains[i];
    Random random(scene_.seed, stream_fine + i);
    double volume = 0.0;
    for (const Seed& seed : coarse)
      volume += ball_volume(seed.radius);
    if (says_places(group.shape))
      for (double sum = 0.0; const Seed& seed : coarse) {
        const auto before = std::llround(sum / mean_volume_);
        sum += ball_volume(seed.radius);
        for (auto k = before; k < std::llround(sum / mean_volume_); ++k)
          add_within(seed, random);
      }
    else
      fill_shape(i, check(std::llround(volume / mean_volume_)), carried, others, random);
  }

  // At a random place in a coarse grain that lies where it was put.
  void add_within(const Seed& seed, Random& random) {
    check(1);
    const float r = static_cast<float>(random.between(spec_.radius_min, spec_.radius_max));
    glm::dvec3 way;
    do
      way = 2.0 * random.vec() - 1.0;
    while (glm::dot(way, way) > 1.0);
    population_.fine.push_back({seed.position + (seed.radius - r) * glm::vec3(way), r, seed.velocity, seed.material});
  }

  // m3, of the places in a fill that are carried; to some percent, where they are no small part of it.
  double carried_volume(const Space& space, const Carried& carried) const {
    constexpr int cells = 20;  // per axis
    const glm::dvec3 edges = (space.bounds().max - space.bounds().min) / static_cast<double>(cells);
    int inside = 0;
    for (int z = 0; z < cells; ++z)
      for (int y = 0; y < cells; ++y)
        for (int x = 0; x < cells; ++x) {
          const glm::dvec3 place = space.bounds().min + edges * (glm::dvec3(x, y, z) + 0.5);
          inside += space.holds(place, 0.0) && !(blocked_ && blocked_(place, 0.0)) && carried.holds(place);
        }
    return edges.x * edges.y * edges.z * inside;
  }

  void fill_shape(std::size_t i, std::uint32_t count, const Carried& carried, Packing& others, Random& random) {
    const GrainGroup& group = scene_.grains[i];
    const Space space(group.shape, scene_.domain, depth_radii * spec_.radius_max);
    const Bounds& box = space.bounds();
    glm::dvec3 period(0.0);
    for (int a = 0; a < 3; ++a)
      if (space.endless(a))
        period[a] = box.max[a] - box.min[a];
    const double volume = count * mean_volume_;
    // Cells of the largest of the balls below.
    const glm::dvec3 cells = (box.max - box.min) / (2.0 * std::cbrt(sparse) * spec_.radius_max);
    if (!(cells.x * cells.y * cells.z <= cells_most))
      throw SceneError(
          fmt::format("{}: the box around the fill has room for {:.3g} fine grains, too many to look for "
                      "places among: the limit is {:.3g}; give a larger upsampling.radius, or a smaller fill",
                      group.where.empty() ? scene_.source : group.where, cells.x * cells.y * cells.z, cells_most));
    // Of the radius.
    double share = std::min(1.0, std::cbrt(sparse * std::max(carried_volume(space, carried) / volume, 1.0)));
    std::vector<Ball> balls;
    for (int attempt = 0; attempt < 10; ++attempt, share *= 0.9) {
      const double r_min = share * spec_.radius_min, r_max = share * spec_.radius_max;
      const InShape in_shape(space, share, spec_);
      const Beside beside(blocked_, share, spec_);
      const Apart apart(others, r_min, r_max);
      std::vector<const Region*> regions{&in_shape};
      if (blocked_)
        regions.push_back(&beside);
      if (others.size() > 0)
        regions.push_back(&apart);
      regions.push_back(&carried);
      balls = fill_evenly(box, period, regions, r_min, r_max, count, random);
      if (balls.size() == count)
        break;
    }
    if (balls.size() < count)
      throw SceneError(
          fmt::format("{}: the fill has no room for {} fine grains: allowed is a larger fill, or a smaller "
                      "upsampling.radius",
                      group.where.empty() ? scene_.source : group.where, count));
    const std::size_t before = population_.fine.size();
    population_.fine.resize(before + count);
    tbb::parallel_for(std::size_t{0}, balls.size(), [&](std::size_t k) {
      population_.fine[before + k] = {balls[k].center, static_cast<float>(static_cast<double>(balls[k].radius) / share),
                                      glm::vec3(group.velocity), group.material};
    });
    keep_from_later(i, balls, others);
  }

  // The groups after this one lie around these of its balls, which come near.
  void keep_from_later(std::size_t i, const std::vector<Ball>& balls, Packing& others) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<Bounds> later;
    for (const GrainGroup& group : std::span(scene_.grains).subspan(i + 1))
      if (!group.fixed && !says_places(group.shape)) {
        later.push_back(bounds(group.shape));
        for (int a = 0; a < 3; ++a)
          if (scene_.domain.axis[a] == Axis::periodic) {
            later.back().min[a] = -infinity;
            later.back().max[a] = infinity;
          }
      }
    for (const Ball& ball : balls)
      if (std::ranges::any_of(later, [&](const Bounds& box) {
            const glm::dvec3 center(ball.center);
            return glm::all(glm::greaterThan(center + static_cast<double>(ball.radius), box.min)) &&
                   glm::all(glm::lessThan(center - static_cast<double>(ball.radius), box.max));
          }))
        others.add(ball);
  }

  const Scene& scene_;
  const Upsampling& spec_;
  const Space::Blocked& blocked_;
  Population& population_;
  double mean_volume_;  // m3, of a fine grain
};

}  // namespace

double fine_step(const Scene& scene) {
  const double most = scene.upsampling && scene.upsampling->step > 0.0 ? scene.upsampling->step : 1.0 / 60.0;
  return std::max(1.0, std::floor(most / scene.dt + 1e-6)) * scene.dt;
}

void sample_fine(const Scene& scene, const std::vector<std::size_t>& group_first, const Space::Blocked& blocked,
                 Population& population) {
  if (!scene.upsampling)
    return;
  std::vector<Ball> kept_out, advecting;
  const auto add = [&](std::vector<Ball>& to, std::size_t first, std::size_t end) {
    for (const Seed& seed : std::span<const Seed>(population.initial).subspan(first, end - first))
      to.push_back({seed.position, seed.radius});
  };
  const std::size_t boundary = population.initial.size() - population.boundary.size(),
                    cloth = boundary - population.cloth_vertices;
  add(kept_out, group_first.back(), cloth);  // particles of shapes
  add(kept_out, boundary, population.initial.size());
  for (std::size_t i = 0; i < scene.grains.size(); ++i)
    add(scene.grains[i].fixed ? kept_out : advecting, group_first[i], group_first[i + 1]);
  FineSampling fine(scene, blocked, population);
  fine.fill_all(group_first, kept_out, advecting);
  fine.count_emitted();
}

void count_fine_emitted(const Scene& scene, Population& population) {
  const Space::Blocked nothing;
  if (scene.upsampling)
    FineSampling(scene, nothing, population).count_emitted();
}

}  // namespace talus
