#pragma once
// What grains did to bodies in each of the last steps.
#include "engine/simulation/field_memory.h"
#include <vector>

namespace talus {

// Owns the loads of all bodies in the steps since begin(), of the last load_steps_most of them where there were more.
//
// Between calls: the load of body b in step first_step_ + s is at s * bodies of all worlds + b.
//
// Needs the model (the number of bodies) and the field `body_loads`.
class LoadHistory {
public:
  LoadHistory(const Model& model, const FieldMemory& memory) : model_(model), memory_(memory) {}

  const std::vector<BodyLoad>& all() const { return loads_; }
  void begin(std::uint64_t step);       // forgets what there is
  void keep(std::uint64_t steps);       // sets the loads of a batch's steps aside, at its end
  void take_kept(std::uint32_t steps);  // only the batch's first steps count
  void cut(std::uint64_t step);         // forgets what came after so many steps

private:
  const Model& model_;
  const FieldMemory& memory_;
  std::vector<BodyLoad> loads_;
  std::uint64_t first_step_ = 0;
};

}  // namespace talus
