#include "engine/simulation/hand.h"
#include <algorithm>

namespace talus {
namespace {

// The two places and the step come first in a checkpoint, then the grains.
constexpr std::size_t fixed_bytes = 2 * sizeof(glm::dvec3) + sizeof(std::uint64_t);

}  // namespace

std::vector<std::byte> bytes_of(const Hand& hand) {
  std::vector<std::byte> bytes(fixed_bytes + hand.held.size() * sizeof(shared::HandGrain));
  std::span<std::byte> rest(bytes);
  const auto put = [&](std::span<const std::byte> from) {
    std::ranges::copy(from, rest.begin());
    rest = rest.subspan(from.size());
  };
  put(std::as_bytes(std::span(&hand.from, 1)));
  put(std::as_bytes(std::span(&hand.to, 1)));
  put(std::as_bytes(std::span(&hand.step, 1)));
  put(std::as_bytes(std::span(hand.held)));
  return bytes;
}

Hand hand_of(std::span<const std::byte> bytes) {
  Hand out;
  const auto take = [&](std::span<std::byte> to) {
    std::ranges::copy(bytes.first(to.size()), to.begin());
    bytes = bytes.subspan(to.size());
  };
  if (bytes.size() < fixed_bytes)
    return out;
  take(std::as_writable_bytes(std::span(&out.from, 1)));
  take(std::as_writable_bytes(std::span(&out.to, 1)));
  take(std::as_writable_bytes(std::span(&out.step, 1)));
  out.held.resize(bytes.size() / sizeof(shared::HandGrain));
  take(std::as_writable_bytes(std::span(out.held)));
  return out;
}

}  // namespace talus
