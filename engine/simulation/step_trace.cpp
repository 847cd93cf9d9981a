#include "engine/simulation/step_trace.h"
#include "engine/executors/gpu_executor.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus {

namespace {

constexpr int traced_iterations = 2;

}  // namespace

StepTrace Simulation::trace_step(const Scene& scene, Options options) {
  if (options.device == "cpu")
    options.device = "auto";  // barriers are a device's: take any
  auto executor = std::make_unique<GpuExecutor>(options);
  GpuExecutor& gpu = *executor;
  Impl other(prepare(scene), options, std::move(executor));
  gpu.finish();
  gpu.set_trace(true);
  const std::vector<ScheduledGrain>& emitted = *other.emission.schedules()[0];
  StepPlan plan = other.planner.plan_of(emitted.empty() ? 0 : emitted.back().step - 1);
  StepTrace trace{plan.solver.substeps, plan.solver.iterations, {}};
  plan.solver.substeps = 1;
  plan.solver.iterations = std::min(plan.solver.iterations, traced_iterations);
  talus::step(gpu, plan);
  trace.passes = gpu.take_trace();
  return trace;
}

std::string Simulation::describe_step(bool dot) {
  impl_->idle().executor().submit();  // the other one may record on the same device
  const StepTrace trace = trace_step(impl_->model.scene(), impl_->model.options());
  return dot ? to_dot(trace) : to_text(trace);
}

std::string to_text(const StepTrace& trace) {
  return fmt::format("# a step of {} substeps with {} iterations each; shown: one substep with {}\n{}", trace.substeps,
                     trace.iterations, std::min(trace.iterations, traced_iterations), gpu::to_text(trace.passes));
}

// An edge from the pass that wrote a field last to each that reads it.
std::string to_dot(const StepTrace& trace) {
  const std::vector<gpu::PassRecord>& passes = trace.passes;
  std::string text = "digraph step {\n  rankdir=TB; node [shape=box, fontname=\"sans-serif\"];\n";
  std::vector<std::pair<std::string, std::size_t>> writers;
  for (std::size_t n = 0; n < passes.size(); ++n) {
    text +=
        fmt::format("  p{} [label=\"{}\"{}];\n", n, passes[n].name, passes[n].barrier.empty() ? "" : ", style=bold");
    for (const std::string& field : passes[n].reads)
      for (auto w = writers.rbegin(); w != writers.rend(); ++w)
        if (w->first == field) {
          text += fmt::format("  p{} -> p{} [label=\"{}\"];\n", w->second, n, field);
          break;
        }
    for (const std::string& field : passes[n].writes)
      writers.emplace_back(field, n);
  }
  return text + "}\n";
}

}  // namespace talus
