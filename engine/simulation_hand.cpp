// A hand that holds grains.
#include "engine/simulation_impl.h"
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace talus {
namespace {

void check_place(const glm::dvec3& at) {
  if (!std::isfinite(at.x + at.y + at.z))
    throw std::invalid_argument("the hand's place must be finite");
}

}  // namespace

std::uint32_t Simulation::Impl::grab(const glm::dvec3& at, double radius) {
  check_place(at);
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
  std::vector<std::byte> bytes;
  const auto add = [&](const auto& values) {
    const auto more = std::as_bytes(std::span(values));
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  add(std::array{hand.from, hand.to});
  add(std::array{hand.step});
  add(hand.held);
  return bytes;
}

// Holds nothing where there are no bytes.
Simulation::Impl::Hand Simulation::Impl::hand_of(std::span<const std::byte> bytes) const {
  Hand out;
  const auto take = [&](void* to, std::size_t count) {
    std::memcpy(to, bytes.data(), count);
    bytes = bytes.subspan(count);
  };
  constexpr std::size_t fixed = sizeof out.from + sizeof out.to + sizeof out.step;
  if (bytes.size() < fixed)
    return out;
  take(&out.from, sizeof out.from);
  take(&out.to, sizeof out.to);
  take(&out.step, sizeof out.step);
  out.held.resize(bytes.size() / sizeof(HandGrain));
  take(out.held.data(), out.held.size() * sizeof(HandGrain));
  return out;
}

}  // namespace talus
