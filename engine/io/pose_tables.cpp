#include "engine/io/pose_tables.h"
#include "engine/io/body_meshes.h"
#include "engine/io/writers.h"
#include "engine/scene/clump.h"
#include <fmt/format.h>
#include <iterator>

namespace talus {
namespace {

// Position, rotation, velocity and spin, as columns.
constexpr std::string_view motion_columns = "x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz";
std::string motion_fields(const Pose& pose, const glm::dvec3& v, const glm::dvec3& w) {
  const glm::dvec3& x = pose.position;
  const glm::dquat& q = pose.rotation;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x,
                     w.y, w.z);
}

void add_rows(Table& table, const std::vector<std::string>& rows) {
  if (!rows.empty())
    table.row(fmt::format("{}", fmt::join(rows, "\n")));
}

}  // namespace

PoseTables::PoseTables(const std::filesystem::path& directory, const Scene& scene, std::uint64_t keep_before,
                       BodyMeshes meshes) {
  if (has_clumps(scene))
    clumps_.emplace(directory / "clumps.csv", fmt::format("time,step,world,first,spheres,mass,{}", motion_columns),
                    keep_before);
  for (const BodySpec& body : scene.bodies)
    bodies_.push_back(csv_field(body.name));
  if (bodies_.empty())
    return;
  poses_.emplace(directory / "bodies.csv", fmt::format("time,step,world,body,{}", motion_columns), keep_before);
  if (meshes == BodyMeshes::within)
    return;
  std::vector<std::string> names;
  for (const BodySpec& body : scene.bodies)
    names.push_back(body.name);
  names = plain_names(names);
  for (std::size_t b = 0; b < names.size(); ++b)
    if (const Mesh mesh = exported_mesh(scene.bodies[b], scene.domain); !mesh.triangles.empty())
      write_ply(directory / fmt::format("body_{}.ply", names[b]), mesh);
}

void PoseTables::add(const Frame& frame) {
  std::vector<std::string> rows;
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const BodyState& s = frame.bodies[b];
    rows.push_back(fmt::format("{},{},{},{},{}", frame.time, frame.step, b / bodies_.size(),
                               bodies_[b % bodies_.size()], motion_fields(s.pose, s.twist.velocity, s.twist.spin)));
  }
  if (poses_)
    add_rows(*poses_, rows);
  if (!clumps_)
    return;
  rows.clear();
  for (const ClumpState& s : *frame.clumps)
    rows.push_back(fmt::format("{},{},{},{},{},{},{}", frame.time, frame.step, s.world, s.first, s.spheres, s.mass,
                               motion_fields(s.pose, s.velocity, s.spin)));
  add_rows(*clumps_, rows);
}

}  // namespace talus
