#include "engine/geometry/volume_properties.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

namespace talus {
namespace {

using std::numbers::pi;

glm::dmat3 diagonal(double x, double y, double z) {
  glm::dmat3 m(0.0);
  m[0][0] = x;
  m[1][1] = y;
  m[2][2] = z;
  return m;
}

// What a unit of mass at d adds to the inertia.
glm::dmat3 of_point(const glm::dvec3& d) {
  return glm::dmat3(glm::dot(d, d)) - glm::outerProduct(d, d);
}

// Share of a cube of edge 1 about the origin where dot(normal, p) + distance < 0. What the plane cuts off at corners
// adds up with alternating signs (Scardovelli and Zaleski 2000).
double cut(const glm::dvec3& normal, double distance) {
  if (std::abs(distance) > std::numbers::sqrt3 / 2)
    return distance < 0.0 ? 1.0 : 0.0;
  const glm::dvec3 n = glm::max(glm::abs(normal), glm::dvec3(1e-3));  // three corners differ: off by 1e-6
  const double top = -distance + (n.x + n.y + n.z) / 2;               // above the lowest corner
  double sum = 0.0;
  for (int k = 0; k < 8; ++k) {
    const double above = top - (k & 1 ? n.x : 0.0) - (k & 2 ? n.y : 0.0) - (k & 4 ? n.z : 0.0);
    if (above > 0.0)
      sum += (std::popcount(static_cast<unsigned>(k)) % 2 ? -1.0 : 1.0) * above * above * above;
  }
  return std::clamp(sum / (6 * n.x * n.y * n.z), 0.0, 1.0);
}

glm::dvec3 corner(int k) {
  return {k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0};
}

bool has_mesh(const Solid& solid) {
  return std::ranges::any_of(solid.parts,
                             [](const auto& p) { return std::holds_alternative<Solid::Mesh>(p.primitive); });
}

class Quadrature {
public:
  Quadrature(const Solid& solid, const Bounds& bounds)
      : solid_(solid), origin_((bounds.min + bounds.max) / 2.0), levels_(has_mesh(solid) ? 3 : 4) {
    // Not quite around it, so that no face of a solid lies where cells end.
    const glm::dvec3 edge = 1.00371 * (bounds.max - bounds.min);
    const double longest = std::max({edge.x, edge.y, edge.z}), half = longest / (2 * across);
    const glm::dvec3 low = origin_ - edge / 2.0;
    const glm::dvec3 cells = glm::ceil(edge / (2 * half) - 1e-9);
    for (double z = 0; z < cells.z; ++z)
      for (double y = 0; y < cells.y; ++y)
        for (double x = 0; x < cells.x; ++x) {
          const glm::dvec3 center = low + half * (2.0 * glm::dvec3(x, y, z) + 1.0);
          visit(center, half, sample(solid_, center), 0);
        }
  }

  VolumeProperties result() const {
    if (!(volume_ > 0.0))
      return {};
    const glm::dvec3 center = first_ / volume_;
    return {volume_, origin_ + center, second_ - volume_ * of_point(center)};
  }

private:
  static constexpr int across = 16;      // cells along the longest edge at the start
  static constexpr double flat = 0.005;  // edges: how far distances may be off those from a plane, half way out

  void add(const glm::dvec3& center, double half, double share) {
    const double volume = share * 8 * half * half * half;
    const glm::dvec3 d = center - origin_;
    volume_ += volume;
    first_ += volume * d;
    second_ += volume * (of_point(d) + glm::dmat3(2.0 / 3 * half * half));
  }

  // In pieces, so that what is left of it weighs where it is.
  void add_cut(const glm::dvec3& center, double half, const SolidSample& here) {
    if (std::abs(here.distance) >= std::numbers::sqrt3 * half)
      return add(center, half, here.distance < 0.0 ? 1.0 : 0.0);
    constexpr int pieces = 2;
    const double piece = half / pieces;
    for (int n = 0; n < pieces * pieces * pieces; ++n) {
      const glm::dvec3 at(n % pieces, n / pieces % pieces, n / pieces / pieces);
      const glm::dvec3 offset = piece * (2.0 * at + 1.0 - static_cast<double>(pieces));
      const double distance = here.distance + glm::dot(here.gradient, offset);
      if (const double share = cut(here.gradient, distance / (2 * piece)); share > 0.0)
        add(center + offset, piece, share);
    }
  }

  void visit(const glm::dvec3& center, double half, const SolidSample& here, int level) {
    const double reach = std::numbers::sqrt3 * half;
    if (here.distance >= reach)
      return;
    if (here.distance <= -reach)
      return add(center, half, 1.0);
    // Off a curved surface, a plane is so by the square of the way.
    const auto fits = [&](const glm::dvec3& place, const SolidSample& there, double slack) {
      const double expected = here.distance + glm::dot(here.gradient, place - center);
      return std::abs(there.distance - expected) < slack * 2 * half;
    };
    std::array<glm::dvec3, 8> places;
    std::array<SolidSample, 8> samples;
    bool plane = true;
    for (int k = 0; k < 8; ++k) {
      const auto i = static_cast<std::size_t>(k);
      places[i] = center + half / 2 * corner(k);
      samples[i] = sample(solid_, places[i]);
      plane = plane && fits(places[i], samples[i], flat);
    }
    for (int k = 0; k < 8 && plane; ++k)  // a thin wall may be gone before the end of the cell
      plane = fits(center + half * corner(k), sample(solid_, center + half * corner(k)), 4 * flat);
    for (std::size_t i = 0; i < 8; ++i)
      if (plane)
        add_cut(places[i], half / 2, samples[i]);
      else if (level < levels_)
        visit(places[i], half / 2, samples[i], level + 1);
      else
        add(places[i], half / 2, share_at_edge(places[i], half / 2));
  }

  // Where surfaces meet: each part is taken as flat, and points tell what the parts make together.
  double share_at_edge(const glm::dvec3& center, double half) const {
    constexpr int points = 4;
    std::array<bool, points * points * points> inside{};
    for (const Solid::Part& part : solid_.parts) {
      const SolidSample own = sample(Solid{{{part.primitive, part.position, part.rotation}}}, center);
      for (int n = 0; n < points * points * points; ++n) {
        const glm::dvec3 at(n % points, n / points % points, n / points / points);
        const glm::dvec3 offset = half * ((2.0 * at + 1.0) / static_cast<double>(points) - 1.0);
        if (own.distance + glm::dot(own.gradient, offset) < 0.0)
          inside[static_cast<std::size_t>(n)] = !part.subtract;
      }
    }
    return static_cast<double>(std::ranges::count(inside, true)) / inside.size();
  }

  const Solid& solid_;
  glm::dvec3 origin_;
  int levels_;  // how often cells are divided; less with meshes, whose distances take long
  double volume_ = 0.0;
  glm::dvec3 first_{0.0};
  glm::dmat3 second_{0.0};
};

}  // namespace

VolumeProperties volume_properties(const Solid::Box& box) {
  const glm::dvec3 e = 2.0 * box.half, s = e * e;
  const double volume = e.x * e.y * e.z;
  return {volume, {}, volume / 12 * diagonal(s.y + s.z, s.x + s.z, s.x + s.y)};
}

VolumeProperties volume_properties(const Solid::Sphere& sphere) {
  const double r = sphere.radius, volume = 4.0 / 3 * pi * r * r * r;
  return {volume, {}, glm::dmat3(0.4 * volume * r * r)};
}

VolumeProperties volume_properties(const Solid::Capsule& capsule) {
  const double r = capsule.radius, h = capsule.half_height;
  const VolumeProperties cylinder = volume_properties(Solid::Cone{r, r, h});
  // The two half balls: their centre is 3/8 r off the flat side.
  const VolumeProperties ball = volume_properties(Solid::Sphere{r});
  const double side = ball.volume * (h * h + 0.75 * h * r);
  return {cylinder.volume + ball.volume, {}, cylinder.inertia + ball.inertia + diagonal(side, side, 0.0)};
}

VolumeProperties volume_properties(const Solid::Cone& cone) {
  // Integrals over z of polynomials up to the fourth order, which three points of Gauss give exactly.
  const double node = std::sqrt(0.6), h = cone.half_height;
  double volume = 0.0, first = 0.0, second = 0.0, around = 0.0;
  for (const auto& [x, weight] : {std::pair(-node, 5.0 / 9), {0.0, 8.0 / 9}, {node, 5.0 / 9}}) {
    const double r = cone.radius + (cone.top_radius - cone.radius) * (1 + x) / 2, z = h * x;
    const double slice = weight * h * pi * r * r;
    volume += slice;
    first += slice * z;
    second += slice * z * z;
    around += slice * r * r / 2;
  }
  const double center = first / volume, side = around / 2 + second - center * first;
  return {volume, {0.0, 0.0, center}, diagonal(side, side, around)};
}

VolumeProperties volume_properties(const Solid::Torus& torus) {
  const double ring = torus.ring * torus.ring, tube = torus.tube * torus.tube;
  const double volume = 2 * pi * pi * torus.ring * tube, side = volume * (ring / 2 + 5.0 / 8 * tube);
  return {volume, {}, diagonal(side, side, volume * (ring + 0.75 * tube))};
}

VolumeProperties posed(const VolumeProperties& own, const Pose& pose) {
  const glm::dmat3 axes = glm::mat3_cast(pose.rotation);
  return {own.volume, pose.position + pose.rotation * own.center, axes * own.inertia * glm::transpose(axes)};
}

VolumeProperties sum_of(std::span<const VolumeProperties> pieces) {
  VolumeProperties sum;
  for (const VolumeProperties& p : pieces) {
    sum.volume += p.volume;
    sum.center += p.volume * p.center;
  }
  if (!(sum.volume > 0.0))
    return {};
  sum.center /= sum.volume;
  for (const VolumeProperties& p : pieces)
    sum.inertia += p.inertia + p.volume * of_point(p.center - sum.center);
  return sum;
}

VolumeProperties volume_properties(const Solid& solid, const Bounds& bounds) {
  return Quadrature(solid, bounds).result();
}

}  // namespace talus
