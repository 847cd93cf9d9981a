#pragma once
// VTK's XML files, which ParaView opens: points and triangles with values (.vtp), and collections of such files over
// time (.pvd).
#include "engine/geometry/mesh.h"
#include "engine/io/export.h"
#include "engine/talus.h"

namespace talus {

// Grains as points. Values of each: radius [m], velocity [m/s], id, material, world, and spin [rad/s] where it is
// written. Time [s] is the field TimeValue. Throws ExportError, as all below.
void write_vtp(const std::filesystem::path& file, const std::vector<GrainState>& grains, double time, Spins spins);
// A sheet as triangles, with the velocity of each vertex.
void write_vtp(const std::filesystem::path& file, const ClothState& cloth, double time);

// A rigid mesh somewhere.
struct PosedMesh {
  const Mesh* mesh;    // in its own frame
  BodyState state;     // of that frame
  std::uint32_t body;  // index into Scene::bodies
  std::uint32_t world;
};
// Meshes as triangles where they are, with the velocity of each vertex, and body and world of each triangle.
void write_vtp(const std::filesystem::path& file, const std::vector<PosedMesh>& meshes, double time);

// A file of a collection. Those of one time are its parts, in order.
struct CollectionEntry {
  std::string time, file;
};
void write_pvd(const std::filesystem::path& file, const std::vector<CollectionEntry>& entries);

}  // namespace talus
