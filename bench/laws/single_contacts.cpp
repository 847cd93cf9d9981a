// Single contacts: the tests of Chung and Ooi 2011 (Granular Matter 13, 643), balls that slide and roll, and a pyramid.
#include "bench/constants.h"
#include "bench/laws/law.h"
#include "bench/measure.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace bench {
namespace {

using talus::Method;
using talus::Scene;

const std::string chung_ooi = "Chung and Ooi 2011, Benchmark tests for verifying discrete element modelling codes at "
                              "particle impact level, Granular Matter 13, 643";

// A method, and of dem the stiffness that it has: tied to the substep, linear and so that a collision lasts as long as
// Hertz's, or Hertz's itself with Mindlin's across it.
struct ContactCase {
  std::string name;
  talus::Solver solver;
  bool physical = false;

  bool hertz() const { return solver.contact == talus::ContactLaw::hertz; }
  // In which a ball meets another one, or a wall, with physical stiffness. A Hertzian contact that is damped to a
  // restitution of 0.1 is the material's from 96 on (docs/numerics.md).
  int substeps_of_collision() const { return hertz() ? 100 : 60; }
  // Until even balls that part at a tenth of their speed have parted.
  std::uint64_t steps_to_part() const { return 8 * static_cast<std::uint64_t>(substeps_of_collision()); }
};
std::vector<ContactCase> contact_cases(const LawContext& context) {
  std::vector<ContactCase> cases;
  for (const MethodCase& method : methods_of_laws(context)) {
    cases.push_back({method.name, method.solver});
    if (method.solver.method == Method::dem) {
      cases.push_back({"dem, physical stiffness", method.solver, true});
      cases.back().solver.stiffness = talus::Stiffness::material;
      cases.push_back({"dem, Hertz and Mindlin", cases.back().solver, true});
      cases.back().solver.contact = talus::ContactLaw::hertz;
    }
  }
  return cases;
}

// Spheres of these, as they meet; SI units.
struct Spheres {
  double radius, density, young, poisson, friction, restitution;

  double mass() const { return density * 4.0 / 3.0 * pi * std::pow(radius, 3); }
};

// Hertz: the force is stiffness x overlap^1.5. Of two that are alike, or of one and a rigid wall.
struct Hertz {
  double mass, stiffness, speed;  // kg, N/m^1.5, m/s: effective mass, approach

  Hertz(const Spheres& s, bool two, double approach)
      : mass(two ? 0.5 * s.mass() : s.mass()), stiffness(4.0 / 3.0 * s.young / (1.0 - s.poisson * s.poisson) *
                                                         (two ? 0.5 * std::sqrt(0.5 * s.radius) : std::sqrt(s.radius))),
        speed(approach) {}
  double deepest() const { return std::pow(1.25 * mass * speed * speed / stiffness, 0.4); }
  double force() const { return stiffness * std::pow(deepest(), 1.5); }
  double duration() const { return 2.9432 * deepest() / speed; }
};

// Balls above a wall at z = 0, or in free space, without gravity; a step is a substep.
Scene impact_scene(const ContactCase& method, const Spheres& spheres, double friction, bool wall, double approach) {
  Scene scene = floor_scene(method.solver, friction, 1.0, 1, method.solver.iterations);
  scene.domain.gravity = {};
  scene.domain.min = glm::dvec3(-2000.0, -2000.0, 0.0) * spheres.radius;
  scene.domain.max = glm::dvec3(2000.0 * spheres.radius);
  if (!wall)
    scene.domain.axis[2] = talus::Axis::open;
  talus::Material& material = scene.materials[0];
  material.density = spheres.density;
  material.restitution = spheres.restitution;
  if (method.physical) {
    const Hertz hertz(spheres, !wall, approach);
    if (method.hertz()) {
      material.young_modulus = spheres.young;
      material.poisson_ratio = spheres.poisson;
    } else {
      material.stiffness = hertz.mass * std::pow(pi / hertz.duration(), 2);
    }
    scene.dt = hertz.duration() / method.substeps_of_collision();
  } else {
    scene.dt = 0.02 * spheres.radius / approach;
  }
  scene.solver.substeps = scene.solver.iterations = 1;
  if (method.solver.method != Method::dem)
    scene.solver.iterations = method.solver.iterations;
  scene.end = 1e4 * scene.dt;
  return scene;
}

struct Motion {
  glm::dvec3 velocity{0.0}, spin{0.0};  // m/s, rad/s
};

// Balls side by side above a wall, each launch in so many phases of the substep in which it meets the wall.
Scene wall_scene(const ContactCase& method, const Spheres& spheres, const std::vector<Motion>& launches,
                 std::size_t phases) {
  double approach = 0.0;
  for (const Motion& launch : launches)
    approach = std::max(approach, -launch.velocity.z);
  Scene scene = impact_scene(method, spheres, spheres.friction, true, approach);
  for (std::size_t l = 0; l < launches.size(); ++l)
    for (std::size_t k = 0; k < phases; ++k) {
      const double gap =
          -launches[l].velocity.z * scene.dt * (static_cast<double>(k) + 0.5) / static_cast<double>(phases);
      const double y = 4.0 * spheres.radius * static_cast<double>(l * phases + k);
      add_points(scene, spheres.radius, {{0.0, y, spheres.radius + gap}}, launches[l].velocity);
      scene.grains.back().spin = launches[l].spin;
    }
  return scene;
}

// The means over these phases, in the order of the launches.
std::vector<Motion> after_wall(const LawContext& context, const ContactCase& method, const Spheres& spheres,
                               const std::vector<Motion>& launches) {
  const std::size_t phases = context.pick<std::size_t>(16, 4);
  talus::Simulation simulation = simulate(context, wall_scene(method, spheres, launches, phases));
  simulation.advance(method.steps_to_part());
  const std::vector<talus::GrainState> grains = simulation.grains();
  std::vector<Motion> means(launches.size());
  for (std::size_t k = 0; k < grains.size(); ++k) {
    means[k / phases].velocity += glm::dvec3(grains[k].velocity) / static_cast<double>(phases);
    means[k / phases].spin += glm::dvec3(grains[k].spin) / static_cast<double>(phases);
  }
  return means;
}

// Sum of the deviations by that of the references, as the tests of Kratos' DEM application have it.
double relative_error(const Points& measured, const Points& reference) {
  double off = 0.0, sum = 0.0;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    off += std::abs(measured[k].second - reference[k].second);
    sum += std::abs(reference[k].second);
  }
  return off / sum;
}

// Tests 1 and 2: the force over time.
Evidence hertz_impact(const LawContext& context) {
  struct Case {
    std::string name;
    Spheres spheres;
    double speed;  // m/s, of each of two, or towards the wall
    bool two;
  };
  const std::vector<Case> cases{{"limestone spheres", {0.01, 2500.0, 2e10, 0.25, 0.35, 1.0}, 10.0, true},
                                {"aluminium sphere on a wall", {0.1, 2699.0, 7e10, 0.30, 0.0, 1.0}, 0.2, false}};
  Evidence evidence;
  for (const Case& one : cases) {
    const double approach = one.two ? 2.0 * one.speed : one.speed;
    const Hertz hertz(one.spheres, one.two, approach);
    const double dt = hertz.duration() / 1000.0;
    Series theory{"Hertz", {}};
    double overlap = 0.0, rate = approach;
    for (int k = 0; k <= 1000; ++k) {
      const double force = hertz.stiffness * std::pow(std::max(overlap, 0.0), 1.5);
      if (k % 20 == 0)
        theory.points.emplace_back(1e6 * k * dt, 1e-3 * force);
      rate -= dt * force / hertz.mass;
      overlap += dt * rate;
    }
    Plot plot{fmt::format("Elastic impact: {}", one.name), "time [us]", "force [kN]", {std::move(theory)}};
    for (const ContactCase& method : contact_cases(context)) {
      if (!method.physical)
        continue;
      Scene scene = impact_scene(method, one.spheres, one.spheres.friction, !one.two, approach);
      const double r = one.spheres.radius, h = scene.dt, m = one.spheres.mass();
      add_points(scene, r, {{0.0, 0.0, r}}, {0.0, 0.0, -one.speed});
      if (one.two)
        add_points(scene, r, {{0.0, 0.0, -r}}, {0.0, 0.0, one.speed});
      talus::Simulation simulation = simulate(context, scene);
      Series series{method.name, {}};
      double before = -one.speed, peak = 0.0, from = 0.0, until = 0.0;
      const auto substeps = static_cast<std::uint64_t>(method.substeps_of_collision());
      for (std::uint64_t k = 1; k < 2 * substeps; ++k) {
        simulation.advance(1);
        const double now = simulation.grains()[0].velocity.z, force = m * (now - before) / h;
        const double time = (static_cast<double>(k) - 0.5) * h;
        before = now;
        peak = std::max(peak, force);
        if (force > 1e-3 * hertz.force()) {
          from = from == 0.0 ? time - 0.5 * h : from;
          until = time + 0.5 * h;
        }
        if (k <= substeps + 3)
          series.points.emplace_back(1e6 * time, 1e-3 * force);
      }
      plot.series.push_back(std::move(series));
      const std::string by = fmt::format("{}, {}", method.name, one.name);
      evidence.measurements.push_back(
          near("speed of parting by that of approach", by, before / one.speed, 1.0, 3.3e-3));
      evidence.measurements.push_back(near("duration [us]", by, 1e6 * (until - from), 1e6 * hertz.duration(), 0.05));
      evidence.measurements.push_back(near("greatest force [kN]", by, 1e-3 * peak, 1e-3 * hertz.force(), 3.3e-3));
      if (one.two)
        evidence.shot = Shot{scene, {}};
    }
    evidence.plots.push_back(std::move(plot));
  }
  return evidence;
}

// Test 3: what is asked for comes out.
Evidence restitution(const LawContext& context) {
  const std::vector<double> asked =
      context.pick(std::vector{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, std::vector{0.4, 0.9});
  Evidence evidence;
  Plot plot{"Coefficient of restitution", "asked for", "measured", {{"as asked for", {{0.0, 0.0}, {1.0, 1.0}}}}};
  for (const ContactCase& method : contact_cases(context)) {
    Series series{method.name, {}, "points"};
    double off = 0.0;
    for (const double e : asked) {
      const Spheres spheres{0.0025, 3900.0, 3.8e11, 0.23, 0.0, e};
      const double out = after_wall(context, method, spheres, {{{0.0, 0.0, -3.9}, {}}})[0].velocity.z / 3.9;
      off = std::max(off, std::abs(out - e));
      series.points.emplace_back(e, out);
    }
    evidence.measurements.push_back(at_most("greatest deviation", method.name, off, 0.01));
    if (!evidence.shot)
      evidence.shot =
          Shot{wall_scene(method, {0.0025, 3900.0, 3.8e11, 0.23, 0.0, 0.5}, {{{0.0, 0.0, -3.9}, {}}}, 1), {}};
    plot.series.push_back(std::move(series));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// Test 4: 3.9 m/s under 17 angles. References are read from the figures of the paper, as the public tests of Kratos'
// DEM application have them: angle [deg], tangential restitution, spin [rad/s], angle of rebound [deg].
constexpr std::array<std::array<double, 4>, 13> oblique_reference{{{5, 0.9481, -19.27, 3.761},
                                                                   {10, 0.6870, -213.0, -1.556},
                                                                   {15, 0.6244, -377.8, -5.544},
                                                                   {20, 0.6161, -510.6, -7.538},
                                                                   {25, 0.6343, -599.4, -7.538},
                                                                   {30, 0.6837, -616.5, -3.550},
                                                                   {35, 0.7372, -582.3, 3.429},
                                                                   {40, 0.7809, -544.8, 11.57},
                                                                   {50, 0.8451, -457.0, 29.35},
                                                                   {60, 0.8929, -357.5, 47.79},
                                                                   {70, 0.9316, -246.2, 64.58},
                                                                   {80, 0.9662, -126.3, 78.70},
                                                                   {85, 0.9827, -63.15, 84.52}}};

Evidence oblique_impact(const LawContext& context) {
  const Spheres spheres{0.0025, 4000.0, 3.8e11, 0.23, 0.092, 0.98};
  const double speed = 3.9;
  const std::array<std::string, 3> names{"tangential restitution", "spin after [rad/s]", "angle of rebound [deg]"};
  const std::array<double, 3> bands{0.016, 0.022, 0.025};
  Evidence evidence;
  std::array<Points, 3> reference;
  for (const auto& row : oblique_reference)
    for (std::size_t q = 0; q < 3; ++q)
      reference[q].emplace_back(row[0], row[q + 1]);
  for (std::size_t q = 0; q < 3; ++q)
    evidence.plots.push_back({"Oblique impact on a wall",
                              "angle of incidence [deg]",
                              names[q],
                              {{"Chung and Ooi", reference[q], "points"}}});
  std::vector<Motion> launches;
  for (int k = 1; k <= 17; ++k)
    launches.push_back({speed * glm::dvec3(std::sin(5.0 * k * degree), 0.0, -std::cos(5.0 * k * degree)), {}});
  // Beyond this angle a ball slides throughout: tan a > 7/2 mu (1 + e).
  const double sliding = std::atan(3.5 * spheres.friction * (1.0 + spheres.restitution)) / degree;
  for (const ContactCase& method : contact_cases(context)) {
    const std::vector<Motion> after = after_wall(context, method, spheres, launches);
    if (!evidence.shot)
      evidence.shot = Shot{wall_scene(method, spheres, launches, 1), {}};
    std::array<Points, 3> measured;
    for (std::size_t k = 0; k < after.size(); ++k) {
      const double angle = 5.0 * static_cast<double>(k + 1),
                   surface = after[k].velocity.x - after[k].spin.y * spheres.radius;
      measured[0].emplace_back(angle, after[k].velocity.x / launches[k].velocity.x);
      measured[1].emplace_back(angle, -after[k].spin.y);
      measured[2].emplace_back(angle, std::atan(surface / after[k].velocity.z) / degree);
    }
    for (std::size_t q = 0; q < 3; ++q) {
      for (const bool all : {false, true}) {
        Points found, expected;
        for (const auto& point : reference[q])
          if (all || point.first > sliding) {
            expected.push_back(point);
            found.push_back(*std::ranges::find(measured[q], point.first, &std::pair<double, double>::first));
          }
        evidence.measurements.push_back(at_most(
            fmt::format("{}, relative error {}", names[q], all ? "over all angles" : "where it slides throughout"),
            method.name, relative_error(found, expected), bands[q]));
      }
      evidence.plots[q].series.push_back({method.name, std::move(measured[q]), "lines"});
    }
  }
  return evidence;
}

// Test 5: 5 m/s along the normal, under 17 angles. The spin in units of mu v_n / R over the speed along the wall in
// units of mu v_n, of steel, read from the paper's figure as above.
const Points steel_spin{{0.0578, -0.1055}, {0.3526, -0.4301}, {0.6821, -0.8197}, {0.9942, -1.250}, {1.341, -1.664},
                        {1.688, -2.094},   {2.0, -2.524},     {2.329, -2.978},   {2.988, -3.904},  {3.318, -4.293},
                        {3.994, -4.837},   {5.0, -5.007},     {6.006, -5.006},   {10.01, -5.004},  {20.0, -4.991}};

Evidence normal_speed(const LawContext& context) {
  const Spheres spheres{1e-5, 7850.0, 2.08e11, 0.3, 0.3, 1.0};
  const double approach = 5.0, unit = spheres.friction * approach;
  std::vector<Motion> launches;
  for (int k = 1; k <= 17; ++k)
    launches.push_back({{approach * std::tan(5.0 * k * degree), 0.0, -approach}, {}});
  Evidence evidence;
  Series slide{"slides throughout", {}};
  for (double x = 7.0; x < 20.0; x += 0.5)
    slide.points.emplace_back(x, -5.0);
  Plot plot{"Oblique impact at one normal speed",
            "speed along the wall / (mu v_n)",
            "R spin / (mu v_n)",
            {{"Chung and Ooi, steel", steel_spin, "points"}, std::move(slide)}};
  for (const ContactCase& method : contact_cases(context)) {
    const std::vector<Motion> after = after_wall(context, method, spheres, launches);
    if (!evidence.shot)
      evidence.shot = Shot{wall_scene(method, spheres, launches, 1), {}};
    Points spins, surfaces, spin_theory, surface_theory;
    Series series{method.name, {}};
    for (std::size_t k = 0; k < after.size(); ++k) {
      const double x = launches[k].velocity.x / unit, spin = -after[k].spin.y * spheres.radius / unit;
      if (x < 21.0)
        series.points.emplace_back(x, spin);
      if (x < 7.0)
        continue;
      spins.emplace_back(x, spin);
      spin_theory.emplace_back(x, -5.0);
      surfaces.emplace_back(x, (after[k].velocity.x - after[k].spin.y * spheres.radius) / unit);
      surface_theory.emplace_back(x, x - 7.0);
    }
    // Between the points of the figure by straight lines through what was measured.
    Points found, expected;
    for (const auto& [x, y] : steel_spin) {
      const auto next = std::ranges::find_if(series.points, [x = x](const auto& point) { return point.first > x; });
      if (next == series.points.begin() || next == series.points.end())
        continue;
      const auto last = next - 1;
      const double share = (x - last->first) / (next->first - last->first);
      found.emplace_back(x, last->second + share * (next->second - last->second));
      expected.emplace_back(x, y);
    }
    evidence.measurements.push_back(at_most("spin, relative error where it slides throughout", method.name,
                                            relative_error(spins, spin_theory), 0.02));
    evidence.measurements.push_back(at_most("speed of the surface after, relative error where it slides throughout",
                                            method.name, relative_error(surfaces, surface_theory), 0.02));
    evidence.measurements.push_back(
        at_most("spin, relative error over all angles (steel)", method.name, relative_error(found, expected), 0.02));
    plot.series.push_back(std::move(series));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// Tests 6 to 8: a ball that spins meets a wall, its like, or a ball five times as large, along the normal.
Evidence spinning_impact(const LawContext& context) {
  const Spheres spheres{0.1, 2700.0, 7e10, 0.33, 0.4, 0.5};
  const double approach = 0.4, r = spheres.radius, slides = 3.5 * spheres.friction * (1.0 + spheres.restitution);
  struct Partner {
    std::string name;
    double radius;  // in those of the ball; 0: a wall
  };
  const std::vector<Partner> partners{{"a wall", 0.0}, {"its like", 1.0}, {"one five times as large", 5.0}};
  Evidence evidence;
  for (const Partner& partner : partners) {
    // The effective mass of the contact divided by the mass of the ball.
    const double share = partner.radius == 0.0 ? 1.0 : 1.0 / (1.0 + std::pow(partner.radius, -3));
    Series theory{"slides throughout", {}};
    for (double x = slides; x < 12.0; x += 0.25)
      theory.points.emplace_back(x, share * spheres.friction * (1.0 + spheres.restitution));
    Plot plot{fmt::format("A spinning ball meets {}", partner.name),
              "slip before / approach",
              "speed across after / approach",
              {std::move(theory)}};
    for (const ContactCase& method : contact_cases(context)) {
      Series series{method.name, {}};
      Points across, across_theory, surface, surface_theory;
      for (int k = 1; k <= 17; ++k) {
        const double slip = approach * std::tan(5.0 * k * degree);
        Motion after;
        if (partner.radius == 0.0) {
          if (!evidence.shot)
            evidence.shot = Shot{wall_scene(method, spheres, {{{0.0, 0.0, -approach}, {0.0, slip / r, 0.0}}}, 1), {}};
          after = after_wall(context, method, spheres, {{{0.0, 0.0, -approach}, {0.0, slip / r, 0.0}}})[0];
        } else {
          Scene scene = impact_scene(method, spheres, spheres.friction, false, approach);
          const std::size_t phases = context.pick<std::size_t>(16, 4);
          for (std::size_t p = 0; p < phases; ++p) {
            const double y = 4.0 * r * std::max(partner.radius, 1.0) * static_cast<double>(p);
            add_points(
                scene, r,
                {{0.0, y, r + approach * scene.dt * (static_cast<double>(p) + 0.5) / static_cast<double>(phases)}},
                {0.0, 0.0, -approach});
            scene.grains.back().spin = {0.0, slip / r, 0.0};
            add_points(scene, r * partner.radius, {{0.0, y, -r * partner.radius}});
          }
          talus::Simulation simulation = simulate(context, scene);
          simulation.advance(method.steps_to_part());
          const auto grains = simulation.grains();
          for (std::size_t p = 0; p < phases; ++p) {
            after.velocity += glm::dvec3(grains[2 * p].velocity) / static_cast<double>(phases);
            after.spin += glm::dvec3(grains[2 * p].spin) / static_cast<double>(phases);
          }
        }
        const double x = slip / approach;
        series.points.emplace_back(x, after.velocity.x / approach);
        if (x < slides)
          continue;
        const double change = share * spheres.friction * (1.0 + spheres.restitution);  // of the speed across / approach
        across.emplace_back(x, after.velocity.x / approach);
        across_theory.emplace_back(x, change);
        surface.emplace_back(x, after.spin.y * r / approach);
        surface_theory.emplace_back(x, x - 2.5 * change);
      }
      const std::string by = fmt::format("{}, {}", method.name, partner.name);
      evidence.measurements.push_back(at_most("speed across, relative error where it slides throughout", by,
                                              relative_error(across, across_theory), 0.03));
      evidence.measurements.push_back(at_most("spin, relative error where it slides throughout", by,
                                              relative_error(surface, surface_theory), 0.03));
      plot.series.push_back(std::move(series));
    }
    evidence.plots.push_back(std::move(plot));
  }
  return evidence;
}

constexpr double ball_radius = 0.05, ball_friction = 0.3;

// A ball on a plane tilted by so many degrees, that sets off along it.
Scene ball_on_plane(const talus::Solver& solver, double degrees, double speed, double rolling) {
  Scene scene = floor_scene(solver, ball_friction, 200.0, 8, solver.iterations);
  scene.solver.substeps = 8;
  scene.domain.gravity = {g * std::sin(degrees * degree), 0.0, -g * std::cos(degrees * degree)};
  scene.domain.rolling_friction = rolling;
  add_points(scene, ball_radius, {{0.0, 0.0, ball_radius}}, {speed, 0.0, 0.0});
  return scene;
}

Evidence slide_to_roll(const LawContext& context) {
  const double speed = 1.0, expected = 2.0 * speed / (7.0 * ball_friction * g);
  Evidence evidence;
  Plot plot{"A ball that slides comes to roll",
            "time [s]",
            "speed [m/s]",
            {{"theory", {{0.0, speed}, {expected, 5.0 / 7.0 * speed}, {0.5, 5.0 / 7.0 * speed}}},
             {"theory, of its surface", {{0.0, 0.0}, {expected, 5.0 / 7.0 * speed}, {0.5, 5.0 / 7.0 * speed}}}}};
  for (const MethodCase& method : methods_of_laws(context)) {
    const Scene scene = ball_on_plane(method.solver, 0.0, speed, 0.0);
    if (!evidence.shot)
      evidence.shot = Shot{scene, {}};
    talus::Simulation simulation = simulate(context, scene);
    Series center{method.name, {}, "points"}, surface{method.name + ", of its surface", {}, "points"};
    Points slip;  // while it slides, but for the start and the end
    watch(simulation, 1.0, scene.dt, [&] {
      const talus::GrainState ball = simulation.grains()[0];
      const double v = ball.velocity.x, turns = ball.spin.y * ball_radius;
      if (v - turns > 0.1 * speed && v - turns < 0.9 * speed)
        slip.emplace_back(simulation.time(), v - turns);
      if (simulation.time() < 0.5 && simulation.step() % 4 == 0) {
        center.points.emplace_back(simulation.time(), v);
        surface.points.emplace_back(simulation.time(), turns);
      }
    });
    const Line line = fit_line(slip);
    evidence.measurements.push_back(
        near("speed when it rolls [m/s]", method.name, simulation.grains()[0].velocity.x, 5.0 / 7.0 * speed, 1e-3));
    evidence.measurements.push_back(
        near("time until it rolls [s]", method.name, -line.offset / line.slope, expected, 1e-2));
    plot.series.push_back(std::move(center));
    plot.series.push_back(std::move(surface));
  }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// m/s2, in the second second.
double acceleration(const LawContext& context, const Scene& scene) {
  talus::Simulation simulation = simulate(context, scene);
  go_on(simulation, 1.0);
  const double before = simulation.grains()[0].velocity.x;
  go_on(simulation, 2.0);
  return simulation.grains()[0].velocity.x - before;
}

Evidence incline(const LawContext& context) {
  const double rolling = 0.2;
  // Rolls without rolling friction; slides beyond tan a = 7/2 mu. With it the ball rests up to tan a = mu_r.
  const auto theory = [&](double degrees, double mu_r) {
    const double a = degrees * degree, down = std::sin(a), across = std::cos(a);
    if (down < mu_r * across)
      return 0.0;
    const double rolls = 5.0 / 7.0 * g * (down - mu_r * across), slides = g * (down - ball_friction * across);
    return std::max(rolls, slides);
  };
  const std::vector<double> degrees =
      context.pick(std::vector{5.0, 10.0, 20.0, 30.0, 40.0, 45.0, 48.0, 50.0, 60.0}, std::vector{20.0, 50.0});
  Evidence evidence;
  Plot plot{"A ball on an incline", "angle [deg]", "acceleration [m/s2]", {}};
  for (const double mu_r : {0.0, rolling}) {
    Series law{fmt::format("theory, rolling friction {:g}", mu_r), {}};
    for (double a = 0.0; a <= 60.0; a += 1.0)
      law.points.emplace_back(a, theory(a, mu_r));
    plot.series.push_back(std::move(law));
  }
  for (const MethodCase& method : methods_of_laws(context))
    for (const double mu_r : {0.0, rolling}) {
      Series series{fmt::format("{}, rolling friction {:g}", method.name, mu_r), {}, "points"};
      double off = 0.0;
      for (const double a : degrees) {
        const Scene scene = ball_on_plane(method.solver, a, 0.0, mu_r);
        if (!evidence.shot)
          evidence.shot = Shot{scene, {}};
        const double found = acceleration(context, scene);
        off = std::max(off, std::abs(found - theory(a, mu_r)) / (g * std::sin(a * degree)));
        series.points.emplace_back(a, found);
      }
      evidence.measurements.push_back(
          at_most("greatest deviation of the acceleration, in g sin a", series.name, off, 1e-3));
      plot.series.push_back(std::move(series));
    }
  evidence.plots.push_back(std::move(plot));
  return evidence;
}

// Four balls stand as a tetrahedron where friction bears it: tan(phi/2) between balls, sin(phi) = 1/sqrt(3), and a
// quarter of that on the floor.
Evidence pyramid(const LawContext& context) {
  const double r = 0.05, limit = std::sqrt(3.0) - std::sqrt(2.0), step = context.pick(0.005, 0.02);
  Evidence evidence;
  for (const MethodCase& method : methods_of_laws(context)) {
    Scene scene = floor_scene(method.solver, 0.5, 240.0, 8, method.solver.iterations);
    scene.solver.substeps = 8;
    scene.domain.friction_static = scene.domain.friction_kinetic = 0.5;
    scene.materials.clear();
    const double gap = 1.001;  // the three below do not touch one another
    int count = 0;
    for (double mu = limit - 0.06; mu < limit + 0.06; mu += step, ++count) {
      const double y = 24.0 * r * count,  // out of reach of those that fall
          ring = 2.0 / std::sqrt(3.0) * r * gap, top = std::sqrt(4.0 * r * r - ring * ring);
      scene.materials.push_back({.name = fmt::format("m{}", count), .friction_static = mu, .friction_kinetic = mu});
      scene.materials.back().color = {0.3f + 0.5f * static_cast<float>((mu - limit) / 0.06), 0.5f, 0.4f};
      std::vector<glm::dvec3> points{{0.0, y, r + top}};
      for (int k = 0; k < 3; ++k)
        points.push_back({ring * std::cos(2.0 * pi * k / 3.0), y + ring * std::sin(2.0 * pi * k / 3.0), r});
      add_points(scene, r, points);
      scene.grains.back().material = static_cast<std::uint32_t>(count);
    }
    talus::Simulation simulation = simulate(context, scene);
    go_on(simulation, 3.0);
    const std::vector<talus::GrainState> grains = simulation.grains();
    double standing = NAN;  // the least friction with which one stands, where all above it do
    for (int k = count; k-- > 0 && grains[4 * static_cast<std::size_t>(k)].position.z > 2.0 * r;)
      standing = scene.materials[static_cast<std::size_t>(k)].friction_static;
    evidence.measurements.push_back(near("least friction with which it stands", method.name, standing - 0.5 * step,
                                         limit, 0.02 + 0.5 * step / limit));
    if (method.solver.method == Method::dem) {
      const double middle = 12.0 * r * (count - 1);
      scene.camera.eye = glm::dvec3(-3.0, middle, 1.6);
      scene.camera.target = glm::dvec3(0.0, middle, 0.0);
      evidence.shot = Shot{scene, grains};
    }
  }
  return evidence;
}

}  // namespace

std::vector<Law> single_contact_laws() {
  const std::string group = "single contacts";
  return {
      {"hertz_impact", group, "Elastic normal impact",
       "Two spheres of limestone meet at 20 m/s, and an aluminium sphere meets a wall at 0.2 m/s, without damping. dem "
       "with a linear spring with which a collision lasts as long as Hertz's, and with contact = \"hertz\"; 60 and "
       "100 substeps. The force is the change of momentum in a substep.",
       chung_ooi + ", tests 1 and 2; Hertz 1882",
       "0.33 % of speed and force, as the public tests of Kratos' DEM application; 5 % of the duration, 3 substeps of "
       "60.",
       "At equal duration a linear spring's greatest force is 0.854 of that of Hertz's contact, and no stiffness gives "
       "both.",
       0.02, hertz_impact},
      {"restitution", group, "Restitution",
       "Spheres of aluminium oxide meet a wall at 3.9 m/s, in 16 phases of a substep.", chung_ooi + ", test 3",
       "0.01 of the mean over phases.",
       "dem finds the damping of linear springs for a contact that lasts a few substeps; with a softer contact of the "
       "material's own stiffness the same damping takes less.",
       0.02, restitution},
      {"oblique_impact", group, "Oblique impact under 17 angles",
       "A sphere of aluminium oxide meets a wall at 3.9 m/s, friction 0.092, restitution 0.98; means over 16 phases of "
       "a substep.",
       chung_ooi + ", test 4, values from the public tests of Kratos' DEM application",
       "Relative errors of 1.6, 2.2 and 2.5 %, as those tests; once over all angles, and once where theory says that "
       "the ball slides "
       "throughout.",
       "Where a ball sticks for a while, its rebound follows from the stiffness across the contact. That of dem's "
       "linear "
       "springs is 0.2 of that along it, which keeps beds of spinning grains at rest with long substeps "
       "(docs/numerics.md, dem, limits); Mindlin's is 0.87. vts and sp have none: the surface comes to rest.",
       0.05, oblique_impact},
      {"normal_speed", group, "Oblique impact at one normal speed",
       "A sphere of steel, 20 um across, meets a wall with 5 m/s along the normal, friction 0.3, restitution 1.",
       chung_ooi + ", test 5",
       "2 %, as the public tests of Kratos' DEM application, which compare where the ball slides throughout.",
       "All angles: as above for linear springs, vts and sp. Hertz and Mindlin follow the points of test 4 (oblique "
       "impact), which those of this figure contradict in the same units: at tan a/mu = 1.9 a ball turns by 1.5 there "
       "and by 2.4 here. With the stiffness of the substep a collision lasts some four substeps, and may pull in "
       "the last one: what "
       "pushes, and bears friction, is then 2 % more than what turns the ball back.",
       0.05, normal_speed},
      {"spinning_impact", group, "A ball that spins before impact",
       "An aluminium ball meets a wall, its like, and a ball of five times its radius at 0.4 m/s, friction 0.4, "
       "restitution 0.5.",
       chung_ooi + ", tests 6 to 8",
       "3 %, as the public tests of Kratos' DEM application, where the ball slides throughout.", "", 0.1,
       spinning_impact},
      {"slide_to_roll", group, "From sliding to rolling",
       "A ball is set off at 1 m/s without spin on a plane, friction 0.3.",
       "Coulomb: it rolls at 5/7 of its speed after 2 v/(7 mu g)",
       "0.1 % of the speed, as Chrono's unit tests; 1 % of the time.", "", 0.01, slide_to_roll},
      {"incline", group, "Rolling and sliding down an incline",
       "The acceleration of a ball under nine angles, friction 0.3, with rolling friction 0 and 0.2.",
       "Rigid bodies: 5/7 g (sin a - mu_r cos a), or g (sin a - mu cos a) where that is more; rest up to tan a = mu_r",
       "0.1 % of g sin a, as Chrono's unit tests.", "", 0.05, incline},
      {"pyramid", group, "A pyramid of four balls",
       "Pyramids of three balls with one on top, friction between balls from 0.26 to 0.38, on a floor of friction 0.5, "
       "watched for 3 s.",
       "Statics: it stands where the friction is at least tan(phi/2) = sqrt 3 - sqrt 2, phi the angle of the upper "
       "contacts to the vertical",
       "2 %, and half a step of the friction.",
       "With sp a pyramid needs more friction than that; the cause is not found.", 0.02, pyramid}};
}

}  // namespace bench
