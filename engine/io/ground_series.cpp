#include "engine/io/ground_series.h"
#include "engine/base/atomic_file.h"
#include "engine/geometry/raster.h"
#include "engine/io/report.h"
#include "engine/io/vtk_xml.h"
#include "engine/soil/grid.h"
#include <fmt/format.h>

namespace talus {
namespace {

void write_image(const std::filesystem::path& file, const SoilHeights& ground, const SoilGrid& grid, double floor,
                 double time) {
  const std::string extent = fmt::format("0 {} 0 {} 0 0", ground.columns.x - 1, ground.columns.y - 1);
  const glm::dvec2 origin = grid.min() + 0.5 * grid.edge();
  VtkXmlFile out("ImageData",
                 fmt::format("WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} 1\"", extent, origin.x, origin.y,
                             floor, grid.edge().x, grid.edge().y),
                 fmt::format("Extent=\"{}\"", extent), time);
  out.open("PointData Scalars=\"height\"");
  out.array("height", 1, ground.heights);
  out.close("PointData");
  out.write(file);
}

}  // namespace

bool is_ground_file(const std::filesystem::path& file) {
  return file.extension() == ".tif" || file.extension() == ".vti";
}

void write_ground(const std::filesystem::path& file, const SoilHeights& ground, const Scene& scene, double time) {
  if (!scene.soil)
    throw ExportError(fmt::format("{} cannot be written: the scene has no [soil]", file.string()));
  const SoilGrid grid(scene);
  if (file.extension() == ".vti") {
    write_image(file, ground, grid, scene.domain.min.z, time);
    return;
  }
  Raster raster;
  raster.size = ground.columns;
  raster.values = ground.heights;
  raster.cell = grid.edge();
  write_geotiff(file, raster, grid.min());
}

GroundSeries::GroundSeries(const std::filesystem::path& directory, Format format, const Scene& scene,
                           std::uint64_t keep_before)
    : directory_(directory), scene_(scene),
      kind_(format == Format::vtp || format == Format::vtkhdf || !has_tiff() ? "vti" : "tif"),
      index_(directory, "index_ground.csv", "ground.pvd", "file,time,step,world", keep_before, kind_ == "vti"),
      number_(index_.rows() / scene.worlds) {
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    names_.push_back(name_in_world(scene, "ground", w));
  names_ = plain_names(names_);
}

void GroundSeries::add(const Frame& frame) {
  for (std::size_t w = 0; w < names_.size(); ++w) {
    const std::string name = fmt::format("{}_{:05}.{}", names_[w], number_, kind_);
    write_ground(directory_ / name, frame.ground[w], scene_, frame.time);
    index_.add(name, frame.time, frame.step, fmt::format("{}", w));
  }
  ++number_;
}

}  // namespace talus
