#pragma once
#include "engine/gpu/device.h"
#include <string>

namespace talus::gpu {

struct ImageOptions {
  std::uint32_t width = 0, height = 0;  // pixels
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  bool linear = true;  // how shaders sample it; formats that cannot be filtered are sampled nearest anyway
};

inline constexpr VkFormat depth_format = VK_FORMAT_D32_SFLOAT;

// A 2D image without mipmaps: attachment, sampled by name, source and destination of copies. Its layout is kept by
// Graph.
class Image : public Resource {
public:
  Image() = default;
  // Throws OutOfMemory, or Error where the device cannot render to the format.
  Image(Device& device, std::string name, const ImageOptions& options);
  // Somebody else's image, as of a swapchain; only its view is owned here.
  Image(Device& device, std::string name, const ImageOptions& options, VkImage foreign);
  ~Image();
  Image(Image&& other) noexcept;
  Image& operator=(Image&& other) noexcept;

  // The contents no longer matter. To be called for a swapchain image each time it has been acquired.
  void discard();

  explicit operator bool() const { return view_ != VK_NULL_HANDLE; }
  std::uint32_t width() const { return options_.width; }
  std::uint32_t height() const { return options_.height; }
  VkFormat format() const { return options_.format; }
  bool depth() const { return options_.format == depth_format; }
  std::uint32_t pixel_bytes() const;
  VkImage handle() const { return handle_; }
  VkImageView view() const { return view_; }
  VkSampler sampler() const { return sampler_; }  // without comparison
  VkImageSubresourceRange range() const;          // all of it

private:
  Device* device_ = nullptr;
  VkImage handle_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
  VkSampler sampler_ = VK_NULL_HANDLE;
  Device::Memory memory_;
  ImageOptions options_;
  bool foreign_ = false;

  void create_view();
  void destroy();
};

}  // namespace talus::gpu
