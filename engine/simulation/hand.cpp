// A hand that holds grains.
#include "engine/simulation/impl.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace talus {
namespace {

void check_place(const glm::dvec3& at) {
  if (!std::isfinite(at.x + at.y + at.z))
    throw std::invalid_argument("the hand's place must be finite");
}

// In a checkpoint, before the grains: where the hand is and goes, and in which step.
constexpr std::size_t fixed_bytes = 2 * sizeof(glm::dvec3) + sizeof(std::uint64_t);

}  // namespace

std::uint32_t Simulation::Impl::grab(const glm::dvec3& at, double radius) {
  check_place(at);
  keep_commands();
  Hand next{at, at, step, {}};
  const State state = read_state();
  for (const std::uint32_t i : state.by_id) {
    const Grain& grain = state.grains[i];
    const glm::dvec3 place = nearest_image(scene.domain, glm::dvec3(grain.position), at) - at;
    if (glm::length(place) <= radius && grain.velocity.w > 0.0f && !is_vertex(state.ids[i]))
      next.held.push_back({state.ids[i], vec3(place)});
  }
  hold(std::move(next));
  return static_cast<std::uint32_t>(hand.held.size());
}

// On from where it is, though it may have been told to move in this step already.
void Simulation::Impl::move_hand(const glm::dvec3& at) {
  check_place(at);
  keep_commands();
  if (hand.step != step)
    hand.from = hand.to;
  hand.to = at;
  hand.step = step;
}

void Simulation::Impl::hold(Hand next) {
  hand = std::move(next);
  executor->resize(FieldId::held, hand.held.size());
  write_field(*executor, FieldId::held, hand.held);
}

std::vector<std::byte> Simulation::Impl::hand_bytes() const {
  std::vector<std::byte> bytes(fixed_bytes + hand.held.size() * sizeof(HandGrain));
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

// Holds nothing where there are no bytes.
Simulation::Impl::Hand Simulation::Impl::hand_of(std::span<const std::byte> bytes) const {
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
  out.held.resize(bytes.size() / sizeof(HandGrain));
  take(std::as_writable_bytes(std::span(out.held)));
  return out;
}

}  // namespace talus
