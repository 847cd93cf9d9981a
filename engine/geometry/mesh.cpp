#include "engine/geometry/mesh.h"
#include "engine/base/assert.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <iterator>

namespace talus {

namespace {

std::array<glm::dvec3, 3> corners(const Mesh& mesh, const glm::uvec3& t) {
  TALUS_ASSERT(std::max({t.x, t.y, t.z}) < mesh.vertices.size(), t.x, t.y, t.z, mesh.vertices.size());
  return {glm::dvec3(mesh.vertices[t.x]), glm::dvec3(mesh.vertices[t.y]), glm::dvec3(mesh.vertices[t.z])};
}

// Integrals of 1, x and x x^T over the volume, from a point near the mesh, which keeps rounding small.
struct Integrals {
  double volume = 0;
  glm::dvec3 origin, first{0};
  glm::dmat3 second{0};
};

Integrals integrate(const Mesh& mesh) {
  Integrals sum;
  const Bounds box = bounds(mesh);
  sum.origin = (box.min + box.max) / 2.0;
  for (const glm::uvec3& t : mesh.triangles) {
    auto [a, b, c] = corners(mesh, t);
    a -= sum.origin, b -= sum.origin, c -= sum.origin;
    const double det = glm::dot(a, glm::cross(b, c));
    const glm::dvec3 s = a + b + c;
    sum.volume += det / 6;
    sum.first += det / 24 * s;
    for (const glm::dvec3& p : {a, b, c, s})
      sum.second += det / 120 * glm::outerProduct(p, p);
  }
  return sum;
}

void append(std::string& out, const auto& value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

std::string to_stl(const Mesh& mesh) {
  std::string out(80, '\0');
  append(out, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const glm::uvec3& t : mesh.triangles) {
    const auto [a, b, c] = corners(mesh, t);
    const glm::dvec3 n = glm::cross(b - a, c - a);
    const double length = glm::length(n);
    append(out, length > 0 ? glm::vec3(n / length) : glm::vec3(0));
    for (int k = 0; k < 3; ++k)
      append(out, mesh.vertices[t[k]]);
    append(out, std::uint16_t(0));
  }
  return out;
}

std::string to_obj(const Mesh& mesh) {
  fmt::memory_buffer out;
  for (const glm::vec3& v : mesh.vertices)  // {} of a float: the shortest text that reads back as the same float
    fmt::format_to(std::back_inserter(out), "v {} {} {}\n", v.x, v.y, v.z);
  for (const glm::uvec3& t : mesh.triangles)
    fmt::format_to(std::back_inserter(out), "f {} {} {}\n", t.x + 1, t.y + 1, t.z + 1);
  return fmt::to_string(out);
}

}  // namespace

std::uint64_t checksum(const Mesh& mesh, std::uint64_t sum) {
  return checksum(std::as_bytes(std::span(mesh.triangles)), checksum(std::as_bytes(std::span(mesh.vertices)), sum));
}

Bounds bounds(const Mesh& mesh) {
  if (mesh.vertices.empty())
    return {glm::dvec3(0), glm::dvec3(0)};
  glm::vec3 min = mesh.vertices[0], max = min;
  for (const glm::vec3& v : mesh.vertices) {
    min = glm::min(min, v);
    max = glm::max(max, v);
  }
  return {min, max};
}

double area(const Mesh& mesh) {
  double sum = 0;
  for (const glm::uvec3& t : mesh.triangles) {
    const auto [a, b, c] = corners(mesh, t);
    sum += glm::length(glm::cross(b - a, c - a)) / 2;
  }
  return sum;
}

double volume(const Mesh& mesh) {
  return integrate(mesh).volume;
}

VolumeProperties volume_properties(const Mesh& mesh) {
  const Integrals sum = integrate(mesh);
  if (!(sum.volume > 0))
    throw MeshError("the mesh encloses no volume, and has no centre of mass and no moments of inertia");
  const glm::dvec3 center = sum.first / sum.volume;
  const glm::dmat3 second = sum.second - sum.volume * glm::outerProduct(center, center);
  const double trace = second[0][0] + second[1][1] + second[2][2];
  return {sum.volume, sum.origin + center, glm::dmat3(trace) - second};
}

void write_mesh(const std::filesystem::path& file, const Mesh& mesh) {
  const std::string extension = file.extension().string();
  if (extension != ".stl" && extension != ".obj")
    throw MeshError(fmt::format("{}: meshes are written as .stl or .obj", file.string()));
  const std::string content = extension == ".stl" ? to_stl(mesh) : to_obj(mesh);
  try {
    write_file(file, content);
  } catch (const ExportError& e) {
    throw MeshError(e.what());
  }
}

}  // namespace talus
