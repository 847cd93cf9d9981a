#pragma once
// GSD, which HOOMD-blue, OVITO and freud read: DIR/grains.gsd, fine.gsd and contacts.gsd have all times, in the schema
// hoomd. What that has no name for stands in log/particles/NAME, as float32 or uint32; the time [s] in log/time.
#include "engine/base/gsd.h"
#include "engine/io/frame_index.h"
#include "engine/io/grown_file.h"
#include "engine/io/series.h"

namespace talus {

// One file.
class GsdFile {
public:
  // Keeps the first frames of the file that is there.
  GsdFile(const std::filesystem::path& file, const Scene& scene, std::uint64_t keep_frames);
  void add(const Points& points, std::uint64_t step);

private:
  void begin();
  void take_up(std::uint64_t keep_frames);
  void put(const std::string& name, gsd::Type type, std::uint32_t columns, const void* values, std::uint64_t rows);
  void put(const PointColumn& column, std::uint64_t rows);
  std::uint16_t number_of(const std::string& name);
  void commit();

  const Scene& scene_;
  GrownFile file_;
  gsd::Header header_;
  std::vector<std::string> names_;
  std::uint64_t entries_ = 0, frame_ = 0;
  std::vector<gsd::Entry> frame_entries_;
};

class GsdSeries : public FrameWriter {
public:
  GsdSeries(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before,
            const ExportOptions& options);
  void add(const Frame& frame) override;

private:
  Scene scene_;
  FrameIndex index_;
  GsdFile grains_;
  std::optional<GsdFile> fine_, contacts_;
};

}  // namespace talus
