#include "engine/base/atomic_file.h"
#include "engine/io/vtk_xml.h"
#include "engine/io/writers.h"
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace talus {

void write_vtp(const std::filesystem::path& file, const Points& points, const std::vector<glm::uvec3>& triangles,
               const std::vector<PointColumn>& of_triangles) {
  VtkXmlFile out("PolyData", "",
                 fmt::format("NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                             "NumberOfPolys=\"{}\"",
                             points.count, triangles.empty() ? points.count : 0, triangles.size()),
                 points.time);
  out.open(points.reals("radius") ? "PointData Scalars=\"radius\" Vectors=\"velocity\"" : "PointData");
  for (const PointColumn& c : points.columns)
    if (c.quantity->name != position_quantity.name)
      out.array(c);
  out.close("PointData");
  if (!of_triangles.empty()) {
    out.open("CellData");
    for (const PointColumn& c : of_triangles)
      out.array(c);
    out.close("CellData");
  }
  out.open("Points");
  out.array("Points", 3, *points.reals(position_quantity.name));
  out.close("Points");
  std::vector<std::int32_t> corners;
  if (triangles.empty()) {
    corners.resize(points.count);
    std::iota(corners.begin(), corners.end(), 0);
    out.cells("Verts", 1, corners);
  } else {
    corners.reserve(3 * triangles.size());
    for (const glm::uvec3& t : triangles)
      for (int k = 0; k < 3; ++k)
        corners.push_back(static_cast<std::int32_t>(t[k]));
    out.cells("Polys", 3, corners);
  }
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

void write_points(const std::filesystem::path& file, Format format, const Points& points, const Scene& scene) {
  switch (format) {
  case Format::csv:
    return write_csv(file, points);
  case Format::ply:
    return write_ply(file, points);
  case Format::vtp:
    return write_vtp(file, points);
  case Format::extxyz:
    return write_extxyz(file, points, scene);
  default:
    throw std::invalid_argument(fmt::format("{} files hold all times: give a directory", name_of(format)));
  }
}

}  // namespace talus
