#include "engine/simulation/planned_step.h"
#include "engine/core/step.h"
#include "engine/executors/bound_fields.h"
#include "engine/simulation/planner.h"
#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace talus {

namespace {

// Gates that a step opens only now and then.
bool seldom_open(std::uint32_t gate) {
  constexpr std::array open{gate_grains,      gate_fine,         gate_fine_grains, gate_fine_chunks,
                            gate_fine_blocks, gate_fine_density, gate_emission,    gate_slices,
                            gate_listed,      gate_step_end,     gates_total};
  return std::ranges::find(open, gate) == open.end();
}

// Writes down what is run, all as often as the step has substeps, and knows of fields how long they are.
class ListingExecutor final : public Executor {
public:
  void specialize(const Features& features) override { list.features = features; }
  void run(Pass pass, Work work, const Args& args) override {
    if (work.elements == 0 || shader_of(pass).empty())
      return;
    auto found = std::ranges::find(list.passes, pass, &PlannedPass::pass);
    if (found == list.passes.end())
      found = list.passes.insert(found, {pass, 0.0, 0.0});
    const uint runs = seldom_open(work.gate) ? 1 : args.substeps;
    found->runs += runs;
    found->elements += static_cast<double>(runs) * work.elements;
  }
  void swap(FieldId) override {}
  void copy(FieldCopy, FieldCopy) override {}
  void copy_part(FieldId, std::size_t, FieldId, std::size_t, std::size_t) override {}
  void finish() override {}
  void keep(FieldCopy field, std::size_t elements) override {
    kept_[field].assign(elements * info(field.id).stride, std::byte{0});
  }
  std::span<const std::byte> kept(FieldCopy field) const override { return kept_.at(field); }
  void resize(FieldId id, std::size_t elements) override { sizes_[static_cast<std::size_t>(id)] = elements; }
  std::size_t size(FieldId id) const override { return sizes_[static_cast<std::size_t>(id)]; }
  void write(FieldCopy, std::span<const std::byte>, std::size_t) override {}
  void read(FieldCopy, std::span<std::byte> bytes, std::size_t) override { std::ranges::fill(bytes, std::byte{0}); }
  std::vector<PassTime> pass_times() const override { return {}; }
  DeviceSummary device() const override { return {}; }

  PlannedStep list;

private:
  std::array<std::size_t, field_count> sizes_{};
  std::map<FieldCopy, std::vector<std::byte>> kept_;
};

}  // namespace

// The parts that a plan follows from. No grain is placed: how many there are is enough.
PlannedStep planned_step(const Scene& scene) {
  const Prepared prepared = prepare(scene);
  auto listing = std::make_unique<ListingExecutor>();
  ListingExecutor& executor = *listing;
  Model model(prepared, {});
  FieldMemory memory(model, std::move(listing));
  RunState run(executor, model.worlds());
  Commands commands(model, memory, run);
  Emission emission(model, memory, run, commands.drives());
  GrainSlots grains(model, memory, run, emission);
  const WorldStart start = start_of(model.population());
  emission.set_schedules(std::vector<EmissionSchedule>(model.worlds(), start.emitted));
  const Planner planner(model, run, commands, emission, grains);
  const StepPlan plan = planner.plan_of(start.emitted->empty() ? 0 : start.emitted->back().step - 1);
  step(executor, plan);
  for (PlannedPass& pass : executor.list.passes) {
    pass.runs /= plan.solver.substeps;
    pass.elements /= plan.solver.substeps;
  }
  return std::move(executor.list);
}

PlannedStep every_pass() {
  PlannedStep all;
  for (std::size_t p = 0; p < pass_count; ++p)
    if (const auto pass = static_cast<Pass>(p); !shader_of(pass).empty())
      all.passes.push_back({pass, 0.0, 0.0});
  return all;
}

}  // namespace talus
