#include "engine/base/atomic_file.h"
#include "engine/io/writers.h"
#include <bit>
#include <fmt/format.h>
#include <initializer_list>
#include <iterator>

namespace talus {
namespace {

// Binary, little endian.
class PlyFile {
public:
  PlyFile() {
    static_assert(std::endian::native == std::endian::little);
    line("ply\nformat binary_little_endian 1.0\ncomment Talus, SI units");
  }
  void line(std::string_view text) { fmt::format_to(std::back_inserter(bytes_), "{}\n", text); }
  void floats(std::initializer_list<const char*> names) {
    for (const char* name : names)
      line(fmt::format("property float {}", name));
  }
  void put(const auto& value) {
    const char* begin = reinterpret_cast<const char*>(&value);
    bytes_.append(begin, begin + sizeof value);
  }
  void put(const std::vector<glm::uvec3>& triangles) {
    for (const glm::uvec3& t : triangles) {
      put(std::uint8_t{3});
      put(t);
    }
  }
  void write(const std::filesystem::path& file) const { write_file(file, {bytes_.data(), bytes_.size()}); }

private:
  fmt::memory_buffer bytes_;
};

}  // namespace

void write_ply(const std::filesystem::path& file, const Points& points) {
  PlyFile ply;
  ply.line(fmt::format("comment time {} s", points.time));
  ply.line(fmt::format("element vertex {}", points.count));
  for (const PointColumn& c : points.columns)
    for (std::size_t k = 0; k < c.quantity->components(); ++k)
      ply.line(fmt::format("property {} {}", std::holds_alternative<std::vector<float>>(c.values) ? "float" : "uint",
                           c.quantity->parts[k]));
  ply.line("end_header");
  for (std::size_t i = 0; i < points.count; ++i)
    for (const PointColumn& c : points.columns)
      std::visit(
          [&, n = c.quantity->components()](const auto& values) {
            for (std::size_t k = 0; k < n; ++k)
              ply.put(values[n * i + k]);
          },
          c.values);
  ply.write(file);
}

void write_ply(const std::filesystem::path& file, const ClothState& cloth) {
  PlyFile ply;
  ply.line(fmt::format("element vertex {}", cloth.positions.size()));
  ply.floats({"x", "y", "z", "vx", "vy", "vz"});
  ply.line(fmt::format("element face {}", cloth.triangles.size()));
  ply.line("property list uchar uint vertex_indices");
  ply.line("end_header");
  for (std::size_t k = 0; k < cloth.positions.size(); ++k) {
    ply.put(cloth.positions[k]);
    ply.put(cloth.velocities[k]);
  }
  ply.put(cloth.triangles);
  ply.write(file);
}

void write_ply(const std::filesystem::path& file, const Mesh& mesh) {
  PlyFile ply;
  ply.line(fmt::format("element vertex {}", mesh.vertices.size()));
  ply.floats({"x", "y", "z"});
  ply.line(fmt::format("element face {}", mesh.triangles.size()));
  ply.line("property list uchar uint vertex_indices");
  ply.line("end_header");
  for (const glm::vec3& v : mesh.vertices)
    ply.put(v);
  ply.put(mesh.triangles);
  ply.write(file);
}

}  // namespace talus
