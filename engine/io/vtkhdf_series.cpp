#include "engine/io/vtkhdf_series.h"
#include "engine/base/atomic_file.h"
#ifdef TALUS_HDF5
#include "engine/io/body_meshes.h"
#include "engine/io/frame_index.h"
#include "engine/io/writers.h"
#include <algorithm>
#include <fmt/format.h>
#include <hdf5.h>
#include <utility>

#endif

namespace talus {

#ifndef TALUS_HDF5

bool has_hdf5() {
  return false;
}
std::unique_ptr<FrameWriter> vtkhdf_series(const std::filesystem::path&, const Scene&, std::uint64_t,
                                           const ExportOptions&) {
  throw ExportError("this build of Talus has no HDF5, which vtkhdf needs: use vtp");
}

#else

bool has_hdf5() {
  return true;
}

namespace {

// A handle of HDF5.
class Handle {
public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::filesystem::path& file) : id_(id), close_(close) {
    if (id < 0)
      throw ExportError(fmt::format("{} cannot be written: HDF5 reports an error", file.string()));
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  ~Handle() {
    if (id_ >= 0)
      close_(id_);
  }
  operator hid_t() const { return id_; }

private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

template <class T> hid_t type_of() {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return H5T_NATIVE_UINT32;
  else
    return H5T_NATIVE_INT64;
}

// One file. Every data set grows along its first axis; what stands in Steps says which rows a time has.
class VtkHdfFile {
public:
  VtkHdfFile(const std::filesystem::path& path, std::uint64_t keep_steps)
      : path_(path), steps_(keep_steps), file_(open(path, keep_steps > 0), H5Fclose, path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are told by exceptions
    if (keep_steps > 0) {
      take_up();
      return;
    }
    const Handle root = group("VTKHDF");
    const std::array<std::int64_t, 2> version{2, 0};
    attribute(root, "Version", H5T_NATIVE_INT64, version.data(), version.size());
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose, path_);
    H5Tset_size(text, 8);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    attribute(root, "Type", text, "PolyData", 0);
    for (const std::string name : {"VTKHDF/PointData", "VTKHDF/CellData", "VTKHDF/Steps",
                                   "VTKHDF/Steps/PointDataOffsets", "VTKHDF/Steps/CellDataOffsets"})
      group(name);
    for (const std::string_view kind : kinds)
      group(fmt::format("VTKHDF/{}", kind));
    const std::int64_t none = 0;
    attribute(Handle(H5Gopen2(file_, "VTKHDF/Steps", H5P_DEFAULT), H5Gclose, path_), "NSteps", H5T_NATIVE_INT64, &none,
              0);
  }

  void add(const PolyData& data) {
    const Points& points = data.points;
    const auto count = static_cast<std::int64_t>(points.count);
    const bool meshes = !data.triangles.empty();
    append<double>("Steps/Values", {points.time});
    append<std::int64_t>("Steps/PartOffsets", {static_cast<std::int64_t>(steps_)});
    append<std::int64_t>("Steps/NumberOfParts", {1});
    append<std::int64_t>("Steps/PointOffsets", {rows("Points")});
    std::vector<std::int64_t> cells, corners;
    for (const std::string_view kind : kinds) {
      // One cell more in Offsets than there are, for each time.
      cells.push_back(rows(fmt::format("{}/Offsets", kind)) - static_cast<std::int64_t>(steps_));
      corners.push_back(rows(fmt::format("{}/Connectivity", kind)));
    }
    append<std::int64_t>("Steps/CellOffsets", cells, 4);
    append<std::int64_t>("Steps/ConnectivityIdOffsets", corners, 4);
    append<std::int64_t>("NumberOfPoints", {count});
    std::vector<std::int64_t> ids;
    if (meshes)
      for (const glm::uvec3& t : data.triangles)
        ids.insert(ids.end(), {t.x, t.y, t.z});
    else
      for (std::int64_t i = 0; i < count; ++i)
        ids.push_back(i);
    for (const std::string_view kind : kinds) {
      const bool own = kind == (meshes ? "Polygons" : "Vertices");
      const std::int64_t each = meshes ? 3 : 1;
      std::vector<std::int64_t> offsets{0};
      for (std::int64_t end = each; own && end <= static_cast<std::int64_t>(ids.size()); end += each)
        offsets.push_back(end);
      append<std::int64_t>(fmt::format("{}/NumberOfCells", kind), {static_cast<std::int64_t>(offsets.size()) - 1});
      append<std::int64_t>(fmt::format("{}/NumberOfConnectivityIds", kind),
                           {own ? static_cast<std::int64_t>(ids.size()) : 0});
      append<std::int64_t>(fmt::format("{}/Offsets", kind), offsets);
      append<std::int64_t>(fmt::format("{}/Connectivity", kind), own ? ids : std::vector<std::int64_t>{});
    }
    for (const PointColumn& c : points.columns)
      if (c.quantity->name == position_quantity.name)
        append<float>("Points", std::get<std::vector<float>>(c.values), 3);
      else
        add("PointData", c);
    for (const PointColumn& c : data.of_triangles)
      add("CellData", c);
    ++steps_;
    const Handle group(H5Gopen2(file_, "VTKHDF/Steps", H5P_DEFAULT), H5Gclose, path_);
    const Handle steps(H5Aopen(group, "NSteps", H5P_DEFAULT), H5Aclose, path_);
    const auto number = static_cast<std::int64_t>(steps_);
    check(H5Awrite(steps, H5T_NATIVE_INT64, &number));
    check(H5Fflush(file_, H5F_SCOPE_LOCAL));
  }

private:
  static constexpr std::array<std::string_view, 4> kinds{"Vertices", "Lines", "Polygons", "Strips"};

  static hid_t open(const std::filesystem::path& path, bool go_on) {
    const std::string name = path.string();
    return go_on ? H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                 : H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  }
  void check(herr_t result) const {
    if (result < 0)
      throw ExportError(fmt::format("{} cannot be written: HDF5 reports an error", path_.string()));
  }

  Handle group(const std::string& name) const {
    return {H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, path_};
  }

  // count 0: a single value.
  void attribute(hid_t of, const char* name, hid_t type, const void* value, hsize_t count) const {
    const Handle space(count > 0 ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR), H5Sclose, path_);
    const Handle attribute(H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, path_);
    check(H5Awrite(attribute, type, value));
  }

  bool exists(const std::string& name) const { return H5Lexists(file_, ("VTKHDF/" + name).c_str(), H5P_DEFAULT) > 0; }

  std::int64_t rows(const std::string& name) const {
    if (!exists(name))
      return 0;
    const Handle set(H5Dopen2(file_, ("VTKHDF/" + name).c_str(), H5P_DEFAULT), H5Dclose, path_);
    const Handle space(H5Dget_space(set), H5Sclose, path_);
    hsize_t size[2]{};
    H5Sget_simple_extent_dims(space, size, nullptr);
    return static_cast<std::int64_t>(size[0]);
  }

  void add(const std::string& where, const PointColumn& column) {
    const std::string name = fmt::format("{}/{}", where, column.quantity->name);
    append<std::int64_t>(fmt::format("Steps/{}Offsets/{}", where, column.quantity->name), {rows(name)});
    std::visit(
        [&](const auto& values) {
          append<std::decay_t<decltype(values[0])>>(name, values, column.quantity->components());
        },
        column.values);
  }

  template <class T> void append(const std::string& name, const std::vector<T>& values, hsize_t columns = 1) {
    const int rank = columns > 1 ? 2 : 1;
    const std::string path = "VTKHDF/" + name;
    if (!exists(name)) {
      const hsize_t none[2]{0, columns}, most[2]{H5S_UNLIMITED, columns},
          chunk[2]{std::max<hsize_t>(1, (name.starts_with("Steps") || name.starts_with("NumberOf") ? 1024 : 65536) /
                                            columns),
                   columns};
      const Handle space(H5Screate_simple(rank, none, most), H5Sclose, path_),
          properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path_);
      check(H5Pset_chunk(properties, rank, chunk));
      check(H5Pset_shuffle(properties));
      check(H5Pset_deflate(properties, 1));
      const Handle made(H5Dcreate2(file_, path.c_str(), type_of<T>(), space, H5P_DEFAULT, properties, H5P_DEFAULT),
                        H5Dclose, path_);
    }
    if (values.empty())
      return;
    const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose, path_);
    const hsize_t begin[2]{static_cast<hsize_t>(rows(name)), 0}, count[2]{values.size() / columns, columns},
        end[2]{begin[0] + count[0], columns};
    check(H5Dset_extent(set, end));
    const Handle from(H5Screate_simple(rank, count, nullptr), H5Sclose, path_), to(H5Dget_space(set), H5Sclose, path_);
    check(H5Sselect_hyperslab(to, H5S_SELECT_SET, begin, nullptr, count, nullptr));
    check(H5Dwrite(set, type_of<T>(), from, to, H5P_DEFAULT, values.data()));
  }

  // Takes away the rows of later times: each data set ends where the first of them begins.
  void take_up() {
    const auto value_at = [&](const std::string& name, std::size_t column) -> std::int64_t {
      if (rows(name) <= static_cast<std::int64_t>(steps_))
        return -1;
      const Handle set(H5Dopen2(file_, ("VTKHDF/" + name).c_str(), H5P_DEFAULT), H5Dclose, path_);
      const Handle space(H5Dget_space(set), H5Sclose, path_);
      hsize_t size[2]{1, 1};
      const int rank = H5Sget_simple_extent_dims(space, size, nullptr);
      const hsize_t begin[2]{steps_, column}, count[2]{1, 1};
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr));
      const Handle one(H5Screate_simple(rank, count, nullptr), H5Sclose, path_);
      std::int64_t value = 0;
      check(H5Dread(set, H5T_NATIVE_INT64, one, space, H5P_DEFAULT, &value));
      return value;
    };
    std::vector<std::pair<std::string, std::int64_t>> ends;
    const auto end_at = [&](const std::string& name, std::int64_t end) {
      if (end >= 0 && exists(name))
        ends.emplace_back(name, end);
    };
    end_at("Points", value_at("Steps/PointOffsets", 0));
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const std::int64_t cells = value_at("Steps/CellOffsets", k);
      end_at(fmt::format("{}/Offsets", kinds[k]), cells < 0 ? -1 : cells + static_cast<std::int64_t>(steps_));
      end_at(fmt::format("{}/Connectivity", kinds[k]), value_at("Steps/ConnectivityIdOffsets", k));
    }
    for (const std::string where : {"PointData", "CellData"}) {
      const Handle group(H5Gopen2(file_, ("VTKHDF/" + where).c_str(), H5P_DEFAULT), H5Gclose, path_);
      H5G_info_t info{};
      check(H5Gget_info(group, &info));
      for (hsize_t i = 0; i < info.nlinks; ++i) {
        char name[256]{};
        H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        const std::string offsets = fmt::format("Steps/{}Offsets/{}", where, name);
        end_at(fmt::format("{}/{}", where, name), value_at(offsets, 0));
        end_at(offsets, static_cast<std::int64_t>(steps_));
      }
    }
    for (const std::string name : {"Steps/Values", "Steps/PartOffsets", "Steps/NumberOfParts", "Steps/PointOffsets",
                                   "Steps/CellOffsets", "Steps/ConnectivityIdOffsets", "NumberOfPoints"})
      end_at(name, static_cast<std::int64_t>(steps_));
    for (const std::string_view kind : kinds)
      for (const std::string name : {"NumberOfCells", "NumberOfConnectivityIds"})
        end_at(fmt::format("{}/{}", kind, name), static_cast<std::int64_t>(steps_));
    for (const auto& [name, end] : ends) {
      const Handle set(H5Dopen2(file_, ("VTKHDF/" + name).c_str(), H5P_DEFAULT), H5Dclose, path_);
      const Handle space(H5Dget_space(set), H5Sclose, path_);
      hsize_t size[2]{1, 1};
      H5Sget_simple_extent_dims(space, size, nullptr);
      size[0] = std::min(size[0], static_cast<hsize_t>(end));
      check(H5Dset_extent(set, size));
    }
  }

  std::filesystem::path path_;
  std::uint64_t steps_;
  Handle file_;
};

class VtkHdfSeries : public FrameWriter {
public:
  VtkHdfSeries(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before,
               const ExportOptions& options)
      : index_(directory, scene, keep_before, BodyMeshes::within), meshes_(exported_meshes(scene)),
        grains_(directory / "grains.vtkhdf", index_.times().size()) {
    const std::uint64_t kept = index_.times().size();
    if (scene.upsampling)
      fine_.emplace(directory / "fine.vtkhdf", kept);
    if (options.contacts)
      contacts_.emplace(directory / "contacts.vtkhdf", kept);
    if (!scene.cloths.empty())
      cloth_.emplace(directory / "cloth.vtkhdf", kept);
    if (std::ranges::any_of(meshes_, [](const Mesh& mesh) { return !mesh.triangles.empty(); }))
      bodies_.emplace(directory / "bodies.vtkhdf", kept);
  }

  void add(const Frame& frame) override {
    FramePoints points = points_of(frame);
    grains_.add({std::move(points.grains), {}, {}});
    if (fine_)
      fine_->add({std::move(*points.fine), {}, {}});
    if (contacts_)
      contacts_->add({std::move(*points.contacts), {}, {}});
    if (cloth_)
      cloth_->add(poly_data(frame.cloths, frame.time));
    if (bodies_) {
      std::vector<PosedMesh> posed;
      for (std::size_t b = 0; b < frame.bodies.size(); ++b)
        posed.push_back({&meshes_[b % meshes_.size()], frame.bodies[b], static_cast<std::uint32_t>(b % meshes_.size()),
                         static_cast<std::uint32_t>(b / meshes_.size())});
      bodies_->add(poly_data(posed, frame.time));
    }
    index_.add(frame, "grains.vtkhdf");
  }

private:
  FrameIndex index_;
  std::vector<Mesh> meshes_;
  VtkHdfFile grains_;
  std::optional<VtkHdfFile> fine_, contacts_, cloth_, bodies_;
};

}  // namespace

std::unique_ptr<FrameWriter> vtkhdf_series(const std::filesystem::path& directory, const Scene& scene,
                                           std::uint64_t keep_before, const ExportOptions& options) {
  return std::make_unique<VtkHdfSeries>(directory, scene, keep_before, options);
}

#endif

}  // namespace talus
