#include "engine/io/file_series.h"
#include "engine/io/body_meshes.h"
#include "engine/io/report.h"
#include <fmt/format.h>

namespace talus {
namespace {

bool same_place(const BodyState& a, const BodyState& b) {
  return a.pose.position == b.pose.position && a.pose.rotation == b.pose.rotation;
}

}  // namespace

FileSeries::FileSeries(const std::filesystem::path& directory, Format format, const Scene& scene,
                       std::uint64_t keep_before, const ExportOptions& options)
    : directory_(directory), format_(format), scene_(scene),
      index_(directory, "index.csv", "grains.pvd", "file,time,step,grains", keep_before, format == Format::vtp),
      poses_(directory, scene, keep_before, format == Format::vtp ? BodyMeshes::within : BodyMeshes::beside),
      number_(index_.rows()) {
  const bool collect = format == Format::vtp;
  if (scene.upsampling)
    fine_index_.emplace(directory, "index_fine.csv", "fine.pvd", "file,time,step,grains", keep_before, collect);
  if (options.contacts)
    contact_index_.emplace(directory, "index_contacts.csv", "contacts.pvd", "file,time,step,contacts", keep_before,
                           collect);
  if (holds_cloth(format) && !scene.cloths.empty()) {
    for (std::uint32_t w = 0; w < scene.worlds; ++w)
      for (const ClothSpec& cloth : scene.cloths)
        cloths_.push_back(name_in_world(scene, cloth.name, w));
    cloth_files_ = plain_names(cloths_);
    cloth_index_.emplace(directory, "index_cloth.csv", "cloth.pvd", "file,time,step,vertices,triangles,cloth",
                         keep_before, collect);
  }
  if (collect && !scene.bodies.empty()) {
    meshes_ = exported_meshes(scene);
    body_index_.emplace(directory, "index_bodies.csv", "bodies.pvd", "file,time,step,bodies", keep_before, collect);
  }
}

std::string FileSeries::numbered(std::string_view what) const {
  return fmt::format("{}_{:05}.{}", what, number_, name_of(format_));
}

void FileSeries::add_points(FileIndex& index, std::string_view kind, const Points& points, std::uint64_t step) {
  const std::string name = numbered(kind);
  write_points(directory_ / name, format_, points, scene_);
  index.add(name, points.time, step, fmt::format("{}", points.count));
}

void FileSeries::add(const Frame& frame) {
  const FramePoints points = points_of(frame);
  add_points(index_, "grains", points.grains, frame.step);
  if (fine_index_)
    add_points(*fine_index_, "fine", *points.fine, frame.step);
  if (contact_index_)
    add_points(*contact_index_, "contacts", *points.contacts, frame.step);
  if (cloth_index_)
    add_cloth(frame);
  poses_.add(frame);
  if (body_index_)
    add_moving(frame);
  ++number_;
}

void FileSeries::add_cloth(const Frame& frame) {
  for (std::size_t c = 0; c < frame.cloths.size(); ++c) {
    const std::string name = numbered("cloth_" + cloth_files_[c]);
    const ClothState& cloth = frame.cloths[c];
    if (format_ == Format::vtp)
      write_vtp(directory_ / name, poly_data(cloth, frame.time));
    else
      write_ply(directory_ / name, cloth);
    cloth_index_->add(name, frame.time, frame.step,
                      fmt::format("{},{},{}", cloth.positions.size(), cloth.triangles.size(), csv_field(cloths_[c])));
  }
}

// The meshes where the bodies are. What stands still is written again only when something of it has begun to move.
void FileSeries::add_moving(const Frame& frame) {
  const std::vector<BodyState>& states = frame.bodies;
  const bool first = first_.empty();
  if (first) {
    first_ = states;
    moved_.assign(states.size(), false);
  }
  bool began = first;
  std::vector<PosedMesh> moving, still;
  for (std::size_t b = 0; b < states.size(); ++b) {
    const std::size_t body = b % meshes_.size();
    if (meshes_[body].triangles.empty())
      continue;
    if (!moved_[b] && !same_place(states[b], first_[b]))
      began = moved_[b] = true;
    (moved_[b] ? moving : still)
        .push_back({&meshes_[body], states[b], static_cast<std::uint32_t>(body),
                    static_cast<std::uint32_t>(b / meshes_.size())});
  }
  const auto write = [&](const std::string& name, const std::vector<PosedMesh>& meshes) {
    write_vtp(directory_ / name, poly_data(meshes, frame.time));
    return name;
  };
  const auto add = [&](const std::string& name, const std::vector<PosedMesh>& meshes) {
    body_index_->add(name, frame.time, frame.step, fmt::format("{}", meshes.size()));
  };
  if (!moving.empty())
    add(write(numbered("bodies"), moving), moving);
  if (still.empty())
    return;
  if (began)
    still_ = write(numbered(first ? "bodies" : "bodies_still"), still);
  add(still_, still);
}

}  // namespace talus
