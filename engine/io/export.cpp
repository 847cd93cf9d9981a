#include "engine/io/export.h"
#include "engine/io/vtp.h"
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
  std::ranges::stable_sort(grains, {}, &GrainState::id);
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

std::vector<std::string> rows_before(const std::filesystem::path& file, std::string_view header, std::uint64_t step) {
  std::vector<std::string> rows;
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != header)
    return rows;
  std::size_t step_column = 0;
  while (csv_column(header, step_column) != "step")
    ++step_column;
  while (std::getline(in, line) && !in.eof() && !line.empty() &&  // a row without an end is half a row
         std::strtoull(std::string(csv_column(line, step_column)).c_str(), nullptr, 10) < step)
    rows.push_back(line);
  return rows;
}

}  // namespace

Format parse_format(std::string_view name) {
  const auto* known = std::ranges::find(format_names, name);
  if (known == format_names.end())
    throw std::invalid_argument(fmt::format("unknown format '{}'; use {}, {}, {} or {}", name, format_names[0],
                                            format_names[1], format_names[2], format_names[3]));
  return static_cast<Format>(known - format_names.begin());
}

void write_grains(const std::filesystem::path& file, Format format, std::vector<GrainState> grains, double time,
                  const Scene& scene, Spins spins) {
  switch (format) {
  case Format::csv:
    return write_csv(file, std::move(grains), spins);
  case Format::ply:
    return write_ply(file, std::move(grains), time, spins);
  case Format::vtp:
    sort_by_id(grains);
    return write_vtp(file, grains, time, spins);
  case Format::extxyz:
    return write_extxyz(file, std::move(grains), time, scene, spins);
  }
}

void write_csv(const std::filesystem::path& file, std::vector<GrainState> grains, Spins spins) {
  sort_by_id(grains);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "id,x,y,z,vx,vy,vz,radius,material,world{}\n", spins == Spins::written ? ",wx,wy,wz" : "");
  for (const GrainState& g : grains) {  // {} of a float: the shortest text that reads back as the same float
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{}", g.id, g.position.x, g.position.y, g.position.z, g.velocity.x,
                   g.velocity.y, g.velocity.z, g.radius, g.material, g.world);
    if (spins == Spins::written)
      fmt::format_to(out, ",{},{},{}", g.spin.x, g.spin.y, g.spin.z);
    fmt::format_to(out, "\n");
  }
  write_file(file, {text.data(), text.size()});
}

void write_ply(const std::filesystem::path& file, std::vector<GrainState> grains, double time, Spins spins) {
  sort_by_id(grains);
  PlyFile ply;
  ply.line(fmt::format("comment time {} s", time));
  ply.line(fmt::format("element vertex {}", grains.size()));
  ply.properties("uint", {"id"});
  ply.properties("float", {"x", "y", "z", "vx", "vy", "vz", "radius"});
  ply.properties("uint", {"material", "world"});
  if (spins == Spins::written)
    ply.properties("float", {"wx", "wy", "wz"});
  ply.line("end_header");
  for (const GrainState& g : grains) {
    ply.put(g.id);
    ply.put(g.position);
    ply.put(g.velocity);
    ply.put(g.radius);
    ply.put(g.material);
    ply.put(g.world);
    if (spins == Spins::written)
      ply.put(g.spin);
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
  ply.put(cloth.triangles);
  ply.write(file);
}

void write_ply(const std::filesystem::path& file, const Mesh& mesh) {
  PlyFile ply;
  ply.line(fmt::format("element vertex {}", mesh.vertices.size()));
  ply.properties("float", {"x", "y", "z"});
  ply.line(fmt::format("element face {}", mesh.triangles.size()));
  ply.properties("list uchar uint", {"vertex_indices"});
  ply.line("end_header");
  for (const glm::vec3& v : mesh.vertices)
    ply.put(v);
  ply.put(mesh.triangles);
  ply.write(file);
}

// OVITO's names of columns. A particle's type is the name of its material. The positions of what lies outside of the
// cell of an open axis are as they are.
void write_extxyz(const std::filesystem::path& file, std::vector<GrainState> grains, double time, const Scene& scene,
                  Spins spins) {
  sort_by_id(grains);
  const Domain& d = scene.domain;
  const glm::dvec3 size = d.max - d.min;
  std::vector<std::string> species;
  for (const Material& m : scene.materials) {
    std::string name = plain_name(m.name);
    while (std::ranges::find(species, name) != species.end())
      name += '_';
    species.push_back(std::move(name));
  }
  const auto periodic = [&](std::size_t a) { return d.axis[a] == Axis::periodic ? 'T' : 'F'; };
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{}\nLattice=\"{} 0 0 0 {} 0 0 0 {}\" Origin=\"{} {} {}\" pbc=\"{} {} {}\" "
                 "Properties=species:S:1:pos:R:3:velo:R:3:radius:R:1:id:I:1:material:I:1:world:I:1{} Time={}\n",
                 grains.size(), size.x, size.y, size.z, d.min.x, d.min.y, d.min.z, periodic(0), periodic(1),
                 periodic(2), spins == Spins::written ? ":angular_velocity:R:3" : "", time);
  for (const GrainState& g : grains) {
    fmt::format_to(out, "{} {} {} {} {} {} {} {} {} {} {}", species.at(g.material), g.position.x, g.position.y,
                   g.position.z, g.velocity.x, g.velocity.y, g.velocity.z, g.radius, g.id, g.material, g.world);
    if (spins == Spins::written)
      fmt::format_to(out, " {} {} {}", g.spin.x, g.spin.y, g.spin.z);
    fmt::format_to(out, "\n");
  }
  write_file(file, {text.data(), text.size()});
}

std::string csv_field(std::string_view name) {
  std::string text(name);
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return fmt::format("\"{}\"", text);
}

std::string_view csv_column(std::string_view row, std::size_t n) {
  for (; n > 0; --n)
    row.remove_prefix(std::min(row.find(','), row.size() - 1) + 1);
  return row.substr(0, row.find(','));
}

std::string plain_name(std::string_view name) {
  std::string plain(name);
  std::ranges::replace_if(
      plain,
      [](char c) {
        return !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '-');
      },
      '_');
  return plain;
}

Table::Table(const std::filesystem::path& file, std::string_view header, std::uint64_t keep_before) : file_(file) {
  if (keep_before > 0)
    kept_ = rows_before(file, header, keep_before);
  std::string text = fmt::format("{}\n", header);
  for (const std::string& line : kept_)
    text += line + '\n';
  write_file(file, text);
  size_ = text.size();
  errno = 0;
  out_.open(file, std::ios::binary | std::ios::app);
  if (!out_)
    fail(file);
}

void Table::row(std::string_view line) {
  errno = 0;
  out_ << line << '\n' << std::flush;
  if (!out_) {
    const int why = errno;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file_, ignored) && std::filesystem::file_size(file_, ignored) > size_)
      std::filesystem::resize_file(file_, size_, ignored);
    errno = why;
    fail(file_);
  }
  size_ += line.size() + 1;
}

bool holds_cloth(Format format) {
  return format == Format::ply || format == Format::vtp;
}

}  // namespace talus
