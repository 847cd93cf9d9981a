#pragma once
// Formats of a file per time: csv, ply, vtp, extxyz.
#include "engine/io/pose_tables.h"
#include "engine/io/series.h"
#include "engine/io/writers.h"

namespace talus {

class FileSeries : public FrameWriter {
public:
  FileSeries(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before,
             const ExportOptions& options);
  void add(const Frame& frame) override;

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

  void add_points(Index& index, std::string_view kind, const Points& points, std::uint64_t step);
  void add_cloth(const Frame& frame);
  void add_moving(const Frame& frame);
  std::string numbered(std::string_view what) const;

  std::filesystem::path directory_;
  Format format_;
  Scene scene_;
  Index index_;
  std::optional<Index> fine_index_, contact_index_, cloth_index_, body_index_;
  PoseTables poses_;
  std::vector<std::string> cloths_, cloth_files_;  // of all worlds: names, and those of files up to the number
  std::vector<Mesh> meshes_;                       // of bodies, in their frames; empty where a body is hidden
  std::vector<BodyState> first_;                   // of bodies, in the first file of this series
  std::vector<bool> moved_;                        // since then
  std::string still_;                              // the file that has the others
  std::size_t number_ = 0;                         // of the next file
};

}  // namespace talus
