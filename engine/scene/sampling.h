#pragma once
// Places for balls, random and dense or on a jittered lattice, without overlap. The same on every platform: random
// integers of our own, and only operations that IEEE 754 rounds exactly (build with -ffp-contract=off where compilers
// fuse a*b+c).
#include "engine/geometry/bounds.h"
#include "engine/geometry/solid.h"
#include "engine/scene/scene.h"
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numbers>
#include <span>

namespace talus {

// splitmix64: a counter through an integer hash. Streams of one seed are independent.
class Random {
public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(hash(hash(seed) + stream)) {}
  std::uint64_t bits() { return hash(state_ += 0x9E3779B97F4A7C15u); }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double between(double a, double b) { return a + (b - a) * unit(); }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((bits() >> 32) * n >> 32); }
  glm::dvec3 vec() {  // three units; x first
    const double x = unit(), y = unit();
    return {x, y, unit()};
  }

private:
  static std::uint64_t hash(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

struct Ball {
  glm::vec3 center;  // m
  float radius;      // m
};
inline double ball_volume(double radius) {  // m3
  return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
}
// m3, mean over balls whose radii are uniform between two.
inline double mean_ball_volume(double radius_min, double radius_max) {
  return ball_volume(1.0) * (radius_min * radius_min + radius_max * radius_max) * (radius_min + radius_max) / 4;
}

Bounds bounds(const Shape& shape);

// The space that a shape (not points) encloses inside a domain's walls. An axis that is periodic and spanned by a box
// has no ends: balls may stick out on one side, and so come in on the other. Where parts of a solid meet, its distance
// is that from one of them: no ball lies across, unless it lies in one alone.
class Space {
public:
  using Blocked = std::function<bool(const glm::dvec3& center, double radius)>;

  // radius_max: m, of the balls that it is asked about. blocked: something else takes the place of a ball there; asked
  // about single balls alone.
  Space(const Shape& shape, const Domain& domain, double radius_max, Blocked blocked = {});
  bool holds(const glm::dvec3& center, double radius) const;  // the whole ball, up to 1e-6 radii
  // Some point of the cube may be the centre of a ball that the space holds. Never false where one exists.
  bool reaches(const glm::dvec3& cube_center, double half_edge, double radius) const;
  // All points of the cube may, where nothing is blocked. True only where they may, as far as that is cheap to tell.
  bool holds_all(const glm::dvec3& cube_center, double half_edge, double radius) const;
  bool fits(double radius) const;  // at least one ball, as far as that is cheap to tell: false only where none does
  double volume() const;           // m3; of a solid to some percent
  double height(int axis) const;   // m, along an axis: mean of the columns, each by its volume; of a solid likewise
  const Bounds& bounds() const { return bounds_; }
  bool endless(int axis) const { return endless_[axis]; }

private:
  bool fits_solid(double radius) const;
  std::vector<int> columns_of_solid(int axis) const;

  Shape shape_;
  Solid solid_;  // of a SolidFill
  double far_;   // m, depths in meshes are known up to there
  Bounds bounds_;
  std::array<bool, 3> endless_;
  Blocked blocked_;
};

// The balls near a cube, in coordinates relative to its centre, side by side for the compiler to take several at a
// time.
class Near {
public:
  void add(std::span<const glm::vec4> balls) {  // with their radii
    if (size_ + balls.size() > x_.size())
      for (std::vector<float>* v : {&x_, &y_, &z_, &radius_})
        v->resize(2 * (size_ + balls.size()) + 32);
    float *x = x_.data() + size_, *y = y_.data() + size_, *z = z_.data() + size_, *radius = radius_.data() + size_;
    for (const glm::vec4& ball : balls) {
      *x++ = ball.x;
      *y++ = ball.y;
      *z++ = ball.z;
      *radius++ = ball.w;
    }
    size_ += balls.size();
  }
  void add(const glm::vec4& ball) { add(std::span(&ball, 1)); }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  bool free(const glm::vec3& p, float r) const {  // a ball there overlaps none
    constexpr float apart = 1 + 1e-6f;            // covers the rounding of this sum
    unsigned overlaps = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const float dx = x_[i] - p.x, dy = y_[i] - p.y, dz = z_[i] - p.z, least = radius_[i] + r;
      overlaps |= dx * dx + dy * dy + dz * dz < least * least * apart;
    }
    return overlaps == 0;
  }
  bool covers(const glm::vec3& center, const glm::vec3& half,
              float r) const {  // no such ball has its centre in the box
    unsigned covered = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      const float dx = std::abs(x_[i] - center.x) + half.x, dy = std::abs(y_[i] - center.y) + half.y,
                  dz = std::abs(z_[i] - center.z) + half.z, least = radius_[i] + r;
      covered |= dx * dx + dy * dy + dz * dz < least * least;
    }
    return covered != 0;
  }

private:
  std::size_t size_ = 0;
  std::vector<float> x_, y_, z_, radius_;  // with room for more
};

// Balls by place, in one hash grid per power of two of the radius.
class Packing {
public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  Packing(double radius_max, const Domain& domain);            // no ball is larger than radius_max
  bool free(const Ball& ball, std::size_t among = all) const;  // overlaps none (of the first so many)
  // All balls that a ball of the radius with its centre in the cube could overlap.
  void near(const glm::dvec3& cube_center, double half_edge, double radius, Near& found) const;
  void add(const Ball& ball);
  void shrink(std::size_t size);  // takes the last ones out
  std::size_t size() const { return entries_.size(); }

private:
  struct Entry {
    Ball ball;
    std::int32_t next;
    std::uint32_t level;
  };
  struct Level {
    double radius = 0;          // no ball in here is larger
    glm::dvec3 per_meter{1.0};  // cells
    glm::i64vec3 wrap{0};       // cells on a periodic axis
    std::vector<std::int32_t> heads;
    std::size_t count = 0;
  };
  glm::i64vec3 cell_of(const Level& level, const glm::dvec3& p) const;
  std::int32_t& head(Level& level, const glm::dvec3& p) const;
  glm::dvec3 offset(const glm::dvec3& a, const glm::dvec3& b) const;  // from b to the nearest image of a
  void each(const glm::dvec3& p, double reach,
            auto&& visit) const;  // ball whose surface may lie within reach of p per axis

  double radius_max_;
  glm::dvec3 origin_, period_;  // 0: not periodic
  bool periodic_;
  std::vector<Level> levels_;
  std::vector<Entry> entries_;
};

// Random places all over the space for radii uniform in the range. Without a count: until nearly nothing fits any more,
// some 0.38 of the volume for equal balls far from walls, where random sequential adsorption ends. Adds to the packing.
// Fewer than count: no more fit.
std::vector<Ball> fill_random(const Space& space, double radius_min, double radius_max,
                              std::optional<std::uint32_t> count, Packing& packing, Random& random);

// A cubic lattice with edge 2 spacing radius_max, from below, each ball moved by up to jitter times the gap's half per
// axis. Places that the packing already takes are left out.
std::vector<Ball> fill_lattice(const Space& space, double radius_min, double radius_max, double spacing, double jitter,
                               std::optional<std::uint32_t> count, Packing& packing, Random& random);

}  // namespace talus
