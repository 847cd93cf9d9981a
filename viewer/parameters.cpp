#include "viewer/parameters.h"
#include "engine/scene/keys.h"
#include "engine/scene/words.h"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <sstream>
#include <stdexcept>

namespace viewer {

using namespace talus;

namespace {

using Scale = Parameter::Scale;

std::vector<std::string> names(auto&& all) {
  std::vector<std::string> list;
  for (const auto one : all)
    list.emplace_back(word(one));
  return list;
}

// The loader's own description of a key of a table at the top of a scene file: material.sand, density. gravity.x is a
// component of gravity.
const reading::Key& described(std::string_view table, std::string_view key) {
  const auto find = [](const reading::TableKeys& keys, std::string_view name) -> const reading::Key& {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i].name == name)
        return keys[i];
    throw std::logic_error(fmt::format("{} has no key {} (viewer/parameters.cpp)", keys.title, name));
  };
  return find(*find(reading::scene_file_keys(), table.substr(0, table.find('.'))).table, key.substr(0, key.find('.')));
}

// The values that a scene may have for it.
void take_range(const reading::Key& found, Parameter& p) {
  if (found.range.min < found.range.max) {
    p.least = found.range.min;
    p.most = found.range.max;
  } else if (found.least < found.most) {
    p.least = static_cast<double>(found.least);
    p.most = static_cast<double>(found.most);
  }
}

class List {
public:
  std::vector<Parameter> all;
  std::string table, group;  // of what is added next

  Parameter& add(const char* key, const char* name, const char* unit, double low, double high, Scale scale,
                 const char* help) {
    all.push_back({.key = table + "." + key,
                   .group = group,
                   .name = name,
                   .unit = unit,
                   .help = help,
                   .about = std::string(described(table, key).about),
                   .low = low,
                   .high = high,
                   .least = low,
                   .most = high,
                   .scale = scale});
    return all.back();
  }

  // A number that `of` finds in a scene, which may be beyond its slider.
  template <class Of>
  void number(const char* key, const char* name, const char* unit, double low, double high, Scale scale,
              const char* help, Of of) {
    Parameter& p = add(key, name, unit, low, high, scale, help);
    take_range(described(table, key), p);
    p.get = [of](const Scene& scene) { return static_cast<double>(of(const_cast<Scene&>(scene))); };
    p.set = [of](Scene& scene, double value) {
      auto& place = of(scene);
      using T = std::remove_reference_t<decltype(place)>;
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        place = static_cast<T>(std::llround(value));
      else
        place = static_cast<T>(value);
    };
  }
};

// What suits the new method, at as many substeps as that needs.
void set_solver(Scene& scene, Method method, std::optional<Iteration> iteration) {
  scene.solver = default_solver(method, iteration);
  scene.solver.substeps = choose_substeps(scene).substeps;
}

void add_method(List& list, const Scene& scene) {
  constexpr std::array methods{Method::p2, Method::pbd, Method::vts, Method::sp, Method::dem};
  Parameter& method = list.add("method", "method", "", 0, methods.size() - 1, Scale::choice,
                               "How contacts are solved. Another method begins with the settings that suit it");
  method.choices = names(methods);
  method.get = [](const Scene& s) { return static_cast<double>(s.solver.method); };
  method.set = [](Scene& s, double value) { set_solver(s, static_cast<Method>(std::lround(value)), {}); };

  const std::span<const Iteration> iterations = iterations_of(scene.solver.method);
  if (iterations.empty())
    return;
  Parameter& iteration = list.add("iteration", "iteration", "", 0, static_cast<double>(iterations.size()) - 1.0,
                                  Scale::choice, "gauss_seidel runs on the CPU path only");
  iteration.choices = names(iterations);
  iteration.get = [iterations](const Scene& s) {
    return static_cast<double>(std::ranges::find(iterations, s.solver.iteration) - iterations.begin());
  };
  iteration.set = [iterations](Scene& s, double value) {
    set_solver(s, s.solver.method, iterations[static_cast<std::size_t>(std::lround(value))]);
  };
}

void add_solver(List& list, const Scene& scene) {
  list.table = "solver";
  list.group = "Solver";
  add_method(list, scene);
  const Method method = scene.solver.method;
  const bool impulses = method == Method::vts || method == Method::sp;
  if (method != Method::dem) {
    list.number("iterations", "iterations", "", 1, 100, Scale::whole, "Per substep: more are stiffer and dearer",
                [](Scene& s) -> int& { return s.solver.iterations; });
  }
  list.number("substeps", "substeps", "", 1, 200, Scale::whole, "Per step: more are stiffer and dearer",
              [](Scene& s) -> int& { return s.solver.substeps; });
  if (memory_optional(method, scene.solver.iteration))
    list.number("contact_memory", "contact memory", "", 0, 1, Scale::whole,
                "1: friction holds from substep to substep, so that heaps rest",
                [](Scene& s) -> bool& { return s.solver.contact_memory; });
  if (method == Method::p2) {
    list.number("error_reduction", "error reduction", "", 0, 1, Scale::linear,
                "Share by which the upper grain of a contact moves more",
                [](Scene& s) -> double& { return s.solver.error_reduction; });
    list.number("sleep_speed", "sleep speed", "m/s", 0, 0.1, Scale::linear,
                "A touching grain slower than this stays where it is; 0: none does",
                [](Scene& s) -> double& { return s.solver.sleep_speed; });
  }
  if (method == Method::pbd) {
    list.number("sor", "over-relaxation", "", 1, 2, Scale::linear, "Of what several contacts of a grain correct",
                [](Scene& s) -> double& { return s.solver.sor; });
    list.number("mass_scaling", "mass scaling", "1/m", 0, 50, Scale::linear, "Mass falls with height as exp(-k z)",
                [](Scene& s) -> double& { return s.solver.mass_scaling; });
    list.number("stabilization", "stabilization", "", 0, 20, Scale::whole,
                "Contact iterations at the start of a substep",
                [](Scene& s) -> int& { return s.solver.stabilization; });
  }
  if (impulses) {
    list.number("omega", "relaxation", "", 0.05, 1.5, Scale::linear, "Share of a correction that an iteration applies",
                [](Scene& s) -> double& { return s.solver.omega; });
    list.number("warm_start", "warm start", "", 0, 0.99, Scale::linear,
                "Share of the last substep's impulses that the iterations start from",
                [](Scene& s) -> double& { return s.solver.warm_start; });
  }
  if (method == Method::vts)
    list.number("gamma", "overlap taken out", "", 0, 1, Scale::linear, "Share of an overlap, in a substep",
                [](Scene& s) -> double& { return s.solver.gamma; });
}

void add_world(List& list) {
  list.table = "domain";
  list.group = "World";
  constexpr std::array axes{"gravity.x", "gravity.y", "gravity.z"};
  constexpr std::array labels{"gravity x", "gravity y", "gravity z"};
  for (int a = 0; a < 3; ++a) {
    list.number(axes[a], labels[a], "m/s2", -20, 20, Scale::linear, "Earth: 0, 0, -9.81; the Moon: -1.62",
                [a](Scene& s) -> double& { return s.domain.gravity[a]; });
  }
  list.table = "time";
  list.number("dt", "step", "s", 1e-4, 0.02, Scale::logarithmic, "Of simulated time",
              [](Scene& s) -> double& { return s.dt; });
}

void add_material(List& list, const Scene& scene, std::size_t m) {
  const Material& material = scene.materials[m];
  list.table = "material." + material.name;
  list.group = "Material " + material.name;
  const auto number = [&](const char* key, const char* name, const char* unit, double low, double high, Scale scale,
                          const char* help, double Material::*place) {
    list.number(key, name, unit, low, high, scale, help,
                [m, place](Scene& s) -> double& { return s.materials[m].*place; });
  };
  number("friction_static", "static friction", "", 0, 2, Scale::linear, "Coulomb coefficient of what sticks",
         &Material::friction_static);
  list.all.back().set = [m](Scene& s, double value) {
    s.materials[m].friction_static = value;
    s.materials[m].friction_kinetic = std::min(s.materials[m].friction_kinetic, value);
  };
  number("friction_kinetic", "sliding friction", "", 0, 2, Scale::linear, "Coulomb coefficient of what slides",
         &Material::friction_kinetic);
  list.all.back().set = [m](Scene& s, double value) {
    s.materials[m].friction_kinetic = value;
    s.materials[m].friction_static = std::max(s.materials[m].friction_static, value);
  };
  number("density", "density", "kg/m3", 100, 10000, Scale::logarithmic, "Of a grain, not of the bulk",
         &Material::density);
  number("adhesion", "adhesion", "Pa", 0, 50000, Scale::logarithmic,
         "Over the area of a contact: damp sand holds together", &Material::adhesion);
  if (material.restitution)
    list.number("restitution", "restitution", "", 0.01, 1, Scale::linear, "Speed of parting by that of approach",
                [m](Scene& s) -> double& { return *s.materials[m].restitution; });
  if (material.young_modulus)
    list.number("young_modulus", "Young's modulus", "Pa", 1e5, 1e12, Scale::logarithmic, "Of Hertz's contact",
                [m](Scene& s) -> double& { return *s.materials[m].young_modulus; });
  else if (scene.solver.method == Method::p2 || scene.solver.stiffness == Stiffness::material)
    number("stiffness", "stiffness", "N/m", 1e2, 1e8, Scale::logarithmic, "Of a contact", &Material::stiffness);
}

void add_emitter(List& list, std::size_t e) {
  list.table = fmt::format("emitter.{}", e);
  list.group = fmt::format("Emitter {}", e);
  list.number("rate", "rate", "grains/s", 1, 100000, Scale::logarithmic, "Of grains that are not born yet",
              [e](Scene& s) -> double& { return s.emitters[e].rate; });
  list.number("stop", "stop", "s", 0, 600, Scale::linear, "When it ends",
              [e](Scene& s) -> double& { return s.emitters[e].stop; });
  list.all.back().set = [e](Scene& s, double value) {
    s.emitters[e].stop = std::max(value, s.emitters[e].start);
    s.end = std::max(s.end, s.emitters[e].stop);
  };
}

void add_upsampling(List& list) {
  list.table = "upsampling";
  list.group = "Fine grains";
  list.number("friction", "friction", "", 0, 2, Scale::linear, "Coulomb coefficient against walls and bodies",
              [](Scene& s) -> double& { return s.upsampling->friction; });
}

}  // namespace

std::vector<Parameter> parameters_of(const Scene& scene) {
  List list;
  add_solver(list, scene);
  add_world(list);
  for (std::size_t m = 0; m < scene.materials.size(); ++m)
    add_material(list, scene, m);
  for (std::size_t e = 0; e < scene.emitters.size(); ++e)
    add_emitter(list, e);
  if (scene.upsampling)
    add_upsampling(list);
  return std::move(list.all);
}

bool matches(const Parameter& parameter, std::string_view words) {
  const auto lower = [](std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  const std::string all = lower(fmt::format("{}\n{}\n{}\n{}\n{}", parameter.key, parameter.group, parameter.name,
                                            parameter.help, parameter.about));
  std::istringstream in(lower(std::string(words)));
  for (std::string word; in >> word;)
    if (all.find(word) == std::string::npos)
      return false;
  return true;
}

Scene with_parameter(Scene scene, std::string_view key, double value) {
  const std::vector<Parameter> all = parameters_of(scene);
  const auto found = std::ranges::find(all, key, &Parameter::key);
  if (found == all.end())
    throw std::invalid_argument(fmt::format("{} is none of the settings that may change while this scene runs", key));
  if (!(value >= found->least && value <= found->most))
    throw std::invalid_argument(fmt::format("{} = {} is not from {} to {}", key, value, found->least, found->most));
  found->set(scene, value);
  return scene;
}

}  // namespace viewer
