#include "engine/io/series.h"
#include "engine/io/report.h"
#include "engine/scene/bodies.h"
#include "engine/scene/clump.h"
#include "engine/scene/surface.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <system_error>

namespace talus {
namespace {

// Made before the index is opened inside it.
const std::filesystem::path& made(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw ExportError(fmt::format("{} cannot be made: {}", directory.string(), error.message()));
  return directory;
}

std::vector<std::string> file_names(std::string_view kind, const std::vector<std::string>& of) {
  std::vector<std::string> names;
  for (const std::string& own : of) {
    std::string name = fmt::format("{}_{}", kind, plain_name(own));
    while (std::ranges::find(names, name) != names.end())
      name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

// The surface of a body, in its frame; empty where it is hidden. A plane is a square that covers the domain while
// the body is about where it starts.
Mesh mesh_of(BodySpec body, const Domain& domain) {
  Mesh mesh;
  if (body.show == Show::hidden)
    return mesh;
  for (BodyPart& part : body.parts)
    if (auto* p = std::get_if<MeshPart>(&part.shape); p && p->as == MeshAs::particles)
      p->as = MeshAs::triangles;  // the grains that stand for it are not exported
  const double domain_size = glm::distance(domain.min, domain.max), reach = reach_of(body);
  double plane = domain_size / 2;
  for (const BodyPart& part : body.parts)
    plane = std::max(plane, domain_size / 2 + glm::distance((domain.min + domain.max) / 2.0, body.position) +
                                glm::length(part.position));
  constexpr double chord_error = 1.0 / 400;  // of what is round, as a share of the size
  const Surface surface = surface_of(body, chord_error * (std::isfinite(reach) ? reach : domain_size), plane);
  for (const shared::DrawVertex& v : surface.vertices)
    mesh.vertices.push_back(v.position);
  mesh.triangles = surface.triangles;
  return mesh;
}

bool same_place(const BodyState& a, const BodyState& b) {
  return a.pose.position == b.pose.position && a.pose.rotation == b.pose.rotation;
}

}  // namespace

Series::Index::Index(const std::filesystem::path& directory, std::string_view table, std::string_view collection,
                     std::string_view header, std::uint64_t keep_before, bool collect)
    : table_(directory / table, header, keep_before), collection_(directory / collection), collect_(collect),
      rows_(table_.kept().size()) {
  for (const std::string& row : table_.kept())
    if (std::string file(csv_column(row, 0)); file.ends_with(".vtp"))
      entries_.push_back({std::string(csv_column(row, 1)), std::move(file)});
}

void Series::Index::add(const std::string& file, double time, std::uint64_t step, const std::string& rest) {
  table_.row(fmt::format("{},{},{},{}", file, time, step, rest));
  ++rows_;
  if (!collect_)
    return;
  entries_.push_back({fmt::format("{}", time), file});
  write_pvd(collection_, entries_);
}

Series::Series(const std::filesystem::path& directory, Format format, const Scene& scene, std::uint64_t keep_before)
    : directory_(made(directory)), format_(format), scene_(scene),
      index_(directory, "index.csv", "grains.pvd", "file,time,step,grains", keep_before, format == Format::vtp),
      number_(index_.rows()) {
  const bool collect = format == Format::vtp;
  if (scene.upsampling)
    fine_index_.emplace(directory, "index_fine.csv", "fine.pvd", "file,time,step,grains", keep_before, collect);
  if (holds_cloth(format) && !scene.cloths.empty()) {
    for (std::uint32_t w = 0; w < scene.worlds; ++w)
      for (const ClothSpec& cloth : scene.cloths)
        cloths_.push_back(name_in_world(scene, cloth.name, w));
    cloth_files_ = file_names("cloth", cloths_);
    cloth_index_.emplace(directory, "index_cloth.csv", "cloth.pvd", "file,time,step,vertices,triangles,cloth",
                         keep_before, collect);
  }
  if (has_clumps(scene))
    clumps_.emplace(directory / "clumps.csv", "time,step,world,first,spheres,mass,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz",
                    keep_before);
  if (scene.bodies.empty())
    return;
  poses_.emplace(directory / "bodies.csv", "time,step,world,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz", keep_before);
  for (const BodySpec& body : scene.bodies)
    meshes_.push_back(mesh_of(body, scene.domain));
  if (collect) {
    body_index_.emplace(directory, "index_bodies.csv", "bodies.pvd", "file,time,step,bodies", keep_before, collect);
    return;
  }
  std::vector<std::string> names;
  for (const BodySpec& body : scene.bodies)
    names.push_back(body.name);
  names = file_names("body", names);
  for (std::size_t b = 0; b < meshes_.size(); ++b)
    if (!meshes_[b].triangles.empty())
      write_ply(directory / (names[b] + ".ply"), meshes_[b]);
}

std::string Series::numbered(std::string_view what) const {
  return fmt::format("{}_{:05}.{}", what, number_, name_of(format_));
}

void Series::add(Simulation& simulation) {
  const double time = simulation.time();
  const std::uint64_t step = simulation.step();
  const auto write = [&](Index& index, const std::string& name, std::vector<GrainState> grains, Spins spins) {
    const std::size_t count = grains.size();
    write_grains(directory_ / name, format_, std::move(grains), time, scene_, spins);
    index.add(name, time, step, fmt::format("{}", count));
  };
  write(index_, numbered("grains"), simulation.grains(), spins_of(scene_));
  if (fine_index_)
    write(*fine_index_, numbered("fine"), simulation.fine_grains(), Spins::none);
  add_cloth(simulation);
  add_bodies(simulation);
  add_clumps(simulation);
  ++number_;
}

void Series::add_clumps(Simulation& simulation) {
  if (!clumps_)
    return;
  fmt::memory_buffer rows;
  for (const ClumpState& s : simulation.clumps()) {
    const glm::dvec3 &x = s.pose.position, &v = s.velocity, &w = s.spin;
    const glm::dquat& q = s.pose.rotation;
    fmt::format_to(std::back_inserter(rows), "{}{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                   rows.size() > 0 ? "\n" : "", simulation.time(), simulation.step(), s.world, s.first, s.spheres,
                   s.mass, x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z);
  }
  if (rows.size() > 0)
    clumps_->row({rows.data(), rows.size()});
}

void Series::add_cloth(Simulation& simulation) {
  for (std::uint32_t c = 0; c < cloth_files_.size(); ++c) {
    const std::string name = numbered(cloth_files_[c]);
    const ClothState cloth = simulation.cloth_state(c);
    if (format_ == Format::vtp)
      write_vtp(directory_ / name, cloth, simulation.time());
    else
      write_ply(directory_ / name, cloth);
    cloth_index_->add(name, simulation.time(), simulation.step(),
                      fmt::format("{},{},{}", cloth.positions.size(), cloth.triangles.size(), csv_field(cloths_[c])));
  }
}

void Series::add_bodies(Simulation& simulation) {
  if (!poses_)
    return;
  const std::size_t bodies = scene_.bodies.size();
  std::vector<BodyState> states;
  fmt::memory_buffer rows;
  for (std::uint32_t b = 0; b < simulation.worlds() * bodies; ++b) {
    const BodyState s = states.emplace_back(simulation.body_state(b));
    const glm::dvec3 &x = s.pose.position, &v = s.twist.velocity, &w = s.twist.spin;
    const glm::dquat& q = s.pose.rotation;
    fmt::format_to(std::back_inserter(rows), "{}{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", b > 0 ? "\n" : "",
                   simulation.time(), simulation.step(), b / bodies, csv_field(scene_.bodies[b % bodies].name), x.x,
                   x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z);
  }
  poses_->row({rows.data(), rows.size()});
  if (body_index_)
    add_moving(states, simulation.time(), simulation.step());
}

// The meshes where the bodies are. What stands still is written again only when something of it has begun to move.
void Series::add_moving(const std::vector<BodyState>& states, double time, std::uint64_t step) {
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
    write_vtp(directory_ / name, meshes, time);
    return name;
  };
  if (!moving.empty())
    body_index_->add(write(numbered("bodies"), moving), time, step, fmt::format("{}", moving.size()));
  if (still.empty())
    return;
  if (began)
    still_ = write(numbered(first ? "bodies" : "bodies_still"), still);
  body_index_->add(still_, time, step, fmt::format("{}", still.size()));
}

}  // namespace talus
