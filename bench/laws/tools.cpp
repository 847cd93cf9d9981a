// Tools in a bed: a punch and a cone that go down, a blade that goes along, a plate that is pulled up.
#include "bench/constants.h"
#include "bench/laws/bulk.h"
#include "bench/measure.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Scene;

constexpr double soil_radius = 0.005;     // m, of a grain
constexpr double soil_size = 0.01;        // m, diameter d of a grain
constexpr double soil_density = 2500.0;   // kg/m3, that of bulk_scene
constexpr double tool_speed = 0.1;        // m/s
constexpr double forces_overlap = 0.004;  // radii, that of solver.accuracy = "forces"
constexpr double punch_overlap = 0.001;   // radii, of pushes: grains below a punch bear much more than the bed at rest

// Friction of the grains with each other and with the tool, and the ratio of shear stress to normal stress that the
// case direct_shear measured with dem.
struct Soil {
  double friction, rolling, stress_ratio;

  // The angle of internal friction [rad]. In simple shear without dilation the plane of shear has the greatest shear
  // stress, so that the ratio of stresses on it is sin(phi) (Davis 1968).
  double angle() const { return std::asin(stress_ratio); }
};
constexpr Soil rolling_soil{0.5, 0.1, 0.464}, rough_soil{0.5, 0.0, 0.361}, smooth_soil{0.1, 0.0, 0.265};

// A bed with periodic sides that has come to rest.
struct SoilBed {
  glm::dvec2 size;                 // m, along x and y
  double surface = NAN;            // m, height at which a bed of even packing would end
  double density = NAN;            // kg/m3, of the bulk
  std::vector<glm::dvec3> places;  // m, of the grains' centres
};

// Grains that fall from a loose packing, and come to rest around the bodies.
Scene soil_scene(const talus::Solver& solver, const Soil& soil, glm::dvec2 size, double depth,
                 const std::vector<talus::BodySpec>& bodies) {
  Scene scene = bulk_scene(solver, soil.friction, soil.rolling);
  scene.solver.overlap = forces_overlap;
  const double loose = depth * 0.58 / 0.3;
  scene.domain.axis = {talus::Axis::periodic, talus::Axis::periodic, talus::Axis::wall};
  scene.domain.min = {0.0, 0.0, 0.0};
  scene.domain.max = {size.x, size.y, loose + 5.0 * soil_size};
  scene.grains.push_back(group_of(soil_radius, talus::BoxFill{{0.0, 0.0, 0.0}, {size.x, size.y, loose}},
                                  static_cast<unsigned>(0.58 * size.x * size.y * depth / volume_of(soil_radius))));
  scene.bodies = bodies;
  scene.end = std::sqrt(2.0 * loose / g) + 0.4;
  return scene;
}

// The packing is measured from the share `clear` of the length on, where no tool is.
SoilBed settled_soil(const LawContext& context, const Soil& soil, glm::dvec2 size, double depth,
                     const std::vector<talus::BodySpec>& bodies, double clear) {
  const Scene scene = soil_scene(talus::default_solver(talus::Method::dem), soil, size, depth, bodies);
  talus::Simulation simulation = simulate(context, scene);
  go_on(simulation, scene.end);
  SoilBed bed{size};
  const std::vector<talus::GrainState> grains = simulation.grains();
  double mean = 0.0;
  for (const talus::GrainState& grain : grains) {
    bed.places.emplace_back(grain.position);
    mean += grain.position.z / static_cast<double>(grains.size());
  }
  bed.surface = 2.0 * mean;
  bed.density = soil_density * packing_fraction(grains, {clear * size.x, soil_radius, 0.2 * depth},
                                                {0.9 * size.x, size.y - soil_radius, 0.8 * depth});
  return bed;
}

// So many copies side by side: a bed that is periodic stays at rest.
SoilBed copies_of(const SoilBed& bed, int along_x, int along_y) {
  SoilBed all{bed.size * glm::dvec2(along_x, along_y), bed.surface, bed.density, {}};
  for (int x = 0; x < along_x; ++x)
    for (int y = 0; y < along_y; ++y)
      for (const glm::dvec3& p : bed.places)
        all.places.emplace_back(p.x + x * bed.size.x, p.y + y * bed.size.y, p.z);
  return all;
}

// The scene that goes on from a bed at rest.
Scene scene_of(const talus::Solver& solver, const Soil& soil, const SoilBed& bed, double overlap, double highest) {
  Scene scene = soil_scene(solver, soil, bed.size, bed.surface, {});
  scene.grains.clear();
  add_points(scene, soil_radius, bed.places);
  scene.domain.max.z = highest;
  scene.solver.overlap = overlap;
  return scene;
}

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

// Of a push, what its course says.
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
  in_parallel(context, soils.size(),
              [&](std::size_t i) { beds[i] = settled_soil(context, soils[i], glm::dvec2(edge), depth, {}, 0.4); });
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

// A vertical blade across a bed that is periodic across, which goes along x.
struct Cut {
  double depth;  // m, from the surface to the edge of the blade, as asked for
  Soil soil = rolling_soil;
  double speed = tool_speed;        // m/s
  double overlap = forces_overlap;  // radii
  int widths = 1;                   // of the bed
  std::string which{};              // how the cut differs from the middle one; empty: in the depth alone
  double actual = NAN;              // m, depth
  double force = NAN, law = NAN;    // N: mean force against the way, and that of the trial wedges
  double lift = NAN;                // vertical force by the horizontal one
  double whole = NAN;               // force on both plates by that on the front one
  Points course{}, law_course{};    // way / depth, force / (rho g w depth^2 / 2)
};

constexpr double plate_thickness = 0.005;          // m, of each of the two
constexpr double first_way = 1.0, last_way = 2.0;  // depths, between which forces are averaged

// A front plate, whose load is the thrust of the wedge ahead, and a rear one, which bears what leans on the blade from
// behind. The origin of each is the middle of its lower edge.
std::vector<talus::BodySpec> blade_of(double edge_height, double at, double width, double height) {
  std::vector<talus::BodySpec> plates;
  for (const char* name : {"blade", "back"}) {
    talus::BodySpec plate;
    plate.name = name;
    plate.material = 0;
    plate.position = {plates.empty() ? at : at - plate_thickness, 0.5 * width, edge_height};
    plate.parts.push_back(
        {.shape = talus::BoxPart{{plate_thickness, 1.2 * width, height}}, .position = {0.0, 0.0, 0.5 * height}});
    plates.push_back(std::move(plate));
  }
  return plates;
}

// The thrust on a vertical blade [N] by Coulomb's trial wedges, each of the weight W of the grains above a plane that
// rises from the blade's edge at an angle b: F = W tan(b + phi) / (1 - tan(delta) tan(b + phi)), and the least of them
// (McKyes 1985, with the weight of the heap as the surcharge).
double wedge_force(const std::vector<talus::GrainState>& grains, double front, double edge_height, double length,
                   double angle, double tan_delta) {
  constexpr int trials = 60;
  const double weight = soil_density * volume_of(soil_radius) * g;
  std::array<double, trials> weights{};
  const auto slope_of = [](int k) { return (10.0 + k) * degree; };
  for (const talus::GrainState& grain : grains) {
    double ahead = grain.position.x - front;
    ahead -= length * std::floor(ahead / length);
    const double above = grain.position.z - edge_height;
    // Grains behind the blade are far ahead of it across the periodic sides.
    if (above <= 0.0 || ahead > 0.7 * length)
      continue;
    for (int k = 0; k < trials && above > ahead * std::tan(slope_of(k)); ++k)
      weights[static_cast<std::size_t>(k)] += weight;
  }
  double least = INFINITY;
  for (int k = 0; k < trials; ++k) {
    const double t = std::tan(slope_of(k) + angle);
    if (slope_of(k) + angle < 0.49 * pi && tan_delta * t < 0.9)
      least = std::min(least, weights[static_cast<std::size_t>(k)] * t / (1.0 - tan_delta * t));
  }
  return least;
}

struct CutBed {
  double length, width, depth, edge_height, at, height;  // m
};
CutBed cut_bed(const LawContext& context, const Cut& cut) {
  const double d = soil_size, depth = context.pick(20.0, 10.0) * d;
  // The bed settles to some 1.03 of the depth that its number of grains is chosen for.
  return {context.pick(110.0, 45.0) * d, 8.0 * d,  depth,
          1.03 * depth - cut.depth,      12.0 * d, 4.0 * cut.depth + 10.0 * d};
}

std::optional<Shot> go_along(const LawContext& context, const talus::Solver& solver, Cut& cut) {
  const CutBed size = cut_bed(context, cut);
  const std::vector<talus::BodySpec> blade = blade_of(size.edge_height, size.at, size.width, size.height);
  const SoilBed one = settled_soil(context, cut.soil, {size.length, size.width}, size.depth, blade, 0.4);
  const SoilBed bed = copies_of(one, 1, cut.widths);
  const double width = bed.size.y;
  cut.actual = bed.surface - size.edge_height;
  Scene scene = scene_of(solver, cut.soil, bed, cut.overlap, size.edge_height + size.height + 5.0 * soil_size);
  scene.bodies = blade_of(size.edge_height, size.at, width, size.height);
  for (talus::BodySpec& plate : scene.bodies)
    plate.velocity.x = cut.speed;
  talus::Simulation simulation = simulate(context, scene);
  const double unit = 0.5 * bed.density * g * width * cut.actual * cut.actual;
  struct Sample {
    double way, force, lift;  // depths, N, N
    std::vector<talus::GrainState> grains;
    double front;  // m
  };
  std::vector<Sample> samples;
  glm::dvec3 on_front(0.0), on_back(0.0), sum_front(0.0), sum_back(0.0);
  double steps = 0.0, last = 0.0;
  const bool stable = watch(simulation, last_way * cut.actual / cut.speed, scene.dt, [&] {
    const std::vector<talus::BodyLoad> loads = simulation.body_loads();
    on_front += glm::dvec3(loads[0].force);
    on_back += glm::dvec3(loads[1].force);
    ++steps;
    const double moved = simulation.time() * cut.speed / cut.actual;
    if (moved < last + 0.05)
      return;
    last = moved;
    if (moved > first_way) {
      sum_front += on_front;
      sum_back += on_back;
    }
    samples.push_back({moved - 0.025, -on_front.x / steps, on_front.z / steps, simulation.grains(),
                       size.at + 0.5 * plate_thickness + simulation.time() * cut.speed});
    on_front = on_back = glm::dvec3(0.0);
    steps = 0.0;
  });
  if (!stable)
    return std::nullopt;
  cut.lift = -sum_front.z / sum_front.x;
  cut.whole = (sum_front.x + sum_back.x) / sum_front.x;
  double force = 0.0, law = 0.0, count = 0.0;
  for (const Sample& sample : samples) {
    const double thrust =
        wedge_force(sample.grains, sample.front, size.edge_height, size.length, cut.soil.angle(), cut.lift);
    cut.course.emplace_back(sample.way, sample.force / unit);
    cut.law_course.emplace_back(sample.way, thrust / unit);
    if (sample.way > first_way) {
      force += sample.force;
      law += thrust;
      ++count;
    }
  }
  cut.force = force / count / width;
  cut.law = law / count / width;
  Scene whole = soil_scene(solver, cut.soil, {size.length, size.width}, size.depth, blade);
  const double rest = whole.end, way = last_way * cut.actual;
  whole.end = rest + way / tool_speed;
  for (talus::BodySpec& plate : whole.bodies)
    plate.motion = talus::Keyframes{{{rest, glm::dvec3(0.0)}, {whole.end, glm::dvec3(way, 0.0, 0.0)}},
                                    talus::Interpolation::linear};
  whole.output.color_by = talus::ColorBy::speed;
  whole.camera.eye = glm::dvec3(0.45 * size.length, -0.55 * size.length, 0.45 * size.length);
  whole.camera.target = glm::dvec3(0.4 * size.length, 0.0, 0.6 * size.depth);
  Scene drawn = whole;
  for (talus::BodySpec& plate : drawn.bodies) {
    plate.motion = std::monostate{};
    plate.position.x += way;
  }
  return Shot{std::move(whole), simulation.grains(), std::move(drawn)};
}

Evidence blade(const LawContext& context) {
  const double d = soil_size;
  const double middle = context.pick(8.0, 4.0) * d;
  std::vector<Cut> cuts{{middle}};
  if (!context.quick) {
    cuts = {{5.0 * d}, {middle}, {12.0 * d}};
    const auto add = [&](const char* which, auto change) {
      Cut cut{middle};
      cut.which = which;
      change(cut);
      cuts.push_back(std::move(cut));
    };
    add("of a bed twice as wide", [](Cut& c) { c.widths = 2; });
    add("at half the speed", [](Cut& c) { c.speed *= 0.5; });
    add("with contacts four times as stiff", [](Cut& c) { c.overlap *= 0.25; });
    add("with the overlap of accuracy = \"fast\"",
        [](Cut& c) { c.overlap = talus::overlap_of(talus::Accuracy::fast); });
  }
  const std::size_t standard = context.pick<std::size_t>(1, 0);  // the cut that the others are compared with
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Cut> done = for_each_method(cuts, methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    std::optional<Shot> shot = go_along(context, methods[i / cuts.size()].solver, done[i]);
    if (i == standard) {
      const std::lock_guard lock(mutex);
      evidence.shot = std::move(shot);
    }
  });
  Plot courses{"Force on a blade", "way / depth", "force / (rho g w depth^2 / 2)", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * cuts.size(), cuts.size());
    Points powers;
    for (const Cut& cut : own) {
      if (!cut.which.empty()) {
        evidence.measurements.push_back(near("force " + cut.which + " by that of the middle depth", by,
                                             cut.force / own[standard].force, 1.0, 0.05));
        continue;
      }
      const std::string at = fmt::format("depth {:g} d", std::round(10.0 * cut.actual / d) / 10.0);
      powers.emplace_back(std::log(cut.actual), std::log(cut.force));
      evidence.measurements.push_back(near("force per width [N/m], " + at, by, cut.force, cut.law, 0.2));
      courses.series.push_back({by + ", " + at, cut.course});
      courses.series.push_back({"wedge, " + at, cut.law_course, "points"});
    }
    if (powers.size() > 2)
      evidence.measurements.push_back(near("power of the depth", by, fit_line(powers).slope, 2.0, 0.1));
    // Coulomb's active pressure on the rear plate is at most 1/20 of the thrust on the front one.
    evidence.measurements.push_back(
        between("force on both plates by that on the front one", by, own[standard].whole, 0.9, 1.05));
    evidence.measurements.push_back(
        between("lifting force by the force against the way", by, own[standard].lift, 0.0, rolling_soil.friction));
  }
  evidence.plots.push_back(std::move(courses));
  return evidence;
}

// A flat plate in a bed that is periodic across, which is pulled up.
struct Anchor {
  double depth;                     // m, from the surface to the upper side of the plate, as asked for
  double speed = 0.02;              // m/s
  double overlap = forces_overlap;  // radii
  bool wide = false;                // in a bed of twice the length
  std::string which{};              // how it differs from the one of the middle depth; empty: in the depth alone
  double actual = NAN;              // m, depth
  double force = NAN, law = NAN;    // N/m: mean downward force per width, and Meyerhof's and Adams' one
  Points course{};                  // way / d, force / weight of the grains above the plate
};

constexpr double anchor_width = 6.0 * soil_size;                             // m, B, along x
constexpr double first_lift = 0.3 * soil_size, last_lift = 1.0 * soil_size;  // m, of the way with the mean force

// The upper side of the plate is at that height [m].
talus::BodySpec anchor_of(double at, double upper, double across) {
  const double thickness = 0.5 * soil_size;
  talus::BodySpec plate;
  plate.name = "plate";
  plate.material = 0;
  plate.position = {at, 0.5 * across, upper - 0.5 * thickness};
  plate.parts.push_back({.shape = talus::BoxPart{{anchor_width, 1.2 * across, thickness}}});
  return plate;
}

std::optional<Shot> pull_up(const LawContext& context, const talus::Solver& solver, Anchor& anchor) {
  const double d = soil_size, below = context.pick(5.0, 3.0) * d, depth = below + anchor.depth;
  const glm::dvec2 size(context.pick(40.0, 16.0) * d * (anchor.wide ? 2.0 : 1.0), 8.0 * d);
  // The bed settles to some 1.03 of the depth that its number of grains is chosen for.
  const double upper = 1.03 * depth - anchor.depth, at = 0.5 * size.x;
  const std::vector<talus::BodySpec> plate{anchor_of(at, upper, size.y)};
  const SoilBed bed = settled_soil(context, rolling_soil, size, depth, plate, 0.6);
  anchor.actual = bed.surface - upper;
  Scene scene = scene_of(solver, rolling_soil, bed, anchor.overlap, bed.surface + 6.0 * d);
  scene.bodies = plate;
  scene.bodies[0].velocity.z = anchor.speed;
  talus::Simulation simulation = simulate(context, scene);
  const double weight = bed.density * g * anchor_width * anchor.actual;  // N/m
  double sum = 0.0, count = 0.0, recent = 0.0, steps = 0.0, last = 0.0;
  const bool stable = watch(simulation, last_lift / anchor.speed, scene.dt, [&] {
    const double force = -simulation.body_loads()[0].force.z / size.y, way = simulation.time() * anchor.speed;
    recent += force;
    ++steps;
    if (way > first_lift) {
      sum += force;
      ++count;
    }
    if (way > last + 0.05 * d) {
      anchor.course.emplace_back(way / d - 0.025, recent / steps / weight);
      last = way;
      recent = steps = 0.0;
    }
  });
  if (!stable)
    return std::nullopt;
  anchor.force = sum / count;
  anchor.law = weight + 0.95 * bed.density * g * anchor.actual * anchor.actual * std::tan(rolling_soil.angle());
  Scene whole = soil_scene(solver, rolling_soil, size, depth, plate);
  const double rest = whole.end;
  whole.end = rest + last_lift / anchor.speed;
  whole.bodies[0].motion = talus::Keyframes{{{rest, glm::dvec3(0.0)}, {whole.end, glm::dvec3(0.0, 0.0, last_lift)}},
                                            talus::Interpolation::linear};
  whole.camera.eye = glm::dvec3(0.5, -0.9, 0.6) * size.x;
  whole.camera.target = glm::dvec3(0.5 * size.x, 0.0, 0.5 * depth);
  Scene drawn = whole;
  drawn.bodies[0].motion = std::monostate{};
  drawn.bodies[0].position.z += last_lift;
  return Shot{std::move(whole), simulation.grains(), std::move(drawn)};
}

Evidence uplift(const LawContext& context) {
  const double d = soil_size, middle = context.pick(9.0, 4.0) * d;
  std::vector<Anchor> anchors{{middle}};
  if (!context.quick) {
    anchors = {{4.0 * d}, {6.0 * d}, {middle}, {12.0 * d}};
    const auto add = [&](const char* which, auto change) {
      Anchor anchor{middle};
      anchor.which = which;
      change(anchor);
      anchors.push_back(std::move(anchor));
    };
    add("in a bed twice as long", [](Anchor& a) { a.wide = true; });
    add("at half the speed", [](Anchor& a) { a.speed *= 0.5; });
    add("with contacts four times as stiff", [](Anchor& a) { a.overlap *= 0.25; });
    add("with the overlap of accuracy = \"fast\"",
        [](Anchor& a) { a.overlap = talus::overlap_of(talus::Accuracy::fast); });
  }
  const std::size_t standard = context.pick<std::size_t>(2, 0);  // the one that the others are compared with
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Anchor> done = for_each_method(anchors, methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    std::optional<Shot> shot = pull_up(context, methods[i / anchors.size()].solver, done[i]);
    if (i == standard) {
      const std::lock_guard lock(mutex);
      evidence.shot = std::move(shot);
    }
  });
  Plot courses{"Pull-out of a plate", "way / d", "force / weight above the plate", {}},
      breakout{"Pull-out by depth", "depth / width", "force [N/m]", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * anchors.size(), anchors.size());
    Series measured{by, {}, "points"}, law{by + ", Meyerhof and Adams", {}};
    for (const Anchor& anchor : own) {
      if (!anchor.which.empty()) {
        evidence.measurements.push_back(near("force " + anchor.which + " by that of the middle depth", by,
                                             anchor.force / own[standard].force, 1.0, 0.05));
        continue;
      }
      const std::string at = fmt::format("depth {:.1f} d", anchor.actual / d);
      evidence.measurements.push_back(near("force per width [N/m], " + at, by, anchor.force, anchor.law, 0.2));
      courses.series.push_back({by + ", " + at, anchor.course});
      measured.points.emplace_back(anchor.actual / anchor_width, anchor.force);
      law.points.emplace_back(anchor.actual / anchor_width, anchor.law);
    }
    breakout.series.push_back(std::move(measured));
    breakout.series.push_back(std::move(law));
  }
  evidence.plots = {std::move(breakout), std::move(courses)};
  return evidence;
}

}  // namespace

std::vector<Law> tool_laws() {
  const std::string group = "soil mechanics and machines";
  const std::string grains =
      "Beds of 10 mm grains with friction 0.5 and rolling friction 0.1 among themselves and with the tool, "
      "with periodic sides. ";
  const std::string springs = "The mean overlap of the bed at rest is 0.004, that of accuracy = \"forces\". ";
  const std::string angle =
      "phi is that of the case direct_shear, sin(phi) = shear stress / normal stress, as in simple shear "
      "without dilation (Davis 1968); nothing is fitted.";
  return {
      {"penetration", group, "Penetration of a punch and a cone",
       grains +
           "The bed is 24 d wide and 20 d deep. A punch with a flat end, 6 d wide, and a cone, 10 d wide and high, "
           "go down at 0.1 m/s, each at two places, with a mean overlap of the bed at rest of 0.001. K is the slope "
           "of the force by the weight of the displaced bulk, from a depth of 2.75 d to 11 d of the punch and from "
           "4 d to 10 d of the cone. The punch also goes into beds of less friction.",
       "Kang, Feng, Liu and Blumenfeld 2018, Archimedes' law explains penetration of solids into granular "
       "media, Nature Communications 9, 1101: F = K(phi) rho g V + F_0 for every convex body, V its volume "
       "below the surface, so that the force goes as the depth of a punch and as the third power of that of a "
       "cone. K is held against the bearing capacity of a circular footing, N_q (1 + tan(phi)) with N_q = "
       "exp(pi tan(phi)) tan^2(45 deg + phi/2) (Prandtl 1921, Reissner 1924, De Beer 1970). " +
           angle,
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
       9.0, penetration},
      {"blade", group, "Force on a blade",
       grains + springs +
           "The bed is 110 d long, 8 d wide and 20 d deep. A vertical blade goes through it at 0.1 m/s across its "
           "whole width. The force is that on its front plate, the mean from a way of one depth to one of two; a "
           "plate behind bears what leans on the blade from there.",
       "The fundamental equation of earth moving (Reece 1965, McKyes 1985), by trial wedges: the least over b "
       "of F = W tan(b + phi) / (1 - tan(delta) tan(b + phi)), with W the weight of the grains above a plane "
       "that rises from the blade's edge at the angle b, so that the heap ahead is the surcharge. tan(delta) is "
       "the vertical force on the blade by the horizontal one, as measured. " +
           angle,
       "20 % of the force, 10 % of the power of the depth; 5 % where the bed, the speed or the stiffness is another.",
       "The force is that of a blade whose edge is 0.8 to 1.0 grains deeper, at every depth, so that it comes "
       "to the law with the depth in grains.",
       4.0, blade},
      {"uplift", group, "Pull-out of a plate",
       grains + springs +
           "The bed is 40 d long and 8 d wide. A plate 6 d wide, which goes across the whole bed, lies some 4, 6, 9 "
           "and 12 d deep and 5 d above the floor, and is pulled up by 20 mm/s. The force is the mean from a way of "
           "0.3 d to 1 d.",
       "Meyerhof and Adams 1968, The ultimate uplift capacity of foundations, Canadian Geotechnical Journal 5, "
       "225: F = gamma H B + K_u gamma H^2 tan(phi) per length of a strip of width B at the depth H, gamma the "
       "weight of the bulk by its volume, with K_u = 0.95. " +
           angle,
       "20 % of the force; 5 % where the bed, the speed or the stiffness is another.",
       "The force is that of a plate 1.1 to 1.2 grains wider, at every depth: half a grain on either side. K_u "
       "was given for angles of friction from 30 degrees on.",
       0.8, uplift}};
}

}  // namespace bench
