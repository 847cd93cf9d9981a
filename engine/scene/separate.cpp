#include "engine/scene/separate.h"
#include "engine/base/assert.h"
#include "engine/scene/sampling.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/glm.hpp>
#include <numbers>
#include <numeric>
#include <unordered_map>
#include <vector>

namespace talus {
namespace {

// Of one ball, in a sweep: where very many lie in one place, some of them move it as well as all.
constexpr int pushes_most = 32;
constexpr std::size_t sweeps_most = 2000, work_most = 200'000'000;  // balls times sweeps

// Balls by cells of the largest diameter.
class BallCells {
public:
  BallCells(std::span<const Movable> balls, const glm::dvec3& period) : period_(period) {
    for (const Movable& ball : balls)
      edge_ = std::max(edge_, 2 * ball.radius);
    for (int a = 0; a < 3; ++a)  // whole cells, so that both ends of a period meet
      number_[a] = period[a] > 0.0 ? std::max(1.0, std::floor(period[a] / edge_)) : 0.0;
    for (std::size_t i = 0; i < balls.size(); ++i)
      add(i, balls[i].center);
  }

  void add(std::size_t i, const glm::dvec3& p) { cells_[key(cell(p))].push_back(static_cast<std::uint32_t>(i)); }
  void move(std::size_t i, const glm::dvec3& from, const glm::dvec3& to) {
    if (cell(from) == cell(to))
      return;
    TALUS_ASSERT(std::ranges::count(cells_[key(cell(from))], static_cast<std::uint32_t>(i)) == 1, i);
    std::erase(cells_[key(cell(from))], static_cast<std::uint32_t>(i));
    add(i, to);
  }

  // Calls visit(j) for the balls in the cells around, until it returns false.
  template <class Visit> void near(const glm::dvec3& p, Visit visit) const {
    const glm::i64vec3 middle = cell(p);
    std::uint64_t seen[27];
    int count = 0;
    for (int n = 0; n < 27; ++n) {
      const std::uint64_t k = key(wrapped(middle + glm::i64vec3(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)));
      if (std::find(seen, seen + count, k) != seen + count)
        continue;  // a short period
      seen[count++] = k;
      if (const auto found = cells_.find(k); found != cells_.end())
        for (const std::uint32_t j : found->second)
          if (!visit(j))
            return;
    }
  }

private:
  glm::dvec3 period_;
  double edge_ = 0.0;
  glm::dvec3 number_{0.0};
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells_;

  glm::i64vec3 cell(const glm::dvec3& p) const {
    glm::i64vec3 c;
    for (int a = 0; a < 3; ++a)
      c[a] = static_cast<std::int64_t>(std::floor(number_[a] > 0.0 ? p[a] / period_[a] * number_[a] : p[a] / edge_));
    return wrapped(c);
  }
  glm::i64vec3 wrapped(glm::i64vec3 c) const {
    for (int a = 0; a < 3; ++a)
      if (const auto n = static_cast<std::int64_t>(number_[a]); n > 0)
        c[a] = (c[a] % n + n) % n;
    return c;
  }
  static std::uint64_t key(const glm::i64vec3& c) {  // cells that share one only cost time
    return (static_cast<std::uint64_t>(c.x) & 0x1FFFFF) | (static_cast<std::uint64_t>(c.y) & 0x1FFFFF) << 21 |
           static_cast<std::uint64_t>(c.z) << 42;
  }
};

glm::dvec3 any_direction(std::size_t i, std::size_t j) {
  Random random(i, j);
  const double z = 2 * random.unit() - 1, turn = 2 * std::numbers::pi * random.unit(), r = std::sqrt(1 - z * z);
  return {r * std::cos(turn), r * std::sin(turn), z};
}

bool moves(const Movable& ball) {
  return std::isfinite(ball.mass);
}

bool may_part(const Movable& a, const Movable& b) {
  return moves(a) || moves(b);
}

double smaller(const Movable& a, const Movable& b) {
  return std::min(a.radius, b.radius);
}

}  // namespace

glm::dvec3 way_of(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& period) {
  glm::dvec3 d = to - from;
  for (int a = 0; a < 3; ++a)
    if (period[a] > 0.0)
      d[a] -= period[a] * std::round(d[a] / period[a]);
  return d;
}

double overlap_of(const Movable& a, const Movable& b, const glm::dvec3& period) {
  return a.radius + b.radius - glm::length(way_of(a.center, b.center, period));
}

Overlaps overlaps_of(std::span<const Movable> balls, const glm::dvec3& period, double least) {
  Overlaps all;
  const BallCells cells(balls, period);
  for (std::size_t i = 0; i < balls.size() && all.pairs < pairs_most; ++i)
    cells.near(balls[i].center, [&](std::uint32_t j) {
      if (j <= i || !may_part(balls[i], balls[j]))
        return true;
      const double depth = overlap_of(balls[i], balls[j], period) / smaller(balls[i], balls[j]);
      all.deepest = std::max(all.deepest, depth);
      all.pairs += depth > least ? 1 : 0;
      return all.pairs < pairs_most;
    });
  return all;
}

std::vector<std::uint32_t> overlapping(std::span<const Movable> balls, const glm::dvec3& period, double least) {
  std::vector<std::uint32_t> found;
  const BallCells cells(balls, period);
  for (std::uint32_t i = 0; i < balls.size(); ++i) {
    bool overlaps = false;
    cells.near(balls[i].center, [&](std::uint32_t j) {
      overlaps = j != i && may_part(balls[i], balls[j]) &&
                 overlap_of(balls[i], balls[j], period) > least * smaller(balls[i], balls[j]);
      return !overlaps;
    });
    if (overlaps)
      found.push_back(i);
  }
  return found;
}

void separate(std::span<Movable> balls, const glm::dvec3& period,
              const std::function<Parting(std::size_t, std::size_t)>& parting,
              const std::function<void(glm::dvec3&, double)>& keep, std::vector<std::uint32_t> crowd) {
  BallCells cells(balls, period);
  std::vector<std::uint32_t> next;  // those that still overlap, and those moved into
  std::vector<bool> listed(balls.size(), false);
  const auto place = [&](std::size_t i, glm::dvec3 to) {
    keep(to, balls[i].radius);
    cells.move(i, balls[i].center, to);
    balls[i].center = to;
  };
  for (std::size_t sweep = 0, work = 0; sweep < sweeps_most && work < work_most && !crowd.empty(); ++sweep) {
    work += crowd.size();
    next.clear();
    std::fill(listed.begin(), listed.end(), false);
    const auto again = [&](std::uint32_t i) {
      if (!listed[i])
        next.push_back(i);
      listed[i] = true;
    };
    for (const std::uint32_t i : crowd) {
      std::vector<std::uint32_t> pushes;
      cells.near(balls[i].center, [&](std::uint32_t j) {
        if (j == i || !may_part(balls[i], balls[j]))
          return true;
        const double overlap = overlap_of(balls[i], balls[j], period);
        if (overlap > 0.0 && overlap > parting(i, j).least * smaller(balls[i], balls[j]))
          pushes.push_back(j);
        return pushes.size() < pushes_most;
      });
      for (const std::uint32_t j : pushes) {
        const double overlap =
            overlap_of(balls[i], balls[j], period) - parting(i, j).left * smaller(balls[i], balls[j]);
        if (!(overlap > 0.0))
          continue;
        const glm::dvec3 way = way_of(balls[i].center, balls[j].center, period);
        const double length = glm::length(way);
        // A little of another direction frees a ball that lies in line between two that stay.
        const glm::dvec3 aside = i < j ? any_direction(i, j) : -any_direction(j, i);
        const glm::dvec3 normal = length > 1e-9 * balls[i].radius ? glm::normalize(way / length + 0.02 * aside) : aside;
        const double ease_i = 1.0 / balls[i].mass, ease_j = 1.0 / balls[j].mass, share = ease_i / (ease_i + ease_j);
        if (moves(balls[i]))
          place(i, balls[i].center - share * overlap * normal);
        if (moves(balls[j]))
          place(j, balls[j].center + (1.0 - share) * overlap * normal);
        again(i);
        again(j);
      }
    }
    std::swap(crowd, next);
  }
}

}  // namespace talus
