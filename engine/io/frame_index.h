#pragma once
// What stands beside the files of a format that has all times in one file: DIR/index.csv, with the columns file, time,
// step, grains, and the tables of poses.
#include "engine/io/pose_tables.h"

namespace talus {

class FrameIndex {
public:
  FrameIndex(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before, BodyMeshes meshes);
  // Frames that a run takes over which goes on from keep_before, and then has added.
  const std::vector<double>& times() const { return times_; }  // s
  void add(const Frame& frame, const std::string& file);

private:
  Table table_;
  PoseTables poses_;
  std::vector<double> times_;
};

}  // namespace talus
