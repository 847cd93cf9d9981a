// Other settings for a simulation that goes on.
#include "engine/depth_cameras.h"
#include "engine/scene/text.h"
#include "engine/simulation/impl.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace talus {
namespace {

// What pours out of an emitter from now on.
void take_pouring(Emitter& to, const Emitter& from) {
  to.rate = from.rate;
  to.velocity = from.velocity;
  to.start = from.start;
  to.stop = from.stop;
  to.count = from.count;
}

// The scene that runs, with all that may change as it is in another one.
Scene with_changes(Scene scene, const Scene& from) {
  scene.dt = from.dt;
  scene.solver = from.solver;
  scene.domain.gravity = from.domain.gravity;
  scene.domain.friction_static = from.domain.friction_static;
  scene.domain.friction_kinetic = from.domain.friction_kinetic;
  scene.domain.adhesion = from.domain.adhesion;
  for (std::size_t m = 0; m < std::min(scene.materials.size(), from.materials.size()); ++m) {
    std::string name = std::move(scene.materials[m].name);
    scene.materials[m] = from.materials[m];
    scene.materials[m].name = std::move(name);
  }
  for (std::size_t e = 0; e < std::min(scene.emitters.size(), from.emitters.size()); ++e)
    take_pouring(scene.emitters[e], from.emitters[e]);
  for (std::size_t b = 0; b < std::min(scene.bodies.size(), from.bodies.size()); ++b)
    scene.bodies[b].load_filter = from.bodies[b].load_filter;
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

bool same_pouring(const Scene& a, const Scene& b) {
  return a.dt == b.dt && a.domain.gravity == b.domain.gravity &&
         std::ranges::equal(a.emitters, b.emitters, [](const Emitter& p, const Emitter& q) {
           return p.rate == q.rate && p.velocity == q.velocity && p.start == q.start && p.stop == q.stop &&
                  p.count == q.count;
         });
}

// Does what contacts remember mean the same to both?
bool same_memory(const Solver& a, const Solver& b) {
  return a.method == b.method && a.contact_memory == b.contact_memory && a.stiffness == b.stiffness &&
         a.neighbours == b.neighbours && a.detection == b.detection && stashes_sums({a}) == stashes_sums({b});
}

}  // namespace

std::optional<std::string> needs_restart(const Scene& running, const Scene& changed) {
  const auto here = lines_of(physics_of(with_changes(running, changed))), there = lines_of(physics_of(changed));
  const auto [a, b] = std::ranges::mismatch(here, there, {}, &Line::text, &Line::text);
  if (a != here.end() || b != there.end())
    return here.size() > there.size() ? a->key : b->key;  // the longer one has what the other has not
  if (changed.solver.iteration == Iteration::gauss_seidel && running.solver.iteration != Iteration::gauss_seidel)
    return "solver.iteration";  // on the CPU only
  return std::nullopt;
}

void Simulation::Impl::change(Scene to) {
  if (const auto key = needs_restart(scene, to))
    throw SceneError(fmt::format("{}: {} cannot change while a simulation goes on: start it anew", to.source, *key));
  std::optional<std::string> why;
  if (to.solver.substeps == 0) {
    SubstepChoice choice = choose_substeps(to);
    to.solver.substeps = choice.substeps;
    why = std::move(choice.why);
  }
  if (physics_of(scene) == physics_of(to) && scene.solver == to.solver) {
    scene = std::move(to);
    set_depth_cameras();
    return;
  }
  const double zero = to.dt == scene.dt ? time_zero : drive.time(step) - static_cast<double>(step) * to.dt;
  Population pours_anew = population;
  std::vector<Pours> poured = pours;
  if (!same_pouring(scene, to) && !scene.emitters.empty()) {
    if (own_places())
      throw SceneError(fmt::format("{}: emitters, gravity and time.dt cannot change while several worlds, or one with "
                                   "shelves, go on with emitters: start them anew",
                                   to.source));
    std::vector<Seed> there;
    const State state = read_state();
    for (const std::uint32_t i : state.by_id)
      if (state.ids[i] >= initial)
        there.push_back({vec3(state.grains[i].position), state.grains[i].position.w, vec3(state.grains[i].velocity),
                         state.tags[i] & tag_material_mask});
    pour_anew(to, zero, step, there, pours_anew);
    poured = {std::make_shared<const std::vector<TimedSeed>>(pours_anew.poured)};
  }
  const Solver before = scene.solver;
  const double scale = substep_of(to) / substep_of(scene);
  weigh_grains(to);
  set_course(std::move(to), std::move(pours_anew), std::move(poured), zero);
  keep_memory(before, scale);
  if (why)
    notes.push_back(std::move(*why));
}

// The settings of a scene, and who is born when.
void Simulation::Impl::set_course(Scene to, Population there, std::vector<Pours> poured, double zero) {
  Settings next = settings_of(to, there, dynamics, options.grid_cells);
  next.cloth_words = settings.cloth_words;
  next.places = settings.places;
  next.rows = settings.rows;
  next.stash = settings.stash;
  next.carried_first = settings.carried_first;
  next.cloth_first = settings.cloth_first;
  next.shaped_first = settings.shaped_first;
  next.births_first = own_places() ? settings.births_first : next.births_first;
  next.options &= own_places() ? ~option_mend : ~0u;  // as set_places() has it
  Drives other(to, zero);
  other.set(drive.courses());
  scene = std::move(to);
  population = std::move(there);
  pours = std::move(poured);
  time_zero = zero;
  settings = next;
  drive = std::move(other);
  warnings = warnings_of(scene, population);
  size_fields();
  write_settings();
  auto now = read_field<Body>(*executor, FieldId::bodies, scene.worlds * scene.bodies.size());
  for (std::size_t b = 0; b < now.size(); ++b)
    now[b].load_share = load_share_of(spec_of(static_cast<std::uint32_t>(b)).load_filter, scene.dt);
  write_field(*executor, FieldId::bodies, now);
  write_field(*executor, FieldId::shapes, shapes_of(scene, population).shapes);
  set_depth_cameras();
  known = read_status();
  known.fine_drift = lists_void;
  write_status(known);
  for (World& world : known_worlds)
    world.travel = lists_void;
  write_field(*executor, FieldId::worlds, known_worlds);
}

// Grains weigh what their material's density says. Cloth has its own.
void Simulation::Impl::weigh_grains(const Scene& to) {
  State state = read_state();
  for (const std::uint32_t i : state.by_id)
    if (const uint material = state.tags[i] & tag_material_mask; !is_vertex(state.ids[i]))
      state.grains[i].velocity.w *=
          static_cast<float>(scene.materials[material].density / to.materials[material].density);
  write_field(*executor, FieldId::grains, state.grains);
}

// What contacts remember, where the substep is so much longer than it was: impulses and what a dem spring adds to a
// velocity go with the time that a force acts, displacements with its square. What means nothing to the new method is
// forgotten.
void Simulation::Impl::keep_memory(const Solver& before, double scale) {
  if (!same_memory(before, scene.solver)) {
    write_field(*executor, FieldId::contact_count, std::vector<uint>(executor->size(FieldId::contact_count), 0u));
    return forget_point_contacts();
  }
  if (scale == 1.0)
    return;
  const auto times = [&](FieldId id, double factor) {
    auto data = read_field<float>(*executor, id, executor->size(id));
    for (float& value : data)
      value *= static_cast<float>(factor);
    write_field(*executor, id, data);
  };
  times(FieldId::contact_sum, scale);
  times(FieldId::contact_shear, scene.solver.method == Method::dem ? scale : scale * scale);
  forget_point_contacts();
}

}  // namespace talus
