#include "engine/simulation/planner.h"
#include "shaders/shared/cloth.h"

namespace talus {

StepPlan Planner::plan_of(std::uint64_t at) const {
  const Scene& scene = model_.scene();
  const Settings& settings = model_.settings();
  const Population& population = model_.population();
  StepPlan plan{};
  plan.grains = grains_.slots_at(at);
  plan.incremental = settings.grid.incremental != 0;
  plan.emitters = emission_.emits_in(at) ? static_cast<std::uint32_t>(scene.emitters.size()) : 0;
  plan.solver = scene.solver;
  plan.h = static_cast<float>(substep_of(scene));
  plan.worlds = settings.worlds.count;
  plan.bodies = settings.worlds.count * settings.bodies.count;
  plan.sinks = settings.emission.sinks;
  plan.shapes = settings.worlds.count * settings.shapes.count;
  plan.clumps = settings.clumps.kinds > 0;
  plan.sleeps = settings.sleep.window > 0;
  plan.soil = scene.soil.has_value() && settings.contacts.memory != 0;
  plan.cloth = settings.worlds.count == 1 ? settings.cloth.vertices
                                          : settings.worlds.count * cloth_threads(settings.cloth.vertices);
  plan.fine = grains_.fine_slots_at(at);
  plan.fine_emitted = has_fine(population) && population.fine_first.back() > 0;
  plan.crowding = settings.fine.plain_advection == 0;
  plan.carried = settings.bodies.carried;
  plan.rigid = settings.bodies.rigid;
  plan.linkages = settings.worlds.count * settings.bodies.linkages;
  plan.body_points = settings.bodies.points;
  plan.ground_places = model_.ground_places();
  const Hand& hand = commands_.hand();
  const bool moves = at == hand.step;
  plan.held = static_cast<std::uint32_t>(hand.held.size());
  plan.hand = vec3(moves ? hand.from : hand.to);
  plan.hand_velocity = moves ? vec3((hand.to - hand.from) / scene.dt) : vec3(0.0f);
  plan.batch = static_cast<std::uint32_t>(run_.step());
  return plan;
}

}  // namespace talus
