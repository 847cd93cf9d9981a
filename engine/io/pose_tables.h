#pragma once
// Where bodies and clumps are over time, as tables beside every format.
#include "engine/io/frame.h"
#include "engine/io/table.h"
#include <filesystem>

namespace talus {

// DIR/bodies.csv and clumps.csv, of scenes with bodies and clumps. Beside formats that hold no meshes of bodies these
// are in DIR/body_NAME.ply, once, each in the frame of its body.
enum class BodyMeshes { beside, within };
class PoseTables {
public:
  PoseTables(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before, BodyMeshes meshes);
  void add(const Frame& frame);

private:
  std::vector<std::string> bodies_;  // their names, as fields
  std::optional<Table> poses_, clumps_;
};

}  // namespace talus
