#pragma once
// USD, which Blender, Houdini and Omniverse open: DIR/scene.usda is the stage. A time code is an export.
//   grains_00000.usda ..  a layer per time, value clips of the stage: grains, fine grains and cloth, as Points and
//                         Meshes with their velocities, so that motion is blurred; and contacts where they are asked
//                         for, as Points with partners and forces, which renderers leave out
//   body_NAME.usda        a layer per body: its mesh, and where it is at each time
//   manifest.usda         says which attributes the layers of times have
// Lengths are in m, z is up.
#include "engine/io/frame_index.h"
#include "engine/io/grown_file.h"
#include "engine/io/series.h"

namespace talus {

// A body's mesh, and its transform at each time.
class UsdBody {
public:
  UsdBody(const std::filesystem::path& file, const std::string& prim, const BodySpec& body, const Domain& domain,
          std::size_t keep_times);
  void add(const Pose& pose, std::size_t time_code);
  void set_rate(double per_second);  // time codes

private:
  GrownFile file_;
  std::uint64_t rate_at_ = 0;
  std::uint64_t end_ = 0;  // of the samples
};

class UsdSeries : public FrameWriter {
public:
  UsdSeries(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before);
  void add(const Frame& frame) override;

private:
  void write_stage(const Frame& frame, const FramePoints& points);
  void write_clip(const Frame& frame, const FramePoints& points) const;
  double rate() const;  // time codes per second

  std::filesystem::path directory_;
  Scene scene_;
  FrameIndex index_;
  std::vector<std::string> cloths_, body_names_;  // names of prims
  std::vector<std::unique_ptr<UsdBody>> bodies_;  // null: hidden
  std::string prims_;                             // of the stage
  double rate_ = 0.0;                             // that bodies' layers have
};

}  // namespace talus
