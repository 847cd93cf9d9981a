#pragma once
// Grains, cloth and meshes as files; and tables that grow by a row at a time. engine/io/series.h puts them together.
#include "engine/base/atomic_file.h"
#include "engine/geometry/mesh.h"
#include "engine/talus.h"
#include <array>
#include <fstream>
#include <string_view>

namespace talus {

enum class Format { csv, ply, vtp, extxyz };
inline constexpr std::array<std::string_view, 4> format_names{"csv", "ply", "vtp", "extxyz"};

// The name of a format is what its files end with, too.
inline std::string_view name_of(Format format) {
  return format_names[static_cast<std::size_t>(format)];
}

// Throws std::invalid_argument with what is available.
Format parse_format(std::string_view name);

// Are angular velocities among the columns of grains?
enum class Spins { none, written };
// Coarse grains have them where they rotate. Fine grains have none.
inline Spins spins_of(const Scene& scene) {
  return scene.solver.rotation ? Spins::written : Spins::none;
}

// In any of the formats. The time [s] is in all of them but csv, which is a table of grains alone; extxyz takes the
// cell, which axes are periodic, and the names of materials from the scene.
void write_grains(const std::filesystem::path& file, Format format, std::vector<GrainState> grains, double time,
                  const Scene& scene, Spins spins);

// Columns id, x, y, z, vx, vy, vz, radius, material, world, and with spins wx, wy, wz [rad/s], sorted by id. Every
// float comes back exactly as it was.
void write_csv(const std::filesystem::path& file, std::vector<GrainState> grains, Spins spins = Spins::none);
void write_ply(const std::filesystem::path& file, std::vector<GrainState> grains, double time,
               Spins spins = Spins::none);  // binary, little endian
// A mesh: x, y, z, vx, vy, vz of the vertices, and the triangles.
void write_ply(const std::filesystem::path& file, const ClothState& cloth);
void write_ply(const std::filesystem::path& file, const Mesh& mesh);  // x, y, z, and the triangles

// OVITO's extended xyz. What a name of a material has beside letters, digits, '.' and '-' is '_'.
void write_extxyz(const std::filesystem::path& file, std::vector<GrainState> grains, double time, const Scene& scene,
                  Spins spins);

// As a field of a table, where it may hold commas and quotes.
std::string csv_field(std::string_view name);

// Column n of a row that has no quotes before it.
std::string_view csv_column(std::string_view row, std::size_t n);

// A name as part of a file's, or as a word: what is no letter, digit, '.' or '-' is '_'.
std::string plain_name(std::string_view name);

// A table with a header, comma separated. One of its columns is "step": a run that goes on from keep_before takes over
// the rows of earlier steps that it finds in the file, and writes the others again. It begins in one go, and grows in
// its place, so that others can follow it and a run that was killed leaves what it had. Each row is flushed and
// checked: one that does not fit on the disk is taken back whole.
class Table {
public:
  Table(const std::filesystem::path& file, std::string_view header, std::uint64_t keep_before = 0);
  void row(std::string_view line);
  const std::vector<std::string>& kept() const { return kept_; }

private:
  std::filesystem::path file_;
  std::ofstream out_;
  std::vector<std::string> kept_;
  std::uintmax_t size_ = 0;  // bytes of whole rows
};

// Can a sheet of cloth be written in it?
bool holds_cloth(Format format);

}  // namespace talus
