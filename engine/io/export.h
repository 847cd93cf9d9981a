#pragma once
// Grains as files: one file per time and an index of them; and tables that grow by a row at a time.
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

// DIR/grains_0001.200000s.csv .. and DIR/index.csv with the columns file, time, step, grains.
class Series {
public:
  Series(const std::filesystem::path& directory, Format format, std::uint64_t keep_before = 0);
  void add(double time, std::uint64_t step, std::vector<GrainState> grains);

private:
  std::filesystem::path directory_;
  Format format_;
  Table index_;
  std::string last_name_;
};

}  // namespace talus
