// A punch and a cone that go down into a bed.
#include "bench/constants.h"
#include "bench/laws/soil_bed.h"
#include "bench/measure.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Scene;

constexpr double punch_overlap = 0.001;  // radii: grains below a punch bear much more than the bed at rest

// A punch with a flat end, or a cone with its tip down and a shaft above.
enum class Tip { flat, cone };

struct Push {
  Tip tip;
  double radius;  // m, of the shaft
  Soil soil;
  double speed = tool_speed;       // m/s
  double overlap = punch_overlap;  // radii, at rest
  bool wide = false;               // in a bed of twice the width both ways
  std::string which{};             // how the push differs from the first one; empty: not in one thing alone
  // m, N: depth of the lowest point below the surface, upward force, the mean of the pushes at all places.
  Points course{};

  double cone_height() const { return 2.0 * radius; }
  // m3, of the part of the tool below the surface.
  double volume(double depth) const {
    if (tip == Tip::flat)
      return pi * radius * radius * depth;
    const double within = std::min(depth, cone_height()), at = radius * within / cone_height();
    return pi * at * at * within / 3.0 + pi * radius * radius * (depth - within);
  }
  // m, the greatest depth, and that from where the line is fitted. A wider punch goes no deeper, since the floor of
  // the bed would bear it.
  double end() const { return tip == Tip::flat ? std::min(4.0 * radius, 11.0 * soil_size) : cone_height(); }
  double start() const { return (tip == Tip::flat ? 0.25 : 0.4) * end(); }
};

// Its lowest point is the origin.
talus::BodySpec body_of(const Push& push) {
  talus::BodySpec body;
  body.name = "tool";
  body.material = 0;
  const double length = push.end() + 10.0 * soil_size, below = push.tip == Tip::cone ? push.cone_height() : 0.0;
  if (push.tip == Tip::cone)
    body.parts.push_back({.shape = talus::ConePart{push.radius, 0.0, push.cone_height()},
                          .position = {0.0, 0.0, 0.5 * below},
                          .rotation = {180.0, 0.0, 0.0}});
  body.parts.push_back(
      {.shape = talus::ConePart{push.radius, push.radius, length}, .position = {0.0, 0.0, below + 0.5 * length}});
  return body;
}

// Goes down at so many places of the bed, one push after another. Gives the grains at the end of the last one.
std::vector<talus::GrainState> push_down(const LawContext& context, const talus::Solver& solver, const SoilBed& bed,
                                         int places, Push& push) {
  const double highest = bed.surface + 2.0 * soil_size;
  std::vector<talus::GrainState> grains;
  for (int place = 0; place < places; ++place) {
    SoilBed shifted = bed;
    for (glm::dvec3& p : shifted.places)
      for (int axis = 0; axis < 2; ++axis)
        p[axis] = std::fmod(p[axis] + 0.5 * place * bed.size[axis], bed.size[axis]);
    Scene scene = scene_of(solver, push.soil, shifted, push.overlap, highest + push.end() + 12.0 * soil_size);
    scene.bodies = {body_of(push)};
    scene.bodies[0].position = {0.5 * bed.size.x, 0.5 * bed.size.y, highest};
    scene.bodies[0].velocity.z = -push.speed;
    talus::Simulation simulation = simulate(context, scene);
    double sum = 0.0, steps = 0.0, last = -0.5 * soil_radius;
    std::size_t n = 0;
    watch(simulation, (highest - bed.surface + push.end()) / push.speed, scene.dt, [&] {
      sum += simulation.body_loads()[0].force.z;
      ++steps;
      const double depth = bed.surface - simulation.body_state(0).pose.position.z;
      if (depth < last + 0.5 * soil_radius)
        return;
      if (depth > 0.0) {
        if (n == push.course.size())
          push.course.emplace_back(depth - 0.25 * soil_radius, 0.0);
        push.course[n++].second += sum / steps / places;
      }
      last = depth;
      sum = steps = 0.0;
    });
    grains = simulation.grains();
  }
  return grains;
}

// These results follow from the force over the depth of a push.
struct Resistance {
  double factor = NAN;  // K of F = K rho g V + F_0
  double fit = NAN;     // share of the variance that this line explains
  double power = NAN;   // of the depth
  double level = NAN;   // mean force by the mean weight of the displaced bulk
};
Resistance resistance_of(const Push& push, double density) {
  Points line, powers;
  for (const auto& [depth, force] : push.course)
    if (depth > push.start()) {
      line.emplace_back(density * g * push.volume(depth), force);
      powers.emplace_back(std::log(depth), std::log(std::max(force, 1e-9)));
    }
  if (line.size() < 3)
    return {};
  const Line fitted = fit_line(line);
  double mean = 0.0, displaced = 0.0, residual = 0.0, total = 0.0;
  for (const auto& [weight, force] : line) {
    mean += force / static_cast<double>(line.size());
    displaced += weight / static_cast<double>(line.size());
  }
  for (const auto& [weight, force] : line) {
    residual += std::pow(force - fitted.offset - fitted.slope * weight, 2);
    total += std::pow(force - mean, 2);
  }
  return {fitted.slope, 1.0 - residual / total, fit_line(powers).slope, mean / displaced};
}

// N_q of a strip (Prandtl 1921, Reissner 1924) times the shape factor of a circle, 1 + tan(phi) (De Beer 1970).
double bearing_factor(double angle) {
  const double t = std::tan(angle);
  return std::exp(pi * t) * std::pow(std::tan(0.25 * pi + 0.5 * angle), 2) * (1.0 + t);
}

Evidence penetration(const LawContext& context) {
  const double d = soil_size, radius = context.pick(3.0, 2.0) * d;
  const double edge = context.pick(24.0, 12.0) * d, depth = context.pick(20.0, 14.0) * d;
  std::vector<Soil> soils{rolling_soil};
  std::vector<Push> pushes{{Tip::flat, radius, rolling_soil}};
  if (!context.quick) {
    soils = {rolling_soil, rough_soil, smooth_soil};
    const auto add = [&](const char* which, auto change) {
      Push push{Tip::flat, radius, rolling_soil};
      push.which = which;
      change(push);
      pushes.push_back(std::move(push));
    };
    add("", [](Push& p) { p.soil = rough_soil; });
    add("", [](Push& p) { p.soil = smooth_soil; });
    add("", [](Push& p) {
      p.tip = Tip::cone;
      p.radius = 0.05;
    });
    add("of a punch half as wide again", [](Push& p) { p.radius *= 1.5; });
    add("in a bed twice as wide", [](Push& p) { p.wide = true; });
    add("at twice the speed", [](Push& p) { p.speed *= 2.0; });
    add("with the overlap of accuracy = \"forces\"", [](Push& p) { p.overlap = forces_overlap; });
    add("with the overlap of accuracy = \"fast\"",
        [](Push& p) { p.overlap = talus::overlap_of(talus::Accuracy::fast); });
  }
  std::vector<SoilBed> beds(soils.size());
  in_parallel(context, soils.size(), [&](std::size_t i) {
    beds[i] = settled_soil(context, soils[i], glm::dvec2(edge), depth, {}, {0.4 * edge, soil_radius},
                           {0.9 * edge, edge - soil_radius});
  });
  const auto bed_of = [&](const Push& push) -> const SoilBed& {
    const auto found = std::ranges::find_if(soils, [&](const Soil& soil) {
      return soil.friction == push.soil.friction && soil.rolling == push.soil.rolling;
    });
    return beds[static_cast<std::size_t>(found - soils.begin())];
  };
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Push> done = for_each_method(pushes, methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    const SoilBed& bed = bed_of(done[i]);
    std::vector<talus::GrainState> grains =
        push_down(context, methods[i / pushes.size()].solver, done[i].wide ? copies_of(bed, 2, 2) : bed,
                  context.pick(2, 1), done[i]);
    if (i == 0) {
      const std::lock_guard lock(mutex);
      // The tool waits above the grains as they are placed, and goes down once they are at rest.
      Scene whole = soil_scene(methods[0].solver, rolling_soil, glm::dvec2(edge), depth, {body_of(done[0])});
      whole.solver.overlap = done[0].overlap;
      const double rest = whole.end, start = whole.domain.max.z, way = start - bed.surface + done[0].end();
      whole.bodies[0].position = {0.5 * edge, 0.5 * edge, start};
      whole.end = rest + way / tool_speed;
      whole.bodies[0].motion = talus::Keyframes{{{rest, glm::dvec3(0.0)}, {whole.end, glm::dvec3(0.0, 0.0, -way)}},
                                                talus::Interpolation::linear};
      whole.domain.max.z = start + done[0].end() + 12.0 * d;
      whole.camera.eye = glm::dvec3(0.5, -1.2, 1.7) * edge;
      whole.camera.target = glm::dvec3(0.5, 0.5, 0.6) * edge;
      Scene drawn = whole;
      drawn.bodies[0].motion = std::monostate{};
      drawn.bodies[0].position.z = bed.surface - done[0].end();
      evidence.shot = Shot{std::move(whole), std::move(grains), std::move(drawn)};
    }
  });
  Plot courses{"Penetration", "weight of the displaced bulk [N]", "force [N]", {}};
  Plot factors{"Resistance by the angle of friction", "angle of internal friction [deg]", "K", {}};
  Series bearing{"N_q (1 + tan phi)", {}};
  for (double angle = 10.0; angle < 30.5; ++angle)
    bearing.points.emplace_back(angle, bearing_factor(angle * degree));
  factors.series.push_back(std::move(bearing));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * pushes.size(), pushes.size());
    const Resistance first = resistance_of(own[0], bed_of(own[0]).density);
    Series measured{by, {}, "points"};
    for (const Push& push : own) {
      const double density = bed_of(push).density;
      const Resistance resistance = resistance_of(push, density);
      if (!push.which.empty()) {
        evidence.measurements.push_back(
            near("force by displaced weight, " + push.which + ", by that of the first punch", by,
                 resistance.level / first.level, 1.0, 0.05));
        continue;
      }
      const std::string name =
          fmt::format("{}, friction {:g}, rolling friction {:g}", push.tip == Tip::cone ? "cone" : "punch",
                      push.soil.friction, push.soil.rolling);
      Series course{fmt::format("{}, {}, {:g}, {:g}", by, push.tip == Tip::cone ? "cone" : "punch", push.soil.friction,
                                push.soil.rolling),
                    {}};
      for (const auto& [at, force] : push.course)
        course.points.emplace_back(density * g * push.volume(at), force);
      courses.series.push_back(std::move(course));
      if (push.tip == Tip::cone) {
        evidence.measurements.push_back(near("power of the depth, " + name, by, resistance.power, 3.0, 0.15));
        evidence.measurements.push_back(
            near("K of the cone by that of the punch", by, resistance.factor / first.factor, 1.0, 0.25));
      } else {
        evidence.measurements.push_back(
            near("K, " + name, by, resistance.factor, bearing_factor(push.soil.angle()), 0.3));
        measured.points.emplace_back(push.soil.angle() / degree, resistance.factor);
      }
      evidence.measurements.push_back(
          between("share of the force by depth that a line explains, " + name, by, resistance.fit, 0.97, 1.0));
    }
    factors.series.push_back(std::move(measured));
  }
  evidence.plots = {std::move(courses), std::move(factors)};
  return evidence;
}

}  // namespace

std::vector<Law> penetration_laws() {
  return {
      {"penetration", soil_group, "Penetration of a punch and a cone",
       soil_grains +
           "The bed is 24 d wide and 20 d deep. A punch with a flat end, 6 d wide, and a cone, 10 d wide and high, "
           "go down at 0.1 m/s, each at two places, with a mean overlap of the bed at rest of 0.001. K is the slope "
           "of the force by the weight of the displaced bulk, from a depth of 2.75 d to 11 d of the punch and from "
           "4 d to 10 d of the cone. The punch also goes into beds of less friction.",
       "Kang, Feng, Liu and Blumenfeld 2018, Archimedes' law explains penetration of solids into granular "
       "media, Nature Communications 9, 1101: F = K(phi) rho g V + F_0 for every convex body, V its volume "
       "below the surface, so that the force goes as the depth of a punch and as the third power of that of a "
       "cone. K is held against the bearing capacity of a circular footing, N_q (1 + tan(phi)) with N_q = "
       "exp(pi tan(phi)) tan^2(45 deg + phi/2) (Prandtl 1921, Reissner 1924, De Beer 1970). " +
           soil_angle,
       "30 % of K, by as much as theories of the bearing capacity differ; 15 % of the power of the cone, 25 % "
       "of its K by that of the punch; the line explains 97 % of the force. 5 % of the mean force by the mean "
       "displaced weight where the punch, the bed, the speed or the stiffness is another.",
       "The force is a line over the displaced weight, and K grows with the friction as the theory has it, 1.6 "
       "to 1.9 times as large for all three. Two things that the theory leaves out come to as much: a punch 6 d "
       "wide bears as if it were one grain wider, which is 1.36 times its area and 10 % less of a punch half as "
       "wide again; and the depth factor 1 + 2 tan(phi) (1 - sin(phi))^2 atan(depth / width) (Hansen 1970) is "
       "1.1 to 1.3. The forces of so few grains scatter about the line, more with more friction. Grains below a "
       "punch overlap much more than the bed at rest: the springs of accuracy = \"forces\" take 15 % from the "
       "force, those of \"fast\" 40 %. Whether the bed of twice the width differs by more than chance is not "
       "known.",
       9.0, penetration}};
}

}  // namespace bench
