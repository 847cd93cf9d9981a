// Checkpoints, exported grains and tables.
#include "engine/io/series.h"
#include "engine/io/table.h"
#include "engine/io/writers.h"
#include "engine/simulation/checkpoint_file.h"
#include "tests/catch.h"
#include "tests/scratch.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#ifndef _WIN32
#include <csignal>
#include <sys/resource.h>
#endif

using namespace talus;
using namespace talus_tests;
namespace fs = std::filesystem;

namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int v : values)
    out.push_back(static_cast<std::byte>(v));
  return out;
}

Checkpoint example() {
  return {.scene_text = "[scene]\ntitle = \"Sand \xc3\xa4\"\n",
          .step = 0x123456789abcdefu,
          .device = "cpu",
          .fields = {{"grains", bytes({0, 255, 1, 254, 10, 13})}, {"empty", {}}, {"ids", bytes({1, 0, 0, 0})}}};
}

// In order, each with a blank behind it.
std::string names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename().string() + ' ');
  std::ranges::sort(names);
  std::string all;
  for (const std::string& name : names)
    all += name;
  return all;
}

std::ptrdiff_t files_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

#ifndef _WIN32
// As long as it lives, files end where a disk of so few bytes would be full.
class FullDisk {
public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit full{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;

private:
  void (*handler_)(int);
  rlimit before_{};
};
#endif

// Why FILE cannot be read; empty when it can.
std::string refusal(const fs::path& file) {
  try {
    read_checkpoint(file);
    return "";
  } catch (const CheckpointError& e) {
    return e.what();
  }
}

std::vector<GrainState> awkward_grains() {
  using Limits = std::numeric_limits<float>;
  std::vector<GrainState> grains;
  auto add = [&](std::uint32_t id, glm::vec3 position, glm::vec3 velocity) {
    grains.push_back({id, position, velocity, 0.1f / 3.0f, id % 3, id % 2, 1e-3f * velocity});
  };
  add(7, {0.1f, -0.0f, 1.0f / 3.0f}, {Limits::max(), Limits::lowest(), Limits::min()});
  add(0, {Limits::denorm_min(), 1e-20f, 16777217.0f}, {0.3f, 1e10f, -2.5e-7f});
  add(4000000000u, {1.0f, 2.0f, 3.0f}, {std::nextafter(1.0f, 2.0f), std::nextafter(0.1f, 0.0f), 0.0f});
  return grains;
}

Points awkward_points(bool spin = false) {
  return grain_points(awkward_grains(), 0.25, {.spin = spin});
}

void require_same(const GrainState& a, const GrainState& b) {
  CHECK(a.id == b.id);
  for (int i = 0; i < 3; ++i) {
    CHECK(std::bit_cast<std::uint32_t>(a.position[i]) == std::bit_cast<std::uint32_t>(b.position[i]));
    CHECK(std::bit_cast<std::uint32_t>(a.velocity[i]) == std::bit_cast<std::uint32_t>(b.velocity[i]));
  }
  CHECK(a.radius == b.radius);
  CHECK(a.material == b.material);
  CHECK(a.world == b.world);
}

}  // namespace

TEST_CASE("a checkpoint comes back as it was written", "[io]") {
  Scratch scratch;
  const Checkpoint written = example();
  write_checkpoint(scratch / "a.talus", written);
  const Checkpoint read = read_checkpoint(scratch / "a.talus");
  CHECK(read.scene_text == written.scene_text);
  CHECK(read.step == written.step);
  CHECK(read.device == written.device);
  CHECK(read.fields == written.fields);
  CHECK(files_in(scratch.path()) == 1);  // no file left beside it
}

TEST_CASE("every damaged byte of a checkpoint is found", "[io]") {
  Scratch scratch;
  const fs::path file = scratch / "a.talus";
  write_checkpoint(file, example());
  const std::string whole = read_text(file);
  REQUIRE(refusal(file).empty());

  for (std::size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      write_text(file, damaged);
      const std::string why = refusal(file);
      CAPTURE(i, bit, why);
      REQUIRE_FALSE(why.empty());
      if (i < 8)  // magic, then version, then the number of blocks, then blocks
        REQUIRE(contains(why, "is not a state saved by Talus"));
      else if (i < 12)
        REQUIRE((contains(why, "newer Talus") || contains(why, "version 0")));
      else
        REQUIRE(contains(why, "damaged"));
    }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_text(file, whole.substr(0, size));
    CAPTURE(size);
    REQUIRE(contains(refusal(file), size < 8 ? "is not a state saved by Talus" : "cut short"));
  }
  write_text(file, whole + "x");
  CHECK(contains(refusal(file), "1 bytes too many"));
  CHECK(contains(refusal(scratch / "missing.talus"), "missing.talus cannot be opened: No such file"));
  CHECK_FALSE(refusal(scratch.path()).empty());
}

TEST_CASE("a checkpoint that cannot be written leaves the old one alone", "[io]") {
  Scratch scratch;
  const Checkpoint old = example();
  write_checkpoint(scratch / "a.talus", old);
  Checkpoint changed = old;
  changed.step = 1;
#ifndef _WIN32
  {
    const FullDisk disk(100);
    CHECK_THROWS_AS(write_checkpoint(scratch / "a.talus", changed), CheckpointError);
  }
#endif
  CHECK(files_in(scratch.path()) == 1);
  CHECK(read_checkpoint(scratch / "a.talus").step == old.step);
  write_checkpoint(scratch / "a.talus", changed);
  CHECK(read_checkpoint(scratch / "a.talus").step == 1);

  fs::create_directories(scratch / "dir/full");  // cannot be replaced by a file
  CHECK_THROWS_AS(write_checkpoint(scratch / "dir", old), CheckpointError);
  CHECK(files_in(scratch.path()) == 2);
  CHECK_THROWS_AS(write_checkpoint(scratch / "nowhere/a.talus", old), CheckpointError);
}

#ifndef _WIN32
TEST_CASE("on a full disk, files stay as they were and tables end with a whole row", "[io]") {
  Scratch scratch;
  write_file(scratch / "report.json", "old");
  Table table(scratch / "table.csv", "time,step");
  table.row("0,0");
  {
    const FullDisk disk(100);
    CHECK_THROWS_AS(write_file(scratch / "report.json", std::string(5000, 'x')), ExportError);
    CHECK_THROWS_AS(write_ply(scratch / "new.ply", awkward_points()), ExportError);
    CHECK_THROWS_AS(table.row(std::string(200, '1')), ExportError);
    // A run that would begin anew finds out before the old table is gone.
    CHECK_THROWS_AS(Table(scratch / "table.csv", std::string(200, 'h')), ExportError);
  }
  CHECK(read_text(scratch / "report.json") == "old");
  CHECK(read_text(scratch / "table.csv") == "time,step\n0,0\n");
  CHECK(files_in(scratch.path()) == 2);
}

TEST_CASE("what a link names is written, and the link stays", "[io]") {
  Scratch scratch;
  fs::create_directory(scratch / "far");
  fs::create_symlink("second", scratch / "first");
  fs::create_symlink("far/file", scratch / "second");  // there is none yet
  for (const std::string text : {"new", "newer"}) {
    write_file(scratch / "first", text);
    CHECK(read_text(scratch / "far/file") == text);
  }
  write_checkpoint(scratch / "first", example());
  CHECK(read_checkpoint(scratch / "far/file").step == example().step);
  CHECK(fs::is_symlink(scratch / "first"));
  CHECK(fs::is_symlink(scratch / "second"));
  CHECK(files_in(scratch / "far") == 1);
  CHECK(files_in(scratch.path()) == 3);

  fs::create_symlink("round", scratch / "round");
  CHECK_THROWS_AS(write_file(scratch / "round", "x"), ExportError);
  fs::create_symlink("none/file", scratch / "nowhere");
  CHECK_THROWS_AS(write_file(scratch / "nowhere", "x"), ExportError);
  CHECK(fs::is_symlink(scratch / "nowhere"));
}

TEST_CASE("a file that is replaced keeps its permissions", "[io]") {
  Scratch scratch;
  write_file(scratch / "a", "old");
  const fs::perms own = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(scratch / "a", own);
  write_file(scratch / "a", "new");
  CHECK(read_text(scratch / "a") == "new");
  CHECK(fs::status(scratch / "a").permissions() == own);
}
#endif

TEST_CASE("csv holds every grain exactly, sorted by id", "[io]") {
  Scratch scratch;
  std::vector<GrainState> grains = awkward_grains();
  write_csv(scratch / "a.csv", awkward_points());
  std::ranges::sort(grains, {}, &GrainState::id);

  const std::vector<std::string> lines = split(read_text(scratch / "a.csv"), '\n');
  REQUIRE(lines.size() == 1 + grains.size());
  CHECK(lines[0] == "id,x,y,z,vx,vy,vz,radius,material,world");
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i + 1], ',');
    REQUIRE(cells.size() == 10);
    auto real = [&](std::size_t n) { return std::strtof(cells[n].c_str(), nullptr); };
    auto whole = [&](std::size_t n) { return static_cast<std::uint32_t>(std::stoul(cells[n])); };
    require_same({whole(0), {real(1), real(2), real(3)}, {real(4), real(5), real(6)}, real(7), whole(8), whole(9)},
                 grains[i]);
  }

  write_csv(scratch / "none.csv", grain_points({}, 0.0, {}));
  CHECK(read_text(scratch / "none.csv") == "id,x,y,z,vx,vy,vz,radius,material,world\n");
  CHECK_THROWS_AS(write_csv(scratch / "nowhere/a.csv", awkward_points()), ExportError);
}

TEST_CASE("files hold the spins of grains that rotate", "[io][rotation]") {
  Scratch scratch;
  std::vector<GrainState> grains = awkward_grains();
  write_csv(scratch / "a.csv", awkward_points(true));
  write_ply(scratch / "a.ply", awkward_points(true));
  write_extxyz(scratch / "a.extxyz", awkward_points(true), {.materials = std::vector<Material>(3)});
  std::ranges::sort(grains, {}, &GrainState::id);
  const std::vector<std::string> table = split(read_text(scratch / "a.csv"), '\n'),
                                 atoms = split(read_text(scratch / "a.extxyz"), '\n');
  const std::string ply = read_text(scratch / "a.ply"), end = "property uint world\nproperty float wx\n"
                                                              "property float wy\nproperty float wz\nend_header\n";
  REQUIRE(table[0] == "id,x,y,z,vx,vy,vz,radius,material,world,wx,wy,wz");
  REQUIRE(contains(atoms[1], ":world:I:1:angular_velocity:R:3 Time="));
  REQUIRE(contains(ply, end));
  const char* rows = ply.data() + ply.find(end) + end.size();
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const std::vector<std::string> cells = split(table[i + 1], ','), words = split(atoms[i + 2], ' ');
    REQUIRE(cells.size() == 13);
    REQUIRE(words.size() == 14);
    glm::vec3 spin;
    std::memcpy(&spin, rows + 52 * i + 40, 12);
    CHECK(spin == grains[i].spin);
    for (int a = 0; a < 3; ++a) {
      CHECK(std::strtof(cells[10 + static_cast<std::size_t>(a)].c_str(), nullptr) == grains[i].spin[a]);
      CHECK(std::strtof(words[11 + static_cast<std::size_t>(a)].c_str(), nullptr) == grains[i].spin[a]);
    }
  }
}

TEST_CASE("ply holds every grain exactly, sorted by id", "[io]") {
  Scratch scratch;
  std::vector<GrainState> grains = awkward_grains();
  write_ply(scratch / "a.ply", awkward_points());
  std::ranges::sort(grains, {}, &GrainState::id);

  const std::string text = read_text(scratch / "a.ply");
  const std::string end = "end_header\n";
  const std::size_t data = text.find(end) + end.size();
  const std::string header = text.substr(0, data);
  CHECK(header.starts_with("ply\nformat binary_little_endian 1.0\ncomment Talus, SI units\ncomment time 0.25 s\n"));
  CHECK(contains(header, "\nelement vertex 3\n"));
  CHECK(contains(header, "\nproperty uint id\nproperty float x\nproperty float y\nproperty float z\nproperty float vx\n"
                         "property float vy\nproperty float vz\nproperty float radius\nproperty uint material\n"
                         "property uint world\nend_header\n"));
  constexpr std::size_t row = 40;
  REQUIRE(text.size() == data + row * grains.size());
  for (std::size_t i = 0; i < grains.size(); ++i) {
    const char* at = text.data() + data + row * i;
    GrainState g;
    std::memcpy(&g.id, at, 4);
    std::memcpy(&g.position, at + 4, 12);
    std::memcpy(&g.velocity, at + 16, 12);
    std::memcpy(&g.radius, at + 28, 4);
    std::memcpy(&g.material, at + 32, 4);
    std::memcpy(&g.world, at + 36, 4);
    require_same(g, grains[i]);
  }
}

TEST_CASE("a series has a numbered file per time, and an index with the times", "[io]") {
  Scratch scratch;
  const fs::path dir = scratch / "deep/er";
  Scene scene = parse_scene(R"([[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.1
fill.points = [[0, 0, 1], [0.5, 0, 1]]
)",
                            "two.toml");
  Simulation simulation(scene, {.device = "cpu"});
  {
    Series series(dir, Format::csv, scene);
    series.add(simulation);
    for (int i = 0; i < 2; ++i) {
      simulation.advance(10);
      series.add(simulation);
    }
    series.finish();
  }
  CHECK(names_in(dir) == "grains_00000.csv grains_00001.csv grains_00002.csv index.csv ");
  CHECK(read_text(dir / "index.csv") == "file,time,step,grains\n"
                                        "grains_00000.csv,0,0,2\n"
                                        "grains_00001.csv,0.04,10,2\n"
                                        "grains_00002.csv,0.08,20,2\n");
  {  // a run that goes on from step 20 keeps what was before
    Series series(dir, Format::ply, scene, 20);
    series.add(simulation);
  }
  CHECK(read_text(dir / "index.csv") == "file,time,step,grains\n"
                                        "grains_00000.csv,0,0,2\n"
                                        "grains_00001.csv,0.04,10,2\n"
                                        "grains_00002.ply,0.08,20,2\n");
  Series(dir, Format::csv, scene);  // one that starts anew keeps nothing
  CHECK(read_text(dir / "index.csv") == "file,time,step,grains\n");

  write_text(scratch / "file", "");
  CHECK_THROWS_AS(Series(scratch / "file/dir", Format::csv, scene), ExportError);
}

TEST_CASE("bodies are exported as moving meshes or as meshes and poses", "[io][bodies]") {
  Scratch scratch;
  const Scene scene = parse_scene(R"([domain]
x = "open"
[[body]]
name = "floor"
plane = {}
[[body]]
name = "the blade"
box = { size = [0.2, 0.4, 0.6] }
position = [0, 0, 1]
keyframes = [{ time = 0.02, position = [0, 0, 0] }, { time = 0.08, position = [0.06, 0, 0] }]
interpolation = "linear"
[[body]]
name = "wheel"
cylinder = { radius = 0.1, height = 0.1 }
position = [0, 0.5, 1]
keyframes = [{ time = 0.04, rotation = [0, 0, 0] }, { time = 0.08, rotation = [0, 0, 90] }]
interpolation = "linear"
[[body]]
name = "ghost"
sphere = { radius = 0.1 }
velocity = [0, 0, 1]
show = "hidden"
)",
                                  "bodies.toml");
  const auto run = [&](const fs::path& dir, Format format) {
    Simulation simulation(scene, {.device = "cpu"});
    Series series(dir, format, scene);
    series.add(simulation);
    for (int i = 0; i < 3; ++i) {
      simulation.advance(5);
      series.add(simulation);
    }
  };
  const auto rows = [](const fs::path& file, std::size_t columns) {
    std::vector<std::string> out;
    for (const std::string& line : split(read_text(file), '\n')) {
      const std::vector<std::string> cells = split(line, ',');
      REQUIRE(cells.size() >= columns);
      std::string& row = out.emplace_back();
      for (std::size_t c = 0; c < columns; ++c)
        row += (c > 0 ? "," : "") + cells[c];
    }
    return out;
  };

  run(scratch / "csv", Format::csv);
  CHECK(names_in(scratch / "csv") == "bodies.csv body_floor.ply body_the_blade.ply body_wheel.ply grains_00000.csv "
                                     "grains_00001.csv grains_00002.csv grains_00003.csv index.csv ");
  const std::vector<std::string> poses = rows(scratch / "csv/bodies.csv", 11);
  REQUIRE(poses.size() == 17);  // the hidden one too
  CHECK(poses[0] == "time,step,world,body,x,y,z,qx,qy,qz,qw");
  CHECK(poses[2] == "0,0,0,the blade,0,0,1,0,0,0,1");
  CHECK(poses[13] == "0.06,15,0,floor,0,0,0,0,0,0,1");
  REQUIRE(poses[14].starts_with("0.06,15,0,the blade,"));
  CHECK(std::stod(split(poses[14], ',')[4]) == Approx(0.04));
  CHECK(poses[15].starts_with("0.06,15,0,wheel,0,0.5,1,0,0,0.38"));       // sin(45 degrees / 2)
  const Mesh blade = load_mesh(scratch / "csv/body_the_blade.ply").mesh;  // in its own frame, whatever it did
  CHECK(bounds(blade).min == glm::dvec3(glm::vec3(-0.1, -0.2, -0.3)));
  CHECK(bounds(blade).max == glm::dvec3(glm::vec3(0.1, 0.2, 0.3)));

  run(scratch / "vtp", Format::vtp);
  CHECK(names_in(scratch / "vtp") ==
        "bodies.csv bodies.pvd bodies_00000.vtp bodies_00002.vtp bodies_00003.vtp bodies_still_00002.vtp "
        "bodies_still_00003.vtp grains.pvd grains_00000.vtp grains_00001.vtp grains_00002.vtp grains_00003.vtp "
        "index.csv index_bodies.csv ");
  CHECK(read_text(scratch / "vtp/bodies.csv") == read_text(scratch / "csv/bodies.csv"));
  CHECK(read_text(scratch / "vtp/index_bodies.csv") == "file,time,step,bodies\n"
                                                       "bodies_00000.vtp,0,0,3\n"
                                                       "bodies_00000.vtp,0.02,5,3\n"  // nothing has moved yet
                                                       "bodies_00002.vtp,0.04,10,1\n"
                                                       "bodies_still_00002.vtp,0.04,10,2\n"
                                                       "bodies_00003.vtp,0.06,15,2\n"
                                                       "bodies_still_00003.vtp,0.06,15,1\n");
  CHECK(contains(read_text(scratch / "vtp/bodies.pvd"),
                 "<DataSet timestep=\"0.06\" group=\"\" part=\"0\" file=\"bodies_00003.vtp\"/>\n"
                 "<DataSet timestep=\"0.06\" group=\"\" part=\"1\" file=\"bodies_still_00003.vtp\"/>\n"));
}

TEST_CASE("a table does not take over rows of another kind of table", "[io]") {
  Scratch scratch;
  write_text(scratch / "a.csv", "step,other\n1,2\n");
  Table(scratch / "a.csv", "time,step", 5).row("1,5");
  CHECK(read_text(scratch / "a.csv") == "time,step\n1,5\n");
  write_text(scratch / "a.csv", "time,step\n0.5,4\n0.6,5\n");
  Table(scratch / "a.csv", "time,step", 5).row("9,5");
  CHECK(read_text(scratch / "a.csv") == "time,step\n0.5,4\n9,5\n");
  write_text(scratch / "a.csv", "time,step\n0.5,3\n0.6,4");  // its last row was cut short
  Table(scratch / "a.csv", "time,step", 5).row("9,5");
  CHECK(read_text(scratch / "a.csv") == "time,step\n0.5,3\n9,5\n");
}

TEST_CASE("formats that are not there are refused by name", "[io]") {
  CHECK(parse_format("csv") == Format::csv);
  CHECK(parse_format("extxyz") == Format::extxyz);
  CHECK(name_of(Format::vtp) == "vtp");
  for (const char* name : {"vtk", "obj", "", "CSV"}) {
    CAPTURE(name);
    CHECK_THROWS_WITH(parse_format(name),
                      "unknown format '" + std::string(name) + "'; use csv, ply, vtp, extxyz, gsd, usda or vtkhdf");
  }
}

TEST_CASE("every format goes on where a resumed run begins", "[io]") {
  Scratch scratch;
  Scene scene = parse_scene(R"([[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.1
fill.points = [[0, 0, 1], [0.5, 0, 1]]
[[body]]
name = "the blade"
box = { size = [0.2, 0.4, 0.6] }
position = [-0.5, 0, 1]
velocity = [0.1, 0, 0]
)",
                            "two.toml");
  for (const Format format : {Format::csv, Format::vtp, Format::gsd, Format::usda, Format::vtkhdf}) {
    CAPTURE(name_of(format));
    Simulation simulation(scene, {.device = "cpu"});
    const auto run = [&](const fs::path& dir, int first, int end, std::uint64_t keep_before) {
      Series series(dir, format, scene, keep_before, {.contacts = true});
      for (int i = first; i < end; ++i) {
        if (i > 0)
          simulation.advance(5);
        series.add(simulation);
      }
      series.finish();
    };
    simulation.save(scratch / "start.talus");
    run(scratch / "whole", 0, 5, 0);
    simulation.resume(scratch / "start.talus");
    run(scratch / "parts", 0, 3, 0);
    simulation.save(scratch / "middle.talus");
    run(scratch / "parts", 3, 5, 11);  // states that are lost with what follows
    simulation.resume(scratch / "middle.talus");
    run(scratch / "parts", 3, 5, 11);
    CHECK(names_in(scratch / "parts") == names_in(scratch / "whole"));
    CHECK(read_text(scratch / "parts/index.csv") == read_text(scratch / "whole/index.csv"));
    CHECK(read_text(scratch / "parts/bodies.csv") == read_text(scratch / "whole/bodies.csv"));
    if (format == Format::usda)
      for (const char* file : {"scene.usda", "manifest.usda", "body_the_blade.usda", "grains_00004.usda"})
        CHECK(read_text(scratch / "parts" / file) == read_text(scratch / "whole" / file));
    fs::remove_all(scratch / "parts");
    fs::remove_all(scratch / "whole");
  }
}

TEST_CASE("a state that cannot be written is told, and no later one is", "[io]") {
  Scratch scratch;
  const Scene scene = parse_scene("[scene]\ntitle = \"empty\"\n", "empty.toml");
  Simulation simulation(scene, {.device = "cpu"});
  Series series(scratch / "out", Format::vtp, scene);
  series.add(simulation);
  series.finish();
  fs::create_directories(scratch / "out/grains_00001.vtp/full");  // no file can take its place
  series.add(simulation);
  CHECK_THROWS_AS(series.finish(), ExportError);
  CHECK_FALSE(fs::exists(scratch / "out/grains_00002.vtp"));
}
