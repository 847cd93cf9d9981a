#pragma once
// Clumps: rigid grains of several spheres.
#include "engine/scene/limitations.h"
#include "engine/scene/scene.h"
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <string>
#include <vector>

namespace talus {

// Radii of its smallest and of its largest sphere, in radii of the grain.
RadiusRange sphere_radii(const Clump& clump);

// Tells what is wrong with the spheres of a clump, as the end of a sentence that begins with its name; empty: nothing.
std::string misshapen(const std::vector<glm::dvec4>& spheres);

// The first capability that a clump does not go with, of those that a solver has.
std::optional<Capability> clumps_refused_by(const Solver& solver);

// Two spheres of one radius R whose centres are 1.6 R apart, and four whose centres are 0.8 R from their middle.
const Clump& pair_clump();
const Clump& tetrahedron_clump();

// How far a grain reaches from its centre, and its volume, as shares of what a ball of its radius has.
struct GrainForm {
  double reach = 1.0, volume = 1.0;
};
GrainForm form_of(const std::optional<Clump>& clump);

// Is there a clump in a scene, from the start on or when an emitter releases it?
bool has_clumps(const Scene& scene);

// Spheres of a grain.
std::uint32_t spheres_of(const std::optional<Clump>& clump);

// The spheres of a clump at a place, with a turn, and a motion; kind: as clump_kinds_of counts them.
struct PlacedClump {
  glm::dvec3 center;           // m
  double radius;               // m, of its largest sphere
  glm::dquat turned;           // from the frame of its principal axes to the world
  glm::dvec3 velocity, spin;   // m/s, rad/s
  std::uint32_t material = 0;  // index into Scene::materials
  bool fixed = false;
};
std::vector<Seed> seeds_of(const ClumpShape& shape, const PlacedClump& clump, double density, std::uint32_t kind);

}  // namespace talus
