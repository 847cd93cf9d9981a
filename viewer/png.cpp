#include "viewer/png.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <stb_image_write.h>
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#include <stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace viewer {

void write_png(const std::filesystem::path& file, int width, int height, std::span<const std::uint8_t> rgba) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  if (rgba.size() != 4 * pixels)
    throw std::logic_error("write_png: pixels do not fit the size");
  std::vector<std::uint8_t> rgb(3 * pixels);
  for (std::size_t i = 0; i < pixels; ++i)
    std::copy_n(&rgba[4 * i], 3, &rgb[3 * i]);
  stbi_write_png_compression_level = 5;  // with this filter alone: files no larger, in a third of the time
  stbi_write_force_png_filter = 1;
  std::string png;
  stbi_write_png_to_func(
      [](void* to, void* data, int size) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
      },
      &png, width, height, 3, rgb.data(), 3 * width);
  talus::write_file(file, png);
}

talus::Image read_png(const std::filesystem::path& file) {
  talus::Image image;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load(file.string().c_str(), &image.width, &image.height, nullptr, 4), stbi_image_free);
  if (!pixels)
    throw std::runtime_error(file.string() + " is not a PNG file");
  image.rgba.assign(pixels.get(), pixels.get() + std::size_t{4} * image.width * image.height);
  return image;
}

}  // namespace viewer
