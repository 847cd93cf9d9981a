// Grains of VTK's files in HDF5
// (https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html#vtkhdf-file-format): the points of a PolyData or
// an UnstructuredGrid, at the time that is asked for.
#include "engine/scene/grain_reader.h"
#ifdef TALUS_HDF5
#include <algorithm>
#include <fmt/format.h>
#include <hdf5.h>
#include <utility>
#endif

namespace talus::grain_files {

#ifndef TALUS_HDF5

void read_vtkhdf(const std::filesystem::path&, Grains& grains) {
  grains.fail("cannot be read: this build of Talus has no HDF5, which vtkhdf needs; use vtp");
}

#else

namespace {

class Hdf5Object {
public:
  Hdf5Object(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Hdf5Object(Hdf5Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~Hdf5Object() {
    if (id_ >= 0)
      close_(id_);
  }
  operator hid_t() const { return id_; }
  bool there() const { return id_ >= 0; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

class VtkHdf {
public:
  VtkHdf(const std::filesystem::path& path, Grains& grains)
      : grains_(grains), file_(opened(path), H5Fclose), root_(file_.there() ? group(file_, "VTKHDF") : -1, H5Gclose) {}

  void read() {
    if (!file_.there())
      grains_.fail("is no HDF5 file, is damaged, or cannot be opened");
    if (!root_.there())
      grains_.fail("has no group VTKHDF");
    const std::string type = type_of_data();
    if (type != "PolyData" && type != "UnstructuredGrid")
      grains_.fail(fmt::format("holds {}: allowed are PolyData and UnstructuredGrid, whose points are the grains",
                               type.empty() ? "data of no type" : type.substr(0, 40)));
    const auto [begin, count] = points();
    std::vector<std::optional<Target>> targets{Target{Slot::x}, Target{Slot::y}, Target{Slot::z}};
    std::vector<std::vector<double>> arrays{rows("Points", begin, count, 3)};
    std::vector<std::pair<std::size_t, std::size_t>> columns{{0, 3}};  // array, components
    for (const auto& [name, components] : point_arrays()) {
      std::vector<std::optional<Target>> own;
      for (std::size_t k = 0; k < components; ++k)
        own.push_back(components == 1 ? target_of(name) : target_of(name, k));
      if (components > 3 || std::ranges::none_of(own, [](const auto& t) { return t.has_value(); }))
        continue;
      targets.insert(targets.end(), own.begin(), own.end());
      columns.emplace_back(arrays.size(), components);
      const std::string offsets = "Steps/PointDataOffsets/" + name;
      const std::uint64_t first = transient() && exists(offsets) ? whole_at(offsets, frame_) : begin;
      arrays.push_back(rows("PointData/" + name, first, count, components));
    }
    grains_.columns(targets, {});
    for (std::uint64_t i = 0; i < count; ++i) {
      Grains::Row row{};
      std::size_t column = 0;
      for (const auto& [array, components] : columns)
        for (std::size_t k = 0; k < components; ++k, ++column)
          if (const std::optional<Target>& to = grains_.target(column))
            row[static_cast<std::size_t>(to->slot)] = arrays[array][i * components + k] * to->factor + to->offset;
      grains_.add(row, {});
    }
  }

private:
  // Errors are told by the exceptions of Grains.
  static hid_t opened(const std::filesystem::path& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return H5Fopen(path.string().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  }
  static hid_t group(hid_t of, const char* name) { return H5Gopen2(of, name, H5P_DEFAULT); }

  bool exists(const std::string& name) const {
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
      if (H5Lexists(root_, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0)
        return false;
      if (end == name.npos)
        return true;
    }
  }
  bool transient() const { return exists("Steps"); }

  std::string type_of_data() const {
    const Hdf5Object attribute(H5Aopen(root_, "Type", H5P_DEFAULT), H5Aclose);
    const Hdf5Object type(attribute.there() ? H5Aget_type(attribute) : -1, H5Tclose);
    if (!type.there() || H5Tget_class(type) != H5T_STRING)
      return {};
    if (H5Tis_variable_str(type) > 0) {  // as h5py writes a string
      char* text = nullptr;
      if (H5Aread(attribute, type, &text) < 0 || !text)
        return {};
      std::string copy = text;
      H5free_memory(text);
      return copy;
    }
    std::string text(H5Tget_size(type), '\0');
    if (H5Aread(attribute, type, text.data()) < 0)
      return {};
    return text.substr(0, text.find('\0'));
  }

  // The number of rows of a data set, and of its columns.
  std::pair<std::uint64_t, std::uint64_t> size_of(const std::string& name) const {
    const Hdf5Object set(H5Dopen2(root_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Object space(set.there() ? H5Dget_space(set) : -1, H5Sclose);
    const Hdf5Object type(set.there() ? H5Dget_type(set) : -1, H5Tclose);
    hsize_t size[2]{0, 1};
    const int rank = space.there() ? H5Sget_simple_extent_ndims(space) : 0;
    const bool numbers = type.there() && (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT);
    if (rank < 1 || rank > 2 || !numbers)
      grains_.fail(fmt::format("has no table of numbers {}", name));
    H5Sget_simple_extent_dims(space, size, nullptr);
    return {size[0], size[1]};
  }

  std::vector<double> rows(const std::string& name, std::uint64_t begin, std::uint64_t count,
                           std::uint64_t columns) const {
    const auto [rows, components] = size_of(name);
    if (components != columns || begin > rows || count > rows - begin)
      grains_.fail(fmt::format("has {} x {} numbers in {}, where rows {} to {} of {} numbers are asked for", rows,
                               components, name, begin, begin + count, columns));
    const Hdf5Object set(H5Dopen2(root_, name.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Object space(H5Dget_space(set), H5Sclose);
    const hsize_t first[2]{begin, 0}, size[2]{count, columns};
    const Hdf5Object memory(H5Screate_simple(H5Sget_simple_extent_ndims(space), size, nullptr), H5Sclose);
    std::vector<double> values(count * columns);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, size, nullptr) < 0 ||
        H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data()) < 0)
      grains_.fail(fmt::format("is damaged: {} cannot be read", name));
    return values;
  }

  std::uint64_t whole_at(const std::string& name, std::uint64_t row) const {
    const double value = rows(name, row, 1, size_of(name).second)[0];
    if (!(value >= 0.0 && value <= 9007199254740992.0))  // 2^53
      grains_.fail(fmt::format("is damaged: {} holds {}", name, value));
    return static_cast<std::uint64_t>(value);
  }

  // Where the points of the frame begin, and how many there are. Its parts follow one another.
  std::pair<std::uint64_t, std::uint64_t> points() {
    const std::uint64_t parts_of_all = size_of("NumberOfPoints").first;
    std::uint64_t begin = 0, first_part = 0, parts = parts_of_all;
    if (transient()) {
      frame_ = grains_.frame_of(size_of("Steps/Values").first);
      begin = whole_at("Steps/PointOffsets", frame_);
      first_part = whole_at("Steps/PartOffsets", frame_);
      parts = exists("Steps/NumberOfParts") ? whole_at("Steps/NumberOfParts", frame_) : 1;
    } else
      grains_.frame_of(1);
    double count = 0.0;
    for (const double points : rows("NumberOfPoints", first_part, std::min(parts, parts_of_all), 1))
      count += points;
    const std::uint64_t rows = size_of("Points").first;
    if (!(count >= 0.0 && count <= static_cast<double>(rows)))
      grains_.fail(fmt::format("is damaged: it says to have {} points, and has {}", count, rows));
    grains_.expect(static_cast<std::uint64_t>(count), 1, rows, {});
    return {begin, static_cast<std::uint64_t>(count)};
  }

  // Names of the arrays of points, and how many numbers a point has in each.
  std::vector<std::pair<std::string, std::uint64_t>> point_arrays() const {
    std::vector<std::pair<std::string, std::uint64_t>> arrays;
    if (!exists("PointData"))
      return arrays;
    const Hdf5Object data(group(root_, "PointData"), H5Gclose);
    H5G_info_t info{};
    if (!data.there() || H5Gget_info(data, &info) < 0)
      grains_.fail("is damaged: PointData is no group");
    for (hsize_t i = 0; i < info.nlinks; ++i) {
      char name[256]{};
      H5Lget_name_by_idx(data, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
      if (target_of(name) || target_of(name, 0))
        arrays.emplace_back(name, size_of(fmt::format("PointData/{}", name)).second);
    }
    return arrays;
  }

  Grains& grains_;
  Hdf5Object file_, root_;
  std::uint64_t frame_ = 0;
};

}  // namespace

void read_vtkhdf(const std::filesystem::path& file, Grains& grains) {
  VtkHdf(file, grains).read();
}

#endif

}  // namespace talus::grain_files
