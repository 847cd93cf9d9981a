#include "engine/simulation/load_history.h"
#include "engine/base/assert.h"
#include <algorithm>

namespace talus {

void LoadHistory::begin(std::uint64_t step) {
  loads_.clear();
  first_step_ = step;
}

void LoadHistory::keep(std::uint64_t steps) {
  const std::uint64_t loads = steps * model_.bodies_of_all();
  TALUS_ASSERT(loads <= memory_.executor().size(FieldId::body_loads), steps, loads);
  memory_.executor().keep(FieldId::body_loads, loads);
}

void LoadHistory::take_kept(std::uint32_t steps) {
  const std::size_t bodies = model_.bodies_of_all();
  if (bodies == 0)
    return;
  const auto fresh = kept_field<BodyLoad>(memory_.executor(), FieldId::body_loads, steps * bodies);
  TALUS_ASSERT(fresh.size() == steps * bodies, fresh.size(), steps, bodies);
  loads_.insert(loads_.end(), fresh.begin(), fresh.end());
  const std::size_t most = load_steps_most * bodies;
  if (loads_.size() > most) {
    first_step_ += (loads_.size() - most) / bodies;
    loads_.erase(loads_.begin(), loads_.end() - static_cast<std::ptrdiff_t>(most));
  }
  TALUS_ASSERT(loads_.size() % bodies == 0 && loads_.size() <= most, loads_.size(), bodies);
}

void LoadHistory::cut(std::uint64_t step) {
  const std::uint64_t left = (step - std::min(step, first_step_)) * model_.bodies_of_all();
  TALUS_ASSERT(left <= loads_.size(), left, loads_.size(), step, first_step_);
  loads_.resize(left);
}

}  // namespace talus
