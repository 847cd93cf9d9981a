#pragma once
// A run as files: grains, fine grains, contacts, cloth and bodies over time.
#include "engine/base/atomic_file.h"
#include "engine/io/format.h"
#include "engine/io/frame.h"
#include <filesystem>
#include <memory>

namespace talus {

class Background;
class GroundSeries;

// Writes frames in one format.
class FrameWriter {
public:
  virtual ~FrameWriter() = default;
  virtual void add(const Frame& frame) = 0;  // throws ExportError
};

// DIR/grains_00000.csv, grains_00001.csv ..: a file per time, numbered; and DIR/index.csv, a row per file with the
// columns file, time, step, grains. What else the scene has comes in files of the same numbers:
// - fine_00000.csv .. and index_fine.csv; the id of a fine grain is its number;
// - contacts_00000.csv .. and index_contacts.csv, where they are asked for;
// - where the format holds cloth, cloth_NAME_00000.ply .. and index_cloth.csv;
// - bodies.csv: where each body is at each time. Their meshes are in body_NAME.ply, once, each in the frame of its
//   body. In vtp they move instead: bodies_00000.vtp .. has all of them at first and then those that have moved, and
//   bodies_still_00001.vtp .. the others, once as long as these stay the same; index_bodies.csv;
// - clumps.csv: where each clump is at each time;
// - ground_00000.tif .. and index_ground.csv: heights of the ground, a GeoTIFF; beside vtp and vtkhdf .vti.
// Beside an index of files in vtp stands a collection of them: grains.pvd, fine.pvd, contacts.pvd, cloth.pvd,
// bodies.pvd, ground.pvd. In NAME, what is no letter, digit, '.' or '-' is '_', and names that are then alike get one
// more.
class Series {
public:
  // keep_before: a run that goes on from that step takes over the rows of earlier ones, and numbers on.
  Series(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before = 0,
         const ExportOptions& options = {});
  Series(Series&&) noexcept;
  ~Series();  // waits until all is written

  // Takes the state, which is then written by a thread while the caller goes on. Waits where two states are still to be
  // written. Throws ExportError for this state or an earlier one that cannot be written.
  void add(Simulation& simulation);
  void finish();  // waits until all is written; throws as add()

private:
  ExportOptions options_;
  std::unique_ptr<FrameWriter> writer_;
  std::unique_ptr<GroundSeries> ground_;    // where the scene has some
  std::unique_ptr<Background> background_;  // last, so that it ends first
};

}  // namespace talus
