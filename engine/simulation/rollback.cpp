#include "engine/simulation/rollback.h"
#include "engine/base/assert.h"
#include <algorithm>

namespace talus {

void RollbackSnapshot::take() {
  TALUS_ASSERT(run_.substep() == 0, run_.substep());
  TALUS_ASSERT(run_.status().halt == halt_none, run_.status().halt);
  each_field(&FieldInfo::rolled_back, [&](FieldId id) { memory_.executor().copy(id, {id, Copy::valid}); });
  step_ = run_.step();
  status_ = run_.status();
  worlds_ = run_.worlds();
  auto replaced = commands_.take_replaced();
  drops_commands_ = replaced.has_value();
  told_ = replaced ? std::move(*replaced) : commands_.current();
}

void RollbackSnapshot::restore(const Status& halted) {
  TALUS_ASSERT(halted.halt == halt_invalid, halted.halt);
  TALUS_ASSERT(worlds_.size() == model_.worlds(), worlds_.size(), model_.worlds());  // it was taken
  TALUS_ASSERT(step_ <= run_.step(), step_, run_.step());
  Executor& executor = memory_.executor();
  each_field(&FieldInfo::rolled_back, [&](FieldId id) { executor.copy({id, Copy::valid}, id); });
  each_field([](const FieldInfo& field) { return field.follows != Follows::nothing && !field.rolled_back; },
             [&](FieldId id) { memory_.clear_slots(id, 0, executor.size(id)); });
  // What contacts did to bodies and cloth, and their history, are those of a later state.
  memory_.forget_slices();
  write_field(executor, FieldId::cloth_sums, std::vector<uint>(executor.size(FieldId::cloth_sums), 0u));
  memory_.forget_contacts();
  commands_.restore(told_);
  Status status = halted;
  status.halt = halt_none;
  status.step = static_cast<uint>(step_);
  status.substep = 0;
  status.fine.born = status_.fine.born;
  status.fine.gone = status_.fine.gone;
  status.fine.time = status_.fine.time;
  status.fine.travel = status_.fine.travel;
  status.fine.drift = status.fine.body_way = lists_invalid;
  run_.roll_back(step_, status);
  run_.set_worlds(worlds_before());
  executor.finish();
  TALUS_ASSERT(run_.step() == step_ && run_.substep() == 0, run_.step(), run_.substep(), step_);
  TALUS_ASSERT(run_.lists_are_invalid());
  TALUS_ASSERT(grains_.alive() <= grains_.slots_at(step_), grains_.alive(), grains_.slots_at(step_));
}

// The worlds of the snapshot, with invalid lists and the speeds of their grains.
std::vector<World> RollbackSnapshot::worlds_before() const {
  const auto grains = read_field<Grain>(memory_.executor(), FieldId::grains, grains_.slots_at(step_));
  std::vector<World> worlds = worlds_;
  const std::size_t each = grains.size() / worlds.size();
  TALUS_ASSERT(each * worlds.size() == grains.size(), grains.size(), worlds.size());
  for (std::size_t w = 0; w < worlds.size(); ++w) {
    World& world = worlds[w];
    world.population.gone_before = world.population.gone;
    world.motion.speed = 0.0f;
    for (std::size_t i = w * each; i < (w + 1) * each; ++i)
      world.motion.speed = std::max(world.motion.speed, glm::length(vec3(grains[i].velocity)));
    world.lists.travel = lists_invalid;
  }
  return worlds;
}

}  // namespace talus
