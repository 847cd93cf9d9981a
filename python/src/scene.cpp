// Scenes: reading and building them, and what of them a program wants to know.
#include "scene.h"
#include "arrays.h"
#include "engine/scene/text.h"
#include "engine/scene/urdf.h"
#include "module.h"
#include "repr.h"
#include <algorithm>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace talus_python {

using namespace nb::literals;
using talus::SceneArray;
using talus::SceneEntry;
using talus::SceneError;
using talus::SceneTable;
using talus::SceneValue;

namespace {

// The tables of a scene, as Python's type hints say it: dict[str, Any].
using Tables = nb::typed<nb::dict, nb::str, nb::any>;

// Values within values, as TOML has them at most. A list that holds itself would go on for ever.
constexpr int levels_most = 256;

SceneTable table_from(nb::handle dict, const std::string& path, int level = 0);

// what: begins the message of the error. Python's text may hold halves of characters, as in names of files that are no
// UTF-8.
std::string text_from(nb::handle text, const std::string& what) {
  std::string utf8;
  if (!nb::try_cast(text, utf8))
    throw SceneError(what + " cannot be " + nb::cast<std::string>(nb::repr(text)) + ": it has no form in UTF-8");
  return utf8;
}

// path: as a program writes it, "grains[0].radius". level: number of values that hold this one.
SceneValue value_from(nb::handle value, const std::string& path, int level) {
  if (level > levels_most)
    throw SceneError(path.substr(0, path.find_first_of(".[")) + " holds values within values on more than " +
                     std::to_string(levels_most) + " levels");
  if (PyBool_Check(value.ptr()))
    return {nb::cast<bool>(value)};
  if (PyLong_Check(value.ptr())) {
    std::int64_t whole = 0;
    if (!nb::try_cast(value, whole))
      throw SceneError(path + " is an integer beyond all range");
    return {whole};
  }
  if (PyFloat_Check(value.ptr()))
    return {nb::cast<double>(value)};
  if (nb::isinstance<nb::str>(value))
    return {text_from(value, path)};
  if (nb::isinstance<nb::dict>(value))
    return {table_from(value, path, level + 1)};
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    SceneArray values;
    for (nb::handle element : value)
      values.push_back(value_from(element, path + "[" + std::to_string(values.size()) + "]", level + 1));
    return {std::move(values)};
  }
  if (nb::hasattr(value, "tolist"))  // NumPy's arrays and numbers, and those of others
    return value_from(value.attr("tolist")(), path, level + 1);
  if (nb::hasattr(value, "__fspath__"))
    return value_from(value.attr("__fspath__")(), path, level + 1);
  throw SceneError(path + " cannot be " + nb::cast<std::string>(nb::repr(value)) +
                   ": a scene holds numbers, text, true and false, lists, dicts and arrays");
}

// Keys whose value is None are left out.
SceneTable table_from(nb::handle dict, const std::string& path, int level) {
  SceneTable table;
  for (const auto& [key, value] : nb::borrow<nb::dict>(dict)) {
    const std::string here = path.empty() ? "" : path + ".";
    if (!nb::isinstance<nb::str>(key))
      throw SceneError((path.empty() ? "the scene" : path) + " has the key " + nb::cast<std::string>(nb::repr(key)) +
                       ": keys are text");
    const std::string name = text_from(key, "a key of " + (path.empty() ? "the scene" : path));
    if (!value.is_none())
      table.push_back({name, value_from(value, here + name, level)});
  }
  return table;
}

nb::dict dict_from(const SceneTable& table);

nb::object object_from(const SceneValue& value) {
  return std::visit(
      []<class T>(const T& held) -> nb::object {
        if constexpr (std::is_same_v<T, SceneTable>) {
          return dict_from(held);
        } else if constexpr (std::is_same_v<T, SceneArray>) {
          nb::list list;
          for (const SceneValue& element : held)
            list.append(object_from(element));
          return list;
        } else {
          return nb::cast(held);
        }
      },
      value.value);
}

nb::dict dict_from(const SceneTable& table) {
  nb::dict dict;
  for (const auto& [key, value] : table)
    dict[key.c_str()] = object_from(value);
  return dict;
}

template <class Spec> std::vector<std::string> names_of(const std::vector<Spec>& specs) {
  std::vector<std::string> names;
  for (const Spec& spec : specs)
    names.push_back(spec.name);
  return names;
}

}  // namespace

namespace {

nb::dict load_robot(const std::filesystem::path& file, const std::optional<std::string>& name, const nb::kwargs& keys) {
  nb::dict table;
  const std::filesystem::path path = std::filesystem::absolute(file).lexically_normal();
  try {
    table["name"] = name ? *name : talus::load_urdf(path).name;
  } catch (const talus::UrdfError& e) {
    throw SceneError(e.what());
  }
  table["file"] = path.string();
  for (const auto& [key, value] : keys)
    table[key] = value;
  // Materials are those of the scene to come.
  SceneTable robot = table_from(table, "robot[0]");
  std::erase_if(robot, [](const SceneEntry& entry) { return entry.key == "material"; });
  talus::build_scene({{"robot", {SceneArray{{std::move(robot)}}}}}, "scene");
  return table;
}

}  // namespace

const talus::Scene& Scene::read() const {
  if (!scene_)
    scene_ = talus::build_scene(*tables_, name_, overrides_);
  return *scene_;
}

nb::dict Scene::to_dict() const {
  return dict_from(tables_ && overrides_.empty() ? *tables_ : talus::tables_of(read()));
}

SceneTable& Scene::tables() {
  if (!tables_)
    tables_ = talus::tables_of(*scene_);
  scene_.reset();
  return *tables_;
}

SceneValue& Scene::entry(const std::string& table, SceneValue first) {
  SceneTable& all = tables();
  const auto found = std::ranges::find(all, table, &SceneEntry::key);
  return found != all.end() ? found->value : all.emplace_back(SceneEntry{table, std::move(first)}).value;
}

void Scene::add(const std::string& table, nb::dict keys) {
  auto* list = std::get_if<SceneArray>(&entry(table, {SceneArray()}).value);
  if (!list)
    throw SceneError(table + " must be a list of tables");
  list->push_back({table_from(keys, table + "[" + std::to_string(list->size()) + "]")});
}

void Scene::set(const std::string& table, nb::dict keys) {
  auto* known = std::get_if<SceneTable>(&entry(table, {SceneTable()}).value);
  if (!known)
    throw SceneError(table + " is a list of tables: add_" + table + " adds one");
  for (SceneEntry& more : table_from(keys, table)) {
    std::erase_if(*known, [&](const SceneEntry& old) { return old.key == more.key; });
    known->push_back(std::move(more));
  }
  for (const auto& [key, value] : keys)
    if (value.is_none())
      std::erase_if(*known, [&](const SceneEntry& old) { return old.key == nb::cast<std::string>(key); });
}

std::string Scene::repr() const {
  Repr out("Scene");
  try {
    const talus::Scene& scene = read();
    out.add(text_of(scene.title.empty() ? scene.source : scene.title));
    const auto count = [&](std::size_t n, const char* one, const char* several) {
      if (n > 0)
        out.add(std::to_string(n) + " " + (n > 1 ? several : one));
    };
    count(scene.grains.size(), "group of grains", "groups of grains");
    count(scene.emitters.size(), "emitter", "emitters");
    count(scene.shapes.size(), "shape", "shapes");
    count(scene.cloths.size(), "cloth", "cloths");
    count(scene.bodies.size(), "body", "bodies");
    count(scene.robots.size(), "robot", "robots");
    count(scene.sinks.size(), "sink", "sinks");
    if (scene.worlds > 1)
      count(scene.worlds, "world", "worlds");
  } catch (const std::exception& e) {
    out.add(std::string("not valid: ") + e.what());
  }
  return out;
}

namespace {

// A property that reads a member of the scene.
template <auto member> auto said() {
  return [](const Scene& s) { return s.read().*member; };
}
template <auto member> auto named() {
  return [](const Scene& s) { return names_of(s.read().*member); };
}

void bind_building(nb::class_<Scene>& c) {
  struct Adder {
    const char *method, *table, *doc;
  };
  static constexpr Adder adders[]{
      {"add_material", "material", "Adds a [[material]]. keys: those of docs/scene_keys.md, such as name and preset."},
      {"add_grains", "grains",
       "Adds [[grains]] that are there at the start. keys: those of docs/scene_keys.md, such as\n"
       "material, radius [m] and fill."},
      {"add_shape_matched_body", "shape_matched_body",
       "Adds a [[shape_matched_body]], whose particles keep their arrangement. keys: those of docs/scene_keys.md."},
      {"add_shape", "shape_matched_body",
       "Does what add_shape_matched_body does with the same keys. This former name goes with the next release."},
      {"add_cloth", "cloth", "Adds a [[cloth]]. keys: those of docs/scene_keys.md."},
      {"add_emitter", "emitter",
       "Adds an [[emitter]], which pours grains. keys: those of docs/scene_keys.md, such as rate [1/s] and count."},
      {"add_sink", "sink", "Adds a [[sink]], which removes grains. keys: those of docs/scene_keys.md."},
      {"add_body", "body",
       "Adds a [[body]]. keys: those of docs/scene_keys.md, such as name, box, position [m] and density [kg/m3]."},
      {"add_robot", "robot",
       "Adds a [[robot]]. keys: those that load_robot() returns, or those of docs/scene_keys.md."},
      {"add_depth_camera", "depth_camera",
       "Adds a [[depth_camera]] for Simulation.depth(). keys: those of docs/scene_keys.md."}};
  for (const Adder& a : adders)
    c.def(
        a.method, [table = a.table](Scene& s, const nb::kwargs& keys) { s.add(table, nb::borrow<nb::dict>(keys)); },
        nb::sig(("def " + std::string(a.method) + "(self, **keys: typing.Any) -> None").c_str()), a.doc);
  c.def(
      "set",
      [](Scene& s, const std::string& table, const nb::kwargs& keys) { s.set(table, nb::borrow<nb::dict>(keys)); },
      nb::sig("def set(self, table: str, **keys: typing.Any) -> None"), "table"_a, "keys"_a,
      "Sets keys of a table that there is once: \"scene\", \"time\", \"domain\", \"solver\",\n"
      "\"upsampling\", \"soil\", \"camera\" or \"output\". Other keys of the table stay as they are,\n"
      "and the value None takes a key away. Raises SceneError if the table is a list.");
}

}  // namespace

void bind_scene(nb::module_& m) {
  nb::class_<Scene> c(
      m, "Scene",
      "A scene that has been read and checked, or one that is being built. Every default is filled in.\n\n"
      "Tables and keys are those of scene files (docs/scene_keys.md). Values are numbers, text, lists,\n"
      "dicts, paths and arrays; a key whose value is None is left out. A scene is checked when it is\n"
      "first asked something, or simulated. SceneError then names the value: \"grains[0].radius must be\n"
      "..\".");
  c.def(
       "__init__",
       [](Scene* self, const Tables& tables, std::string name, std::vector<std::string> overrides) {
         new (self) Scene(table_from(tables, ""), std::move(name), std::move(overrides));
       },
       "tables"_a = nb::dict(), "name"_a = "scene", "overrides"_a = std::vector<std::string>{},
       "Builds a scene from a dict of tables. tables: such as {\"time\": {\"end\": 2.0}}, copied. name:\n"
       "stands for the file in messages, and its folder is where meshes are looked for. overrides:\n"
       "\"table.key=value\" each.")
      .def_prop_ro("source", said<&talus::Scene::source>(),
                   "File that the scene comes from, or the name that stands for it.")
      .def_prop_ro("title", said<&talus::Scene::title>(), "Title of the scene; may be empty.")
      .def_prop_ro("seed", said<&talus::Scene::seed>(), "Random seed. World w of a scene has seed + w.")
      .def_prop_ro("dt", said<&talus::Scene::dt>(), "Length of a step [s].")
      .def_prop_ro("end", said<&talus::Scene::end>(), "Time at which a run ends [s].")
      .def_prop_ro(
          "domain",
          [](const Scene& s) { return std::pair(array_of(s.read().domain.min), array_of(s.read().domain.max)); },
          handed_over, "Lower and upper corner of the domain [m], float64 [3] each.")
      .def_prop_ro(
          "gravity", [](const Scene& s) { return array_of(s.read().domain.gravity); }, handed_over,
          "Acceleration of gravity [m/s2], float64 [3].")
      .def_prop_ro(
          "substeps", [](const Scene& s) { return s.read().solver.substeps; },
          "Substeps per step. 0 stands for \"auto\", which a simulation replaces by the number that it chooses.")
      .def_prop_ro("materials", named<&talus::Scene::materials>(), "Names of the materials, by index.")
      .def_prop_ro("bodies", named<&talus::Scene::bodies>(), "Names of the bodies, by index.")
      .def_prop_ro("robots", named<&talus::Scene::robots>(), "Names of the robots.")
      .def_prop_ro("shapes", named<&talus::Scene::shapes>(), "Names of the shape-matched bodies, by index.")
      .def_prop_ro("cloths", named<&talus::Scene::cloths>(), "Names of the sheets of cloth, by index.")
      .def_prop_ro("sinks", named<&talus::Scene::sinks>(), "Names of the sinks, by index.")
      .def_prop_ro("depth_cameras", named<&talus::Scene::depth_cameras>(), "Names of the depth cameras, by index.")
      .def(
          "to_toml", [](const Scene& s) { return talus::to_toml(s.read()); },
          "Returns the scene as the text of a scene file, with every setting written out. Equal scenes have\n"
          "equal text.")
      .def("to_dict", &Scene::to_dict, nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
           "Returns the tables of the scene as a dict, for Scene(..) and parse_scene(..): as they were built,\n"
           "or with every setting where the scene was read from a file or has overrides. Raises SceneError.")
      .def("__repr__", &Scene::repr);
  bind_building(c);

  m.def(
      "load_scene",
      [](const std::filesystem::path& file, const std::vector<std::string>& overrides) {
        return Scene(talus::load_scene(file, overrides));
      },
      "file"_a, "overrides"_a = std::vector<std::string>{},
      "Reads and checks a scene file. overrides: \"table.key=value\" each, as after --set of the\n"
      "program talus. Raises SceneError, which names the line of the file.");
  m.def(
      "parse_scene",
      [](const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
        return Scene(talus::parse_scene(text, name, overrides));
      },
      "text"_a, "name"_a = "scene", "overrides"_a = std::vector<std::string>{},
      "Reads and checks a scene from text. name: stands for the file in messages, and its folder is\n"
      "where meshes are looked for. overrides: \"table.key=value\" each. Raises SceneError, which names\n"
      "the line.");
  m.def("load_robot", &load_robot,
        nb::sig("def load_robot(file: str | os.PathLike, name: str | None = None, **keys: typing.Any) -> dict[str, "
                "typing.Any]"),
        "file"_a, "name"_a = nb::none(), "keys"_a,
        "Reads and checks a URDF file, and returns the keys of a [[robot]] for Scene.add_robot(**keys) or\n"
        "for a dict of tables. The result has the absolute path of the file, name (by default that of the\n"
        "robot in the file), and the keys that are given, such as position= [m] and joints= [degrees or\n"
        "m]. Raises SceneError, which names the line of the file.");
  m.def(
      "parse_scene",
      [](const Tables& tables, const std::string& name, const std::vector<std::string>& overrides) {
        return Scene(talus::build_scene(table_from(tables, ""), name, overrides));
      },
      "tables"_a, "name"_a = "scene", "overrides"_a = std::vector<std::string>{},
      "Builds and checks a scene from a dict of tables, such as {\"material\": [{\"name\": \"sand\"}],\n"
      "\"time\": {\"end\": 2.0}}. name and overrides are those of the scene from text. Raises\n"
      "SceneError, which names the value.");
}

}  // namespace talus_python
