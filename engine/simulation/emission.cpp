#include "engine/simulation/emission.h"
#include "engine/base/assert.h"
#include "engine/scene/clump.h"
#include <algorithm>

namespace talus {

Emission::Emission(const Model& model, FieldMemory& memory, const RunState& run, const Drives& drives)
    : model_(model), memory_(memory), run_(run), drives_(drives),
      schedules_(model.worlds(), std::make_shared<const std::vector<ScheduledGrain>>()), due_(model.worlds()) {}

std::uint32_t Emission::emitted_until(std::uint64_t at, std::uint32_t world) const {
  TALUS_ASSERT(world < schedules_.size(), world, schedules_.size());
  const std::vector<ScheduledGrain>& emitted = *schedules_[world];
  const auto after = std::ranges::upper_bound(emitted, drives_.local(at, world), {}, &ScheduledGrain::step);
  return static_cast<std::uint32_t>(after - emitted.begin());
}

bool Emission::emits_in(std::uint64_t at) const {
  const Scene& scene = model_.scene();
  for (std::uint32_t w = 0; w < scene.worlds; ++w)
    if (run_.worlds()[w].population.born < schedules_[w]->size())
      for (const Emitter& emitter : scene.emitters)
        if (!stopped(emitter, drives_.local(at + 1, w), scene.dt, model_.time_zero()))
          return true;
  return false;
}

std::vector<EmitterCounts> Emission::counts() const {
  const Scene& scene = model_.scene();
  const std::size_t emitters = scene.emitters.size();
  const auto made = read_field<uint>(memory_.executor(), FieldId::emitted_count, scene.worlds * emitters);
  TALUS_ASSERT(made.size() == due_.size() * emitters, made.size(), emitters);
  std::vector<EmitterCounts> counts;
  for (std::size_t k = 0; k < made.size(); ++k) {
    const auto world = static_cast<std::uint32_t>(k / emitters);
    const std::uint64_t now = drives_.local(run_.step(), world);
    const std::vector<std::uint64_t>& steps = due_[world][k % emitters];
    const auto due = static_cast<std::uint32_t>(std::ranges::upper_bound(steps, now) - steps.begin());
    TALUS_ASSERT(made[k] <= due, made[k], due, k, now);  // no grain is released before it is due
    const Emitter& emitter = scene.emitters[k % emitters];
    const std::uint32_t spheres = spheres_of(emitter.clump), rest = (due - made[k]) / spheres;
    TALUS_ASSERT(made[k] % spheres == 0 && due % spheres == 0, made[k], due, spheres);
    const bool over = stopped(emitter, now + 1, scene.dt, model_.time_zero());
    counts.push_back({made[k] / spheres, over ? 0 : rest, over ? rest : 0});
  }
  return counts;
}

void Emission::set_schedule(std::uint32_t world, const EmissionSchedule& schedule) {
  TALUS_ASSERT(world < schedules_.size(), world, schedules_.size());
  TALUS_ASSERT(schedule != nullptr);
  schedules_[world] = schedule;
  write(world);
}

void Emission::set_schedules(std::vector<EmissionSchedule> schedules) {
  TALUS_ASSERT(schedules.size() == model_.worlds(), schedules.size(), model_.worlds());
  schedules_ = std::move(schedules);
  for (std::uint32_t w = 0; w < model_.worlds(); ++w)
    write(w);
}

void Emission::write(std::uint32_t world) {
  const Scene& scene = model_.scene();
  due_[world].assign(scene.emitters.size(), {});
  std::vector<std::vector<EmittedGrain>> of_emitters(scene.emitters.size());
  const std::vector<ClumpKind> kinds = clump_kinds_of(scene);
  uint id = model_.settings().emission.first;
  TALUS_ASSERT(std::ranges::is_sorted(*schedules_[world], {}, &ScheduledGrain::step), world);
  for (const ScheduledGrain& timed : *schedules_[world]) {
    TALUS_ASSERT(timed.emitter < scene.emitters.size(), timed.emitter, scene.emitters.size());
    TALUS_ASSERT(timed.seed.material < scene.materials.size(), timed.seed.material, scene.materials.size());
    due_[world][timed.emitter].push_back(timed.step);
    std::vector<EmittedGrain>& of_one = of_emitters[timed.emitter];
    const uint tag = timed.seed.material | timed.seed.clump, sphere = tag >> tag_sphere_shift & tag_sphere_mask;
    EmittedGrain grain{grain_of(scene, timed.seed), id++, tag, 0, ease_of(scene, timed.seed)};
    if (sphere == 1) {
      const ClumpMotion clump = clump_motion_of(kinds[tag >> tag_kind_shift], timed.seed);
      grain.turned = clump.rotation;
      grain.center = clump.position;
    } else if (sphere > 1) {
      grain.turned = of_one.back().turned;
      grain.center = of_one.back().center;
    }
    of_one.push_back(grain);
  }
  std::vector<EmittedGrain> emitted;
  for (const std::vector<EmittedGrain>& of_one : of_emitters)
    emitted.insert(emitted.end(), of_one.begin(), of_one.end());
  TALUS_ASSERT(emitted.size() == schedules_[world]->size(), emitted.size(), schedules_[world]->size());
  memory_.write_share(world, FieldId::emitted, emitted);
}

// An emitter does not go on after its stop, whether grains wait for room or not.
EmissionDue Emission::due_in(std::uint64_t at, std::uint32_t world, std::uint32_t emitter) const {
  const Scene& scene = model_.scene();
  TALUS_ASSERT(world < due_.size() && emitter < due_[world].size(), world, emitter);
  const std::uint64_t now = drives_.local(at + 1, world);
  if (stopped(scene.emitters[emitter], now, scene.dt, model_.time_zero()))
    return {};
  const auto& sites = model_.population().sites;
  std::size_t base = world * model_.emission_room(model_.settings()), first_site = 0;
  for (std::uint32_t e = 0; e < emitter; ++e) {
    base += due_[world][e].size();
    first_site += sites[e].size();
  }
  const std::vector<std::uint64_t>& steps = due_[world][emitter];
  const auto first = std::ranges::lower_bound(steps, now), end = std::ranges::upper_bound(steps, now);
  TALUS_ASSERT(base + steps.size() <= memory_.executor().size(FieldId::emitted), base, steps.size());
  const auto number = [&](auto it) { return static_cast<uint>(base + static_cast<std::size_t>(it - steps.begin())); };
  const uint spheres = spheres_of(scene.emitters[emitter].clump);
  return {static_cast<uint>(base),
          number(first),
          number(end),
          static_cast<uint>(now),
          spheres * emissions_tried(scene.emitters[emitter], scene.dt),
          spheres,
          static_cast<uint>(first_site),
          static_cast<uint>(sites[emitter].size())};
}

void Emission::write_plan(std::uint64_t steps) {
  const std::size_t emitters = model_.scene().emitters.size();
  if (emitters == 0)
    return;
  std::vector<EmissionDue> table;
  for (std::uint64_t at = run_.step(); at < run_.step() + steps; ++at)
    for (std::uint32_t w = 0; w < model_.worlds(); ++w)
      for (std::uint32_t e = 0; e < emitters; ++e)
        table.push_back(due_in(at, w, e));
  TALUS_ASSERT(table.size() <= memory_.executor().size(FieldId::emissions_due), table.size(), steps);
  write_field(memory_.executor(), FieldId::emissions_due, table);
}

}  // namespace talus
