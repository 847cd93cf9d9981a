#include "engine/simulation/run_state.h"
#include <algorithm>

namespace talus {

bool RunState::lists_are_invalid() const {
  const auto worlds = read_field<World>(executor_, FieldId::worlds, worlds_.size());
  return std::ranges::any_of(worlds, [](const World& world) { return world.travel >= lists_void; });
}

void RunState::set_status(const Status& status) {
  status_ = status;
  write_field(executor_, FieldId::status, std::vector{status});
}

void RunState::set_world(std::uint32_t world, const World& state) {
  worlds_[world] = state;
  executor_.write(FieldId::worlds, std::as_bytes(std::span(&state, 1)), world * sizeof(World));
}

void RunState::set_worlds(std::vector<World> worlds) {
  worlds_ = std::move(worlds);
  write_worlds();
}

void RunState::invalidate_lists(std::uint32_t world) {
  World state = worlds_[world];
  state.travel = lists_void;
  set_world(world, state);
}

void RunState::invalidate_fine_lists() {
  Status status = read_status();
  status.body_way = status.fine_drift = lists_void;
  set_status(status);
}

void RunState::invalidate_all_lists() {
  Status status = read_status();
  status.fine_drift = lists_void;
  set_status(status);
  for (World& world : worlds_)
    world.travel = lists_void;
  write_worlds();
}

void RunState::keep() {
  executor_.keep(FieldId::status, 1);
  executor_.keep(FieldId::worlds, worlds_.size());
}

const Status& RunState::take_kept() {
  status_ = kept_field<Status>(executor_, FieldId::status, 1)[0];
  worlds_ = kept_field<World>(executor_, FieldId::worlds, worlds_.size());
  return status_;
}

void RunState::go_on_after_halt(Status status) {
  substep_ = status.substep;
  status.halt = halt_none;
  write_field(executor_, FieldId::status, std::vector{status});
}

void RunState::roll_back(std::uint64_t step, const Status& status) {
  step_ = step;
  substep_ = 0;
  set_status(status);
}

void RunState::read_back(std::uint64_t step) {
  step_ = step;
  status_ = read_status();
  worlds_ = read_field<World>(executor_, FieldId::worlds, worlds_.size());
  substep_ = status_.substep;
}

}  // namespace talus
