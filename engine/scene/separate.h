#pragma once
// Balls that overlap, and how they are moved apart where they must not push each other.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <span>
#include <vector>

namespace talus {

struct Movable {
  glm::dvec3 center;  // m
  double radius;      // m
  double mass;        // kg; infinite: it stays where it is
};

// Pairs that overlap by more than a share of the smaller radius, of which one may be moved.
struct Overlaps {
  std::size_t pairs = 0;  // at most pairs_most
  double deepest = 0.0;   // radii of the smaller one
};
inline constexpr std::size_t pairs_most = 10'000'000;
// period: m, of periodic axes; 0 elsewhere.
Overlaps overlaps_of(std::span<const Movable> balls, const glm::dvec3& period, double least);

// Moves balls that overlap by more than `least` radii of the smaller one apart, and with them those that they are moved
// into, the lighter one of two further, until none of them overlap by more, or for so many sweeps as take some seconds.
// Balls in the same place part in directions that follow from their numbers. keep(center, radius): moves a centre back
// to where a ball may be. crowd: the balls to begin with; empty: all.
void separate(std::span<Movable> balls, const glm::dvec3& period, double least,
              const std::function<void(glm::dvec3&, double)>& keep, std::vector<std::uint32_t> crowd = {});

}  // namespace talus
