#pragma once
// A hand that holds grains.
#include "shaders/shared/types.h"
#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <vector>

namespace talus {

struct Hand {
  glm::dvec3 from{0.0}, to{0.0};        // m, where it is and where it goes
  std::uint64_t step = 0;               // in which it goes there; it is at `to` in all others
  std::vector<shared::HandGrain> held;  // by id
};

// For a checkpoint, and back. A hand without bytes holds nothing.
std::vector<std::byte> bytes_of(const Hand& hand);
Hand hand_of(std::span<const std::byte> bytes);

}  // namespace talus
