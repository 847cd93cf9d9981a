#pragma once
// What a scene means to the passes: the constant fields, and a grain's record.
#include "engine/core/dynamics.h"
#include "engine/scene/scene.h"

namespace talus {

class Executor;

double substep_of(const Scene& scene);             // s
float load_share_of(double filter, double dt);     // of a step's load in a body's filtered one; s
float longest_side(const Population& population);  // m, of triangles of cloth; 0: there are none

bool has_fine(const Population& population);  // now or later

Grain grain_of(const Scene& scene, const Seed& seed);
vec4 spin_of(const Scene& scene, const Seed& seed);   // grain_spin at the start
float ease_of(const Scene& scene, const Seed& seed);  // grain_spin.w: m r^2 / I, 0 of a fixed grain [1]
bool resists_rolling(const Scene& scene);             // does some pair of materials?

// True where grains at rest sleep (solver.sleep). Particles of shapes, spheres of clumps and vertices of cloth exclude
// sleep, since they are moved after the contacts of dem.
bool grains_sleep(const Scene& scene);

// Throws SceneError where a periodic axis is too short for the neighbour grid, or the grid too large for the device.
// grid_cells: most cells of the neighbour table; 0: some four per grain.
Settings settings_of(const Scene& scene, const Population& population, const Dynamics& dynamics,
                     std::uint32_t grid_cells = 0);

// Emitted grains that wait, as many as are tried in a step, so that the emitter can catch up.
uint emissions_tried(const Emitter& emitter, double dt);

// Emitters, and where emitted grains that wait for room are tried: those of emitter after emitter.
struct EmitterRegions {
  std::vector<EmitterRegion> emitter_regions;
  std::vector<vec3> sites;
};
EmitterRegions emitter_regions_of(const Scene& scene, const Population& population);

// The bodies, with their motions in the first step, the sinks, and the parts of the shapes of both. Distance fields of
// meshes are baked on the executor, or come from the user's cache folder.
struct Bodies {
  std::vector<Body> bodies;
  std::vector<Sink> sinks;
  std::vector<SolidPart> parts;
  std::vector<uint> shape_data;    // as the field: the parts, and their meshes
  std::vector<std::string> notes;  // what is not as asked for, one sentence each
};
Bodies bodies_of(const Scene& scene, const std::vector<BodyMotion>& motions, Executor& executor);

// The kind of clump of each group of Scene::grains, then of each of Scene::emitters, without spheres where they are
// none; empty where there are no clumps.
std::vector<ClumpKind> clump_kinds_of(const Scene& scene);
// A clump at the start, by its first sphere.
ClumpMotion clump_motion_of(const ClumpKind& kind, const Seed& first);

// The shapes, their particles, and where they are at the start.
struct Shapes {
  std::vector<MatchedShape> shapes;
  std::vector<ShapeMotion> motions;
  std::vector<vec3> places;    // of the particles
  std::vector<uint> shape_of;  // the shape of each of them, for shape_data
};
Shapes shapes_of(const Scene& scene, const Population& population);

// Cloth: its vertices and their links, the sheets after one another, and what contacts need of it, which follows what
// is in Bodies::shape_data.
struct Cloth {
  std::vector<ClothVertex> vertices;
  std::vector<ClothLink> links;
  std::vector<uint> words;
};
Cloth cloth_of(const Scene& scene, const Population& population, const Settings& settings);

// The fine grains at the start, and the number and material of each.
struct FineGrains {
  std::vector<Grain> grains;
  std::vector<uint> tags;
};
FineGrains fine_grains_of(const Population& population);

// [a (materials + 1) + b]: contact law of materials a and b; the last row and column is the wall. Friction,
// rolling friction (where both have one) and adhesion of two materials are geometric means, stiffness and damping those
// of two springs in a row. The wall's friction and adhesion are the domain's.
std::vector<PairLaw> pair_laws_of(const Scene& scene);

}  // namespace talus
