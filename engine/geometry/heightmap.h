#pragma once
// Heights over a rectangle.
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace talus {

// Between samples: bilinear from centre to centre of their areas, level beyond the outermost centres; nearest: each
// sample is that of all of its area.
enum class Resampling { bilinear, nearest };

class Heightmap {
public:
  // heights: from the lower left sample on, along x first; min and max: corners of the area of all samples.
  Heightmap(const glm::uvec2& size, std::vector<float> heights, const glm::dvec2& min, const glm::dvec2& max,
            Resampling resampling);

  double height(const glm::dvec2& at) const;  // beyond the rectangle, that of its edge
  double top() const { return top_; }         // no height is above it
  std::span<const float> heights() const { return heights_; }

private:
  glm::uvec2 size_;
  std::vector<float> heights_;
  glm::dvec2 min_, per_length_;  // samples per length
  Resampling resampling_;
  double top_;
};

}  // namespace talus
