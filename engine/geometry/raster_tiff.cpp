#include "engine/base/atomic_file.h"
#include "engine/geometry/raster.h"
#include <fmt/format.h>
#ifdef TALUS_TIFF
#include "engine/base/read_double.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <tiffio.h>
#endif

namespace talus {

#ifndef TALUS_TIFF

bool has_tiff() {
  return false;
}
Raster read_tiff(const std::string&) {
  throw std::runtime_error("this build of Talus has no libtiff, which TIFF needs: use .asc or .png");
}
void write_geotiff(const std::filesystem::path& file, const Raster&, const glm::dvec2&) {
  throw ExportError(
      fmt::format("{}: this build of Talus has no libtiff, which GeoTIFF needs: use .vti", file.string()));
}

#else

bool has_tiff() {
  return true;
}

namespace {

// GeoTIFF 1.1 (OGC 19-008r4), and GDAL's tag for the value that stands for no data.
constexpr std::uint32_t tag_pixel_scale = 33550, tag_tie_point = 33922, tag_geo_keys = 34735, tag_no_data = 42113;

// A TIFF file in memory.
class Tiff {
public:
  Tiff(std::string& bytes, const char* mode) : bytes_(bytes) {
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                               TIFFOpenOptionsFree);
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, this);
    TIFFOpenOptionsSetWarningHandlerExtR(
        options.get(), [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(raster_bytes_most));
    tiff_.reset(TIFFClientOpenExt(
        "raster", mode, this, read, write, seek, [](thandle_t) { return 0; }, size, nullptr, nullptr, options.get()));
    check(tiff_ != nullptr);
  }
  Tiff(const Tiff&) = delete;

  operator TIFF*() const { return tiff_.get(); }
  void check(bool done) const {
    if (!done || !error_.empty())
      throw std::runtime_error(error_.empty() ? "libtiff reports an error" : error_);
  }
  void close() { tiff_.reset(); }  // writes what is left

private:
  static int on_error(TIFF*, void* self, const char*, const char* form, va_list values) {
    std::array<char, 256> text{};
    std::vsnprintf(text.data(), text.size(), form, values);
    std::string& error = static_cast<Tiff*>(self)->error_;
    if (error.empty())
      error = text.data();
    return 1;  // it is not printed
  }
  static tmsize_t read(thandle_t self, void* to, tmsize_t n) {
    Tiff& t = *static_cast<Tiff*>(self);
    const std::size_t from = std::min(t.at_, t.bytes_.size());
    const std::size_t count = std::min(static_cast<std::size_t>(n), t.bytes_.size() - from);
    std::memcpy(to, t.bytes_.data() + from, count);
    t.at_ = from + count;
    return static_cast<tmsize_t>(count);
  }
  static tmsize_t write(thandle_t self, void* from, tmsize_t n) {
    Tiff& t = *static_cast<Tiff*>(self);
    const auto count = static_cast<std::size_t>(n);
    t.bytes_.resize(std::max(t.bytes_.size(), t.at_ + count));
    std::memcpy(t.bytes_.data() + t.at_, from, count);
    t.at_ += count;
    return n;
  }
  static toff_t seek(thandle_t self, toff_t offset, int whence) {
    Tiff& t = *static_cast<Tiff*>(self);
    const std::size_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? t.at_ : t.bytes_.size();
    return t.at_ = from + static_cast<std::size_t>(offset);
  }
  static toff_t size(thandle_t self) { return static_cast<Tiff*>(self)->bytes_.size(); }

  std::string& bytes_;
  std::size_t at_ = 0;
  std::string error_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff_{nullptr, TIFFClose};  // last: it may still write as it closes
};

// The values of a tag that libtiff has no name for; none where it is missing or of another type.
template <class T> std::vector<T> values_of(const Tiff& tiff, std::uint32_t tag, TIFFDataType type) {
  const TIFFField* field = TIFFFindField(tiff, tag, TIFF_ANY);
  if (!field || TIFFFieldDataType(field) != type || !TIFFFieldPassCount(field))
    return {};
  const T* values = nullptr;
  std::uint32_t count = 0;
  if (TIFFFieldReadCount(field) == TIFF_VARIABLE2) {
    if (!TIFFGetField(tiff, tag, &count, &values))
      return {};
  } else {
    std::uint16_t few = 0;
    if (!TIFFGetField(tiff, tag, &few, &values))
      return {};
    count = few;
  }
  return std::vector<T>(values, values + (values ? count : 0));
}

template <class T> T field_of(const Tiff& tiff, std::uint32_t tag) {
  T value{};
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint16_t bytes = 0;  // of a sample
};

// Calls visit(column, row, bytes) for each sample.
void each_sample(const Tiff& tiff, const Layout& layout, auto&& visit) {
  std::vector<char> buffer;
  if (!TIFFIsTiled(tiff)) {
    const tmsize_t line = TIFFScanlineSize(tiff);
    tiff.check(line >= static_cast<tmsize_t>(std::size_t{layout.width} * layout.bytes));
    buffer.resize(static_cast<std::size_t>(line));
    for (std::uint32_t row = 0; row < layout.height; ++row) {
      tiff.check(TIFFReadScanline(tiff, buffer.data(), row, 0) == 1);
      for (std::uint32_t column = 0; column < layout.width; ++column)
        visit(column, row, buffer.data() + std::size_t{column} * layout.bytes);
    }
    return;
  }
  const auto width = field_of<std::uint32_t>(tiff, TIFFTAG_TILEWIDTH),
             height = field_of<std::uint32_t>(tiff, TIFFTAG_TILELENGTH);
  const tmsize_t size = TIFFTileSize(tiff);
  tiff.check(width > 0 && height > 0 && size >= 0 &&
             static_cast<std::size_t>(size) >= std::size_t{width} * height * layout.bytes);
  buffer.resize(static_cast<std::size_t>(size));
  for (std::uint32_t y = 0; y < layout.height; y += height)
    for (std::uint32_t x = 0; x < layout.width; x += width) {
      tiff.check(TIFFReadTile(tiff, buffer.data(), x, y, 0, 0) >= 0);
      for (std::uint32_t row = y; row < std::min(y + height, layout.height); ++row)
        for (std::uint32_t column = x; column < std::min(x + width, layout.width); ++column)
          visit(column, row, buffer.data() + (std::size_t{row - y} * width + (column - x)) * layout.bytes);
    }
}

template <class T> float sample_of(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<float>(value);
}

}  // namespace

Raster read_tiff(const std::string& bytes) {
  std::string content = bytes;
  const Tiff tiff(content, "r");
  const Layout layout{field_of<std::uint32_t>(tiff, TIFFTAG_IMAGEWIDTH),
                      field_of<std::uint32_t>(tiff, TIFFTAG_IMAGELENGTH),
                      static_cast<std::uint16_t>(field_of<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE) / 8)};
  if (layout.width == 0 || layout.height == 0 || std::size_t{layout.width} * layout.height > raster_samples_most)
    throw std::runtime_error(
        fmt::format("has {} x {} samples: the limit is {}", layout.width, layout.height, raster_samples_most));
  if (const auto channels = field_of<std::uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL); channels != 1)
    throw std::runtime_error(fmt::format("has {} channels: heights are one channel", channels));
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
  if (photometric != PHOTOMETRIC_MINISBLACK)
    throw std::runtime_error("is an image of colours, or one whose 0 is white: heights are grey, and 0 is black");
  const auto bits = field_of<std::uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE),
             format = field_of<std::uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  float (*read)(const char*) = nullptr;
  Raster raster;
  if (format == SAMPLEFORMAT_UINT && bits == 8) {
    read = sample_of<std::uint8_t>;
    raster.white = 255.0;
  } else if (format == SAMPLEFORMAT_UINT && bits == 16) {
    read = sample_of<std::uint16_t>;
    raster.white = 65535.0;
  } else if (format == SAMPLEFORMAT_INT && bits == 16) {
    read = sample_of<std::int16_t>;
  } else if (format == SAMPLEFORMAT_IEEEFP && bits == 32) {
    read = sample_of<float>;
  } else
    throw std::runtime_error(
        fmt::format("has samples of {} bit and format {}: allowed are unsigned integers of 8 and 16 "
                    "bit (format 1), signed ones of 16 (2) and floats of 32 (3)",
                    bits, format));
  raster.size = {layout.width, layout.height};
  if (const auto scale = values_of<double>(tiff, tag_pixel_scale, TIFF_DOUBLE);
      scale.size() >= 2 && scale[0] > 0.0 && scale[1] > 0.0)
    raster.cell.emplace(scale[0], scale[1]);
  float no_data = std::numeric_limits<float>::quiet_NaN();
  if (const auto text = values_of<char>(tiff, tag_no_data, TIFF_ASCII); !text.empty()) {
    double value = 0.0;
    const char* const end = std::ranges::find(text.data(), text.data() + text.size(), '\0');
    const char* const begin = std::find_if(text.data(), end, [](char c) { return c != ' '; });
    if (read_double(begin, end, value).ec == std::errc())
      no_data = static_cast<float>(value);
  }
  raster.values.resize(std::size_t{layout.width} * layout.height);
  each_sample(tiff, layout, [&](std::uint32_t column, std::uint32_t row, const char* at) {
    const float value = read(at);
    raster.values[raster.index(column, row)] = value == no_data ? std::numeric_limits<float>::quiet_NaN() : value;
  });
  return raster;
}

void write_geotiff(const std::filesystem::path& file, const Raster& raster, const glm::dvec2& corner) {
  std::string bytes;
  try {
    Tiff tiff(bytes, "w");
    static constexpr char names[] = "GeoTIFF";
    const auto field = [](std::uint32_t tag, TIFFDataType type) {
      return TIFFFieldInfo{tag, TIFF_VARIABLE, TIFF_VARIABLE, type, FIELD_CUSTOM, 1, 1, const_cast<char*>(names)};
    };
    const std::array fields{field(tag_pixel_scale, TIFF_DOUBLE), field(tag_tie_point, TIFF_DOUBLE),
                            field(tag_geo_keys, TIFF_SHORT)};
    tiff.check(TIFFMergeFieldInfo(tiff, fields.data(), fields.size()) == 0);
    const auto set = [&](auto... values) { tiff.check(TIFFSetField(tiff, values...) == 1); };
    set(TIFFTAG_IMAGEWIDTH, raster.size.x);
    set(TIFFTAG_IMAGELENGTH, raster.size.y);
    set(TIFFTAG_SAMPLESPERPIXEL, 1);
    set(TIFFTAG_BITSPERSAMPLE, 32);
    set(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    set(TIFFTAG_COMPRESSION,
        TIFFIsCODECConfigured(COMPRESSION_ADOBE_DEFLATE) ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
    set(TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
    const glm::dvec2 cell = raster.cell.value();
    const std::array scale{cell.x, cell.y, 0.0};
    // The upper left corner of the picture (column 0, row 0) is there.
    const std::array tie{0.0, 0.0, 0.0, corner.x, corner.y + cell.y * raster.size.y, 0.0};
    // Version 1.1.0 with one key, GTRasterTypeGeoKey = RasterPixelIsArea.
    const std::array<std::uint16_t, 8> keys{1, 1, 0, 1, 1025, 0, 1, 1};
    set(tag_pixel_scale, static_cast<int>(scale.size()), scale.data());
    set(tag_tie_point, static_cast<int>(tie.size()), tie.data());
    set(tag_geo_keys, static_cast<int>(keys.size()), keys.data());
    std::vector<float> line(raster.size.x);
    for (std::uint32_t row = 0; row < raster.size.y; ++row) {
      std::copy_n(raster.values.begin() + static_cast<std::ptrdiff_t>(raster.index(0, row)), line.size(), line.begin());
      tiff.check(TIFFWriteScanline(tiff, line.data(), row, 0) == 1);
    }
    tiff.check(TIFFFlush(tiff) == 1);
    tiff.close();
    tiff.check(true);
  } catch (const std::runtime_error& e) {
    throw ExportError(fmt::format("{} cannot be written: {}", file.string(), e.what()));
  }
  write_file(file, bytes);
}

#endif

}  // namespace talus
