#pragma once
// A rank computes the slices of grains that recursive coordinate bisection gives it.
#include "engine/executors/cpu_executor.h"
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace talus::mpi {

struct Ownership {
  std::vector<std::uint16_t> rank_of;         // by slice
  std::vector<std::vector<SliceRun>> slices;  // by rank, in order
};

Ownership ownership_of(std::vector<std::uint16_t> rank_of, int ranks);

// A box around grains is cut, across the edge that makes the cut reach the fewest slices, so that the weights on both
// sides are as the numbers of ranks there, until each rank has a box (Berger and Bokhari 1987). The cuts stay until
// they are made anew, so that grains which move little stay with their rank.
class Bisection {
public:
  bool empty() const { return cuts_.empty() && ranks_ == 0; }
  // Cuts anew, for points with these weights, none of which is negative.
  void cut(std::span<const glm::vec3> places, std::span<const float> weights, int ranks);
  std::uint16_t rank_at(const glm::vec3& place) const;

private:
  struct Cut {
    int axis = -1;  // -1: a rank's box
    float at = 0.0f;
    std::uint32_t low = 0, high = 0;  // cuts of both sides
    std::uint16_t rank = 0;
  };
  std::uint32_t cut(std::span<const glm::vec3> places, std::span<const float> weights, std::span<std::uint32_t> points,
                    int first_rank, int ranks);

  std::vector<Cut> cuts_;
  int ranks_ = 0;
};

}  // namespace talus::mpi
