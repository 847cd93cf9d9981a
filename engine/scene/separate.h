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

// From one place to another by the shortest way [m]. period: m, of periodic axes; 0 elsewhere.
glm::dvec3 way_of(const glm::dvec3& from, const glm::dvec3& to, const glm::dvec3& period);

// m; negative: apart.
double overlap_of(const Movable& a, const Movable& b, const glm::dvec3& period);

// Pairs that overlap by more than a share of the smaller radius, of which one may be moved.
struct Overlaps {
  std::size_t pairs = 0;  // at most pairs_most
  double deepest = 0.0;   // radii of the smaller one
};
inline constexpr std::size_t pairs_most = 10'000'000;
Overlaps overlaps_of(std::span<const Movable> balls, const glm::dvec3& period, double least);

// Balls that are in a pair that overlaps by more than that and of which one may be moved, by number.
std::vector<std::uint32_t> overlapping(std::span<const Movable> balls, const glm::dvec3& period, double least);

// Overlaps in radii of the smaller ball: a pair that overlaps by more than `least` is moved apart to `left`.
struct Parting {
  double least, left;
};

// Moves the balls of a crowd apart, and with them those that they are moved into, the lighter one of two further, until
// no pair overlaps by more than its parting(i, j) allows, or for so many sweeps as take some seconds. Balls that are in
// no such pair stay where they are. Balls in the same place part in directions that follow from their numbers.
// keep(center, radius): moves a centre back to where a ball may be.
void separate(std::span<Movable> balls, const glm::dvec3& period,
              const std::function<Parting(std::size_t, std::size_t)>& parting,
              const std::function<void(glm::dvec3&, double)>& keep, std::vector<std::uint32_t> crowd);

}  // namespace talus
