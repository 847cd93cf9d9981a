#include "engine/geometry/heightmap.h"
#include "engine/base/assert.h"
#include <algorithm>

namespace talus {

Heightmap::Heightmap(const glm::uvec2& size, std::vector<float> heights, const glm::dvec2& min, const glm::dvec2& max,
                     Resampling resampling)
    : size_(size), heights_(std::move(heights)), min_(min), per_length_(glm::dvec2(size) / (max - min)),
      resampling_(resampling) {
  TALUS_ASSERT(!heights_.empty() && heights_.size() == std::size_t{size.x} * size.y, heights_.size(), size.x, size.y);
  top_ = *std::ranges::max_element(heights_);
}

double Heightmap::height(const glm::dvec2& at) const {
  const glm::dvec2 last(size_ - 1u), place = (at - min_) * per_length_;  // in samples
  const auto sample = [&](const glm::dvec2& k) {
    return double{heights_[static_cast<std::size_t>(k.y) * size_.x + static_cast<std::size_t>(k.x)]};
  };
  if (resampling_ == Resampling::nearest)
    return sample(glm::clamp(glm::floor(place), glm::dvec2(0.0), last));
  const glm::dvec2 from_center = glm::clamp(place - 0.5, glm::dvec2(0.0), last);
  const glm::dvec2 low = glm::floor(from_center), high = glm::min(low + 1.0, last), share = from_center - low;
  return glm::mix(glm::mix(sample(low), sample({high.x, low.y}), share.x),
                  glm::mix(sample({low.x, high.y}), sample(high), share.x), share.y);
}

}  // namespace talus
