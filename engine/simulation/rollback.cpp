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
  for (const FieldId sums : {FieldId::body_sums, FieldId::cloth_sums})
    write_field(executor, sums, std::vector<uint>(executor.size(sums), 0u));
  memory_.forget_contacts();
  commands_.restore(told_);
  Status status = halted;
  status.halt = halt_none;
  status.step = static_cast<uint>(step_);
  status.substep = 0;
  status.fine_born = status_.fine_born;
  status.fine_gone = status_.fine_gone;
  status.fine_time = status_.fine_time;
  status.fine_travel = status_.fine_travel;
  status.fine_drift = status.body_way = lists_void;
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
    world.gone_before = world.gone;
    world.speed = 0.0f;
    for (std::size_t i = w * each; i < (w + 1) * each; ++i)
      world.speed = std::max(world.speed, glm::length(vec3(grains[i].velocity)));
    world.travel = lists_void;
  }
  return worlds;
}

}  // namespace talus
