#include "viewer/live/step_describer.h"
#include "engine/core/executor.h"

namespace viewer {

using namespace talus;

const Described* StepDescriber::of(Session& session, std::uint64_t scene) {
  if (running_.valid() && running_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    try {
      described_ = running_.get();
    } catch (...) {
      described_ = Described{.scene = scene, .solver = session.scene().solver};  // so that it is not tried again
      throw;
    }
  const bool fits = described_ && described_->scene == scene && described_->solver == session.scene().solver;
  if (!fits && !running_.valid())
    start(session, scene);
  return fits ? &*described_ : nullptr;
}

void StepDescriber::start(Session& session, std::uint64_t scene) {
  session.between_steps([this, scene](Simulation& simulation) {
    Described described{.scene = scene, .solver = simulation.scene().solver};
    for (std::size_t f = 0; f < field_count; ++f)
      described.elements[f] = simulation.executor().size(static_cast<FieldId>(f));
    if (!running_.valid())
      running_ = std::async(std::launch::async, [described, options = options_, of = simulation.scene()]() mutable {
        described.trace = Simulation::trace_step(of, options);
        return described;
      });
  });
}

}  // namespace viewer
