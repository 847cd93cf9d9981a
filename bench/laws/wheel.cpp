// A rigid wheel that rolls over a bed with a prescribed slip.
#include "bench/constants.h"
#include "bench/laws/soil_bed.h"
#include "bench/measure.h"
#include "engine/reference/laws.h"
#include "engine/soil/site.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <mutex>

namespace talus::reference {
#include "shaders/shared/laws/ground.h"
}

namespace bench {
namespace {

using talus::Scene;

constexpr double wheel_radius = 12.0 * soil_size;      // m, R, to the tips of the ribs
constexpr double wheel_across = 7.0 * soil_size;       // m, w, width of the bed, which is periodic across
constexpr double wheel_start = 1.2;                    // radii, from the side of the bed to the axle at the start
constexpr double first_roll = 2.4, last_roll = 4.0;    // radii of way, between which the means are taken
constexpr double quick_first = 0.5, quick_last = 0.8;  // radii of way, in the short version
constexpr double wheel_speed = 0.2;                    // m/s, v, of the standard wheel
constexpr int wheel_ribs = 24;
constexpr double rib_share = 1.0 / 16.0;  // radius of a rib, a cylinder along the axle, by the wheel's
constexpr std::array plate_widths{4.0 * soil_size, 8.0 * soil_size};           // m, b
constexpr double first_plate = 0.5 * soil_size, last_plate = 3.5 * soil_size;  // m, sinkages of the plates' fit
constexpr double plate_overlap = 0.001;  // radii: grains below a plate bear much more than the bed at rest
constexpr double relief_way = 0.5 * soil_size, relief_speed = 0.02;  // m, m/s, of a plate on its way up
constexpr double lid_way = 2.0 * soil_size;                          // m

// A wheel of the mass 2 rho R^2 w under gravity, rho being the density of the bulk. Slonaker et al. 2017: size, gravity
// and speed count by v^2 / (g R) and rho w R^2 / mass alone, besides the slip 1 - v / (omega R).
struct Roll {
  double slip;
  double radius = wheel_radius;     // m
  double gravity = g;               // m/s2
  double overlap = forces_overlap;  // radii
  double factor = 1.0;              // of the speed
  std::string which{};              // how the wheel differs from the standard one; empty: in the slip alone
  // It says what the ground bears without grains, under a wheel that is smooth to the tips of its ribs. Over grains the
  // wheel has none.
  std::optional<talus::Terramechanics> surface{};
  bool small = false;    // It is compared with the small wheel, else the small wheel with the large one.
  double sinkage = NAN;  // by R, of the wheel's lowest point below the undisturbed surface
  double pull = NAN;     // forward force of the grains, by the weight: drawbar pull
  double torque = NAN;   // of the motor, by the weight and R
  double borne = NAN;    // upward force of the grains by the weight
  Points course{};       // way / R, sinkage / R

  double speed() const { return factor * wheel_speed * std::sqrt(radius / wheel_radius * gravity / g); }          // m/s
  glm::dvec2 bed_size() const { return {6.0 * radius, wheel_across * wheel_radius / radius}; }                    // m
  double bed_depth() const { return 1.2 * radius; }                                                               // m
  double weight(const SoilBed& bed) const { return 2.0 * bed.density * gravity * radius * radius * bed.size.y; }  // N
};

// A wheel on a motor, in a fork that slides up and down in a carriage that goes along x. The wheel hangs at the
// height [m] of its axle until the carriage is lower than the grains bear it.
std::vector<talus::BodySpec> wheel_of(const Roll& roll, double across, double weight, double axle,
                                      const talus::Keyframes& motion) {
  const double r = roll.radius, rib = rib_share * r, length = 1.2 * across;
  const double spin = roll.speed() / ((1.0 - roll.slip) * r) / degree;  // degrees/s
  talus::BodySpec carriage, fork, wheel;
  carriage.name = "carriage";
  carriage.show = talus::Show::hidden;
  carriage.position = {wheel_start * r, 0.5 * across, axle};
  carriage.parts.push_back(
      {.shape = talus::BoxPart{glm::dvec3(soil_size)}, .position = {0.0, 0.0, r + 6.0 * soil_size}});
  carriage.motion = motion;
  carriage.ignores = {"fork", "wheel"};
  fork.name = "fork";
  fork.parent = "carriage";
  fork.show = talus::Show::hidden;
  fork.mass = 0.02 * weight / roll.gravity;
  fork.parts.push_back({.shape = talus::BoxPart{glm::dvec3(soil_size)}});
  fork.ignores = {"wheel"};
  talus::Joint slide;
  slide.type = talus::JointType::prismatic;
  slide.min = 0.0;
  // The wheel comes down at 5 v where no grain bears it.
  slide.spring.damping = weight / (5.0 * roll.speed());
  fork.motion = slide;
  wheel.name = "wheel";
  wheel.parent = "fork";
  wheel.material = 0;
  // The inertia is that of a solid cylinder. The sum over all ribs takes 8 s.
  const double mass = 0.98 * weight / roll.gravity, about_x = mass * (3.0 * r * r + across * across) / 12.0;
  wheel.mass = mass;
  wheel.center = glm::dvec3(0.0);
  wheel.inertia = {about_x, 0.5 * mass * r * r, about_x, 0.0, 0.0, 0.0};
  const glm::dvec3 along_axle(90.0, 0.0, 0.0);
  const double drum = roll.surface ? r : r - rib;
  wheel.ground = roll.surface ? talus::GroundContact::surface : talus::GroundContact::grains;
  wheel.parts.push_back({.shape = talus::ConePart{drum, drum, length}, .rotation = along_axle});
  for (int k = 0; k < (roll.surface ? 0 : wheel_ribs); ++k) {
    const double angle = 2.0 * pi * k / wheel_ribs;
    wheel.parts.push_back({.shape = talus::ConePart{rib, rib, length},
                           .position = glm::dvec3(std::sin(angle), 0.0, std::cos(angle)) * (r - rib),
                           .rotation = along_axle});
  }
  talus::Joint turn;
  turn.axis = {0.0, 1.0, 0.0};
  turn.start_speed = spin;
  turn.motor = talus::Motor{.speed = spin, .strength = 20.0 * weight * r};
  wheel.motion = turn;
  return {carriage, fork, wheel};
}

// The bed's grains become ground, 8 d deep, which bears the wheel by its surface.
void put_ground(Scene& scene, const SoilBed& bed, const talus::Terramechanics& surface) {
  scene.grains.clear();
  scene.domain.min.z = bed.surface - 8.0 * soil_size;
  talus::Soil& soil = scene.soil.emplace();
  soil.radius_min = soil.radius_max = soil_radius;
  soil.max = bed.size;
  soil.height = 8.0 * soil_size;
  soil.terramechanics = surface;
}

std::optional<Shot> roll_along(const LawContext& context, const talus::Solver& solver, const SoilBed& bed, Roll& roll) {
  const double r = roll.radius, speed = roll.speed(), weight = roll.weight(bed);
  const double first = context.pick(first_roll, quick_first), last = context.pick(last_roll, quick_last);
  const double end = last * r / speed, stop = bed.surface + 0.2 * r, start = bed.surface + r + 0.5 * soil_size;
  Scene scene = scene_of(solver, rolling_soil, bed, roll.overlap, bed.surface + 2.2 * r + 8.0 * soil_size);
  scene.domain.gravity.z = -roll.gravity;
  scene.dt *= std::sqrt(g / roll.gravity);
  scene.end = end;
  if (roll.surface)
    put_ground(scene, bed, *roll.surface);
  scene.bodies = wheel_of(
      roll, bed.size.y, weight, stop,
      talus::Keyframes{{{0.0, glm::dvec3(0.0)}, {end, glm::dvec3(last * r, 0.0, 0.0)}}, talus::Interpolation::linear});
  std::get<talus::Joint>(scene.bodies[1].motion).value = start - stop;
  talus::Simulation simulation = simulate(context, scene);
  double steps = 0.0, sinkage = 0.0, shown = 0.0;
  glm::dvec3 force(0.0);
  double torque = 0.0;
  const bool stable = watch(simulation, end, scene.dt, [&] {
    const double way = simulation.time() * speed / r;
    const double sunk = (bed.surface - (simulation.body_state(2).pose.position.z - r)) / r;
    if (way > shown + 0.02) {
      roll.course.emplace_back(way, sunk);
      shown = way;
    }
    if (way < first)
      return;
    const talus::BodyLoad load = simulation.body_loads()[2];
    force += glm::dvec3(load.force);
    torque -= load.torque.y;
    sinkage += sunk;
    ++steps;
  });
  if (!stable)
    return std::nullopt;
  roll.sinkage = sinkage / steps;
  roll.pull = force.x / steps / weight;
  roll.borne = force.z / steps / weight;
  roll.torque = torque / steps / (weight * r);
  // In the scene of the page the wheel waits above the grains as they are placed, and comes down when they are at rest.
  const glm::dvec2 size = roll.bed_size();
  Scene whole = soil_scene(solver, rolling_soil, size, roll.bed_depth(), {});
  const double rest = whole.end, high = whole.domain.max.z + r, lowered = rest + (high - start) / 0.5;
  whole.end = lowered + end;
  whole.domain.max.z = high + r + 8.0 * soil_size;
  whole.bodies = wheel_of(roll, size.y, roll.weight(bed) * size.y / bed.size.y, high,
                          talus::Keyframes{{{0.0, glm::dvec3(0.0)},
                                            {rest, glm::dvec3(0.0)},
                                            {lowered, glm::dvec3(0.0, 0.0, stop - high)},
                                            {whole.end, glm::dvec3(last * r, 0.0, stop - high)}},
                                           talus::Interpolation::linear});
  whole.output.color_by = talus::ColorBy::speed;
  whole.camera.eye = glm::dvec3(0.5 * size.x, -1.2 * size.x, 0.6 * size.x);
  whole.camera.target = glm::dvec3(0.53 * size.x, 0.0, 0.23 * size.x);
  Scene drawn = whole;
  drawn.bodies = {whole.bodies[2]};
  drawn.bodies[0].parent.clear();
  drawn.bodies[0].motion = std::monostate{};
  drawn.bodies[0].position = simulation.body_state(2).pose.position;
  return Shot{std::move(whole), simulation.grains(), std::move(drawn)};
}

// Bekker's pressure below a plate of the width b [m] that has sunk by z [m]: p = (k_c / b + k_phi) z^n.
struct Bearing {
  double cohesive = NAN, frictional = NAN;  // N/m^(n+1), N/m^(n+2)
  double power = NAN;
  double rebound =
      NAN;  // share of the sinkage on which the pressure is relieved, linearly, where a plate goes up again
  std::array<Points, plate_widths.size()> courses{};  // m, Pa: sinkage and pressure of each plate

  double modulus(double width) const { return cohesive / width + frictional; }
};

// Plates across the whole bed go down, each at places spread along it, and up again.
Bearing press_plates(const LawContext& context, const talus::Solver& solver, const SoilBed& bed) {
  const int places = context.pick(6, 1);
  Bearing bearing;
  std::array<Line, plate_widths.size()> lines{};
  double rebound = 0.0;
  for (std::size_t k = 0; k < plate_widths.size(); ++k) {
    Points& course = bearing.courses[k];
    for (int place = 0; place < places; ++place) {
      SoilBed shifted = bed;
      for (glm::dvec3& p : shifted.places)
        p.x = std::fmod(p.x + bed.size.x * place / places, bed.size.x);
      const double height = 4.0 * soil_size, start = bed.surface + soil_size;  // m
      Scene scene =
          scene_of(solver, rolling_soil, shifted, plate_overlap, bed.surface + 2.0 * height + 3.0 * soil_size);
      talus::BodySpec plate;
      plate.name = "plate";
      plate.material = 0;
      plate.position = {0.5 * bed.size.x, 0.5 * bed.size.y, start};
      const double turned = (start - bed.surface + last_plate) / tool_speed, end = turned + relief_way / relief_speed;
      const glm::dvec3 deepest(0.0, 0.0, bed.surface - last_plate - start);
      plate.motion = talus::Keyframes{
          {{0.0, glm::dvec3(0.0)}, {turned, deepest}, {end, deepest + glm::dvec3(0.0, 0.0, relief_way)}},
          talus::Interpolation::linear};
      plate.parts.push_back(
          {.shape = talus::BoxPart{{plate_widths[k], 1.2 * bed.size.y, height}}, .position = {0.0, 0.0, 0.5 * height}});
      scene.bodies = {plate};
      talus::Simulation simulation = simulate(context, scene);
      double sum = 0.0, steps = 0.0, last = 0.0;
      std::size_t n = 0;
      watch(simulation, turned, scene.dt, [&] {
        const double sunk = bed.surface - simulation.body_state(0).pose.position.z;
        sum += simulation.body_loads()[0].force.z / (plate_widths[k] * bed.size.y);
        ++steps;
        if (sunk < last + 0.1 * soil_size)
          return;
        if (n == course.size())
          course.emplace_back(0.5 * (last + sunk), 0.0);
        course[n++].second += sum / steps / places;
        last = sunk;
        sum = steps = 0.0;
      });
      // The pressure p that is relieved linearly on the way w has the integral p w / 2.
      const auto force = [&] { return static_cast<double>(simulation.body_loads()[0].force.z); };
      const double greatest = force();
      double relieved = 0.0;
      watch(simulation, end, scene.dt, [&] { relieved += force() * relief_speed * scene.dt; });
      rebound += 2.0 * relieved / greatest / last_plate / static_cast<double>(places * plate_widths.size());
    }
    Points logs;
    std::vector<double> weights;
    // Wong 1980: errors of the pressure, not of its logarithm, have equal weights.
    for (const auto& [sunk, pressure] : course)
      if (sunk > first_plate && pressure > 0.0) {
        logs.emplace_back(std::log(sunk), std::log(pressure));
        weights.push_back(pressure * pressure);
      }
    if (logs.size() < 3)
      return bearing;
    lines[k] = fit_line(logs, weights);
  }
  bearing.rebound = rebound;
  bearing.power = 0.5 * (lines[0].slope + lines[1].slope);
  // Both lines have the mean power, and go on through their points about the middle sinkage.
  std::array<double, plate_widths.size()> moduli{};
  const double middle = std::log(0.5 * (first_plate + last_plate));
  for (std::size_t k = 0; k < moduli.size(); ++k)
    moduli[k] = std::exp(lines[k].offset + (lines[k].slope - bearing.power) * middle);
  bearing.cohesive = (moduli[0] - moduli[1]) / (1.0 / plate_widths[0] - 1.0 / plate_widths[1]);
  bearing.frictional = moduli[0] - bearing.cohesive / plate_widths[0];
  return bearing;
}

// Janosi's and Hanamoto's shear stress by normal stress after a displacement j [m]: ratio (1 - exp(-j / modulus)).
struct Shearing {
  double ratio = NAN, modulus = NAN;  // 1, m
  Points course{};                    // j / d, stress ratio

  double at(double j) const { return std::copysign(ratio * (1.0 - std::exp(-std::abs(j) / modulus)), j); }
};

// A lid with the wheel's ribs covers the whole bed, presses like the wheel and moves along x. The modulus alone is
// fitted: the ratio is that of direct_shear.
Shearing shear_bed(const LawContext& context, const talus::Solver& solver, const SoilBed& bed) {
  const double rib = rib_share * wheel_radius, spacing = 3.0 * soil_size, speed = tool_speed;
  const glm::dvec2 size = bed.size;
  const double pressure = 4.0 * bed.density * g * wheel_radius, load = pressure * size.x * size.y;
  const double start = bed.surface + soil_size + rib, rest = 0.4, end = rest + lid_way / speed;
  Scene scene = scene_of(solver, rolling_soil, bed, forces_overlap, start + 8.0 * soil_size);
  talus::BodySpec carriage, lid;
  carriage.name = "carriage";
  carriage.position = {0.5 * size.x, 0.5 * size.y, start};
  carriage.parts.push_back({.shape = talus::BoxPart{glm::dvec3(soil_size)}, .position = {0.0, 0.0, 6.0 * soil_size}});
  carriage.motion =
      talus::Keyframes{{{0.0, glm::dvec3(0.0)}, {rest, glm::dvec3(0.0)}, {end, glm::dvec3(lid_way, 0.0, 0.0)}},
                       talus::Interpolation::linear};
  lid.name = "lid";
  lid.material = 0;
  lid.parent = "carriage";
  lid.ignores = {"carriage"};
  lid.mass = load / g;
  lid.center = glm::dvec3(0.0);
  lid.inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};  // It does not turn.
  lid.parts.push_back(
      {.shape = talus::BoxPart{{1.2 * size.x, 1.2 * size.y, 2.0 * soil_size}}, .position = {0.0, 0.0, soil_size}});
  // The bed is a whole number of spacings long, so that the ribs go on across the periodic sides.
  const int each_side = static_cast<int>(0.6 * size.x / spacing);
  for (int k = -each_side; k <= each_side; ++k)
    lid.parts.push_back({.shape = talus::ConePart{rib, rib, 1.2 * size.y},
                         .position = {k * spacing, 0.0, 0.0},
                         .rotation = {90.0, 0.0, 0.0}});
  talus::Joint slide;
  slide.type = talus::JointType::prismatic;
  slide.spring.damping = load / speed;
  lid.motion = slide;
  scene.bodies = {lid, carriage};
  talus::Simulation simulation = simulate(context, scene);
  Shearing shearing{rolling_soil.stress_ratio};
  glm::dvec3 recent(0.0);
  double last = 0.0;
  watch(simulation, end, scene.dt, [&] {
    const double j = (simulation.time() - rest) * speed;
    if (j <= 0.0)
      return;
    recent += glm::dvec3(simulation.body_loads()[0].force);
    if (j > last + 0.05 * soil_size) {
      shearing.course.emplace_back(0.5 * (last + j) / soil_size, -recent.x / recent.z);
      recent = glm::dvec3(0.0);
      last = j;
    }
  });
  double least = INFINITY;
  Shearing trial{shearing.ratio};
  for (int k = 1; k <= 300; ++k) {
    trial.modulus = 0.005 * k * soil_size;
    double residual = 0.0;
    for (const auto& [j, ratio] : shearing.course)
      residual += std::pow(ratio - trial.at(j * soil_size), 2);
    if (residual < least) {
      least = residual;
      shearing.modulus = trial.modulus;
    }
  }
  return shearing;
}

// Returns where a rising function is 0, between low and high; the nearer end where it is not.
double bisect(double low, double high, const std::function<double(double)>& rising) {
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (rising(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Where the radial stress on a wheel is greatest, by the entry angle, is c_1 + c_2 s (Wong and Reece 1967, loose sand).
constexpr double stress_place = 0.18, stress_place_by_slip = 0.32;  // c_1, c_2

// Sinkage by R, drawbar pull and torque as those of a Roll.
struct Performance {
  double sinkage = NAN, pull = NAN, torque = NAN;
};

// The stresses on a driven rigid wheel of radius R by Wong and Reece 1967, from the entry angle theta_1 to the exit
// angle 0: the radial one is Bekker's pressure at the sinkage R (cos(theta) - cos(theta_1)) in front of the angle of
// its maximum, and that of the mirrored place behind; the tangential one is Janosi's and Hanamoto's after the
// displacement j = R ((theta_1 - theta) - (1 - s) (sin(theta_1) - sin(theta))). The entry angle is that with which the
// wheel bears `load` [N/m]. b is the length of the contact, the lesser side of the contact of a wide wheel, within the
// widths of the plates.
Performance wong_reece(const Bearing& bearing, const Shearing& shearing, double slip, double radius, double load) {
  constexpr int parts = 400;
  const auto of_entry = [&](double entry, double& borne) {
    const double greatest = (stress_place + stress_place_by_slip * std::max(slip, 0.0)) * entry;
    const double width = std::clamp(radius * std::sin(entry), plate_widths[0], plate_widths[1]);
    const double modulus = bearing.modulus(width) * std::pow(radius, bearing.power);
    borne = 0.0;
    double pull = 0.0, torque = 0.0;
    for (int k = 0; k < parts; ++k) {
      const double angle = (k + 0.5) / parts * entry;
      const double front = angle > greatest ? angle : entry - angle / greatest * (entry - greatest);
      const double radial = modulus * std::pow(std::max(std::cos(front) - std::cos(entry), 0.0), bearing.power);
      const double j = radius * ((entry - angle) - (1.0 - slip) * (std::sin(entry) - std::sin(angle)));
      const double tangential = radial * shearing.at(j), area = radius * entry / parts;
      borne += (radial * std::cos(angle) + tangential * std::sin(angle)) * area;
      pull += (tangential * std::cos(angle) - radial * std::sin(angle)) * area;
      torque += tangential * area;
    }
    return Performance{1.0 - std::cos(entry), pull / load, torque / load};
  };
  double borne = 0.0;
  const double entry = bisect(0.01, 1.5, [&](double entry) {
    of_entry(entry, borne);
    return borne - load;
  });
  return of_entry(entry, borne);
}

// Pull, torque and sinkage of wheels by their slip.
struct Curves {
  Points pull{}, torque{}, sinkage{};

  void add(const Roll& roll) {
    pull.emplace_back(roll.slip, roll.pull);
    torque.emplace_back(roll.slip, roll.torque);
    sinkage.emplace_back(roll.slip, roll.sinkage);
  }
};

// Within this distance of the reference: of numbers that change their sign with the slip.
Measurement about(std::string what, std::string by, double measured, double reference, double reach) {
  return {std::move(what), std::move(by), measured, reference - reach, reference + reach, reference};
}

// Returns the sinkage by R of a smooth wheel that rolls steadily over ground which bears it by its surface: each sample
// of the ground meets the rim from the front to the back by the law that the surface has.
double sinkage_on(const talus::Terramechanics& surface, const Roll& roll, double load) {
  namespace law = talus::reference;
  constexpr int parts = 1000;
  const auto ground = talus::law_of(surface);
  const auto gravity = static_cast<float>(roll.gravity);
  const double r = roll.radius, v = roll.speed(), turns = v / ((1.0 - roll.slip) * r);
  const auto borne = [&](double deepest) {
    const double reach = std::sqrt(deepest * (2.0 * r - deepest)), step = 2.0 * reach / parts;  // m
    glm::vec3 shear(0.0f);
    float sunk = 0.0f, mobilized = 0.0f, dug = 0.0f;
    double sum = 0.0;
    for (int k = 0; k < parts; ++k) {
      const double x = reach - (k + 0.5) * step, below = std::sqrt(r * r - x * x);  // from the axle
      const auto depth = static_cast<float>(deepest - (r - below));
      if (depth <= 0.0f)
        continue;
      const glm::vec3 normal(x / r, 0.0, -below / r), velocity(v - turns * below, 0.0, -turns * x);
      const auto h = static_cast<float>(step / v);
      const float pressure = law::ground_pressure(ground, depth, -velocity.z, gravity, h, sunk, dug);
      const glm::vec3 slip = h * (velocity - glm::dot(velocity, normal) * normal);
      const glm::vec3 stress =
          law::ground_shear(ground, pressure, slip, normal, gravity, h, sunk, shear, mobilized, dug) -
          pressure * normal;
      sum += static_cast<double>(stress.z) * step * r / below;
    }
    return sum;
  };
  return bisect(0.0, 0.9 * r, [&](double deepest) { return borne(deepest) - load; }) / r;
}

// Returns what the surface of the ground bears by the plates and the lid. The wheel's contact is half its radius long.
talus::Terramechanics surface_of(const Bearing& bearing, const Shearing& shearing, double radius) {
  const double width = std::clamp(0.5 * radius, plate_widths[0], plate_widths[1]);
  return {.frictional = bearing.modulus(width),
          .exponent = bearing.power,
          .friction_angle = std::atan(shearing.ratio) / degree,
          .shear = shearing.modulus,
          .rebound = std::clamp(bearing.rebound, 0.0, 1.0)};
}

// The slip sinkage with which the surface lets the wheel sink as deep as this roll.
double slip_sinkage_of(talus::Terramechanics surface, const Roll& roll, double load) {
  return bisect(0.0, 100.0, [&](double slip_sinkage) {
    surface.slip_sinkage = slip_sinkage;
    return sinkage_on(surface, roll, load) - roll.sinkage;
  });
}

Evidence wheel(const LawContext& context) {
  std::vector<Roll> rolls{{0.2, 0.5 * wheel_radius}};
  if (!context.quick) {
    rolls.clear();
    for (const double slip : {-0.2, 0.0, 0.2, 0.4, 0.6}) {
      rolls.push_back({slip});
      Roll half{slip, 0.5 * wheel_radius};
      half.which = "half as large";
      rolls.push_back(std::move(half));
    }
    const auto add = [&](const char* which, auto change) {
      Roll roll{0.2, 0.5 * wheel_radius};
      roll.which = which;
      roll.small = true;
      change(roll);
      rolls.push_back(std::move(roll));
    };
    add("under the gravity of the Moon", [](Roll& r) { r.gravity = 1.62; });
    add("at half the speed", [](Roll& r) { r.factor = 0.5; });
    add("with contacts four times as stiff", [](Roll& r) { r.overlap *= 0.25; });
    add("with the overlap of accuracy = \"fast\"",
        [](Roll& r) { r.overlap = talus::overlap_of(talus::Accuracy::fast); });
  }
  // A bed for each size of the wheel.
  std::vector<double> radii{wheel_radius, 0.5 * wheel_radius};
  if (context.quick)
    radii = {0.5 * wheel_radius};
  std::vector<SoilBed> beds(radii.size());
  in_parallel(context, beds.size(), [&](std::size_t i) {
    const Roll sized{0.0, radii[i]};
    beds[i] = settled_soil(context, rolling_soil, sized.bed_size(), sized.bed_depth(), {}, glm::dvec2(soil_radius),
                           sized.bed_size() - soil_radius);
  });
  const auto bed_of = [&](const Roll& roll) -> const SoilBed& {
    return beds[static_cast<std::size_t>(std::ranges::find(radii, roll.radius) - radii.begin())];
  };
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Roll> done = for_each_method(rolls, methods.size());
  std::vector<Bearing> bearings(methods.size());
  std::vector<Shearing> shearings(methods.size());
  // The page shows the large wheel at slip 0.2.
  const std::size_t shown = context.pick<std::size_t>(4, 0), wheels = done.size();
  Evidence evidence;
  std::mutex mutex;
  // The wheels come first, since they take longest.
  in_parallel(context, wheels + 2 * methods.size(), [&](std::size_t i) {
    if (i >= wheels + methods.size()) {
      const std::size_t m = i - wheels - methods.size();
      shearings[m] = shear_bed(context, methods[m].solver, beds[0]);
    } else if (i >= wheels) {
      bearings[i - wheels] = press_plates(context, methods[i - wheels].solver, beds[0]);
    } else {
      std::optional<Shot> shot = roll_along(context, methods[i / rolls.size()].solver, bed_of(done[i]), done[i]);
      if (i == shown) {
        const std::lock_guard lock(mutex);
        evidence.shot = std::move(shot);
      }
    }
  });
  // The first method's wheels once more, on the surface without grains. Its slip sinkage is fitted to one of them.
  std::vector<Roll> surface_rolls;
  for (const Roll& roll : std::span(done).first(rolls.size()))
    if (roll.which.empty() && roll.slip >= 0.0 && std::isfinite(bearings[0].power))
      surface_rolls.push_back(roll);
  if (!surface_rolls.empty()) {
    const Roll& fitted = surface_rolls[surface_rolls.size() / 2];  // slip 0.4
    talus::Terramechanics surface = surface_of(bearings[0], shearings[0], fitted.radius);
    surface.slip_sinkage = slip_sinkage_of(surface, fitted, fitted.weight(bed_of(fitted)) / bed_of(fitted).size.y);
    for (Roll& roll : surface_rolls)
      roll.surface = surface;
  }
  in_parallel(context, surface_rolls.size(), [&](std::size_t i) {
    roll_along(context, methods.front().solver, bed_of(surface_rolls[i]), surface_rolls[i]);
  });
  Plot forces{
      "Drawbar pull and torque of a wheel by its slip", "slip 1 - v / (omega R)", "pull / W, torque / (W R)", {}},
      sinkages{"Sinkage of a wheel by its slip", "slip 1 - v / (omega R)", "sinkage / R", {}},
      courses{"Sinkage of a wheel along its way", "way / R", "sinkage / R", {}},
      plates{"Pressure below a plate", "sinkage [m]", "pressure [Pa]", {}},
      shears{"Shear below a lid with the wheel's ribs", "displacement / d", "shear stress / normal stress", {}};
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * rolls.size(), rolls.size());
    const Bearing& bearing = bearings[m];
    const Shearing& shearing = shearings[m];
    // The wheel of that slip that a roll is compared with.
    const auto plain_of = [&](const Roll& roll) -> const Roll& {
      return *std::ranges::find_if(own, [&](const Roll& r) {
        return r.slip == roll.slip && (roll.small ? r.radius == roll.radius && !r.small : r.which.empty());
      });
    };
    // reach: of pull / W and torque / (W R); share: of the sinkage.
    const auto compare = [&](const std::string& what, const Roll& roll, const Performance& reference, double reach,
                             double share) {
      evidence.measurements.push_back(about("pull / W" + what, by, roll.pull, reference.pull, reach));
      evidence.measurements.push_back(about("torque / (W R)" + what, by, roll.torque, reference.torque, reach));
      evidence.measurements.push_back(near("sinkage / R" + what, by, roll.sinkage, reference.sinkage, share));
    };
    const auto performance_of = [](const Roll& roll) { return Performance{roll.sinkage, roll.pull, roll.torque}; };
    Curves large, half, surface;
    double borne_off = 0.0;
    for (const Roll& roll : own) {
      borne_off = std::max(borne_off, std::abs(roll.borne - 1.0));
      const std::string at = fmt::format(", slip {:g}", roll.slip);
      if (roll.which.empty()) {
        const double load = roll.weight(bed_of(roll)) / bed_of(roll).size.y;
        compare(at, roll, wong_reece(bearing, shearing, roll.slip, roll.radius, load), 0.1, 0.3);
        large.add(roll);
        courses.series.push_back({by + at, roll.course});
      } else if (roll.small) {
        compare(" of that wheel " + roll.which + at, roll, performance_of(plain_of(roll)), 0.03, 0.1);
      } else {
        compare(" of a wheel half as large" + at, roll, performance_of(plain_of(roll)), 0.05, 0.15);
        half.add(roll);
      }
    }
    for (const Roll& roll : m == 0 ? std::span(surface_rolls) : std::span<Roll>()) {
      compare(fmt::format(" of the surface without grains, slip {:g}", roll.slip), roll, performance_of(plain_of(roll)),
              0.1, 0.15);
      surface.add(roll);
    }
    if (!surface.pull.empty()) {
      const talus::Terramechanics& t = *surface_rolls[0].surface;
      const std::string values = fmt::format("surface, rebound {:.3f}, s {:.2f}", t.rebound, t.slip_sinkage);
      forces.series.push_back({"pull, surface without grains", surface.pull, "points"});
      forces.series.push_back({"torque, surface without grains", surface.torque, "points"});
      sinkages.series.push_back({values, surface.sinkage, "points"});
    }
    evidence.measurements.push_back(
        at_most("greatest deviation of the upward force from the weight", by, borne_off, 0.02));
    forces.series.push_back({by + ", pull", large.pull, "linespoints"});
    forces.series.push_back({by + ", torque", large.torque, "linespoints"});
    sinkages.series.push_back({by, large.sinkage, "linespoints"});
    if (!half.pull.empty()) {
      forces.series.push_back({by + ", pull, half as large", half.pull, "points"});
      forces.series.push_back({by + ", torque, half as large", half.torque, "points"});
      sinkages.series.push_back({by + ", wheel half as large", half.sinkage, "points"});
    }
    const double load = own[0].weight(bed_of(own[0])) / bed_of(own[0]).size.y;
    Points law_pull, law_torque, law_sinkage;
    for (int k = -20; k <= 60; k += 2) {
      const Performance law = wong_reece(bearing, shearing, 0.01 * k, own[0].radius, load);
      law_pull.emplace_back(0.01 * k, law.pull);
      law_torque.emplace_back(0.01 * k, law.torque);
      law_sinkage.emplace_back(0.01 * k, law.sinkage);
    }
    forces.series.push_back({by + ", pull, Wong and Reece", law_pull});
    forces.series.push_back({by + ", torque, Wong and Reece", law_torque});
    sinkages.series.push_back({by + ", Wong and Reece", law_sinkage});
    for (std::size_t k = 0; k < plate_widths.size(); ++k) {
      Points fitted;
      for (const auto& [sunk, pressure] : bearing.courses[k])
        fitted.emplace_back(sunk, bearing.modulus(plate_widths[k]) * std::pow(sunk, bearing.power));
      const std::string at = fmt::format("{}, width {:g} d", by, plate_widths[k] / soil_size);
      plates.series.push_back({at, bearing.courses[k], "points"});
      plates.series.push_back(
          {fmt::format("{}, {:.3g} Pa/m^{:.2f}", at, bearing.modulus(plate_widths[k]), bearing.power), fitted});
    }
    Points fitted;
    for (const auto& [j, ratio] : shearing.course)
      fitted.emplace_back(j, shearing.at(j * soil_size));
    shears.series.push_back({by, shearing.course, "points"});
    shears.series.push_back(
        {fmt::format("{}, {:.3f} (1 - exp(-j / {:.2f} mm))", by, shearing.ratio, 1e3 * shearing.modulus), fitted});
  }
  evidence.plots = {std::move(forces), std::move(sinkages), std::move(courses), std::move(plates), std::move(shears)};
  return evidence;
}

}  // namespace

std::vector<Law> wheel_laws() {
  return {
      {"wheel", soil_group, "A wheel by its slip",
       soil_grains + soil_springs +
           "A rigid wheel of the radius R = 12 d, with 24 ribs of the radius R / 16 along its axle, stands across the "
           "whole bed, which is 6 R long, 1.2 R deep and 7 d wide. It turns on a motor, in a fork that slides up and "
           "down in a carriage. The carriage goes at v = 0.2 m/s, the motor turns by omega = v / (R (1 - s)), s being "
           "the slip, and the wheel's mass is 2 rho R^2 per width, with rho the density of the bulk. Means from a way "
           "of 2.4 R to 4 R. A wheel half as large, with the same shape, goes through a bed half as long and deep at "
           "v / sqrt(2), with a quarter of the mass per width. Plates 4 d and 8 d wide go down into the same bed at 6 "
           "places each, with an overlap of 0.001, and a lid with the wheel's ribs is pushed along over all of it. A "
           "smooth wheel of the radius R goes over ground that bears it by its surface without grains. The same plates "
           "and lid give [soil.terramechanics] its values; the plates go up again by d / 2, and the integral of their "
           "pressure gives the rebound. The slip sinkage is the one with which the smooth wheel sinks as deep at slip "
           "0.4 as the wheel over grains; its sinkage at other slips, and all pulls and torques, follow. The scene is "
           "that of slip 0.2.",
       "Wong and Reece 1967, Prediction of rigid wheel performance based on the analysis of soil-wheel stresses, "
       "Journal of Terramechanics 4, 81: pull, torque and load are the sums of the radial stress of Bekker, p = (k_c / "
       "b + k_phi) z^n, and of the tangential one of Janosi and Hanamoto 1961, p tan(phi) (1 - exp(-j / K)), from the "
       "entry angle theta_1 to the exit angle 0. The radial stress is greatest at (0.18 + 0.32 s) theta_1, as in loose "
       "sand. k_c, k_phi and n are fitted to the plates from a sinkage of 0.5 d to 3.5 d, b is the length of the "
       "contact, K is fitted to the lid, and tan(phi) is 0.464, the stress ratio of direct_shear; nothing is fitted "
       "to the wheel. The theory is that of a driven wheel; at a negative slip it takes j with its sign. Half as "
       "large, and under the gravity of the Moon: Slonaker et al. 2017, General scaling relations for locomotion in "
       "granular media, Physical Review E 95, 052901: wheels of one shape with equal slip, v^2 / (g R) and rho w R^2 "
       "/ mass have equal pull / W, torque / (W R) and sinkage / R.",
       "0.1 of pull / W and torque / (W R) and 30 % of the sinkage beside Wong and Reece; 0.1 and 15 % of the surface "
       "without grains beside grains; 0.05 and 15 % of a wheel "
       "half as large; 0.03 and 10 % where the gravity, the speed or the stiffness is another. The upward force is "
       "the weight within 2 %.",
       "From slip 0 on, pull and torque are those of the theory within 0.09. The pressure of Bekker knows no slip, but "
       "a "
       "wheel digs itself in: it sinks as in the theory at slip 0, and 1.7, 2.8 and 4.4 times as deep at slip 0.2, 0.4 "
       "and 0.6, so that its pull is up to 0.08 less. At slip -0.2 it sinks 0.4 times as deep and is braked half as "
       "much as in the theory, which is that of driven wheels. With the coefficients of compact sand, 0.43 and 0.32, "
       "the pull of the theory is up to 0.02 less. Beside a wheel half as large, whose radius is 12 radii of a grain, "
       "pull / W and torque / (W R) differ by up to 0.11, and the sinkage by up to 20 % from slip 0 on. The mean of "
       "one "
       "run scatters by about 0.03 of pull / W: in four sets of runs with other windows and dampers the pull of the "
       "half wheel at slip 0.2 was 0.07 to 0.11, and under the gravity of the Moon, where the motion is similar but "
       "for "
       "rounding, 0.07 to 0.15. So a difference of 0.03 is not beyond chance. In all four sets half the speed gave "
       "0.04 "
       "to 0.08 more pull, and the springs of accuracy = \"fast\" let the wheel sink 5 to 17 % deeper and took 0.03 to "
       "0.06 from the torque. The surface without grains, with a rebound of 0.026 from the plates and a slip sinkage "
       "of 3.9, lets the wheel sink as deep as grains do within 11 %. Its pull at slip 0.6 is 0.12 less: slip carries "
       "soil away from below the wheel, so that its pressure lies further in front than that of grains.",
       4.2, wheel}};
}

}  // namespace bench
