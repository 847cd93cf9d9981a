#pragma once
// A state in one file of each format. All throw ExportError. Every float comes back exactly as it was.
#include "engine/geometry/mesh.h"
#include "engine/io/format.h"
#include "engine/io/points.h"
#include <filesystem>
#include <string>
#include <vector>

namespace talus {

// In any of the formats of a file per time. The time [s] is in all of them but csv. Throws std::invalid_argument for
// others.
void write_points(const std::filesystem::path& file, Format format, const Points& points, const Scene& scene);

void write_csv(const std::filesystem::path& file, const Points& points);  // a column per component

void write_ply(const std::filesystem::path& file, const Points& points);  // binary, little endian
// A mesh: x, y, z, vx, vy, vz of the vertices, and the triangles.
void write_ply(const std::filesystem::path& file, const ClothState& cloth);
void write_ply(const std::filesystem::path& file, const Mesh& mesh);  // x, y, z, and the triangles

// OVITO's extended xyz, with the cell, which axes are periodic, and of grains the names of materials (plain_name).
void write_extxyz(const std::filesystem::path& file, const Points& points, const Scene& scene);

// Points with triangles between them. Where there are none, each point is a vertex of its own.
struct PolyData {
  Points points;
  std::vector<glm::uvec3> triangles;
  std::vector<PointColumn> of_triangles;
};
PolyData poly_data(const ClothState& cloth, double time);  // with the velocity of each vertex

// Several sheets as one, with the number of each triangle's.
PolyData poly_data(const std::vector<ClothState>& cloths, double time);

// A rigid mesh somewhere.
struct PosedMesh {
  const Mesh* mesh;    // in its own frame
  BodyState state;     // of that frame
  std::uint32_t body;  // index into Scene::bodies
  std::uint32_t world;
};
// The meshes where they are, with the velocity of each vertex, and body and world of each triangle.
PolyData poly_data(const std::vector<PosedMesh>& meshes, double time);

// VTK's XML file, which ParaView opens, with its arrays compressed by zlib. Time [s] is the field TimeValue.
void write_vtp(const std::filesystem::path& file, const Points& points, const std::vector<glm::uvec3>& triangles = {},
               const std::vector<PointColumn>& of_triangles = {});
inline void write_vtp(const std::filesystem::path& file, const PolyData& data) {
  write_vtp(file, data.points, data.triangles, data.of_triangles);
}

// A collection of such files over time. Those of one time are its parts, in order.
struct CollectionEntry {
  std::string time, file;
};
void write_pvd(const std::filesystem::path& file, const std::vector<CollectionEntry>& entries);

// Is it the name of a file of heights of the ground: .tif, a GeoTIFF, or .vti, an image of VTK in XML?
bool is_ground_file(const std::filesystem::path& file);

// In the format that the file's name ends with. Heights [m] are float32 above the floor of the domain, so that a scene
// may have the GeoTIFF as its surface; a sample is that of a column, and x and y are those of the domain. In the image
// they are the points "height" at the middles of the columns and at the height of the floor. Throws ExportError.
void write_ground(const std::filesystem::path& file, const SoilHeights& ground, const Scene& scene, double time);

}  // namespace talus
