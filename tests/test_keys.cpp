// The description of scene keys: the committed reference is made of it, the loader reads just what it says, and former
// names are read with a warning.
#include "engine/scene/reader.h"
#include "engine/scene/text.h"
#include "scratch.h"
#include "tests/catch.h"
#include "wrong.h"
#include <algorithm>
#include <set>
#include <stdexcept>

using namespace talus;
using reading::Key;
using reading::TableKeys;
using talus_tests::contains;
using talus_tests::error_of;

namespace {

const std::string tetrahedron = "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

const std::string robot =
    "<robot><link name=\"r\"/><link name=\"a\"><collision><geometry><sphere "
    "radius=\"1\"/></geometry></collision></link>"
    "<link name=\"b\"/><joint name=\"i\" type=\"continuous\"><parent link=\"r\"/><child link=\"a\"/></joint>"
    "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";

// Scenes that have every table of a scene file, in every place where it may stand.
const std::string sand = "[[material]]\nname = \"sand\"\n[domain]\nmin = [-9, -9, -9]\nmax = [9, 9, 9]\n";
const std::string grains = "[[grains]]\nmaterial = \"sand\"\nradius = 0.02\ncount = 1\n";
const std::vector<std::string> former_scenes{
    sand + "[scene]\n[time]\n[solver]\n[camera]\n[output]\n[upsampling]\nradius = 0.01\n" +
        "[[emitter]]\nmaterial = \"sand\"\nradius = 0.02\nrate = 1\nshape.sphere = { center = [0, 0, 1], radius = 0.1 "
        "}\n" +
        grains + "fill.box.size = [1, 1, 1]\n" + grains + "fill.sphere.radius = 1\n" + grains +
        "fill.cylinder = { radius = 1, height = 1 }\n" + grains + "fill.capsule = { radius = 1, height = 2 }\n" +
        grains + "fill.cone = { radius = 1, height = 1 }\n" + grains +
        "fill.torus = { radius = 1, tube_radius = 0.2 }\n" + grains + "fill.mesh = { file = \"t.obj\" }\n" + grains +
        "fill.gear = { module = 0.1, teeth = 20, width = 0.5 }\n" + grains +
        "fill.parts = [{ box.size = [1, 1, 1] }, { plane = {}, subtract = true }]\n" +
        "[[grains]]\nmaterial = \"sand\"\nradius = 0.02\nfill.points = [[5, 5, 5]]\n" +
        "[[sink]]\nname = \"drain\"\nbox.size = [1, 1, 1]\n[[depth_camera]]\nname = \"eye\"\nsize = [4, 3]\nfar = 2\n",
    "[[material]]\nname = \"sand\"\n[soil]\nmaterial = \"sand\"\nradius = 0.02\nheight = 0.5\nparts = [{ box.size = "
    "[1, 1, 1] }]\n[[soil.layer]]\nmaterial = \"sand\"\nthickness = 0.1\n[soil.terramechanics]\nfrictional_modulus = "
    "1e6\nfriction_angle = 30\n"
    "shear_displacement = 0.01\n",
    "[[material]]\nname = \"sand\"\n[soil]\nmaterial = \"sand\"\nradius = 0.02\nsurface = { file = \"t.asc\" }\n",
    sand + grains + "fill.box.size = [1, 1, 1]\nclump = { mesh = \"t.obj\", spheres = 2 }\n",
    sand + "[[shape_matched_body]]\nname = \"brick\"\nmaterial = \"sand\"\nradius = 0.1\nfill.sphere.radius = 1\n" +
        "[[cloth]]\nname = \"a\"\nmaterial = \"sand\"\ngrid = { size = [1, 1], cells = [2, 2] }\n" +
        "pin_box = { min = [-1, -1, -1], max = [1, 1, 1] }\n" +
        "[[cloth]]\nname = \"b\"\nmaterial = \"sand\"\nmesh.file = \"t.obj\"\n" +
        "[[body]]\nname = \"a\"\nplane = {}\n[[body]]\nname = \"b\"\nbox.size = [1, 1, 1]\n" +
        "[[body]]\nname = \"c\"\nsphere.radius = 1\nkeyframes = [{ time = 0, position = [0, 0, 0] }]\n" +
        "[[body]]\nname = \"d\"\ncapsule = { radius = 1, height = 2 }\nmotion.position = [\"t\", 0, 0]\n" +
        "[[body]]\nname = \"e\"\ncylinder = { radius = 1, height = 1 }\ndensity = 1\n" +
        "joint = { type = \"revolute\", motor = { speed = 1, strength = 1 }, spring.stiffness = 1 }\n" +
        "[[joint]]\nname = \"k\"\nbodies = [\"e\"]\ntype = \"ball\"\n" +
        "[[body]]\nname = \"m\"\nsphere.radius = 1\nmass = 1\njoint = { type = \"prismatic\", gear.body = \"e\" }\n" +
        "[[body]]\nname = \"n\"\nsphere.radius = 1\nvisual = [{ mesh.file = \"t.obj\" }]\n" +
        "[[body]]\nname = \"f\"\ncone = { radius = 1, height = 1 }\n" +
        "[[body]]\nname = \"g\"\ntorus = { radius = 1, tube_radius = 0.2 }\n" +
        "[[body]]\nname = \"h\"\nmesh.file = \"t.obj\"\n" +
        "[[body]]\nname = \"i\"\ngear = { module = 0.1, teeth = 20, width = 0.5 }\n" +
        "[[body]]\nname = \"j\"\nparts = [{ sphere.radius = 1 }]\n" +
        "[[robot]]\nname = \"k\"\nfile = \"t.urdf\"\n[[robot]]\nname = \"l\"\n" +
        "links = [{ body = \"k/a\", joint = \"i\" }, { body = \"k/b\", joint = \"j\", mimic = { joint = \"i\" } }]\n"};

void all_tables(const TableKeys& table, std::set<std::string_view>& titles) {
  if (!titles.insert(table.title).second)
    return;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].table)
      all_tables(*table[i].table, titles);
}

// The tables that a document has.
void tables_in(const toml::table& document, const TableKeys& table, std::set<std::string_view>& titles) {
  titles.insert(table.title);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const toml::node* node = document.get(table[i].name);
    if (!node || !table[i].table)
      continue;
    if (const toml::table* inner = node->as_table())
      tables_in(*inner, *table[i].table, titles);
    else if (const toml::array* list = node->as_array())
      for (const toml::node& one : *list)
        tables_in(*one.as_table(), *table[i].table, titles);
  }
}

struct OldAndNew {
  std::string before, after, says;
};

}  // namespace

TEST_CASE("docs/scene_keys.md is what `talus keys` prints", "[scene][keys]") {
  const auto file = std::filesystem::path(TALUS_SOURCE_DIR) / "docs" / "scene_keys.md";
  CHECK(talus_tests::read_text(file) == scene_keys_text());
}

TEST_CASE("every table of the key reference is read, with just the keys that it has there", "[scene][keys]") {
  std::set<std::string_view> all, read;
  all_tables(reading::scene_file_keys(), all);
  const talus_tests::Scratch scratch;
  talus_tests::write_text(scratch / "t.obj", tetrahedron);
  talus_tests::write_text(scratch / "t.urdf", robot);
  talus_tests::write_text(scratch / "t.asc", "ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 2\n0.5\n");
  for (const std::string& text : former_scenes) {
    // A key that is read and not described, or described and not read, is a std::logic_error.
    CHECK_NOTHROW(parse_scene(text, (scratch / "s.toml").string()));
    tables_in(toml::parse(text), reading::scene_file_keys(), read);
  }
  CHECK(read == all);
}

TEST_CASE("keys of the reference are described", "[scene][keys]") {
  std::set<std::string_view> titles;
  const std::string text = scene_keys_text();
  const std::function<void(const TableKeys&)> look = [&](const TableKeys& table) {
    if (!titles.insert(table.title).second)
      return;
    CHECK(table.size() <= 64);  // Table notes them in the bits of a word
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const Key& key = table[i];
      CAPTURE(table.title, key.name);
      CHECK(names.insert(key.name).second);
      CHECK(key.about.ends_with('.'));
      CHECK(key.about.find('|') == key.about.npos);
      CHECK((key.type == Key::Type::word) == !key.words.empty());
      CHECK((key.type == Key::Type::other) == !key.form.empty());
      if (key.type == Key::Type::number || key.type == Key::Type::vector)
        CHECK(key.range.min < key.range.max);
      if (key.type == Key::Type::whole)
        CHECK(key.least < key.most);
      for (const reading::OldWord& word : key.old_words) {
        CHECK(std::ranges::count(key.words, word.now) == 1);
        CHECK(std::ranges::count(key.words, word.old) == 0);
      }
      if (key.table)
        look(*key.table);
    }
  };
  look(reading::scene_file_keys());
  CHECK(titles.size() > 30);
}

TEST_CASE("a key cannot be read without a description, nor described without being read", "[scene][keys]") {
  static constexpr Key described[]{
      {.type = Key::Type::number, .name = "speed", .range = {0, 10, "m/s"}, .fallback = 2, .about = "Speed."},
      {.type = Key::Type::flag, .name = "on", .fallback = true, .about = "Switch."}};
  static constexpr TableKeys keys{"test", "", described, {}};
  const toml::table document = toml::parse("speed = 3\n", std::string_view("s.toml"));
  const auto table = [&] { return reading::Table(&document, "test", {}, keys); };

  reading::Table right = table();
  const reading::Value speed = right["speed"], on = right["on"];
  CHECK_NOTHROW(right.finish());
  double metres = 2;
  speed.get(metres);
  CHECK(metres == 3);

  reading::Table undescribed = table();
  CHECK_THROWS_AS(undescribed["sped"], std::logic_error);
  reading::Table unread = table();
  unread["speed"];
  CHECK_THROWS_WITH(unread.finish(), Catch::Contains("key on of test is described and not read"));
  CHECK_THROWS_WITH(table().need("on"), Catch::Contains("is required and has a default"));
  bool wrong = false;
  CHECK_THROWS_WITH(on.get(wrong), Catch::Contains("has another default"));
  CHECK_THROWS_WITH(on.get(metres), Catch::Contains("is read as another type"));
  bool same = true;
  CHECK_NOTHROW(on.get(same));
}

TEST_CASE("former names of keys and words are read, with a warning that says the new one", "[scene][keys]") {
  const std::string brick = "name = \"brick\"\nmaterial = \"sand\"\nradius = 0.1\nfill.sphere.radius = 1\n";
  const std::string ring = "[[body]]\nname = \"ring\"\ntorus = { radius = 1, ";
  const std::vector<OldAndNew> cases{
      {"[solver]\nmending = false\n", "[solver]\nincremental_rebuild = false\n",
       "s.toml:2:1: solver.mending is now called solver.incremental_rebuild: rename it"},
      {"[domain]\nz = \"recirculate\"\n", "[domain]\nz = \"periodic\"\n",
       "s.toml:2:5: domain.z = \"recirculate\" is now called \"periodic\": rename it"},
      {ring + "section = 0.2 }\n", ring + "tube_radius = 0.2 }\n",
       "s.toml:3:23: body.0.torus.section is now called body.0.torus.tube_radius"},
      {"[output]\ncolor_by = \"depth\"\n", "[output]\ncolor_by = \"height\"\n",
       "s.toml:2:12: output.color_by = \"depth\" is now called \"height\""},
      {sand + "[[shape]]\n" + brick, sand + "[[shape_matched_body]]\n" + brick,
       "s.toml:6:3: shape is now called shape_matched_body"},
  };
  for (const OldAndNew& c : cases) {
    CAPTURE(c.before);
    const Scene before = parse_scene(c.before, "s.toml"), after = parse_scene(c.after, "s.toml");
    CHECK(to_toml(before) == to_toml(after));
    REQUIRE(before.warnings.size() == 1);
    CHECK_THAT(before.warnings[0], Catch::StartsWith(c.says));
    CHECK(after.warnings.empty());
    CHECK(std::ranges::count(advise(before), before.warnings[0]) == 1);
  }
}

TEST_CASE("overrides and scenes that a program builds may have former names, too", "[scene][keys]") {
  const Scene scene = parse_scene("[solver]\nincremental_rebuild = true\n", "s.toml", {"solver.mending=false"});
  CHECK_FALSE(scene.solver.incremental_rebuild);
  REQUIRE(scene.warnings.size() == 1);
  CHECK_THAT(scene.warnings[0],
             Catch::StartsWith("--set solver.mending=false: solver.mending is now called solver.incremental_rebuild"));

  const std::string brick = sand + "[[shape_matched_body]]\nname = \"brick\"\nmaterial = \"sand\"\nradius = 0.1\n"
                                   "fill.sphere.radius = 1\n";
  CHECK(parse_scene(brick, "s.toml", {"shape.brick.radius=0.2"}).shapes.at(0).grains.radius_max == 0.2);

  const Scene built = build_scene({{"domain", {SceneTable{{"x", {std::string("recirculate")}}}}}});
  CHECK(built.domain.axis[0] == Axis::periodic);
  REQUIRE(built.warnings.size() == 1);
  CHECK_THAT(built.warnings[0], Catch::StartsWith("domain.x = \"recirculate\" is now called"));
}

TEST_CASE("a key cannot stand under both of its names", "[scene][keys]") {
  const talus_tests::Marked both("[solver]\nincremental_rebuild = true\n@mending = false\n");
  CHECK_THAT(both.error, Catch::StartsWith(both.place) && Catch::Contains("keep only solver.incremental_rebuild"));
}
