#pragma once
// Very many places for balls at once, random and even, by all cores.
#include "engine/scene/sampling.h"
#include <span>

namespace talus {

// Places where the centres of balls may be. Several threads ask at a time.
class Region {
public:
  enum class Part : std::uint8_t { none, some, all };  // of a cube, as far as that is cheap to tell: else some

  virtual ~Region() = default;
  virtual Part part(const glm::dvec3& cube_center, double half_edge) const = 0;
  virtual bool holds(const glm::dvec3& center, double radius) const = 0;
};

// Balls with radii uniform in the range and their centres in a box and in all the regions; none overlaps another.
// period: m, of axes along which the box has no ends and its images follow each other, six radii or longer; else 0.
// Fewer than count: no more fit, which some 0.38 of the volume for equal balls is the limit of. Ordered by place; the
// same for any number of threads.
std::vector<Ball> fill_evenly(const Bounds& box, const glm::dvec3& period, std::span<const Region* const> regions,
                              double radius_min, double radius_max, std::uint32_t count, Random& random);

}  // namespace talus
