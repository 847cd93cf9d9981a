// What suits a method, how many substeps a scene needs, and what cannot work.
#include "engine/scene/bodies.h"
#include "engine/scene/cloth.h"
#include "engine/scene/clump.h"
#include "engine/scene/convergence.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/ground.h"
#include "engine/scene/hertz.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/linked.h"
#include "engine/scene/mass.h"
#include "engine/scene/overlaps.h"
#include "engine/scene/precision.h"
#include "engine/scene/restitution.h"
#include "engine/scene/sampling.h"
#include "engine/scene/words.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>

namespace talus {

namespace {

// Calibration, from measured beds of equal grains; R is a grain's radius, n the number of layers, Bed::bearing.
//   dem        mean overlap / R = (dem_overlap + dem_slender H / W) g h^2 n / (dem_kappa R)
//   iterative  mean overlap / R = rest_overlap(method) (g h^2 / R) / rest_number * (n / rest_layers)
//                                 * (rest_iterations / iterations)
// A bed of grains fills `packing` of its volume, and a layer of it is `layer` radii high. H / W is its height by its
// width, Bed::slenderness, of which more than slender_most does no more: walls hold down what the fall has pressed
// together between them.
constexpr double dem_overlap = 0.74, dem_slender = 0.1, slender_most = 1.5, dem_kappa = shared::dem_kappa;
constexpr double rest_number = 0.006, rest_layers = 10.0, rest_iterations = 5.0;
constexpr double packing = 0.55, layer = 1.7;

double rest_overlap(const Solver& s) {
  switch (s.method) {
  case Method::p2:
  case Method::pbd:
    return 0.05;
  case Method::vts:
    return s.iteration == Iteration::pja ? 0.19 : 0.015;
  case Method::sp:
    return 0.008;
  case Method::dem:
    break;
  }
  return 0.0;
}

// How far a grain may move in a substep, in radii: half of it is what contacts are sure to be found and held at.
constexpr double stride = 0.5;
constexpr int substeps_most = 1000;

// How far a dynamic body may turn in a substep, in rad: the parts of its turning, which are exact, are put together
// there.
constexpr double turn_most = 0.5;

// Layers that a body weighs as much as, below which it is not worth a word.
constexpr double pressed_least = 0.5;

// How far a vertex of cloth may move in a substep, in the shortest side of a triangle; and how much longer than it is,
// on average, cloth may hang.
constexpr double cloth_stride = 0.5, cloth_stretch = 0.02;
constexpr double slack_cloth = 0.1;  // likewise, where it looks slack

// How high a stack stands with error reduction, which passes on more upwards than down; measured at 240 Hz x 5, where a
// share of 0.1 is as bad as 1.
constexpr double leaning_layers = 40;

constexpr double inf = std::numeric_limits<double>::infinity();

// Grains of one group or emitter.
struct Source {
  std::uint32_t material;
  double radius_min, radius_max;
  double speed;         // m/s, greatest at birth
  double volume = 0.0;  // m3, of all grains together
  double height = 0.0;  // m, of the columns of grains when they lie on the shape's own footprint: a mean by volume
  bool fixed = false;   // neither falls nor weighs
  bool scheduled = false;
  Bounds centers{};  // of all grains, at birth

  double radius() const { return (radius_min + radius_max) / 2; }
  double mean_volume() const { return mean_ball_volume(radius_min, radius_max); }
};

// What the grains of a scene come to when they lie.
struct Bed {
  std::vector<Source> sources;
  double radius_min = inf;   // m, of the smallest grain or sphere of a clump
  double depth = 0.0;        // m, of the deepest fill
  double layers = 0.0;       // there, at least 1
  double bearing = 0.0;      // layers of a level bed whose grains bear as much on average, at least 1
  double slenderness = 0.0;  // height by width of the deepest fill, 0 where it goes on periodically
  double speed = 0.0;        // m/s, of the fastest grain when it has fallen as far as it can
  double pressed = 0.0;      // layers that weigh as much as the heaviest dynamic body does on the grains below it
  std::string presses;       // its name
};

int down_axis(const Domain& d) {
  const glm::dvec3 g = glm::abs(d.gravity);
  return g.z >= g.x && g.z >= g.y ? 2 : g.x >= g.y ? 0 : 1;
}

// Of all grains in a shape of this volume, m3.
double volume_in(double shape, const GrainGroup& g, double mean_volume) {
  const GrainForm form = form_of(g.clump);
  if (g.count)
    return *g.count * form.volume * mean_volume;
  const double balls = g.sampling == Sampling::poisson  // that hold a grain
                           ? 0.37 * shape
                           : shape / std::pow(2 * g.radius_max * g.spacing, 3) * mean_volume;
  return form.volume / std::pow(form.reach, 3) * balls;
}

// Points stand in columns one grain wide: the highest of them. volume_of(i): m3, of the grain at point i.
double column_height(const auto& points, const auto& volume_of, const Source& s, int down) {
  const double edge = 2 * s.radius_max;
  const int a = (down + 1) % 3, b = (down + 2) % 3;
  std::map<std::pair<std::int64_t, std::int64_t>, double> columns;  // m3
  double most = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto cell = [&](int axis) {
      return static_cast<std::int64_t>((points[i][axis] - s.centers.min[axis]) / edge + 0.5);
    };
    most = std::max(most, columns[{cell(a), cell(b)}] += volume_of(i));
  }
  return most / (packing * edge * edge);
}

// One for each material.
std::vector<Source> sources_of(const GrainGroup& g, const FileFill& file, int down) {
  const LoadedGrains& grains = *file.loaded;
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_material;
  for (std::uint32_t i = 0; i < grains.size(); ++i)
    of_material[material_of(g, file, i)].push_back(i);
  std::vector<Source> sources;
  for (const auto& [material, of_it] : of_material) {
    Source s{material, g.radius_min, g.radius_max, fastest_of(g)};
    s.fixed = g.fixed;
    if (!grains.radii.empty()) {
      s.radius_min = inf, s.radius_max = 0.0;
      for (const std::uint32_t i : of_it) {
        s.radius_min = std::min<double>(s.radius_min, grains.radii[i]);
        s.radius_max = std::max<double>(s.radius_max, grains.radii[i]);
      }
    }
    const auto volume_of = [&](std::size_t k) {
      return grains.radii.empty() ? s.mean_volume() : ball_volume(grains.radii[of_it[k]]);
    };
    PointsFill places;
    for (std::size_t k = 0; k < of_it.size(); ++k) {
      places.points.emplace_back(grains.positions[of_it[k]]);
      s.volume += volume_of(k);
    }
    s.centers = bounds(places);
    s.height = column_height(places.points, volume_of, s, down);
    sources.push_back(s);
  }
  return sources;
}

Source source_of(const GrainGroup& g, const Domain& domain, int down) {
  Source s{g.material, g.radius_min, g.radius_max, fastest_of(g)};
  s.centers = bounds(g.shape);
  s.fixed = g.fixed;
  if (const auto* points = std::get_if<PointsFill>(&g.shape)) {
    const double each = s.mean_volume();
    s.volume = static_cast<double>(points->points.size()) * form_of(g.clump).volume * each;
    s.height = column_height(
        points->points, [&](std::size_t) { return each; }, s, down);
  } else {
    s.centers = {s.centers.min + s.radius_min, s.centers.max - s.radius_min};
    const Space space(g.shape, domain, g.radius_max);
    const double room = space.volume();
    s.volume = volume_in(room, g, s.mean_volume());
    s.height = room > 0.0 ? s.volume / (packing * room) * space.height(down) : 0.0;
  }
  return s;
}

Source source_of(const Emitter& e) {
  Source s{e.material, e.radius_min, e.radius_max, glm::length(e.velocity)};
  const Bounds b = bounds(e.shape);
  s.centers = {b.min + s.radius_min, b.max - s.radius_min};
  double emitted = std::max(0.0, std::ceil((e.stop - e.start) * e.rate - 1e-6));
  if (e.count)
    emitted = std::min<double>(emitted, *e.count);
  s.volume = emitted * form_of(e.clump).volume * s.mean_volume();
  s.scheduled = true;
  return s;
}

// Ground, which lies where it is. One for each of its layers, and one for what is below them.
std::vector<Source> sources_of(const Soil& soil, const Domain& domain) {
  std::vector<Source> sources;
  double below = Ground(soil, domain.min.z).top();  // m, height of what is not counted yet
  const auto add = [&](std::uint32_t material, double height) {
    Source s{material, soil.radius_min, soil.radius_max, 0.0};
    s.height = std::min(height, below);
    s.volume = packing * s.height * (soil.max.x - soil.min.x) * (soil.max.y - soil.min.y);
    const double z = domain.min.z + soil.radius_min;
    s.centers = {{soil.min.x, soil.min.y, z}, {soil.max.x, soil.max.y, z}};
    sources.push_back(s);
    below -= s.height;
  };
  for (const SoilLayer& layer : soil.layers)
    add(layer.material, layer.varying ? layer.varying->heights->top() : layer.thickness);
  add(soil.material, below);
  return sources;
}

double slenderness(double height, const glm::dvec3& edge, const Domain& domain, int down) {
  double width = inf;
  for (int a = 0; a < 3; ++a)
    if (a != down && domain.axis[static_cast<std::size_t>(a)] != Axis::periodic)
      width = std::min(width, edge[a]);
  return std::min(height / width, slender_most);
}

// Fills whose footprints meet lie on top of each other. Fills spread afterwards, which makes them less deep.
void pile_up_fills(Bed& bed, const Domain& domain, int down) {
  auto meet = [&](const Source& s, const Source& t) {
    for (int a = 0; a < 3; ++a)
      if (a != down && (s.centers.max[a] + s.radius_max <= t.centers.min[a] - t.radius_max ||
                        t.centers.max[a] + t.radius_max <= s.centers.min[a] - s.radius_max))
        return false;
    return true;
  };
  for (const Source& s : bed.sources) {
    double depth = 0.0, layers = 0.0;
    for (const Source& t : bed.sources)
      if (!s.scheduled && !t.scheduled && !s.fixed && !t.fixed && meet(s, t)) {
        depth += t.height;
        layers += t.height / (layer * t.radius());
      }
    if (depth > bed.depth)
      bed.slenderness = slenderness(depth, s.centers.max - s.centers.min + 2 * s.radius_max, domain, down);
    bed.depth = std::max(bed.depth, depth);
    bed.layers = bed.bearing = std::max(bed.layers, layers);
  }
}

// What is poured lies on the fills as one cone of 30 degrees, or, where that has no room between the walls, as a level
// bed with a cone of the floor's shorter edge on it. Its grains bear on average what those of a level bed do that is as
// high as the mean of the heap's squared height by the mean height: of a cone half its height.
void pile_up_poured(Bed& bed, const Domain& domain, int down) {
  double volume = 0.0, radius = 0.0;  // mean by volume
  for (const Source& s : bed.sources)
    if (s.scheduled) {
      volume += s.volume;
      radius += s.volume * s.radius();
    }
  if (volume == 0.0)
    return;
  const double bulk = volume / packing, slope = 1.0 / std::numbers::sqrt3;
  double depth = std::cbrt(3.0 / std::numbers::pi * slope * slope * bulk), bearing = depth / 2;
  const int a = (down + 1) % 3, b = (down + 2) % 3;
  if (domain.axis[static_cast<std::size_t>(a)] != Axis::open &&
      domain.axis[static_cast<std::size_t>(b)] != Axis::open) {
    const glm::dvec3 edge = domain.max - domain.min;
    if (const double top = slope * std::min(edge[a], edge[b]) / 2; depth > top) {
      const double level = bulk / (edge[a] * edge[b]);
      depth = level + top * 2.0 / 3.0;
      bearing = level + top * top / (18 * level);
      bed.slenderness = std::max(bed.slenderness, slenderness(level, edge, domain, down));
    }
  }
  bed.depth += depth;
  bed.layers += depth / (layer * radius / volume);
  bed.bearing += bearing / (layer * radius / volume);
}

// Everybody falls to the far end of the domain, or to the far end of the fills along an open axis.
void let_fall(Bed& bed, const Domain& domain) {
  glm::dvec3 low(inf), high(-inf);
  for (const Source& s : bed.sources) {
    low = glm::min(low, s.centers.min);
    high = glm::max(high, s.centers.max);
  }
  for (const Source& s : bed.sources) {
    if (s.fixed)
      continue;
    double energy = 0.5 * s.speed * s.speed;  // per mass
    for (int a = 0; a < 3; ++a) {
      const double g = domain.gravity[a];
      const bool open = domain.axis[static_cast<std::size_t>(a)] == Axis::open;
      const double drop = g < 0.0 ? s.centers.max[a] - (open ? low[a] : domain.min[a] + s.radius_min)
                                  : (open ? high[a] : domain.max[a] - s.radius_min) - s.centers.min[a];
      energy += std::abs(g) * std::max(0.0, drop);
    }
    bed.speed = std::max(bed.speed, std::sqrt(2 * energy));
  }
}

// Share of its weight that a dynamic body can lay on grains: the rest hangs on its joint. Of what turns about its
// joint, that of the lever of its weight to the longest one at which grains can bear it.
double free_share(const BodySpec& body, const MassProperties& m, const glm::dvec3& gravity) {
  const auto* joint = std::get_if<Joint>(&body.motion);
  if (!joint)
    return 1.0;
  if (joint->type == JointType::prismatic)
    return std::abs(glm::dot(rotation_of(joint->rotation) * glm::normalize(joint->axis), glm::normalize(gravity)));
  const double lever = glm::length(body.position + rotation_of(body.rotation) * m.center);
  return lever / (lever + reach_of(body));
}

// Grains below a body bear it over the mean of its cross-sections, and no more of them than there are.
void press_down(Bed& bed, const Scene& scene, int down) {
  double mass = 0.0, volume = 0.0, radius = 0.0;  // of all grains; mean radius by volume
  for (const Source& s : bed.sources)
    if (!s.fixed) {
      mass += s.volume * scene.materials[s.material].density;
      volume += s.volume;
      radius += s.volume * s.radius();
    }
  if (!(volume > 0.0) || scene.domain.gravity == glm::dvec3(0.0))
    return;
  const double areal = mass / volume * packing * layer * radius / volume;  // kg/m2, of a layer
  const std::vector<Pose> poses = initial_poses(scene);
  const std::vector<double> borne = borne_masses(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodySpec& body = scene.bodies[b];
    if (!is_dynamic(body) || body.parts.empty() || body.ground == GroundContact::surface)
      continue;
    const MassProperties m = mass_of(body);
    const Bounds box = bounds_of(body, poses[b]);
    const double area = m.volume / (box.max[down] - box.min[down]);
    const double share = borne[b] == m.mass ? free_share(body, m, scene.domain.gravity) : 1.0;
    const double pressed = borne[b] * share / std::min(area * areal, mass);
    if (pressed > bed.pressed)
      bed.pressed = pressed, bed.presses = body.name;
  }
  bed.bearing += 2 * bed.pressed;  // which is a mean over a bed, whose grains bear half of it
}

// rad/s, of the dynamic body that turns fastest at the start.
std::pair<double, std::string> fastest_spin(const Scene& scene) {
  std::pair<double, std::string> fastest{0.0, ""};
  const std::vector<Twist> twists = first_twists(scene, true);
  for (std::size_t b = 0; b < twists.size(); ++b)
    if (is_dynamic(scene.bodies[b]))
      if (const double spin = glm::length(twists[b].spin); spin > fastest.first)
        fastest = {spin, scene.bodies[b].name};
  return fastest;
}

Bed bed_of(const Scene& scene) {
  Bed bed;
  const int down = down_axis(scene.domain);
  each_group(scene, [&](const GrainGroup& g) {
    if (const auto* file = std::get_if<FileFill>(&g.shape))
      std::ranges::copy(sources_of(g, *file, down), std::back_inserter(bed.sources));
    else
      bed.sources.push_back(source_of(g, scene.domain, down));
  });
  const std::size_t first = bed.sources.size() - scene.shapes.size();
  for (std::size_t s = 0; s < scene.shapes.size(); ++s) {
    Source& source = bed.sources[first + s];
    source.speed += glm::length(scene.shapes[s].spin) * 0.5 * glm::distance(source.centers.min, source.centers.max);
  }
  for (const Emitter& e : scene.emitters)
    bed.sources.push_back(source_of(e));
  if (scene.soil)
    std::ranges::copy(sources_of(*scene.soil, scene.domain), std::back_inserter(bed.sources));
  if (!bed.sources.empty())
    bed.radius_min = radii_of(scene).min;  // of spheres of clumps, too
  pile_up_fills(bed, scene.domain, down);
  pile_up_poured(bed, scene.domain, down);
  bed.layers = std::max(bed.layers, 1.0);
  bed.bearing = std::max(bed.bearing, 1.0);
  press_down(bed, scene, down);
  let_fall(bed, scene.domain);
  bed.speed += check_motions(scene);  // pushed by bodies
  return bed;
}

// Mean overlap at rest with substeps of h, in radii.
double overlap_at_rest(const Scene& scene, const Bed& bed, double h) {
  const double g = glm::length(scene.domain.gravity), number = g * h * h / bed.radius_min;
  const Solver& s = scene.solver;
  if (s.method != Method::dem)
    return rest_overlap(s) * number / rest_number * bed.bearing / rest_layers * rest_iterations / s.iterations;
  const double share = dem_overlap + dem_slender * bed.slenderness;
  if (s.stiffness == Stiffness::numerical)
    return share * number * bed.bearing / softest_kappa(scene);
  double overlap = 0.0;  // of the material's springs, whatever h
  for (const Source& source : bed.sources) {
    const Material& m = scene.materials[source.material];
    const double r = source.radius(), force = share * g * bed.bearing * 0.5 * m.density * source.mean_volume();
    overlap = std::max(overlap, has_hertz(s) ? hertz_overlap(hertz_pair_of(m, m, {}).modulus, 0.5 * r, force) / r
                                             : force / (m.stiffness * r));
  }
  return overlap;
}

// The greatest overlap [m] of a Hertzian contact of a pair: in an impact at the greatest speed of a grain, or at the
// bottom of the bed.
double deepest_hertz(const Scene& scene, const Bed& bed, double modulus, double reduced_radius, double reduced_mass,
                     double mass) {
  const double weight = mass * glm::length(scene.domain.gravity) * (bed.layers + bed.pressed);
  return std::max(hertz_impact_overlap(modulus, reduced_radius, reduced_mass, bed.speed),
                  hertz_overlap(modulus, reduced_radius, weight));
}

// The longest substep for Hertz's contacts: that of the pair with the least one at its greatest overlap. It is stable,
// and an impact that is alone lasts hertz_substeps of them.
constexpr double hertz_substeps = 20.0;
double hertz_substep(const Scene& scene, const Bed& bed) {
  // In an elastic impact of overlap d at the turning point the greatest h^2 S / m_eff is 15/8 (h v / d)^2, and it lasts
  // 2.943 d / v.
  constexpr double accurate = 15.0 / 8.0 * (2.943 / hertz_substeps) * (2.943 / hertz_substeps);
  double least = inf;
  const auto pair = [&](const HertzPair& law, double reduced_radius, double reduced_mass, double mass) {
    const double overlap = deepest_hertz(scene, bed, law.modulus, reduced_radius, reduced_mass, mass);
    if (overlap > 0.0)
      least = std::min(least, std::sqrt(std::min(law.kappa, accurate) * reduced_mass /
                                        hertz_tangent(law.modulus, reduced_radius, overlap)));
  };
  for (const Source& a : bed.sources) {
    const Material& ma = scene.materials[a.material];
    const double mass_a = ma.density * ball_volume(a.radius_min);
    pair(hertz_wall_of(ma, restitution_of(ma, scene.domain)), a.radius_min, mass_a, mass_a);
    for (const Source& b : bed.sources) {
      const Material& mb = scene.materials[b.material];
      const double mass_b = mb.density * ball_volume(b.radius_min);
      pair(hertz_pair_of(ma, mb, restitution_of(ma, mb)), a.radius_min * b.radius_min / (a.radius_min + b.radius_min),
           mass_a * mass_b / (mass_a + mass_b), mass_a);
    }
  }
  return least;
}

// The longest substep at which the material's springs are stable in dem: that of the lightest pair.
double stable_substep(const Scene& scene, const Bed& bed) {
  if (has_hertz(scene.solver))
    return hertz_substep(scene, bed);
  double least = inf;
  const double kappa = softest_kappa(scene);
  auto pair = [&](double stiffness, double mass) { least = std::min(least, std::sqrt(kappa * mass / stiffness)); };
  for (const Source& a : bed.sources) {
    const Material& ma = scene.materials[a.material];
    const double mass_a = ma.density * ball_volume(a.radius_min);
    pair(ma.stiffness, mass_a);  // wall
    for (const Source& b : bed.sources) {
      const Material& mb = scene.materials[b.material];
      const double mass_b = mb.density * ball_volume(b.radius_min);
      // Two springs of twice the stiffness in a row.
      pair(2 * ma.stiffness * mb.stiffness / (ma.stiffness + mb.stiffness), mass_a * mass_b / (mass_a + mass_b));
    }
  }
  return least;
}

bool own_springs(const Solver& s) {
  return s.method == Method::dem && s.stiffness == Stiffness::material;
}

// By how much dem's springs are stretched where they bear a contact's adhesion with substeps of h, in radii of the
// smaller grain.
double stretch_at_hold(const Scene& scene, const Bed& bed, double h) {
  if (scene.solver.method != Method::dem || own_springs(scene.solver))
    return 0.0;
  double most = 0.0;
  const double kappa = softest_kappa(scene);
  auto pair = [&](double adhesion, double radius, double mass) {
    const double force = shared::adhesion_area * adhesion * shared::pi * radius * radius;
    most = std::max(most, force * h * h / (kappa * mass * radius));
  };
  for (const Source& a : bed.sources) {
    const Material& ma = scene.materials[a.material];
    const double mass_a = ma.density * ball_volume(a.radius_min);
    pair(scene.domain.adhesion.value_or(ma.adhesion), a.radius_min, mass_a);
    for (const Source& b : bed.sources) {
      const Material& mb = scene.materials[b.material];
      const double mass_b = mb.density * ball_volume(b.radius_min);
      pair(std::sqrt(ma.adhesion * mb.adhesion), std::min(a.radius_min, b.radius_min),
           mass_a * mass_b / (mass_a + mass_b));
    }
  }
  return most;
}

// How far two go into each other in a collision, in what they approach by in a substep; at least that. From half a
// radius on the speculative impulse of dem stops them, without a rebound.
double ways_in(const Scene& scene) {
  const Solver& s = scene.solver;
  return s.method == Method::dem && !has_hertz(s) ? std::max(1.0, deepest_rebound(scene)) : 1.0;
}

// Nothing where no body weighs much.
std::string describe_pressed(const Bed& bed) {
  return bed.pressed > pressed_least
             ? fmt::format(" and body {}, which weighs as much on them as {:.2g} layers", bed.presses, bed.pressed)
             : "";
}

// Substeps of at most h_most, which `asks` for.
double substeps_for(const Scene& scene, double h_most, const std::string& asks) {
  const double needed = std::max(1.0, std::ceil(scene.dt / h_most * (1.0 - 1e-9)));
  constexpr double dt_least = 1e-7;  // s, as time.dt may be
  if (!(0.99 * substeps_most * h_most >= dt_least))
    throw SceneError(fmt::format(
        "{}: solver.substeps = \"auto\" finds none that are short enough: {} asks for substeps of {:.3g} s, "
        "and with {} of them a step is at least {} s long",
        scene.source, asks, h_most, substeps_most, dt_least));
  if (needed > substeps_most)
    throw SceneError(fmt::format(
        "{}: solver.substeps = \"auto\" comes to {:.0f} substeps of {:.3g} s, more than {}, for {} asks for "
        "them: set time.dt to {:.3g} s or less",
        scene.source, needed, h_most, substeps_most, asks, 0.99 * substeps_most * h_most));
  return needed;
}

std::string turning_of(const std::string& body, double spin) {
  return fmt::format("the turning of body {}, {:.3g} rad/s,", body, spin);
}

double longest_substep(const ClothPace& cloth) {
  return std::min(cloth.sides > 0.0 ? cloth_stride / cloth.sides : inf,
                  cloth.stretch > 0.0 ? std::sqrt(cloth_stretch / cloth.stretch) : inf);
}

std::string describe(const ClothPace& cloth, double h) {
  return fmt::format("cloth hangs {:.2g} of its length longer than it is; its fastest vertex moves {:.2g} of a side",
                     cloth.stretch * h * h, cloth.sides * h);
}

// Is there a smooth floor with so much room that grains on it can roll away from one another? Spread over all of it,
// they lie less than three layers deep.
bool rolls_away(const Scene& scene, const Bed& bed) {
  const Domain& d = scene.domain;
  if (d.axis[2] != Axis::wall || std::ranges::any_of(scene.grains, &GrainGroup::fixed))
    return false;
  double volume = 0.0, radius = 0.0;
  for (const Source& source : bed.sources) {
    volume += source.volume;
    radius = std::max(radius, source.radius());
  }
  const bool open = d.axis[0] == Axis::open || d.axis[1] == Axis::open;
  return open || volume / (packing * (d.max.x - d.min.x) * (d.max.y - d.min.y)) < 3.0 * layer * radius;
}

}  // namespace

std::span<const Iteration> iterations_of(Method method) {
  using enum Iteration;
  static constexpr Iteration positions[] = {jacobi, mass_splitting, gauss_seidel};
  static constexpr Iteration velocities[] = {improved_jacobi, jacobi, mass_splitting, pja, gauss_seidel};
  static constexpr Iteration sequential[] = {improved_jacobi, jacobi, mass_splitting, gauss_seidel};
  switch (method) {
  case Method::p2:
  case Method::pbd:
    return positions;
  case Method::vts:
    return velocities;
  case Method::sp:
    return sequential;
  case Method::dem:
    break;
  }
  return {};
}

bool memory_optional(Method method, Iteration iteration) {
  return method != Method::pbd && method != Method::dem && iteration != Iteration::pja;
}

Solver default_solver(Method method, std::optional<Iteration> iteration, std::optional<bool> contact_memory) {
  Solver s;
  s.method = method;
  const std::span<const Iteration> own = iterations_of(method);
  if (own.empty()) {
    s.iterations = 1;
    s.cloth_iterations = 4;
  } else
    s.iteration = iteration && std::find(own.begin(), own.end(), *iteration) != own.end() ? *iteration : own[0];
  s.contact_memory = memory_optional(method, s.iteration) ? contact_memory.value_or(true) : method == Method::dem;
  s.sleep = method == Method::dem;

  // What is stable, and with a memory also quiet: more momentum makes lone grains hop at few iterations.
  const bool vts = method == Method::vts, sp = method == Method::sp;
  if (vts || sp) {
    switch (s.iteration) {
    case Iteration::jacobi:
    case Iteration::pja:
      s.omega = 0.3;
      break;
    case Iteration::improved_jacobi:
      s.omega = sp ? 0.3 : 0.5;
      break;
    case Iteration::mass_splitting:
    case Iteration::gauss_seidel:
      s.omega = 1.0;
      break;
    }
    s.beta_a = s.contact_memory ? 0.5 : 1.0;
    s.gamma = s.iteration == Iteration::pja ? 0.8 : 0.5;
  }
  s.warm_start = s.contact_memory ? 0.5 : 0.0;
  // It stands in for the memory, and beside it makes a heap too steep.
  if (method == Method::p2 && !s.contact_memory)
    s.error_reduction = 0.5;
  return s;
}

SubstepChoice choose_substeps(const Scene& scene) {
  const Bed bed = bed_of(scene);
  const ClothPace cloth = pace_of(scene);
  const double h_cloth = longest_substep(cloth);
  const auto [spin, turns] = fastest_spin(scene);
  const double h_turn = spin > 0.0 ? turn_most / spin : inf;
  const auto turning = [&, spin = spin, turns = turns](double h) {
    return spin * scene.dt > turn_most ? fmt::format("body {} turns by {:.2g} rad", turns, spin * h) : "";
  };
  if (bed.sources.empty()) {
    if (scene.cloths.empty() && turning(0.0).empty())
      return {1, "substeps = 1: the scene has no grains"};
    const double needed =
        substeps_for(scene, std::min(h_cloth, h_turn), h_cloth < h_turn ? "the cloth" : turning_of(turns, spin));
    const double h = scene.dt / needed;
    return {static_cast<int>(needed), fmt::format("substeps = {} (h = {:.3g} ms): {}", needed, 1000 * h,
                                                  scene.cloths.empty() ? turning(h) : describe(cloth, h))};
  }
  const Solver& s = scene.solver;

  // All that grows with h^2 does so from its value at h = 1 s.
  const double overlap = overlap_at_rest(scene, bed, 1.0);
  const double h_rest = own_springs(s)  ? stable_substep(scene, bed)
                        : overlap > 0.0 ? std::sqrt(s.overlap / overlap)
                                        : inf;
  const double h_speed = bed.speed > 0.0 ? stride * bed.radius_min / (bed.speed * ways_in(scene)) : inf;
  // Half the way that adhesion reaches: what is put on at once then still finds most of its force.
  const double stretch = stretch_at_hold(scene, bed, 1.0);
  const double h_hold = stretch > 0.0 ? std::sqrt(0.5 * shared::dem_adhesion_reach / stretch) : inf;
  const double h_most = std::min({h_rest, h_speed, h_hold, h_cloth, h_turn});
  const std::string asks = h_cloth == h_most   ? "the cloth"
                           : h_turn == h_most  ? turning_of(turns, spin)
                           : h_hold == h_most  ? "the adhesion"
                           : h_speed == h_most ? fmt::format("a grain's greatest speed, {:.3g} m/s with what bodies "
                                                             "that move give it,",
                                                             bed.speed)
                           : has_hertz(s)      ? fmt::format("Hertz's contact at {:.3g} m/s", bed.speed)
                           : own_springs(s)    ? "the stiffness of the lightest contact"
                                               : fmt::format("the overlap at rest under {:.0f} layers", bed.layers);
  const double needed = substeps_for(scene, h_most, asks), h = scene.dt / needed;
  const std::string_view decided = needed == 1.0              ? "one is enough"
                                   : h_cloth == h_most        ? "the cloth decided"
                                   : h_turn == h_most         ? "its turning decided"
                                   : h_hold == h_most         ? "the adhesion decided"
                                   : h_speed == h_most        ? "the speed decided"
                                   : has_hertz(s)             ? "Hertz's contact at that speed decided"
                                   : own_springs(s)           ? "the stiffness of the lightest contact decided"
                                   : bed.pressed > bed.layers ? "the overlap under the body decided"
                                                              : "the overlap decided";
  const std::string turned = turning(h);
  return {
      static_cast<int>(needed),
      fmt::format("substeps = {} (h = {:.3g} ms): mean overlap {:.2g} r at rest under {:.0f} layer{}{}; the fastest "
                  "grain, {:.2g} m/s, moves {:.2g} r; {}{}{}{}{}",
                  needed, 1000 * h, overlap_at_rest(scene, bed, h), bed.layers, bed.layers < 1.5 ? "" : "s",
                  describe_pressed(bed), bed.speed, h * bed.speed / bed.radius_min,
                  scene.cloths.empty() ? "" : describe(cloth, h), scene.cloths.empty() ? "" : "; ", turned,
                  turned.empty() ? "" : "; ", decided)};
}

std::optional<std::string> convergence_of(const Scene& scene) {
  const Solver& s = scene.solver;
  const Bed bed = bed_of(scene);
  // Fewer layers bear next to nothing.
  constexpr double layers_least = 3.0, force_least = 0.05;
  if (s.method != Method::dem || own_springs(s) || bed.sources.empty() || bed.layers < layers_least)
    return {};
  const double h = scene.dt / (s.substeps ? s.substeps : choose_substeps(scene).substeps);
  const double overlap = overlap_at_rest(scene, bed, h);
  const Convergence at = convergence_at(overlap);
  if (at.force < force_least)
    return {};
  const std::string out = fmt::format(
      "with a mean overlap of {:.2g} r, the force of grains on a blade is some {:.0f} % lower and slides run out "
      "some {:.0f} % further than at 0.001 r",
      overlap, 100 * at.force, 100 * at.run_out);
  return overlap > 1.5 * overlap_of(Accuracy::forces) ? out + "; solver.accuracy = \"forces\" comes closer" : out;
}

std::vector<std::string> advise(const Scene& scene) {
  std::vector<std::string> advice = scene.warnings;
  std::ranges::move(overlaps_at_start(scene), std::back_inserter(advice));
  const Furthest furthest = furthest_of(scene);
  if (const auto coarse = coarse_places(scene, furthest, spacing_warned))
    advice.push_back(place_of(scene, furthest) + *coarse);
  const Bed bed = bed_of(scene);
  if (bed.sources.empty() && scene.cloths.empty())
    return advice;
  const Solver& s = scene.solver;
  const int substeps = s.substeps ? s.substeps : choose_substeps(scene).substeps;
  const double h = scene.dt / substeps, g = glm::length(scene.domain.gravity);
  auto warn = [&]<class... T>(bool wrong, fmt::format_string<T...> text, T&&... values) {
    if (wrong)
      advice.push_back(scene.source + ": " + fmt::format(text, std::forward<T>(values)...));
  };

  const ClothPace cloth = pace_of(scene);
  warn(h * cloth.sides > cloth_stride * (1 + 1e-9),
       "a vertex of cloth that falls as far as it can moves {:.2g} of the shortest side of a triangle in a substep, "
       "beyond {}: set solver.substeps to {:.0f} or \"auto\"",
       h * cloth.sides, cloth_stride, std::ceil(scene.dt * cloth.sides / cloth_stride));
  warn(h * h * cloth.stretch > slack_cloth,
       "cloth hangs {:.2g} of its length longer than it is: set solver.substeps to {:.0f} or \"auto\", or "
       "solver.cloth_iterations to {:.0f}",
       h * h * cloth.stretch, std::ceil(scene.dt * std::sqrt(cloth.stretch / slack_cloth)),
       std::ceil(s.cloth_iterations * h * h * cloth.stretch / slack_cloth));
  if (bed.sources.empty())
    return advice;

  const bool p2 = s.method == Method::p2, pbd = s.method == Method::pbd, dem = s.method == Method::dem,
             impulses = s.method == Method::vts || s.method == Method::sp;
  const bool jacobi = s.iteration == Iteration::jacobi, improved = s.iteration == Iteration::improved_jacobi,
             pja = s.iteration == Iteration::pja, parallel = s.iteration != Iteration::gauss_seidel;

  // Steps too long
  warn(h * bed.speed > stride * bed.radius_min * (1 + 1e-9),
       "a grain that falls as far as it can reaches {:.3g} m/s and moves {:.2g} r in a substep, and from {} r on "
       "contacts "
       "are missed: set solver.substeps to {:.0f} or \"auto\"",
       bed.speed, h * bed.speed / bed.radius_min, stride, std::ceil(scene.dt * bed.speed / (stride * bed.radius_min)));
  const double way = ways_in(scene);
  warn(h * bed.speed <= stride * bed.radius_min * (1 + 1e-9) &&
           h * bed.speed * way > stride * bed.radius_min * (1 + 1e-9),
       "grains that meet at {:.3g} m/s go {:.2g} r into each other, and from {} r on they part with less than the "
       "restitution: set solver.substeps to {:.0f} or \"auto\"",
       bed.speed, h * bed.speed * way / bed.radius_min, stride,
       std::ceil(scene.dt * bed.speed * way / (stride * bed.radius_min)));
  const double number = g * h * h / bed.radius_min;
  warn(!dem && number > 0.05,
       "g h^2 / r is {:.2g}, and above 0.05 {} crushes grains at rest, with any number of iterations: set "
       "solver.substeps to {:.0f} or \"auto\"",
       number, word(s.method), std::ceil(substeps * std::sqrt(number / 0.05)));
  const double overlap = overlap_at_rest(scene, bed, h);
  warn(
      (dem || bed.pressed > bed.layers) && !own_springs(s) && overlap > 0.1,
      "the grains of a bed of {:.0f} layers{} overlap by {:.2g} r on average at rest: set solver.substeps to {:.0f} or "
      "\"auto\"",
      bed.layers, describe_pressed(bed), overlap, std::ceil(substeps * std::sqrt(overlap / s.overlap)));
  const double stretch = stretch_at_hold(scene, bed, h), reach = shared::dem_adhesion_reach;
  warn(stretch > reach * (1 + 1e-9),
       "adhesion bears only {:.2g} of its force, as contacts part at a gap of {:g} r: set solver.substeps to {:.0f} or "
       "\"auto\"",
       reach / stretch, reach, std::ceil(substeps * std::sqrt(stretch / (0.5 * reach))));
  const double stable = own_springs(s) ? stable_substep(scene, bed) : inf;
  warn(
      has_hertz(s) && h > stable * (1 + 1e-9),
      "Hertz's contacts last less than {:g} substeps, or are softer than the material, with substeps longer than "
      "{:.3g} "
      "s, where grains meet at {:.3g} m/s under {:.0f} layers{}, and these are {:.3g} s: set solver.substeps to {:.0f} "
      "or \"auto\", or a smaller young_modulus",
      hertz_substeps, stable, bed.speed, bed.layers, describe_pressed(bed), h, std::ceil(scene.dt / stable));
  warn(!has_hertz(s) && h > stable * (1 + 1e-9),
       "contacts are softer than the material's stiffness, as that is stable only with substeps up to {:.3g} s, and "
       "these "
       "are {:.3g} s: set solver.substeps to {:.0f} or \"auto\", or solver.stiffness to \"numerical\"",
       stable, h, std::ceil(scene.dt / stable));
  warn(impulses && pja && h > 1.001e-3,
       "grains come to rest with pja only if substeps are at most 0.001 s, and these are {:.3g} s: set solver.substeps "
       "to {:.0f}, or solver.iteration to \"improved_jacobi\"",
       h, std::ceil(scene.dt / 1e-3));

  // Contacts too stiff for float32, or too soft
  constexpr double overlap_steps = 10.0;  // a force is then found to 15 %
  const double rest = overlap * bed.radius_min, spacing = float_spacing(furthest.coordinate);
  warn(has_hertz(s) && g > 0.0 && rest < overlap_steps * spacing,
       "grains at rest overlap by {:.2g} m, and places are told apart by {:.2g} m at {} = {:.3g} m, so that their "
       "forces "
       "are coarse: set a smaller young_modulus, or move the scene to the origin",
       rest, spacing, "xyz"[furthest.axis], furthest.coordinate);
  if (has_hertz(s))
    for (const Source& source : bed.sources) {
      constexpr double most = 0.1;  // radii; Hertz's theory is of small contacts
      const Material& m = scene.materials[source.material];
      const double mass = m.density * source.mean_volume(), modulus = hertz_pair_of(m, m, {}).modulus;
      const double deepest =
          deepest_hertz(scene, bed, modulus, 0.5 * source.radius(), 0.5 * mass, mass) / source.radius();
      // The overlap falls with the power 2/5 of the modulus in an impact, and 2/3 at rest.
      warn(deepest > most,
           "the young_modulus of material {}, {:.3g} Pa, lets grains overlap by {:.2g} r where they meet at {:.3g} m/s "
           "or lie under {:.0f} layers{}, beyond {} r: set it to {:.2g} Pa or more",
           m.name, *m.young_modulus, deepest, bed.speed, bed.layers, describe_pressed(bed), most,
           *m.young_modulus * std::pow(deepest / most, 2.5));
    }
  else if (p2 || own_springs(s))
    for (std::size_t m = 0; m < scene.materials.size(); ++m) {
      double softest = 0.0,
             mass = 0.0;  // weight of the bed and the body on a contact over the force at an overlap of 0.1 r
      for (const Source& source : bed.sources)
        if (source.material == m) {
          const double each = scene.materials[m].density * source.mean_volume();
          const double ratio =
              each * g * (bed.layers + bed.pressed) / (0.1 * source.radius() * scene.materials[m].stiffness);
          if (ratio > softest)
            softest = ratio, mass = each;
        }
      warn(softest > 1.0,
           "the stiffness of material {}, {:.3g} N/m, lets a bed of {:.0f} layers of {:.2g} kg{} sink in by {:.2g} r "
           "whatever the step: set it to {:.2g} N/m or more",
           scene.materials[m].name, scene.materials[m].stiffness, bed.layers, mass, describe_pressed(bed),
           0.1 * softest, 10 * softest * scene.materials[m].stiffness);
    }

  // Loads of bodies
  for (const BodySpec& body : scene.bodies)
    warn(std::ranges::any_of(body.parts, is_boundary),
         "force and torque of body {} leave out its boundary particles: where they matter, use its mesh with as = "
         "\"sdf\" or \"triangles\"",
         body.name);
  warn(!scene.bodies.empty() && (p2 || pbd) && jacobi && s.averaging == Averaging::plain,
       "the plain mean over the contacts of a grain does not keep momentum, so that a heap puts only some three "
       "quarters "
       "of its weight on bodies: where their forces matter, set solver.averaging to \"mass\"");

  warn(!scene.shapes.empty() && pbd && s.stabilization > 0,
       "solver.stabilization gives particles of shape-matched bodies speeds at rest, since it moves them without a "
       "speed "
       "and shape matching brings them back with one: set it to 0");

  // Iterations
  const double omega_most = jacobi || pja ? 0.3 : 0.5;
  warn(impulses && (jacobi || pja || improved) && s.omega > omega_most,
       "solver.omega = {} is beyond the stable range of {}: set it to {} or less", s.omega, word(s.iteration),
       omega_most);
  warn(impulses && improved && s.beta_a > 1.0,
       "solver.beta_a = {} makes grains jitter at small steps: set it to 1 or less", s.beta_a);
  warn(impulses && improved && s.contact_memory && s.beta_a == 1.0 && s.iterations <= 4,
       "solver.beta_a = {} makes lone grains hop with {} iterations and contact memory: set it to 0.5", s.beta_a,
       s.iterations);
  warn(impulses && parallel && s.contact_memory && s.iterations == 1,
       "a heap does not hold with contact memory and one iteration, whatever the substeps: set solver.iterations to 2 "
       "or more");
  warn(impulses && parallel && s.contact_memory && s.warm_start >= 0.9,
       "solver.warm_start = {} keeps grains restless, so that heaps flow: set it to 0.5", s.warm_start);

  double adhesion = scene.domain.adhesion.value_or(0.0);
  for (const Source& source : bed.sources)
    adhesion = std::max(adhesion, scene.materials[source.material].adhesion);
  warn(pbd && adhesion > 0.0,
       "pbd has no adhesion, so that the adhesion of {} Pa has no effect: use another solver.method", adhesion);

  // Rolling
  const auto resists = [&](const Source& source) {
    return scene.materials[source.material].rolling_friction.value_or(0.0) > 0.0;
  };
  const bool rolling = scene.domain.rolling_friction.value_or(0.0) > 0.0 || std::ranges::any_of(bed.sources, resists);
  warn(rolling && !s.rotation,
       "rolling friction has no effect, since grains do not rotate: set solver.rotation to true");
  const auto spins = [](const GrainGroup& group) {
    const auto* file = std::get_if<FileFill>(&group.shape);
    return glm::length(group.spin) + group.spin_random > 0.0 ||
           (file && std::ranges::any_of(file->loaded->spins, [](const glm::vec3& v) { return v != glm::vec3(0.0f); }));
  };
  warn(!s.rotation && std::ranges::any_of(scene.grains, spins),
       "the spin of [[grains]] has no effect, since grains do not rotate: set solver.rotation to true");
  warn(!s.rotation && scene.output.color_by == ColorBy::spin,
       "grains do not rotate, so that output.color_by = \"spin\" gives all of them one colour: set solver.rotation to "
       "true");
  warn(s.rotation && !rolling && g > 0.0 && rolls_away(scene, bed),
       "grains roll on the smooth floor, where a heap of spheres comes to no rest: set the rolling_friction of the "
       "material or of the domain (0.05 to 0.4), or domain.rough to true");

  // What makes heaps too steep, hang or fly
  warn(p2 && s.contact_memory && s.error_reduction > 0.0,
       "solver.error_reduction = {} acts as friction and makes heaps too steep with contact memory: set it to 0, or "
       "solver.contact_memory to false",
       s.error_reduction);
  warn(p2 && s.error_reduction > 0.0 && bed.layers > leaning_layers,
       "solver.error_reduction = {} throws piles of more than {:.0f} layers apart, and these are {:.0f}: set it to 0, "
       "or "
       "another solver.method",
       s.error_reduction, leaning_layers, bed.layers);
  warn(p2 && g > 0.0 && s.sleep_speed > g * h,
       "solver.sleep_speed = {} m/s is more than gravity gives in a substep, {:.2g} m/s, so that slow slides freeze: "
       "set "
       "it below that",
       s.sleep_speed, g * h);
  warn(pbd && s.mass_scaling * bed.depth > 10.0,
       "solver.mass_scaling = {} 1/m over a pile {:.2g} m high throws it into the air: set it to {:.2g} or less",
       s.mass_scaling, bed.depth, 10 / bed.depth);
  return advice;
}

}  // namespace talus
