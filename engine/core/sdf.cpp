#include "engine/core/sdf.h"
#include "engine/base/cache.h"
#include "engine/core/executor.h"
#include "engine/scene/scene.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>

namespace talus {
namespace {

// Distance, in radii of a node, from which its triangles count as one dipole in the winding number: its error is then
// below 0.04 (measured; 0.07 at 2, 0.02 at 4).
constexpr double dipole_reach = 3.0;
constexpr float band_least = 4.0f;  // cells
constexpr uint nodes_least = 512;   // a mesh far smaller than a cell, with its padding, takes 6 x 6 x 6
// Threads of one dispatch: a slow device's watchdog must not wait for more.
constexpr uint run_elements = 1u << 18u;

struct Box {
  glm::dvec3 low{std::numeric_limits<double>::max()}, high{std::numeric_limits<double>::lowest()};
  void add(const glm::dvec3& p) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
};

Box box_of(const Mesh& mesh) {
  Box box;
  for (const glm::uvec3& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      if (t[k] >= mesh.vertices.size())
        throw SceneError(
            fmt::format("a mesh of {} vertices has a triangle with vertex {}", mesh.vertices.size(), t[k]));
      const glm::vec3& v = mesh.vertices[t[k]];
      if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z))
        throw SceneError(fmt::format("vertex {} of a mesh is not a number", t[k]));
      box.add(glm::dvec3(v));
    }
  return box;
}

// The triangles in cells and a complete binary tree over them, by median splits of their centres.
class Tree {
public:
  std::vector<BakeTriangle> triangles;
  std::vector<BakeNode> nodes;

  Tree(const Mesh& mesh, const Sdf& grid) {
    const auto count = static_cast<uint>(mesh.triangles.size());
    leaves_ = (count + leaf_triangles - 1) / leaf_triangles;
    nodes.resize(2 * leaves_ - 1);
    triangles.resize(leaves_ * leaf_triangles);
    areas_.resize(nodes.size());
    leaves_below_.resize(nodes.size(), 1);
    for (uint i = leaves_ - 1; i-- > 0;)
      leaves_below_[i] = leaves_below_[2 * i + 1] + leaves_below_[2 * i + 2];
    for (const glm::uvec3& t : mesh.triangles) {
      std::array<glm::vec3, 3> v;
      for (int k = 0; k < 3; ++k)
        v[k] = (glm::dvec3(mesh.vertices[t[k]]) - glm::dvec3(grid.origin)) / static_cast<double>(grid.cell);
      source_.push_back({v[0], v[1], v[2]});
      centres_.push_back((v[0] + v[1] + v[2]) / 3.0f);
    }
    std::vector<uint> order(count);
    std::iota(order.begin(), order.end(), 0u);
    build(0, order);
  }
  uint leaves() const { return leaves_; }

private:
  uint leaves_ = 0;
  std::vector<uint> leaves_below_;
  std::vector<double> areas_;  // of the triangles below a node
  std::vector<BakeTriangle> source_;
  std::vector<glm::vec3> centres_;

  void build(uint node, std::span<uint> order) {
    TALUS_ASSERT(!order.empty() && order.size() <= std::size_t{leaves_below_[node]} * leaf_triangles, node,
                 order.size(), leaves_below_[node]);
    if (leaves_below_[node] == 1)
      return fill(node, order);
    Box box;
    for (const uint t : order)
      box.add(glm::dvec3(centres_[t]));
    const glm::dvec3 extent = box.high - box.low;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
    const uint left = 2 * node + 1, right = left + 1, half = leaves_below_[left] * leaf_triangles;
    TALUS_ASSERT(right < nodes.size() && half < order.size(), node, half, order.size());
    std::nth_element(order.begin(), order.begin() + half, order.end(), [&](uint a, uint b) {
      return centres_[a][axis] != centres_[b][axis] ? centres_[a][axis] < centres_[b][axis] : a < b;
    });
    build(left, order.first(half));
    build(right, order.subspan(half));

    const BakeNode &l = nodes[left], &r = nodes[right];
    areas_[node] = areas_[left] + areas_[right];
    const double share = areas_[node] > 0.0 ? areas_[right] / areas_[node] : 0.5;
    nodes[node] = {.low = glm::min(l.low, r.low),
                   .high = glm::max(l.high, r.high),
                   .centre = glm::mix(glm::dvec3(l.centre), glm::dvec3(r.centre), share),
                   .area = glm::dvec3(l.area) + glm::dvec3(r.area)};
    set_reach(nodes[node]);
  }

  void fill(uint node, std::span<uint> order) {
    std::ranges::sort(order);
    const uint first = (node + 1 - leaves_) * leaf_triangles;
    TALUS_ASSERT(first + leaf_triangles <= triangles.size() && order.size() <= leaf_triangles, node, first,
                 triangles.size(), order.size());
    Box box;
    glm::dvec3 moment(0.0), area_vector(0.0);
    double area = 0.0;
    for (uint k = 0; k < order.size(); ++k) {
      const BakeTriangle& t = triangles[first + k] = source_[order[k]];
      for (const vec3& v : {t.a, t.b, t.c})
        box.add(glm::dvec3(v));
      const glm::dvec3 normal = 0.5 * glm::cross(glm::dvec3(t.b - t.a), glm::dvec3(t.c - t.b));
      area_vector += normal;
      area += glm::length(normal);
      moment += glm::length(normal) * glm::dvec3(centres_[order[k]]);
    }
    // What is left of the last leaf: a point that is there anyway, and that no winding number sees.
    const vec3 point = triangles[first].a;
    std::fill(triangles.begin() + first + static_cast<std::ptrdiff_t>(order.size()),
              triangles.begin() + first + leaf_triangles, BakeTriangle{point, point, point});
    areas_[node] = area;
    nodes[node] = {.low = box.low,
                   .high = box.high,
                   .centre = area > 0.0 ? moment / area : 0.5 * (box.low + box.high),
                   .area = area_vector};
    set_reach(nodes[node]);
  }

  static void set_reach(BakeNode& node) {
    const glm::dvec3 centre(node.centre);
    const double reach =
        dipole_reach * glm::length(glm::max(glm::dvec3(node.high) - centre, centre - glm::dvec3(node.low)));
    node.near2 = static_cast<float>(reach * reach);
  }
};

template <class T> void put_field(Executor& executor, FieldId id, const std::vector<T>& data) {
  executor.resize(id, data.size());
  write_field(executor, id, data);
}

void run(Executor& executor, Pass pass, uint elements) {
  for (uint first = 0; first < elements; first += run_elements) {
    Args args{};
    args.first = first;
    executor.run(pass, {std::min(run_elements, elements - first)}, args);
    executor.finish();
  }
}

// Cells from the surface in which every node is exact: where contacts of grains are, if their radius is known.
float band_of(const SdfSettings& settings, const Sdf& grid) {
  return std::max(band_least, settings.grain_radius / grid.cell + 1.0f);
}

// Everything that the values follow from.
std::uint64_t key_of(const Mesh& mesh, const SdfSettings& settings, const Sdf& grid) {
  const float band = band_of(settings, grid);
  std::uint64_t key = checksum(mesh);
  key = checksum(std::as_bytes(std::span(&grid.origin, 1)), key);
  key = checksum(std::as_bytes(std::span(&grid.cell, 1)), key);
  key = checksum(std::as_bytes(std::span(&grid.size, 1)), key);
  return checksum(std::as_bytes(std::span(&band, 1)), key);
}

struct FileHead {
  std::array<char, 8> magic{'T', 'A', 'L', 'U', 'S', 'S', 'D', '1'};  // the last: changes with the passes
  std::uint64_t key;
  std::uint64_t values;
  std::uint64_t sum;  // of the values
  bool operator==(const FileHead&) const = default;
};

FileHead head_of(std::uint64_t key, const std::vector<float>& values) {
  return {.key = key, .values = values.size(), .sum = checksum(std::as_bytes(std::span(values)))};
}

std::optional<std::vector<float>> read_values(const std::filesystem::path& file, std::uint64_t key, std::size_t count) {
  std::error_code error;
  FileHead head{};
  if (std::filesystem::file_size(file, error) != sizeof head + count * sizeof(float) || error)
    return {};
  std::vector<float> values(count);
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(float)));
  if (!in || head != head_of(key, values))
    return {};
  return values;
}

std::size_t nodes_of(const glm::uvec3& size) {
  return static_cast<std::size_t>(size.x) * size.y * size.z;
}

}  // namespace

Sdf sdf_grid(const Mesh& mesh, const SdfSettings& settings, std::string& note) {
  note.clear();
  if (mesh.triangles.empty())
    return {};
  const Box box = box_of(mesh);
  const glm::dvec3 extent = box.high - box.low;
  const double longest = std::max({extent.x, extent.y, extent.z}), radius = static_cast<double>(settings.grain_radius);
  const double wanted = settings.cell > 0.0f ? static_cast<double>(settings.cell)
                        : radius > 0.0       ? 0.5 * radius
                        : longest > 0.0      ? 0.01 * longest
                                             : 1.0;
  double cell = wanted, padding = 0.0;
  glm::dvec3 size;
  for (;;) {
    padding = settings.padding > 0.0f ? static_cast<double>(settings.padding) : radius + 2.0 * cell;
    size = glm::ceil((extent + 2.0 * padding) / cell) + 1.0;
    const double over = size.x * size.y * size.z / std::max(settings.nodes_max, nodes_least);
    if (over <= 1.0)
      break;
    cell *= std::max(std::cbrt(over), 1.001);
  }
  if (cell > wanted)
    note = fmt::format("a mesh {:.3g} m long has cells of {:.3g} m instead of {:.3g} m, so that its distance field has "
                       "no more than {} nodes",
                       longest, cell, wanted, settings.nodes_max);
  return {.origin = box.low - padding, .cell = static_cast<float>(cell), .size = glm::uvec3(size)};
}

Sdf bake_sdf(const Mesh& mesh, const SdfSettings& settings, Executor& executor, std::string& note) {
  Sdf sdf = sdf_grid(mesh, settings, note);
  if (mesh.triangles.empty())
    return sdf;
  const uvec3 bricks = (sdf.size + (brick_edge - 1)) / brick_edge;
  const uint brick_count = bricks.x * bricks.y * bricks.z;
  const uint corner_count = (bricks.x + 1) * (bricks.y + 1) * (bricks.z + 1);
  {
    const Tree tree(mesh, sdf);
    put_field(executor, FieldId::bake_grid,
              std::vector{BakeGrid{sdf.size, bricks, tree.leaves(), band_of(settings, sdf)}});
    put_field(executor, FieldId::bake_triangles, tree.triangles);
    put_field(executor, FieldId::bake_tree, tree.nodes);
  }
  executor.resize(FieldId::bake_corners, corner_count);
  executor.resize(FieldId::bake_values, nodes_of(sdf.size));
  run(executor, Pass::sdf_corners, corner_count);
  run(executor, Pass::sdf_nodes, brick_count * brick_nodes);
  sdf.values = read_field<float>(executor, FieldId::bake_values, nodes_of(sdf.size));
  for (float& value : sdf.values)
    value *= sdf.cell;
  for (const FieldId id :
       {FieldId::bake_grid, FieldId::bake_triangles, FieldId::bake_tree, FieldId::bake_corners, FieldId::bake_values})
    executor.resize(id, 0);
  return sdf;
}

Sdf cached_sdf(const Mesh& mesh, const SdfSettings& settings, Executor& executor, std::string& note,
               const std::filesystem::path& folder) {
  Sdf sdf = sdf_grid(mesh, settings, note);
  if (mesh.triangles.empty() || folder.empty())
    return bake_sdf(mesh, settings, executor, note);
  const std::uint64_t key = key_of(mesh, settings, sdf);
  const std::filesystem::path file = folder / fmt::format("sdf-{:016x}.bin", key);
  if (auto values = read_values(file, key, nodes_of(sdf.size))) {
    sdf.values = std::move(*values);
    return sdf;
  }
  sdf = bake_sdf(mesh, settings, executor, note);
  const FileHead head = head_of(key, sdf.values);
  write_whole(file, {std::as_bytes(std::span(&head, 1)), std::as_bytes(std::span(sdf.values))});
  return sdf;
}

SdfSample sample(const Sdf& sdf, const glm::vec3& p) {
  if (sdf.values.empty())
    return {std::numeric_limits<float>::max(), glm::vec3(0.0f)};
  const glm::vec3 q = (p - sdf.origin) / sdf.cell;
  const glm::vec3 inside = glm::clamp(q, glm::vec3(0.0f), glm::vec3(sdf.size - 1u));
  const glm::uvec3 node = glm::min(glm::uvec3(inside), sdf.size - 2u);
  const glm::vec3 t = inside - glm::vec3(node);
  TALUS_ASSERT(sdf.values.size() == nodes_of(sdf.size) && sdf.size.x >= 2 && sdf.size.y >= 2 && sdf.size.z >= 2,
               sdf.values.size(), sdf.size.x, sdf.size.y, sdf.size.z);

  // Corner x + 2 y + 4 z of the cell.
  std::array<float, 8> v;
  for (unsigned c = 0; c < 8; ++c)
    v[c] =
        sdf.values[((node.z + (c >> 2)) * static_cast<std::size_t>(sdf.size.y) + node.y + (c >> 1 & 1)) * sdf.size.x +
                   node.x + (c & 1)];
  const auto between = [](float a, float b, float share) { return a + share * (b - a); };
  const auto face = [&](float a, float b, float c, float d, float s, float r) {
    return between(between(a, b, s), between(c, d, s), r);
  };
  const float distance = between(face(v[0], v[1], v[2], v[3], t.x, t.y), face(v[4], v[5], v[6], v[7], t.x, t.y), t.z);
  glm::vec3 gradient(face(v[1] - v[0], v[3] - v[2], v[5] - v[4], v[7] - v[6], t.y, t.z),
                     face(v[2] - v[0], v[3] - v[1], v[6] - v[4], v[7] - v[5], t.x, t.z),
                     face(v[4] - v[0], v[5] - v[1], v[6] - v[2], v[7] - v[3], t.x, t.y));
  gradient /= sdf.cell;

  const glm::vec3 way = q - inside;
  const float beyond = glm::length(way);
  for (int a = 0; a < 3; ++a)
    if (way[a] != 0.0f)
      gradient[a] = way[a] / beyond;
  return {distance + beyond * sdf.cell, gradient};
}

}  // namespace talus
