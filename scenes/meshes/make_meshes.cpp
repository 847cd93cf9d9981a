// Makes the meshes of the scenes: make_meshes DIR writes city.obj, animal.obj, squirrel.obj and stone.obj there. SI
// units, z up.
#include "engine/geometry/extract.h"
#include "engine/geometry/mesh.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <glm/geometric.hpp>
#include <random>
#include <vector>

namespace {

using glm::dvec3;
using talus::Mesh;

// City: houses that stand apart, each closed, their feet below the ground z = 0.

// Upright walls over an outline, counterclockwise from above, that ends in a point (top) or flat.
void add_house(Mesh& mesh, const std::vector<dvec3>& outline, double height, const std::vector<dvec3>& top) {
  constexpr double foot = -0.02;
  const auto base = static_cast<unsigned>(mesh.vertices.size());
  const auto n = static_cast<unsigned>(outline.size()), points = static_cast<unsigned>(top.size());
  for (const double z : {foot, height})
    for (const dvec3& p : outline)
      mesh.vertices.emplace_back(p.x, p.y, z);
  for (const dvec3& p : top)
    mesh.vertices.emplace_back(p);
  const auto triangle = [&](unsigned a, unsigned b, unsigned c) {
    mesh.triangles.emplace_back(base + a, base + b, base + c);
  };
  for (unsigned i = 0; i < n; ++i) {
    const unsigned j = (i + 1) % n;
    triangle(i, j, n + j);
    triangle(i, n + j, n + i);
    if (i > 0 && j > 0)
      triangle(0, j, i);
  }
  if (points == 1)  // a spire
    for (unsigned i = 0; i < n; ++i)
      triangle(n + i, n + (i + 1) % n, 2 * n);
  else if (points == 2) {  // a gable roof: the ridge's ends lie above the sides 3-0 and 1-2
    triangle(n, n + 1, 2 * n + 1);
    triangle(n, 2 * n + 1, 2 * n);
    triangle(n + 1, n + 2, 2 * n + 1);
    triangle(n + 2, n + 3, 2 * n);
    triangle(n + 2, 2 * n, 2 * n + 1);
    triangle(n + 3, n, 2 * n);
  } else
    for (unsigned i = 1; i + 1 < n; ++i)
      triangle(n, n + i, n + i + 1);
}

std::vector<dvec3> rectangle(double x, double y, double half_x, double half_y) {
  return {{x - half_x, y - half_y, 0},
          {x + half_x, y - half_y, 0},
          {x + half_x, y + half_y, 0},
          {x - half_x, y + half_y, 0}};
}

std::vector<dvec3> disc(double x, double y, double radius, int corners) {
  std::vector<dvec3> outline;
  for (int i = 0; i < corners; ++i) {
    const double angle = 6.283185307179586 * i / corners;
    outline.emplace_back(x + radius * std::cos(angle), y + radius * std::sin(angle), 0.0);
  }
  return outline;
}

// 5 x 5 blocks of 2 x 2 lots, a market square with a tower in the middle, higher houses towards it.
Mesh city() {
  constexpr double block = 0.3, lot = 0.12;
  Mesh mesh;
  std::mt19937 random(7);
  const auto uniform = [&](double a, double b) { return a + (b - a) * static_cast<double>(random()) / 4294967296.0; };
  for (int i = -2; i <= 2; ++i)
    for (int j = -2; j <= 2; ++j) {
      if (i == 0 && j == 0)
        continue;
      for (int k = 0; k < 4; ++k) {
        const double x = block * i + lot * (k % 2 - 0.5), y = block * j + lot * (k / 2 - 0.5);
        const double near = std::exp(-6.0 * (x * x + y * y));
        const double height = uniform(0.05, 0.09) + near * uniform(0.0, 0.22);
        const double half_x = uniform(0.042, 0.05), half_y = uniform(0.042, 0.05);
        const double kind = uniform(0.0, 1.0);
        if (height > 0.16 && kind < 0.3)
          add_house(mesh, disc(x, y, 0.05, 16), height, {});
        else if (height < 0.12 && kind < 0.7)
          add_house(mesh, rectangle(x, y, half_x, half_y), height,
                    {{x - half_x, y, height + 0.045}, {x + half_x, y, height + 0.045}});
        else
          add_house(mesh, rectangle(x, y, half_x, half_y), height, {});
      }
    }
  add_house(mesh, rectangle(0.0, 0.0, 0.055, 0.055), 0.3, {{0.0, 0.0, 0.48}});
  return mesh;
}

// Animal: an elephant that looks along -y, standing on z = 0. Distances, negative inside, not exact but near the
// surface.

double ellipsoid(const dvec3& p, const dvec3& center, const dvec3& radii) {
  const dvec3 q = p - center;
  const double k = glm::length(q / radii), slope = glm::length(q / (radii * radii));
  return slope > 0.0 ? k * (k - 1.0) / slope : -std::min({radii.x, radii.y, radii.z});
}

// A limb of two radii.
double limb(const dvec3& p, const dvec3& a, const dvec3& b, double radius_a, double radius_b) {
  const double share = std::clamp(glm::dot(p - a, b - a) / glm::dot(b - a, b - a), 0.0, 1.0);
  return glm::distance(p, a + share * (b - a)) - (radius_a + share * (radius_b - radius_a));
}

// Union with a fillet of about `width`.
double blend(double a, double b, double width) {
  const double h = std::max(width - std::abs(a - b), 0.0) / width;
  return std::min(a, b) - 0.25 * h * h * width;
}

double elephant(const dvec3& at) {
  const dvec3 p(std::abs(at.x), at.y, at.z);  // both sides alike
  double d = ellipsoid(p, {0.0, 0.08, 0.4}, {0.17, 0.26, 0.17});
  d = blend(d, ellipsoid(p, {0.0, -0.24, 0.5}, {0.11, 0.12, 0.125}), 0.08);
  for (const double y : {-0.07, 0.23})
    d = blend(d, limb(p, {0.09, y, 0.3}, {0.1, y, 0.06}, 0.065, 0.06), 0.05);
  // Ears, that stand off and lean back, and the trunk, down and forward.
  d = blend(d, ellipsoid(p, {0.17, -0.2, 0.5}, {0.11, 0.032, 0.13}), 0.03);
  constexpr std::array<dvec3, 5> trunk{
      {{0.0, -0.33, 0.47}, {0.0, -0.4, 0.36}, {0.0, -0.42, 0.24}, {0.0, -0.46, 0.15}, {0.0, -0.54, 0.13}}};
  for (std::size_t i = 0; i + 1 < trunk.size(); ++i) {
    const double radius = 0.06 - 0.008 * static_cast<double>(i);
    d = blend(d, limb(p, trunk[i], trunk[i + 1], radius, radius - 0.008), 0.03);
  }
  d = blend(d, limb(p, {0.065, -0.32, 0.42}, {0.09, -0.47, 0.36}, 0.03, 0.024), 0.02);  // tusks
  d = blend(d, limb(p, {0.0, 0.32, 0.44}, {0.0, 0.4, 0.24}, 0.03, 0.026), 0.03);        // tail
  return std::max(d, -at.z);                                                            // flat soles
}

Mesh animal() {
  return talus::extract_surface([](const glm::vec3& p) { return static_cast<float>(elephant(dvec3(p))); },
                                {{-0.34, -0.64, -0.05}, {0.34, 0.5, 0.72}}, 0.04);
}

// Squirrel: it sits upright on z = 0, looks along x, and is some 0.9 m tall.
double squirrel(const dvec3& at) {
  const dvec3 p(at.x, std::abs(at.y), at.z);
  double d = ellipsoid(p, {0.0, 0.0, 0.32}, {0.18, 0.16, 0.28});
  d = blend(d, ellipsoid(p, {0.13, 0.0, 0.68}, {0.14, 0.12, 0.12}), 0.08);
  d = blend(d, limb(p, {0.2, 0.0, 0.66}, {0.3, 0.0, 0.63}, 0.07, 0.045), 0.04);     // snout
  d = blend(d, limb(p, {0.08, 0.08, 0.76}, {0.06, 0.1, 0.9}, 0.045, 0.025), 0.02);  // ears
  d = blend(d, ellipsoid(p, {0.03, 0.13, 0.16}, {0.15, 0.08, 0.14}), 0.04);
  d = blend(d, limb(p, {0.05, 0.12, 0.05}, {0.24, 0.12, 0.05}, 0.055, 0.045), 0.03);  // feet
  d = blend(d, limb(p, {0.1, 0.11, 0.46}, {0.26, 0.06, 0.42}, 0.055, 0.045), 0.03);   // arms
  constexpr std::array<dvec3, 5> tail{
      {{-0.14, 0.0, 0.11}, {-0.32, 0.0, 0.2}, {-0.38, 0.0, 0.45}, {-0.32, 0.0, 0.7}, {-0.43, 0.0, 0.87}}};
  constexpr std::array<double, 5> bushy{0.06, 0.11, 0.14, 0.13, 0.05};
  for (std::size_t i = 0; i + 1 < tail.size(); ++i)
    d = blend(d, limb(p, tail[i], tail[i + 1], bushy[i], bushy[i + 1]), 0.03);
  return std::max(d, -at.z);
}

Mesh squirrel() {
  return talus::extract_surface([](const glm::vec3& p) { return static_cast<float>(squirrel(dvec3(p))); },
                                {{-0.6, -0.35, -0.05}, {0.45, 0.35, 1.0}}, 0.04);
}

// Stone: an icosahedron whose corners are moved in and out, longer than it is wide and high.
dvec3 corner_of_icosahedron(unsigned k) {
  const double golden = (1.0 + std::sqrt(5.0)) / 2.0, one = k & 1 ? 1.0 : -1.0, far = k & 2 ? golden : -golden;
  return k < 4 ? dvec3(0.0, one, far) : k < 8 ? dvec3(one, far, 0.0) : dvec3(far, 0.0, one);
}

Mesh stone() {
  std::mt19937 random(3);
  Mesh mesh;
  for (unsigned k = 0; k < 12; ++k) {
    const double share = static_cast<double>(random()) / 4294967296.0;  // the same everywhere, unlike distributions
    mesh.vertices.emplace_back((0.8 + 0.4 * share) * glm::normalize(corner_of_icosahedron(k)) *
                               dvec3(0.014, 0.0105, 0.0085));
  }
  const auto at = corner_of_icosahedron;
  const auto beside = [&](unsigned i, unsigned j) { return glm::distance(at(i), at(j)) < 2.01; };  // edges are 2 long
  for (unsigned i = 0; i < 12; ++i)
    for (unsigned j = i + 1; j < 12; ++j)
      for (unsigned k = j + 1; k < 12; ++k)
        if (beside(i, j) && beside(j, k) && beside(k, i)) {
          const bool outward = glm::dot(glm::cross(at(j) - at(i), at(k) - at(i)), at(i)) > 0.0;
          mesh.triangles.emplace_back(i, outward ? j : k, outward ? k : j);
        }
  return mesh;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_meshes DIR\n");
    return 2;
  }
  try {
    const std::filesystem::path folder(argv[1]);
    talus::write_mesh(folder / "city.obj", city());
    talus::write_mesh(folder / "animal.obj", animal());
    talus::write_mesh(folder / "squirrel.obj", squirrel());
    talus::write_mesh(folder / "stone.obj", stone());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
