#pragma once
// Grains from files, those of engine/io and of other programs, for fill.file of [[grains]]. docs/interop.md says what
// is read of each format.
#include "engine/scene/scene.h"

namespace talus {

// "FILE:LINE:COLUMN: what is wrong", without the line where the file is no text.
struct GrainFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct GrainFileOptions {
  double scale = 1.0;                  // m per unit of length of the file; its unit of time is 1 s
  std::optional<std::uint32_t> frame;  // of those that the file has, from 0; unset: the last
};

// The cell of a file.
struct FileBox {
  glm::dvec3 min, max;                          // m
  std::array<std::optional<bool>, 3> periodic;  // where the file says it
};

// Vectors of quantities that the file does not contain are empty. Where the file has ids, the grains are sorted by id.
struct LoadedGrains {
  std::vector<glm::vec3> positions;   // m
  std::vector<float> radii;           // m
  std::vector<glm::vec3> velocities;  // m/s
  std::vector<glm::vec3> spins;       // rad/s, angular velocities
  std::vector<std::uint32_t> types;   // from 0
  std::vector<std::uint32_t> lines;   // of the file, from 1; of text alone
  std::optional<FileBox> box;

  std::size_t size() const { return positions.size(); }
};

// vtp, vtkhdf, extxyz, csv, gsd and ply, told by the name's extension, and LAMMPS' dumps and data files, told by their
// content. Throws GrainFileError.
LoadedGrains load_grains(const std::filesystem::path& file, const GrainFileOptions& options = {});

// Whose radii must lie within these, m.
RadiusRange radii_of(const LoadedGrains& grains);

// m/s, of the fastest grain of a group at the start.
double fastest_of(const GrainGroup& group);

// Of grain i of a group that a file fills.
std::uint32_t material_of(const GrainGroup& group, const FileFill& file, std::size_t i);

// For what must not change unseen while a run goes on.
std::uint64_t checksum(const LoadedGrains& grains, std::uint64_t sum);

}  // namespace talus
