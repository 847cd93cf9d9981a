// The program `talus` as its users and their scripts see it: options, exit statuses, error texts and files.
#include "engine/scene/text.h"
#include "engine/simulation/checkpoint_file.h"
#include "shaders/shared/types.h"
#include "tests/catch.h"
#include "tests/scratch.h"
#include "viewer/inputs.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#ifndef _WIN32
#include <sys/wait.h>
#endif

using namespace talus_tests;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

const std::string pile = R"(
[scene]
title = "A few grains"
seed = 7
[time]
dt = 0.004
end = 0.2
[domain]
min = [-0.2, -0.2, 0.0]
max = [0.2, 0.2, 1.0]
[solver]
method = "p2"
iterations = 4
substeps = 2
[[material]]
name = "sand"
density = 1600.0
rolling_friction = 0.1
[[material]]
name = "gravel"
density = 2600.0
[[grains]]
material = "gravel"
radius = 0.03
fill.points = [[0.0, 0.0, 0.5], [0.01, 0.0, 0.6]]
[[grains]]
material = "sand"
radius = [0.015, 0.02]
fill.box = { min = [-0.15, -0.15, 0.05], max = [0.15, 0.15, 0.3] }
)";

// A scratch directory with scenes in it, which the program runs in.
class Shell {
public:
  Shell() { write_text(scratch / "pile.toml", pile); }

  struct Result {
    int status;
    std::string out, err;
  };
  // arguments as in a shell; before: what goes in front of the program, such as environment variables
  Result talus(const std::string& arguments, const std::string& before = "") {
    return shell(before + " \"" TALUS_PROGRAM "\" " + arguments);
  }
  Result shell(const std::string& command) {
    const fs::path out = scratch / "stdout", err = scratch / "stderr";
    const std::string line = "cd \"" + scratch.path().string() + "\" && ( " + command + " ) >\"" + out.string() +
                             "\" 2>\"" + err.string() + "\"";
    const int code = std::system(line.c_str());
#ifdef _WIN32
    const int status = code;
#else
    const int status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
#endif
    return {status, read_text(out), read_text(err)};
  }
  json report(const std::string& name) {
    return json::parse(read_text(scratch / name));
  }

  Scratch scratch;
};

// The run must have gone well, and says why where it did not.
void require_done(const Shell::Result& result) {
  CAPTURE(result.out, result.err);
  REQUIRE(result.status == 0);
  CHECK(result.err == "");
}

void check_refused(const Shell::Result& result, int status, const std::string& message) {
  CAPTURE(result.status, result.out, result.err, message);
  CHECK(result.status == status);
  CHECK(contains("\n" + result.err, "\nerror: "));
  CHECK(contains(result.err, message));
}

using Row = std::map<std::string, double>;
std::vector<Row> read_csv(const fs::path& file) {
  const std::vector<std::string> lines = split(read_text(file), '\n');
  REQUIRE_FALSE(lines.empty());
  const std::vector<std::string> names = split(lines[0], ',');
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = split(lines[i], ',');
    REQUIRE(cells.size() == names.size());
    Row row;
    for (std::size_t c = 0; c < cells.size(); ++c)
      row[names[c]] = std::strtod(cells[c].c_str(), nullptr);
    rows.push_back(row);
  }
  return rows;
}

// Width and height of a PNG file; 0, 0 if it is none.
std::pair<int, int> png_size(const fs::path& file) {
  const std::string data = read_text(file);
  if (data.size() < 24 || data.substr(0, 8) != "\x89PNG\r\n\x1a\n")
    return {0, 0};
  auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      value = value << 8 | static_cast<unsigned char>(data[i]);
    return value;
  };
  return {number(16), number(20)};
}

// The device that the [device] tests run on.
std::string test_device() {
  const char* device = std::getenv("TALUS_TEST_DEVICE");
  return device ? device : "0";
}

const std::string no_vulkan = "VK_ICD_FILENAMES=/nonexistent.json VK_DRIVER_FILES=/nonexistent.json";

}  // namespace

TEST_CASE("usage errors end with 2 and a sentence", "[cli]") {
  Shell shell;
  check_refused(shell.talus(""), 2, "subcommand is required");
  check_refused(shell.talus("walk pile.toml"), 2,
                "walk is not a command of talus; the commands are run, render, devices");
  check_refused(shell.talus("runn pile.toml"), 2, "did you mean run?");
  check_refused(shell.talus("run pile.toml --stepz=5"), 2, "did you mean --steps?");
  check_refused(shell.talus("check pile.toml --sett a.b=1"), 2, "did you mean --set?");
  check_refused(shell.talus("run"), 2, "give a scene file, or --replay FILE");
  check_refused(shell.talus("run pile.toml --fast"), 2, "--fast");
  check_refused(shell.talus("run pile.toml --time 1 --steps 5"), 2, "excludes");
  check_refused(shell.talus("run pile.toml --time -1"), 2, "'-1' is not a number from 0 on");
  check_refused(shell.talus("run pile.toml --time nan"), 2, "'nan' is not a number from 0 on");
  check_refused(shell.talus("run pile.toml --steps -5"), 2, "--steps");
  check_refused(shell.talus("run pile.toml --steps many"), 2, "--steps");
  check_refused(shell.talus("run pile.toml --seed x"), 2, "--seed");
  check_refused(shell.talus("run pile.toml --threads -1"), 2, "--threads");
  check_refused(shell.talus("run pile.toml --format csv"), 2, "--out");
  check_refused(shell.talus("run pile.toml --every 0.1"), 2, "--out");
  check_refused(shell.talus("run pile.toml --metrics-every 0.1"), 2, "--metrics");
  check_refused(shell.talus("run pile.toml --out o --format obj"), 2,
                "unknown format 'obj'; use csv, ply, vtp, extxyz, gsd, usda or vtkhdf");
  check_refused(shell.talus("render pile.toml"), 2, "--out is required");
  check_refused(shell.talus("render pile.toml --out o --size 1280"), 2, "1280x720");
  check_refused(shell.talus("render pile.toml --out o --size 1280x720x3"), 2, "1280x720");
  check_refused(shell.talus("render pile.toml --out o --size 0x720"), 2, "1280x720");
  check_refused(shell.talus("render pile.toml --out o --fps 0"), 2, "--fps");
  check_refused(shell.talus("check"), 2, "SCENE is required");
  CHECK_FALSE(fs::exists(shell.scratch / "o"));
}

TEST_CASE("view without a display ends with 3 and says what to do", "[cli]") {
  Shell shell;
  const std::string no_display = "env -u DISPLAY -u WAYLAND_DISPLAY";
  if (!TALUS_HAS_VIEWER) {
    check_refused(shell.talus("view pile.toml", no_display), 2, "TALUS_BUILD_VIEWER is off");
    return;
  }
  for (const char* view : {"view", "view pile.toml", "view --device cpu pile.toml"}) {
    CAPTURE(view);
    const auto result = shell.talus(view, no_display);
    check_refused(result, 3, "no window can be opened: ");
    CHECK(contains(result.err, "`talus render` draws pictures and videos without a window"));
    CHECK(split(result.err, '\n').size() == 1);
  }
  check_refused(shell.talus("view --size 100x100", no_display), 2, "--size 100x100");
  check_refused(shell.talus("view --fast", no_display), 2, "talus view --help");
  require_done(shell.talus("view --help", no_display));
}

TEST_CASE("fit is handed to Python, or says what to install", "[cli]") {
  Shell shell;
  const std::string install = "pip install './python[fit]'";
  check_refused(shell.talus("fit data.toml", "env PATH=/nonexistent"), 2, install);
#ifndef _WIN32
  // A Python that says what it was given.
  fs::create_directory(shell.scratch / "bin");
  write_text(shell.scratch / "bin" / "python3", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
  fs::permissions(shell.scratch / "bin" / "python3", fs::perms::owner_all);
  const auto handed = shell.talus("fit data.toml -o material.toml --help", "env PATH=bin:/usr/bin:/bin");
  CHECK(handed.status == 0);
  CHECK(contains(handed.out, "-c\n"));
  CHECK(contains(handed.out, "data.toml\n-o\nmaterial.toml\n--help\n"));
  CHECK(contains(handed.out, "from talus.__main__ import main"));
  CHECK(contains(handed.out, install));
#endif
}

TEST_CASE("outputs that cannot be written are refused before the simulation", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "file", "");
  for (const char* option : {"--report", "--metrics", "--save"}) {
    CAPTURE(option);
    // A run of 1e6 s would not end.
    check_refused(shell.talus(std::string("run pile.toml --device cpu --time 1e6 ") + option + " file/x"), 2, "file");
    check_refused(shell.talus(std::string("run pile.toml --device cpu --time 1e6 ") + option + " ."), 2,
                  "cannot be written");
  }
  check_refused(shell.talus("run pile.toml --device cpu --time 1e6 --out file"), 2, "file");
  CHECK(fs::exists(shell.scratch / "file"));
}

#ifndef _WIN32
TEST_CASE("links are followed and kept", "[cli]") {
  Shell shell;
  for (const char* name : {"report", "metrics", "save"})
    fs::create_symlink(std::string("far/") + name, shell.scratch / name);
  fs::create_directory(shell.scratch / "far");
  require_done(shell.talus("run pile.toml --device cpu --steps 2 --report report --metrics metrics --save save"));
  for (const char* name : {"report", "metrics", "save"}) {
    CAPTURE(name);
    CHECK(fs::is_symlink(shell.scratch / name));
    CHECK(fs::file_size(shell.scratch / "far" / name) > 100);
  }
  CHECK(std::distance(fs::directory_iterator(shell.scratch / "far"), {}) == 3);
}

TEST_CASE("what cannot be written at the end leaves the old files, and the state is rescued", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "r.json", "old");
  // 512 bytes at most: neither report nor state fit.
  const std::string full = "ulimit -f 1; export TMPDIR=/nonexistent; \"" TALUS_PROGRAM "\" ";
  const std::string run = "run pile.toml --device cpu --steps 2 --report r.json";
  check_refused(shell.shell(full + run), 2, "r.json cannot be written: File too large");
  CHECK(read_text(shell.scratch / "r.json") == "old");
  CHECK_FALSE(fs::exists(shell.scratch / "pile.crash.talus"));

  const auto lost = shell.talus("run pile.toml --device cpu --steps 2 --report /dev/full");
  check_refused(lost, 2, "/dev/full cannot be written: No space left on device");
  CHECK(contains(lost.out, "done: 2 steps"));
  CHECK(contains(lost.err, "step 2 (0.008 s), is saved in pile.crash.talus"));
  require_done(shell.talus("run pile.toml --device cpu --steps 3 --resume pile.crash.talus"));
  CHECK(std::distance(fs::directory_iterator(shell.scratch.path()), {}) == 5);  // and the two of the shell
  // Where the state itself is saved, that will do.
  const auto saved = shell.talus("run pile.toml --device cpu --steps 2 --save s.talus --report /dev/full");
  CHECK_FALSE(contains(saved.err, "last valid state"));
  CHECK(fs::exists(shell.scratch / "s.talus"));
}
#endif

TEST_CASE("the version says what was built, and with what", "[cli]") {
  Shell shell;
  const auto result = shell.talus("--version");
  require_done(result);
  const std::vector<std::string> lines = split(result.out, '\n');
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("talus "));
  CHECK(lines[0].find_first_not_of("0123456789.", 6) == std::string::npos);
  CHECK(lines[1].starts_with("commit "));
  CHECK(lines[2].starts_with("Vulkan headers 1."));
  CHECK(lines[3].starts_with("compiler "));
}

TEST_CASE("a run to time 0 writes the start", "[cli]") {
  Shell shell;
  for (const std::string end : {"--time 0", "--steps 0"}) {
    CAPTURE(end);
    require_done(
        shell.talus("run pile.toml --device cpu --out o --report r.json --metrics m.csv --save s.talus " + end));
    CHECK(shell.report("r.json")["steps"] == 0);
    CHECK(read_csv(shell.scratch / "m.csv").size() == 1);
    CHECK(read_csv(shell.scratch / "o/grains_00000.csv").size() == shell.report("r.json")["grains"]);
    CHECK(talus::read_checkpoint(shell.scratch / "s.talus").step == 0);
    for (const char* name : {"r.json", "m.csv", "s.talus"})
      fs::remove(shell.scratch / name);
    fs::remove_all(shell.scratch / "o");
  }
}

TEST_CASE("outputs that are one file are refused before the run", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "s.talus", "old");
  fs::create_directory(shell.scratch / "d");
#ifndef _WIN32
  fs::create_symlink("s.talus", shell.scratch / "link");
  fs::create_symlink("../s.talus", shell.scratch / "d/link");
  const std::vector<std::string> others{"s.talus", "./s.talus", "d/../s.talus", "link", "d/link"};
#else
  const std::vector<std::string> others{"s.talus", "./s.talus", "d/../s.talus"};
#endif
  // A run of 1e6 s would not end.
  const std::string run = "run pile.toml --device cpu --time 1e6 ";
  for (const std::string& other : others)
    check_refused(shell.talus(run + "--save s.talus --report " + other), 2, "--report and --save are the same file");
  check_refused(shell.talus(run + "--metrics new/m --report new/../new/m"), 2,
                "--report and --metrics are the same file");
  check_refused(shell.talus(run + "--report pile.toml"), 2, "the scene and --report are the same file");
  check_refused(shell.talus(run + "--resume s.talus --metrics s.talus"), 2, "--resume and --metrics are the same file");
  check_refused(shell.talus(run + "--out o --metrics o/index.csv"), 2, "among the files that --out writes");
  CHECK(read_text(shell.scratch / "s.talus") == "old");
  CHECK(read_text(shell.scratch / "pile.toml") == pile);
  // A state may take the place of the one that the run went on from, and a device takes anything.
  require_done(shell.talus("run pile.toml --device cpu --steps 1 --save s.talus"));
  require_done(shell.talus("run pile.toml --device cpu --steps 2 --resume s.talus --save s.talus"));
  CHECK(talus::read_checkpoint(shell.scratch / "s.talus").step == 2);
#ifndef _WIN32
  require_done(shell.talus("run pile.toml --device cpu --steps 1 --report /dev/null --metrics /dev/null"));
#endif
}

#ifndef _WIN32
TEST_CASE("output that nothing takes is an error", "[cli]") {
  Shell shell;
  for (const std::string verb : {"check pile.toml", "devices", "devices --json", "--version", "run --help",
                                 "run pile.toml --device cpu --steps 2 --report r.json"}) {
    CAPTURE(verb);
    check_refused(shell.talus(verb + " > /dev/full", no_vulkan), 2, "the output cannot be written");
  }
  CHECK(contains(shell.talus("check pile.toml > /dev/full").err, "No space left on device"));
  CHECK(shell.report("r.json")["steps"] == 2);  // which does not end a run
}

TEST_CASE("progress on a terminal says how much is left", "[cli]") {
  Shell shell;
  const auto result = shell.shell("script -qec '\"" TALUS_PROGRAM "\" run pile.toml --device cpu' /dev/null");
  CAPTURE(result.out);
  REQUIRE(result.status == 0);
  CHECK(contains(result.out, "of 0.200 s, "));
  CHECK(contains(result.out, " s left"));
}
#endif

TEST_CASE("text of scenes and meshes does not drive the terminal", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "esc.obj", "v 0 0 0\nv \x1b[31mRED\x1b[0m 0 0\nv 1 1 0\nf 1 2 3\n");
  write_text(shell.scratch / "esc.toml", pile + "[[body]]\nname = \"b\"\nmaterial = \"sand\"\n"
                                                "mesh = { file = \"esc.obj\", as = \"particles\" }\n");
  check_refused(shell.talus("check esc.toml"), 2, "\"\\x1b[31mRED\\x1b[0m\" is not a number");
  for (const std::string& bad :
       {std::string("\\u001b]0;title\\u0007"), std::string("\\u009b2J"), std::string("a\\rb")}) {
    write_text(shell.scratch / "title.toml", pile + "[[body]]\nname = \"" + bad + "\"\nmaterial = \"none\"\n");
    const auto result = shell.talus("check title.toml");
    const auto method = shell.talus("check pile.toml --set 'solver.method=\"" + bad + "\"'");
    for (const std::string& text : {result.err, method.err}) {
      CAPTURE(text);
      for (const char* control : {"\x1b", "\x07", "\r", "\x9b"})
        CHECK_FALSE(contains(text, control));
    }
    CHECK(contains(method.err, "\\x"));
  }
  // Characters that control nothing are printed as they are.
  CHECK(contains(shell.talus("check pile.toml --set solver.method=\"\\\"\u00e4\u2192\\\"\"").err, "\u00e4\u2192"));
}

TEST_CASE("help is no error", "[cli]") {
  Shell shell;
  for (const char* verb : {"", "run", "render", "devices", "check", "graph"}) {
    const auto result = shell.talus(std::string(verb) + " --help");
    CAPTURE(verb);
    require_done(result);
    CHECK(contains(result.out, "Usage"));
  }
  const std::string run = shell.talus("run --help").out;
  for (const char* option :
       {"--device", "--time", "--steps", "--set", "--seed", "--report", "--metrics", "--metrics-every", "--out",
        "--format", "--every", "--save", "--resume", "--replay", "--verify", "--threads"}) {
    CAPTURE(option);
    CHECK(contains(run, option));
  }
}

TEST_CASE("scene errors end with 2 and name file, line and column", "[cli]") {
  Shell shell;
  std::string wrong = pile;
  wrong.replace(wrong.find("density = 1600.0"), 16, "densitty = 1600.0");
  write_text(shell.scratch / "wrong.toml", wrong);
  const auto line =
      1 + std::count(wrong.begin(), wrong.begin() + static_cast<std::ptrdiff_t>(wrong.find("densitty")), '\n');
  for (const char* verb : {"run --device cpu", "check", "graph --device cpu"}) {
    CAPTURE(verb);
    const auto result = shell.talus(std::string(verb) + " wrong.toml");
    check_refused(result, 2, "densitty");
    CHECK(result.err.starts_with("error: wrong.toml:" + std::to_string(line) + ":"));
  }
  check_refused(shell.talus("run --device cpu missing.toml"), 2, "missing.toml");
  check_refused(shell.talus("run --device cpu pile.toml --set solver.nothing=1"), 2, "nothing");
}

TEST_CASE("check looks at every file", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "wrong.toml", "[scene]\ntitle = 3\n");
  auto result = shell.talus("check pile.toml pile.toml");
  require_done(result);
  const std::vector<std::string> lines = split(result.out, '\n');
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == lines[1]);
  CHECK(lines[0].starts_with("ok: pile.toml: "));
  CHECK(lines[0].ends_with(" grains"));

  result = shell.talus("check wrong.toml pile.toml missing.toml");
  CHECK(result.status == 2);
  CHECK(result.out == lines[0] + "\n");
  CHECK(contains(result.err, "error: wrong.toml:2:"));
  CHECK(contains(result.err, "missing.toml"));
  CHECK(split(result.err, '\n').size() == 2);
}

TEST_CASE("notes and warnings about a scene go to stderr", "[cli]") {
  Shell shell;
  const std::string set = " --set solver.substeps=auto --set solver.error_reduction=0.5";
  auto result = shell.talus("check pile.toml" + set);
  CHECK(result.status == 0);
  CHECK(result.out.starts_with("ok: pile.toml: "));
  CHECK(contains(result.err, "note: pile.toml: substeps = "));
  CHECK(contains(result.err, "warning: pile.toml: solver.error_reduction = 0.5"));
  result = shell.talus("run --device cpu pile.toml --steps 1" + set);
  CHECK(result.status == 0);
  CHECK(contains("\n" + result.err, "\nnote: substeps = "));
  CHECK(contains(result.err, "\nwarning: pile.toml: solver.error_reduction = 0.5"));
}

TEST_CASE("a device that is not there ends with 3", "[cli]") {
  Shell shell;
  check_refused(shell.talus("run pile.toml --steps 1 --device nosuchdevice"), 3, "nosuchdevice");
  check_refused(shell.talus("run pile.toml --steps 1 --device 99"), 3, "99");
  check_refused(shell.talus("run pile.toml --steps 1 --device 0", no_vulkan), 3, "");
  check_refused(shell.talus("render pile.toml --steps 1 --device cpu --out o", no_vulkan), 3, "");
}

// Mesa's driver of AMD cards for a card that is not there, before lavapipe: ctest's null_device names both to the
// loader.
TEST_CASE("a device without memory is listed with the reason, and never taken", "[null_device]") {
  Shell shell;
  auto result = shell.talus("devices --json");
  require_done(result);
  const json list = json::parse(result.out);
  REQUIRE(list["devices"].size() == 2);
  const json& null = list["devices"][0];
  CHECK(null["type"] == "discrete GPU");
  CHECK(null["memory_bytes"] == 0);
  CHECK(null["usable"] == false);
  CHECK(null["missing"] == json::array({"It has no memory."}));
  CHECK(list["devices"][1]["usable"] == true);
  CHECK(list["auto"] == "cpu");
  CHECK(contains(shell.talus("devices").out, "cannot be used: It has no memory."));

  require_done(shell.talus("run pile.toml --steps 2 --report auto.json"));
  require_done(shell.talus("run pile.toml --steps 2 --device cpu --report cpu.json"));
  CHECK(shell.report("auto.json")["device"] == shell.report("cpu.json")["device"]);
  require_done(shell.talus("run pile.toml --steps 2 --device llvmpipe --report llvmpipe.json"));
  CHECK(shell.report("llvmpipe.json")["device"]["name"] == list["devices"][1]["name"]);
  require_done(shell.talus("run pile.toml --steps 1 --verify --report verify.json"));
  CHECK(shell.report("verify.json")["device"]["name"] == list["devices"][1]["name"]);
  require_done(shell.talus("render pile.toml --steps 1 --device cpu --size 64x36 --out pictures"));
  check_refused(shell.talus("run pile.toml --steps 1 --device 0"), 3, ") cannot run Talus. It has no memory.");
  check_refused(shell.talus("run pile.toml --steps 1 --device radv"), 3, "It has no memory.");
}

TEST_CASE("a device that fails while it is opened is passed over with a note", "[cli][device]") {
  Shell shell;
  const std::string fails = "TALUS_TEST_LIMITS=unopened";
  const std::string reason = "Opening the device ";
  require_done(shell.talus("run pile.toml --steps 2 --device cpu --report cpu.json"));
  auto result = shell.talus("run pile.toml --steps 2 --report auto.json", fails);
  CAPTURE(result.out, result.err);
  REQUIRE(result.status == 0);
  CHECK(contains("\n" + result.err, "\nnote: Device 0 ("));
  CHECK(contains(result.err, ") is passed over. " + reason));
  CHECK(contains(result.err, " failed: initialization failed.\n"));
  CHECK(shell.report("auto.json")["device"] == shell.report("cpu.json")["device"]);
  CHECK(shell.report("auto.json")["state_hash"] == shell.report("cpu.json")["state_hash"]);
  result = shell.talus("run pile.toml --steps 2 --device " + test_device(), fails);
  check_refused(result, 3, "error: " + reason);
  CHECK(split(result.err, '\n').size() == 1);
}

TEST_CASE("a name of test limits that is not there is an error with those that are", "[cli][device]") {
  Shell shell;
  check_refused(shell.talus("run pile.toml --steps 1 --device 0", "TALUS_TEST_LIMITS=nosuchgpu"), 3,
                "TALUS_TEST_LIMITS is \"nosuchgpu\", and there are intel, mali, adreno, moltenvk, least, unopened.");
}

TEST_CASE("without Vulkan, auto is the CPU path", "[cli]") {
  Shell shell;
  require_done(shell.talus("run pile.toml --steps 2 --report r.json", no_vulkan));
  require_done(shell.talus("run pile.toml --steps 2 --device cpu --report cpu.json", no_vulkan));
  CHECK(shell.report("r.json")["device"] == shell.report("cpu.json")["device"]);
  CHECK(shell.report("r.json")["state_hash"] == shell.report("cpu.json")["state_hash"]);

  const auto result = shell.talus("devices --json", no_vulkan);
  require_done(result);
  const json list = json::parse(result.out);
  CHECK(list["devices"] == json::array());
  CHECK(list["cpu"]["threads"] >= 1);
  CHECK(list["auto"] == "cpu");
  CHECK(contains(shell.talus("devices", no_vulkan).out, "the CPU path"));
}

TEST_CASE("the report is complete and sane", "[cli]") {
  Shell shell;
  require_done(shell.talus("run pile.toml --device cpu --report new/r.json"));
  const json r = shell.report("new/r.json");
  for (const char* key : {"scene",
                          "seed",
                          "device",
                          "method",
                          "iteration",
                          "grains",
                          "fine_grains",
                          "dt",
                          "steps",
                          "simulated_s",
                          "wall_s",
                          "real_time_factor",
                          "particle_steps_per_s",
                          "contacts",
                          "penetration",
                          "kinetic_energy",
                          "passes",
                          "bodies",
                          "memory_bytes",
                          "state_hash",
                          "substeps",
                          "iterations",
                          "rebuilds",
                          "incremental_rebuilds",
                          "cfl_violations",
                          "speed_max",
                          "height"}) {
    CAPTURE(key);
    CHECK(r.contains(key));
  }
  CHECK(r["scene"] == "pile.toml");
  CHECK(r["seed"] == 7);
  for (const char* key : {"name", "driver", "api_version", "type"}) {
    CAPTURE(key);
    CHECK(r["device"][key].is_string());
  }
  CHECK(r["method"] == "p2");
  CHECK(r["iteration"] == "jacobi");
  CHECK(r["iterations"] == 4);
  CHECK(r["substeps"] == 2);
  const std::string checked = shell.talus("check pile.toml").out;
  CHECK(contains(checked, ": " + r["grains"].dump() + " grains"));
  CHECK(r["grains"] > 20);
  CHECK(r["fine_grains"] == 0);
  CHECK(r["dt"] == 0.004);
  CHECK(r["steps"] == 50);
  CHECK(r["simulated_s"].get<double>() == Approx(0.2));
  const double wall = r["wall_s"];
  CHECK(wall > 0.0);
  CHECK(wall < 600.0);
  CHECK(r["real_time_factor"].get<double>() == Approx(0.2 / wall));
  CHECK(r["particle_steps_per_s"].get<double>() == Approx(r["grains"].get<double>() * 50 / wall));
  CHECK(r["contacts"]["mean"] > 0.0);  // the box has come down on the floor
  CHECK(r["contacts"]["max"] >= r["contacts"]["mean"]);
  CHECK(r["penetration"]["mean"] > 0.0);
  CHECK(r["penetration"]["max"] >= r["penetration"]["mean"]);
  CHECK(r["penetration"]["max"] < 1.0);
  CHECK(r["kinetic_energy"] > 0.0);
  CHECK(r["speed_max"] > 0.0);
  CHECK(r["speed_max"] < 9.81 * 0.2 + 0.5);
  CHECK(r["height"] > 0.2);
  CHECK(r["height"] < 0.7);
  CHECK(r["rebuilds"] >= 1);
  REQUIRE_FALSE(r["passes"].empty());
  for (const json& pass : r["passes"]) {
    CHECK_FALSE(pass["name"].get<std::string>().empty());
    CHECK(pass["calls"].is_number_unsigned());
    CHECK(pass["ms"] >= 0.0);
  }
  CHECK(r["bodies"] == json::array());
  CHECK(r["memory_bytes"] > r["grains"].get<int>() * 32);
  const std::string hash = r["state_hash"];
  CHECK(hash.size() == 16);
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("times and overrides reach the run", "[cli]") {
  Shell shell;
  auto report = [&](const std::string& options) {
    require_done(shell.talus("run pile.toml --device cpu --report r.json " + options));
    return shell.report("r.json");
  };
  const json plain = report("--steps 10");
  CHECK(plain["steps"] == 10);
  CHECK(report("--steps 10")["state_hash"] == plain["state_hash"]);
  CHECK(report("--steps 10 --threads 1")["state_hash"] == plain["state_hash"]);
  CHECK(report("--steps 10 --threads 2 --no-timing")["state_hash"] == plain["state_hash"]);
  CHECK(report("--time 0.0401")["state_hash"] == plain["state_hash"]);  // rounded to whole steps
  CHECK(report("--steps 0")["steps"] == 0);

  const json seeded = report("--steps 10 --seed 8");
  CHECK(seeded["seed"] == 8);
  CHECK(seeded["state_hash"] != plain["state_hash"]);
  CHECK(report("--steps 10 --set scene.seed=8")["state_hash"] == seeded["state_hash"]);
  const json set = report("--steps 10 --set time.dt=0.002 --set solver.iterations=7");
  CHECK(set["dt"] == 0.002);
  CHECK(set["iterations"] == 7);
  // --set takes one value, so that a scene may follow it.
  require_done(shell.talus("run --device cpu --steps 1 --set solver.iterations=3 pile.toml --report r.json"));
  CHECK(shell.report("r.json")["iterations"] == 3);
}

TEST_CASE("exported grains are sorted, at the times asked for, and indexed", "[cli]") {
  Shell shell;
  require_done(shell.talus("run pile.toml --device cpu --time 0.05 --out grains --every 0.02 --report r.json"));
  const std::string index = read_text(shell.scratch / "grains/index.csv");
  const std::vector<std::string> rows = split(index, '\n');
  REQUIRE(rows.size() == 5);
  CHECK(rows[0] == "file,time,step,grains");
  const std::string grains = shell.report("r.json")["grains"].dump();
  CHECK(rows[1] == "grains_00000.csv,0,0," + grains);
  CHECK(rows[2].starts_with("grains_00001.csv,0.02,5,"));
  CHECK(rows[3].starts_with("grains_00002.csv,0.04,10,"));
  CHECK(split(rows[4], ',')[2] == std::to_string(shell.report("r.json")["steps"].get<int>()));  // and the end

  const fs::path first = shell.scratch / "grains/grains_00000.csv";
  CHECK(split(read_text(first), '\n')[0] == "id,x,y,z,vx,vy,vz,radius,material,world,wx,wy,wz");
  const std::vector<Row> table = read_csv(first);
  REQUIRE(table.size() == std::stoul(grains));
  for (std::size_t i = 0; i < table.size(); ++i)
    REQUIRE(table[i].at("id") == static_cast<double>(i));
  // The grains of the first group: points, in that order, of the second material.
  CHECK(table[0].at("z") == Approx(0.5));
  CHECK(table[1].at("z") == Approx(0.6));
  CHECK(table[1].at("x") == Approx(0.01));
  CHECK(table[0].at("radius") == Approx(0.03));
  CHECK(table[0].at("material") == 1.0);
  CHECK(table[2].at("material") == 0.0);
  CHECK(table[0].at("world") == 0.0);
  // They fall freely.
  const std::vector<Row> later = read_csv(shell.scratch / "grains/grains_00002.csv");
  CHECK(later[0].at("z") == Approx(0.5 - 0.5 * 9.81 * 0.04 * 0.04).margin(0.001));
  CHECK(later[0].at("vz") == Approx(-9.81 * 0.04).margin(1e-4));

  require_done(shell.talus("run pile.toml --device cpu --steps 3 --out ply --format ply"));
  CHECK(read_text(shell.scratch / "ply/grains_00003.ply").starts_with("ply\nformat binary_little_endian 1.0\n"));
  require_done(shell.talus("run pile.toml --device cpu --steps 3 --out vtp --format vtp"));
  CHECK(contains(read_text(shell.scratch / "vtp/grains_00003.vtp"), ">0.012</DataArray>"));
  CHECK(contains(read_text(shell.scratch / "vtp/grains.pvd"),
                 "<DataSet timestep=\"0.012\" group=\"\" part=\"0\" file=\"grains_00003.vtp\"/>"));
  require_done(shell.talus("run pile.toml --device cpu --steps 3 --out xyz --format extxyz"));
  CHECK(contains(read_text(shell.scratch / "xyz/grains_00003.extxyz"), " Time=0.012\n"));
}

TEST_CASE("cloth is exported as a mesh, or a note says that it is not", "[cli][cloth]") {
  Shell shell;
  write_text(shell.scratch / "cloth.toml",
             pile + "[[cloth]]\nname = \"net\"\nmaterial = \"sand\"\nposition = [0, 0, 0.8]\n"
                    "grid = { size = [0.2, 0.2], cells = [4, 4] }\n");
  auto result = shell.talus("run cloth.toml --device cpu --steps 2 --out csv --format csv --report r.json");
  CHECK(result.status == 0);
  CHECK(contains(result.err, "files of this format leave out cloth"));
  const std::size_t grains = shell.report("r.json")["grains"];
  CHECK(read_csv(shell.scratch / "csv/grains_00002.csv").size() == grains);
  result = shell.talus("run cloth.toml --device cpu --steps 2 --out ply --format ply");
  require_done(result);
  CHECK(!contains(result.err, "cloth is not in"));
  CHECK(contains(read_text(shell.scratch / "ply/cloth_net_00002.ply"), "element face 32\n"));
  CHECK(contains(read_text(shell.scratch / "ply/index_cloth.csv"), "cloth_net_00002.ply,0.008,2,25,32,net\n"));
}

TEST_CASE("metrics have a row per interval", "[cli]") {
  Shell shell;
  require_done(shell.talus("run pile.toml --device cpu --metrics m.csv --metrics-every 0.02 --report r.json"));
  CHECK(split(read_text(shell.scratch / "m.csv"), '\n')[0] ==
        "time,step,grains,contacts_mean,contacts_max,penetration_mean,penetration_max,kinetic_energy,"
        "momentum_x,momentum_y,momentum_z,speed_max,height");
  const std::vector<Row> rows = read_csv(shell.scratch / "m.csv");
  REQUIRE(rows.size() == 11);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].at("step") == static_cast<double>(5 * i));
    CHECK(rows[i].at("time") == Approx(0.02 * static_cast<double>(i)));
  }
  for (std::size_t i = 0; i <= 4; ++i) {  // free fall
    CHECK(rows[i].at("speed_max") == Approx(9.81 * rows[i].at("time")).epsilon(1e-3));
    CHECK(rows[i].at("penetration_max") == 0.0);
  }
  CHECK(rows[1].at("momentum_z") < 0.0);
  const json r = shell.report("r.json");
  CHECK(rows.back().at("kinetic_energy") == Approx(r["kinetic_energy"].get<double>()));
  CHECK(rows.back().at("height") == Approx(r["height"].get<double>()));

  require_done(shell.talus("run pile.toml --device cpu --time 2 --metrics many.csv"));
  CHECK(read_csv(shell.scratch / "many.csv").size() == 101);

  REQUIRE(shell
              .talus("run pile.toml --device cpu --set 'solver={method=\"dem\", substeps=4}' --metrics s.csv "
                     "--report s.json")
              .status == 0);
  CHECK(read_csv(shell.scratch / "s.csv").back().at("awake") == shell.report("s.json")["awake"].get<double>());
}

TEST_CASE("a resumed run is the run that was never interrupted", "[cli]") {
  Shell shell;
  const std::string run = "run pile.toml --device cpu --out o --every 0.02 --metrics m.csv --metrics-every 0.02 ";
  require_done(shell.talus(run + "--steps 37 --report whole.json"));
  const std::string metrics = read_text(shell.scratch / "m.csv"), index = read_text(shell.scratch / "o/index.csv");

  require_done(shell.talus(run + "--steps 15 --save s.talus --report first.json"));
  require_done(shell.talus(run + "--steps 37 --resume s.talus --report second.json"));
  const json whole = shell.report("whole.json"), first = shell.report("first.json"),
             second = shell.report("second.json");
  CHECK(first["state_hash"] != whole["state_hash"]);
  CHECK(second["state_hash"] == whole["state_hash"]);
  CHECK(second["first_step"] == 15);
  CHECK(second["steps"] == 22);
  CHECK(second["time"] == whole["time"]);
  // Tables go on where they stood.
  CHECK(read_text(shell.scratch / "m.csv") == metrics);
  CHECK(read_text(shell.scratch / "o/index.csv") == index);

  check_refused(shell.talus("run pile.toml --device cpu --steps 14 --resume s.talus"), 2, "after the end");
  check_refused(shell.talus("run pile.toml --device cpu --resume missing.talus"), 2, "missing.talus");
  check_refused(shell.talus("run pile.toml --device cpu --resume pile.toml"), 2, "is not a state saved by Talus");
  std::string state = read_text(shell.scratch / "s.talus");
  state[state.size() / 2] = static_cast<char>(state[state.size() / 2] ^ 4);
  write_text(shell.scratch / "damaged.talus", state);
  check_refused(shell.talus("run pile.toml --device cpu --resume damaged.talus"), 2, "checksum");
  // Of another scene.
  check_refused(shell.talus("run pile.toml --device cpu --seed 8 --resume s.talus"), 2, "scene");
}

TEST_CASE("run plays inputs back to the state that they were recorded with", "[cli]") {
  Shell shell;
  const talus::Scene scene = talus::parse_scene(pile, "pile.toml");
  viewer::Inputs inputs{.scene = "pile.toml", .scene_text = talus::to_toml(scene), .end = 30, .device = "CPU"};
  inputs.inputs = {{7, viewer::SetParameter{"domain.gravity.x", 4.0}},
                   {30, viewer::SetParameter{"material.sand.density", 3000.0}}};
  talus::Simulation simulation(scene, {.device = "cpu"});
  simulation.advance(7);
  viewer::act(simulation, inputs.inputs[0].second);
  simulation.advance(23);
  viewer::act(simulation, inputs.inputs[1].second);
  inputs.hash = simulation.state_hash();
  inputs.save(shell.scratch / "inputs.json");
  const std::string replay = "run --replay inputs.json --device cpu --report r.json";
  const auto same = shell.talus(replay);
  require_done(same);
  CHECK(contains(same.out, "bit for bit"));
  CHECK(shell.report("r.json")["state_hash"] == fmt::format("{:016x}", inputs.hash));
  CHECK(shell.report("r.json")["steps"] == 30);

  inputs.inputs.erase(inputs.inputs.begin());
  inputs.save(shell.scratch / "inputs.json");
  const auto other = shell.talus(replay);
  CHECK(other.status == 0);
  CHECK(contains(other.err, "differs"));
  check_refused(shell.talus("run pile.toml --replay inputs.json"), 2, "excludes");
  check_refused(shell.talus("run --replay inputs.json --seed 3"), 2, "excludes");
  check_refused(shell.talus("run --replay nothing.json"), 2, "cannot be read");
}

TEST_CASE("inputs that cannot be end with their place, and the state before them goes on", "[cli]") {
  Shell shell;
  const std::string scene_text = pile + R"(
[[body]]
name = "ball"
sphere = { radius = 0.03 }
density = 2000
position = [0.1, 0.1, 0.7]
)";
  write_text(shell.scratch / "ball.toml", scene_text);
  const auto record = [&](const std::string& scene, const std::string& text, const json& inputs) {
    const json recording{{"scene", scene}, {"device", "CPU"},    {"end", 9},
                         {"hash", "0"},    {"scene_text", text}, {"inputs", inputs}};
    write_text(shell.scratch / "bad.json", recording.dump());
  };
  const std::string run = "run --replay bad.json --device cpu";
  record("ball.toml", scene_text,
         {{{"step", 1}, {"release", true}}, {{"step", 3}, {"drive_joint", "ball"}, {"speed", 1}}});
  check_refused(shell.talus(run), 2, "error: bad.json: inputs[1]: body ball has no joint\n");
  CHECK(talus::read_checkpoint(shell.scratch / "ball.crash.talus").step == 3);
  record("", scene_text, {{{"step", 3}, {"drive_joint", "cube"}, {"speed", 1}}});
  check_refused(shell.talus(run), 2, "bad.json: inputs[0]: the scene has no body cube");
  CHECK(fs::exists(shell.scratch / "bad.crash.talus"));
  CHECK_FALSE(fs::exists(shell.scratch / ".crash.talus"));
  record("ball.toml", "[scene]\nseeed = 1\n", json::array());
  check_refused(shell.talus(run), 2, "error: bad.json: scene_text: ball.toml:2:1: unknown key scene.seeed");

  // A push that no state survives is not in the state that is rescued.
  const std::vector<double> none{0, 0, 0}, wild{1e38, 0, 0};
  record("ball.toml", scene_text, {{{"step", 4}, {"push_body", "ball"}, {"force", wild}, {"torque", none}}});
  const auto invalid = shell.talus(run);
  check_refused(invalid, 5, "the state is that of step 4 again, without what was commanded then");
  CHECK(contains(invalid.err, "note: the last input that was played is bad.json: inputs[0], of step 4"));
  CHECK(shell.talus("run ball.toml --device cpu --steps 9 --resume ball.crash.talus").status == 0);
}

TEST_CASE("an invalid state ends with 5 and the last valid one is saved", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "wild.toml", R"(
[time]
dt = 0.01
end = 100
[domain]
min = [-1, -1, -1]
max = [1, 1, 1]
x = "open"
y = "open"
z = "open"
gravity = [0, 0, 0]
[solver]
substeps = 1
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.01
fill.points = [[0, 0, 0]]
)");
  // A speed that no scene file may ask for: its square is out of the range of floats.
  require_done(shell.talus("run wild.toml --device cpu --steps 1 --save wild.talus"));
  talus::Checkpoint state = talus::read_checkpoint(shell.scratch / "wild.talus");
  std::vector<std::byte>& grains = state.fields.at("grains");
  REQUIRE(grains.size() == sizeof(talus::shared::Grain));
  auto* grain = reinterpret_cast<talus::shared::Grain*>(grains.data());
  grain->velocity.x = 2.5e38f;
  talus::write_checkpoint(shell.scratch / "wild.talus", state);

  check_refused(shell.talus("run wild.toml --device cpu --resume wild.talus"), 5, "wild.crash.talus; go on from it");
  CHECK(talus::read_checkpoint(shell.scratch / "wild.crash.talus").step == 1);
  check_refused(shell.talus("run wild.toml --device cpu --resume wild.talus --save here.talus"), 5, "here.talus");
  // It is a state that can be read, and fails again.
  require_done(shell.talus("run wild.toml --device cpu --resume here.talus --steps 1"));
  check_refused(shell.talus("run wild.toml --device cpu --resume here.talus"), 5, "grain 0");
}

#ifndef _WIN32
TEST_CASE("running out of memory ends with 4", "[cli]") {
  Shell shell;
  write_text(shell.scratch / "large.toml", R"(
[domain]
min = [-1, -1, 0]
max = [1, 1, 2]
[[material]]
name = "sand"
[[grains]]
material = "sand"
radius = 0.005
fill.box = { min = [-1, -1, 0], max = [1, 1, 1.9] }
sampling = "lattice"
)");
  check_refused(shell.shell("ulimit -v 100000; \"" TALUS_PROGRAM "\" run large.toml --device cpu --threads 1"), 4,
                "memory");

  // A mesh, too, whose reader makes a text of every exception.
  std::string sheet;
  constexpr int side = 600;
  for (int i = 0; i < side * side; ++i)
    sheet += fmt::format("v {} {} {}\n", i % side, i / side, i % 7);
  for (int i = 0; i < side * (side - 1) - 1; ++i)
    sheet += fmt::format("f {} {} {}\n", i + 1, i + 2, i + side + 1);
  write_text(shell.scratch / "sheet.obj", sheet);
  write_text(shell.scratch / "sheet.toml", pile + "[[body]]\nname = \"b\"\nmesh = { file = \"sheet.obj\" }\n");
  check_refused(shell.shell("ulimit -v 100000; \"" TALUS_PROGRAM "\" check sheet.toml"), 4, "no memory left");
}
#endif

#ifndef _WIN32
TEST_CASE("a run that is interrupted writes what it has and ends with 130", "[cli]") {
  Shell shell;
  const auto result = shell.shell("\"" TALUS_PROGRAM "\" run pile.toml --device cpu --time 3000 --set time.end=3000 "
                                  "--report r.json --save s.talus --metrics m.csv --metrics-every 1 & pid=$!; "
                                  "until [ -s m.csv ]; do sleep 0.05; done; kill -INT $pid; wait $pid");
  CAPTURE(result.out, result.err);
  REQUIRE(result.status == 130);
  CHECK(contains(result.out, "stopped after"));
  const json r = shell.report("r.json");
  CHECK(r["steps"] < 750000);
  const std::vector<Row> rows = read_csv(shell.scratch / "m.csv");
  CHECK(rows.back().at("step") == r["steps"].get<double>());
  // Nothing is done, the state is that of the report.
  require_done(shell.talus("run pile.toml --device cpu --set time.end=3000 --resume s.talus --steps " +
                           r["steps"].dump() + " --report again.json"));
  CHECK(shell.report("again.json")["state_hash"] == r["state_hash"]);
}
#endif

TEST_CASE("progress is plain lines where there is no terminal", "[cli]") {
  Shell shell;
  const auto result = shell.talus("run pile.toml --device cpu --steps 20");
  require_done(result);
  CHECK_FALSE(contains(result.out, "\x1b"));
  CHECK_FALSE(contains(result.out, "\r"));
  CHECK(contains(result.out, "done: 20 steps"));
}

TEST_CASE("the program lists and runs on the device", "[cli][device]") {
  Shell shell;
  const auto list = shell.talus("devices --json");
  require_done(list);
  const json devices = json::parse(list.out);
  REQUIRE_FALSE(devices["devices"].empty());
  for (const json& device : devices["devices"]) {
    CHECK(device["name"].is_string());
    CHECK(device["usable"].is_boolean());
    CHECK(device["usable"].get<bool>() == device["missing"].empty());
  }
  const auto table = shell.talus("devices");
  require_done(table);
  CHECK(contains(table.out, devices["devices"][0]["name"]));
  CHECK(contains(table.out, "<- auto"));

  const std::string run = "run pile.toml --device " + test_device() + " ";
  require_done(shell.talus(run + "--steps 37 --report whole.json --out o --metrics m.csv"));
  const json r = shell.report("whole.json");
  CHECK(r["device"]["name"] != "");
  CHECK(r["device"]["api_version"].get<std::string>().starts_with("1."));
  double ms = 0.0;
  for (const json& pass : r["passes"])
    ms += pass["ms"].get<double>();
  const auto used = std::ranges::find_if(devices["devices"],
                                         [&](const json& device) { return device["name"] == r["device"]["name"]; });
  REQUIRE(used != devices["devices"].end());
  CHECK((ms > 0.0) == (*used)["timestamps"].get<bool>());
  // The same scene as on the CPU path.
  require_done(shell.talus("run pile.toml --device cpu --steps 37 --report cpu.json"));
  const json cpu = shell.report("cpu.json");
  CHECK(cpu["device"]["name"] != r["device"]["name"]);
  CHECK(cpu["grains"] == r["grains"]);
  CHECK(cpu["height"].get<double>() == Approx(r["height"].get<double>()).epsilon(0.05));

  require_done(shell.talus(run + "--steps 15 --save s.talus"));
  require_done(shell.talus(run + "--steps 37 --resume s.talus --report resumed.json"));
  CHECK(shell.report("resumed.json")["state_hash"] == r["state_hash"]);
  require_done(shell.talus(run + "--steps 5 --verify"));
}

TEST_CASE("graph prints the passes of a step", "[cli][device]") {
  Shell shell;
  const std::string graph = "graph pile.toml --device " + test_device();
  const auto text = shell.talus(graph);
  require_done(text);
  for (const char* pass : {"predict", "grid_count", "contact_fill", "finalize"}) {
    CAPTURE(pass);
    CHECK(contains(text.out, pass));
  }
  const auto dot = shell.talus(graph + " --dot");
  require_done(dot);
  CHECK(dot.out.starts_with("digraph"));
#ifndef _WIN32
  check_refused(shell.talus(graph + " > /dev/full"), 2, "the output cannot be written");
#endif
  CHECK(contains(dot.out, "predict"));
}

TEST_CASE("render draws a frame per interval, and the end", "[cli][device]") {
  Shell shell;
  const std::string render = "render pile.toml --size 160x90 --fps 25 --steps 21 ";
  require_done(shell.talus(render + "--out gpu --report r.json --device " + test_device()));
  require_done(shell.talus(render + "--out cpu --device cpu"));
  CHECK(shell.report("r.json")["steps"] == 21);
  for (const std::string dir : {"gpu", "cpu"}) {
    for (const std::string name : {"frame_00000.png", "frame_00001.png", "frame_00002.png", "final.png"}) {
      CAPTURE(dir, name);
      CHECK(png_size(shell.scratch / (dir + "/" + name)) == std::pair(160, 90));
    }
    CHECK(std::distance(fs::directory_iterator(shell.scratch / dir), {}) == 4);
    CHECK(read_text(shell.scratch / (dir + "/final.png")) != read_text(shell.scratch / (dir + "/frame_00000.png")));
  }
  // Drawing changes nothing.
  require_done(shell.talus("run pile.toml --steps 21 --report run.json --device " + test_device()));
  CHECK(shell.report("run.json")["state_hash"] == shell.report("r.json")["state_hash"]);
}

#ifndef _WIN32
TEST_CASE("video needs ffmpeg", "[cli][device]") {
  Shell shell;
  const std::string render = "render pile.toml --size 161x91 --steps 20 --out o --video v.mp4 --device cpu";
  check_refused(shell.talus(render, "PATH=/nonexistent"), 2, "install it");
  CHECK_FALSE(fs::exists(shell.scratch / "o/frame_00000.png"));
  require_done(shell.talus(render));
  CHECK(fs::file_size(shell.scratch / "v.mp4") > 500);
}
#endif
