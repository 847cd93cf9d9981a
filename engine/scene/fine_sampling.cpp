#include "engine/scene/fine_sampling.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <span>

namespace talus {

namespace {

constexpr std::uint64_t stream_fine = 6'000'000'000;

// Share of the volume in balls, to which random places are found in little time. Fine grains that lie denser
// are placed as smaller balls: those overlap a little.
constexpr double sparse = 0.30;

double ball_volume(double r) {
  return 4.0 / 3.0 * std::numbers::pi * r * r * r;
}

class FineSampling {
public:
  FineSampling(const Scene& scene, const Space::Blocked& blocked, Population& population)
      : scene_(scene), spec_(*scene.upsampling), blocked_(blocked), population_(population),
        mean_volume_(ball_volume(1.0) * (spec_.radius_min * spec_.radius_min + spec_.radius_max * spec_.radius_max) *
                     (spec_.radius_min + spec_.radius_max) / 4.0),
        largest_(std::accumulate(population.initial.begin(), population.initial.end(), spec_.radius_max,
                                 [](double most, const Seed& s) { return std::max<double>(most, s.radius); })),
        packing_(largest_, scene.domain), reaches_(shared::near_reach * largest_, scene.domain) {}

  // What fine grains lie around, and never within.
  void keep_out(std::span<const Seed> seeds) {
    for (const Seed& seed : seeds)
      packing_.add({seed.position, seed.radius});
  }

  // What fine grains go with.
  void go_with(std::span<const Seed> seeds) {
    for (const Seed& seed : seeds)
      reaches_.add({seed.position, shared::near_reach * seed.radius});
  }

  void fill(const GrainGroup& group, std::span<const Seed> coarse, Random random) {
    double volume = 0.0;
    for (const Seed& seed : coarse)
      volume += ball_volume(seed.radius);
    if (std::holds_alternative<PointsFill>(group.shape))
      for (double sum = 0.0; const Seed& seed : coarse) {
        const auto before = std::llround(sum / mean_volume_);
        sum += ball_volume(seed.radius);
        for (auto k = before; k < std::llround(sum / mean_volume_); ++k)
          add_within(seed, random);
      }
    else
      fill_shape(group, check(std::llround(volume / mean_volume_)), random);
  }

  // How many each coarse birth brings: all together their volume.
  void count_births() {
    double sum = 0.0;
    population_.fine_first.clear();
    for (const TimedSeed& birth : population_.poured) {
      population_.fine_first.push_back(check(std::llround(sum / mean_volume_)));
      sum += ball_volume(birth.seed.radius);
    }
    population_.fine_first.push_back(check(std::llround(sum / mean_volume_)));
  }

private:
  std::uint32_t check(long long more) const {
    const auto all = population_.fine.size() + static_cast<std::size_t>(more);
    if (all > fine_most)
      throw SceneError(fmt::format("{}: upsampling.radius makes {} fine grains or more: allowed are {}; give a larger "
                                   "radius",
                                   spec_.where.empty() ? scene_.source : spec_.where, all, fine_most));
    return static_cast<std::uint32_t>(more);
  }

  float radius(Random& random) const { return static_cast<float>(random.between(spec_.radius_min, spec_.radius_max)); }

  // At a random place in a coarse grain that lies where it was put.
  void add_within(const Seed& seed, Random& random) {
    check(1);
    const float r = radius(random);
    glm::dvec3 way;
    do
      way = 2.0 * random.vec() - 1.0;
    while (glm::dot(way, way) > 1.0);
    population_.fine.push_back({seed.position + (seed.radius - r) * glm::vec3(way), r, seed.velocity, seed.material});
  }

  // Does a fine grain somewhere within `around` [m] of a place hang on the coarse ones there, so that it rests with
  // them? As fine_move sees it.
  bool carried(const glm::dvec3& place, double around) {
    look_around(place, around);
    const glm::vec3 from(place - looked_from_);
    const float out = static_cast<float>(around);
    float sum = 0.0f;
    for (std::size_t i = 0; i < near_.radius.size(); ++i) {
      const glm::vec3 way(near_.x[i] - from.x, near_.y[i] - from.y, near_.z[i] - from.z);
      const float part = std::max(glm::length(way) - out, 0.0f) / near_.radius[i];
      const float near = std::max(1.0f - part * part, 0.0f), weight = near * near * near;
      sum += weight;
      if (sum >= shared::fine_carried || weight > shared::fine_c1)
        return true;
    }
    return false;
  }

  // m3, of the places in a space that are carried; to some percent, where they are no small part of it.
  double carried_volume(const Space& space) {
    constexpr int cells = 20;  // per axis
    const glm::dvec3 edges = (space.bounds().max - space.bounds().min) / static_cast<double>(cells);
    int inside = 0;
    for (int z = 0; z < cells; ++z)
      for (int y = 0; y < cells; ++y)
        for (int x = 0; x < cells; ++x) {
          const glm::dvec3 place = space.bounds().min + edges * (glm::dvec3(x, y, z) + 0.5);
          inside += space.holds(place, 0.0) && carried(place, 0.0);
        }
    return edges.x * edges.y * edges.z * inside;
  }

  // Finds the coarse grains whose reach holds places within `around` of this one; most often they are known.
  void look_around(const glm::dvec3& place, double around) {
    const glm::dvec3 away = glm::abs(place - looked_from_) + around;
    if (std::max({away.x, away.y, away.z}) <= looked_)
      return;
    looked_from_ = place;
    looked_ = std::max(0.5 * largest_, around);
    reaches_.near(place, looked_, 0.0, near_);
  }

  void fill_shape(const GrainGroup& group, std::uint32_t count, Random& random) {
    const double r = spec_.radius_max;
    const Space whole(group.shape, scene_.domain, r, blocked_);
    const std::size_t before = packing_.size();
    const double volume = count * mean_volume_;
    double share = std::min(1.0, std::cbrt(sparse * std::max(carried_volume(whole) / volume, 1.0)));  // of the radius
    std::vector<Ball> balls;
    for (int attempt = 0; attempt < 10; ++attempt, share *= 0.9) {
      packing_.shrink(before);
      // Smaller balls, where the whole ones have room.
      const Space space(
          group.shape, scene_.domain, r,
          [&](const glm::dvec3& center, double part) {
            return part > 0.0 ? !whole.holds(center, part / share) ||
                                    !carried(center, std::max(share * spec_.radius_min - part, 0.0))
                              : blocked_ && blocked_(center, part);
          },
          true);
      balls = fill_random(space, share * spec_.radius_min, share * r, count, packing_, random);
      if (balls.size() == count)
        break;
    }
    if (balls.size() < count)
      throw SceneError(
          fmt::format("{}: the fill has no room for {} fine grains: allowed is a larger fill, or a smaller "
                      "upsampling.radius",
                      group.where.empty() ? scene_.source : group.where, count));
    for (const Ball& ball : balls)
      population_.fine.push_back({ball.center, static_cast<float>(static_cast<double>(ball.radius) / share),
                                  glm::vec3(group.velocity), group.material});
  }

  const Scene& scene_;
  const Upsampling& spec_;
  const Space::Blocked& blocked_;
  Population& population_;
  double mean_volume_;  // m3, of a fine grain
  double largest_;      // m, radius of a grain
  Packing packing_;
  Packing reaches_;  // of the coarse grains that fine ones go with
  Near near_;        // .. around the cube of half edge looked_ about looked_from_
  glm::dvec3 looked_from_{0.0};
  double looked_ = -1.0;
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
  FineSampling fine(scene, blocked, population);
  const auto seeds = [&](std::size_t first, std::size_t end) {
    return std::span<const Seed>(population.initial).subspan(first, end - first);
  };
  const std::size_t skin = population.initial.size() - population.skin.size(), cloth = skin - population.cloth_vertices;
  fine.keep_out(seeds(group_first.back(), cloth));  // particles of shapes
  fine.keep_out(seeds(skin, population.initial.size()));
  for (std::size_t i = 0; i < scene.grains.size(); ++i)
    if (const auto group = seeds(group_first[i], group_first[i + 1]); scene.grains[i].fixed)
      fine.keep_out(group);
    else
      fine.go_with(group);
  for (std::size_t i = 0; i < scene.grains.size(); ++i)
    if (!scene.grains[i].fixed)
      fine.fill(scene.grains[i], seeds(group_first[i], group_first[i + 1]), Random(scene.seed, stream_fine + i));
  fine.count_births();
}

void count_fine_births(const Scene& scene, Population& population) {
  const Space::Blocked nothing;
  if (scene.upsampling)
    FineSampling(scene, nothing, population).count_births();
}

}  // namespace talus
