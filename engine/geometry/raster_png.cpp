// By stb_image, which pictures are written by, too. It ignores checksums.
#include "engine/geometry/raster.h"
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <type_traits>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#include <stb_image.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

namespace talus {

Raster read_png(const std::string& bytes) {
  const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
  const int length = static_cast<int>(bytes.size());
  const auto fail = [] {
    throw std::runtime_error(fmt::format("is no PNG that can be read: {}", stbi_failure_reason()));
  };
  int width = 0, height = 0, channels = 0;
  if (!stbi_info_from_memory(data, length, &width, &height, &channels))
    fail();
  if (channels != 1)
    throw std::runtime_error(fmt::format("has {} channels: heights are one channel of grey", channels));
  if (std::size_t(width) * std::size_t(height) > raster_samples_most)
    throw std::runtime_error(fmt::format("has {} x {} samples: the limit is {}", width, height, raster_samples_most));
  Raster raster;
  raster.size = glm::uvec2(width, height);
  const auto take = [&](auto* loaded, double white) {
    const std::unique_ptr<std::remove_pointer_t<decltype(loaded)>, void (*)(void*)> pixels(loaded, stbi_image_free);
    if (!pixels)
      fail();
    raster.white = white;
    raster.values.resize(std::size_t{raster.size.x} * raster.size.y);
    for (std::uint32_t row = 0; row < raster.size.y; ++row)
      for (std::uint32_t column = 0; column < raster.size.x; ++column)
        raster.values[raster.index(column, row)] = pixels.get()[std::size_t{row} * raster.size.x + column];
  };
  if (stbi_is_16_bit_from_memory(data, length))
    take(stbi_load_16_from_memory(data, length, &width, &height, &channels, 1), 65535.0);
  else
    take(stbi_load_from_memory(data, length, &width, &height, &channels, 1), 255.0);
  return raster;
}

}  // namespace talus
