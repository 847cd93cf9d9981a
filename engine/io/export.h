#pragma once
// Grains and cloth as files: one file per time and an index of them; and tables that grow by a row at a time.
#include "engine/talus.h"
#include <fstream>
#include <string_view>

namespace talus {

// A file cannot be written: which and why.
struct ExportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws ExportError.
void write_file(const std::filesystem::path& file, std::string_view content);

enum class Format { csv, ply };

// Throws std::invalid_argument with what is available.
Format parse_format(std::string_view name);

// Columns id, x, y, z, vx, vy, vz, radius, material, world, sorted by id. Every float comes back exactly as it was.
void write_csv(const std::filesystem::path& file, std::vector<GrainState> grains);
void write_ply(const std::filesystem::path& file, std::vector<GrainState> grains);  // binary, little endian
// A mesh: x, y, z, vx, vy, vz of the vertices, and the triangles.
void write_ply(const std::filesystem::path& file, const ClothState& cloth);

// As a field of a table, where it may hold commas and quotes.
std::string csv_field(std::string_view name);

// A table with a header, comma separated, flushed after each row. One of its columns is "step": a run that goes on from
// keep_before takes over the rows of earlier steps that it finds in the file, and writes the others again.
class Table {
public:
  Table(const std::filesystem::path& file, std::string_view header, std::uint64_t keep_before = 0);
  void row(std::string_view line);

private:
  std::filesystem::path file_;
  std::ofstream out_;
};

// Can a sheet of cloth be written in it?
bool holds_cloth(Format format);

// DIR/grains_0001.200000s.csv .. and DIR/index.csv with the columns file, time, step, grains. Where the scene has fine
// grains, DIR/fine_0001.200000s.csv .. and DIR/index_fine.csv likewise; their id is their number. Where the format
// holds cloth, too, DIR/cloth_NAME_0001.200000s.ply .. and DIR/index_cloth.csv with the columns file, time, step,
// vertices, triangles, cloth; in NAME, what is no letter, digit, '.' or '-' is '_', and names that are then alike get
// one more.
class Series {
public:
  Series(const std::filesystem::path& directory, Format format, std::uint64_t keep_before = 0,
         const std::vector<ClothSpec>& cloths = {}, bool fine = false);
  void add(double time, std::uint64_t step, std::vector<GrainState> grains);
  void add(Simulation& simulation);  // with its cloth and fine grains

private:
  std::string timed(std::string_view what, double time) const;
  void write(const std::string& name, std::vector<GrainState> grains) const;

  std::filesystem::path directory_;
  Format format_;
  Table index_;
  std::optional<Table> fine_index_, cloth_index_;
  std::vector<std::string> cloth_files_;  // their names up to the time; one per cloth where the format holds cloth
  std::string last_name_;
};

}  // namespace talus
