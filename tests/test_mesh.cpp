// Meshes: what they enclose, files of them right and wrong, repairs; gears; surface extraction.
#include "engine/geometry/extract.h"
#include "engine/geometry/gear.h"
#include "engine/geometry/mesh.h"
#include "simulate.h"
#include "tests/scratch.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numbers>
#include <set>

using namespace talus;
using namespace talus_tests;
namespace fs = std::filesystem;

namespace {

// The eight corners are numbered x + 2 y + 4 z.
Mesh box_mesh(const glm::vec3& min, const glm::vec3& max) {
  Mesh mesh;
  for (int c = 0; c < 8; ++c)
    mesh.vertices.emplace_back(c & 1 ? max.x : min.x, c & 2 ? max.y : min.y, c & 4 ? max.z : min.z);
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

Mesh unit_box() {
  return box_mesh(glm::vec3(0), glm::vec3(1));
}

// A sphere of rings x (2 rings) quads.
Mesh ball(int rings, double radius = 1, const glm::vec3& center = {}) {
  Mesh mesh;
  const int around = 2 * rings;
  mesh.vertices.emplace_back(center + glm::vec3(0, 0, -radius));
  for (int i = 1; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      const double t = pi_ * i / rings, a = 2 * pi_ * j / around;
      mesh.vertices.push_back(center + glm::vec3(radius * std::sin(t) * std::cos(a), radius * std::sin(t) * std::sin(a),
                                                 -radius * std::cos(t)));
    }
  mesh.vertices.emplace_back(center + glm::vec3(0, 0, radius));
  const auto top = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  auto at = [&](int i, int j) {
    return i == 0 ? 0u : i == rings ? top : static_cast<std::uint32_t>(1 + (i - 1) * around + j % around);
  };
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < around; ++j) {
      if (i > 0)
        mesh.triangles.emplace_back(at(i, j), at(i, j + 1), at(i + 1, j));
      if (i + 1 < rings)
        mesh.triangles.emplace_back(at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
    }
  return mesh;
}

void turn(Mesh& mesh) {
  for (glm::uvec3& t : mesh.triangles)
    std::swap(t.y, t.z);
}

void append(Mesh& mesh, const Mesh& other) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const glm::uvec3& t : other.triangles)
    mesh.triangles.push_back(t + first);
}

// Vertices - edges + triangles, and whether two triangles meet at every edge, each of them using it its own way.
struct Topology {
  long characteristic = 0;
  bool manifold = true;
};

Topology topology(const Mesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
  for (const glm::uvec3& t : mesh.triangles)
    for (int k = 0; k < 3; ++k)
      ++sides[{t[k], t[(k + 1) % 3]}];
  Topology out;
  for (const auto& [side, count] : sides) {
    const auto back = sides.find({side.second, side.first});
    out.manifold = out.manifold && count == 1 && back != sides.end();
  }
  out.characteristic = static_cast<long>(mesh.vertices.size()) - static_cast<long>(sides.size() / 2) +
                       static_cast<long>(mesh.triangles.size());
  return out;
}

std::string raw(const auto& value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string join(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines)
    all += line + "\n";
  return all;
}

std::string as_stl(const Mesh& mesh) {
  Scratch scratch;
  write_mesh(scratch / "a.stl", mesh);
  return read_text(scratch / "a.stl");
}

std::string as_obj(const Mesh& mesh) {
  Scratch scratch;
  write_mesh(scratch / "a.obj", mesh);
  return read_text(scratch / "a.obj");
}

std::string as_ascii_stl(const Mesh& mesh) {
  std::string out = "solid made by a test\n";
  for (const glm::uvec3& t : mesh.triangles) {
    out += " facet normal 0 0 0\n  outer loop\n";
    for (int k = 0; k < 3; ++k) {
      const glm::vec3& v = mesh.vertices[t[k]];
      out += fmt::format("   vertex {} {} {}\n", v.x, v.y, v.z);
    }
    out += "  endloop\n endfacet\n";
  }
  return out + "endsolid\n";
}

std::string as_ply(const Mesh& mesh, const std::string& format) {
  std::string out =
      fmt::format("ply\nformat {} 1.0\ncomment test\nelement vertex {}\nproperty float x\nproperty float "
                  "y\nproperty float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
                  format, mesh.vertices.size(), mesh.triangles.size());
  auto put = [&](const auto& value) {
    std::string bytes = raw(value);
    if (format == "binary_big_endian")
      std::ranges::reverse(bytes);
    out += bytes;
  };
  for (const glm::vec3& v : mesh.vertices)
    if (format == "ascii")
      out += fmt::format("{} {} {}\n", v.x, v.y, v.z);
    else
      for (int a = 0; a < 3; ++a)
        put(v[a]);
  for (const glm::uvec3& t : mesh.triangles)
    if (format == "ascii")
      out += fmt::format("3 {} {} {}\n", t.x, t.y, t.z);
    else {
      out += '\3';
      for (int k = 0; k < 3; ++k)
        put(t[k]);
    }
  return out;
}

std::string base64(const std::string& bytes) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : digits[bits >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string gltf_buffer(const Mesh& mesh) {
  std::string out;
  for (const glm::vec3& v : mesh.vertices)
    out += raw(v);
  for (const glm::uvec3& t : mesh.triangles)
    out += raw(t);
  return out;
}

// buffer: what stands before its length, as "uri":"..",
std::string gltf_json(const Mesh& mesh, const std::string& buffer, const std::string& nodes = R"([{"mesh":0}])") {
  const std::size_t points = 12 * mesh.vertices.size(), indices = 12 * mesh.triangles.size();
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{},)"
      R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],)"
      R"("accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},)"
      R"({{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}}],)"
      R"("bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],)"
      R"("buffers":[{{{}"byteLength":{}}}]}})",
      nodes, mesh.vertices.size(), 3 * mesh.triangles.size(), points, points, indices, buffer, points + indices);
}

std::string as_gltf(const Mesh& mesh, const std::string& nodes = R"([{"mesh":0}])") {
  const std::string uri = "\"uri\":\"data:application/octet-stream;base64," + base64(gltf_buffer(mesh)) + "\",";
  return gltf_json(mesh, uri, nodes);
}

std::string as_glb(const Mesh& mesh) {
  std::string json = gltf_json(mesh, ""), buffer = gltf_buffer(mesh);
  json.resize((json.size() + 3) / 4 * 4, ' ');
  return "glTF" + raw(2u) + raw(static_cast<std::uint32_t>(28 + json.size() + buffer.size())) +
         raw(static_cast<std::uint32_t>(json.size())) + "JSON" + json + raw(static_cast<std::uint32_t>(buffer.size())) +
         std::string("BIN\0", 4) + buffer;
}

// asset: what says unit and axes. nodes: of the visual scene; the mesh is the geometry "shape". Corners have indices of
// normals beside those of vertices.
std::string as_collada(const Mesh& mesh, const std::string& asset = "<up_axis>Z_UP</up_axis>",
                       const std::string& nodes = "<node><instance_geometry url=\"#shape\"/></node>") {
  std::string places, corners;
  for (const glm::vec3& v : mesh.vertices)
    places += fmt::format("{} {} {}\n", v.x, v.y, v.z);
  for (const glm::uvec3& f : mesh.triangles)
    corners += fmt::format("{} 0 {} 0 {} 0 ", f.x, f.y, f.z);
  return fmt::format(
      R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{}</asset>
<library_geometries><geometry id="shape"><mesh>
<source id="places"><float_array id="places-array" count="{}">{}</float_array>
<technique_common><accessor source="#places-array" count="{}" stride="3"/></technique_common></source>
<source id="normals"><float_array id="normals-array" count="3">0 0 1</float_array></source>
<vertices id="vertices"><input semantic="POSITION" source="#places"/></vertices>
<triangles count="{}"><input semantic="VERTEX" source="#vertices" offset="0"/>
<input semantic="NORMAL" source="#normals" offset="1"/><p>{}</p></triangles></mesh></geometry></library_geometries>
<library_nodes><node id="pair"><node><scale>2 1 1</scale><instance_geometry url="#shape"/></node></node></library_nodes>
<library_visual_scenes><visual_scene id="all">{}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#all"/></scene></COLLADA>)",
      asset, 3 * mesh.vertices.size(), places, mesh.vertices.size(), mesh.triangles.size(), corners, nodes);
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != text.npos);
  return text.replace(at, what.size(), with);
}

LoadedMesh repaired(const Mesh& mesh, const MeshOptions& options = {}) {
  return repair_mesh(mesh, "mesh", options);
}

std::string refusal(auto&& act) {
  try {
    act();
  } catch (const MeshError& e) {
    return e.what();
  }
  return "";
}

void check_inertia(const glm::dmat3& inertia, const glm::dvec3& diagonal) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      CHECK(inertia[i][j] == Approx(i == j ? diagonal[i] : 0).margin(1e-9 * diagonal.x));
}

}  // namespace

TEST_CASE("Volume, area, centre and moments of inertia of a mesh are exact", "[mesh]") {
  const glm::vec3 min(100.5f, -3.0f, 7.0f), max(102.5f, 0.0f, 11.0f);
  const Mesh mesh = box_mesh(min, max);
  const glm::dvec3 e(2, 3, 4);
  CHECK(volume(mesh) == Approx(24).epsilon(1e-14));
  CHECK(area(mesh) == Approx(2 * (6 + 8 + 12)).epsilon(1e-14));
  CHECK(bounds(mesh).min == glm::dvec3(min));
  CHECK(bounds(mesh).max == glm::dvec3(max));
  const VolumeProperties p = volume_properties(mesh);
  CHECK(p.volume == Approx(24).epsilon(1e-14));
  CHECK(glm::distance(p.center, glm::dvec3(101.5, -1.5, 9)) < 1e-12);
  check_inertia(p.inertia, 24.0 / 12 * glm::dvec3(e.y * e.y + e.z * e.z, e.x * e.x + e.z * e.z, e.x * e.x + e.y * e.y));

  // A tetrahedron at the axes: V = 1/6, centre 1/4, Ixx = 2/60 - V 2/16, Ixy = -(1/120 - V/16).
  const Mesh tetrahedron{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  const VolumeProperties t = volume_properties(tetrahedron);
  CHECK(t.volume == Approx(1.0 / 6).epsilon(1e-14));
  CHECK(glm::distance(t.center, glm::dvec3(0.25)) < 1e-14);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      CHECK(t.inertia[i][j] == Approx(i == j ? 2.0 / 60 - 1.0 / 48 : 1.0 / 96 - 1.0 / 120).epsilon(1e-12));

  Mesh inside_out = mesh;
  turn(inside_out);
  CHECK(volume(inside_out) == Approx(-24));
  CHECK(contains(refusal([&] { volume_properties(inside_out); }), "encloses no volume"));
  CHECK(contains(refusal([&] { volume_properties(Mesh{}); }), "encloses no volume"));
}

TEST_CASE("A fine ball has the volume, area and inertia of a sphere", "[mesh]") {
  const Mesh mesh = ball(200, 0.5, {1, 2, 3});
  const VolumeProperties p = volume_properties(mesh);
  const double v = 4.0 / 3 * pi_ * 0.125, moment = 0.4 * v * 0.25;
  CHECK(p.volume == Approx(v).epsilon(2e-4));
  CHECK(area(mesh) == Approx(pi_).epsilon(2e-4));
  CHECK(glm::distance(p.center, glm::dvec3(1, 2, 3)) < 1e-7);
  for (int i = 0; i < 3; ++i)
    CHECK(p.inertia[i][i] == Approx(moment).epsilon(5e-4));
}

TEST_CASE("Each format of meshes is read", "[mesh]") {
  const Mesh mesh = box_mesh({-1, -2, -3}, {1, 2.5f, 3});
  Scratch scratch;
  const std::map<std::string, std::string> files{{"binary.stl", as_stl(mesh)},
                                                 {"ascii.stl", as_ascii_stl(mesh)},
                                                 {"a.obj", as_obj(mesh)},
                                                 {"CAPITALS.OBJ", as_obj(mesh)},
                                                 {"ascii.ply", as_ply(mesh, "ascii")},
                                                 {"little.ply", as_ply(mesh, "binary_little_endian")},
                                                 {"big.ply", as_ply(mesh, "binary_big_endian")},
                                                 {"inline.gltf", as_gltf(mesh)},
                                                 {"beside.gltf", gltf_json(mesh, R"("uri":"be%20side.bin",)")},
                                                 {"a.glb", as_glb(mesh)},
                                                 {"a.dae", as_collada(mesh)}};
  write_text(scratch / "be side.bin", gltf_buffer(mesh));
  for (const auto& [name, content] : files) {
    INFO(name);
    write_text(scratch / name, content);
    const LoadedMesh loaded = load_mesh(scratch / name, {.up = UpAxis::z});
    INFO(join(loaded.repairs));
    CHECK(loaded.closed);
    CHECK(loaded.mesh.vertices.size() == 8);
    CHECK(loaded.mesh.triangles.size() == 12);
    CHECK(volume(loaded.mesh) == Approx(2 * 4.5 * 6).epsilon(1e-6));
    CHECK(glm::distance(bounds(loaded.mesh).min, glm::dvec3(-1, -2, -3)) < 1e-6);
    CHECK(glm::distance(bounds(loaded.mesh).max, glm::dvec3(1, 2.5, 3)) < 1e-6);
    CHECK(loaded.repairs.empty());
  }
}

TEST_CASE("Scale and up axis place a mesh", "[mesh]") {
  Scratch scratch;
  const Mesh mesh = box_mesh({1, 2, 3}, {2, 4, 6});
  write_text(scratch / "a.obj", as_obj(mesh));
  write_text(scratch / "a.gltf", as_gltf(mesh));
  auto placed = [&](const char* name, const MeshOptions& options, const glm::dvec3& min, const glm::dvec3& max) {
    const LoadedMesh loaded = load_mesh(scratch / name, options);
    CHECK(glm::distance(bounds(loaded.mesh).min, min) < 1e-6);
    CHECK(glm::distance(bounds(loaded.mesh).max, max) < 1e-6);
    CHECK(volume(loaded.mesh) > 0);
    CHECK(join(loaded.repairs) == "");
  };
  placed("a.obj", {}, {1, 2, 3}, {2, 4, 6});
  placed("a.obj", {.scale = 0.001}, {0.001, 0.002, 0.003}, {0.002, 0.004, 0.006});
  placed("a.obj", {.up = UpAxis::y}, {1, -6, 2}, {2, -3, 4});
  placed("a.obj", {.up = UpAxis::x}, {2, 3, 1}, {4, 6, 2});
  placed("a.gltf", {}, {1, -6, 2}, {2, -3, 4});
  placed("a.gltf", {.scale = 2, .up = UpAxis::z}, {2, 4, 6}, {4, 8, 12});
  // A COLLADA file says both itself; y is up where it does not.
  for (const auto& [name, asset] : {std::pair("bare.dae", ""),
                                    {"x.dae", "<up_axis>X_UP</up_axis>"},
                                    {"inch.dae", "<unit name=\"inch\" meter=\"0.0254\"/><up_axis>Z_UP</up_axis>"}})
    write_text(scratch / name, as_collada(mesh, asset));
  placed("bare.dae", {}, {1, -6, 2}, {2, -3, 4});
  placed("bare.dae", {.up = UpAxis::z}, {1, 2, 3}, {2, 4, 6});
  placed("x.dae", {}, {2, 3, 1}, {4, 6, 2});
  placed("inch.dae", {}, {0.0254, 0.0508, 0.0762}, {0.0508, 0.1016, 0.1524});
  placed("inch.dae", {.scale = 10}, {0.254, 0.508, 0.762}, {0.508, 1.016, 1.524});
}

TEST_CASE("Nodes of a glTF place its meshes, mirrored ones too", "[mesh]") {
  Scratch scratch;
  write_text(scratch / "a.gltf",
             as_gltf(unit_box(), R"([{"children":[1,2],"translation":[0,0,10]},{"mesh":0,"scale":[2,1,1]},)"
                                 R"({"mesh":0,"matrix":[-1,0,0,0, 0,1,0,0, 0,0,1,0, -5,0,0,1]}])"));
  const LoadedMesh loaded = load_mesh(scratch / "a.gltf", {.up = UpAxis::z});
  CHECK(loaded.repairs.empty());
  CHECK(loaded.closed);
  CHECK(volume(loaded.mesh) == Approx(3));
  CHECK(glm::distance(bounds(loaded.mesh).min, glm::dvec3(-6, 0, 10)) < 1e-5);
  CHECK(glm::distance(bounds(loaded.mesh).max, glm::dvec3(2, 1, 11)) < 1e-5);
}

TEST_CASE("Nodes of a COLLADA file place its meshes, mirrored ones and those of libraries too", "[mesh]") {
  Scratch scratch;
  write_text(scratch / "a.dae", as_collada(unit_box(), "<up_axis>Z_UP</up_axis>",
                                           R"(<node><translate>0 0 10</translate><instance_node url="#pair"/></node>
<node><matrix>-1 0 0 -5  0 1 0 0  0 0 1 10  0 0 0 1</matrix><instance_geometry url="#shape"/></node>
<node><translate>0 0 10</translate><rotate>0 0 1 90</rotate><translate>5 0 0</translate><instance_geometry url="#shape"/></node>)"));
  const LoadedMesh loaded = load_mesh(scratch / "a.dae");
  CHECK(join(loaded.repairs) == "");
  CHECK(loaded.closed);
  CHECK(volume(loaded.mesh) == Approx(4));
  CHECK(glm::distance(bounds(loaded.mesh).min, glm::dvec3(-6, 0, 10)) < 1e-5);
  CHECK(glm::distance(bounds(loaded.mesh).max, glm::dvec3(2, 6, 11)) < 1e-5);
}

TEST_CASE("COLLADA's lists of polygons, strips and fans are read", "[mesh]") {
  Scratch scratch;
  const std::string triangles = as_collada(unit_box());
  const std::size_t begin = triangles.find("<triangles"), end = triangles.find("</triangles>") + 12;
  const std::string input = "<input semantic=\"VERTEX\" source=\"#vertices\" offset=\"0\"/>";
  const auto with = [&](const std::string& lists) {
    write_text(scratch / "a.dae", triangles.substr(0, begin) + lists + triangles.substr(end));
    const LoadedMesh loaded = load_mesh(scratch / "a.dae");
    CHECK(loaded.closed);
    CHECK(volume(loaded.mesh) == Approx(1));
    return loaded;
  };
  with("<polylist count=\"6\">" + input +
       "<vcount>4 4 4 4 4 4</vcount><p>0 2 3 1  4 5 7 6  0 1 5 4  2 6 7 3  0 4 6 2  1 3 7 5</p></polylist>");
  with("<polygons count=\"2\">" + input + "<p>0 2 3 1</p><p>4 5 7 6</p></polygons><trifans>" + input +
       "<p>0 1 5 4</p><p>2 6 7 3</p></trifans><tristrips>" + input + "<p>0 4 2 6</p><p>1 3 5 7</p></tristrips>");
  CHECK(contains(
      join(with("<lines count=\"2\"><p>0 1 1 2</p></lines><polylist>" + input +
                "<vcount>4 4 4 4 4 4</vcount><p>0 2 3 1 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5</p></polylist>")
               .repairs),
      "2 "));
}

TEST_CASE("An OBJ may have polygons, negative numbers, texture coordinates and long lines", "[mesh]") {
  Scratch scratch;
  write_text(scratch / "a.obj",
             "# an L of thickness 1\r\nmtllib /etc/passwd\no part\n"
             "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
             "v 0 0 1 1.0\nv 2 0 1\nv 2 1 1 0.5 0.5 0.5\nv 1 1 1\nv 1 2 1\nv 0 2 1\nvt 0 0\nvn 0 0 1\n"
             "usemtl steel\nf 6/1/1 5/1/1 4/1/1 3/1/1 \\\n 2/1/1 1/1/1\nf -6//1 -5//1 -4//1 -3//1 -2//1 -1//1\n"
             "g sides\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9 # the notch\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n"
             "l 1 2\np 3\n");
  const LoadedMesh loaded = load_mesh(scratch / "a.obj");
  CHECK(join(loaded.repairs) == "2 points and lines were ignored\n");
  CHECK(loaded.closed);
  CHECK(loaded.mesh.triangles.size() == 20);
  CHECK(volume(loaded.mesh) == Approx(3));
  CHECK(area(loaded.mesh) == Approx(2 * 3 + 8));  // no ear outside the L
}

TEST_CASE("Numbers of an OBJ may begin with a point or a plus sign", "[mesh]") {
  Scratch scratch;
  write_text(scratch / "a.obj", "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"  // the vertices come after them
                                "v 0 0 0\nv .5 0 0\nv 0 +.5 0\nv 0 0 5e-1\n");
  const LoadedMesh loaded = load_mesh(scratch / "a.obj");
  CHECK(loaded.closed);
  CHECK(volume(loaded.mesh) == Approx(0.125 / 6));
}

TEST_CASE("What is written is read back", "[mesh]") {
  Scratch scratch;
  const Mesh mesh = ball(12, 0.37, {1, 0, -1});
  for (const char* name : {"a.stl", "a.obj"}) {
    INFO(name);
    write_mesh(scratch / name, mesh);
    const LoadedMesh loaded = load_mesh(scratch / name);
    CHECK(loaded.closed);
    CHECK(loaded.mesh.vertices.size() == mesh.vertices.size());
    CHECK(loaded.mesh.triangles.size() == mesh.triangles.size());
    CHECK(volume(loaded.mesh) == Approx(volume(mesh)).epsilon(1e-6));
  }
  CHECK(contains(refusal([&] { write_mesh(scratch / "a.fbx", mesh); }), "written as .stl or .obj"));
  CHECK(contains(refusal([&] { write_mesh(scratch / "none" / "a.stl", mesh); }), "cannot be written: No such file"));
}

TEST_CASE("Meshes that cannot be used are refused with the file and the reason", "[mesh]") {
  Scratch scratch;
  const Mesh good = unit_box();
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  auto with_vertex = [&](float x) {
    Mesh mesh = good;
    mesh.vertices[3].y = x;
    return mesh;
  };
  const std::string stl = as_stl(good), ply = as_ply(good, "ascii"), binary_ply = as_ply(good, "binary_little_endian"),
                    gltf = as_gltf(good), glb = as_glb(good);
  std::string many_stl = stl, huge_chunk = glb, turned_version = glb;
  many_stl.replace(80, 4, raw(4'000'000'000u));
  huge_chunk.replace(12, 4, raw(0xfffffff0u));
  turned_version.replace(4, 4, raw(1u));
  const std::string flat = "v 0 0 0\nv 1 0 1\nv 1 1 1\nv 0 1 0\n";
  std::string moebius, deep(100'000, '['), chain = "[";
  for (int i = 0; i < 12; ++i) {
    const double a = 2 * pi_ * i / 12;
    for (const double s : {-0.3, 0.3})
      moebius += fmt::format("v {} {} {}\n", (1 + s * std::cos(a / 2)) * std::cos(a),
                             (1 + s * std::cos(a / 2)) * std::sin(a), s * std::sin(a / 2));
  }
  for (int i = 0; i < 11; ++i)
    moebius += fmt::format("f {} {} {} {}\n", 2 * i + 1, 2 * i + 2, 2 * i + 4, 2 * i + 3);
  moebius += "f 23 24 1 2\n";
  for (int i = 0; i < 5000; ++i)
    chain += fmt::format(R"({{"children":[{}]}},)", i + 1);
  chain += R"({"mesh":0}])";
  std::string entries = "[0";  // a parser that looks through an array behind each of its objects takes half a minute
  for (int i = 0; i < 700'000; ++i)
    entries += ",{\"a\":{}}";

  struct Wrong {
    const char *name, *reason;
    std::string content;
  };
  const std::vector<Wrong> wrong{
      {"empty.stl", "is empty", ""},
      {"kind.fbx", "must end in .obj, .stl, .ply, .gltf, .glb or .dae", stl},
      {"garbage.dae", "is no COLLADA: at its byte", "<COLLADA><a></COLLADA>"},
      {"other.dae", "its first element is not <COLLADA>", "<robot/>"},
      {"unit.dae", "says that its unit has 0 m", as_collada(good, "<unit meter=\"0\"/>")},
      {"word.dae", "\"big\" is not a number", as_collada(good, "<unit meter=\"big\"/>")},
      {"scene.dae", "has no <visual_scene>", "<COLLADA/>"},
      {"bare.dae", "has no triangles", as_collada(good, "", "<node/>")},
      {"url.dae", "names the geometry \"#form\", which it does not have",
       as_collada(good, "", "<node><instance_geometry url=\"#form\"/></node>")},
      {"skin.dae", "has a mesh that bones bend",
       as_collada(good, "", "<node><instance_controller url=\"#s\"/></node>")},
      {"cycle.dae", "has nodes nested deeper than 200",
       as_collada(good, "", "<node id=\"n\"><instance_node url=\"#n\"/></node>")},
      {"corner.dae", "names vertex 9, and there are 8", replaced(as_collada(good), "<p>0 0", "<p>9 0")},
      {"left.dae", "have corners left over", replaced(as_collada(good), "<p>0 0 ", "<p>")},
      {"place.dae", "\"x\" is not a number", replaced(as_collada(good), "count=\"24\">", "count=\"24\">x ")},
      {"axis.dae", "about an axis of length 0", as_collada(good, "", "<node><rotate>0 0 0 5</rotate></node>")},
      {"look.dae", "places a node by <lookat>", as_collada(good, "", "<node><lookat/></node>")},
      {"kind", "must end in", stl},
      {"short.stl", "is no STL", "abc"},
      {"garbage.stl", "damaged or cut short", std::string(1000, '\x7f')},
      {"cut.stl", "says that it has 12 triangles, which take 684 bytes, and has 600", stl.substr(0, 600)},
      {"many.stl", "says that it has 4000000000 triangles", many_stl},
      {"none.stl", "has no triangles", std::string(84, '\0')},
      {"solid.stl", "has no triangles", "solid nothing\nendsolid nothing\n"},
      {"corner.stl", "line 4: a facet has 2 corners; it must have 3",
       "solid a\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid\n"},
      {"number.stl", "line 2: a vertex needs three coordinates", "solid a\nvertex 0 00\nendfacet\nendsolid\n"},
      {"word.stl", "line 2: \"x\" is not a number", "solid a\nvertex 0 x 0\nendfacet\nendsolid\n"},
      {"half.stl", "it has no \"endsolid\"", as_ascii_stl(good).substr(0, 500)},
      {"nan.stl", "which is not a finite number", as_stl(with_vertex(nan))},
      {"inf.stl", "has inf as its y", as_stl(with_vertex(inf))},
      {"garbage.obj", "has no triangles", std::string(1000, '\xff')},
      {"range.obj", "line 5: there is no vertex 9, but 4", flat + "f 1 2 9\n"},
      {"zero.obj", "line 5: there is no vertex 0", flat + "f 1 2 0\n"},
      {"negative.obj", "line 5: there is no vertex -5", flat + "f 1 2 -5\n"},
      {"word.obj", "line 5: \"x\" is not a vertex number", flat + "f 1 2 x\n"},
      {"huge.obj", "is not a vertex number", flat + "f 1 2 99999999999999999999\n"},
      {"letter.obj", "line 1: \"a\" is not a number", "v 0 a 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
      {"two.obj", "line 2: a vertex needs three coordinates", "v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n"},
      {"corner.obj", "line 5: a face needs three vertices", flat + "f 1 2\n"},
      {"lines.obj", "has no triangles", flat + "l 1 2\np 3\n"},
      {"flat.obj", "is flat", flat + "f 1 2 3 4\n"},
      {"point.obj", "has no extent", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n"},
      {"line.obj", "has no triangle with an area", "v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n"},
      {"moebius.obj", "is one-sided", moebius},
      {"garbage.ply", "is no PLY", std::string(1000, '\1')},
      {"header.ply", "its header has no end", ply.substr(0, ply.find("element face"))},
      {"huge.ply", "has 4000000000 vertices; at most 6000000", replaced(ply, "vertex 8", "vertex 4000000000")},
      {"number.ply", "is not a number of elements", replaced(ply, "vertex 8", "vertex 99999999999999999999")},
      {"faces.ply", "has 3000000 triangles; at most 2000000", replaced(ply, "face 12", "face 3000000")},
      {"ends.ply", "ends before all elements", replaced(ply, "face 12", "face 1000000")},
      {"cut.ply", "ends before all elements", binary_ply.substr(0, binary_ply.size() - 5)},
      {"list.ply", "ends before all elements",
       replaced(binary_ply, std::string("\3\0\0\0\0", 5), std::string("\xff\0\0\0\0", 5))},
      {"less.ply", "is not a length of a list",
       replaced(replaced(binary_ply, "list uchar", "list char"), std::string("\3\0\0\0\0", 5),
                std::string("\xff\0\0\0\0", 5))},
      {"range.ply", "there are 8", replaced(ply, "\n3 0 2 3\n", "\n3 0 2 800\n")},
      {"points.ply", "has no triangles", replaced(ply, "element face 12", "element edge 12")},
      {"type.ply", "\"quad\" is not a PLY type", replaced(ply, "property float y", "property quad y")},
      {"format.ply", "is not a PLY format", replaced(ply, "format ascii", "format morse")},
      {"garbage.gltf", "is not valid glTF", "{{{"},
      {"array.gltf", "is not valid glTF", "[]"},
      {"deep.gltf", "nested too deeply", deep},
      {"entries.gltf", "too many entries", entries},
      {"chain.gltf", "nested deeper than 200", as_gltf(good, chain)},
      {"cycle.gltf", "has a parent", as_gltf(good, R"([{"children":[1]},{"children":[0],"mesh":0}])")},
      {"parents.gltf", "has two parents", as_gltf(good, R"([{"children":[1,1]},{"mesh":0}])")},
      {"child.gltf", "names number 7 of its nodes", as_gltf(good, R"([{"children":[7],"mesh":0}])")},
      {"matrix.gltf", "matrix is not made of 16 numbers", as_gltf(good, R"([{"mesh":0,"matrix":[1]}])")},
      {"version.gltf", "is glTF 1.0", replaced(gltf, "\"2.0\"", "\"1.0\"")},
      {"beyond.gltf", "reaches beyond its buffer", replaced(gltf, "\"count\":8", "\"count\":9")},
      {"huge.gltf", "has an accessor with 4000000000", replaced(gltf, "\"count\":8", "\"count\":4000000000")},
      {"index.gltf", "names number 5 of its accessors", replaced(gltf, "\"indices\":1", "\"indices\":5")},
      {"minus.gltf", "is not a whole number", replaced(gltf, "\"indices\":1", "\"indices\":-1")},
      {"kind.gltf", "not three floats", replaced(gltf, "5126", "5123")},
      {"base64.gltf", "is not in base64", replaced(gltf, "base64,", "base64,!")},
      {"outside.gltf", "which is not in its folder", gltf_json(good, R"("uri":"../secret.bin",)")},
      {"absolute.gltf", "which is not in its folder", gltf_json(good, R"("uri":"/dev/zero",)")},
      {"missing.gltf", "names missing.bin, which does not exist", gltf_json(good, R"("uri":"missing.bin",)")},
      {"draco.gltf", "needs the extension KHR_draco_mesh_compression",
       replaced(gltf, "{\"asset\"", R"({"extensionsRequired":["KHR_draco_mesh_compression"],"asset")")},
      {"cut.glb", "cut short", glb.substr(0, glb.size() - 50)},
      {"chunk.glb", "cut short", huge_chunk},
      {"version.glb", "is GLB version 1", turned_version},
      {"header.glb", "is no GLB", glb.substr(0, 12)},
      {"json.glb", "is no GLB", gltf},
  };
  for (const auto& [name, reason, content] : wrong) {
    write_text(scratch / name, content);
    const std::string said = refusal([&] { load_mesh(scratch / name); });
    INFO(name << " said: " << said);
    CHECK(contains(said, (scratch / name).string() + ": "));
    CHECK(contains(said, reason));
  }

  auto said = [&](const std::string& name, const MeshOptions& options = {}) {
    return refusal([&] { load_mesh(scratch / name, options); });
  };
  CHECK(contains(said("absent.stl"), "absent.stl: does not exist"));
  fs::create_directory(scratch / "folder.stl");
  CHECK(contains(said("folder.stl"), "folder.stl: is not a file"));
  write_text(scratch / "good.stl", stl);
  for (const double scale : {0.0, -1.0, double(nan), double(inf)})
    CHECK(contains(said("good.stl", {.scale = scale}), "scale must be above 0"));
  CHECK(contains(said("good.stl", {.scale = 1e39}), "has inf as its"));
  // Of sizes that are there in name only.
  write_text(scratch / "large.stl", std::string(80, '\0') + raw(2'000'001u));
  fs::resize_file(scratch / "large.stl", 84 + 50 * 2'000'001ull);
  CHECK(contains(said("large.stl"), "has 2000001 triangles; at most 2000000"));
  write_text(scratch / "large.ply", replaced(ply, "face 12", "face 3000000"));
  fs::resize_file(scratch / "large.ply", 400u << 20);
  CHECK(contains(said("large.ply"), "has 3000000 triangles; at most 2000000"));
  fs::resize_file(scratch / "large.stl", mesh_bytes_most + 1);
  CHECK(contains(said("large.stl"), "is too large: a mesh may have 512 MiB"));

  Mesh mesh = good;
  mesh.triangles[5].y = 8;
  CHECK(refusal([&] { repaired(mesh); }) == "mesh: triangle 5 names vertex 8, and there are 8");
  CHECK(refusal([&] { repaired({}); }) == "mesh: has no triangles");
}

TEST_CASE("Damaged files of meshes end in an error or in a mesh", "[mesh]") {
  const Mesh mesh = ball(4);
  Scratch scratch;
  const std::map<std::string, std::string> files{{"a.stl", as_stl(mesh)},
                                                 {"b.stl", as_ascii_stl(mesh)},
                                                 {"a.obj", as_obj(mesh)},
                                                 {"a.ply", as_ply(mesh, "ascii")},
                                                 {"b.ply", as_ply(mesh, "binary_little_endian")},
                                                 {"a.gltf", as_gltf(mesh)},
                                                 {"a.glb", as_glb(mesh)},
                                                 {"a.dae", as_collada(mesh)}};
  std::uint64_t state = 1;
  auto below = [&](std::size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state >> 33) % n);
  };
  const std::vector<std::string> pieces{
      "-1", "99999999", "1e999", "nan", "\n", " ", "\"", "\\", "{", std::string(4, '\xff'), std::string(1, '\0')};
  std::size_t read = 0, refused = 0;
  for (const auto& [name, content] : files)
    for (int i = 0; i < 80; ++i) {
      std::string bytes = content;
      for (std::size_t n = below(4); n-- > 0;)
        bytes[below(bytes.size())] = static_cast<char>(below(256));
      if (below(2) == 0) {
        const std::string& piece = pieces[below(pieces.size())];
        bytes.replace(below(bytes.size()), below(8), piece);
      }
      if (below(3) == 0)
        bytes.resize(below(bytes.size()) + 1);
      write_text(scratch / name, bytes);
      try {
        const LoadedMesh loaded = load_mesh(scratch / name);
        ++read;
        for (const glm::uvec3& t : loaded.mesh.triangles)
          for (int k = 0; k < 3; ++k)
            REQUIRE(t[k] < loaded.mesh.vertices.size());
      } catch (const MeshError&) {
        ++refused;
      }
    }
  CHECK(read > 30);
  CHECK(refused > 30);
}

TEST_CASE("Vertices are welded, degenerate and repeated triangles and unused vertices go", "[mesh]") {
  Mesh mesh = unit_box();
  mesh.vertices[7] += 2e-7f;
  mesh.vertices.emplace_back(1, 1, 1);   // 8, as 7
  mesh.vertices.emplace_back(50, 0, 0);  // 9, unused
  mesh.triangles[3] = {4, 8, 6};
  mesh.triangles.emplace_back(0, 0, 1);
  mesh.triangles.emplace_back(7, 8, 2);
  mesh.triangles.emplace_back(2, 3, 0);
  const LoadedMesh out = repaired(mesh);
  CHECK(join(out.repairs) == "1 unused vertex was dropped\n"
                             "1 vertex was welded to another one within a millionth of the mesh's diagonal\n"
                             "2 triangles were dropped, two corners being in the same place\n"
                             "1 triangle was dropped as a repetition\n");
  CHECK(out.closed);
  CHECK(out.mesh.vertices.size() == 8);
  CHECK(out.mesh.triangles.size() == 12);
  CHECK(volume(out.mesh) == Approx(1).epsilon(1e-6));
}

TEST_CASE("Triangles without height leave no gap", "[mesh]") {
  // The corner 8 lies on an edge of the box: one of its sides has a vertex there, the other one a triangle without
  // height.
  Mesh mesh = unit_box();
  mesh.vertices.emplace_back(0.5f, 0, 0);
  mesh.triangles[4] = {8, 1, 5};
  mesh.triangles.emplace_back(0, 8, 5);
  mesh.triangles.emplace_back(0, 1, 8);
  const LoadedMesh out = repaired(mesh);
  CHECK(join(out.repairs) == "1 triangle without height was taken out and the neighbour split instead\n");
  CHECK(out.closed);
  CHECK(topology(out.mesh).manifold);
  CHECK(volume(out.mesh) == Approx(1));
  CHECK(area(out.mesh) == Approx(6));
}

TEST_CASE("Triangles are wound like their neighbours, and closed parts outwards", "[mesh]") {
  Mesh mesh = unit_box();
  for (const int t : {1, 4, 9})
    std::swap(mesh.triangles[t].x, mesh.triangles[t].y);
  LoadedMesh out = repaired(mesh);
  CHECK(join(out.repairs) == "3 triangles were turned round to agree with the neighbours\n");
  CHECK(out.closed);
  CHECK(volume(out.mesh) == Approx(1));

  mesh = unit_box();
  turn(mesh);
  out = repaired(mesh);
  CHECK(join(out.repairs) == "1 closed part was inside out and turned\n");
  CHECK(volume(out.mesh) == Approx(1));

  Mesh backs = unit_box();
  turn(backs);
  mesh = unit_box();
  mesh.triangles.insert(mesh.triangles.end(), backs.triangles.begin(), backs.triangles.end());
  out = repaired(mesh);
  CHECK(join(out.repairs) == "12 triangles were dropped as the back of a part that was given from both sides\n");
  CHECK(volume(out.mesh) == Approx(1));
}

TEST_CASE("A cavity stays a cavity, and parts beside each other are turned each for itself", "[mesh]") {
  const Mesh outer = box_mesh(glm::vec3(0), glm::vec3(4)), inner = ball(6, 1, glm::vec3(2)),
             core = ball(4, 0.5, glm::vec3(2));
  const double v_in = volume(inner), v_core = volume(core);
  auto inside_out = [](Mesh mesh) {
    turn(mesh);
    return mesh;
  };
  auto combined = [](std::initializer_list<Mesh> parts) {
    Mesh all;
    for (const Mesh& part : parts)
      append(all, part);
    return all;
  };
  LoadedMesh out = repaired(combined({outer, inside_out(inner), core}));
  CHECK(out.repairs.empty());
  CHECK(volume(out.mesh) == Approx(64 - v_in + v_core));

  out = repaired(combined({inner, inside_out(outer), inside_out(core)}));
  CHECK(join(out.repairs) ==
        "1 closed part was inside out and turned\n2 parts within were turned with the part around it\n");
  CHECK(volume(out.mesh) == Approx(64 - v_in + v_core));

  const Mesh beside = box_mesh({5, 0, 0}, {6, 1, 1});
  out = repaired(combined({outer, inside_out(beside), inside_out(inner)}));
  CHECK(join(out.repairs) == "1 closed part was inside out and turned\n");
  CHECK(volume(out.mesh) == Approx(64 + 1 - v_in));
}

TEST_CASE("Small holes are closed, large ones reported", "[mesh]") {
  const Mesh whole = ball(16);
  Mesh mesh = whole;
  mesh.triangles.erase(mesh.triangles.begin() + 200, mesh.triangles.begin() + 203);
  mesh.triangles.erase(mesh.triangles.begin() + 700);
  LoadedMesh out = repaired(mesh);
  INFO(join(out.repairs));
  CHECK(join(out.repairs) == "2 holes were closed with 4 triangles\n");
  CHECK(out.closed);
  CHECK(topology(out.mesh).manifold);
  CHECK(topology(out.mesh).characteristic == 2);
  CHECK(volume(out.mesh) == Approx(volume(whole)).epsilon(1e-3));

  mesh = unit_box();  // without its top: a box to put something in
  mesh.triangles.erase(mesh.triangles.begin() + 2, mesh.triangles.begin() + 4);
  out = repaired(mesh);
  CHECK(join(out.repairs) ==
        "the mesh is open: 1 hole is too long to be closed, beyond 0.25 of the mesh's diagonal or 500 corners\n");
  CHECK_FALSE(out.closed);
  CHECK(out.mesh.triangles.size() == 10);
  out = repaired(mesh, {.hole = 3});
  CHECK(out.closed);
  CHECK(volume(out.mesh) == Approx(1));

  // Two holes that share a corner are two holes.
  mesh = whole;
  std::erase_if(mesh.triangles,
                [](const glm::uvec3& t) { return t == glm::uvec3(33, 34, 65) || t == glm::uvec3(34, 35, 66); });
  REQUIRE(mesh.triangles.size() == whole.triangles.size() - 2);
  out = repaired(mesh);
  CHECK(join(out.repairs) == "2 holes were closed with 2 triangles\n");
  CHECK(topology(out.mesh).manifold);
}

TEST_CASE("Edges with more than two triangles stay and are reported", "[mesh]") {
  Mesh mesh = unit_box();
  append(mesh, box_mesh(glm::vec3(1, 1, 0), glm::vec3(2, 2, 1)));  // touches along an edge
  LoadedMesh out = repaired(mesh);
  CHECK(join(out.repairs) == "1 edge has more than two triangles; they stay as they are\n");
  CHECK(out.closed);
  CHECK(volume(out.mesh) == Approx(2));

  mesh = unit_box();
  append(mesh, box_mesh(glm::vec3(1, 0, 0), glm::vec3(2, 1, 1)));  // stands side to side
  out = repaired(mesh);
  CHECK(contains(join(out.repairs), "5 edges have more than two triangles"));
  CHECK(out.closed);
  CHECK(volume(out.mesh) == Approx(2));

  mesh = unit_box();  // with a fin
  mesh.vertices.emplace_back(2, 0, 0.5f);
  mesh.triangles.emplace_back(1, 8, 5);
  out = repaired(mesh);
  CHECK_FALSE(out.closed);
}

TEST_CASE("A flat mesh may be taken where no solid is needed", "[mesh]") {
  const Mesh sheet{{{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 3}}};
  const LoadedMesh out = repaired(sheet, {.solid = false});
  CHECK_FALSE(out.closed);
  CHECK(out.mesh.triangles.size() == 2);
  CHECK(refusal([&] { repaired(sheet); }) == "mesh: is flat: it encloses no volume");
}

TEST_CASE("Outlines are cut into triangles by ears", "[mesh]") {
  auto check = [](const std::vector<glm::dvec3>& outline, double expected) {
    const std::vector<glm::uvec3> cut = triangulate(outline);
    REQUIRE(cut.size() == outline.size() - 2);
    double sum = 0;
    for (const glm::uvec3& t : cut)
      sum += glm::length(glm::cross(outline[t.y] - outline[t.x], outline[t.z] - outline[t.x])) / 2;
    CHECK(sum == Approx(expected));  // more where triangles overlap
  };
  std::vector<glm::dvec3> star, comb;
  for (int i = 0; i < 400; ++i) {
    const double r = i % 2 ? 1 : 3, a = 2 * pi_ * i / 400;
    star.emplace_back(r * std::cos(a), 5, r * std::sin(a));
  }
  check(star, 200 * 3 * std::sin(2 * pi_ / 400));
  comb.emplace_back(0, 1, 0);
  comb.emplace_back(0, 0, 0);
  comb.emplace_back(40, 0, 0);
  for (int i = 19; i >= 0; --i)
    for (const glm::dvec2& p : {glm::dvec2(2, 1), {2, 9}, {1, 9}, {1, 1}})
      comb.emplace_back(2 * i + p.x, p.y, 0);
  std::ranges::reverse(comb);
  check(comb, 40 + 20 * 8);
  CHECK(triangulate(std::vector<glm::dvec3>(5, glm::dvec3(1))).size() == 3);
  CHECK(triangulate(std::vector<glm::dvec3>(2, glm::dvec3(1))).empty());
}

// Hidden: five seconds. talus_tests "[large]"
TEST_CASE("A million triangles are read in seconds", "[.][large]") {
  Scratch scratch;
  const Mesh mesh = ball(500);
  REQUIRE(mesh.triangles.size() > 990'000);
  write_mesh(scratch / "a.stl", mesh);
  write_mesh(scratch / "a.obj", mesh);
  write_text(scratch / "a.ply", as_ply(mesh, "binary_little_endian"));
  write_text(scratch / "a.glb", as_glb(mesh));
  for (const char* name : {"a.stl", "a.obj", "a.ply", "a.glb"}) {
    const auto start = std::chrono::steady_clock::now();
    const LoadedMesh loaded = load_mesh(scratch / name);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}: {:.2f} s\n", name, seconds);
    INFO(name << " " << join(loaded.repairs));
    CHECK(loaded.closed);
    CHECK(loaded.mesh.triangles.size() == mesh.triangles.size());
    CHECK(seconds < 20);
  }
}

namespace {

double outline_area(const std::vector<glm::dvec2>& p) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const glm::dvec2 &a = p[i], &b = p[(i + 1) % p.size()];
    sum += (a.x * b.y - a.y * b.x) / 2;
  }
  return sum;
}

double involute(double angle) {
  return std::tan(angle) - angle;
}

// The area of the section with true arcs and involutes. A flank sweeps rb^2 (tan^3 at its end - at its start) / 6.
double gear_area(const GearSpec& s) {
  const double alpha = s.pressure_angle * pi_ / 180, rp = s.module * s.teeth / 2, rb = rp * std::cos(alpha),
               ra = rp + s.module, rf = rp - 1.25 * s.module, rs = std::max(rb, rf);
  auto half = [&](double r) { return pi_ / (2 * s.teeth) + involute(alpha) - involute(std::acos(rb / r)); };
  auto tan3 = [&](double r) { return std::pow(std::tan(std::acos(rb / r)), 3); };
  return s.teeth * (ra * ra * half(ra) + rb * rb / 3 * (tan3(ra) - tan3(rs)) + rf * rf * (pi_ / s.teeth - half(rs))) -
         pi_ * s.bore_radius * s.bore_radius;
}

// How deep p lies inside an outline; 0 outside.
double depth(const glm::dvec2& p, const std::vector<glm::dvec2>& outline) {
  bool inside = false;
  double least = 1e9;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const glm::dvec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
    if ((a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x))
      inside = !inside;
    const glm::dvec2 d = b - a;
    least = std::min(least, glm::distance(p, a + std::clamp(glm::dot(p - a, d) / glm::dot(d, d), 0.0, 1.0) * d));
  }
  return inside ? least : 0;
}

std::vector<glm::dvec2> moved(std::vector<glm::dvec2> outline, double angle, double x) {
  for (glm::dvec2& p : outline)
    p = {std::cos(angle) * p.x - std::sin(angle) * p.y + x, std::sin(angle) * p.x + std::cos(angle) * p.y};
  return outline;
}

}  // namespace

TEST_CASE("Gears are closed and have the volume of their section", "[gear]") {
  const std::vector<GearSpec> specs{{},
                                    {.helix_angle = 25, .bore_radius = 0.05},
                                    {.teeth = 60, .helix_angle = -40, .bore_radius = 0.01, .samples = 20},
                                    {.module = 0.002, .teeth = 7, .width = 0.01, .bore_radius = 0.003},
                                    {.teeth = 17, .pressure_angle = 14.5, .samples = 1},
                                    {.teeth = 120, .pressure_angle = 30, .bore_radius = 0.58}};
  for (const GearSpec& spec : specs) {
    const Mesh mesh = gear(spec);
    INFO(spec.teeth << " teeth, " << spec.helix_angle << " degrees, bore " << spec.bore_radius);
    const Topology t = topology(mesh);
    CHECK(t.manifold);
    CHECK(t.characteristic == (spec.bore_radius > 0 ? 0 : 2));
    // Chords of convex flanks and tips lose area, those of roots and of the bore gain some.
    CHECK(volume(mesh) == Approx(gear_area(spec) * spec.width).epsilon(spec.samples == 1 ? 0.02 : 0.004));
    const VolumeProperties p = volume_properties(mesh);
    CHECK(glm::length(p.center) < 1e-6 * spec.module * spec.teeth);
    CHECK(p.inertia[0][0] == Approx(p.inertia[1][1]).epsilon(1e-4));
    const Bounds box = bounds(mesh);
    CHECK(box.max.z == Approx(spec.width / 2));
    CHECK(box.min.z == Approx(-spec.width / 2));
    CHECK(box.max.x == Approx(spec.module * (spec.teeth / 2.0 + 1)).epsilon(0.01));
    const LoadedMesh out = repaired(mesh);
    CHECK(out.closed);
    CHECK(join(out.repairs) == "");
  }
}

TEST_CASE("A gear's section converges to arcs and involutes", "[gear]") {
  double last = 1;
  for (const int samples : {4, 16, 64}) {
    const GearSpec spec{.samples = samples};
    const double error = std::abs(outline_area(gear_outline(spec)) / gear_area(spec) - 1);
    CHECK(error < last / 10);
    last = error;
  }
  CHECK(last < 1e-5);
}

TEST_CASE("A gear's tooth is half a pitch thick at the pitch circle, and an involute of the base circle", "[gear]") {
  const GearSpec spec{.module = 0.02, .teeth = 30, .samples = 100};
  const std::vector<glm::dvec2> outline = gear_outline(spec);
  const double rp = 0.3, rb = rp * std::cos(20 * pi_ / 180);
  std::vector<double> crossings;  // angles at the pitch circle, of the first tooth
  for (std::size_t i = 0; i + 1 < outline.size() / 30; ++i) {
    const double a = glm::length(outline[i]), b = glm::length(outline[i + 1]);
    if ((a < rp) != (b < rp)) {
      const glm::dvec2 p = outline[i] + (rp - a) / (b - a) * (outline[i + 1] - outline[i]);
      crossings.push_back(std::atan2(p.y, p.x));
    }
  }
  REQUIRE(crossings.size() == 2);
  CHECK(rp * (crossings[1] - crossings[0]) == Approx(pi_ * spec.module / 2).epsilon(1e-4));
  CHECK(crossings[1] == Approx(-crossings[0]));

  // The normal of an involute touches the base circle.
  int checked = 0;
  for (std::size_t i = 0; i + 1 < outline.size() / 30; ++i) {
    const double a = glm::length(outline[i]), b = glm::length(outline[i + 1]);
    if (std::abs(a - b) < 1e-4 * spec.module || std::min(a, b) < 1.01 * rb)
      continue;
    const glm::dvec2 middle = (outline[i] + outline[i + 1]) / 2.0, along = glm::normalize(outline[i + 1] - outline[i]);
    CHECK(std::abs(glm::dot(middle, along)) == Approx(rb).epsilon(2e-3));
    CHECK(glm::length(middle) > rb);
    ++checked;
  }
  CHECK(checked > 50);
}

TEST_CASE("Two gears mesh at the standard distance without cutting into each other", "[gear]") {
  for (const auto& [z1, z2] : {std::pair{20, 20}, {24, 60}, {18, 31}}) {
    const GearSpec first{.teeth = z1, .samples = 16}, second{.teeth = z2, .samples = 16};
    const std::vector<glm::dvec2> one = gear_outline(first), two = gear_outline(second);
    const double near = z1 / 2.0 - 1.5, far = z1 / 2.0 + 1.5;  // modules, x where they meet
    struct Fit {
      double cut = 0, gap = 0;  // modules, the largest over a pitch
    };
    auto fit = [&](double distance) {
      Fit out;
      for (int k = 0; k < 40; ++k) {
        const double angle = 2 * pi_ / z1 * k / 40;  // at 0 a tooth of the first points into a space of the second
        const auto a = moved(one, angle, 0), b = moved(two, pi_ + pi_ / z2 - angle * z1 / z2, distance);
        double gap = 1;
        for (const glm::dvec2& p : a)
          if (p.x > near * first.module) {
            out.cut = std::max(out.cut, depth(p, b) / first.module);
            for (const glm::dvec2& q : b)
              gap = std::min(gap, glm::distance(p, q) / first.module);
          }
        for (const glm::dvec2& p : b)
          if (p.x < far * first.module)
            out.cut = std::max(out.cut, depth(p, a) / first.module);
        out.gap = std::max(out.gap, gap);
      }
      return out;
    };
    const double distance = first.module * (z1 + z2) / 2.0;
    const Fit right = fit(distance);
    INFO(z1 << " and " << z2 << " teeth: " << right.cut << " modules deep, " << right.gap << " apart");
    CHECK(right.cut < 1e-3);
    CHECK(right.gap < 0.05);  // they touch at every angle, as far as points on the flanks tell
    CHECK(fit(distance - 0.1 * first.module).cut > 0.01);
  }
}

TEST_CASE("Gears that cannot be are refused", "[gear]") {
  auto said = [](const GearSpec& spec) { return refusal([&] { gear(spec); }); };
  CHECK(said({.module = 0}) == "gear: module must be a number from 1e-06 to 1000 m, not 0");
  CHECK(contains(said({.module = std::nan("")}), "module must be a number"));
  CHECK(contains(said({.teeth = 3}), "teeth must be a number from 4 to 1000, not 3"));
  CHECK(contains(said({.helix_angle = 80}), "helix_angle must be a number from -60 to 60 degrees, not 80"));
  CHECK(contains(said({.pressure_angle = 5}), "pressure_angle must be"));
  CHECK(contains(said({.width = -1}), "width must be"));
  CHECK(contains(said({.samples = 0}), "samples must be"));
  CHECK(contains(said({.bore_radius = 0.2}), "bore_radius must be at least 0 and below the root circle's 0.1075 m"));
  CHECK(contains(said({.bore_radius = -0.1}), "bore_radius must be"));
  CHECK(contains(said({.teeth = 5, .pressure_angle = 35}), "end in a point below the tip circle"));
  CHECK(contains(said({.teeth = 300, .pressure_angle = 34}), "meet above the root circle"));
  CHECK(contains(said({.module = 0.001, .teeth = 1000, .helix_angle = 60, .width = 100, .samples = 100}),
                 "triangles are more than 2000000"));
}

TEST_CASE("The surface of a sphere is extracted closed, and converges", "[extract]") {
  const glm::vec3 center(0.1f, -0.2f, 0.3f);
  auto sphere = [&](const glm::vec3& p) { return glm::distance(p, center) - 0.7f; };
  double last_volume = 1, last_area = 1;
  for (const double cell : {0.2, 0.1, 0.05}) {
    const Mesh mesh = extract_surface(sphere, {glm::dvec3(-1), glm::dvec3(1.1)}, cell);
    const Topology t = topology(mesh);
    CHECK(t.manifold);
    CHECK(t.characteristic == 2);
    const double v = std::abs(volume(mesh) / (4.0 / 3 * pi_ * 0.343) - 1),
                 a = std::abs(area(mesh) / (4 * pi_ * 0.49) - 1);
    INFO("cell " << cell << ": volume " << v << ", area " << a);
    CHECK(volume(mesh) > 0);
    CHECK(v < last_volume / 3);  // 4 for second order
    CHECK(a < last_area / 3);
    last_volume = v;
    last_area = a;
    CHECK(glm::distance(volume_properties(mesh).center, glm::dvec3(center)) < 0.02 * cell);
  }
  CHECK(last_volume < 3e-3);
  CHECK(last_area < 3e-3);
}

TEST_CASE("The surface of a torus is extracted with its hole", "[extract]") {
  auto torus = [](const glm::vec3& p) { return glm::length(glm::vec2(glm::length(glm::vec2(p)) - 1.0f, p.z)) - 0.35f; };
  double last = 1;
  for (const double cell : {0.16, 0.08, 0.04}) {
    const Mesh mesh = extract_surface(torus, {glm::dvec3(-1.5, -1.5, -0.5), glm::dvec3(1.5, 1.5, 0.5)}, cell);
    const Topology t = topology(mesh);
    CHECK(t.manifold);
    CHECK(t.characteristic == 0);
    const double error = std::abs(volume(mesh) / (2 * pi_ * pi_ * 0.35 * 0.35) - 1);
    CHECK(error < last / 3);
    CHECK(area(mesh) == Approx(4 * pi_ * pi_ * 0.35).epsilon(2 * cell * cell + 2e-3));
    last = error;
  }
  CHECK(last < 5e-3);
}

TEST_CASE("A surface through the nodes of the grid has no triangles without area", "[extract]") {
  // A box and an octahedron whose faces and corners lie on nodes.
  auto cube = [](const glm::vec3& p) { return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) - 0.5f; };
  auto octahedron = [](const glm::vec3& p) { return std::abs(p.x) + std::abs(p.y) + std::abs(p.z) - 0.75f; };
  struct Sharp {
    std::function<float(const glm::vec3&)> f;
    double expected, edges;  // m3, m
  };
  const std::vector<Sharp> shapes{{cube, 1.0, 12}, {octahedron, 4.0 / 3 * std::pow(0.75, 3), 12 * 0.75 * std::sqrt(2)}};
  for (const auto& [f, expected, edges] : shapes) {
    const Mesh mesh = extract_surface(f, {glm::dvec3(-1), glm::dvec3(1)}, 0.125);
    CHECK(topology(mesh).manifold);
    CHECK(topology(mesh).characteristic == 2);
    CHECK(volume(mesh) == Approx(expected).margin(edges / 2 * 0.125 * 0.125));  // which are cut off by a cell
    for (const glm::uvec3& t : mesh.triangles) {
      const glm::dvec3 a(mesh.vertices[t.x]), b(mesh.vertices[t.y]), c(mesh.vertices[t.z]);
      REQUIRE(glm::length(glm::cross(b - a, c - a)) > 0);
    }
  }
}

TEST_CASE("What reaches the bounds is refused or cut off there", "[extract]") {
  auto sphere = [](const glm::vec3& p) { return glm::length(p) - 1.0f; };
  const Bounds half{glm::dvec3(-1.2, -1.2, 0), glm::dvec3(1.2)};
  CHECK(contains(refusal([&] { extract_surface(sphere, half, 0.1); }), "surface: the inside reaches the bounds at ("));
  const Mesh mesh = extract_surface(sphere, half, 0.05, AtBounds::close);
  CHECK(topology(mesh).manifold);
  CHECK(topology(mesh).characteristic == 2);
  CHECK(volume(mesh) == Approx(2.0 / 3 * pi_).epsilon(0.01));
  CHECK(bounds(mesh).min.z == Approx(0).margin(1e-4));
  CHECK(volume(extract_surface([](const glm::vec3&) { return -1.0f; }, half, 0.1, AtBounds::close)) ==
        Approx(2.4 * 2.4 * 1.2).margin((8 * 2.4 + 4 * 1.2) / 2 * 0.1 * 0.1));
  CHECK(extract_surface([](const glm::vec3&) { return 1.0f; }, half, 0.1).triangles.empty());
}

TEST_CASE("Surfaces that cannot be extracted are refused", "[extract]") {
  auto sphere = [](const glm::vec3& p) { return glm::length(p) - 0.5f; };
  auto said = [](const auto& f, const Bounds& b, double cell) { return refusal([&] { extract_surface(f, b, cell); }); };
  const Bounds unit{glm::dvec3(-1), glm::dvec3(1)};
  CHECK(contains(said(sphere, unit, 0), "the cell must be above 0 m, not 0"));
  CHECK(contains(said(sphere, unit, std::nan("")), "the cell must be above 0 m"));
  CHECK(contains(said(sphere, unit, 1e-4), "too large: take larger cells"));
  CHECK(contains(said(sphere, {glm::dvec3(1), glm::dvec3(1)}, 0.1), "the bounds are empty in x"));
  CHECK(contains(said([](const glm::vec3& p) { return p.x > 0 ? NAN : 1.0f; }, unit, 0.1), "the function is nan at ("));
}
