// Grains from files: those of own exports come back exactly, those of LAMMPS where it has them, and what is wrong is
// told with its place.
#include "engine/io/series.h"
#include "engine/io/vtkhdf_series.h"
#include "engine/io/writers.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"

using namespace talus;
using namespace talus_tests;
namespace fs = std::filesystem;

namespace {

// Grains of two materials that collide, turn and come round along x.
const std::string two_sands = R"([domain]
min = [-0.1, -0.2, 0]
max = [0.1, 0.2, 0.5]
x = "periodic"
y = "open"
[[material]]
name = "sand"
[[material]]
name = "gravel"
density = 2500
)";
const std::string collapse = two_sands + R"([[grains]]
material = "sand"
radius = [0.004, 0.009]
velocity_random = 0.5
count = 60
fill.box = { min = [-0.1, -0.05, 0.05], max = [0.1, 0.05, 0.2] }
[[grains]]
material = "gravel"
radius = 0.011
velocity = [1.5, 0.1, 0]
count = 20
fill.box = { min = [-0.1, -0.05, 0.2], max = [0.1, 0.05, 0.4] }
)";

std::string with_file(const std::string& file, const std::string& more = "") {
  return two_sands + "[[grains]]\nmaterial = \"sand\"\nfill.file = \"" + file + "\"\n" + more;
}

void require_bits(const glm::vec3& a, const glm::vec3& b) {
  REQUIRE(a == b);
}

// The grains that a scene starts with are those of a simulation.
void require_start(const Scene& scene, const std::vector<GrainState>& grains, bool materials) {
  const std::vector<Seed> seeds = populate(scene).initial;
  REQUIRE(seeds.size() == grains.size());
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    require_bits(seeds[i].position, grains[i].position);
    require_bits(seeds[i].velocity, grains[i].velocity);
    require_bits(seeds[i].spin, grains[i].spin);
    REQUIRE(seeds[i].radius == grains[i].radius);
    REQUIRE(seeds[i].material == (materials ? grains[i].material : 0u));
  }
}

// Returns the error of a scene whose fill.file has this content.
std::string error_of_file(const std::string& name, const std::string& content, const std::string& more = "") {
  const Scratch scratch;
  write_text(scratch / name, content);
  const std::string error = error_of([&] { parse_scene(with_file(name, more), (scratch / "s.toml").string()); });
  const std::string place = (scratch / name).string();
  const std::size_t at = error.find(place);
  return at == error.npos ? error : error.substr(at + place.size());
}

// Of LAMMPS' documentation of read_data, with a density and a diameter for each.
const std::string data_file = R"(LAMMPS data file via write_data, version 23 Jun 2022, timestep = 200, units = si

3 atoms # of which one is heavy
2 atom types

-0.1 0.1 xlo xhi
-0.2 0.2 ylo yhi
0.0 0.5 zlo zhi

Masses

1 1
2 1

Atoms # sphere

7 2 0.02 2500 0.05 0.01 0.3 0 0 0
2 1 0.01 1600 -0.05 0.1 0.01 1 0 0
3 1 0.012 1600 0 -0.125 0.25 0 0 0

Velocities

2 0 0 -0.5 0 0 0
3 1 2 3 4 5 6
7 0.25 0 0 0 -7.5 0
)";

const std::string dump_file = R"(ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
1
ITEM: BOX BOUNDS pp ff ff
-0.1 0.1
-0.2 0.2
0 0.5
ITEM: ATOMS id type radius xs ys zs
1 1 0.01 0.5 0.5 0.25
ITEM: TIMESTEP
100
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp ff ff
-0.1 0.1
-0.2 0.2
0 0.5
ITEM: ATOMS id type diameter x y z vx vy vz omegax omegay omegaz fx
9 2 0.02 0.15 0 0.1 1 2 3 4 5 6 0.5
4 1 0.01 0.05 0.125 0.2 0 0 -1 0 0.5 0 1e-320
)";

}  // namespace

TEST_CASE("a file of a format that is exported starts a scene as the exported one was", "[grain_files]") {
  const std::string format = GENERATE("csv", "extxyz", "vtp", "gsd", "ply", "vtkhdf");
  if (format == "vtkhdf" && !has_hdf5())
    return;
  const Scratch scratch;
  Simulation simulation(parse_scene(collapse, "s.toml"), on_cpu);
  simulation.advance(40);
  const Frame frame = frame_of(simulation);
  const std::string name = "grains." + format;
  if (format == "gsd" || format == "vtkhdf") {
    Series series(scratch.path(), parse_format(format), simulation.scene());
    Simulation start(simulation.scene(), on_cpu);
    series.add(start);  // the last frame counts
    series.add(simulation);
    series.finish();
  } else
    write_points(scratch / name, parse_format(format), points_of(frame).grains, simulation.scene());
  const auto scene_with = [&](const std::string& more) {
    return parse_scene(with_file(name, more), (scratch / "s.toml").string());
  };
  const Scene scene = scene_with("fill.materials = [\"sand\", \"gravel\"]\n");
  require_start(scene, frame.grains, true);
  // Substeps, the skin of neighbour lists and the neighbour grid follow from these.
  CHECK(radii_of(scene).max == Approx(0.011));
  CHECK(radii_of(scene).min == radii_of(load_grains(scratch / name)).min);
  const Scene one = scene_with("");
  require_start(one, frame.grains, false);
  REQUIRE(one.warnings.size() == 1);
  CHECK(contains(one.warnings[0], "several types, which all become sand"));

  // The scene's text says the same, and the simulation goes on from there.
  CHECK(to_toml(parse_scene(to_toml(scene), (scratch / "s.toml").string())) == to_toml(scene));
  Simulation second(scene, on_cpu);
  second.advance(1);
  CHECK(second.grains().size() == 80);
}

TEST_CASE("a checkpoint is not resumed with other grains in the file", "[grain_files]") {
  const Scratch scratch;
  const auto scene = [&](const std::string& x) {
    write_text(scratch / "a.csv", "x,y,z,radius\n" + x + ",0,0.1,0.01\n");
    return parse_scene(with_file("a.csv"), (scratch / "s.toml").string());
  };
  Simulation first(scene("0"), on_cpu);
  const Checkpoint saved = first.checkpoint();
  Simulation same(scene("0"), on_cpu), other(scene("0.01"), on_cpu);
  CHECK_NOTHROW(same.resume(saved));
  CHECK_THROWS_AS(other.resume(saved), CheckpointError);
}

TEST_CASE("a LAMMPS data file starts a scene with the same geometry", "[grain_files]") {
  const Scratch scratch;
  write_text(scratch / "data.bed", data_file);
  const Scene scene = parse_scene("[domain]\nfile = \"data.bed\"\ny = \"open\"\nmax = [0.1, 0.2, 0.75]\n"
                                  "[[material]]\nname = \"sand\"\n[[material]]\nname = \"gravel\"\n"
                                  "[[grains]]\nmaterial = \"sand\"\nfill.file = \"data.bed\"\n"
                                  "fill.materials = [\"sand\", \"gravel\"]\n",
                                  (scratch / "s.toml").string());
  CHECK(scene.domain.min == glm::dvec3(-0.1, -0.2, 0.0));
  CHECK(scene.domain.max == glm::dvec3(0.1, 0.2, 0.75));
  CHECK(scene.domain.axis == std::array{Axis::wall, Axis::open, Axis::wall});
  const std::vector<Seed> seeds = populate(scene).initial;  // by ID
  REQUIRE(seeds.size() == 3);
  require_bits(seeds[0].position, {-0.05f, 0.1f, 0.01f});
  require_bits(seeds[1].position, {0.0f, -0.125f, 0.25f});
  require_bits(seeds[2].position, {0.05f, 0.01f, 0.3f});
  CHECK(seeds[0].radius == 0.005f);
  CHECK(seeds[1].radius == 0.006f);
  CHECK(seeds[2].radius == 0.01f);
  require_bits(seeds[1].velocity, {1.0f, 2.0f, 3.0f});
  require_bits(seeds[1].spin, {4.0f, 5.0f, 6.0f});
  require_bits(seeds[2].spin, {0.0f, -7.5f, 0.0f});
  CHECK(seeds[0].material == 0);
  CHECK(seeds[2].material == 1);
}

TEST_CASE("a LAMMPS dump gives the grains of the frame that is asked for", "[grain_files]") {
  const Scratch scratch;
  write_text(scratch / "dump.bed", dump_file);
  const auto seeds_of = [&](const std::string& more) {
    return populate(parse_scene(with_file("dump.bed", more), (scratch / "s.toml").string())).initial;
  };
  const std::vector<Seed> last = seeds_of(""), first = seeds_of("fill.frame = 0\n");
  REQUIRE(last.size() == 2);
  require_bits(last[0].position, {0.05f, 0.125f, 0.2f});
  CHECK(last[0].radius == 0.005f);
  require_bits(last[0].spin, {0.0f, 0.5f, 0.0f});
  // x is periodic: 0.15 m is an image of -0.05 m
  CHECK(last[1].position.x == Approx(-0.05));
  require_bits(last[1].velocity, {1.0f, 2.0f, 3.0f});
  REQUIRE(first.size() == 1);
  CHECK(first[0].position.z == Approx(0.125));
  CHECK(first[0].radius == 0.01f);

  const FileBox box = load_grains(scratch / "dump.bed").box.value();
  CHECK(box.max == glm::dvec3(0.1, 0.2, 0.5));
  CHECK(box.periodic == std::array<std::optional<bool>, 3>{true, false, false});
  // As OVITO writes the box, and angular velocities.
  write_text(scratch / "ovito.bed",
             "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS abc origin pp ff ff\n"
             "0.2 0 0 -0.1\n0 0.4 0 -0.2\n0 0 0.5 0\nITEM: ATOMS xs y z AngularVelocityX "
             "AngularVelocityY AngularVelocityZ\n0.75 0 0 0 0 7\n");
  const LoadedGrains ovito = load_grains(scratch / "ovito.bed");
  CHECK(ovito.box->min == box.min);
  CHECK(ovito.box->max.x == Approx(0.1));
  CHECK(ovito.box->periodic == box.periodic);
  require_bits(ovito.spins[0], {0.0f, 0.0f, 7.0f});
  CHECK(ovito.positions[0].x == Approx(0.05));
  write_text(scratch / "ovito.data", "# title\n\n1 atoms\n0.2 0 0 avec\n0 0.4 0 bvec\n0 0 0.5 cvec\n-0.1 -0.2 0 abc "
                                     "origin\n\nAtoms  # sphere\n\n1 1 0.01 0 0 0 0.1\n");
  CHECK(load_grains(scratch / "ovito.data").box->max.x == Approx(0.1));
  const Scene scene = parse_scene("[domain]\nfile = \"dump.bed\"\nscale = 2\n", (scratch / "s.toml").string());
  CHECK(scene.domain.max == glm::dvec3(0.2, 0.4, 1.0));
  CHECK(scene.domain.axis == std::array{Axis::periodic, Axis::wall, Axis::wall});
}

TEST_CASE("scale, keys of the group and names of columns of other programs", "[grain_files]") {
  const Scratch scratch;
  // As ParaView saves a table.
  write_text(scratch / "a.csv",
             "\"Points:0\",\"Points:1\",\"Points:2\",\"velocity:0\",\"velocity:1\",\"velocity:2\","
             "\"name, of it\",diameter\n50,0,100,-1000,0,0,\"a, b\",20\r\n\n0, 0 ,200,0,0,0,c,10\r\n");
  const std::vector<Seed> seeds =
      populate(parse_scene(with_file("a.csv", "fill.scale = 0.001\nvelocity = [0, 0, 2]\nspin = [1, 0, 0]\n"),
                           (scratch / "s.toml").string()))
          .initial;
  REQUIRE(seeds.size() == 2);
  CHECK(seeds[0].radius == 0.01f);
  require_bits(seeds[0].position, {0.05f, 0.0f, 0.1f});
  require_bits(seeds[0].velocity, {-1.0f, 0.0f, 2.0f});
  require_bits(seeds[1].spin, {1.0f, 0.0f, 0.0f});

  // Plain xyz: names of species are types, and the scene says the radius.
  write_text(scratch / "a.xyz", "1\nfirst\nO 0 0 0.3\n2\nlast\nSi 0 0 0.1\nO 0 0 0.2\n");
  const Scene plain =
      parse_scene(with_file("a.xyz", "radius = 0.015\nfill.materials = [\"gravel\"]\n"), (scratch / "s.toml").string());
  const std::vector<Seed> two = populate(plain).initial;
  REQUIRE(two.size() == 2);
  CHECK(two[0].radius == 0.015f);
  CHECK(two[0].material == 1);
  CHECK(two[1].material == 0);

  // Grains that nothing moves have no velocity.
  const Scene fixed =
      parse_scene(with_file("a.csv", "fill.scale = 0.001\nfixed = true\n"), (scratch / "s.toml").string());
  CHECK(populate(fixed).initial[0].velocity == glm::vec3(0.0f));
}

TEST_CASE("arrays of vtp are read as VTK writes them", "[grain_files]") {
  // VTK 9.7: in base64, compressed; appended in base64; as text.
  const std::string head = "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt32\"",
                    piece = "><PolyData><Piece NumberOfPoints=\"2\" NumberOfVerts=\"0\"><PointData><DataArray "
                            "type=\"Float64\" Name=\"diameter\" ",
                    velocity = "</DataArray><DataArray type=\"Float64\" Name=\"v\" NumberOfComponents=\"3\" ",
                    points = "</DataArray></PointData><Points><DataArray type=\"Float32\" Name=\"Points\" "
                             "NumberOfComponents=\"3\" ",
                    end = "</DataArray></Points></Piece></PolyData>";
  const std::string file = GENERATE_COPY(
      head + " compressor=\"vtkZLibDataCompressor\"" + piece +
          "format=\"binary\">\n  AQAAAACAAAAQAAAAFQAAAA==eF6rFlnn/rBqin01mG6xBwA96AdV\n" + velocity +
          "format=\"binary\">AQAAAACAAAAwAAAAHAAAAA==eF5jYACBD/YMEOAAoTigtACUFoHSEg4ASc8CtA==<InformationKey "
          "name=\"L2_NORM_RANGE\"/>" +
          points + "format=\"binary\">AQAAAACAAAAYAAAAGQAAAA==eF5jYICBBruzZ3xsgYx9Z8+csQUALN4GQQ==" + end +
          "</VTKFile>",
      head + piece + "format=\"appended\" offset=\"0\">" + velocity + "format=\"appended\" offset=\"28\">" + points +
          "format=\"appended\" offset=\"100\">" + end +
          "<AppendedData encoding=\"base64\">\n _EAAAAHsUrkfhepQ/exSuR+F6hD8=MAAAAAAAAAAAAPA/AAAAAAAAAEAAAAAAAAAIQAAAA"
          "AAAABBAAAAAAAAAFEAAAAAAAAAYQA==GAAAAAAAAAAAAAAAAACAPs3MTD0AAAC+zczMPQ==\n</AppendedData></VTKFile>",
      head + piece + "format=\"ascii\">0.02 0.01" + velocity + "format=\"ascii\">\n1 2 3\n4 5 6\n" + points +
          "format=\"ascii\">0 0 0.25 0.050000001 -0.125 0.1" + end + "</VTKFile>");
  const Scratch scratch;
  write_text(scratch / "a.vtp", file);
  const LoadedGrains grains = load_grains(scratch / "a.vtp");
  REQUIRE(grains.size() == 2);
  require_bits(grains.positions[1], {0.05f, -0.125f, 0.1f});
  CHECK(grains.radii == std::vector{0.01f, 0.005f});
  require_bits(grains.velocities[1], {4.0f, 5.0f, 6.0f});
  CHECK(grains.types.empty());
}

TEST_CASE("PLY is read as other programs write it", "[grain_files]") {
  const Scratch scratch;
  const auto loaded = [&](const std::string& content, const GrainFileOptions& options = {}) {
    write_text(scratch / "a.ply", content);
    return load_grains(scratch / "a.ply", options);
  };
  // As text, between elements that are none of grains, with a list and columns of other meanings.
  const std::string head = "ply\nformat ascii 1.0\ncomment by hand\nelement camera 1\nproperty list uchar int view\n"
                           "element vertex 2\nproperty float x\nproperty float y\nproperty double z\n"
                           "property uchar red\nproperty list uchar int neighbours\nproperty float diameter\n"
                           "element face 1\nproperty list uchar uint vertex_indices\nend_header\n";
  const LoadedGrains text = loaded(head + "2 7 8\n0.1 0.2 0.3 255 0 0.02\n-0.1 0.2 0.4 0 2 5 6 0.03\n3 0 1 0\n");
  REQUIRE(text.size() == 2);
  require_bits(text.positions[0], {0.1f, 0.2f, 0.3f});
  require_bits(text.positions[1], {-0.1f, 0.2f, 0.4f});
  CHECK(text.radii == std::vector{0.01f, 0.015f});
  CHECK(text.lines == std::vector{17u, 18u});
  // Big endian, in millimetres.
  const std::string big("ply\r\nformat binary_big_endian 1.0\r\nelement vertex 1\r\nproperty short x\r\n"
                        "property int8 y\r\nproperty float z\r\nend_header\r\n\x01\x02\xff\x3f\xc0\x00\x00",
                        125);
  const LoadedGrains binary = loaded(big, {.scale = 1e-3});
  require_bits(binary.positions[0], {0.258f, -0.001f, 0.0015f});
  const auto error = [](const std::string& content) { return error_of_file("a.ply", content); };
  const std::string start = "ply\nformat ascii 1.0\nelement vertex 1\n", xyz = "property float x\nproperty float y\n";
  CHECK(contains(error("solid"), ": is no PLY file: it does not begin with \"ply\""));
  CHECK(contains(error("ply\nformat text 1.0\n"), ":2: has the format text: allowed are ascii"));
  CHECK(contains(error(start), ": is cut short: its head has no \"end_header\""));
  CHECK(contains(error(start + "property half x\n"), ":4: has the type \"half\", which PLY does not have"));
  CHECK(contains(error(start + "property list uchar x\n"), ":4: is no property: a list has"));
  CHECK(contains(error(start + "vertex\n"), ":4: has a line \"vertex\", which heads of PLY do not have"));
  CHECK(contains(error("ply\nelement vertex 1\nend_header\n"), ": says no format in its head"));
  CHECK(contains(error("ply\nformat ascii 1.0\nend_header\n"), ": has no element \"vertex\""));
  CHECK(contains(error(start + xyz + "end_header\n0 0\n"), ": has no column z"));
  CHECK(contains(error(start + xyz + "property float z\nend_header\n0 0\n"), ":8: has 2 numbers, and none for z"));
  CHECK(contains(error(start + xyz + "property float z\nend_header\n0 0 a\n"), ":8:5: z must be a number, not \"a\""));
  CHECK(contains(error(start + xyz + "property float z\nend_header\n0 0 1 2\n"), ":8: has 4 numbers in place of 3"));
  CHECK(contains(error(start + xyz + "property float z\nend_header\n"), ": is cut short: it has not the 1 of each"));
  CHECK(contains(error(start + "property list uchar int l\n" + xyz + "property float z\nend_header\n-1 0 0 1\n"),
                 ": has a list of a length that is not possible"));
}

TEST_CASE("what is no vtkhdf file of points is refused", "[grain_files]") {
  if (!has_hdf5()) {
    CHECK(contains(error_of_file("a.vtkhdf", ""), ": cannot be read: this build of Talus has no HDF5"));
    return;
  }
  CHECK(contains(error_of_file("a.vtkhdf", "no HDF5"), ": is no HDF5 file, is damaged, or cannot be opened"));
  const Scratch scratch;
  Simulation simulation(parse_scene(collapse, "s.toml"), on_cpu);
  {
    Series series(scratch.path(), Format::vtkhdf, simulation.scene());
    series.add(simulation);
    simulation.advance(1);
    series.add(simulation);
    series.finish();
  }
  const auto error_with = [&](const std::string& file, const std::string& more = "") {
    return error_of([&] { parse_scene(with_file(file, more), (scratch / "s.toml").string()); });
  };
  require_bits(load_grains(scratch / "grains.vtkhdf", {.frame = 1}).positions[7], simulation.grains()[7].position);
  CHECK(load_grains(scratch / "grains.vtkhdf", {.frame = 0}).positions[7] != simulation.grains()[7].position);
  CHECK(contains(error_with("grains.vtkhdf", "fill.frame = 2\n"),
                 ": has 2 frames, and frame 2 is asked for: allowed is 0 to 1"));
  // Only whole files open.
  const std::string whole = read_text(scratch / "grains.vtkhdf");
  write_text(scratch / "cut.vtkhdf", whole.substr(0, whole.size() / 2));
  CHECK(contains(error_with("cut.vtkhdf"), ": is no HDF5 file, is damaged"));
}

TEST_CASE("binary files of grains that are damaged or cut short are refused", "[grain_files]") {
  const Scratch scratch;
  Simulation simulation(parse_scene(collapse, "s.toml"), on_cpu);
  {
    Series series(scratch.path(), Format::gsd, simulation.scene());
    series.add(simulation);
    series.finish();
  }
  for (const Format format : {Format::vtp, Format::ply})
    write_points(scratch / ("grains." + std::string(name_of(format))), format, points_of(frame_of(simulation)).grains,
                 simulation.scene());
  for (const std::string name : {"grains.vtp", "grains.gsd", "grains.ply"}) {
    const std::string whole = read_text(scratch / name);
    std::size_t refused = 0, tried = 0;
    const auto try_it = [&](const std::string& content) {
      ++tried;
      write_text(scratch / ("try_" + name), content);
      try {
        load_grains(scratch / ("try_" + name));
      } catch (const GrainFileError& e) {
        ++refused;
        REQUIRE(contains(e.what(), "try_" + name + ":"));  // and a line, in the head of PLY
      }
    };
    // The cells of vtp, which come last, are not read.
    const std::string cells = "Name=\"connectivity\" NumberOfComponents=\"1\" format=\"appended\" offset=\"";
    const std::size_t at_cells = whole.find(cells),
                      end = at_cells == whole.npos
                                ? whole.size()
                                : whole.find("\n_") + 2 + std::stoul(whole.substr(at_cells + cells.size(), 9));
    for (std::size_t size = 0; size < end; size += 1 + whole.size() / 97)
      try_it(whole.substr(0, size));
    CAPTURE(name);
    CHECK(refused == tried);
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 97) {  // some bytes hold nothing
      std::string other = whole;
      other[at] = static_cast<char>(~other[at]);
      try_it(other);
    }
    // PLY has no checksum, and most of its bytes are those of numbers, which may have any value.
    CHECK(refused > tried / (name == "grains.ply" ? 4 : 2));
  }
  CHECK(contains(error_of_file("a.vtp", "<VTKFile><PolyData>"), ": is no XML: "));
  CHECK(contains(error_of_file("a.vtp", "<VTKFile type=\"ImageData\"/>"), ": holds no PolyData"));
  CHECK(contains(error_of_file("a.vtp", "<VTKFile compressor=\"vtkLZ4DataCompressor\"><PolyData/></VTKFile>"),
                 ": is compressed by vtkLZ4DataCompressor: allowed is vtkZLibDataCompressor or none"));
  const auto ascii = [&](const std::string& numbers) {
    return error_of_file("a.vtp", "<VTKFile><PolyData><Piece NumberOfPoints=\"1\"><Points><DataArray type=\"Float32\" "
                                  "NumberOfComponents=\"3\" format=\"ascii\" Name=\"Points\">" +
                                      numbers + "</DataArray></Points></Piece></PolyData></VTKFile>");
  };
  CHECK(contains(ascii("0 0"), ": its array \"Points\" has 2 numbers in place of 3"));
  CHECK(contains(ascii("0 0 a"), ": a number of the array \"Points\" must be a number, not \"a\""));
  CHECK(contains(ascii("0 0 9"), ": grain 0: lies outside the domain, at 9 m in z"));
  CHECK(contains(error_of_file("a.gsd", "no file of GSD"), ": is damaged or cut short"));
  CHECK(contains(error_of_file("a.gsd", std::string(256, ' ')), ": is no GSD file"));
}

TEST_CASE("the speed and the size of the grains of a file choose the substeps", "[grain_files]") {
  const Scratch scratch;
  const auto substeps = [&](const std::string& vx, const std::string& radius) {
    write_text(scratch / "a.csv",
               "x,y,z,radius,vx,vy,vz\n0,0,0.1,0.01,0,0,0\n0,0.05,0.1," + radius + "," + vx + ",0,0\n");
    return choose_substeps(parse_scene(with_file("a.csv"), (scratch / "s.toml").string())).substeps;
  };
  CHECK(substeps("20", "0.01") > 2 * substeps("0", "0.01"));
  CHECK(substeps("20", "0.001") > 2 * substeps("20", "0.01"));
}

TEST_CASE("what is wrong in a file of grains is told with its line and column", "[grain_files]") {
  const std::string head = "x,y,z,radius\n";
  struct Wrong {
    std::string name, content, says;
  };
  const std::vector<Wrong> all{
      {"a.csv", "", ": is empty"},
      {"a.csv", head, ": has no grains"},
      {"a.csv", "x,y,radius\n0,0,1\n", ":1: has no column z"},
      {"a.csv", "x,y,z,radius,vx\n", ":1: has no column vy"},
      {"a.csv", head + "0,0,0.1,0.01\n0,abc,0.1,0.01\n", ":3:3: y must be a number, not \"abc\""},
      {"a.csv", head + "0,0,0.1,\n", ":2:9: radius must be a number, not \"\""},
      {"a.csv", head + "0,nan,0.1,0.01\n", ":2:3: y must be a finite number, not nan"},
      {"a.csv", head + "0,0,1e999,0.01\n", ":2:5: z must be a finite number"},
      {"a.csv", head + "0,0,0.1,0\n", ":2: has the radius 0 m: allowed is 1e-06 to 1000"},
      {"a.csv", head + "0,0,0.1,-0.01\n", ":2: has the radius -0.01 m"},
      {"a.csv", head + "1e30,0,0.1,0.01\n", ":2: has a coordinate of 1e+30 m"},
      {"a.csv", head + "0,0,0.1\n", ":2: has 3 columns in place of 4"},
      {"a.csv", head + "0,0,0.1,0.01\n0,0,0.9,0.01\n",
       ":3: lies outside the domain, at 0.9 m in z: allowed is 0 to 0.5 m"},
      {"a.csv", head + "0,0,0.1,0.01\n0,0,0.3,0.00001\n", "the greatest may be at most 100 times the least"},
      {"a.csv", "x,y,z\n0,0,0.1\n", " says no radii: give the radius of its grains as radius"},
      {"a.csv", "x,y,z,radius,id\n0,0,0.1,0.01,3\n0,0,0.2,0.01,2\n0,0,0.3,0.01,3\n", ":4: has a second grain of id 3"},
      {"a.csv", "x,y,z,radius,id\n0,0,0.1,0.01,1.5\n", ":2: has the id 1.5, which is no whole number"},
      {"a.csv", "x,y,z,radius,type\n0,0,0.1,0.01,0\n", ":2: has the type -1, which"},
      {"a.csv", "x,y,z,radius,world\n0,0,0.1,0.01,0\n0,0,0.2,0.01,1\n", ":3: is of world 1, and others of world 0"},
      {"a.txt", head + "0,0,0.1,0.01\n", ": is of no kind that is read"},
      {"a.extxyz", "two\n\n", ":1:1: the number of grains must be a whole number"},
      {"a.extxyz", "2 3\n\n", ":1: must hold the number of grains alone"},
      {"a.extxyz", "99999999999\n\n", ":1: has 99999999999 grains: the limit is"},
      {"a.extxyz", "2\n", ":1: is cut short"},
      {"a.extxyz", "90000000\nProperties=pos:R:3\n0 0 0\n", ":1: is cut short: it has no room for the 90000000 grains"},
      {"a.extxyz", "2\nProperties=pos:R:3:radius:R:1\n0 0 0.1 0.01\n",
       ":1: is cut short: it has no room for the 2 grains"},
      {"a.extxyz", "1\nProperties=pos:R\n0 0 0\n", ":2:12: Properties must consist of NAME:TYPE:COLUMNS"},
      {"a.extxyz", "1\nProperties=pos:R:9999999\n0 0 0\n", ":2:12: Properties has 9999999 columns: allowed is 1000"},
      {"a.extxyz", "1\nLattice=\"1 0 0\" Properties=pos:R:3\n0 0 0\n", ":2:10: Lattice must have 9 values"},
      {"dump.a", "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\n", ":4: is cut short: it lacks ITEM: ATOMS"},
      {"dump.a", "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id xs ys zs\n1 0 0 0\n", ":3: the scaled coordinate xs needs"},
      {"dump.a", "ITEM: UNITS\nmicro\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y z\n0 0 0\n",
       ":2:1: is in units micro, whose unit of time is not 1 s"},
      {"dump.a", "ITEM: UNITS\ncgs\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y z\n0 0 0\n", ":2:1: is in units cgs"},
      {"dump.a", "ITEM: NUMBER OF ATOMS\n3\nITEM: ATOMS x y z\n0 0 0.0000\n0 0 0.1000\n",
       ":5: is cut short: it lacks 1 of 3 atoms"},
      {"data.a", "title\n1 atoms\n\nAtoms # bond\n\n1 1 1 0 0 0\n", ":4: is of atom_style bond: allowed is sphere"},
      {"data.a", "title\n1 atoms\n\nAtoms\n\n1 1 1 0 0 0\n", ":6: has 6 columns in place of 7 or 10"},
      {"data.a", "title\n2 atoms\n\nAtoms\n\n1 1 0.01 1 0 0 0.1\n", ":6: is cut short: it ends after 1 of 2 atoms"},
      {"data.a", "title\n1 atoms\n\nAtoms\n\n1 1 0.01 1 0 0 0.1\n\nVelocities\n\n2 0 0 0 0 0 0\n",
       ":6:1: has an atom 1, which Velocities lacks"},
      {"data.a", "title\n1 atoms\n\nAtoms\n\n1 1 0.01 1 0 0 0.1\n\nVelocities\n\n1 0 0 a 0 0 0\n",
       ":10:7: vz must be a number, not \"a\""},
  };
  for (const Wrong& wrong : all) {
    const std::string error = error_of_file(wrong.name, wrong.content);
    CAPTURE(wrong.name, wrong.content, error);
    CHECK(contains(error, wrong.says));
  }
  CHECK(contains(error_of_file("b.csv", head + "0,0,0.1,0.01\n", "fill.frame = 1\n"),
                 ": has 1 frames, and frame 1 is asked for: allowed is 0 to 0"));
  CHECK(contains(error_of_file("b.csv", head + "0,0,0.1,0.01\n", "radius = 0.1\n"),
                 "radius has no meaning here: fill.file says the radius of each grain"));
  CHECK(contains(error_of_file("b.csv", head + "0,0,0.1,0.01\n", "fill.materials = [\"sand\"]\n"),
                 "fill.materials has no meaning here: the file says no types"));
  CHECK(contains(error_of_file("b.csv", head + "0,0,0.1,0.01\n", "count = 1\n"), "count has no meaning for"));
  CHECK(contains(error_of_file("b.csv", head + "0,0,0.1,0.01\n", "clump = \"pair\"\n"), "clump has no meaning for"));
  CHECK(
      Marked(two_sands + "[[grains]]\nmaterial = \"sand\"\nfill.file = @\"none.csv\"\n").error.find("does not exist") !=
      std::string::npos);
  const Marked scale(two_sands + "[[grains]]\nmaterial = \"sand\"\nradius = 0.1\nfill.points = [[0, 0, 0.1]]\n"
                                 "fill.scale = @2\n");
  CHECK(scale.error.starts_with(scale.place + "grains.0.fill.scale has no meaning here"));
  const Marked no_box("[domain]\nscale = @2\n");
  CHECK(no_box.error.starts_with(no_box.place + "domain.scale has no meaning here"));
}
