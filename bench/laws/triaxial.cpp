// Compression of a cube of grains between six plates.
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

constexpr double cube_pressure = 5e3;  // Pa, on all sides at the start
constexpr double cube_loose = 1.26;    // edge at the start of the compression by that at its end
constexpr double compression = 0.5;    // s, of the time for the compression at equal pressure
constexpr double plate_speed = 0.5;    // m/s, of a side plate that no grain bears
constexpr double residual_strain =
    0.25;                              // axial strain 1 - h / h_0 from which the means of the residual state are taken
constexpr double final_strain = 0.35;  // axial strain at the end
constexpr int radius_classes = 5;      // of the radii from 0.9 to 1.1 of the mean

// A cube of grains, and what was measured on it.
struct Cube {
  double friction;
  double phi = NAN, angle = NAN;      // published packing at the critical state and angle of friction [degrees]
  double overlap = forces_overlap;    // radii
  double inertial = 2e-3;             // inertial number (dh/dt / h) d sqrt(rho / P)
  double edges = 1.0;                 // edge by that of the standard cube
  std::string which{};                // how the cube differs from the standard one
  double first = NAN, last = NAN;     // volume fraction before the compression along z and in the residual state
  double peak = NAN, residual = NAN;  // degrees, angle of friction
  Points course{};                    // axial strain, angle of friction [degrees]
};

double edge_of(const LawContext& context, const Cube& cube) {
  return context.pick(12.0, 7.0) * soil_size * cube.edges;
}

// The angle of friction [degrees] of Mohr and Coulomb: sin(phi) = (s_1 - s_3) / (s_1 + s_3).
double friction_angle(double greatest, double least) {
  return std::asin((greatest - least) / (greatest + least)) / degree;
}

// Walls and plates without friction, no gravity, and a substep with which the mean overlap is as asked for (shear.cpp).
Scene empty_cube(const LawContext& context, const talus::Solver& solver, const Cube& cube, double friction) {
  const double reach = 2.0 * edge_of(context, cube);
  Scene scene = bulk_scene(solver, friction);
  scene.materials.push_back(scene.materials[0]);
  scene.materials[1].name = "plates";
  scene.materials[1].friction_static = scene.materials[1].friction_kinetic = 0.0;
  scene.domain.friction_static = scene.domain.friction_kinetic = 0.0;
  scene.domain.gravity = glm::dvec3(0.0);
  scene.domain.min = {-reach, -reach, 0.0};
  scene.domain.max = {reach, reach, 2.0 * reach};
  const double substep = soil_radius * std::sqrt(cube.overlap * soil_density / (4.5 * cube_pressure));
  scene.solver.substeps = static_cast<int>(std::ceil(scene.dt / substep));
  return scene;
}

// Four side plates that a force presses inwards, and a plate on top, whose motion the caller chooses. `inner` are the
// places [m] of their inner faces along -x, x, -y, y and z. The floor of the domain is the sixth plate.
std::vector<talus::BodySpec> plates_of(double edge, const std::array<double, 5>& inner) {
  constexpr std::array<const char*, 5> names{"left", "right", "front", "back", "top"};
  const double thickness = 2.0 * soil_size, gap = 0.3 * soil_size;  // m; the side plates do not touch the floor
  const double load = cube_pressure * edge * edge;
  std::vector<talus::BodySpec> plates;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const int axis = static_cast<int>(k / 2);
    const double outwards = k == 4 || k % 2 == 1 ? 1.0 : -1.0;
    glm::dvec3 size(3.0 * edge), normal(0.0), place(0.0);
    normal[axis] = outwards;
    size[axis] = thickness;
    place[axis] = inner[k];
    glm::dvec3 center = 0.5 * thickness * normal;
    if (k < 4) {
      size.z = 1.6 * edge;
      center.z += gap + 0.5 * size.z;
    }
    talus::BodySpec plate;
    plate.name = names[k];
    plate.material = 1;
    plate.show = talus::Show::hidden;
    plate.parts.push_back({.shape = talus::BoxPart{size}, .position = center});
    for (const char* other : names)
      if (plate.name != other)
        plate.ignores.push_back(other);
    talus::Joint slide;
    slide.type = talus::JointType::prismatic;
    slide.axis = normal;
    slide.origin = place;
    slide.spring.damping = load / plate_speed;
    slide.motor = talus::Motor{.torque = -load};
    plate.mass = load / (2.0 * plate_speed) * 0.01;  // kg: the plate follows its damper within 5 ms
    plate.motion = slide;
    plates.push_back(std::move(plate));
  }
  return plates;
}

std::array<double, 5> loose_faces(double edge) {
  const double half = 0.5 * cube_loose * edge;
  return {-half, half, -half, half, cube_loose * edge};
}

talus::GrainGroup loose_grains(double edge) {
  const double half = 0.5 * cube_loose * edge;
  talus::GrainGroup grains = group_of(soil_radius, talus::BoxFill{{-half, -half, 0.0}, {half, half, cube_loose * edge}},
                                      static_cast<unsigned>(0.6 * edge * edge * edge / volume_of(soil_radius)));
  grains.radius_min = 0.9 * soil_radius;
  grains.radius_max = 1.1 * soil_radius;
  return grains;
}

// The places of the inner faces, which all plates but the last one have moved along their joints.
std::array<double, 5> faces_of(const talus::Simulation& simulation) {
  std::array<double, 5> faces{};
  for (std::size_t k = 0; k < faces.size(); ++k)
    faces[k] = simulation.body_state(static_cast<std::uint32_t>(k)).pose.position[static_cast<int>(k / 2)];
  return faces;
}

double core_packing(talus::Simulation& simulation, const std::array<double, 5>& face) {
  const glm::dvec3 low(face[0], face[2], 0.0), high(face[1], face[3], face[4]);
  return packing_fraction(simulation.grains(), low + 0.25 * (high - low), high - 0.25 * (high - low));
}

std::optional<Shot> compress(const LawContext& context, const talus::Solver& solver, Cube& cube) {
  const double edge = edge_of(context, cube);
  // Grains without friction come to the densest packing that is not ordered.
  Scene even = empty_cube(context, solver, cube, 0.0);
  even.grains.push_back(loose_grains(edge));
  even.bodies = plates_of(edge, loose_faces(edge));
  talus::Simulation packing = simulate(context, even);
  if (!go_on(packing, compression))
    return std::nullopt;
  const std::array<double, 5> start = faces_of(packing);
  cube.first = core_packing(packing, start);
  Scene scene = empty_cube(context, solver, cube, cube.friction);
  for (int k = 0; k < radius_classes; ++k) {
    std::vector<glm::dvec3> places;
    for (const talus::GrainState& grain : packing.grains())
      if (std::clamp(static_cast<int>((grain.radius / soil_radius - 0.9) / 0.2 * radius_classes), 0,
                     radius_classes - 1) == k)
        places.emplace_back(grain.position);
    add_points(scene, soil_radius * (0.9 + 0.2 * (k + 0.5) / radius_classes), std::move(places));
  }
  const double rate = cube.inertial * std::sqrt(cube_pressure / soil_density) / soil_size;  // 1/s
  const double until = context.pick(final_strain, 0.08), from = context.pick(residual_strain, 0.04);
  const double end = until / rate;
  scene.end = end;
  scene.bodies = plates_of(edge, start);
  const auto press = [&](talus::BodySpec& top, double height, double speed) {
    top.mass.reset();
    top.motion = std::monostate{};
    top.position = {0.0, 0.0, height};
    top.velocity.z = -speed;
  };
  press(scene.bodies[4], start[4], rate * start[4]);
  talus::Simulation simulation = simulate(context, scene);
  std::array<double, 3> recent{}, late{};  // Pa, sums of the stresses along x, y and z
  double steps = 0.0, packed = 0.0, samples = 0.0, last = 0.0;
  const bool stable = watch(simulation, end, scene.dt, [&] {
    const std::array<double, 5> face = faces_of(simulation);
    const std::vector<talus::BodyLoad> loads = simulation.body_loads();
    const glm::dvec3 size(face[1] - face[0], face[3] - face[2], face[4]);
    const std::array<double, 3> stress{0.5 * (loads[1].force.x - loads[0].force.x) / (size.y * size.z),
                                       0.5 * (loads[3].force.y - loads[2].force.y) / (size.x * size.z),
                                       loads[4].force.z / (size.x * size.y)};
    const double strain = 1.0 - size.z / start[4];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      recent[axis] += stress[axis];
      if (strain > from)
        late[axis] += stress[axis];
    }
    ++steps;
    if (strain < last + 0.005)
      return;
    cube.course.emplace_back(0.5 * (last + strain), friction_angle(recent[2], 0.5 * (recent[0] + recent[1])));
    last = strain;
    recent = {};
    if (strain > from) {
      packed += core_packing(simulation, face);
      ++samples;
    }
  });
  if (!stable)
    return std::nullopt;
  cube.residual = friction_angle(late[2], 0.5 * (late[0] + late[1]));
  cube.last = packed / samples;
  cube.peak = std::ranges::max_element(cube.course, {}, &Points::value_type::second)->second;
  // The scene of the page packs its grains with their friction, and so more loosely.
  Scene whole = empty_cube(context, solver, cube, cube.friction);
  whole.grains.push_back(loose_grains(edge));
  whole.bodies = plates_of(edge, loose_faces(edge));
  press(whole.bodies[4], cube_loose * edge, 0.0);
  const double lowered = cube_loose * edge - start[4];
  whole.end = compression + end;
  whole.bodies[4].motion = talus::Keyframes{{{0.0, glm::dvec3(0.0)},
                                             {0.5 * compression, glm::dvec3(0.0, 0.0, -lowered)},
                                             {compression, glm::dvec3(0.0, 0.0, -lowered)},
                                             {whole.end, glm::dvec3(0.0, 0.0, -lowered - until * start[4])}},
                                            talus::Interpolation::linear};
  whole.output.color_by = talus::ColorBy::speed;
  whole.camera.eye = glm::dvec3(1.2, -2.2, 1.5) * edge;
  whole.camera.target = glm::dvec3(0.0, 0.0, 0.35 * edge);
  Scene drawn = whole;
  drawn.bodies.clear();
  return Shot{std::move(whole), simulation.grains(), std::move(drawn)};
}

Evidence triaxial(const LawContext& context) {
  // Peyneau and Roux 2008: 5.76 degrees without friction. Chialvo, Sun and Sundaresan 2012, table I: the packing and
  // the stress ratio of slow flow, which is sin(phi) in simple shear without dilation.
  std::vector<Cube> cubes{{0.5, 0.587, std::asin(0.382) / degree}};
  if (!context.quick) {
    cubes = {{0.0, 0.639, 5.76},
             {0.1, 0.613, std::asin(0.268) / degree},
             {0.3, 0.596, std::asin(0.357) / degree},
             {0.5, 0.587, std::asin(0.382) / degree}};
    const auto add = [&](const char* which, auto change) {
      Cube cube{0.5};
      cube.which = which;
      change(cube);
      cubes.push_back(std::move(cube));
    };
    add("in a cube half as large again", [](Cube& c) { c.edges = 1.5; });
    add("at half the speed", [](Cube& c) { c.inertial *= 0.5; });
    add("with contacts four times as stiff", [](Cube& c) { c.overlap *= 0.25; });
    add("with the overlap of accuracy = \"fast\"",
        [](Cube& c) { c.overlap = talus::overlap_of(talus::Accuracy::fast); });
  }
  const std::size_t standard = context.pick<std::size_t>(3, 0);
  const std::vector<MethodCase> methods = methods_of_laws(context);
  std::vector<Cube> done = for_each_method(cubes, methods.size());
  Evidence evidence;
  std::mutex mutex;
  in_parallel(context, done.size(), [&](std::size_t i) {
    std::optional<Shot> shot = compress(context, methods[i / cubes.size()].solver, done[i]);
    if (i == standard) {
      const std::lock_guard lock(mutex);
      evidence.shot = std::move(shot);
    }
  });
  Plot strength{
      "Angle of friction of a cube under compression", "friction among grains", "angle of friction [deg]", {}},
      courses{"Compression of a cube", "axial strain", "angle of friction [deg]", {}};
  Series published{"Peyneau and Roux, Chialvo et al.", {}, "linespoints"};
  for (const Cube& cube : cubes)
    if (cube.which.empty())
      published.points.emplace_back(cube.friction, cube.angle);
  strength.series.push_back(std::move(published));
  for (std::size_t m = 0; m < methods.size(); ++m) {
    const std::string& by = methods[m].name;
    const auto own = std::span(done).subspan(m * cubes.size(), cubes.size());
    Series residual{by + ", residual", {}, "linespoints"}, peak{by + ", peak", {}, "linespoints"};
    for (const Cube& cube : own) {
      if (!cube.which.empty()) {
        evidence.measurements.push_back(near("residual angle " + cube.which + " by that of the standard one", by,
                                             cube.residual / own[standard].residual, 1.0, 0.05));
        continue;
      }
      const std::string at = fmt::format("friction {:g}", cube.friction);
      evidence.measurements.push_back(near("residual angle of friction [deg], " + at, by, cube.residual, cube.angle,
                                           cube.friction > 0.0 ? 0.15 : 0.25));
      evidence.measurements.push_back(near("residual packing, " + at, by, cube.last, cube.phi, 0.02));
      if (cube.friction > 0.0)
        evidence.measurements.push_back(
            between("peak angle by the residual one, " + at, by, cube.peak / cube.residual, 1.0, 2.0));
      residual.points.emplace_back(cube.friction, cube.residual);
      peak.points.emplace_back(cube.friction, cube.peak);
      courses.series.push_back({by + ", " + at, cube.course});
    }
    evidence.measurements.push_back(
        near("packing without friction before the test", by, own[standard].first, 0.639, 0.01));
    strength.series.push_back(std::move(residual));
    strength.series.push_back(std::move(peak));
  }
  evidence.plots = {std::move(strength), std::move(courses)};
  return evidence;
}

}  // namespace

std::vector<Law> triaxial_laws() {
  return {
      {"triaxial", soil_group, "Compression of a cube of grains",
       "A cube with edges of 12 d between six plates without friction, without gravity. Grains of 10 mm, with radii "
       "uniform within 10 % in five classes, are packed without friction by an equal force on all plates, 5 kPa. Then "
       "they get their friction, and the upper plate comes down with an inertial number (dh/dt / h) d sqrt(rho / P) of "
       "0.002, while the force on the four side plates stays. Stresses are the forces of the grains on the plates by "
       "the areas between them, sin(phi) = (s_1 - s_3) / (s_1 + s_3), s_3 being the mean of the sides. The residual "
       "angle is that of the mean stresses from an axial strain of 0.25 to 0.35, the peak the greatest mean over a "
       "strain of 0.005. Packings are those of the middle eighth of the cube. The mean overlap is 0.004, that of "
       "accuracy = \"forces\".",
       "Peyneau and Roux 2008, Frictionless bead packs have macroscopic friction, but no dilatancy, Physical Review E "
       "78, 011307: 5.76 degrees without friction, and a packing of 0.639. Chialvo, Sun and Sundaresan 2012, Physical "
       "Review E 85, 021305: stress ratios of slow flow 0.268, 0.357, 0.382 and critical packings 0.613, 0.596, 0.587 "
       "for friction 0.1, 0.3, 0.5. Both are of simple shear, where the stress ratio is sin(phi) (Davis 1968); by Mohr "
       "and Coulomb the angle is the same here.",
       "15 % of the angle, by as much as criteria of failure differ between simple shear and compression, and 25 % of "
       "the small one without friction; 2 % of the residual packing, 1 % of that before the test. 5 % where the cube, "
       "the speed or the stiffness is another.",
       "The angles with friction are 14 to 17 % below those of simple shear. The criterion of Matsuoka and Nakai 1974 "
       "has them lower too: with a middle stress of sqrt(s_1 s_3) in simple shear, the angles of this cube are worth "
       "15.4, 20.5 and 21.5 degrees there, 1 to 4 % below the source. Without friction the angle grows with a power of "
       "the inertial number by Peyneau and Roux, whose value is that of its limit 0. With friction 0.5 the stress "
       "still falls a little at the end.",
       1.3, triaxial}};
}

}  // namespace bench
