#include "engine/io/vtp.h"
#include <bit>
#include <concepts>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

namespace talus {
namespace {

template <class T> constexpr std::string_view type_name() {
  if constexpr (std::same_as<T, float>)
    return "Float32";
  else if constexpr (std::same_as<T, std::uint32_t>)
    return "UInt32";
  else
    return "Int32";
}

// A head in XML that describes arrays, and behind it their bytes: each with its size in front, as header_type says.
class PolyData {
public:
  PolyData(std::size_t points, std::size_t vertices, std::size_t triangles, double time) {
    static_assert(std::endian::native == std::endian::little);
    text(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    text(fmt::format("<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                     "format=\"ascii\">{}</DataArray>\n</FieldData>\n",
                     time));
    text(fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                     "NumberOfPolys=\"{}\">\n",
                     points, vertices, triangles));
  }

  void open(std::string_view section) { text(fmt::format("<{}>\n", section)); }
  void close(std::string_view section) { text(fmt::format("</{}>\n", section)); }

  // values: of one tuple after another.
  template <class T> void array(std::string_view name, int components, const std::vector<T>& values) {
    text(fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
                     "offset=\"{}\"/>\n",
                     type_name<T>(), name, components, data_.size()));
    const std::uint64_t bytes = values.size() * sizeof(T);
    put(&bytes, sizeof bytes);
    put(values.data(), bytes);
  }
  void vectors(std::string_view name, const std::vector<glm::vec3>& values) {
    std::vector<float> numbers;
    numbers.reserve(3 * values.size());
    for (const glm::vec3& v : values)
      numbers.insert(numbers.end(), {v.x, v.y, v.z});
    array(name, 3, numbers);
  }
  void points(const std::vector<glm::vec3>& positions) {
    open("Points");
    vectors("Points", positions);
    close("Points");
  }
  // Cells of so many corners each.
  void cells(std::string_view kind, int corners, const std::vector<std::int32_t>& connectivity) {
    std::vector<std::int32_t> offsets(connectivity.size() / static_cast<std::size_t>(corners));
    for (std::size_t i = 0; i < offsets.size(); ++i)
      offsets[i] = static_cast<std::int32_t>(i + 1) * corners;
    open(kind);
    array("connectivity", 1, connectivity);
    array("offsets", 1, offsets);
    close(kind);
  }

  void write(const std::filesystem::path& file) {
    text("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
    head_.append(data_);
    text("\n</AppendedData>\n</VTKFile>\n");
    write_file(file, {head_.data(), head_.size()});
  }

private:
  void text(std::string_view more) { head_.append(more); }
  void put(const void* from, std::size_t bytes) {
    const char* begin = static_cast<const char*>(from);
    data_.append(begin, begin + bytes);
  }

  fmt::memory_buffer head_, data_;
};

std::vector<std::int32_t> corners_of(const std::vector<glm::uvec3>& triangles) {
  std::vector<std::int32_t> corners;
  corners.reserve(3 * triangles.size());
  for (const glm::uvec3& t : triangles)
    for (int k = 0; k < 3; ++k)
      corners.push_back(static_cast<std::int32_t>(t[k]));
  return corners;
}

template <class T> std::vector<T> column_of(const std::vector<GrainState>& grains, T GrainState::*member) {
  std::vector<T> values;
  values.reserve(grains.size());
  for (const GrainState& g : grains)
    values.push_back(g.*member);
  return values;
}

}  // namespace

void write_vtp(const std::filesystem::path& file, const std::vector<GrainState>& grains, double time, Spins spins) {
  PolyData out(grains.size(), grains.size(), 0, time);
  out.open("PointData Scalars=\"radius\" Vectors=\"velocity\"");
  out.array("radius", 1, column_of(grains, &GrainState::radius));
  out.vectors("velocity", column_of(grains, &GrainState::velocity));
  out.array("id", 1, column_of(grains, &GrainState::id));
  out.array("material", 1, column_of(grains, &GrainState::material));
  out.array("world", 1, column_of(grains, &GrainState::world));
  if (spins == Spins::written)
    out.vectors("spin", column_of(grains, &GrainState::spin));
  out.close("PointData");
  out.points(column_of(grains, &GrainState::position));
  std::vector<std::int32_t> each(grains.size());
  std::iota(each.begin(), each.end(), 0);
  out.cells("Verts", 1, each);
  out.write(file);
}

void write_vtp(const std::filesystem::path& file, const ClothState& cloth, double time) {
  PolyData out(cloth.positions.size(), 0, cloth.triangles.size(), time);
  out.open("PointData Vectors=\"velocity\"");
  out.vectors("velocity", cloth.velocities);
  out.close("PointData");
  out.points(cloth.positions);
  out.cells("Polys", 3, corners_of(cloth.triangles));
  out.write(file);
}

void write_vtp(const std::filesystem::path& file, const std::vector<PosedMesh>& meshes, double time) {
  std::vector<glm::vec3> positions, velocities;
  std::vector<glm::uvec3> triangles;
  std::vector<std::uint32_t> bodies, worlds;
  for (const PosedMesh& m : meshes) {
    const auto base = static_cast<std::uint32_t>(positions.size());
    for (const glm::vec3& v : m.mesh->vertices) {
      const glm::dvec3 arm = m.state.pose.rotation * glm::dvec3(v);
      positions.emplace_back(m.state.pose.position + arm);
      velocities.emplace_back(m.state.twist.velocity + glm::cross(m.state.twist.spin, arm));
    }
    for (const glm::uvec3& t : m.mesh->triangles)
      triangles.push_back(base + t);
    bodies.insert(bodies.end(), m.mesh->triangles.size(), m.body);
    worlds.insert(worlds.end(), m.mesh->triangles.size(), m.world);
  }
  PolyData out(positions.size(), 0, triangles.size(), time);
  out.open("PointData Vectors=\"velocity\"");
  out.vectors("velocity", velocities);
  out.close("PointData");
  out.open("CellData Scalars=\"body\"");
  out.array("body", 1, bodies);
  out.array("world", 1, worlds);
  out.close("CellData");
  out.points(positions);
  out.cells("Polys", 3, corners_of(triangles));
  out.write(file);
}

void write_pvd(const std::filesystem::path& file, const std::vector<CollectionEntry>& entries) {
  fmt::memory_buffer text;
  const auto add = [&](std::string_view more) { text.append(more); };
  add("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n");
  for (std::size_t i = 0, part = 0; i < entries.size(); ++i) {
    part = i > 0 && entries[i].time == entries[i - 1].time ? part + 1 : 0;
    fmt::format_to(std::back_inserter(text), "<DataSet timestep=\"{}\" group=\"\" part=\"{}\" file=\"{}\"/>\n",
                   entries[i].time, part, entries[i].file);
  }
  add("</Collection>\n</VTKFile>\n");
  write_file(file, {text.data(), text.size()});
}

}  // namespace talus
