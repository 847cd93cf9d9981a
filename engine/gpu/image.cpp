#include "engine/gpu/image.h"
#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace talus::gpu {

namespace {

VkFormatFeatureFlags features_of(const Device& device, VkFormat format) {
  VkFormatProperties properties{};
  vkGetPhysicalDeviceFormatProperties(device.physical(), format, &properties);
  return properties.optimalTilingFeatures;
}

}  // namespace

Image::Image(Device& device, std::string image_name, const ImageOptions& options)
    : device_(&device), options_(options) {
  name = std::move(image_name);
  id = device.next_id();
  pixel_bytes();  // refuses formats of unknown size
  const VkFormatFeatureFlags features = features_of(device, options.format);
  const VkFormatFeatureFlags target =
      depth() ? VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT;
  const VkPhysicalDeviceLimits& limits = device.limits();
  const std::uint32_t limit =
      std::min({limits.maxImageDimension2D, limits.maxFramebufferWidth, limits.maxFramebufferHeight,
                limits.maxViewportDimensions[0], limits.maxViewportDimensions[1]});
  if (!options.width || !options.height || options.width > limit || options.height > limit) {
    throw Error(fmt::format("The image {} is {} x {} pixels; {} takes 1 to {} in each direction.", name, options.width,
                            options.height, device.info().name, limit));
  }
  if (!(features & target)) {
    throw Error(fmt::format("{} cannot draw into the image {} of Vulkan format {}.", device.info().name, name,
                            static_cast<int>(options.format)));
  }
  auto create = make<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  create.imageType = VK_IMAGE_TYPE_2D;
  create.format = options.format;
  create.extent = {options.width, options.height, 1};
  create.mipLevels = create.arrayLayers = 1;
  create.samples = VK_SAMPLE_COUNT_1_BIT;
  create.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  create.usage |= depth() ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  if (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
    create.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
  const std::string what = fmt::format("image {}", name);
  try {
    check(vkCreateImage(device.handle(), &create, nullptr, &handle_), fmt::format("Creating the {}", what));
    VkMemoryRequirements need{};
    vkGetImageMemoryRequirements(device.handle(), handle_, &need);
    memory_ = device.allocate(need, Device::MemoryKind::device, what);
    check(vkBindImageMemory(device.handle(), handle_, memory_.handle, 0), fmt::format("Binding the {}", what));
    create_view();
  } catch (...) {
    destroy();
    throw;
  }
  device.set_name(VK_OBJECT_TYPE_IMAGE, reinterpret_cast<std::uint64_t>(handle_), name);
}

Image::Image(Device& device, std::string image_name, const ImageOptions& options, VkImage foreign)
    : device_(&device), handle_(foreign), options_(options), foreign_(true) {
  name = std::move(image_name);
  id = device.next_id();
  create_view();
}

void Image::create_view() {
  auto create = make<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  create.image = handle_;
  create.viewType = VK_IMAGE_VIEW_TYPE_2D;
  create.format = options_.format;
  create.subresourceRange = range();
  check(vkCreateImageView(device_->handle(), &create, nullptr, &view_), fmt::format("Viewing the image {}", name));
  const bool filtered = features_of(*device_, options_.format) & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
  sampler_ = device_->logical().sampler(options_.linear && filtered, false);
}

VkImageSubresourceRange Image::range() const {
  const VkImageAspectFlags aspect = depth() ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  return {.aspectMask = aspect, .baseMipLevel = 0, .levelCount = 1, .baseArrayLayer = 0, .layerCount = 1};
}

Image::~Image() {
  destroy();
}

Image::Image(Image&& other) noexcept
    : Resource(std::move(other)), device_(other.device_), handle_(std::exchange(other.handle_, VK_NULL_HANDLE)),
      view_(std::exchange(other.view_, VK_NULL_HANDLE)), sampler_(other.sampler_),
      memory_(std::exchange(other.memory_, {})), options_(other.options_), foreign_(other.foreign_) {}

Image& Image::operator=(Image&& other) noexcept {
  if (this == &other)
    return *this;
  destroy();
  Resource::operator=(std::move(other));
  device_ = other.device_;
  handle_ = std::exchange(other.handle_, VK_NULL_HANDLE);
  view_ = std::exchange(other.view_, VK_NULL_HANDLE);
  sampler_ = other.sampler_;
  memory_ = std::exchange(other.memory_, {});
  options_ = other.options_;
  foreign_ = other.foreign_;
  return *this;
}

void Image::destroy() {
  if (!handle_)
    return;
  device_->forget(id);
  device_->defer([device = device_, handle = foreign_ ? VK_NULL_HANDLE : handle_, view = view_, memory = memory_] {
    vkDestroyImageView(device->handle(), view, nullptr);
    vkDestroyImage(device->handle(), handle, nullptr);
    device->release(memory);
  });
  handle_ = VK_NULL_HANDLE;
  view_ = VK_NULL_HANDLE;
}

void Image::discard() {
  layout = VK_IMAGE_LAYOUT_UNDEFINED;
  // The next transition waits for colour output, and so for the semaphore that a submission waits for there.
  usage = {};
  usage.write = std::max<std::uint64_t>(1, device_->tracker().serial);
  usage.write_stage = Stage::colour;
}

std::uint32_t Image::pixel_bytes() const {
  switch (options_.format) {
  case VK_FORMAT_R8_UNORM:
    return 1;
  case VK_FORMAT_R8G8_UNORM:
    return 2;
  case VK_FORMAT_R8G8B8A8_UNORM:
  case VK_FORMAT_R8G8B8A8_SRGB:
  case VK_FORMAT_B8G8R8A8_UNORM:
  case VK_FORMAT_B8G8R8A8_SRGB:
  case VK_FORMAT_R32_SFLOAT:
  case VK_FORMAT_R32_UINT:
  case VK_FORMAT_D32_SFLOAT:
    return 4;
  case VK_FORMAT_R16G16B16A16_SFLOAT:
  case VK_FORMAT_R32G32_SFLOAT:
    return 8;
  case VK_FORMAT_R32G32B32A32_SFLOAT:
  case VK_FORMAT_R32G32B32A32_UINT:
    return 16;
  default:
    throw Error(fmt::format("The image {} has Vulkan format {}, which talus::gpu does not know.", name,
                            static_cast<int>(options_.format)));
  }
}

}  // namespace talus::gpu
