#pragma once
// Grids of numbers, mostly heights, in files: PNG, TIFF with GeoTIFF's placement, and the ASCII grid of ESRI.
#include <cstdint>
#include <filesystem>
#include <glm/glm.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace talus {

// "FILE: what is wrong", and where: row and column are counted from 1 at the upper left.
struct RasterError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Raster {
  glm::uvec2 size{0};              // samples along x and y; y goes up, against the rows of a file
  std::vector<float> values;       // from the lower left sample on, along x first; NaN where the file has no data
  double white = 0.0;              // greatest value of an image of unsigned integers; 0: the values are numbers
  std::optional<glm::dvec2> cell;  // edges of the area of a sample, in the file's unit of length

  std::size_t index(std::uint32_t column, std::uint32_t row) const {  // of the file, from 0 on
    return std::size_t{size.y - 1 - row} * size.x + column;
  }
};

inline constexpr std::size_t raster_samples_most = std::size_t{1} << 26;
inline constexpr std::uintmax_t raster_bytes_most = std::uintmax_t(512) << 20;  // of a file

// By the end of the name: .png (grey, 8 or 16 bit), .tif or .tiff (one channel; unsigned integers of 8 or 16 bit are an
// image, signed ones of 16 bit and floats of 32 bit are numbers), .asc. Of GeoTIFF's placement, the pixel scale alone
// is read; no data are what the tag of GDAL or the header of .asc says, and NaN. Throws RasterError.
Raster load_raster(const std::filesystem::path& file);

// Was Talus built with libtiff?
bool has_tiff();
// Floats of 32 bit with pixel scale and tie point. corner: of the lower left sample's area; raster.cell is needed.
// Throws ExportError.
void write_geotiff(const std::filesystem::path& file, const Raster& raster, const glm::dvec2& corner);

// What reads the content of a file of one kind; these throw std::runtime_error with what is wrong.
Raster read_png(const std::string& bytes);
Raster read_tiff(const std::string& bytes);
Raster read_ascii_grid(std::string_view text);

}  // namespace talus
