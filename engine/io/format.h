#pragma once
// The formats that a run is exported in.
#include <array>
#include <string_view>

namespace talus {

enum class Format { csv, ply, vtp, extxyz, gsd, usda, vtkhdf };
inline constexpr std::array<std::string_view, 7> format_names{"csv", "ply", "vtp", "extxyz", "gsd", "usda", "vtkhdf"};

// The name of a format is what its files end with, too.
inline std::string_view name_of(Format format) {
  return format_names[static_cast<std::size_t>(format)];
}

// Throws std::invalid_argument with what is available.
Format parse_format(std::string_view name);

// Can a sheet of cloth be written in it?
constexpr bool holds_cloth(Format format) {
  return format == Format::ply || format == Format::vtp || format == Format::usda || format == Format::vtkhdf;
}

// Has it a file per time, which write_points() can write alone?
constexpr bool is_file_per_time(Format format) {
  return format <= Format::extxyz;
}

}  // namespace talus
