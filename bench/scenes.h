#pragma once
// Methods and scenes that several experiments share, and how they are run.
#include "bench/experiment.h"
#include <functional>

namespace bench {

struct MethodCase {
  std::string name;
  talus::Solver solver;
};

// The settings of a method, without contact memory, a warm start, rotation and sleep, with plain means: as its paper
// has it.
talus::Solver plain(talus::Method method, std::optional<talus::Iteration> iteration = {});
// The same with contact memory.
talus::Solver remembering(talus::Method method, std::optional<talus::Iteration> iteration = {});

// All methods, with and without contact memory; a few that stand for them in the short version.
std::vector<MethodCase> methods(const Context& context);
// The best iteration of each, with and without memory: for experiments that take long.
std::vector<MethodCase> methods_in_brief(const Context& context);

// NAME.toml of the folder scenes/ that this was built from, as it is.
talus::Scene house_scene(const std::string& name);

// Equal work for all methods: dem takes its iterations as substeps.
void set_pace(talus::Scene& scene, double rate, int substeps, int iterations);

// A floor at z = 0 without walls, one material of friction mu, steps of 1 / rate.
talus::Scene floor_scene(const talus::Solver& solver, double mu, double rate, int substeps, int iterations);

void add_points(talus::Scene& scene, double radius, std::vector<glm::dvec3> points, glm::dvec3 velocity = {});

// A floor that grains do not slide on, so that a heap is as steep as the grains themselves make it: friction 0.5 or
// more.
void set_rough_floor(talus::Scene& scene);

// Grains poured at random places of a narrow disc above a rough floor, in `pouring` seconds.
void add_pouring(talus::Scene& scene, unsigned count, double radius, double pouring);

// Grains at random places in a box with walls, `layers` grains high when they have settled.
void add_bed(talus::Scene& scene, unsigned count, double radius, double layers);

// Grains at random places that fall among a lattice of balls, of which the first n are there, 64 at most.
talus::Scene scene_with_balls(unsigned grains, int n);

// scenes/box_settle.toml with another number of grains, as deep (22 x 22 columns of 10,000), by a method with its own
// settings and the substeps for the overlap that the scene asks for.
talus::Scene settling_box(talus::Method method, unsigned grains);

double grain_mass(const talus::Scene& scene, double radius);  // kg, of the first material

// Gauss-Seidel exists on the CPU alone.
talus::Simulation simulate(const Context& context, talus::Scene scene);

// Goes on to `time` [s] in steps of `every`, calling seen() after each. False where the state became invalid.
bool watch(talus::Simulation& simulation, double time, double every, const std::function<void()>& seen);
bool go_on(talus::Simulation& simulation, double time);

// run(0) .. run(count - 1), as many at a time as the context allows. Throws what one of them throws.
void in_parallel(const Context& context, std::size_t count, const std::function<void(std::size_t)>& run);

std::string number(double value, int digits = 3);  // significant digits; "unstable" where it is none

}  // namespace bench
