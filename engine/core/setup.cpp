#include "engine/core/setup.h"
#include "engine/core/compare.h"
#include "engine/core/fields.h"
#include "engine/core/mesh_shapes.h"
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/clump.h"
#include "engine/scene/free_ends.h"
#include "engine/scene/ground.h"
#include "engine/scene/hertz.h"
#include "engine/scene/limitations.h"
#include "engine/scene/restitution.h"
#include "engine/scene/sampling.h"
#include "shaders/shared/cloth.h"
#include "shaders/shared/grid.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numbers>
#include <span>

namespace talus {
namespace {

// Bits of a table that has `length` [m] of cells along an axis.
uint bits_along(float length, float cell, uint least) {
  const float cells = std::clamp(std::ceil(length / cell) + 1.0f, static_cast<float>(1u << least), 1048576.0f);
  return static_cast<uint>(std::bit_width(static_cast<uint>(cells) - 1u));
}

// Bits per axis of a table of cells: enough for the domain, at most 2^most cells. Where the table is smaller than the
// domain it repeats after 2^least cells or more, except along periodic axes, whose cells must all differ: first along
// z, down to `height` [m], then along the longest axis.
uvec3 table_bits_for(const Settings& s, float cell, uint most, uint least = 2, float height = 1e30f) {
  uvec3 bits;
  for (int a = 0; a < 3; ++a)
    bits[a] = bits_along(s.domain.max[a] - s.domain.min[a], cell, least);
  const uint high = s.domain.axis[2] == axis_periodic ? bits.z : bits_along(height, cell, least);
  while (bits.x + bits.y + bits.z > most) {
    int next = bits.z > high ? 2 : -1;
    for (int a = 0; a < 3 && bits.z <= high; ++a)
      if (s.domain.axis[a] != axis_periodic && bits[a] > least && (next < 0 || bits[a] > bits[next]))
        next = a;
    if (next < 0)
      break;
    bits[next] -= 1;
  }
  if (bits.x + bits.y + bits.z > 28)
    throw SceneError("the domain's periodic axes are too long for grains this small: more than 2^28 cells");
  return bits;
}

// What grains take along z [m] at the start, from where they fall. Those that lie far apart along x or y then seldom
// share a cell, which would bring them into one slice. Endless where grains come in later.
float height_of_fills(const Scene& scene) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  double low = endless, high = scene.emitters.empty() ? -endless : endless;
  const auto include = [&](const GrainGroup& group) {
    const Bounds box = bounds(group.shape);
    low = std::min(low, box.min.z - group.radius_max);
    high = std::max(high, box.max.z + group.radius_max);
  };
  std::ranges::for_each(scene.grains, include);
  std::ranges::for_each(scene.shapes, include, &ShapeSpec::grains);
  if (scene.soil) {
    low = std::min(low, scene.domain.min.z);
    high = std::max(high, scene.domain.min.z + Ground(*scene.soil, scene.domain.min.z).top() + scene.soil->radius_max);
  }
  return low < high ? static_cast<float>(high - low) : 1e30f;
}

// Members of contact_state one after another: as its field declares them, those that the solver needs.
void lay_out(ContactSettings& contacts, const Wants& wants) {
  const auto& members = info(FieldId::contact_state).members;
  contacts.state_words = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    const bool there = members[m].condition(wants);
    contacts.*state_members[m] = there ? contacts.state_words : state_none;
    contacts.state_words += there ? members[m].components : 0;
  }
  // In this order they follow one another.
  contacts.kept_first = contacts.impulses ? contacts.sum : contacts.memory ? contacts.shear : 0;
  contacts.kept_words = (contacts.impulses ? 4 : 0) + (contacts.memory ? 3 : 0) + (remembers_rolling(wants) ? 3 : 0) +
                        (contacts.impulses && sums_rolling(wants) ? 3 : 0);
}

void set_solver(Settings& settings, const Solver& s, bool rolls) {
  const Wants wants{.solver = s, .rolls = rolls, .restitution = settings.contacts.restitution != 0};
  settings.contacts.memory = remembers(wants);
  settings.contacts.impulses = saves_sums(wants);
  lay_out(settings.contacts, wants);
  settings.solver.rotation = !rotates(wants) ? rotation_off : rolls ? rotation_rolling : rotation_free;
  settings.grid.rebuild_always = s.detection != Detection::lists;
  settings.grid.incremental =
      !settings.grid.rebuild_always && s.incremental_rebuild && s.neighbours == Neighbours::sorted;
  settings.bodies.total_push = s.method == Method::vts || s.method == Method::sp;
  SolverSettings& to = settings.solver;
  to.iteration = static_cast<uint>(s.iteration);
  to.force = s.method == Method::dem   ? force_spring
             : s.method == Method::p2  ? force_correction
             : s.method == Method::pbd ? force_displacement
                                       : force_impulse;
  to.friction = s.friction == FrictionBound::per_iteration ? friction_per_iteration
                : s.friction == FrictionBound::afterwards  ? friction_after
                                                           : friction_accumulated;
  to.plain_mean = s.averaging == Averaging::plain;
  to.material_stiffness = s.stiffness == Stiffness::material;
  to.hertz = has_hertz(s);
  to.error_reduction = static_cast<float>(s.error_reduction);
  to.sleep_speed = static_cast<float>(s.sleep_speed);
  to.mass_scaling = static_cast<float>(s.mass_scaling);
  to.sor = static_cast<float>(s.sor);
  to.omega = static_cast<float>(s.omega);
  to.gamma = static_cast<float>(s.gamma);
  to.kv = static_cast<float>(s.kv);
  to.kc = static_cast<float>(s.kc);
  to.warm_start = static_cast<float>(s.warm_start);
}

// By the smallest radius that the scene allows, so that worlds whose grains differ sleep alike.
SleepSettings sleep_of(const Scene& scene) {
  if (!grains_sleep(scene))
    return {};
  const double radius = radii_of(scene).min, g = glm::length(scene.domain.gravity), time = std::sqrt(radius / g),
               speed = std::sqrt(g * radius), h = substep_of(scene);
  constexpr double window_least = 4.0;  // substeps
  const double window = std::max(std::round(sleep_window * time / h), window_least);
  SleepSettings sleep{};
  sleep.window = static_cast<uint>(std::min(window, 1e6));
  sleep.way = static_cast<float>(sleep_speed * speed * h);
  sleep.spin = static_cast<float>(sleep_spin * speed);
  sleep.wake = static_cast<float>(sleep_wake * speed);
  sleep.leak = static_cast<float>(std::min(h / (sleep_leak * time), 1.0));
  sleep.imbalance = static_cast<float>(sleep_imbalance * g * h);
  sleep.drag = static_cast<float>(sleep_drag * g * h);
  sleep.slow = static_cast<float>(sleep_slow * speed);
  return sleep;
}

// The geometric mean, or that of the one that has it: it stands for the shape of grains, which counts on any surface.
double rolling_friction_of(const Material& a, const Material& b) {
  if (a.rolling_friction && b.rolling_friction)
    return std::sqrt(*a.rolling_friction * *b.rolling_friction);
  return a.rolling_friction.value_or(b.rolling_friction.value_or(0.0));
}

// Two springs (dampers) of twice the value in a row.
double in_series(double a, double b) {
  if (a < 0.0 || b < 0.0)
    return -1.0;  // one is not given
  return a + b > 0.0 ? 2.0 * a * b / (a + b) : 0.0;
}

// Numbers of 63 bits must hold what all grains together can do to a body in a step, and resolve what a single one does.
// Twice the momentum that they have a thousand times faster than they should ever be leaves 2^-40 of their weight and
// less as the quantum.
void set_load_quanta(Settings& settings, const Scene& scene, const Population& population, const Dynamics& dynamics) {
  double mass = dynamics.mass, fastest = settings.emission.speed;
  const auto add = [&](const Seed& seed) {
    if (!seed.fixed)
      mass += 1.0 / static_cast<double>(grain_of(scene, seed).velocity.w);
  };
  for (const Seed& seed : population.initial) {
    add(seed);
    fastest = std::max(fastest, static_cast<double>(glm::length(seed.velocity)));
  }
  for (const ScheduledGrain& timed : population.scheduled)
    add(timed.seed);
  if (scene.soil) {
    double density = 0.0;
    for (const std::uint32_t m : scene.soil->materials())
      density = std::max(density, scene.materials[m].density);
    mass += density * (scene.soil->max.x - scene.soil->min.x) * (scene.soil->max.y - scene.soil->min.y) *
            Ground(*scene.soil, scene.domain.min.z).top();
  }
  const double speed =
      fastest + settings.grid.radius_max / substep_of(scene) + scene.dt * glm::length(scene.domain.gravity);
  // In wide steps: worlds whose grains differ a little have the same one.
  const int finest = std::ilogb(1e3 * std::max(mass, 1e-30) * speed) + 2 - 62;
  const int impulse = static_cast<int>(std::ceil(finest / 4.0)) * 4;
  const int moment = impulse + std::ilogb(glm::length(scene.domain.max - scene.domain.min)) + 1;
  settings.bodies.load_quantum = vec2(std::ldexp(1.0f, impulse), std::ldexp(1.0f, moment));
  settings.bodies.quanta = vec2(std::ldexp(1.0f, -impulse), std::ldexp(1.0f, -moment));
}

// Number of cells of about `edge` on a periodic axis, 0 elsewhere, and what their edges become.
void fit_cells(const Settings& s, float edge, ivec3& cells, vec3& edges) {
  for (int a = 0; a < 3; ++a) {
    const float length = s.domain.max[a] - s.domain.min[a];
    cells[a] = s.domain.axis[a] == axis_periodic ? static_cast<int>(length / edge) : 0;
    edges[a] = cells[a] > 0 ? length / static_cast<float>(cells[a]) : edge;
  }
}

void set_fine(Settings& settings, const Scene& scene, const Population& population) {
  settings.emission.first = settings.emission.place = static_cast<uint>(population.initial.size());
  if (!scene.upsampling)
    return;
  const Upsampling& u = *scene.upsampling;
  float smallest = settings.grid.radius_max, largest = 0.0f;
  const auto look_at = [&](float radius) {
    smallest = std::min(smallest, radius);
    largest = std::max(largest, radius);
  };
  for (const Seed& seed : std::span(population.initial).first(settings.shapes.first))
    if (!seed.fixed)
      look_at(seed.radius);
  for (const ScheduledGrain& timed : population.scheduled)
    look_at(timed.seed.radius);
  const double mean_cube =
      (u.radius_min * u.radius_min + u.radius_max * u.radius_max) * (u.radius_min + u.radius_max) / 4.0;
  settings.fine.plain_advection = u.advection == Advection::plain;
  settings.fine.first = static_cast<uint>(population.fine.size());
  settings.fine.seed = static_cast<uint>(scene.seed ^ scene.seed >> 32);
  settings.fine.radii = vec2(u.radius_min, u.radius_max);
  settings.fine.volume = static_cast<float>(1.0 / mean_cube);
  settings.fine.step = static_cast<float>(fine_step(scene));
  settings.fine.travel = fine_travel_most * smallest;
  settings.fine.friction = static_cast<float>(u.friction);
  settings.near_grid.radius = settings.grid.radius_max;
  settings.density_grid.radius = largest;
  const std::size_t grains = population.initial.size() + population.scheduled.size(),
                    fine = population.fine.size() + population.fine_first.back();
  const auto bits_for = [](std::size_t entries) { return static_cast<uint>(std::bit_width(entries)); };
  vec3 edges;
  fit_cells(settings, near_edge * settings.near_grid.radius, settings.near_grid.cells, edges);
  settings.near_grid.inverse = 1.0f / edges;
  settings.near_grid.bits =
      table_bits_for(settings, near_edge * settings.near_grid.radius, std::max(12u, bits_for(8 * grains)), 3);
  const float node_edge = std::max(density_edge * largest, density_grains * static_cast<float>(std::cbrt(mean_cube)));
  fit_cells(settings, node_edge, settings.density_grid.nodes, settings.density_grid.edges);
  settings.density_grid.inverse = 1.0f / settings.density_grid.edges;
  // An edge on from the nodes around it (room).
  const float edge = settings.density_grid.edges.x;
  settings.fine.sight =
      1.01f * std::max(glm::length(settings.density_grid.edges) + edge + settings.fine.radii.y, density_sight * edge);
  // A block for four fine grains at most, and 64 MiB of them: devices may bind no more than 128 MiB.
  settings.density_grid.bits = table_bits_for(settings, 4.0f * node_edge, std::clamp(bits_for(fine / 4), 9u, 18u));
  settings.density_grid.sum = static_cast<float>(density_local * packing_coarse / u.packing);
  const vec3 e = settings.density_grid.edges;
  settings.density_grid.full =
      static_cast<float>(density_unit * u.packing / (4.0 / 3.0 * std::numbers::pi * mean_cube)) * (e.x * e.y * e.z);
}

// How residuals of distances are made up follows what the method takes into account: p2, pbd and dem positions alone,
// vts velocities and a share of the error where the substep starts.
void set_cloth(Settings& settings, const Scene& scene, const Population& population) {
  const Solver& solver = scene.solver;
  const bool vts = solver.method == Method::vts, sp = solver.method == Method::sp;
  if (settings.cloth.vertices > 0 && compare::without_lists(solver))
    throw SceneError(
        fmt::format("{}: {}", scene.source, say(limitation_of(Capability::cloth, Capability::without_lists))));
  if (settings.cloth.vertices > 0)
    settings.grid.incremental = 0;  // its triangles lie in cells of their own
  settings.cloth.kv = vts ? 1.0f : sp ? settings.solver.kv : 0.0f;
  settings.cloth.kc = vts ? settings.solver.gamma : sp ? settings.solver.kc : 1.0f;
  settings.cloth.moves = vts ? 0 : 1;
  for (const ClothPlace& place : population.cloths) {
    settings.cloth.triangles += static_cast<uint>(place.sheet.triangles.size());
    settings.cloth.radius =
        std::max(settings.cloth.radius, static_cast<float>(scene.cloths[place.cloth].thickness / 2.0));
  }
  // Some four cells a triangle, as a sheet fills few of those of a cube.
  const uint bits = std::clamp(static_cast<uint>(std::bit_width(4 * settings.cloth.triangles)), 6u, 20u);
  settings.cloth.bits = {(bits + 2) / 3, (bits + 1) / 3, bits / 3};
}

// How far away the surface of a body is, at least, where not all of its parts tell a distance.
float far_of(std::span<const SolidPart> parts) {
  float far = 1e30f;
  for (const SolidPart& part : parts)
    if (const uint kind = part.kind & solid_kind_mask; kind == solid_grid || kind == solid_triangles)
      far = std::min(far, part.far);
  return far;
}

}  // namespace

bool has_fine(const Population& population) {
  return !population.fine.empty() || (!population.fine_first.empty() && population.fine_first.back() > 0);
}

FineGrains fine_grains_of(const Population& population) {
  FineGrains out;
  out.tags.reserve(population.fine.size());
  out.grains.reserve(population.fine.size());
  for (const Seed& seed : population.fine) {
    out.tags.push_back(seed.material | static_cast<uint>(out.tags.size()) << fine_tag_shift);
    out.grains.push_back({vec4(seed.position, seed.radius), vec4(seed.velocity, 0.0f)});
  }
  return out;
}

float longest_side(const Population& population) {
  double side = 0.0;
  for (const ClothPlace& place : population.cloths)
    side = std::max(side, sides_of(place.sheet).max);
  return static_cast<float>(side);
}

// A low-pass of first order.
float load_share_of(double time_constant, double dt) {
  return time_constant > 0.0 ? static_cast<float>(-std::expm1(-dt / time_constant)) : 1.0f;
}

double substep_of(const Scene& scene) {
  return scene.dt / scene.solver.substeps;
}

bool resists_rolling(const Scene& scene) {
  return scene.domain.rolling_friction.value_or(0.0) > 0.0 ||
         std::ranges::any_of(scene.materials, [](const Material& m) { return m.rolling_friction.value_or(0.0) > 0.0; });
}

float ease_of(const Scene& scene, const Seed& seed) {
  constexpr double sphere_ease = 2.5;  // of a sphere of a clump, whose inertia is that of the clump
  return seed.fixed       ? 0.0f
         : seed.clump > 0 ? static_cast<float>(sphere_ease)
                          : static_cast<float>(1.0 / scene.materials[seed.material].inertia);
}

vec4 spin_of(const Scene& scene, const Seed& seed) {
  return vec4(seed.radius * seed.spin, ease_of(scene, seed));
}

Grain grain_of(const Scene& scene, const Seed& seed) {
  const double r = seed.radius;
  const double mass = seed.mass > 0.0f
                          ? static_cast<double>(seed.mass)
                          : scene.materials[seed.material].density * 4.0 / 3.0 * std::numbers::pi * r * r * r;
  return {vec4(seed.position, seed.radius), vec4(seed.velocity, seed.fixed ? 0.0f : static_cast<float>(1.0 / mass))};
}

bool grains_sleep(const Scene& scene) {
  const Solver& s = scene.solver;
  return s.sleep && s.method == Method::dem && s.detection == Detection::lists &&
         glm::length(scene.domain.gravity) > 0.0 && scene.cloths.empty() && scene.shapes.empty() &&
         !has_clumps(scene) && radii_of(scene).min > 0.0;
}

Settings settings_of(const Scene& scene, const Population& population, const Dynamics& dynamics,
                     std::uint32_t grid_cells) {
  Settings settings{};
  const Domain& domain = scene.domain;
  settings.domain.min = vec3(domain.min);
  settings.domain.max = vec3(domain.max);
  for (int a = 0; a < 3; ++a)
    settings.domain.axis[a] = static_cast<uint>(domain.axis[static_cast<std::size_t>(a)]);
  settings.domain.gravity = vec3(domain.gravity);
  const double weight = glm::length(domain.gravity);
  settings.domain.down = vec3(weight > 0.0 ? domain.gravity / weight : glm::dvec3(0.0));
  const Solver& solver = scene.solver;
  // The damping of Hertz's contact gives it within whole substeps.
  settings.contacts.restitution = has_restitution(solver.method) && !has_hertz(solver) && gives_restitution(scene);
  set_solver(settings, solver, resists_rolling(scene));
  settings.contacts.materials = static_cast<uint>(scene.materials.size());
  settings.worlds.count = scene.worlds;
  settings.worlds.places = no_grain;  // as long as there is one world
  settings.bodies.count = static_cast<uint>(scene.bodies.size());
  settings.bodies.rigid = dynamics.count;
  settings.bodies.linkages = static_cast<uint>(dynamics.linkages.linkages.size());
  settings.bodies.joints = static_cast<uint>(dynamics.linkages.joints.size());
  settings.bodies.joint_rows = static_cast<uint>(dynamics.linkages.places.size());
  settings.bodies.joint_words = dynamics.linkages.words;
  settings.bodies.points = scene.worlds * static_cast<uint>(dynamics.points.size());
  settings.emission.sinks = static_cast<uint>(scene.sinks.size());
  settings.emission.emitters = static_cast<uint>(scene.emitters.size());
  settings.shapes.count = static_cast<uint>(scene.shapes.size());
  settings.shapes.particles = static_cast<uint>(population.shaped.size());
  settings.clumps.kinds = static_cast<uint>(clump_kinds_of(scene).size());
  if (settings.clumps.kinds > 0)
    if (const auto refused = clumps_refused_by(solver))
      throw SceneError(fmt::format("{}: {}", scene.source, say(limitation_of(Capability::clumps, *refused))));
  settings.cloth.vertices = population.cloth_vertices;
  settings.cloth.first =
      static_cast<uint>(population.initial.size() - population.boundary.size()) - settings.cloth.vertices;
  settings.shapes.first = settings.cloth.first - settings.shapes.particles;
  settings.bodies.carried = static_cast<uint>(population.boundary.size());
  settings.bodies.carried_first = static_cast<uint>(population.initial.size()) - settings.bodies.carried;
  for (std::size_t k = 0; k < population.initial.size(); ++k)
    if (k - settings.cloth.first >= settings.cloth.vertices)
      settings.grid.radius_max = std::max(settings.grid.radius_max, population.initial[k].radius);
  set_cloth(settings, scene, population);
  for (const ScheduledGrain& timed : population.scheduled) {
    settings.grid.radius_max = std::max(settings.grid.radius_max, timed.seed.radius);
    settings.emission.speed = std::max(settings.emission.speed, glm::length(timed.seed.velocity));
  }
  if (scene.soil)
    settings.grid.radius_max = std::max(settings.grid.radius_max, static_cast<float>(scene.soil->radius_max));
  if (settings.grid.radius_max == 0.0f)  // a world without grains still has cells
    settings.grid.radius_max = settings.cloth.vertices > 0 ? settings.cloth.radius : 0.01f;
  if (solver.method == Method::dem &&
      (domain.adhesion.value_or(0.0) > 0.0 ||
       std::ranges::any_of(scene.materials, [](const Material& m) { return m.adhesion > 0.0; })))
    settings.contacts.reach = dem_adhesion_reach;
  for (int a = 0; a < 3; ++a)
    if (settings.domain.axis[a] == axis_periodic &&
        settings.domain.max[a] - settings.domain.min[a] < period_least * settings.grid.radius_max)
      throw SceneError(fmt::format(
          "{}: periodic axis {} is {} m long; the least is 12 radii of the largest grain, {} m", scene.source, "xyz"[a],
          settings.domain.max[a] - settings.domain.min[a], period_least * settings.grid.radius_max));
  // Twice the reach of a grain, so that it meets one image of each triangle; stretched by half at most.
  const float side = longest_side(population);
  const float least = 2.0f * (std::max(settings.grid.radius_max, settings.cloth.radius) + settings.cloth.radius +
                              0.75f * side + skin_limit * settings.grid.radius_max);
  for (int a = 0; a < 3; ++a)
    if (settings.cloth.vertices > 0 && settings.domain.axis[a] == axis_periodic &&
        settings.domain.max[a] - settings.domain.min[a] < least)
      throw SceneError(fmt::format("{}: periodic axis {} is {} m long; the least for cloth with sides of {} m is {} m",
                                   scene.source, "xyz"[a], settings.domain.max[a] - settings.domain.min[a], side,
                                   least));
  settings.sleep = sleep_of(scene);
  set_fine(settings, scene, population);
  set_load_quanta(settings, scene, population, dynamics);
  const std::size_t grains = population.initial.size() + population.scheduled.size();
  const uint cells_least = scene.soil ? 15u : 12u;  // whose grains come later
  settings.grid.bits =
      table_bits_for(settings, (2.0f + skin_rest) * settings.grid.radius_max,
                     grid_cells > 0 ? static_cast<uint>(std::bit_width(grid_cells)) - 1u
                                    : std::max(cells_least, static_cast<uint>(std::bit_width(grains)) + 1u),
                     2, height_of_fills(scene));
  return settings;
}

uint emissions_tried(const Emitter& emitter, double dt) {
  constexpr double least = 16.0, most = 4096.0;
  return static_cast<uint>(std::clamp(2.0 * std::ceil(emitter.rate * dt), least, most));
}

EmitterRegions emitter_regions_of(const Scene& scene, const Population& population) {
  EmitterRegions out;
  for (std::size_t i = 0; i < scene.emitters.size(); ++i) {
    const Emitter& emitter = scene.emitters[i];
    const Bounds box = bounds(emitter.shape);
    out.emitter_regions.push_back({vec3((box.min + box.max) / 2.0), vec3((box.max - box.min) / 2.0),
                                   static_cast<float>(form_of(emitter.clump).reach * emitter.radius_max)});
    out.sites.insert(out.sites.end(), population.sites[i].begin(), population.sites[i].end());
  }
  return out;
}

Bodies bodies_of(const Scene& scene, const std::vector<BodyMotion>& motions, Executor& executor) {
  struct Size {
    MeshShapes& meshes;

    static SolidPart of(uint kind, const glm::dvec3& size) {
      SolidPart part{};
      part.kind = kind;
      part.size = vec3(size);
      return part;
    }
    SolidPart operator()(const PlanePart&) const { return of(solid_plane, glm::dvec3(0.0)); }
    SolidPart operator()(const BoxPart& p) const { return of(solid_box, p.size / 2.0); }
    SolidPart operator()(const SpherePart& p) const { return of(solid_sphere, {p.radius, 0.0, 0.0}); }
    SolidPart operator()(const CapsulePart& p) const {
      return of(solid_capsule, {p.radius, 0.0, p.height / 2 - p.radius});
    }
    SolidPart operator()(const ConePart& p) const { return of(solid_cone, {p.radius, p.top_radius, p.height / 2}); }
    SolidPart operator()(const TorusPart& p) const { return of(solid_torus, {p.radius, p.section, 0.0}); }
    SolidPart operator()(const MeshPart& p) const { return meshes.add(p); }
  };
  Bodies out{};
  const RadiusRange radii = radii_of(scene);
  MeshShapes meshes(radii, executor);
  // Behind those there are; how many.
  const auto add_parts = [&](const std::vector<BodyPart>& parts) {
    const std::size_t before = out.parts.size();
    for (const BodyPart& p : parts) {
      if (is_boundary(p))
        continue;
      SolidPart part = std::visit(Size{meshes}, p.shape);
      const glm::dquat turn = rotation_of(p.rotation);
      part.rotation = vector_of(turn);
      part.position = vec3(p.position + turn * glm::dvec3(part.position));
      part.kind |= p.subtract ? solid_subtracts : 0u;
      out.parts.push_back(part);
    }
    return static_cast<uint>(out.parts.size() - before);
  };
  const double clear = 4.0 * radii.max;  // Grains meet no end that is 3 radii above the body; a fourth is for cells.
  for (const BodySpec& spec : scene.bodies) {
    Body body{};
    body.motion = motions[out.bodies.size()];
    body.first_part = static_cast<uint>(out.parts.size());
    body.material = spec.material.value_or(static_cast<std::uint32_t>(scene.materials.size()));
    body.reach = static_cast<float>(std::min(reach_of(spec), 1e30));
    const Bounds box = bounds_of(spec, {});
    for (int a = 0; a < 3; ++a) {
      const bool ends = std::isfinite(box.min[a]) && std::isfinite(box.max[a]);
      body.box_middle[a] = ends ? static_cast<float>(0.5 * (box.min[a] + box.max[a])) : 0.0f;
      body.box_half[a] = ends ? static_cast<float>(0.5 * (box.max[a] - box.min[a])) : 1e15f;
    }
    body.load_share = load_share_of(spec.load_filter, scene.dt);
    const FreeEnds free = free_ends(spec.parts, clear);
    for (const std::size_t part : free.hemmed)
      out.notes.push_back(fmt::format(
          "parts.{} of body {} ends less than {:.3g} m outside of it, before more of the body: grains rest on that end "
          "as on the body; move its end, or subtract two parts",
          part, spec.name, end_touched * clear));
    body.parts = add_parts(free.parts);
    body.far = far_of(std::span(out.parts).subspan(body.first_part));
    out.bodies.push_back(body);
  }
  for (const SinkSpec& spec : scene.sinks) {
    Sink sink{};
    sink.rotation = vector_of(rotation_of(spec.rotation));
    sink.position = vec3(spec.position);
    sink.first_part = static_cast<uint>(out.parts.size());
    sink.parts = add_parts(spec.parts);
    sink.material = spec.material.value_or(any_material);
    out.sinks.push_back(sink);
  }
  const std::size_t before = part_words * out.parts.size();
  for (SolidPart& part : out.parts)
    if (const uint kind = part.kind & solid_kind_mask; kind == solid_grid || kind == solid_triangles)
      part.first += static_cast<uint>(before);
  out.shape_data.resize(before);
  if (!out.parts.empty())
    std::memcpy(out.shape_data.data(), out.parts.data(), out.parts.size() * sizeof(SolidPart));
  out.shape_data.insert(out.shape_data.end(), meshes.words.begin(), meshes.words.end());
  out.notes.insert(out.notes.end(), meshes.notes.begin(), meshes.notes.end());
  return out;
}

std::vector<ClumpKind> clump_kinds_of(const Scene& scene) {
  if (!has_clumps(scene))
    return {};
  std::vector<ClumpKind> kinds;
  const auto add = [&](const std::optional<Clump>& clump) {
    ClumpKind& kind = kinds.emplace_back();
    if (!clump)
      return;
    const ClumpShape& shape = clump->shape();
    const double unit = shape.spheres[0].w;
    kind.spheres = static_cast<uint>(shape.spheres.size());
    kind.inertia = vec3(shape.inertia / (unit * unit));
    for (std::size_t k = 0; k < shape.spheres.size(); ++k) {
      kind.place[k] = vec4(shape.spheres[k] / unit);
      kind.weight[k] = static_cast<float>(shape.weights[k]);
    }
  };
  for (const GrainGroup& g : scene.grains)
    add(g.clump);
  for (const Emitter& e : scene.emitters)
    add(e.clump);
  return kinds;
}

ClumpMotion clump_motion_of(const ClumpKind& kind, const Seed& first) {
  const double size = first.radius;
  const glm::dquat turned = glm::normalize(quaternion_of(first.turned));
  const glm::dvec3 lever = turned * (size * glm::dvec3(kind.place[0])), spin(first.spin);
  const glm::dvec3 momentum = turned * (size * size * glm::dvec3(kind.inertia) * (glm::conjugate(turned) * spin));
  return {vector_of(turned), vec3(glm::dvec3(first.position) - lever),
          vec3(glm::dvec3(first.velocity) - glm::cross(spin, lever)), vec3(momentum)};
}

Shapes shapes_of(const Scene& scene, const Population& population) {
  Shapes out;
  for (const ShapeSpec& spec : scene.shapes) {
    const double share = -std::expm1(std::log1p(-spec.stiffness) / scene.solver.substeps);  // 1 where the stiffness is
    out.shapes.push_back({0, 0, static_cast<float>(share)});
    ShapeMotion motion{};
    motion.rotation = vector_of(glm::dquat(1.0, 0.0, 0.0, 0.0));
    out.motions.push_back(motion);
  }
  std::vector<glm::dvec3> position(scene.shapes.size()), velocity(scene.shapes.size());
  const std::size_t before = population.initial.size() - population.boundary.size() - population.shaped.size();
  for (std::size_t k = 0; k < population.shaped.size(); ++k) {
    const ShapedGrain& grain = population.shaped[k];
    MatchedShape& shape = out.shapes[grain.shape];
    if (shape.end == 0)
      shape.first = static_cast<uint>(k);
    shape.end = static_cast<uint>(k) + 1;
    out.places.push_back(vec3(grain.place));
    out.shape_of.push_back(grain.shape);
    position[grain.shape] += glm::dvec3(population.initial[before + k].position);
    velocity[grain.shape] += glm::dvec3(population.initial[before + k].velocity);
  }
  for (std::size_t s = 0; s < out.shapes.size(); ++s) {
    const double count = out.shapes[s].end - out.shapes[s].first;
    out.motions[s].position = vec3(position[s] / count);
    out.motions[s].velocity = vec3(velocity[s] / count);
  }
  return out;
}

Cloth cloth_of(const Scene& scene, const Population& population, const Settings& settings) {
  Cloth out;
  std::vector<uint> corners, numbers;
  for (const ClothPlace& place : population.cloths) {
    const ClothSpec& spec = scene.cloths[place.cloth];
    const ClothSheet& sheet = place.sheet;
    const double stiffness[] = {spec.stretch, spec.shear, spec.bend};
    std::vector<std::vector<ClothLink>> links(sheet.vertices.size());
    for (const ClothEdge& edge : sheet.edges)
      if (const double k = stiffness[static_cast<std::size_t>(edge.kind)]; k > 0.0) {
        const double length = glm::length(sheet.vertices[edge.ends.x] - sheet.vertices[edge.ends.y]);
        links[edge.ends.x].push_back({place.first + edge.ends.y, static_cast<float>(length), static_cast<float>(k)});
        links[edge.ends.y].push_back({place.first + edge.ends.x, static_cast<float>(length), static_cast<float>(k)});
      }
    const std::vector<bool> border = border_of(sheet);
    auto triangle = sheet.triangles.begin();
    for (std::size_t v = 0; v < sheet.vertices.size(); ++v) {
      ClothVertex vertex{};
      vertex.first_triangle = static_cast<uint>(corners.size() / 3);
      for (; triangle != sheet.triangles.end() && triangle->x == v; ++triangle)
        for (int c = 0; c < 3; ++c)
          corners.push_back(place.first + (*triangle)[c] + (border[(*triangle)[c]] ? cloth_border : 0u));
      vertex.end_triangle = static_cast<uint>(corners.size() / 3);
      vertex.first_link = static_cast<uint>(out.links.size());
      out.links.insert(out.links.end(), links[v].begin(), links[v].end());
      vertex.end_link = static_cast<uint>(out.links.size());
      numbers.push_back(place.cloth + (spec.touches_itself ? 0u : cloth_apart));
      out.vertices.push_back(vertex);
    }
  }
  // The same in each world, by numbers of its own.
  const uint worlds = settings.worlds.count, vertices = static_cast<uint>(out.vertices.size()),
             triangles = static_cast<uint>(corners.size() / 3), links = static_cast<uint>(out.links.size()),
             cells = grid_cells(settings.cloth.bits);
  out.words.resize(cloth_order_word(0, worlds * triangles, worlds * vertices, cells, worlds, worlds * triangles));
  for (uint w = 0; w < worlds; ++w) {
    for (uint k = 0; k < corners.size(); ++k)
      out.words[3 * triangles * w + k] = corners[k] + w * vertices;
    for (uint v = 0; v < vertices; ++v)
      out.words[cloth_number_word(0, worlds * triangles, worlds * vertices, w * vertices + v)] = numbers[v];
    for (uint v = 0; v < vertices && w > 0; ++v) {
      const ClothVertex vertex = out.vertices[v];
      out.vertices.push_back({vertex.first_triangle + w * triangles, vertex.end_triangle + w * triangles,
                              vertex.first_link + w * links, vertex.end_link + w * links});
    }
    for (uint n = 0; n < links && w > 0; ++n) {
      const ClothLink link = out.links[n];
      out.links.push_back({link.other + w * vertices, link.rest, link.stiffness});
    }
  }
  return out;
}

std::vector<PairLaw> pair_laws_of(const Scene& scene) {
  const double h = substep_of(scene);
  const std::size_t count = scene.materials.size();
  // Left to the pass (< 0) where dem knows better than the damping that suits p2.
  const auto damping = [&](const Material& m) {
    return m.damping.value_or(scene.solver.method == Method::dem ? -1.0 : 0.1 * m.stiffness * h);
  };
  const Method method = scene.solver.method;
  const double area = method == Method::p2 ? 1.0 : method == Method::pbd ? 0.0 : adhesion_area;  // pbd has none
  // Many pairs have the same restitution.
  std::map<double, Rebound> rebounds;
  const auto with_restitution = [&](PairLaw law, std::optional<double> restitution) {
    law.rebound_ratio = -1.0f;
    if (!restitution)
      return law;
    law.restitution = static_cast<float>(*restitution);
    if (method == Method::dem) {
      auto found = rebounds.find(*restitution);
      if (found == rebounds.end())
        found = rebounds.emplace(*restitution, rebound_of(*restitution)).first;
      law.rebound_ratio = static_cast<float>(found->second.ratio);
      law.rebound_kappa = static_cast<float>(found->second.kappa);
    }
    return law;
  };
  const auto with_hertz = [](PairLaw law, const HertzPair& pair) {
    law.stiffness = static_cast<float>(pair.modulus);
    law.rebound_ratio = static_cast<float>(pair.ratio);
    law.rebound_kappa = static_cast<float>(pair.kappa);
    law.tangential = static_cast<float>(pair.tangential);
    return law;
  };
  const bool hertz = has_hertz(scene.solver);
  std::vector<PairLaw> laws((count + 1) * (count + 1));
  for (std::size_t a = 0; a < count; ++a) {
    const Material& ma = scene.materials[a];
    for (std::size_t b = 0; b < count; ++b) {
      const Material& mb = scene.materials[b];
      const PairLaw law{.friction_static = static_cast<float>(std::sqrt(ma.friction_static * mb.friction_static)),
                        .friction_kinetic = static_cast<float>(std::sqrt(ma.friction_kinetic * mb.friction_kinetic)),
                        .stiffness = static_cast<float>(in_series(ma.stiffness, mb.stiffness)),
                        .damping = static_cast<float>(in_series(damping(ma), damping(mb))),
                        .adhesion = static_cast<float>(area * std::sqrt(ma.adhesion * mb.adhesion)),
                        .rolling = static_cast<float>(rolling_friction_of(ma, mb))};
      const std::optional<double> restitution = restitution_of(ma, mb);
      laws[a * (count + 1) + b] =
          hertz ? with_hertz(law, hertz_pair_of(ma, mb, restitution)) : with_restitution(law, restitution);
    }
    const PairLaw wall{
        .friction_static = static_cast<float>(scene.domain.friction_static.value_or(ma.friction_static)),
        .friction_kinetic = static_cast<float>(scene.domain.friction_kinetic.value_or(ma.friction_kinetic)),
        .stiffness = static_cast<float>(ma.stiffness),
        .damping = static_cast<float>(damping(ma)),
        .adhesion = static_cast<float>(area * scene.domain.adhesion.value_or(ma.adhesion)),
        .rolling = static_cast<float>(scene.domain.rolling_friction.value_or(ma.rolling_friction.value_or(0.0)))};
    const std::optional<double> restitution = restitution_of(ma, scene.domain);
    laws[a * (count + 1) + count] = laws[count * (count + 1) + a] =
        hertz ? with_hertz(wall, hertz_wall_of(ma, restitution)) : with_restitution(wall, restitution);
  }
  // Of bodies without a material with each other and with the walls.
  const double still = scene.domain.friction_static.value_or(Material{}.friction_static);
  laws.back() = with_restitution({}, {});
  laws.back().friction_static = static_cast<float>(still);
  laws.back().friction_kinetic = static_cast<float>(scene.domain.friction_kinetic.value_or(still));
  return laws;
}

}  // namespace talus
