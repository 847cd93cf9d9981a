#include "engine/io/export.h"
#include <algorithm>
#include <bit>
#include <cerrno>
#include <fmt/format.h>
#include <initializer_list>
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

// Binary, little endian.
class PlyFile {
public:
  PlyFile() {
    static_assert(std::endian::native == std::endian::little);
    line("ply\nformat binary_little_endian 1.0\ncomment Talus, SI units");
  }
  void line(std::string_view text) { fmt::format_to(std::back_inserter(bytes_), "{}\n", text); }
  void properties(std::string_view type, std::initializer_list<const char*> names) {
    for (const char* name : names)
      line(fmt::format("property {} {}", type, name));
  }
  void put(const auto& value) {
    const char* begin = reinterpret_cast<const char*>(&value);
    bytes_.append(begin, begin + sizeof value);
  }
  void write(const std::filesystem::path& file) const { write_file(file, {bytes_.data(), bytes_.size()}); }

private:
  fmt::memory_buffer bytes_;
};

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
  sort_by_id(grains);
  PlyFile ply;
  ply.line(fmt::format("element vertex {}", grains.size()));
  ply.properties("uint", {"id"});
  ply.properties("float", {"x", "y", "z", "vx", "vy", "vz", "radius"});
  ply.properties("uint", {"material", "world"});
  ply.line("end_header");
  for (const GrainState& g : grains) {
    ply.put(g.id);
    ply.put(g.position);
    ply.put(g.velocity);
    ply.put(g.radius);
    ply.put(g.material);
    ply.put(g.world);
  }
  ply.write(file);
}

void write_ply(const std::filesystem::path& file, const ClothState& cloth) {
  PlyFile ply;
  ply.line(fmt::format("element vertex {}", cloth.positions.size()));
  ply.properties("float", {"x", "y", "z", "vx", "vy", "vz"});
  ply.line(fmt::format("element face {}", cloth.triangles.size()));
  ply.properties("list uchar uint", {"vertex_indices"});
  ply.line("end_header");
  for (std::size_t k = 0; k < cloth.positions.size(); ++k) {
    ply.put(cloth.positions[k]);
    ply.put(cloth.velocities[k]);
  }
  for (const glm::uvec3& t : cloth.triangles) {
    ply.put(std::uint8_t{3});
    ply.put(t);
  }
  ply.write(file);
}

std::string csv_field(std::string_view name) {
  std::string text(name);
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return fmt::format("\"{}\"", text);
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

std::vector<std::string> file_names(const std::vector<ClothSpec>& cloths) {
  std::vector<std::string> names;
  for (const ClothSpec& cloth : cloths) {
    std::string name = "cloth_" + cloth.name;
    std::ranges::replace_if(
        name,
        [](char c) {
          return !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-');
        },
        '_');
    while (std::ranges::find(names, name) != names.end())
      name += '_';
    names.push_back(std::move(name));
  }
  return names;
}
}  // namespace

bool holds_cloth(Format format) {
  return format == Format::ply;
}

Series::Series(const std::filesystem::path& directory, Format format, std::uint64_t keep_before,
               const std::vector<ClothSpec>& cloths, bool fine)
    : directory_(made(directory)), format_(format),
      index_(directory / "index.csv", "file,time,step,grains", keep_before) {
  if (fine)
    fine_index_.emplace(directory / "index_fine.csv", "file,time,step,grains", keep_before);
  if (!holds_cloth(format) || cloths.empty())
    return;
  cloth_files_ = file_names(cloths);
  cloth_index_.emplace(directory / "index_cloth.csv", "file,time,step,vertices,triangles,cloth", keep_before);
}

// Fixed width, so that names sort as times do.
std::string Series::timed(std::string_view what, double time) const {
  return fmt::format("{}_{:011.6f}s.{}", what, time, format_ == Format::csv ? "csv" : "ply");
}

void Series::write(const std::string& name, std::vector<GrainState> grains) const {
  if (format_ == Format::csv)
    write_csv(directory_ / name, std::move(grains));
  else
    write_ply(directory_ / name, std::move(grains));
}

void Series::add(double time, std::uint64_t step, std::vector<GrainState> grains) {
  const std::string name = timed("grains", time);
  if (name == last_name_)
    throw ExportError(fmt::format("{} would hold two times: exports must be a microsecond apart", name));
  last_name_ = name;
  const std::size_t count = grains.size();
  write(name, std::move(grains));
  index_.row(fmt::format("{},{},{},{}", name, time, step, count));
}

void Series::add(Simulation& simulation) {
  const double time = simulation.time();
  add(time, simulation.step(), simulation.grains());
  if (fine_index_) {
    const std::string name = timed("fine", time);
    write(name, simulation.fine_grains());
    fine_index_->row(fmt::format("{},{},{},{}", name, time, simulation.step(), simulation.fine_count()));
  }
  for (std::uint32_t c = 0; c < cloth_files_.size(); ++c) {
    const std::string name = timed(cloth_files_[c], time);
    const ClothState cloth = simulation.cloth_state(c);
    write_ply(directory_ / name, cloth);
    cloth_index_->row(fmt::format("{},{},{},{},{},{}", name, time, simulation.step(), cloth.positions.size(),
                                  cloth.triangles.size(), csv_field(simulation.scene().cloths[c].name)));
  }
}

}  // namespace talus
