#include "engine/scene/sampling.h"
#include "engine/scene/bodies.h"
#include "engine/scene/grain_file.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

namespace talus {

namespace {

constexpr double rounding = 1e-6;   // in radii, allowed for float centres
constexpr double far_radii = 1.01;  // of the largest ball: up to there distances from meshes are exact

double square(double x) {
  return x * x;
}

// Refuses a shape that leaves so much of its box empty that looking for places takes minutes, before any work. balls:
// how many there will be, cells: how many places in the box are looked at.
void check_cells(double cells, double balls) {
  const double most = 2e7 + 20.0 * balls;
  if (!(cells <= most))
    throw SceneError(
        fmt::format("the fill leaves nearly all of the box around it empty: {:.3g} places in there are too "
                    "many to look at for {:.3g} grains, the limit is {:.3g}: give larger grains, or cut "
                    "what sticks out of the mesh",
                    cells, balls, most));
}

Bounds around(const auto& points) {
  if (points.empty())
    return {glm::dvec3(0), glm::dvec3(0)};
  Bounds b{points[0], points[0]};
  for (const auto& p : points)
    b = {glm::min(b.min, glm::dvec3(p)), glm::max(b.max, glm::dvec3(p))};
  return b;
}

}  // namespace

Bounds bounds(const Shape& shape) {
  struct {
    Bounds operator()(const BoxFill& s) const { return {s.min, s.max}; }
    Bounds operator()(const SphereFill& s) const { return {s.center - s.radius, s.center + s.radius}; }
    Bounds operator()(const CylinderFill& s) const {
      return {s.base - glm::dvec3(s.radius, s.radius, 0), s.base + glm::dvec3(s.radius, s.radius, s.height)};
    }
    Bounds operator()(const PointsFill& s) const { return around(s.points); }
    Bounds operator()(const FileFill& s) const { return around(s.loaded->positions); }
    Bounds operator()(const SolidFill& s) const { return bounds_of(s.parts, {}); }
  } of;
  return std::visit(of, shape);
}

Space::Space(const Shape& shape, const Domain& domain, double radius_max, Blocked blocked)
    : shape_(shape), far_(far_radii * radius_max), bounds_(talus::bounds(shape)), endless_{},
      blocked_(std::move(blocked)) {
  if (const auto* s = std::get_if<SolidFill>(&shape))
    solid_ = solid_of(s->parts, {}, far_);
  for (int a = 0; a < 3; ++a) {
    if (domain.axis[a] == Axis::open)
      continue;
    const double lo = domain.min[a], hi = domain.max[a], slack = 1e-9 * (hi - lo);
    endless_[a] = domain.axis[a] == Axis::periodic && std::holds_alternative<BoxFill>(shape) &&
                  bounds_.min[a] <= lo + slack && bounds_.max[a] >= hi - slack;
    bounds_.min[a] = std::max(bounds_.min[a], lo);
    bounds_.max[a] = std::min(bounds_.max[a], hi);
  }
}

bool Space::holds(const glm::dvec3& center, double radius) const {
  const double r = radius * (1 - rounding);
  for (int a = 0; a < 3; ++a)
    if (!endless_[a] && (center[a] - r < bounds_.min[a] || center[a] + r > bounds_.max[a]))
      return false;
  if (const auto* s = std::get_if<SphereFill>(&shape_)) {
    const glm::dvec3 d = center - s->center;
    if (s->radius < r || glm::dot(d, d) > square(s->radius - r))
      return false;
  }
  if (const auto* s = std::get_if<CylinderFill>(&shape_)) {
    const glm::dvec2 d(center - s->base);
    if (s->radius < r || glm::dot(d, d) > square(s->radius - r))
      return false;
  }
  if (!solid_.parts.empty() && sample(solid_, center).distance > -r)
    return false;
  return !blocked_ || !blocked_(center, r);
}

bool Space::reaches(const glm::dvec3& center, double half, double radius) const {
  const double r = radius * (1 - rounding);
  for (int a = 0; a < 3; ++a)
    if (const double inset = endless_[a] ? 0 : r;
        center[a] + half < bounds_.min[a] + inset || center[a] - half > bounds_.max[a] - inset)
      return false;
  if (const auto* s = std::get_if<SphereFill>(&shape_)) {
    const glm::dvec3 d = glm::max(glm::abs(center - s->center) - half, glm::dvec3(0));
    return s->radius >= r && glm::dot(d, d) <= square(s->radius - r);
  }
  if (const auto* s = std::get_if<CylinderFill>(&shape_)) {
    const glm::dvec2 d = glm::max(glm::abs(glm::dvec2(center - s->base)) - half, glm::dvec2(0));
    return s->radius >= r && glm::dot(d, d) <= square(s->radius - r);
  }
  // A distance changes no faster than the place.
  return solid_.parts.empty() || sample(solid_, center).distance <= std::numbers::sqrt3 * half - r;
}

bool Space::holds_all(const glm::dvec3& center, double half, double radius) const {
  for (int a = 0; a < 3; ++a)
    if (const double inset = endless_[a] ? 0.0 : radius;
        center[a] - half < bounds_.min[a] + inset || center[a] + half > bounds_.max[a] - inset)
      return false;
  if (const auto* s = std::get_if<SphereFill>(&shape_)) {
    const glm::dvec3 d = glm::abs(center - s->center) + half;
    return s->radius >= radius && glm::dot(d, d) <= square(s->radius - radius);
  }
  if (const auto* s = std::get_if<CylinderFill>(&shape_)) {
    const glm::dvec2 d = glm::abs(glm::dvec2(center - s->base)) + half;
    return s->radius >= radius && glm::dot(d, d) <= square(s->radius - radius);
  }
  const double depth = std::numbers::sqrt3 * half + radius;
  const auto is_mesh = [](const Solid::Part& part) { return std::holds_alternative<Solid::Mesh>(part.primitive); };
  return solid_.parts.empty() ||
         ((depth <= far_ || std::ranges::none_of(solid_.parts, is_mesh)) && sample(solid_, center).distance <= -depth);
}

bool Space::fits(double radius) const {
  const double r = radius * (1 - rounding);
  for (int a = 0; a < 3; ++a)
    if (bounds_.max[a] - bounds_.min[a] < 2 * r)
      return false;
  return solid_.parts.empty() || fits_solid(r);
}

// Cubes that may hold the ball's centre, cut in eight again and again.
bool Space::fits_solid(double radius) const {
  constexpr std::size_t cubes_most = 20000;
  const glm::dvec3 extent = bounds_.max - bounds_.min;
  double half = std::max({extent.x, extent.y, extent.z}) / 2;
  std::vector<glm::dvec3> cubes{(bounds_.min + bounds_.max) / 2.0}, children;
  for (; !cubes.empty() && cubes.size() < cubes_most; half /= 2) {
    children.clear();
    for (const glm::dvec3& cube : cubes) {
      if (sample(solid_, cube).distance <= -radius)
        return true;
      for (int k = 0; k < 8; ++k)
        if (const glm::dvec3 child = cube + half / 2 * glm::dvec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
            reaches(child, half / 2, radius))
          children.push_back(child);
    }
    if (half < rounding * radius)
      break;
    std::swap(cubes, children);
  }
  return !cubes.empty();
}

// A solid's bounds in cells, per axis.
constexpr int solid_cells = 40;

// How many cells of each column along an axis have their centres in the solid.
std::vector<int> Space::columns_of_solid(int axis) const {
  std::vector<int> columns(solid_cells * solid_cells);
  const glm::dvec3 cell = (bounds_.max - bounds_.min) / static_cast<double>(solid_cells);
  const int across = (axis + 1) % 3, along = (axis + 2) % 3;
  for (int z = 0; z < solid_cells; ++z)
    for (int y = 0; y < solid_cells; ++y)
      for (int x = 0; x < solid_cells; ++x) {
        const glm::ivec3 at(x, y, z);
        columns[static_cast<std::size_t>(at[across] + solid_cells * at[along])] +=
            sample(solid_, bounds_.min + cell * (glm::dvec3(at) + 0.5)).distance < 0;
      }
  return columns;
}

double Space::volume() const {
  const glm::dvec3 edge = bounds_.max - bounds_.min;
  if (const auto* s = std::get_if<SphereFill>(&shape_))
    return ball_volume(s->radius);
  if (const auto* s = std::get_if<CylinderFill>(&shape_))
    return std::numbers::pi * square(s->radius) * edge.z;
  const double box = edge.x * edge.y * edge.z;
  if (solid_.parts.empty())
    return box;
  const std::vector<int> columns = columns_of_solid(2);
  return box * std::accumulate(columns.begin(), columns.end(), 0) / (solid_cells * solid_cells * solid_cells);
}

double Space::height(int axis) const {
  const double edge = (bounds_.max - bounds_.min)[axis];
  if (const auto* s = std::get_if<SphereFill>(&shape_))
    return 1.5 * s->radius;
  if (const auto* s = std::get_if<CylinderFill>(&shape_); s && axis != 2)
    return 16.0 / (3.0 * std::numbers::pi) * s->radius;
  if (solid_.parts.empty())
    return edge;
  double cells = 0.0, squares = 0.0;
  for (const int n : columns_of_solid(axis)) {
    cells += n;
    squares += n * n;
  }
  return cells > 0.0 ? edge / solid_cells * squares / cells : 0.0;
}

Packing::Packing(double radius_max, const Domain& domain) : radius_max_(radius_max), origin_(domain.min), period_(0) {
  for (int a = 0; a < 3; ++a)
    if (domain.axis[a] == Axis::periodic)
      period_[a] = domain.max[a] - domain.min[a];
  periodic_ = period_ != glm::dvec3(0);
}

glm::i64vec3 Packing::cell_of(const Level& level, const glm::dvec3& p) const {
  return glm::i64vec3(glm::floor((p - origin_) * level.per_meter));
}

static std::uint64_t wrapped(std::int64_t c, std::int64_t n) {
  if (n > 0)
    c = c >= 0 && c < n ? c : (c % n + n) % n;
  return static_cast<std::uint64_t>(c);
}

// x is not multiplied: neighbours in x stay neighbours in memory.
static std::uint64_t row(std::int64_t y, std::int64_t z, const glm::i64vec3& wrap) {
  return wrapped(y, wrap.y) * 73856093u + wrapped(z, wrap.z) * 19349663u;
}

std::int32_t& Packing::head(Level& level, const glm::dvec3& p) const {
  const glm::i64vec3 c = cell_of(level, p);
  return level.heads[(wrapped(c.x, level.wrap.x) + row(c.y, c.z, level.wrap)) & (level.heads.size() - 1)];
}

glm::dvec3 Packing::offset(const glm::dvec3& a, const glm::dvec3& b) const {
  glm::dvec3 d = a - b;
  if (periodic_)
    for (int k = 0; k < 3; ++k)
      if (period_[k] > 0)
        d[k] -= period_[k] * std::floor(d[k] / period_[k] + 0.5);
  return d;
}

void Packing::each(const glm::dvec3& p, double reach, auto&& visit) const {
  for (const Level& level : levels_) {
    if (level.count == 0)
      continue;
    const double range = reach + level.radius;
    const glm::i64vec3 lo = cell_of(level, p - range), hi = cell_of(level, p + range);
    const glm::dvec3 cells(hi - lo + std::int64_t(1));
    if (cells.x * cells.y * cells.z > static_cast<double>(entries_.size())) {
      for (const Entry& e : entries_)
        visit(e);
      return;
    }
    const std::uint64_t mask = level.heads.size() - 1;
    for (std::int64_t z = lo.z; z <= hi.z; ++z)
      for (std::int64_t y = lo.y; y <= hi.y; ++y) {
        const std::uint64_t yz = row(y, z, level.wrap);
        for (std::int64_t x = lo.x; x <= hi.x; ++x)
          for (std::int32_t i = level.heads[(wrapped(x, level.wrap.x) + yz) & mask]; i >= 0; i = entries_[i].next)
            visit(entries_[i]);
      }
  }
}

bool Packing::free(const Ball& ball, std::size_t among) const {
  if (among == 0)
    return true;
  const glm::dvec3 p(ball.center);
  bool overlap = false;
  each(p, ball.radius, [&](const Entry& e) {
    const glm::dvec3 d = offset(p, glm::dvec3(e.ball.center));
    overlap |= glm::dot(d, d) < square(static_cast<double>(ball.radius) + e.ball.radius) &&
               static_cast<std::size_t>(&e - entries_.data()) < among;
  });
  return !overlap;
}

void Packing::near(const glm::dvec3& center, double half, double radius, Near& found) const {
  found.clear();
  each(center, half + radius, [&](const Entry& e) {
    const glm::dvec3 d = offset(glm::dvec3(e.ball.center), center);
    const glm::dvec3 gap = glm::max(glm::abs(d) - half, glm::dvec3(0));
    if (glm::dot(gap, gap) < square(radius + e.ball.radius))
      found.add({glm::vec3(d), e.ball.radius});
  });
}

void Packing::add(const Ball& ball) {
  std::size_t l = 0;
  for (double r = radius_max_ / 2; r >= ball.radius && l < 60; r /= 2)
    ++l;
  while (levels_.size() <= l) {
    Level level;
    level.radius = std::ldexp(radius_max_ * (1 + rounding), -static_cast<int>(levels_.size()));
    for (int a = 0; a < 3; ++a) {
      level.wrap[a] =
          period_[a] > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(period_[a] / (2 * level.radius))) : 0;
      level.per_meter[a] = period_[a] > 0 ? static_cast<double>(level.wrap[a]) / period_[a] : 0.5 / level.radius;
    }
    level.heads.assign(64, -1);
    levels_.push_back(std::move(level));
  }
  Level& level = levels_[l];
  if (++level.count > level.heads.size() / 2) {
    level.heads.assign(level.heads.size() * 4, -1);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].level == l) {
        std::int32_t& h = head(level, glm::dvec3(entries_[i].ball.center));
        entries_[i].next = std::exchange(h, static_cast<std::int32_t>(i));
      }
  }
  std::int32_t& h = head(level, glm::dvec3(ball.center));
  entries_.push_back(
      {ball, std::exchange(h, static_cast<std::int32_t>(entries_.size())), static_cast<std::uint32_t>(l)});
}

void Packing::shrink(std::size_t size) {
  while (entries_.size() > size) {
    const Entry& e = entries_.back();
    head(levels_[e.level], glm::dvec3(e.ball.center)) = e.next;  // the last one added stands first in its list
    --levels_[e.level].count;
    entries_.pop_back();
  }
}

// Throws balls at cubes until limit balls lie or no room is left. The first time around a cube takes
// one ball at most. The second time it is searched to the end: cut in eight again and again, what is wholly too near to
// a ball dropped and darts thrown at the rest, which makes the long end of random sequential adsorption bearable. Ball
// i has radius radii[i], the last one repeated; radii descend.
static std::vector<Ball> throw_darts(const Space& space, std::span<const float> radii, std::size_t limit,
                                     double expected, Packing& packing, Random& random) {
  constexpr int first_darts = 12, void_darts = 2, depth_most = 5;
  std::vector<Ball> balls;
  const float smallest = radii.back();
  const glm::dvec3 low = space.bounds().min, extent = space.bounds().max - low;
  const double balls_expected = expected;
  // A shape that leaves most of its box empty has but few of the cubes.
  expected *= std::max(1.0, 0.5 * extent.x * extent.y * extent.z / std::max(space.volume(), 1e-300));
  const double edge = std::max(2.0 * smallest, std::cbrt(extent.x * extent.y * extent.z / (2 * expected + 64)));

  std::vector<glm::ivec3> cubes;
  const glm::dvec3 along = glm::max(glm::ceil(extent / edge), glm::dvec3(1));
  check_cells(along.x * along.y * along.z, balls_expected);
  const glm::ivec3 n(along);
  for (int k = 0; k < 8; ++k)  // every other cube: none meets its neighbours' balls of this sweep
    for (int z = k >> 2; z < n.z; z += 2)
      for (int y = k >> 1 & 1; y < n.y; y += 2)
        for (int x = k & 1; x < n.x; x += 2)
          cubes.emplace_back(x, y, z);

  Near near;
  glm::dvec3 middle;
  auto radius = [&] { return radii[std::min(balls.size(), radii.size() - 1)]; };
  auto dart = [&](const glm::vec3& center, double half) {
    const Ball ball{glm::vec3(middle + glm::dvec3(center) + (2.0 * random.vec() - 1.0) * half), radius()};
    const glm::vec3 offset(glm::dvec3(ball.center) - middle);
    if (!near.free(offset, ball.radius) || !space.holds(glm::dvec3(ball.center), ball.radius))
      return false;
    packing.add(ball);
    balls.push_back(ball);
    near.add({offset, ball.radius});
    return true;
  };

  std::vector<glm::vec3> voids, children;
  for (const bool thorough : {false, true}) {
    // Without a limit every cube gets its turn, and the order above is kind to the cache.
    for (std::size_t i = limit == Packing::all ? 0 : cubes.size(); i > 1; --i)
      std::swap(cubes[i - 1], cubes[random.below(static_cast<std::uint32_t>(i))]);
    for (const glm::ivec3& cube : cubes) {
      if (balls.size() == limit)
        return balls;
      middle = low + (glm::dvec3(cube) + 0.5) * edge;
      float half = static_cast<float>(edge / 2);
      if (!space.reaches(middle, half, smallest))
        continue;
      packing.near(middle, half, radius(), near);
      if (!thorough) {
        for (int i = 0; i < first_darts && !dart(glm::vec3(0), half); ++i)
          ;
        continue;
      }
      voids.assign(1, glm::vec3(0));
      for (int depth = 0; depth < depth_most && !voids.empty(); ++depth) {
        half /= 2;
        children.clear();
        for (const glm::vec3& v : voids)
          for (int k = 0; k < 8; ++k) {
            const glm::vec3 child = v + half * glm::vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
            if (!near.covers(child, glm::vec3(half), smallest) &&
                space.reaches(middle + glm::dvec3(child), half, smallest))
              children.push_back(child);
          }
        std::swap(voids, children);
        for (std::size_t i = voids.size() * void_darts; i > 0 && balls.size() < limit; --i)
          dart(voids[random.below(static_cast<std::uint32_t>(voids.size()))], half);
      }
    }
  }
  return balls;
}

std::vector<Ball> fill_random(const Space& space, double radius_min, double radius_max,
                              std::optional<std::uint32_t> count, Packing& packing, Random& random) {
  constexpr double dense = 0.37;  // share of the volume, just below what the process ends in for equal balls (0.382)
  if (radius_min == radius_max) {
    const float radius = static_cast<float>(radius_min);
    const double expected = count ? *count : dense * space.volume() / ball_volume(radius);
    return throw_darts(space, std::span(&radius, 1), count ? *count : Packing::all, expected, packing, random);
  }
  // Large ones first, so that the small ones do not take their room. A number of balls is chosen beforehand, lest only
  // small ones fill the last gaps and the radii are no longer uniform; where not all fit, again with fewer.
  const double mean_volume = ball_volume(1) * (square(radius_min) + square(radius_max)) * (radius_min + radius_max) / 4;
  std::size_t n =
      count ? *count : std::max<std::size_t>(1, static_cast<std::size_t>(dense * space.volume() / mean_volume));
  const std::size_t before = packing.size();
  for (int attempt = 0;; ++attempt) {
    std::vector<float> radii(n);
    double wanted = 0, filled = 0;
    for (float& r : radii) {
      r = static_cast<float>(random.between(radius_min, radius_max));
      wanted += ball_volume(r);
    }
    std::sort(radii.begin(), radii.end(), std::greater<>());
    std::vector<Ball> balls = throw_darts(space, radii, n, static_cast<double>(n), packing, random);
    if (balls.size() == n || count || balls.empty() || attempt == 8)
      return balls;
    for (const Ball& b : balls)
      filled += ball_volume(b.radius);
    n = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(n) * filled / wanted * 0.99));
    packing.shrink(before);
  }
}

std::vector<Ball> fill_lattice(const Space& space, double radius_min, double radius_max, double spacing, double jitter,
                               std::optional<std::uint32_t> count, Packing& packing, Random& random) {
  const std::size_t others = packing.size();
  const Bounds& box = space.bounds();
  glm::dvec3 edge(2 * radius_max * spacing), first;
  glm::i64vec3 n;
  for (int a = 0; a < 3; ++a) {
    const double length = box.max[a] - box.min[a];
    n[a] = static_cast<std::int64_t>((length - (space.endless(a) ? edge[a] : 2 * radius_max)) / edge[a] + 1e-6) + 1;
    if (space.endless(a))
      edge[a] = length / static_cast<double>(n[a]);
    const double rest = (length - static_cast<double>(n[a] - 1) * edge[a]) / 2;
    first[a] = box.min[a] + (a == 2 ? std::min(edge[a] / 2, rest) : rest);  // in the middle sideways, low down
  }
  const double box_volume = (box.max - box.min).x * (box.max - box.min).y * (box.max - box.min).z;
  const double sites = static_cast<double>(n.x) * static_cast<double>(n.y) * static_cast<double>(n.z);
  check_cells(sites, sites * (box_volume > 0.0 ? space.volume() / box_volume : 1.0));
  const glm::dvec3 shift_max = jitter * glm::max((edge - 2 * radius_max) / 2.0, glm::dvec3(0));

  std::vector<Ball> balls;
  glm::i64vec3 i;
  for (i.z = 0; i.z < n.z; ++i.z)
    for (i.y = 0; i.y < n.y; ++i.y)
      for (i.x = 0; i.x < n.x; ++i.x) {
        if (count && balls.size() == *count)
          return balls;
        const glm::dvec3 site = first + glm::dvec3(i) * edge;
        if (!space.holds(site, radius_max))
          continue;
        glm::dvec3 shift = (2.0 * random.vec() - 1.0) * shift_max;
        while (!space.holds(site + shift, radius_max))
          shift *= 0.5;  // ends at the site, which the space holds
        const float radius = static_cast<float>(random.between(radius_min, radius_max));
        const Ball ball{glm::vec3(site + shift), radius};
        if (packing.free(ball, others)) {
          packing.add(ball);
          balls.push_back(ball);
        }
      }
  return balls;
}

}  // namespace talus
