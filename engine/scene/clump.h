#pragma once
// Clumps: rigid grains of several spheres.
#include "engine/scene/limitations.h"
#include "engine/scene/scene.h"
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <string>
#include <vector>

namespace talus {

// A clump as a rigid body, in the frame of its principal axes from its centre of mass. Lengths are in radii of its
// largest sphere, masses in that of the clump.
struct ClumpShape {
  std::vector<glm::dvec4> spheres;  // xyz centre, w radius, in the order of Clump::spheres
  double volume = 0.0;              // of the union of the spheres
  glm::dvec3 inertia{0.0};          // principal moments, the least one first
  double reach = 0.0;               // radius of the ball around the centre of mass that holds it
  std::vector<double> weights;      // a_p of shaders/shared/laws/clump.h
};

// Volume and inertia are those of the union of the spheres, where they overlap, too: rays along one axis find it
// exactly, on a grid of rays across, which leaves an error below 1e-4 of the volume and of the moments.
ClumpShape clump_shape(const Clump& clump);

// Radius of its smallest sphere, in radii of the largest one.
double least_radius(const Clump& clump);

// Tells what is wrong with a clump, as the end of a sentence that begins with its name; empty: nothing.
std::string misshapen(const Clump& clump);

// The first capability that a clump does not go with, of those that a solver has.
std::optional<Capability> clumps_refused_by(const Solver& solver);

// Two spheres of one radius R whose centres are 1.6 R apart, and four whose centres are 0.8 R from their middle.
Clump pair_clump();
Clump tetrahedron_clump();

// How far a grain of a group reaches from its centre, and its volume, as shares of what a ball of its radius has.
struct GroupForm {
  double reach = 1.0, volume = 1.0;
};
GroupForm form_of(const GrainGroup& group);

// The spheres of a clump at a place, with a turn, and a motion; kind: the number of its group in the scene.
struct PlacedClump {
  glm::dvec3 center;          // m
  double radius;              // m, of its largest sphere
  glm::dquat turned;          // from the frame of its principal axes to the world
  glm::dvec3 velocity, spin;  // m/s, rad/s
};
void add_spheres(const ClumpShape& shape, const PlacedClump& clump, const GrainGroup& group, double density,
                 std::uint32_t kind, std::vector<Seed>& seeds);

}  // namespace talus
