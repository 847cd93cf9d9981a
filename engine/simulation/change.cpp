// Other settings for a simulation that goes on.
#include "engine/core/executor.h"
#include "engine/scene/bodies.h"
#include "engine/scene/hertz.h"
#include "engine/scene/limitations.h"
#include "engine/scene/text.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <span>
#include <sstream>

namespace talus {
namespace {

// The grains that an emitter releases from now on.
void take_emission(Emitter& to, const Emitter& from) {
  to.shape = from.shape;
  to.rate = from.rate;
  to.velocity = from.velocity;
  to.start = from.start;
  to.stop = from.stop;
  to.count = from.count;
}

// May an emitter come to a scene that runs? The cells of the grid and the Verlet skin suit the radii that there are.
bool may_come(const Scene& scene, const Emitter& emitter) {
  const RadiusRange radii = radii_of(scene);
  return !emitter.clump && emitter.radius_min >= radii.min && emitter.radius_max <= radii.max;
}

// May holes be cut into it while it runs? A dynamic body weighs by its parts, and particles on a skin are grains.
// Around bodies in ground of [soil] there are samples of its surface, as many as the bodies are large.
bool may_be_cut(const Scene& scene, const BodySpec& body) {
  return !scene.soil && !is_dynamic(body) && std::ranges::none_of(body.parts, is_boundary);
}

// Takes over the parts of another body that fills do not see (BodyPart::after_fill). With other parts of any other
// kind, the fills of the scene would have other grains.
void take_holes(BodySpec& to, const BodySpec& from) {
  std::erase_if(to.parts, [](const BodyPart& part) { return part.after_fill; });
  std::ranges::copy_if(from.parts, std::back_inserter(to.parts), &BodyPart::after_fill);
}

// The scene that runs, with all that may change as it is in another one.
Scene with_changes(Scene scene, const Scene& from) {
  scene.dt = from.dt;
  scene.solver = from.solver;
  scene.domain.gravity = from.domain.gravity;
  scene.domain.friction_static = from.domain.friction_static;
  scene.domain.friction_kinetic = from.domain.friction_kinetic;
  scene.domain.adhesion = from.domain.adhesion;
  scene.domain.rolling_friction = from.domain.rolling_friction;
  scene.domain.restitution = from.domain.restitution;
  for (std::size_t m = 0; m < std::min(scene.materials.size(), from.materials.size()); ++m) {
    std::string name = std::move(scene.materials[m].name);
    scene.materials[m] = from.materials[m];
    scene.materials[m].name = std::move(name);
  }
  for (std::size_t e = 0; e < std::min(scene.emitters.size(), from.emitters.size()); ++e)
    take_emission(scene.emitters[e], from.emitters[e]);
  for (std::size_t e = scene.emitters.size(); e < from.emitters.size() && may_come(scene, from.emitters[e]); ++e)
    scene.emitters.push_back(from.emitters[e]);
  for (std::size_t b = 0; b < std::min(scene.bodies.size(), from.bodies.size()); ++b)
    scene.bodies[b].load_filter = from.bodies[b].load_filter;
  for (std::size_t b = 0; b < std::min(scene.bodies.size(), from.bodies.size()); ++b)
    if (may_be_cut(scene, scene.bodies[b]) && from.bodies[b].parts.size() <= parts_most)
      take_holes(scene.bodies[b], from.bodies[b]);
  for (std::size_t c = 0; c < std::min(scene.cloths.size(), from.cloths.size()); ++c)
    scene.cloths[c].color = from.cloths[c].color;
  if (scene.upsampling && from.upsampling) {
    scene.upsampling->step = from.upsampling->step;
    scene.upsampling->friction = from.upsampling->friction;
  }
  return scene;
}

// The lines of a scene's text and the key of each: "table.key", and "table.0.key" of tables that there are several of.
struct Line {
  std::string key, text;
};
std::vector<Line> lines_of(const std::string& toml) {
  std::vector<Line> lines;
  std::map<std::string, int> tables;
  std::string table, key;
  std::istringstream in(toml);
  for (std::string text; std::getline(in, text); lines.push_back({key, text})) {
    const std::size_t equals = text.find(" = ");
    if (text.starts_with("[["))
      key = table = fmt::format("{}.{}", text.substr(2, text.size() - 4), tables[text]++);
    else if (text.starts_with("[") && text.ends_with("]"))
      key = table = text.substr(1, text.size() - 2);
    else if (text.starts_with("# "))
      key = text.substr(2, text.rfind(' ') - 2);  // a mesh
    else if (equals != std::string::npos && !text.starts_with(" "))
      key = table + "." + text.substr(0, equals);
  }
  return lines;
}

// Emitters are compared as text, since shapes have no comparison of their own.
bool same_emission(const Scene& a, const Scene& b) {
  const auto emitters_of = [](const Scene& scene) {
    Scene alone;
    for (const Material& material : scene.materials)
      alone.materials.push_back({.name = material.name});
    alone.emitters = scene.emitters;
    return to_toml(alone);
  };
  return a.dt == b.dt && a.domain.gravity == b.domain.gravity && emitters_of(a) == emitters_of(b);
}

// As text, since a mesh that was loaded again is the same mesh.
bool same_parts(const Scene& a, const Scene& b) {
  const auto parts_of = [](const Scene& scene) {
    Scene alone;
    for (const BodySpec& body : scene.bodies)
      alone.bodies.push_back({.name = body.name, .parts = body.parts});
    return physics_of(alone);
  };
  return std::ranges::equal(a.bodies, b.bodies, {}, &BodySpec::parts, &BodySpec::parts) || parts_of(a) == parts_of(b);
}

// Do all parts keep their numbers, by which contacts know them?
bool keeps_parts(const Scene& before, const Scene& now) {
  return std::ranges::equal(before.bodies, now.bodies, [](const BodySpec& a, const BodySpec& b) {
    return a.parts.size() <= b.parts.size() && std::ranges::equal(a.parts, std::span(b.parts).first(a.parts.size()));
  });
}

// The bodies of a scene in place of those with other parts.
Bodies reshaped(const Scene& scene, const Bodies& from) {
  std::vector<BodyMotion> motions;
  for (const Body& body : from.bodies)
    motions.push_back(body.motion);
  return bodies_of(scene, motions, *make_cpu_executor(0));  // as prepare(): the same on all devices
}

// Does the history of a contact mean the same to both?
bool same_history(const Solver& a, const Solver& b) {
  return a.method == b.method && a.contact_memory == b.contact_memory && a.stiffness == b.stiffness &&
         a.contact == b.contact && a.neighbours == b.neighbours && a.detection == b.detection &&
         a.rotation == b.rotation && saves_sums({a}) == saves_sums({b});
}

// Grains weigh what their material's density says. Vertices of cloth have weights of their own.
void weigh_grains(const Model& model, FieldMemory& memory, const GrainSlots& grains, const Scene& to) {
  GrainsRead state = grains.read();
  for (const std::uint32_t i : state.by_id)
    if (const uint material = state.tags[i] & tag_material_mask; !model.is_vertex(state.ids[i]))
      state.grains[i].velocity.w *=
          static_cast<float>(model.scene().materials[material].density / to.materials[material].density);
  write_field(memory.executor(), FieldId::grains, state.grains);
}

std::vector<float> contact_state(FieldMemory& memory) {
  return read_field<float>(memory.executor(), FieldId::contact_state, memory.executor().size(FieldId::contact_state));
}

// The states of contacts, laid out as the new settings have them, where the substep is so much longer than it was.
// Impulses, and what a spring of dem adds to a velocity, go with the time that a force acts; displacements go with its
// square.
std::vector<float> carried_over(const std::vector<float>& states, const ContactSettings& before,
                                const ContactSettings& now, Method method, double scale) {
  if (before.state_words == 0)
    return {};
  const std::size_t slices = states.size() / (before.state_words * slice_grains);
  std::vector<float> after(slices * now.state_words * slice_grains);
  const auto carry = [&](uint from, uint to, uint components, double factor) {
    if (from == state_none || to == state_none)
      return;
    for (std::size_t row = 0; row < slices; ++row)
      for (std::size_t k = 0; k < components * slice_grains; ++k)
        after[(row * now.state_words + to) * slice_grains + k] =
            static_cast<float>(factor) * states[(row * before.state_words + from) * slice_grains + k];
  };
  carry(before.sum, now.sum, 4, scale);
  const double shear = method == Method::dem ? scale : scale * scale;
  carry(before.shear, now.shear, 3, shear);
  carry(before.roll, now.roll, 3, shear);
  carry(before.roll_sum, now.roll_sum, 3, scale);
  return after;
}

}  // namespace

std::optional<std::string> needs_restart(const Scene& running, const Scene& changed) {
  const auto here = lines_of(physics_of(with_changes(running, changed))), there = lines_of(physics_of(changed));
  const auto [a, b] = std::ranges::mismatch(here, there, {}, &Line::text, &Line::text);
  if (a != here.end() || b != there.end())
    return here.size() > there.size() ? a->key : b->key;  // the longer one has what the other has not
  if (changed.solver.iteration == Iteration::gauss_seidel && running.solver.iteration != Iteration::gauss_seidel)
    return "solver.iteration";  // on the CPU only
  if (changed.solver.rotation != running.solver.rotation)
    return "solver.rotation";  // spins have no field without it
  return std::nullopt;
}

void Simulation::Impl::change(Scene to) {
  const Scene& scene = model.scene();
  if (const auto key = needs_restart(scene, to))
    throw SceneError(fmt::format("{}: {} cannot change while a simulation goes on: start it anew", to.source, *key));
  check_hertz(to);
  std::optional<std::string> why;
  if (to.solver.substeps == 0) {
    SubstepChoice choice = choose_substeps(to);
    to.solver.substeps = choice.substeps;
    why = std::move(choice.why);
  }
  if (physics_of(scene) == physics_of(to) && scene.solver == to.solver) {
    model.adopt_looks(std::move(to));
    memory.write_cameras();
    return;
  }
  const double zero = to.dt == scene.dt ? model.time_zero()
                                        : commands.drives().time(run.step()) - static_cast<double>(run.step()) * to.dt;
  auto [population, schedules] = emission_after(to, zero);
  const double scale = substep_of(to) / substep_of(scene);
  const bool same_surfaces = same_parts(scene, to) || keeps_parts(scene, to);
  const bool keeps_history = same_history(scene.solver, to.solver) && same_surfaces;
  const ContactSettings contacts = model.settings().contacts;
  const std::vector<float> states = keeps_history ? contact_state(memory) : std::vector<float>();
  weigh_grains(model, memory, grains, to);
  adopt(std::move(to), std::move(population), std::move(schedules), zero);
  if (keeps_history)
    write_field(memory.executor(), FieldId::contact_state,
                carried_over(states, contacts, model.settings().contacts, model.scene().solver.method, scale));
  else  // it means nothing to the new method, or to the parts that there are now
    memory.forget_contacts();
  if (scale != 1.0 || !same_surfaces)
    memory.forget_point_contacts();
  if (why)
    model.add_note(std::move(*why));
}

// The grains of the first world and the emission schedules of all, where the scene changes at this step.
std::pair<Population, std::vector<EmissionSchedule>> Simulation::Impl::emission_after(const Scene& to,
                                                                                      double zero) const {
  Population population = model.population();
  if (same_emission(model.scene(), to))
    return {std::move(population), emission.schedules()};
  if (model.own_slots())
    throw SceneError(
        fmt::format("{}: {}", to.source, say(limitation_of(Capability::worlds, Capability::change_emission))));
  std::vector<Seed> there;
  const GrainsRead state = grains.read();
  for (const std::uint32_t i : state.by_id)
    if (state.ids[i] >= population.initial.size())
      there.push_back({vec3(state.grains[i].position), state.grains[i].position.w, vec3(state.grains[i].velocity),
                       state.tags[i] & tag_material_mask});
  pour_anew(to, zero, run.step(), there, population);
  const auto schedule = std::make_shared<const std::vector<ScheduledGrain>>(population.scheduled);
  return {std::move(population), {schedule}};
}

// Goes on by the settings of a scene with these emission schedules. What may throw comes before anything is changed.
void Simulation::Impl::adopt(Scene to, Population population, std::vector<EmissionSchedule> schedules, double zero) {
  const Settings settings = model.settings_after(to, population);
  std::optional<Bodies> bodies;
  if (!same_parts(model.scene(), to))
    bodies = reshaped(to, model.bodies());
  Drives drives(to, zero);
  drives.set(commands.drives().courses());
  model.adopt(std::move(to), std::move(population), zero, settings);
  if (bodies)
    model.reshape(std::move(*bodies));
  commands.set_drives(std::move(drives));
  memory.specialize();
  memory.resize_all();
  memory.write_settings();
  emission.set_schedules(std::move(schedules));
  memory.write_changed();
  if (bodies)
    memory.write_parts();
  memory.write_cameras();
  memory.wake_grains();
  run.invalidate_all_lists();
}

}  // namespace talus
