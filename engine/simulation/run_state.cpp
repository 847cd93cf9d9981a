#include "engine/simulation/run_state.h"
#include <algorithm>
#include <cstddef>

namespace talus {

bool RunState::lists_are_invalid() const {
  const auto worlds = read_field<World>(executor_, FieldId::worlds, worlds_.size());
  return std::ranges::any_of(worlds, [](const World& world) { return world.lists.travel >= lists_invalid; });
}

void RunState::set_status(const Status& status) {
  status_ = status;
  write_field(executor_, FieldId::status, std::vector{status});
}

void RunState::set_world(std::uint32_t world, const World& state) {
  TALUS_ASSERT(world < worlds_.size(), world, worlds_.size());
  worlds_[world] = state;
  executor_.write(FieldId::worlds, std::as_bytes(std::span(&state, 1)), world * sizeof(World));
}

void RunState::set_worlds(std::vector<World> worlds) {
  TALUS_ASSERT(worlds.size() == worlds_.size(), worlds.size(), worlds_.size());
  worlds_ = std::move(worlds);
  write_worlds();
}

void RunState::invalidate_lists(std::uint32_t world) {
  TALUS_ASSERT(world < worlds_.size(), world, worlds_.size());
  World state = worlds_[world];
  state.lists.travel = lists_invalid;
  state.disturbed = 1;
  set_world(world, state);
}

void RunState::disturb(std::uint32_t world) {
  TALUS_ASSERT(world < worlds_.size(), world, worlds_.size());
  const uint& disturbed = worlds_[world].disturbed = 1;
  executor_.write(FieldId::worlds, std::as_bytes(std::span(&disturbed, 1)),
                  world * sizeof(World) + offsetof(World, disturbed));
}

void RunState::note_soil(std::uint32_t world, const WorldSoil& soil) {
  TALUS_ASSERT(world < worlds_.size(), world, worlds_.size());
  worlds_[world].soil = soil;
  executor_.write(FieldId::worlds, std::as_bytes(std::span(&soil, 1)), world * sizeof(World) + offsetof(World, soil));
}

void RunState::invalidate_fine_lists() {
  Status status = read_status();
  status.fine.body_way = status.fine.drift = lists_invalid;
  set_status(status);
}

void RunState::invalidate_all_lists() {
  Status status = read_status();
  status.fine.drift = lists_invalid;
  set_status(status);
  for (World& world : worlds_)
    world.lists.travel = lists_invalid;
  write_worlds();
}

void RunState::keep() {
  executor_.keep(FieldId::status, 1);
  executor_.keep(FieldId::worlds, worlds_.size());
}

const Status& RunState::take_kept() {
  status_ = kept_field<Status>(executor_, FieldId::status, 1)[0];
  worlds_ = kept_field<World>(executor_, FieldId::worlds, worlds_.size());
  if (status_.halt == halt_waits) {  // strides have come to their end
    TALUS_ASSERT(status_.exchanged == 0);
    status_.halt = halt_none;
    set_status(status_);
  }
  TALUS_ASSERT(status_.halt == halt_none || status_.halt == halt_slots || status_.halt == halt_invalid, status_.halt);
  for (const World& world : worlds_) {
    TALUS_ASSERT(world.population.gone >= world.population.gone_before, world.population.gone,
                 world.population.gone_before);
    TALUS_ASSERT((world.invalid == ~0u) || status_.halt == halt_invalid, world.invalid, status_.halt);
  }
  return status_;
}

void RunState::end_batch() {
  TALUS_ASSERT(status_.halt == halt_none, status_.halt);
  TALUS_ASSERT(status_.step == static_cast<uint>(step_), status_.step, step_);
  TALUS_ASSERT(status_.substep == 0, status_.substep);
  substep_ = 0;
}

void RunState::go_on_after_halt(Status status) {
  TALUS_ASSERT(status.halt == halt_slots, status.halt);
  TALUS_ASSERT(status.step == static_cast<uint>(step_), status.step, step_);
  substep_ = status.substep;
  status.halt = halt_none;
  set_status(status);
}

void RunState::roll_back(std::uint64_t step, const Status& status) {
  TALUS_ASSERT(step <= step_, step, step_);
  TALUS_ASSERT(status.halt == halt_none && status.substep == 0, status.halt, status.substep);
  TALUS_ASSERT(status.step == static_cast<uint>(step), status.step, step);
  step_ = step;
  substep_ = 0;
  set_status(status);
}

void RunState::read_back(std::uint64_t step) {
  step_ = step;
  status_ = read_status();
  worlds_ = read_field<World>(executor_, FieldId::worlds, worlds_.size());
  substep_ = status_.substep;
  TALUS_ASSERT(status_.step == static_cast<uint>(step_), status_.step, step_);  // a checkpoint was checked for both
  TALUS_ASSERT(status_.halt == halt_none && substep_ == 0, status_.halt, substep_);
}

}  // namespace talus
