#pragma once
// Scenes for tests, and the devices that they run on.
#include "bench/scenes.h"
#include "catch.h"
#include "engine/core/executor.h"
#include "engine/gpu/device.h"
#include "engine/talus.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <glm/trigonometric.hpp>
#include <glm/vec3.hpp>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace talus_tests {

// The Vulkan device of tests tagged [device].
std::string vulkan_device();

inline const talus::Options on_cpu{.device = "cpu"};
// With the validation layer and its synchronization checks.
talus::Options on_device();
// The same for simulations that are there at the same time: all with these options on one device (Options::on), which
// compiles a pass once for all of them. on_device() opens a device for each.
talus::Options on_one_device();
// Without the layer, which takes half of the time there. Lockstep submits each pass alone and waits for it, so that no
// barrier between passes can be missing; the barriers of whole steps are checked on_device(), and what each pass binds
// in the tests of test_lockstep.cpp, which run every pass in_validated_lockstep().
talus::Options in_lockstep();
talus::Options in_validated_lockstep();

// What the validation layer said while the simulation ran; empty on the CPU path.
std::vector<std::string> complaints(talus::Simulation& simulation);

inline constexpr double g = 9.81;                // m/s2, as scenes have it that say nothing else
inline constexpr double pi_ = std::numbers::pi;  // without the underscore it is that of the shaders

// A scene in code: defaults that a test changes.
talus::Scene scene_of(double dt, int substeps, int iterations);
// Without walls.
talus::Scene open_scene(double dt, int substeps, int iterations);

// Advances to a simulated time [s], to the nearest step.
void advance_to(talus::Simulation& simulation, double time);
// Advances until all grains sleep, which a test requires by the simulated time `most` [s].
void let_sleep(talus::Simulation& simulation, double most = 8.0);

// The mass of a ball [kg] by its radius [m] and density [kg/m3]; 1600 is the default density of a material.
double mass_of(double radius, double density = 1600.0);

// Sums over grains, bodies or vertices.
struct Momenta {
  glm::dvec3 linear{0.0}, angular{0.0};  // kg m/s; kg m2/s about the origin
  double mass = 0.0, energy = 0.0;       // kg; J, kinetic
};
Momenta of_bodies(const talus::Simulation& simulation);  // dynamic ones

// Every method with what changes its passes, by name, with grains that do not rotate: those that do are in
// test_rotation*.cpp. Those of a Gauss-Seidel kind run on the CPU alone.
struct Variant {
  std::string name;
  talus::Solver solver;
};
std::vector<Variant> variants();
// One after the other.
Variant each_variant();
// One of each method: for what passes of a method share, and takes long on a device.
Variant each_method();
// The scene with another method; its iterations and substeps stay.
talus::Scene with(talus::Scene scene, talus::Solver solver);

using bench::add_points;

// A grain that does not rotate on a plane, tilted so that it would slide along +x.
talus::Scene on_incline(talus::Scene scene, double degrees, double mu_s, double mu_k, double speed = 0.0);

// The acceleration of the first grain along x in the second second of a run [m/s2], and its speed after it [m/s].
struct Slide {
  double acceleration, speed;
};
Slide in_second_second(const talus::Scene& scene, const talus::Options& options = on_cpu);
// The same for a grain that starts at rest on a tilted plane.
Slide slide_down(talus::Scene scene, double degrees, double mu_s, double mu_k, const talus::Options& options = on_cpu);
// What Coulomb's law says of that acceleration.
double sliding(double degrees, double mu);

// n grains thrown together in a box with two materials and mixed radii, some on each other's centre, some on the
// borders of grid cells, one far outside along the open axis x; y is periodic, z has walls.
talus::Scene jumble(unsigned n);

talus::BodySpec body_of(std::string name, std::vector<talus::BodyPart> parts, glm::dvec3 position = {},
                        glm::dvec3 rotation = {});

// Moving bodies of all kinds among the grains of a jumble, one across its periodic seam; materials[1] for some.
talus::Scene jumble_with_bodies(unsigned n);

// A box with walls, 2 half wide and `height` high, and grains at random places in it up to `filled`; all m.
void add_bed(talus::Scene& scene, double half, double height, double radius, double filled);

// An emitter that pours a thousand grains of mixed radii a second onto the floor, until `stop` [s].
talus::Scene pouring(int substeps, int iterations, double stop);

// Grains falling onto each other in an open-topped box.
talus::Scene box_of(unsigned n);

}  // namespace talus_tests
