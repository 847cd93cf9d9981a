#pragma once
#include "viewer/renderer.h"
#include <cstdint>
#include <filesystem>
#include <span>

namespace viewer {

// 8-bit RGBA pixels, rows from the top; written as an opaque picture. Throws talus::ExportError.
void write_png(const std::filesystem::path& file, int width, int height, std::span<const std::uint8_t> rgba);
talus::Image read_png(const std::filesystem::path& file);  // throws std::runtime_error

}  // namespace viewer
