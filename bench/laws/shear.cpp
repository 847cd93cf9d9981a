// Shear strength of a bed between two rough plates.
#include "bench/constants.h"
#include "bench/laws/soil_bed.h"
#include "bench/measure.h"
#include <algorithm>
#include <fmt/format.h>
#include <mutex>

namespace bench {
namespace {

using talus::Scene;

constexpr double cell_radius = 0.005;       // m, mean radius of a grain; radii are uniform within 10 % of it
constexpr double cell_pressure = 50e3;      // Pa, under the lid
constexpr double cell_floor = 0.015;        // m, height of the floor of fixed grains
constexpr double cell_fill = 0.58;          // volume fraction of grains by which their number is chosen
constexpr double rib_spacing = 3.0;         // diameters of a grain, between the axes of two ribs
constexpr double lowering_speed = 0.2;      // m/s, at which the lid comes down
constexpr double counted_strain = 1.0;      // The means begin at this strain.
constexpr double largest_strain = 3.0;      // The means end at this strain.
constexpr double standard_inertial = 5e-3;  // inertial number I = (v / H) d sqrt(density / pressure)

// A sheared cell, and what was measured on it.
struct Cell {
  double friction, rolling;
  double phi = NAN, eta = NAN;  // published packing and stress ratio at the critical state; NaN: none is known
  double overlap = talus::overlap_of(talus::Accuracy::forces);  // radii, mean overlap that the substep is chosen for
  double inertial = standard_inertial;
  double widths = 1.0, heights = 1.0;  // length and width, and height, by those of the standard cell
  std::string which{};                 // how the cell differs from the standard one
  double ratio = NAN, packing = NAN;   // shear stress by normal stress on the lid; volume fraction at mid-height
  double pressed = NAN;                // normal force on the lid by its weight and the force of its motor
  Points course{};                     // strain, stress ratio
};

struct CellSize {
  double edge, height;  // m
};
CellSize size_of(const LawContext& context, const Cell& cell) {
  const double d = 2.0 * cell_radius;
  return {context.pick(12.0, 9.0) * d * cell.widths, context.pick(12.0, 5.0) * d * cell.heights};
}

double lid_speed(const CellSize& size, const Cell& cell) {
  return cell.inertial * size.height / (2.0 * cell_radius * std::sqrt(soil_density / cell_pressure));
}

// A lid with ribs across x on its lower side: half cylinders of radius d.
talus::BodySpec ribbed_lid(double edge) {
  const double d = 2.0 * cell_radius;
  talus::BodySpec lid;
  lid.name = "lid";
  lid.material = 0;
  lid.parts.push_back({.shape = talus::BoxPart{{1.2 * edge, 1.2 * edge, 2.0 * d}}, .position = {0.0, 0.0, d}});
  // The edge is a whole number of spacings, so that the ribs go on across the periodic sides.
  const int each_side = static_cast<int>(0.6 * edge / (rib_spacing * d));
  for (int k = -each_side; k <= each_side; ++k)
    lid.parts.push_back({.shape = talus::ConePart{d, d, 1.2 * edge},
                         .position = {k * rib_spacing * d, 0.0, 0.0},
                         .rotation = {90.0, 0.0, 0.0}});
  return lid;
}

struct CellTimes {
  double lowered, sheared;  // s: when the lid begins to come down, and when it begins to move along x
};

Scene cell_scene(const LawContext& context, const Cell& cell, const talus::Solver& solver, CellTimes& times) {
  const CellSize size = size_of(context, cell);
  const double d = 2.0 * cell_radius, loose = size.height * cell_fill / 0.3, half = 0.5 * size.edge;
  const double top = cell_floor + loose + 3.5 * d;  // m, of the axes of the lid's ribs at the start
  Scene scene = bulk_scene(solver, cell.friction, cell.rolling);
  scene.domain.axis = {talus::Axis::periodic, talus::Axis::periodic, talus::Axis::wall};
  scene.domain.min = {-half, -half, 0.0};
  scene.domain.max = {half, half, top + 10.0 * d};
  // Z contacts of a grain in a packing phi bear the pressure P with a mean force F = pi d^2 P / (phi Z). With the
  // stiffness kappa m_eff / h^2 of dem (docs/numerics.md), kappa = 0.5 and m_eff = m / 2, their overlap in radii is
  // 12 P h^2 / (phi Z density r^2), which is 4.5 P h^2 / (density r^2) for phi Z = 0.58 * 4.6.
  const double substep = cell_radius * std::sqrt(cell.overlap * soil_density / (4.5 * cell_pressure));
  scene.solver.substeps = static_cast<int>(std::ceil(scene.dt / substep));
  times.lowered = std::sqrt(2.0 * loose / g) + 0.15;
  times.sheared = times.lowered + (top - cell_floor - 0.7 * size.height) / lowering_speed;
  const double speed = lid_speed(size, cell), sheared = largest_strain * size.height / speed;
  scene.end = times.sheared + sheared;
  scene.bodies = {ribbed_lid(size.edge)};
  // The lid slides up and down in a carriage, which comes down until the lid lies on the grains and goes along x.
  talus::BodySpec carriage;
  carriage.name = "carriage";
  carriage.show = talus::Show::hidden;
  carriage.position.z = top;
  carriage.parts.push_back({.shape = talus::BoxPart{{d, d, d}}, .position = {0.0, 0.0, 8.0 * d}});
  const double down = cell_floor + 0.7 * size.height - top;
  carriage.motion = talus::Keyframes{{{times.lowered, glm::dvec3(0.0)},
                                      {times.sheared, glm::dvec3(0.0, 0.0, down)},
                                      {scene.end, glm::dvec3(speed * sheared, 0.0, down)}},
                                     talus::Interpolation::linear};
  scene.bodies.push_back(carriage);
  talus::BodySpec& lid = scene.bodies[0];
  lid.parent = "carriage";
  lid.mass = 10.0 * cell.widths * cell.widths;
  talus::Joint slide;
  slide.type = talus::JointType::prismatic;
  slide.axis = {0.0, 0.0, 1.0};
  slide.min = 0.0;
  // The lid falls at v / 2 where no grain bears it. Without a damper it bounces, and bears between nothing and three
  // times the load.
  slide.spring.damping = cell_pressure * size.edge * size.edge / (0.5 * speed);
  slide.motor = talus::Motor{.torque = *lid.mass * g - cell_pressure * size.edge * size.edge};
  lid.motion = slide;
  lid.ignores = {"carriage"};
  // Two layers of grains that nothing moves are the floor.
  talus::GrainGroup fixed =
      group_of(cell_radius, talus::BoxFill{{-half, -half, 0.0}, {half, half, cell_floor + cell_radius}});
  fixed.fixed = true;
  const double above = cell_floor + cell_radius;
  talus::GrainGroup grains =
      group_of(cell_radius, talus::BoxFill{{-half, -half, above}, {half, half, above + loose}},
               static_cast<unsigned>(cell_fill * size.edge * size.edge * size.height / volume_of(cell_radius)));
  grains.radius_min = 0.9 * cell_radius;
  grains.radius_max = 1.1 * cell_radius;
  scene.grains = {fixed, grains};
  return scene;
}

// Shears the cell and measures it. Gives the grains and the scene.
std::optional<Shot> shear(const LawContext& context, const talus::Solver& solver, Cell& cell) {
  CellTimes times;
  Scene scene = cell_scene(context, cell, solver, times);
  const CellSize size = size_of(context, cell);
  const double d = 2.0 * cell_radius, speed = lid_speed(size, cell);
  talus::Simulation simulation = simulate(context, scene);
  if (!go_on(simulation, times.sheared))
    return std::nullopt;
  const double until = context.pick(largest_strain, 0.7), from = context.pick(counted_strain, 0.3);
  glm::dvec3 on_lid(0.0);  // sum of forces
  glm::dvec3 recent(0.0);  // of the forces on the lid since the last point of the course
  double samples = 0.0, packings = 0.0, packing = 0.0, last = 0.0;
  const bool stable = watch(simulation, times.sheared + until * size.height / speed, scene.dt, [&] {
    const std::vector<talus::BodyLoad> loads = simulation.body_loads();
    const double strain = (simulation.time() - times.sheared) * speed / size.height;
    recent += glm::dvec3(loads[0].force);
    if (strain > last + 0.05) {
      cell.course.emplace_back(strain, -recent.x / recent.z);
      recent = glm::dvec3(0.0);
      last = strain;
      if (strain > from) {
        const double middle = cell_floor + 0.5 * size.height, reach = 0.2 * size.height;
        const double inner = 0.5 * size.edge - d;
        packing +=
            packing_fraction(simulation.grains(), {-inner, -inner, middle - reach}, {inner, inner, middle + reach});
        ++packings;
      }
    }
    if (strain > from) {
      on_lid += glm::dvec3(loads[0].force);
      ++samples;
    }
  });
  if (stable) {
    cell.ratio = -on_lid.x / on_lid.z;
    cell.pressed = on_lid.z / samples / (cell_pressure * size.edge * size.edge);
    cell.packing = packing / packings;
  }
  scene.output.color_by = talus::ColorBy::speed;
  scene.camera.eye = glm::dvec3(0.6, -3.0, 1.2) * size.edge;
  scene.camera.target = glm::dvec3(0.0, 0.0, 0.75 * size.height);
  Scene drawn = scene;
  drawn.bodies[0].motion = std::monostate{};
  drawn.bodies[0].parent.clear();
  drawn.bodies[0].position = simulation.body_state(0).pose.position;
  drawn.bodies[0].position.x = 0.0;
  return Shot{std::move(scene), simulation.grains(), std::move(drawn)};
}

Evidence direct_shear(const LawContext& context) {
  // Chialvo, Sun and Sundaresan 2012, table I: the critical packing and the stress ratio of slow flow.
  std::vector<Cell> cells{{0.5, 0.0, 0.587, 0.382}};
  if (!context.quick) {
    cells = {{0.1, 0.0, 0.613, 0.268}, {0.3, 0.0, 0.596, 0.357}, {0.5, 0.0, 0.587, 0.382}, {0.5, 0.1}};
    Cell variant{0.5, 0.0};
    const auto add = [&](const char* which, auto change) {
      Cell cell = variant;
      cell.which = which;
      change(cell);
      cells.push_back(std::move(cell));
    };
    add("in a cell twice as long and wide", [](Cell& c) { c.widths = 2.0; });
    add("in a cell twice as high", [](Cell& c) { c.heights = 2.0; });
    add("at half the speed", [](Cell& c) { c.inertial *= 0.5; });
    add("with contacts four times as stiff", [](Cell& c) { c.overlap *= 0.25; });
    add("with the overlap of accuracy = \"fast\"",
        [](Cell& c) { c.overlap = talus::overlap_of(talus::Accuracy::fast); });
  }
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Cell> done = for_each_method(cells, methods.size());
  const std::size_t shown = context.pick<std::size_t>(2, 0);
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    std::optional<Shot> shot = shear(context, methods[i / cells.size()].solver, done[i]);
    if (i == shown) {
      const std::lock_guard lock(mutex);
      evidence.shot = std::move(shot);
    }
  });
  Plot strength{"Shear strength by friction", "friction among grains", "shear stress / normal stress", {}},
      courses{"Direct shear", "shear strain", "shear stress / normal stress", {}};
  Series published{"Chialvo et al. 2012", {}, "linespoints"};
  for (const Cell& cell : cells)
    if (std::isfinite(cell.eta))
      published.points.emplace_back(cell.friction, cell.eta);
  strength.series.push_back(std::move(published));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * cells.size(), cells.size());
    Series measured{by, {}, "linespoints"};
    double pressed_off = 0.0, plain = NAN;
    for (const Cell& cell : own) {
      const std::string at = fmt::format("friction {:g}", cell.friction);
      pressed_off = std::max(pressed_off, std::abs(cell.pressed - 1.0));
      if (std::isfinite(cell.eta)) {
        evidence.measurements.push_back(near("shear stress by normal stress, " + at, by, cell.ratio, cell.eta, 0.1));
        evidence.measurements.push_back(near("packing, " + at, by, cell.packing, cell.phi, 0.02));
        measured.points.emplace_back(cell.friction, cell.ratio);
        if (cell.friction == 0.5)
          plain = cell.ratio;
        courses.series.push_back({by + ", " + at, cell.course});
      } else if (cell.rolling > 0.0) {
        evidence.measurements.push_back(between(
            fmt::format("shear stress by normal stress, {}, rolling friction {:g}, by that without", at, cell.rolling),
            by, cell.ratio / plain, 1.0, 1.5));
        courses.series.push_back({fmt::format("{}, {}, rolling {:g}", by, at, cell.rolling), cell.course});
      } else {
        evidence.measurements.push_back(
            near(fmt::format("stress ratio {} by that of the plain one, {}", cell.which, at), by, cell.ratio / plain,
                 1.0, 0.03));
      }
    }
    evidence.measurements.push_back(
        at_most("greatest deviation of the pressure from that of the load", by, pressed_off, 0.02));
    strength.series.push_back(std::move(measured));
  }
  evidence.plots = {std::move(strength), std::move(courses)};
  return evidence;
}

}  // namespace

std::vector<Law> shear_laws() {
  return {{"direct_shear", soil_group, "Shear strength by friction",
           "A cell 12 grains long, wide and high with periodic sides, between a floor of fixed grains and a lid "
           "with half cylinders of radius d across it every 3 d. The lid slides up and down in a carriage, presses "
           "with 50 kPa and moves along x with an inertial number (v / H) d sqrt(rho / P) of 0.005. Radii are "
           "uniform within 10 %; the mean overlap is 0.004, that of accuracy = \"forces\". Means of the forces on "
           "the lid from a strain of 1 to 3, and of the packing of the middle 40 % of the height.",
           "Chialvo, Sun and Sundaresan 2012, Bridging the rheology of granular flows in three regimes, Physical "
           "Review E 85, 021305: simple shear of spheres with linear springs, critical packing 0.613, 0.596, 0.587 "
           "and stress ratio of slow flow 0.268, 0.357, 0.382 for friction 0.1, 0.3, 0.5",
           "10 % of the stress ratio, since the cell has plates and the source has none; 2 % of the packing. 3 % "
           "where the cell, the speed or the stiffness is another. With rolling friction the strength does not fall.",
           "The stress ratio is 1 to 6 % below the source, and the same by 2 % with the springs of every accuracy: "
           "a strength needs no small overlap.",
           6.0, direct_shear}};
}

}  // namespace bench
