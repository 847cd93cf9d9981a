#include "engine/io/frame_index.h"
#include <cstdlib>
#include <fmt/format.h>

namespace talus {

FrameIndex::FrameIndex(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before,
                       BodyMeshes meshes)
    : table_(directory / "index.csv", "file,time,step,grains", keep_before),
      poses_(directory, scene, keep_before, meshes) {
  for (const std::string& row : table_.kept())
    times_.push_back(std::strtod(std::string(csv_column(row, 1)).c_str(), nullptr));
}

void FrameIndex::add(const Frame& frame, const std::string& file) {
  table_.row(fmt::format("{},{},{},{}", file, frame.time, frame.step, frame.grains.size()));
  poses_.add(frame);
  times_.push_back(frame.time);
}

}  // namespace talus
