#pragma once
// Formats of a file per time: csv, ply, vtp, extxyz.
#include "engine/io/file_index.h"
#include "engine/io/pose_tables.h"
#include "engine/io/series.h"

namespace talus {

class FileSeries : public FrameWriter {
public:
  FileSeries(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before,
             const ExportOptions& options);
  void add(const Frame& frame) override;

private:
  void add_points(FileIndex& index, std::string_view kind, const Points& points, std::uint64_t step);
  void add_cloth(const Frame& frame);
  void add_moving(const Frame& frame);
  std::string numbered(std::string_view what) const;

  std::filesystem::path directory_;
  Format format_;
  Scene scene_;
  FileIndex index_;
  std::optional<FileIndex> fine_index_, contact_index_, cloth_index_, body_index_;
  PoseTables poses_;
  std::vector<std::string> cloths_, cloth_files_;  // of all worlds: names, and those of files up to the number
  std::vector<Mesh> meshes_;                       // of bodies, in their frames; empty where a body is hidden
  std::vector<BodyState> first_;                   // of bodies, in the first file of this series
  std::vector<bool> moved_;                        // since then
  std::string still_;                              // the file that has the others
  std::size_t number_ = 0;                         // of the next file
};

}  // namespace talus
