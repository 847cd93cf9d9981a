// Tools in a bed: a blade that goes along, a plate that is pulled up.
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
  const SoilBed one = settled_soil(context, cut.soil, {size.length, size.width}, size.depth, blade,
                                   {0.4 * size.length, soil_radius}, {0.9 * size.length, size.width - soil_radius});
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
  const SoilBed bed = settled_soil(context, rolling_soil, size, depth, plate, {0.6 * size.x, soil_radius},
                                   {0.9 * size.x, size.y - soil_radius});
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
  return {
      {"blade", soil_group, "Force on a blade",
       soil_grains + soil_springs +
           "The bed is 110 d long, 8 d wide and 20 d deep. A vertical blade goes through it at 0.1 m/s across its "
           "whole width. The force is that on its front plate, the mean from a way of one depth to one of two; a "
           "plate behind bears what leans on the blade from there.",
       "The fundamental equation of earth moving (Reece 1965, McKyes 1985), by trial wedges: the least over b "
       "of F = W tan(b + phi) / (1 - tan(delta) tan(b + phi)), with W the weight of the grains above a plane "
       "that rises from the blade's edge at the angle b, so that the heap ahead is the surcharge. tan(delta) is "
       "the vertical force on the blade by the horizontal one, as measured. " +
           soil_angle,
       "20 % of the force, 10 % of the power of the depth; 5 % where the bed, the speed or the stiffness is another.",
       "The force is that of a blade whose edge is 0.8 to 1.0 grains deeper, at every depth, so that it comes "
       "to the law with the depth in grains.",
       4.0, blade},
      {"uplift", soil_group, "Pull-out of a plate",
       soil_grains + soil_springs +
           "The bed is 40 d long and 8 d wide. A plate 6 d wide, which goes across the whole bed, lies some 4, 6, 9 "
           "and 12 d deep and 5 d above the floor, and is pulled up by 20 mm/s. The force is the mean from a way of "
           "0.3 d to 1 d.",
       "Meyerhof and Adams 1968, The ultimate uplift capacity of foundations, Canadian Geotechnical Journal 5, "
       "225: F = gamma H B + K_u gamma H^2 tan(phi) per length of a strip of width B at the depth H, gamma the "
       "weight of the bulk by its volume, with K_u = 0.95. " +
           soil_angle,
       "20 % of the force; 5 % where the bed, the speed or the stiffness is another.",
       "The force is that of a plate 1.1 to 1.2 grains wider, at every depth: half a grain on either side. K_u "
       "was given for angles of friction from 30 degrees on.",
       0.8, uplift}};
}

}  // namespace bench
