#pragma once
// What readers of mesh files share: a file with its limits, and the mesh that polygons are put together to.
#include "engine/geometry/mesh.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <string_view>

namespace talus {

inline constexpr std::size_t mesh_vertices_most = 3 * mesh_triangles_most;

class MeshSource {
public:
  explicit MeshSource(const std::filesystem::path& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw MeshError(fmt::format("{}: {}", file_.string(), what));
  }

  // The content of a file, this one or one that it names. head: called with how it begins and its size, before there is
  // memory for all of it.
  std::string read(const std::filesystem::path& file,
                   const std::function<void(std::string_view, std::uintmax_t)>& head = {}) {
    auto refuse = [&](const std::string& why) {
      fail(file == file_ ? why : fmt::format("names {}, which {}", file.filename().string(), why));
    };
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status))
      refuse("does not exist");
    if (!std::filesystem::is_regular_file(status))
      refuse("is not a file");
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error)
      refuse("cannot be read: " + error.message());
    if (size == 0)
      refuse("is empty");
    if (size > left_)
      refuse(fmt::format("is too large: a mesh may have {} MiB", mesh_bytes_most >> 20));
    std::ifstream in(file, std::ios::binary);
    std::string bytes(std::min<std::uintmax_t>(size, head ? head_bytes : 0), '\0');
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      refuse("cannot be read");
    if (head)
      head(bytes, size);
    const std::size_t begun = bytes.size();
    bytes.resize(size);
    if (!in.read(bytes.data() + begun, static_cast<std::streamsize>(size - begun)))
      refuse("cannot be read");
    left_ -= size;
    return bytes;
  }

  void check_triangles(std::uint64_t count) const { check(count, mesh_triangles_most, "triangles"); }
  void check_vertices(std::uint64_t count) const { check(count, mesh_vertices_most, "vertices"); }

  const std::filesystem::path& file() const { return file_; }

private:
  void check(std::uint64_t count, std::uint64_t most, std::string_view what) const {
    if (count > most)
      fail(fmt::format("has {} {}; at most {} are taken", count, what, most));
  }

  static constexpr std::uintmax_t head_bytes = 64 << 10;
  const std::filesystem::path& file_;
  std::uintmax_t left_ = mesh_bytes_most;
};

// Puts polygons together to one mesh, each where its node says.
class MeshBuilder {
public:
  MeshBuilder(const MeshSource& source, const MeshOptions& options, UpAxis up) : source_(&source) {
    const double s = options.scale;
    const glm::dmat3 to_z[] = {{{0, 0, s}, {s, 0, 0}, {0, s, 0}}, {{s, 0, 0}, {0, 0, s}, {0, -s, 0}}, glm::dmat3(s)};
    root_ = glm::dmat4(to_z[static_cast<int>(up)]);
  }

  // The vertices and polygons that follow belong to a new piece.
  void start(const glm::dmat4& to_file = glm::dmat4(1)) {
    to_world_ = root_ * to_file;
    mirrored_ = glm::determinant(glm::dmat3(to_world_)) < 0;
    first_ = static_cast<std::uint32_t>(mesh_.vertices.size());
  }

  void vertex(const glm::dvec3& at) {  // what is not finite stays so under any matrix, for repair_mesh to refuse
    const bool finite = std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z);
    mesh_.vertices.emplace_back(finite ? glm::dvec3(to_world_ * glm::dvec4(at, 1)) : at);
  }

  // After the vertices of its piece, which it counts from 0.
  void polygon(std::span<const std::uint32_t> corners) {
    outline_.clear();
    for (const std::uint32_t c : corners) {
      if (c >= mesh_.vertices.size() - first_)
        source_->fail(
            fmt::format("is damaged: a face names vertex {}, and there are {}", c, mesh_.vertices.size() - first_));
      outline_.emplace_back(mesh_.vertices[first_ + c]);
    }
    if (corners.size() < 3) {
      ++ignored_;
      return;
    }
    source_->check_triangles(mesh_.triangles.size() + corners.size() - 2);
    for (const glm::uvec3& t : triangulate(outline_)) {
      const glm::uvec3 v(corners[t.x], corners[t.y], corners[t.z]);
      mesh_.triangles.push_back(first_ + (mirrored_ ? glm::uvec3(v.x, v.z, v.y) : v));
    }
  }

  void ignore(std::size_t points_and_lines) { ignored_ += points_and_lines; }
  std::size_t ignored() const { return ignored_; }
  Mesh take() { return std::move(mesh_); }

private:
  const MeshSource* source_;
  glm::dmat4 root_, to_world_{1};
  bool mirrored_ = false;
  std::uint32_t first_ = 0;
  std::vector<glm::dvec3> outline_;
  Mesh mesh_;
  std::size_t ignored_ = 0;
};

// Reads the text of a COLLADA file in metres, with the axis up that the options or else the file say. Throws MeshError.
MeshBuilder read_collada(const MeshSource& source, const std::string& bytes, const MeshOptions& options);

}  // namespace talus
