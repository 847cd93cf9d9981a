// Very many balls at once, by all cores: apart, inside, dense, and the same for any number of threads.
#include "engine/scene/even_sampling.h"
#include "simulate.h"
#include "tests/catch.h"
#include <numbers>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

using namespace talus;
using namespace talus_tests;

namespace {

class InBall final : public Region {
public:
  InBall(const glm::dvec3& center, double radius) : center_(center), radius_(radius) {}

  Part part(const glm::dvec3& center, double half) const override {
    const double d = glm::distance(center, center_), out = std::numbers::sqrt3 * half;
    return d - out > radius_ ? Part::none : d + out < radius_ ? Part::all : Part::some;
  }
  bool holds(const glm::dvec3& center, double) const override { return glm::distance(center, center_) <= radius_; }

private:
  glm::dvec3 center_;
  double radius_;
};

// Deepest overlap, in sums of radii.
double worst_overlap(const std::vector<Ball>& balls, const glm::dvec3& period) {
  double worst = -1.0;
  for (std::size_t i = 0; i < balls.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      glm::dvec3 way = glm::dvec3(balls[i].center) - glm::dvec3(balls[j].center);
      for (int a = 0; a < 3; ++a)
        if (period[a] > 0.0)
          way[a] -= period[a] * std::round(way[a] / period[a]);
      const double sum = static_cast<double>(balls[i].radius) + balls[j].radius;
      worst = std::max(worst, 1.0 - glm::length(way) / sum);
    }
  return worst;
}

double volume_of(const std::vector<Ball>& balls) {
  double sum = 0.0;
  for (const Ball& ball : balls)
    sum += 4.0 / 3.0 * std::numbers::pi * std::pow(ball.radius, 3);
  return sum;
}

bool same(const Ball& a, const Ball& b) {
  return a.center == b.center && a.radius == b.radius;
}

}  // namespace

TEST_CASE("Even places are as many as asked for, apart, inside, and of all radii", "[sampling]") {
  const double smallest = GENERATE(0.02, 0.015, 0.004);
  const bool periodic = GENERATE(false, true);
  CAPTURE(smallest, periodic);
  const Bounds box{{-0.5, 0.0, 0.2}, {0.5, 0.9, 0.75}};
  const glm::dvec3 period = periodic ? glm::dvec3(1.0, 0.0, 0.55) : glm::dvec3(0.0);
  const double largest = 0.02, mean_cube = (smallest * smallest + largest * largest) * (smallest + largest) / 4.0;
  const auto count = static_cast<std::uint32_t>(0.3 * 0.495 / (4.0 / 3.0 * std::numbers::pi * mean_cube));
  Random random(1, 2);
  const std::vector<Ball> balls = fill_evenly(box, period, {}, smallest, largest, count, random);
  REQUIRE(balls.size() == count);
  CHECK(worst_overlap(balls, period) < 1e-7);
  double mean = 0.0;
  std::array<int, 8> octants{};
  for (const Ball& ball : balls) {
    const glm::dvec3 center(ball.center);
    CHECK(glm::all(glm::greaterThanEqual(center, box.min - 1e-6)));
    CHECK(glm::all(glm::lessThanEqual(center, box.max + 1e-6)));
    mean += static_cast<double>(ball.radius) / count;
    const glm::bvec3 high = glm::greaterThan(center, (box.min + box.max) / 2.0);
    ++octants[(high.x ? 1 : 0) + (high.y ? 2 : 0) + (high.z ? 4 : 0)];
  }
  CHECK(mean == Approx((smallest + largest) / 2.0).epsilon(0.005));
  for (const int octant : octants)
    CHECK(octant == Approx(count / 8.0).epsilon(0.15));
}

TEST_CASE("Even places fill a region up to the random maximum, and no further", "[sampling]") {
  const InBall ball({0.5, 0.5, 0.5}, 0.4);
  const Region* region = &ball;
  Random random(3, 4);
  const double radius = 0.02;
  const auto balls =
      fill_evenly({glm::dvec3(0.0), glm::dvec3(1.0)}, glm::dvec3(0.0), {&region, 1}, radius, radius, 1'000'000, random);
  CHECK(worst_overlap(balls, glm::dvec3(0.0)) < 1e-7);
  CHECK(std::ranges::all_of(balls, [&](const Ball& b) { return ball.holds(glm::dvec3(b.center), 0.0); }));
  std::vector<Ball> core = balls;
  const double within = 0.4 - 3.0 * radius;
  std::erase_if(core, [&](const Ball& b) { return glm::distance(glm::dvec3(b.center), glm::dvec3(0.5)) > within; });
  const double share = volume_of(core) / (4.0 / 3.0 * std::numbers::pi * std::pow(within, 3));
  CHECK(share > 0.36);
  CHECK(share < 0.40);
}

TEST_CASE("Even places end where there is no room left", "[sampling]") {
  const Bounds box{glm::dvec3(0.0), glm::dvec3(1.0)};
  const auto places_in = [&](const InBall& ball) {
    const Region* region = &ball;
    Random random(7, 8);
    return fill_evenly(box, glm::dvec3(0.0), {&region, 1}, 0.05, 0.05, 1000, random).size();
  };
  CHECK(places_in(InBall(glm::dvec3(3.0), 0.5)) == 0);    // nowhere
  CHECK(places_in(InBall(glm::dvec3(0.55), 0.04)) == 1);  // for one
}

TEST_CASE("Even places are the same for any number of threads", "[sampling]") {
  const auto balls_of = [](int threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    std::vector<Ball> balls;
    tbb::task_arena(threads).execute([&] {
      const InBall ball({0.5, 0.5, 0.5}, 0.5);
      const Region* region = &ball;
      Random random(5, 6);
      balls = fill_evenly({glm::dvec3(0.0), glm::dvec3(1.0)}, glm::dvec3(1.0, 0.0, 0.0), {&region, 1}, 0.008, 0.01,
                          50'000, random);
    });
    return balls;
  };
  const std::vector<Ball> one = balls_of(1);
  REQUIRE(one.size() == 50'000);
  for (const int threads : {2, 5})
    CHECK(std::ranges::equal(one, balls_of(threads), same));
}
