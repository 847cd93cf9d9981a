#include "engine/simulation/batches.h"
#include "engine/base/assert.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace talus {
namespace {

// A batch takes about so long, so that waiting for it costs little and nothing stands still for long.
constexpr double batch_seconds = 0.05;

}  // namespace

Batches::Batches(const Model& model, FieldMemory& memory, RunState& run, Commands& commands, Emission& emission,
                 GrainSlots& grains, const Planner& planner, Evaluation& evaluation, SoilExchanges& soil)
    : model_(model), memory_(memory), run_(run), commands_(commands), emission_(emission), grains_(grains),
      planner_(planner), evaluation_(evaluation), soil_(soil), snapshot_(model, memory, run, commands, grains),
      loads_(model, memory) {}

void Batches::advance(std::uint64_t steps, const std::function<bool()>& goes_on) {
  aim(steps);
  go_on(goes_on);
}

void Batches::start(std::uint64_t steps, bool evaluate_contacts) {
  aim(steps);
  evaluating_ = evaluate_contacts;
  if (evaluate_contacts)
    evaluation_.make_room_for_lines();
  begin(std::min({steps, memory_.batch_most(), steps_until_exchange()}), true);
}

bool Batches::ready() {
  if (work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready || !memory_.executor().done())
    return false;
  if (rest_.step == rest_.end)
    return true;
  slice_.measure(memory_.executor(), model_.options().slice);
  hand_over(slice_.substeps());
  return false;
}

void Batches::finish() {
  complete();
  const std::uint64_t then = run_.step();
  go_on();
  if (evaluating_ && run_.step() > then)
    evaluation_.evaluate_contacts();
}

void Batches::aim(std::uint64_t steps) {
  TALUS_ASSERT(!under_way() && started_ == 0, started_);
  end_ = run_.step() + std::min(steps, std::numeric_limits<std::uint64_t>::max() - run_.step());
  loads_.begin(run_.step());
}

void Batches::go_on(const std::function<bool()>& asked) {
  const std::uint64_t most = memory_.batch_most();
  while (run_.step() < end_) {
    const auto before = std::chrono::steady_clock::now();
    begin(std::min({batch_, most, end_ - run_.step(), steps_until_exchange()}), false);
    complete();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    batch_ = seconds < 0.5 * batch_seconds   ? std::min(2 * batch_, most)
             : seconds > 2.0 * batch_seconds ? std::max<std::uint64_t>(batch_ / 2, 1)
                                             : batch_;
    // A halt within a step leaves substeps of it to be done first.
    if (asked && run_.step() < end_ && run_.substep() == 0 && !asked())
      end_ = run_.step();
  }
}

// Steps until begin() changes what is in memory where.
std::uint64_t Batches::steps_until_exchange() const {
  return std::min(soil_.steps_until_look(), grains_.steps_until_free());
}

// live: does not wait, and a device leaves the bodies where they are to be drawn.
void Batches::begin(std::uint64_t steps, bool live) {
  TALUS_ASSERT(!under_way() && started_ == 0, started_);
  TALUS_ASSERT(steps <= memory_.batch_most(), steps, memory_.batch_most());
  TALUS_ASSERT(run_.step() + steps <= end_, run_.step(), steps, end_);
  if (run_.substep() == 0) {
    soil_.look();
    grains_.free_slots();
    snapshot_.take();
  }
  TALUS_ASSERT(snapshot_.step() <= run_.step(), snapshot_.step(), run_.step());
  commands_.write_motions(live ? steps + 1 : steps);
  emission_.write_plan(steps);
  const bool on_device = memory_.executor().gpu_device() != nullptr;
  const bool evaluate_contacts = live && evaluating_, posed = live && on_device;
  const bool in_slices = posed && model_.options().timing;  // which tells how long a substep takes
  const auto policy = live && !on_device ? std::launch::async : std::launch::deferred;
  work_ = std::async(policy, [=, this] {
    rest_ = {run_.step(), run_.step() + steps, run_.substep(), posed || evaluate_contacts, evaluate_contacts};
    hand_over(in_slices ? slice_.substeps() : SliceLength::all);
  });
  started_ = steps;
  if (policy == std::launch::deferred)
    work_.wait();  // runs it; complete() throws what it throws
}

// How many of the steps that the device does not have yet have the plan of the first one.
std::uint64_t Batches::steps_alike() const {
  const StepPlan plan = planner_.plan_of(rest_.step);
  std::uint64_t end = rest_.step + 1;
  while (end < rest_.end && planner_.plan_of(end) == plan)
    ++end;
  return end - rest_.step;
}

// Hands so many substeps of the rest to the device.
void Batches::hand_over(std::uint64_t count) {
  Executor& executor = memory_.executor();
  const auto substeps = static_cast<std::uint32_t>(model_.scene().solver.substeps);
  const bool all = count == SliceLength::all;
  TALUS_ASSERT(rest_.step <= rest_.end, rest_.step, rest_.end);
  TALUS_ASSERT(rest_.substep < substeps, rest_.substep, substeps);
  while (count > 0 && rest_.step < rest_.end) {
    const StepPlan plan = planner_.plan_of(rest_.step);
    TALUS_ASSERT(plan.grains <= executor.size(FieldId::grains), plan.grains, rest_.step);
    TALUS_ASSERT(plan.fine <= executor.size(FieldId::fine_grains), plan.fine, rest_.step);
    const std::uint64_t alike = all && rest_.substep == 0 ? steps_alike() : 1;
    const std::uint64_t left = alike * substeps - rest_.substep;  // substeps
    if (all && alike == rest_.end - rest_.step && strides_suit(plan) && stride_.waiting(left) > 0) {
      hand_over_strides(plan, left);
      slice_.count(left);
      rest_.step = rest_.end;
      rest_.substep = 0;
      break;
    }
    if (alike > 1) {
      executor.repeat(static_cast<std::uint32_t>(alike), [&] { talus::step(executor, plan); });
      slice_.count(alike * substeps);
      rest_.step += alike;
      continue;
    }
    const auto to = static_cast<std::uint32_t>(std::min<std::uint64_t>(substeps, rest_.substep + count));
    talus::step(executor, plan, rest_.substep, to);
    count -= to - rest_.substep;
    slice_.count(to - rest_.substep);
    rest_.substep = to % substeps;
    rest_.step += to == substeps;
  }
  TALUS_ASSERT(rest_.step < rest_.end || rest_.substep == 0, rest_.substep);
  if (rest_.step == rest_.end)
    end_batch();
  executor.submit();
}

// Strides suit devices, and what nobody draws: where a batch of strides ends is known when the device is done.
bool Batches::strides_suit(const StepPlan& plan) const {
  return memory_.executor().defers() && !rest_.posed && can_stride(plan);
}

// Hands over strides for so many substeps, the last of the batch.
void Batches::hand_over_strides(const StepPlan& plan, std::uint64_t substeps) {
  Executor& executor = memory_.executor();
  const std::uint32_t waiting = std::max(stride_.waiting(substeps), 1u);
  const Stride stride{waiting, static_cast<std::uint32_t>(rest_.end - run_.step())};
  executor.repeat(stride_.strides_for(substeps, waiting), [&] { talus::stride(executor, plan, stride); });
  end_strides(executor, plan);
  rest_.strides = true;
}

// After the last substep comes what is drawn or read of the batch.
void Batches::end_batch() {
  const StepPlan plan = planner_.plan_of(rest_.end);
  if (rest_.posed)
    pose_bodies(memory_.executor(), plan);
  if (rest_.contacts_evaluated)  // behind a gate, since lists without room for their contacts have none to evaluate
    evaluate_contacts(memory_.executor(), plan, grains_.listed_at(rest_.end), gate_grains);
  run_.keep();
  loads_.keep(rest_.end - run_.step());
}

void Batches::complete() {
  const std::uint64_t steps = std::exchange(started_, 0);
  work_.get();
  if (rest_.step < rest_.end)
    hand_over(SliceLength::all);
  memory_.executor().finish();
  if (rest_.posed && memory_.executor().gpu_device())
    slice_.measure(memory_.executor(), model_.options().slice);
  TALUS_ASSERT(rest_.step == rest_.end, rest_.step, rest_.end);
  take_kept();
  if (rest_.strides)
    complete_strides(steps);
  const Status status = run_.status();
  TALUS_ASSERT(run_.steps_until(status) <= steps, status.step, run_.step(), steps);
  TALUS_ASSERT(status.halt != halt_none || run_.steps_until(status) == steps, status.step, run_.step(), steps);
  loads_.take_kept(run_.steps_until(status));
  if (status.halt == halt_invalid)
    give_up(status);
  if (status.halt == halt_slots)
    return grow(status);
  finish_steps(steps);
  run_.end_batch();
}

void Batches::take_kept() {
  const Status before = run_.status();
  stride_.measure(before, run_.take_kept());
}

// Goes on until the steps are done: how far strides get is known to the device alone. Their plan is that of the last
// step, since the first steps of the batch may have had another one, before the last grain of an emitter was released.
void Batches::complete_strides(std::uint64_t steps) {
  const auto substeps = static_cast<std::uint32_t>(model_.scene().solver.substeps);
  const StepPlan plan = planner_.plan_of(run_.step() + steps - 1);
  TALUS_ASSERT(strides_suit(plan), run_.step(), steps);
  while (run_.status().halt == halt_none && run_.steps_until(run_.status()) < steps) {
    [[maybe_unused]] const uint before = run_.status().substeps_done;
    hand_over_strides(plan, (steps - run_.steps_until(run_.status())) * substeps - run_.status().substep);
    end_batch();
    memory_.executor().finish();
    take_kept();
    TALUS_ASSERT(run_.status().halt != halt_none || run_.status().substeps_done > before, before);
  }
  memory_.executor().submit();  // take_kept() may have written a status
}

void Batches::finish_steps(std::uint64_t steps) {
  commands_.advance(steps);
  run_.advance(steps);
}

// The device stopped in substep status.substep of step status.step, since contact slots or the history buffer had no
// room, before anything moved. The run goes on from there with more. Exchanges of grains and of their spins with their
// copies that were recorded after that need no undoing: contact_check has made the two equal.
void Batches::grow(const Status& status) {
  TALUS_ASSERT(status.substep < static_cast<uint>(model_.scene().solver.substeps), status.substep);
  finish_steps(run_.steps_until(status));
  run_.go_on_after_halt(status);
  memory_.grow_contacts(status, run_.step());
}

// The lowest number of a grain whose state is not finite, of the world that has the one in this slot.
uint Batches::first_invalid(uint slot) {
  const std::size_t all = memory_.executor().size(FieldId::grains),
                    each = model_.own_slots() ? model_.settings().worlds.places : all, first = slot / each * each;
  TALUS_ASSERT(slot < all, slot, all);
  std::vector<Grain> grains(std::min(each, all - first));
  TALUS_ASSERT(slot - first < grains.size(), slot, first, grains.size());
  std::vector<uint> ids(grains.size());
  memory_.executor().read(FieldId::grains, std::as_writable_bytes(std::span(grains)), first * sizeof(Grain));
  memory_.executor().read(FieldId::grain_id, std::as_writable_bytes(std::span(ids)), first * sizeof(uint));
  uint lowest = ids[slot - first];
  for (std::size_t k = 0; k < grains.size(); ++k) {
    const vec3 p(grains[k].position), v(grains[k].velocity);
    if (grains[k].position.w > 0.0f && !std::isfinite(glm::dot(v, v) + std::abs(p.x) + std::abs(p.y) + std::abs(p.z)))
      lowest = std::min(lowest, ids[k]);
  }
  return lowest;
}

void Batches::give_up(const Status& status) {
  const std::uint64_t bad_step = run_.step() + run_.steps_until(status);
  const auto bad = std::ranges::find_if(run_.worlds(), [](const World& w) { return w.invalid != ~0u; });
  TALUS_ASSERT(bad != run_.worlds().end());
  const auto world = static_cast<std::uint32_t>(bad - run_.worlds().begin());
  const std::string name =
      model_.name_of_grain(world, bad->invalid < body_partner ? first_invalid(bad->invalid) : bad->invalid);
  loads_.cut(snapshot_.step());
  snapshot_.restore(status);
  throw StateError(fmt::format(
      "{} has no finite position and velocity any more in step {} ({:.6g} s); the state is that of step {} again{}",
      name, bad_step, commands_.drives().time(bad_step), run_.step(),
      snapshot_.drops_commands() ? ", without what was commanded then" : ""));
}

}  // namespace talus
