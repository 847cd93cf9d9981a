#pragma once
// A run as files: grains, fine grains, cloth and bodies over time.
#include "engine/io/export.h"
#include "engine/io/vtp.h"

namespace talus {

// DIR/grains_00000.csv, grains_00001.csv ..: a file per time, numbered; and DIR/index.csv, a row per file with the
// columns file, time, step, grains. What else the scene has comes in files of the same numbers:
// - fine_00000.csv .. and index_fine.csv; the id of a fine grain is its number;
// - where the format holds cloth, cloth_NAME_00000.ply .. and index_cloth.csv;
// - bodies.csv: where each body is at each time. Their meshes are in body_NAME.ply, once, each in the frame of its
// body.
//   In vtp they move instead: bodies_00000.vtp .. has all of them at first and then those that have moved, and
//   bodies_still_00001.vtp .. the others, once as long as these stay the same; index_bodies.csv.
// Beside an index of files in vtp stands a collection of them: grains.pvd, fine.pvd, cloth.pvd, bodies.pvd.
// In NAME, what is no letter, digit, '.' or '-' is '_', and names that are then alike get one more.
class Series {
public:
  // keep_before: a run that goes on from that step takes over the rows of earlier ones, and numbers on.
  Series(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before = 0);
  void add(Simulation& simulation);

private:
  // The table of files of one kind.
  class Index {
  public:
    Index(const std::filesystem::path& directory, std::string_view table, std::string_view collection,
          std::string_view header, std::uint64_t keep_before, bool collect);
    // rest: the columns behind file, time, step.
    void add(const std::string& file, double time, std::uint64_t step, const std::string& rest);
    std::size_t rows() const { return rows_; }

  private:
    Table table_;
    std::filesystem::path collection_;
    bool collect_;
    std::size_t rows_ = 0;
    std::vector<CollectionEntry> entries_;
  };

  void add_cloth(Simulation& simulation);
  void add_bodies(Simulation& simulation);
  void add_clumps(Simulation& simulation);
  void add_moving(const std::vector<BodyState>& states, double time, std::uint64_t step);
  std::string numbered(std::string_view what) const;

  std::filesystem::path directory_;
  Format format_;
  Scene scene_;
  Index index_;
  std::optional<Index> fine_index_, cloth_index_, body_index_;
  std::optional<Table> poses_, clumps_;
  std::vector<std::string> cloths_, cloth_files_;  // of all worlds: names, and those of files up to the number
  std::vector<Mesh> meshes_;                       // of bodies, in their frames; empty where a body is hidden
  std::vector<BodyState> first_;                   // of bodies, in the first file of this series
  std::vector<bool> moved_;                        // since then
  std::string still_;                              // the file that has the others
  std::size_t number_ = 0;                         // of the next file
};

}  // namespace talus
