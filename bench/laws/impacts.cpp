// A ball that falls into a bed of grains.
#include "bench/constants.h"
#include "bench/laws/soil_bed.h"
#include "bench/measure.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Scene;

// The angle of repose of these grains, by LAMMPS with the protocol of the case `repose` [degrees].
constexpr double repose_angle = 22.8;

// A fall, and what came of it. wide: into the bed of twice the edge.
struct Fall {
  double diameter, density;  // m, kg/m3, of the ball
  double height;             // m, h: from which its lowest point falls to the surface
  bool wide = false;
  double depth = NAN;  // m, of its lowest point below the surface at rest

  double total() const { return height + depth; }  // H of the law
  // d mu / ((rho_ball / rho_bed)^(1/2) D^(2/3) H^(1/3)), without dimension.
  double coefficient(double bed_density) const {
    return depth * std::tan(repose_angle * degree) /
           (std::sqrt(density / bed_density) * std::pow(diameter, 2.0 / 3.0) * std::cbrt(total()));
  }
};

talus::BodySpec ball_of(const Fall& fall) {
  talus::BodySpec ball;
  ball.name = "ball";
  ball.material = 0;
  ball.density = fall.density;
  ball.parts.push_back({.shape = talus::SpherePart{0.5 * fall.diameter}});
  return ball;
}

// Drops the ball at that place [m], and sets the depth. Gives the grains at the end.
std::vector<talus::GrainState> drop(const LawContext& context, const talus::Solver& solver, const SoilBed& bed,
                                    glm::dvec2 at, Fall& fall) {
  // The speed of sound of a bed of springs goes as overlap^-1/2. With 0.004 it is some 30 m/s, which the ball does not
  // come near; with the default of 0.015 it is half of that, and the ball has up to 5 m/s.
  Scene scene = scene_of(solver, rolling_soil, bed, forces_overlap, bed.surface + 4.0 * fall.diameter);
  scene.dt = 1.0 / 960.0;
  double top = bed.surface;  // of the grains below the ball
  for (const glm::dvec3& p : bed.places)
    if (glm::length(glm::dvec2(p) - at) < 0.5 * fall.diameter + 2.0 * soil_radius)
      top = std::max(top, p.z + soil_radius);
  const double lowest = top + 0.2 * soil_radius;
  scene.bodies.push_back(ball_of(fall));
  scene.bodies[0].position = {at.x, at.y, lowest + 0.5 * fall.diameter};
  scene.bodies[0].velocity.z = -std::sqrt(2.0 * g * std::max(bed.surface + fall.height - lowest, 0.0));
  talus::Simulation simulation = simulate(context, scene);
  if (go_on(simulation, 0.25))
    fall.depth = bed.surface - (simulation.body_state(0).pose.position.z - 0.5 * fall.diameter);
  return simulation.grains();
}

// The scene that the page offers: the ball goes up first, and falls once the grains below it are at rest.
Scene whole_scene(double edge, double depth, const Fall& fall) {
  Scene scene = soil_scene(talus::default_solver(talus::Method::dem), rolling_soil, glm::dvec2(edge), depth, {});
  const double half = 0.5 * fall.diameter, highest = depth + fall.height + half;
  const double start = std::min(scene.domain.max.z + half, highest);  // above the grains as they are placed
  scene.bodies.push_back(ball_of(fall));
  scene.bodies[0].position = {0.5 * edge, 0.5 * edge, start};
  scene.bodies[0].velocity.z = std::sqrt(2.0 * g * (highest - start));
  scene.domain.max.z = highest + half;
  scene.end = scene.bodies[0].velocity.z / g + std::sqrt(2.0 * fall.height / g) + 0.4;
  return scene;
}

Evidence impact(const LawContext& context) {
  const double d = 2.0 * soil_radius;
  // Six diameters of a ball. In a bed of four the same ball went 12 % less deep than in one of eight.
  const double edge = context.pick(48.0, 16.0) * d, depth = context.pick(20.0, 12.0) * d;
  const double large = context.pick(8.0, 4.0) * d;
  std::vector<Fall> falls{{large, 2500.0, 0.1}, {large, 2500.0, 0.6}};
  if (!context.quick)
    falls = {{large, 2500.0, 0.04},       {large, 2500.0, 0.1},      {large, 2500.0, 0.25}, {large, 2500.0, 0.6},
             {large, 2500.0, 1.4},        {large, 1000.0, 0.6},      {large, 5000.0, 0.6},  {0.75 * large, 2500.0, 0.6},
             {1.25 * large, 2500.0, 0.6}, {large, 2500.0, 0.6, true}};
  constexpr std::size_t standard = 3;  // the fall whose neighbours differ in one thing each
  const std::size_t highest = context.pick<std::size_t>(4, 1);
  const SoilBed bed =
      settled_soil(context, rolling_soil, glm::dvec2(edge), depth, {}, glm::dvec2(0.0), glm::dvec2(edge));
  const SoilBed wide = context.quick ? SoilBed{} : copies_of(bed, 2, 2);
  const glm::dvec2 place(0.5 * edge);  // the same among the grains of either bed
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Fall> done = for_each_method(falls, methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    std::vector<talus::GrainState> grains =
        drop(context, methods[i / falls.size()].solver, done[i].wide ? wide : bed, place, done[i]);
    if (i == highest) {
      const std::lock_guard lock(mutex);
      Scene whole = whole_scene(edge, depth, falls[highest]);
      whole.camera.eye = glm::dvec3(0.5 * edge, -1.1 * edge, 1.7 * edge);
      whole.camera.target = glm::dvec3(0.5 * edge, 0.5 * edge, 0.5 * edge);
      Scene drawn = whole;
      drawn.bodies[0].position.z = bed.surface - done[i].depth + 0.5 * done[i].diameter;
      evidence.shot = Shot{std::move(whole), std::move(grains), std::move(drawn)};
    }
  });
  Plot plot{"A ball falls into a bed", "(rho_ball / rho_bed)^(1/2) D^(2/3) H^(1/3) / mu [mm]", "depth d [mm]", {}};
  plot.series.push_back({"Uehara et al. 2003", {{0.0, 0.0}, {900.0, 0.14 * 900.0}}});
  Plot powers{"Depth by the total drop", "H = h + d [m]", "depth d [mm]", {}, true, true};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * falls.size(), falls.size());
    Points by_height, by_density, by_size;
    Series all{by, {}, "points"}, drops{by, {}, "linespoints"};
    double sum = 0.0, n = 0.0, least = INFINITY, greatest = 0.0;
    for (const Fall& fall : own) {
      if (fall.wide)
        continue;
      const double c = fall.coefficient(bed.density);
      all.points.emplace_back(1e3 * fall.depth / c, 1e3 * fall.depth);
      sum += c;
      ++n;
      least = std::min(least, c);
      greatest = std::max(greatest, c);
      if (fall.diameter == large && fall.density == 2500.0) {
        by_height.emplace_back(std::log(fall.total()), std::log(fall.depth));
        drops.points.emplace_back(fall.total(), 1e3 * fall.depth);
      }
      // At one h the total drop differs by the depth, which the law itself takes out.
      if (fall.height == 0.6 && fall.diameter == large)
        by_density.emplace_back(std::log(fall.density), std::log(fall.depth / std::cbrt(fall.total())));
      if (fall.height == 0.6 && fall.density == 2500.0)
        by_size.emplace_back(std::log(fall.diameter), std::log(fall.depth / std::cbrt(fall.total())));
    }
    const double mean = sum / n;
    evidence.measurements.push_back(near("power of the total drop H", by, fit_line(by_height).slope, 1.0 / 3.0, 0.1));
    if (by_density.size() > 1)
      evidence.measurements.push_back(near("power of the ball's density", by, fit_line(by_density).slope, 0.5, 0.1));
    if (by_size.size() > 1)
      evidence.measurements.push_back(
          near("power of the ball's diameter", by, fit_line(by_size).slope, 2.0 / 3.0, 0.1));
    evidence.measurements.push_back(near("coefficient, mean of all falls", by, mean, 0.14, 0.2));
    evidence.measurements.push_back(at_most("greatest deviation of a fall from that mean", by,
                                            std::max(greatest / mean, 2.0 - least / mean) - 1.0, 0.2));
    if (!context.quick)
      evidence.measurements.push_back(near("depth in a bed of twice the width by that in the other", by,
                                           own.back().depth / own[standard].depth, 1.0, 0.03));
    plot.series.push_back(std::move(all));
    powers.series.push_back(std::move(drops));
  }
  Series law{"Uehara et al. 2003", {}};
  for (double total = 0.05; total < 2.0; total *= 1.1)
    law.points.emplace_back(total, 1e3 * 0.14 / std::tan(repose_angle * degree) * std::sqrt(2500.0 / bed.density) *
                                       std::pow(large, 2.0 / 3.0) * std::cbrt(total));
  powers.series.push_back(std::move(law));
  evidence.plots = {std::move(plot), std::move(powers)};
  return evidence;
}

}  // namespace

std::vector<Law> impact_laws() {
  return {{"impact", "impact", "A ball falls into a bed",
           "A bed of 10 mm grains, 48 grains wide, with periodic sides and 20 grains deep; friction 0.5, rolling "
           "friction 0.1. Balls of 60, 80 and 100 mm with densities of 1000, 2500 and 5000 kg/m3 fall from 0.04 to 1.4 "
           "m. The depth d is that of the lowest point 0.25 s after the impact, below the height "
           "at which a bed of even packing would end. The bed that is doubled is four of them side by side.",
           "Uehara, Ambroso, Ojha and Durian 2003, Low-speed impact craters in loose granular media, Physical Review "
           "Letters 90, 194301: d = 0.14/mu (rho_ball/rho_bed)^(1/2) D^(2/3) H^(1/3), with H = h + d, the density "
           "rho_bed of the bulk and mu the tangent of the angle of repose, here that of LAMMPS in the case repose, "
           "22.8 degrees; the powers confirmed by Ambroso, Kamien and Durian 2005, Physical Review E 72, 041305",
           "10 % of each power, 20 % of the coefficient and of the falls about their mean; 3 % where the bed is "
           "doubled.",
           "The balls are 6 to 10 grains wide, far fewer than those of the experiments. Why small and light ones go "
           "less deep "
           "than the law says is not known.",
           4.0, impact}};
}

}  // namespace bench
