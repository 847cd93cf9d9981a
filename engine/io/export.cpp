#include "engine/io/export.h"
#include <algorithm>
#include <bit>
#include <cerrno>
#include <fmt/format.h>
#include <iterator>
#include <system_error>

namespace talus {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw ExportError(
      fmt::format("{} cannot be written: {}", file.string(), std::generic_category().message(errno ? errno : EIO)));
}

void sort_by_id(std::vector<GrainState>& grains) {
  std::ranges::sort(grains, {}, &GrainState::id);
}

// Value of column n of a row.
std::string_view column(std::string_view row, std::size_t n) {
  for (; n > 0; --n)
    row.remove_prefix(std::min(row.find(','), row.size() - 1) + 1);
  return row.substr(0, row.find(','));
}

std::vector<std::string> rows_before(const std::filesystem::path& file, std::string_view header, std::uint64_t step) {
  std::vector<std::string> rows;
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != header)
    return rows;
  std::size_t step_column = 0;
  while (column(header, step_column) != "step")
    ++step_column;
  while (std::getline(in, line) && !line.empty() &&
         std::strtoull(std::string(column(line, step_column)).c_str(), nullptr, 10) < step)
    rows.push_back(line);
  return rows;
}

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view content) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out)
    fail(file);
}

Format parse_format(std::string_view name) {
  if (name == "csv")
    return Format::csv;
  if (name == "ply")
    return Format::ply;
  if (name == "vtp" || name == "extxyz")
    throw std::invalid_argument(fmt::format("format {} is not available in this version; use csv or ply", name));
  throw std::invalid_argument(fmt::format("unknown format '{}'; use csv or ply", name));
}

void write_csv(const std::filesystem::path& file, std::vector<GrainState> grains) {
  sort_by_id(grains);
  fmt::memory_buffer text;
  fmt::format_to(std::back_inserter(text), "id,x,y,z,vx,vy,vz,radius,material,world\n");
  for (const GrainState& g : grains)  // {} of a float: the shortest text that reads back as the same float
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{}\n", g.id, g.position.x, g.position.y,
                   g.position.z, g.velocity.x, g.velocity.y, g.velocity.z, g.radius, g.material, g.world);
  write_file(file, {text.data(), text.size()});
}

void write_ply(const std::filesystem::path& file, std::vector<GrainState> grains) {
  static_assert(std::endian::native == std::endian::little);
  sort_by_id(grains);
  fmt::memory_buffer bytes;
  fmt::format_to(std::back_inserter(bytes),
                 "ply\nformat binary_little_endian 1.0\ncomment Talus, SI units\nelement vertex {}\nproperty uint id\n",
                 grains.size());
  for (const char* name : {"x", "y", "z", "vx", "vy", "vz", "radius"})
    fmt::format_to(std::back_inserter(bytes), "property float {}\n", name);
  fmt::format_to(std::back_inserter(bytes), "property uint material\nproperty uint world\nend_header\n");
  auto put = [&](const auto& value) {
    const char* begin = reinterpret_cast<const char*>(&value);
    bytes.append(begin, begin + sizeof value);
  };
  for (const GrainState& g : grains) {
    put(g.id);
    put(g.position);
    put(g.velocity);
    put(g.radius);
    put(g.material);
    put(g.world);
  }
  write_file(file, {bytes.data(), bytes.size()});
}

Table::Table(const std::filesystem::path& file, std::string_view header, std::uint64_t keep_before) : file_(file) {
  std::vector<std::string> kept;
  if (keep_before > 0)
    kept = rows_before(file, header, keep_before);
  errno = 0;
  out_.open(file, std::ios::binary);
  row(header);
  for (const std::string& line : kept)
    row(line);
}

void Table::row(std::string_view line) {
  out_ << line << '\n' << std::flush;
  if (!out_)
    fail(file_);
}

namespace {
// Made before the index is opened inside it.
const std::filesystem::path& made(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw ExportError(fmt::format("{} cannot be made: {}", directory.string(), error.message()));
  return directory;
}
}  // namespace

Series::Series(const std::filesystem::path& directory, Format format, std::uint64_t keep_before)
    : directory_(made(directory)), format_(format),
      index_(directory / "index.csv", "file,time,step,grains", keep_before) {}

void Series::add(double time, std::uint64_t step, std::vector<GrainState> grains) {
  // Fixed width, so that names sort as times do.
  const std::string name = fmt::format("grains_{:011.6f}s.{}", time, format_ == Format::csv ? "csv" : "ply");
  if (name == last_name_)
    throw ExportError(fmt::format("{} would hold two times: exports must be a microsecond apart", name));
  last_name_ = name;
  const std::size_t count = grains.size();
  if (format_ == Format::csv)
    write_csv(directory_ / name, std::move(grains));
  else
    write_ply(directory_ / name, std::move(grains));
  index_.row(fmt::format("{},{},{},{}", name, time, step, count));
}

}  // namespace talus
