// Scenes: reading, and what of them a program wants to know.
#include "arrays.h"
#include "engine/scene/text.h"
#include "engine/talus.h"
#include "module.h"
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace talus_python {

using namespace nb::literals;
using talus::Scene;

namespace {

template <class Spec> std::vector<std::string> names_of(const std::vector<Spec>& specs) {
  std::vector<std::string> names;
  for (const Spec& spec : specs)
    names.push_back(spec.name);
  return names;
}

}  // namespace

void bind_scene(nb::module_& m) {
  nb::class_<Scene>(m, "Scene", "A scene that has been read and checked, with every default filled in.")
      .def_ro("source", &Scene::source, "File that it comes from.")
      .def_ro("title", &Scene::title)
      .def_ro("seed", &Scene::seed)
      .def_ro("dt", &Scene::dt, "Length of a step [s].")
      .def_ro("end", &Scene::end, "Time at which a run ends [s].")
      .def_prop_ro(
          "domain", [](const Scene& s) { return std::pair(array_of(s.domain.min), array_of(s.domain.max)); },
          handed_over, "Lower and upper corner [m], float64 [3] each.")
      .def_prop_ro(
          "gravity", [](const Scene& s) { return array_of(s.domain.gravity); }, handed_over, "[m/s2], float64 [3].")
      .def_prop_ro(
          "substeps", [](const Scene& s) { return s.solver.substeps; },
          "Per step; 0: \"auto\", which a simulation replaces by what it chooses.")
      .def_prop_ro(
          "materials", [](const Scene& s) { return names_of(s.materials); }, "Names, by index.")
      .def_prop_ro(
          "bodies", [](const Scene& s) { return names_of(s.bodies); }, "Names, by index.")
      .def_prop_ro(
          "shapes", [](const Scene& s) { return names_of(s.shapes); }, "Names, by index.")
      .def_prop_ro(
          "cloths", [](const Scene& s) { return names_of(s.cloths); }, "Names, by index.")
      .def_prop_ro(
          "sinks", [](const Scene& s) { return names_of(s.sinks); }, "Names, by index.")
      .def_prop_ro(
          "depth_cameras", [](const Scene& s) { return names_of(s.depth_cameras); }, "Names, by index.")
      .def("to_toml", &talus::to_toml, "Every setting written out; equal scenes have equal text.")
      .def("__repr__", [](const Scene& s) { return "Scene('" + (s.title.empty() ? s.source : s.title) + "')"; });

  m.def("load_scene", &talus::load_scene, "file"_a, "overrides"_a = std::vector<std::string>{},
        "Reads and checks a scene file. overrides: \"table.key=value\" as after --set of the program. Raises "
        "SceneError.");
  m.def("parse_scene", &talus::parse_scene, "text"_a, "name"_a = "scene", "overrides"_a = std::vector<std::string>{},
        "The same from text; name stands for the file in messages, and its folder is where meshes are looked for.");
}

}  // namespace talus_python
