// Grains of GSD files of the schema hoomd (https://gsd.readthedocs.io): chunks of a frame, or else of frame 0.
#include "engine/base/gsd.h"
#include "engine/scene/grain_reader.h"
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace talus::grain_files {

namespace {

class Gsd {
public:
  Gsd(std::string_view bytes, Grains& grains) : bytes_(bytes), grains_(grains) {
    static_assert(std::endian::native == std::endian::little);
  }

  void read() {
    read_names();
    read_index();
    std::uint64_t count = 0;
    if (const gsd::Entry* entry = find("particles/N"); entry && entry->rows == 1 && entry->columns == 1)
      count = static_cast<std::uint64_t>(number(*entry, 0));
    grains_.expect(count, 3 * sizeof(float), bytes_.size(), {});
    struct Column {
      gsd::Entry entry;
      std::uint32_t component;
    };
    std::vector<Column> columns;
    std::vector<std::optional<Target>> targets;
    const auto add = [&](std::string_view name, Slot slot, std::uint32_t components, double factor = 1.0) {
      const gsd::Entry* entry = find(name);
      if (!entry)
        return;
      if (entry->rows != count || entry->columns != components)
        grains_.fail(fmt::format("its chunk {} has {} x {} numbers in place of {} x {}", name, entry->rows,
                                 entry->columns, count, components));
      for (std::uint32_t k = 0; k < components; ++k) {
        targets.push_back(Target{slot + k, factor});
        columns.push_back({*entry, k});
      }
    };
    add("particles/position", Slot::x, 3);
    add("particles/velocity", Slot::vx, 3);
    add("particles/diameter", Slot::radius, 1, 0.5);
    add("particles/typeid", Slot::type, 1);
    add("log/particles/spin", Slot::wx, 3);
    add("log/particles/id", Slot::id, 1);
    add("log/particles/world", Slot::world, 1);
    grains_.columns(targets, {});
    read_box();
    for (std::uint64_t i = 0; i < count; ++i) {
      Grains::Row row{};
      for (std::size_t k = 0; k < columns.size(); ++k)
        row[static_cast<std::size_t>(targets[k]->slot)] =
            number(columns[k].entry, i * columns[k].entry.columns + columns[k].component) * targets[k]->factor;
      grains_.add(row, {});
    }
  }

private:
  [[noreturn]] void damaged() const { grains_.fail("is damaged or cut short"); }

  template <class T> T at(std::uint64_t place) const {
    if (place > bytes_.size() || bytes_.size() - place < sizeof(T))
      damaged();
    T value;
    std::memcpy(&value, bytes_.data() + place, sizeof value);
    return value;
  }

  void read_names() {
    header_ = at<gsd::Header>(0);
    if (header_.magic != gsd::magic)
      grains_.fail("is no GSD file");
    if (header_.version >> 16 != 2)
      grains_.fail(fmt::format("has version {} of the layout of GSD: allowed is 2", header_.version >> 16));
    const std::uint64_t room = bytes_.size();
    if (header_.names_location > room || header_.names_entries > (room - header_.names_location) / 64)
      damaged();
    std::string_view names = bytes_.substr(header_.names_location, 64 * header_.names_entries);
    while (!names.empty() && names.front() != '\0') {
      names_.push_back(names.substr(0, names.find('\0')));
      names.remove_prefix(std::min(names_.back().size() + 1, names.size()));
    }
  }

  void read_index() {
    const std::uint64_t room = bytes_.size();
    if (header_.index_location > room || header_.index_entries > (room - header_.index_location) / sizeof(gsd::Entry))
      damaged();
    std::vector<gsd::Entry> entries;
    std::uint64_t frames = 0;
    for (std::uint64_t k = 0; k < header_.index_entries; ++k) {
      const auto entry = at<gsd::Entry>(header_.index_location + k * sizeof(gsd::Entry));
      if (entry.location == 0)
        continue;
      const std::uint64_t size = gsd::size_of(entry.type);
      const auto location = static_cast<std::uint64_t>(entry.location);
      if (size == 0 || entry.name >= names_.size() || entry.columns == 0 || entry.frame >= room || location > room ||
          entry.rows > (room - location) / (size * entry.columns))
        damaged();
      frames = std::max(frames, entry.frame + 1);
      entries.push_back(entry);
    }
    const std::uint64_t frame = grains_.frame_of(frames);
    for (const gsd::Entry& entry : entries)
      if (entry.frame == frame)
        wanted_.push_back(entry);
      else if (entry.frame == 0)
        first_.push_back(entry);
  }

  // Where a frame lacks a chunk, that of frame 0 stands for it.
  const gsd::Entry* find(std::string_view name) const {
    for (const auto* entries : {&wanted_, &first_})
      for (const gsd::Entry& entry : *entries)
        if (names_[entry.name] == name)
          return &entry;
    return nullptr;
  }

  double number(const gsd::Entry& entry, std::uint64_t n) const {
    const std::uint64_t place = static_cast<std::uint64_t>(entry.location) + n * gsd::size_of(entry.type);
    switch (entry.type) {
    case gsd::Type::uint8:
      return at<std::uint8_t>(place);
    case gsd::Type::uint16:
      return at<std::uint16_t>(place);
    case gsd::Type::uint32:
      return at<std::uint32_t>(place);
    case gsd::Type::uint64:
      return static_cast<double>(at<std::uint64_t>(place));
    case gsd::Type::int8:
      return at<std::int8_t>(place);
    case gsd::Type::int16:
      return at<std::int16_t>(place);
    case gsd::Type::int32:
      return at<std::int32_t>(place);
    case gsd::Type::int64:
      return static_cast<double>(at<std::int64_t>(place));
    case gsd::Type::float32:
      return at<float>(place);
    case gsd::Type::float64:
      return at<double>(place);
    }
    damaged();
  }

  // About the origin. Whether an axis is periodic is not said: those of HOOMD-blue are, those of own exports may not
  // be.
  void read_box() {
    const gsd::Entry* entry = find("configuration/box");
    if (!entry || entry->rows != 6 || entry->columns != 1)
      return;
    glm::dvec3 size, tilt;
    for (int a = 0; a < 3; ++a) {
      size[a] = number(*entry, static_cast<std::uint64_t>(a));
      tilt[a] = number(*entry, static_cast<std::uint64_t>(3 + a));
    }
    if (tilt == glm::dvec3(0.0) && size.x > 0.0 && size.y > 0.0 && size.z > 0.0)
      grains_.set_box(-size / 2.0, size / 2.0, {}, {});
  }

  std::string_view bytes_;
  Grains& grains_;
  gsd::Header header_;
  std::vector<std::string_view> names_;
  std::vector<gsd::Entry> wanted_, first_;
};

}  // namespace

void read_gsd(std::string_view bytes, Grains& grains) {
  Gsd(bytes, grains).read();
}

}  // namespace talus::grain_files
