#include "engine/scene/clump.h"
#include "engine/geometry/inscribed.h"
#include "engine/geometry/pose.h"
#include "engine/scene/mass.h"
#include "engine/scene/sampling.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <glm/gtc/quaternion.hpp>
#include <numeric>
#include <utility>

namespace talus {
namespace {

// Integrals of 1, p and p p^T over the union of spheres.
struct Moments {
  double volume = 0.0;
  glm::dvec3 first{0.0};
  glm::dmat3 second{0.0};
};

// Adds what a stretch [low, high] of a ray along z has, which stands for an area.
void add_stretch(Moments& m, double x, double y, double low, double high, double area) {
  const double z0 = area * (high - low), z1 = area * (high * high - low * low) / 2,
               z2 = area * (high * high * high - low * low * low) / 3;
  m.volume += z0;
  m.first += glm::dvec3(x * z0, y * z0, z1);
  m.second[0] += glm::dvec3(x * x * z0, x * y * z0, x * z1);
  m.second[1] += glm::dvec3(x * y * z0, y * y * z0, y * z1);
  m.second[2] += glm::dvec3(x * z1, y * z1, z2);
}

// Volume and inertia are those of the union of the spheres, where they overlap, too: rays along one axis find it
// exactly, on a grid of rays across, which leaves an error below 1e-4 of the volume and of the moments.
VolumeProperties volume_of(const std::vector<glm::dvec4>& spheres) {
  constexpr int rays = 400;  // along x and y
  glm::dvec2 low(std::numeric_limits<double>::infinity()), high = -low;
  for (const glm::dvec4& s : spheres) {
    low = glm::min(low, glm::dvec2(s) - s.w);
    high = glm::max(high, glm::dvec2(s) + s.w);
  }
  const glm::dvec2 edge = (high - low) / static_cast<double>(rays);
  Moments m;
  std::vector<std::pair<double, double>> stretches;
  for (int i = 0; i < rays; ++i)
    for (int j = 0; j < rays; ++j) {
      const double x = low.x + (i + 0.5) * edge.x, y = low.y + (j + 0.5) * edge.y;
      stretches.clear();
      for (const glm::dvec4& s : spheres)
        if (const double half2 = s.w * s.w - (x - s.x) * (x - s.x) - (y - s.y) * (y - s.y); half2 > 0.0)
          stretches.emplace_back(s.z - std::sqrt(half2), s.z + std::sqrt(half2));
      std::ranges::sort(stretches);
      for (std::size_t k = 0; k < stretches.size();) {
        auto [from, to] = stretches[k++];
        for (; k < stretches.size() && stretches[k].first <= to; ++k)
          to = std::max(to, stretches[k].second);
        add_stretch(m, x, y, from, to, edge.x * edge.y);
      }
    }
  const glm::dvec3 center = m.first / m.volume;
  const glm::dmat3 second = m.second - m.volume * glm::outerProduct(center, center);
  const double trace = second[0][0] + second[1][1] + second[2][2];
  return {m.volume, center, glm::dmat3(trace) - second};
}

// The matrix of b x.
glm::dmat3 cross_matrix(const glm::dvec3& b) {
  return {{0.0, b.z, -b.y}, {-b.z, 0.0, b.x}, {b.y, -b.x, 0.0}};
}

double largest_radius(const std::vector<glm::dvec4>& spheres) {
  return std::ranges::max(spheres, {}, &glm::dvec4::w).w;
}

double least_radius(const std::vector<glm::dvec4>& spheres) {
  return std::ranges::min(spheres, {}, &glm::dvec4::w).w / largest_radius(spheres);
}

// The greatest eigenvalue of a symmetric matrix without negative ones, by powers.
double greatest_eigenvalue(const std::vector<std::vector<double>>& matrix) {
  std::vector<double> v(matrix.size());
  for (std::size_t k = 0; k < v.size(); ++k)
    v[k] = 1.0 + 0.1 * static_cast<double>(k);  // at right angles to no eigenvector but by chance
  double size = 0.0;
  for (int power = 0; power < 100; ++power) {
    std::vector<double> next(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
      for (std::size_t j = 0; j < v.size(); ++j)
        next[i] += matrix[i][j] * v[j];
    size = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (size == 0.0)
      return 0.0;
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = next[k] / size;
  }
  return size;
}

// The crowding (crowding_of) that contacts bear with their full stiffness: the three spheres of a tetrahedron on a
// plane have 1.79, and beds of tetrahedra are as stable as beds of spheres.
constexpr double crowding_borne = 1.8;

// How many times as far as one contact does, the contacts of several spheres with one plane move a clump, at most: over
// 400 directions of the plane, of the spheres within a tenth of a radius of it. Springs that all push the same mode add
// up.
double crowding_of(const ClumpShape& shape) {
  constexpr int directions = 400;
  double most = 1.0;
  for (int k = 0; k < directions; ++k) {  // evenly, along a spiral
    const double z = 1.0 - (2.0 * k + 1.0) / directions, across = std::sqrt(1.0 - z * z), turn = k * 2.399963229728653;
    const glm::dvec3 normal(across * std::cos(turn), across * std::sin(turn), z);
    double reach = 0.0;
    for (const glm::dvec4& s : shape.spheres)
      reach = std::max(reach, glm::dot(normal, glm::dvec3(s)) + s.w);
    std::vector<std::size_t> touch;
    for (std::size_t p = 0; p < shape.spheres.size(); ++p)
      if (const glm::dvec4& s = shape.spheres[p]; reach - glm::dot(normal, glm::dvec3(s)) - s.w < 0.1 * s.w)
        touch.push_back(p);
    std::vector<std::vector<double>> gives(touch.size(), std::vector<double>(touch.size()));
    for (std::size_t i = 0; i < touch.size(); ++i)
      for (std::size_t j = 0; j < touch.size(); ++j) {
        const glm::dvec3 a = glm::cross(glm::dvec3(shape.spheres[touch[i]]), normal),
                         b = glm::cross(glm::dvec3(shape.spheres[touch[j]]), normal);
        gives[i][j] =
            (1.0 + glm::dot(a, b / shape.inertia)) / std::sqrt(shape.weights[touch[i]] * shape.weights[touch[j]]);
      }
    most = std::max(most, greatest_eigenvalue(gives));
  }
  return most;
}

// unit: the radius of the grain, in the lengths of the others.
ClumpShape shape_of(const std::vector<glm::dvec4>& spheres, const VolumeProperties& whole, double unit) {
  PrincipalAxes principal = principal_axes(whole.inertia);
  if (glm::determinant(principal.axes) < 0.0)
    principal.axes[2] = -principal.axes[2];
  ClumpShape out;
  out.volume = whole.volume / (unit * unit * unit);
  out.inertia = principal.moments / (whole.volume * unit * unit);
  for (const glm::dvec4& s : spheres) {
    const glm::dvec3 b = glm::transpose(principal.axes) * (glm::dvec3(s) - whole.center) / unit;
    out.spheres.emplace_back(b, s.w / unit);
    out.reach = std::max(out.reach, glm::length(b) + s.w / unit);
    const glm::dmat3 lever = cross_matrix(b), ease{{1.0 / out.inertia.x, 0.0, 0.0},
                                                   {0.0, 1.0 / out.inertia.y, 0.0},
                                                   {0.0, 0.0, 1.0 / out.inertia.z}};
    out.weights.push_back(1.0 + principal_axes(glm::transpose(lever) * ease * lever).moments[2]);
  }
  const double more = std::max(1.0, crowding_of(out) / crowding_borne);
  for (double& weight : out.weights)
    weight *= more;
  return out;
}

}  // namespace

Clump::Clump(std::vector<glm::dvec4> spheres, std::string name) : spheres_(std::move(spheres)), name_(std::move(name)) {
  if (const std::string what = misshapen(spheres_); !what.empty())
    throw SceneError("a clump " + what);
  shape_ = std::make_shared<const ClumpShape>(shape_of(spheres_, volume_of(spheres_), largest_radius(spheres_)));
}

Clump::Clump(MeshPart mesh, std::uint32_t spheres) : mesh_(std::move(mesh)) {
  const VolumeProperties whole = volume_properties(mesh_->loaded->mesh);
  spheres_ = inscribed_spheres(mesh_->loaded->mesh, spheres);
  if (spheres_.size() < spheres)
    throw MeshError(
        fmt::format("the mesh is filled by {} spheres, and {} were asked for: give fewer", spheres_.size(), spheres));
  if (const std::string what = misshapen(spheres_); !what.empty())
    throw MeshError("the clump " + what);
  shape_ = std::make_shared<const ClumpShape>(shape_of(spheres_, whole, std::cbrt(whole.volume / ball_volume(1.0))));
}

RadiusRange sphere_radii(const Clump& clump) {
  const auto [least, most] = std::ranges::minmax(clump.shape().spheres, {}, &glm::dvec4::w);
  return {least.w, most.w};
}

std::string misshapen(const std::vector<glm::dvec4>& spheres) {
  if (spheres.size() < 2 || spheres.size() > shared::clump_spheres_most)
    return fmt::format("has {} spheres: a clump has 2 to {}", spheres.size(), shared::clump_spheres_most);
  for (std::size_t k = 0; k < spheres.size(); ++k)
    if (!(spheres[k].w > 0.0) || !std::isfinite(glm::dot(spheres[k], spheres[k])))
      return fmt::format("has a sphere of radius {}: radii are above 0", spheres[k].w);
  if (const double least = least_radius(spheres); least < 0.1)
    return fmt::format("has radii from {:.3g} of the largest one on: allowed is a tenth of it and more", least);
  // From the first one on, what touches what is reached already.
  std::vector<std::size_t> reached{0};
  std::vector<bool> known(spheres.size());
  known[0] = true;
  for (std::size_t n = 0; n < reached.size(); ++n)
    for (std::size_t k = 0; k < spheres.size(); ++k)
      if (const glm::dvec4& a = spheres[reached[n]], &b = spheres[k];
          !known[k] && glm::distance(glm::dvec3(a), glm::dvec3(b)) <= (1.0 + 1e-6) * (a.w + b.w)) {
        known[k] = true;
        reached.push_back(k);
      }
  if (const auto apart = std::ranges::find(known, false); apart != known.end())
    return fmt::format("has a sphere that is apart from the rest, number {}: the spheres of a clump overlap or touch",
                       apart - known.begin());
  return "";
}

std::optional<Capability> clumps_refused_by(const Solver& solver) {
  if (solver.method != Method::dem)
    return Capability::iterated_methods;
  if (!solver.rotation)
    return Capability::without_rotation;
  return std::nullopt;
}

const Clump& pair_clump() {
  static const Clump clump({{-0.8, 0.0, 0.0, 1.0}, {0.8, 0.0, 0.0, 1.0}}, "pair");
  return clump;
}

const Clump& tetrahedron_clump() {
  const double a = 0.8 / std::sqrt(3.0);
  static const Clump clump({{a, a, a, 1.0}, {a, -a, -a, 1.0}, {-a, a, -a, 1.0}, {-a, -a, a, 1.0}}, "tetrahedron");
  return clump;
}

GrainForm form_of(const std::optional<Clump>& clump) {
  if (!clump)
    return {};
  return {clump->shape().reach, clump->shape().volume / ball_volume(1.0)};
}

bool has_clumps(const Scene& scene) {
  const auto is_clump = [](const auto& source) { return source.clump.has_value(); };
  return std::ranges::any_of(scene.grains, is_clump) || std::ranges::any_of(scene.emitters, is_clump);
}

std::uint32_t spheres_of(const std::optional<Clump>& clump) {
  return clump ? static_cast<std::uint32_t>(clump->spheres().size()) : 1;
}

std::vector<Seed> seeds_of(const ClumpShape& shape, const PlacedClump& clump, double density, std::uint32_t kind) {
  const double mass = density * shape.volume * clump.radius * clump.radius * clump.radius;
  std::vector<Seed> seeds;
  for (std::size_t k = 0; k < shape.spheres.size(); ++k) {
    const glm::dvec3 lever = clump.turned * (clump.radius * glm::dvec3(shape.spheres[k]));
    Seed& seed =
        seeds.emplace_back(Seed{glm::vec3(clump.center + lever), static_cast<float>(clump.radius * shape.spheres[k].w),
                                glm::vec3(clump.velocity + glm::cross(clump.spin, lever)), clump.material, clump.fixed,
                                static_cast<float>(mass / shape.weights[k]), glm::vec3(clump.spin)});
    seed.clump = static_cast<std::uint32_t>(k + 1) << shared::tag_sphere_shift | kind << shared::tag_kind_shift;
    seed.turned = vector_of(clump.turned);
  }
  return seeds;
}

}  // namespace talus
