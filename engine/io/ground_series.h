#pragma once
// Heights of the ground as files over time.
#include "engine/io/file_index.h"
#include "engine/io/frame.h"
#include <string_view>

namespace talus {

// DIR/ground_00000.tif .. and DIR/index_ground.csv with the columns file, time, step, world; ground.pvd beside images.
class GroundSeries {
public:
  // Images beside what ParaView reads, and where Talus is built without libtiff; else GeoTIFF.
  GroundSeries(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before);
  void add(const Frame& frame);  // throws ExportError

private:
  std::filesystem::path directory_;
  Scene scene_;
  std::string_view kind_;
  FileIndex index_;
  std::vector<std::string> names_;  // of all worlds, up to the number
  std::size_t number_;              // of the next time
};

}  // namespace talus
