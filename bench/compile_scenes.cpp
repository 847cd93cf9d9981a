#include "bench/compile_scenes.h"
#include "bench/error.h"
#include "bench/scenes.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace bench {
namespace {

namespace fs = std::filesystem;
using talus::Method;

constexpr const char* every = "every";

struct Source {
  CompiledScene scene;
  std::function<talus::PlannedStep()> plan;
};

talus::PlannedStep box(Method method) {
  return talus::planned_step(settling_box(method, compiled_box_grains));
}

talus::PlannedStep box_hertz() {
  talus::Scene scene = settling_box(Method::dem, compiled_box_grains);
  scene.solver.contact = talus::ContactLaw::hertz;
  scene.solver.stiffness = talus::Stiffness::material;
  scene.solver.substeps = 20;
  for (talus::Material& material : scene.materials) {
    material.young_modulus = 1e7;
    material.poisson_ratio = 0.25;
  }
  return talus::planned_step(scene);
}

talus::PlannedStep box_worlds() {
  talus::Scene scene = settling_box(Method::dem, compiled_box_grains / 10);
  scene.worlds = 10;
  return talus::planned_step(scene);
}

talus::PlannedStep house(const std::string& name) {
  return talus::planned_step(house_scene(name));
}

const std::vector<Source>& sources() {
  static const std::vector<Source> all{
      {{"dem", "box_settle, 10,000 grains"}, [] { return box(Method::dem); }},
      {{"hertz", "the same box with Hertz's contacts"}, box_hertz},
      {{"vts", "the same box by vts"}, [] { return box(Method::vts); }},
      {{"sp", "the same box by sp"}, [] { return box(Method::sp); }},
      {{"p2", "the same box by p2"}, [] { return box(Method::p2); }},
      {{"pbd", "the same box by pbd"}, [] { return box(Method::pbd); }},
      {{"worlds", "ten worlds of 1,000 such grains by dem"}, box_worlds},
      {{"hourglass_fine", "upsampling"}, [] { return house("hourglass_fine"); }},
      {{"animal", "a mesh as a distance field"}, [] { return house("animal"); }},
      {{"city", "a mesh as triangles"}, [] { return house("city"); }},
      {{"wheel_and_plank", "dynamic bodies"}, [] { return house("wheel_and_plank"); }},
      {{"dump_truck", "bodies that joints hold together"}, [] { return house("dump_truck"); }},
      {{"cloth_on_sphere", "cloth"}, [] { return house("cloth_on_sphere"); }},
  };
  return all;
}

}  // namespace

const std::vector<CompiledScene>& common_scenes() {
  static const std::vector<CompiledScene> all = [] {
    std::vector<CompiledScene> scenes;
    for (const Source& source : sources())
      scenes.push_back(source.scene);
    return scenes;
  }();
  return all;
}

talus::PlannedStep planned_step_of(const std::string& name) {
  const auto found = std::ranges::find(sources(), name, [](const Source& source) { return source.scene.name; });
  if (found != sources().end())
    return found->plan();
  if (name == every)
    return talus::every_pass();
  if (fs::path(name).extension() == ".toml")
    return talus::planned_step(talus::load_scene(name));
  if (fs::exists(fs::path(TALUS_SCENES) / (name + ".toml")))
    return house(name);
  std::vector<std::string> names;
  for (const CompiledScene& scene : common_scenes())
    names.push_back(scene.name);
  throw UsageError(
      fmt::format("there is no scene {}: name one of {}, {}, one of the folder scenes, or a file NAME.toml", name,
                  fmt::join(names, ", "), every));
}

}  // namespace bench
