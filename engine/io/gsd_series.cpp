#include "engine/io/gsd_series.h"
#include "engine/base/atomic_file.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace talus {
namespace {

constexpr std::uint64_t names_room = 64, first_room = 256;  // in units of 64 bytes; entries of the index

// Boxes are about the origin. Along a periodic axis it is as long as the period; along others it holds the domain.
// Positions are those of the simulation.
std::array<float, 6> box_of(const Domain& d) {
  std::array<float, 6> box{};
  for (int a = 0; a < 3; ++a)
    box[static_cast<std::size_t>(a)] = static_cast<float>(d.axis[static_cast<std::size_t>(a)] == Axis::periodic
                                                              ? d.max[a] - d.min[a]
                                                              : 2.0 * std::max(std::abs(d.min[a]), std::abs(d.max[a])));
  return box;
}

}  // namespace

GsdFile::GsdFile(const std::filesystem::path& file, const Scene& scene, std::uint64_t keep_frames)
    : scene_(scene), file_(file, keep_frames > 0) {
  if (keep_frames > 0)
    take_up(keep_frames);
  else
    begin();
}

void GsdFile::begin() {
  header_.names_location = sizeof header_;
  header_.names_entries = names_room;
  header_.index_location = sizeof header_ + 64 * names_room;
  header_.index_entries = first_room;
  const std::vector<char> zeros(64 * names_room + sizeof(gsd::Entry) * first_room);
  file_.write(0, &header_, sizeof header_);
  file_.write(sizeof header_, zeros.data(), zeros.size());
  file_.flush();
}

void GsdFile::take_up(std::uint64_t keep_frames) {
  file_.read(0, &header_, sizeof header_);
  if (header_.magic != gsd::magic || header_.names_entries != names_room)
    throw ExportError("the GSD file to go on with was not written by Talus: give another folder");
  std::string names(64 * names_room, '\0');
  file_.read(header_.names_location, names.data(), names.size());
  for (std::size_t at = 0; at < names.size() && names[at] != '\0'; at += names_.back().size() + 1)
    names_.push_back(names.substr(at, names.find('\0', at) - at));
  std::vector<gsd::Entry> entries(header_.index_entries);
  file_.read(header_.index_location, entries.data(), entries.size() * sizeof(gsd::Entry));
  entries_ = static_cast<std::uint64_t>(
      std::ranges::count_if(entries, [&](const gsd::Entry& e) { return e.location != 0 && e.frame < keep_frames; }));
  std::fill(entries.begin() + static_cast<std::ptrdiff_t>(entries_), entries.end(), gsd::Entry{});
  file_.write(header_.index_location, entries.data(), entries.size() * sizeof(gsd::Entry));
  file_.flush();
  frame_ = keep_frames;
}

std::uint16_t GsdFile::number_of(const std::string& name) {
  auto at = std::ranges::find(names_, name);
  if (at == names_.end()) {
    names_.push_back(name);
    std::string all;
    for (const std::string& each : names_)
      all += each + '\0';
    if (all.size() >= 64 * names_room)
      throw ExportError("a GSD file has no room for so many names");
    file_.write(header_.names_location, all.data(), all.size());
    at = names_.end() - 1;
  }
  return static_cast<std::uint16_t>(at - names_.begin());
}

void GsdFile::put(const std::string& name, gsd::Type type, std::uint32_t columns, const void* values,
                  std::uint64_t rows) {
  const std::uint64_t bytes = rows * columns * gsd::size_of(type);
  if (bytes == 0)
    return;  // the format has no chunks without bytes
  const std::uint64_t at = file_.append(values, bytes);
  frame_entries_.push_back({frame_, rows, static_cast<std::int64_t>(at), columns, number_of(name), type, 0});
}

void GsdFile::put(const PointColumn& column, std::uint64_t rows) {
  const std::string_view name = column.quantity->name;
  const auto columns = static_cast<std::uint32_t>(column.quantity->components());
  if (const auto* wholes = std::get_if<std::vector<std::uint32_t>>(&column.values)) {
    put(name == "material" ? "particles/typeid" : fmt::format("log/particles/{}", name), gsd::Type::uint32, columns,
        wholes->data(), rows);
    return;
  }
  std::vector<float> values = std::get<std::vector<float>>(column.values);
  std::string chunk = fmt::format("log/particles/{}", name);
  if (name == "position" || name == "velocity") {
    chunk = fmt::format("particles/{}", name);
  } else if (name == "radius") {
    chunk = "particles/diameter";
    for (float& value : values)
      value *= 2.0f;
  } else if (name == "orientation") {  // w first
    chunk = "particles/orientation";
    for (std::size_t i = 0; i < rows; ++i)
      std::rotate(&values[4 * i], &values[4 * i] + 3, &values[4 * i] + 4);
  }
  put(chunk, gsd::Type::float32, columns, values.data(), rows);
}

void GsdFile::add(const Points& points, std::uint64_t step) {
  frame_entries_.clear();
  const std::array<float, 6> box = box_of(scene_.domain);
  const auto count = static_cast<std::uint32_t>(points.count);
  put("configuration/step", gsd::Type::uint64, 1, &step, 1);
  put("configuration/box", gsd::Type::float32, 1, box.data(), box.size());
  put("particles/N", gsd::Type::uint32, 1, &count, 1);
  if (frame_ == 0 && points.wholes("material")) {
    std::size_t width = 1;
    for (const Material& m : scene_.materials)
      width = std::max(width, m.name.size() + 1);
    std::string types(width * scene_.materials.size(), '\0');
    for (std::size_t m = 0; m < scene_.materials.size(); ++m)
      types.replace(m * width, scene_.materials[m].name.size(), scene_.materials[m].name);
    put("particles/types", gsd::Type::int8, static_cast<std::uint32_t>(width), types.data(), scene_.materials.size());
  }
  for (const PointColumn& column : points.columns)
    put(column, points.count);
  put("log/time", gsd::Type::float64, 1, &points.time, 1);
  commit();
}

// The index says last what there is: whatever happens before, the file has the frames that it had.
void GsdFile::commit() {
  file_.flush();
  std::ranges::sort(frame_entries_, {}, &gsd::Entry::name);
  if (entries_ + frame_entries_.size() > header_.index_entries) {
    std::vector<gsd::Entry> all(2 * (entries_ + frame_entries_.size()));
    file_.read(header_.index_location, all.data(), entries_ * sizeof(gsd::Entry));
    header_.index_location = file_.append(all.data(), all.size() * sizeof(gsd::Entry));
    header_.index_entries = all.size();
    file_.flush();
    file_.write(0, &header_, sizeof header_);
  }
  file_.write(header_.index_location + entries_ * sizeof(gsd::Entry), frame_entries_.data(),
              frame_entries_.size() * sizeof(gsd::Entry));
  file_.flush();
  entries_ += frame_entries_.size();
  ++frame_;
}

GsdSeries::GsdSeries(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before,
                     const ExportOptions& options)
    : scene_(scene), index_(directory, scene, keep_before, BodyMeshes::beside),
      grains_(directory / "grains.gsd", scene_, index_.times().size()) {
  const std::uint64_t kept = index_.times().size();
  if (scene.upsampling)
    fine_.emplace(directory / "fine.gsd", scene_, kept);
  if (options.contacts)
    contacts_.emplace(directory / "contacts.gsd", scene_, kept);
}

void GsdSeries::add(const Frame& frame) {
  const FramePoints points = points_of(frame);
  grains_.add(points.grains, frame.step);
  if (fine_)
    fine_->add(*points.fine, frame.step);
  if (contacts_)
    contacts_->add(*points.contacts, frame.step);
  index_.add(frame, "grains.gsd");
}

}  // namespace talus
