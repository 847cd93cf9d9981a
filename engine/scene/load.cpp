// The tables of a scene file. keys.cpp describes their keys.
#include "engine/scene/bodies.h"
#include "engine/scene/clump.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/hertz.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/limitations.h"
#include "engine/scene/linked.h"
#include "engine/scene/load_parts.h"
#include "engine/scene/precision.h"
#include "engine/scene/presets.h"
#include "engine/scene/restitution.h"
#include "engine/scene/sampling.h"
#include "engine/scene/settings.h"
#include "shaders/shared/color_scale.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <numbers>

namespace talus {

reading::Radii reading::read_radius(const Value& radius) {
  Radii r;
  if (!radius.is_array()) {
    radius.get(r.max);
    r.min = r.max;
    return r;
  }
  const std::vector<Value> ends = radius.elements();
  if (ends.size() != 2)
    radius.fail("must be one number or [min, max]");
  ends[0].get(r.min);
  ends[1].get(r.max);
  if (r.min >= r.max)
    radius.fail("must have min below max; for equal grains give one number");
  if (r.max > 100 * r.min)
    radius.fail("must have max at most 100 times min");
  return r;
}

std::uint32_t reading::material_of(const Value& name, const std::vector<Material>& materials) {
  std::string word;
  name.get(word);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < materials.size(); ++i) {
    if (materials[i].name == word)
      return i;
    names.push_back(materials[i].name);
  }
  name.fail(fmt::format("= \"{}\" is not a material of this scene{}; {}", word, reading::did_you_mean(word, names),
                        names.empty() ? "it has none: add [[material]]"
                                      : fmt::format("there are: {}", fmt::join(names, ", "))));
}

namespace {

using namespace reading;

constexpr std::size_t materials_most = 255;

// friction is short for both coefficients; of these, one that is not given is as the other.
class Friction {
public:
  explicit Friction(Table& table)
      : both_(table["friction"]), static_(table["friction_static"]), kinetic_(table["friction_kinetic"]) {}

  void get(auto& sticking, auto& sliding) const {
    if (both_ && (static_ || kinetic_))
      both_.or_override(static_).or_override(kinetic_).fail(
          "cannot be given together with friction_static or friction_kinetic: give friction alone, or these two");
    double s = 0, k = 0;
    for (const Value* v : {&both_, &static_})
      v->get(s);
    for (const Value* v : {&both_, &kinetic_})
      v->get(k);
    if (both_ || static_ || kinetic_) {
      sticking = kinetic_ && !static_ ? k : s;
      sliding = static_ && !kinetic_ ? s : k;
    }
    if (static_ && kinetic_ && k > s)
      kinetic_.or_override(static_).fail(fmt::format(
          "makes friction_kinetic {} exceed friction_static {}: sliding friction is at most the static one", k, s));
  }

private:
  Value both_, static_, kinetic_;
};

class Loader {
public:
  Loader(toml::table document, const std::string& name, std::vector<std::string> warnings)
      : document_(std::move(document)), root_(&document_, "", document_.source(), scene_file_keys(), &errors_) {
    scene_.source = name;
    scene_.warnings = std::move(warnings);
  }

  Scene load() {
    // All tables first, so that a misspelt one is named before anything that it was to hold is missed.
    const Value scene = root_["scene"], time = root_["time"], domain = root_["domain"], solver = root_["solver"],
                material = root_["material"], grains = root_["grains"], matched = root_["shape_matched_body"],
                cloth = root_["cloth"], emitter = root_["emitter"], body = root_["body"], joint = root_["joint"],
                robot = root_["robot"], sink = root_["sink"], camera = root_["camera"],
                depth_camera = root_["depth_camera"], upsampling = root_["upsampling"], soil = root_["soil"],
                output = root_["output"];
    attempt([&] { root_.finish(); });

    attempt([&] { read_scene(scene.table()); });
    attempt([&] { read_time(time.table()); });
    attempt([&] { read_domain(domain.table()); });
    attempt([&] { read_solver(solver.table()); });
    attempt_each(material, [&](const Table& t) { read_material(t); });
    // The others are checked against these, and would be blamed for their errors.
    stop_at_errors();
    attempt([&] { scene_.soil = read_soil(soil, scene_); });
    stop_at_errors();
    attempt_each(grains, [&](const Table& t) { read_grains(t); });
    attempt_each(matched, [&](const Table& t) { read_matched(t); });
    attempt_each(cloth, [&](const Table& t) { scene_.cloths.push_back(read_cloth(t, scene_)); });
    attempt_each(emitter, [&](const Table& t) { read_emitter(t); });
    std::unordered_set<std::string> body_names;
    attempt_each(body, [&](const Table& t) { scene_.bodies.push_back(read_body(t, scene_, body_names)); });
    attempt_each(robot, [&](const Table& t) { read_robot(t, scene_, body_names); });
    attempt_each(joint, [&](const Table& t) { scene_.joints.push_back(read_joint_between(t, scene_)); });
    attempt_each(sink, [&](const Table& t) { scene_.sinks.push_back(read_sink(t, scene_)); });
    attempt([&] { read_camera(camera.table()); });
    stop_at_errors();
    attempt([&] { read_rough_floor(); });
    attempt([&] { scene_.upsampling = read_upsampling(upsampling, scene_); });
    attempt([&] { check_exceptions(upsampling, soil); });
    attempt_each(depth_camera, [&](const Table& t) { scene_.depth_cameras.push_back(read_depth_camera(t, scene_)); });
    attempt([&] { read_output(output.table()); });
    stop_at_errors();
    check_periods();
    check_places();
    linked_bodies(scene_);  // are their joints sound?
    check_motions(scene_);
    ignored_bodies(scene_);  // are they there?
    return std::move(scene_);
  }

private:
  // An error in one table does not hide those in others: they are told together, the first one first. What is thrown
  // about a table with wrong values may only follow from them.
  void attempt(const std::function<void()>& read) {
    const std::size_t before = errors_.size();
    try {
      read();
    } catch (const SceneError& e) {
      if (errors_.size() == before)
        errors_.emplace_back(e.what());
    }
  }
  void attempt_each(const Value& list, const std::function<void(const Table&)>& read) {
    attempt([&] {
      for (const Table& t : list.tables())
        attempt([&] { read(t); });
    });
  }
  void stop_at_errors() const {
    constexpr std::size_t most = 20;
    if (errors_.empty())
      return;
    std::string all =
        fmt::format("{}", fmt::join(errors_.begin(), errors_.begin() + std::min(errors_.size(), most), "\n"));
    if (errors_.size() > most)
      all += fmt::format("\n{}: and {} more", scene_.source, errors_.size() - most);
    throw SceneError(all);
  }

  std::filesystem::path folder() const { return std::filesystem::path(scene_.source).parent_path(); }

  void read_scene(Table t) {
    const Value title = t["title"], seed = t["seed"];
    worlds_ = t["worlds"];
    t.finish();
    title.get(scene_.title);
    seed.get(scene_.seed);
    worlds_.get(scene_.worlds);
  }

  void read_time(Table t) {
    const Value dt = t["dt"], end = t["end"];
    t.finish();
    dt.get(scene_.dt);
    end.get(scene_.end);
  }

  void read_domain(Table t) {
    Domain& d = scene_.domain;
    domain_min_ = t["min"];
    domain_max_ = t["max"];
    axis_ = {t["x"], t["y"], t["z"]};
    const Value file = t["file"], scale = t["scale"], gravity = t["gravity"], rolling = t["rolling_friction"];
    domain_adhesion_ = t["adhesion"];
    domain_restitution_ = t["restitution"];
    rough_ = t["rough"];
    const Friction friction(t);
    t.finish();
    domain_min_.get(d.min);
    domain_max_.get(d.max);
    for (std::size_t a = 0; a < 3; ++a)
      axis_[a].get(d.axis[a]);
    if (file)
      take_box(file, scale);
    else if (scale)
      scale.fail("has no meaning here: allowed with domain.file");
    for (int a = 0; a < 3; ++a) {
      if (d.min[a] >= d.max[a])
        (domain_max_ ? domain_max_.or_override(domain_min_) : domain_min_)
            .element(a)
            .fail(fmt::format("makes the domain empty: its max {} must lie above its min {} in {}", d.max[a], d.min[a],
                              "xyz"[a]));
    }
    gravity.get(d.gravity);
    friction.get(d.friction_static, d.friction_kinetic);
    domain_adhesion_.get(d.adhesion);
    rolling.get(d.rolling_friction);
    domain_restitution_.get(d.restitution);
  }

  // The box of a file, but for what the keys say.
  void take_box(const Value& at, const Value& scale) {
    Domain& d = scene_.domain;
    std::string name;
    GrainFileOptions options;
    at.get(name);
    scale.get(options.scale);
    const std::filesystem::path path = folder() / name;
    std::optional<FileBox> box;
    try {
      box = load_grains(path, options).box;
    } catch (const GrainFileError& e) {
      at.fail(fmt::format("cannot be used: {}", e.what()));
    }
    if (!box)
      at.fail(fmt::format("cannot be used: {} says no box along the axes x, y and z", path.string()));
    if (!domain_min_)
      d.min = box->min;
    if (!domain_max_)
      d.max = box->max;
    for (std::size_t a = 0; a < 3; ++a)
      if (!axis_[a] && box->periodic[a].value_or(false))
        d.axis[a] = Axis::periodic;
  }

  void read_solver(Table t) {
    Solver& s = scene_.solver;
    const Value method = t["method"], iteration = t["iteration"], memory = t["contact_memory"],
                substeps = t["substeps"], accuracy = t["accuracy"];
    contact_ = t["contact"];
    std::map<std::string_view, Value> values;
    each_setting(s, [&](const Setting& setting, auto&) { values.emplace(setting.key, t[setting.key]); });
    t.finish();
    incremental_ = values.at("incremental_rebuild");
    sleep_ = values.at("sleep");
    method_ = method;

    // What the defaults depend on.
    s.method = default_method;
    method.get(s.method);
    s = default_solver(s.method, read_iteration(method, iteration));
    s = default_solver(s.method, s.iteration, read_memory(method, iteration, memory));

    if (substeps.is_word()) {
      std::string word;
      substeps.get(word);
      if (word != "auto")
        substeps.must_be("an integer from 1 to 1000, or \"auto\"");
      s.substeps = 0;
    } else
      substeps.get(s.substeps);
    each_setting(s, [&](const Setting& setting, auto& out) {
      const Value& value = values.at(setting.key);
      if (setting.read)
        value.get(out);
      else if (value)
        refuse(value, {method, iteration, memory},
               setting.key == "incremental_rebuild"
                   ? "has no meaning here: " +
                         say(limitation_of(Capability::linked_neighbours, Capability::incremental_rebuild))
                   : fmt::format("has no meaning with {}: it is a setting of {}", describe(s), value.key().readers));
    });
    read_contact(method, values.at("stiffness"));
    read_accuracy(accuracy, substeps, values.at("overlap"));
    if (domain_restitution_)
      check_restitution(domain_restitution_);
  }

  // Hertz's contact has the stiffness of the material, which need not be said.
  void read_contact(const Value& method, const Value& stiffness) {
    Solver& s = scene_.solver;
    if (contact_ && s.method != Method::dem)
      refuse(contact_, {method}, fmt::format("has no meaning with {}: it is a setting of dem", describe(s)));
    contact_.get(s.contact);
    if (s.contact == ContactLaw::linear)
      return;
    if (stiffness && s.stiffness == Stiffness::numerical)
      refuse(
          stiffness, {contact_},
          "= \"numerical\" has no meaning with contact = \"hertz\", whose stiffness is the material's: leave it out");
    s.stiffness = Stiffness::material;
    if (domain_adhesion_ && scene_.domain.adhesion > 0.0)
      domain_adhesion_.or_override(contact_).fail("is refused: " +
                                                  say(limitation_of(Capability::hertz, Capability::adhesion)));
  }

  // A material has the keys that the law of contacts takes, a modulus or stiffness and damping, and no others of these.
  // adhesion: the key that gives it.
  void check_contact(const Table& t, const Material& m, const Value& adhesion, const Value& modulus,
                     const Value& poisson, const Value& stiffness, const Value& damping) const {
    if (!has_hertz(scene_.solver)) {
      for (const Value* v : {&modulus, &poisson})
        if (*v)
          refuse(*v, {method_, contact_}, "has no meaning here: allowed with solver.contact = \"hertz\"");
      return;
    }
    for (const Value* v : {&stiffness, &damping})
      if (*v)
        refuse(*v, {contact_},
               "has no meaning with solver.contact = \"hertz\", which takes young_modulus and restitution");
    if (m.adhesion > 0.0)
      adhesion.or_override(contact_).fail("is refused: " + say(limitation_of(Capability::hertz, Capability::adhesion)));
    if (!m.young_modulus)
      t.fail("lacks the key young_modulus; solver.contact = \"hertz\" needs it");
  }

  void read_accuracy(const Value& accuracy, const Value& substeps, const Value& overlap) {
    if (!accuracy)
      return;
    Solver& s = scene_.solver;
    if (overlap)
      refuse(accuracy, {overlap}, "has no meaning beside overlap, which says the same by a number: leave one out");
    if (s.substeps != 0)
      refuse(accuracy, {substeps}, "has no meaning beside a number of substeps: set substeps to \"auto\"");
    Accuracy wanted{};
    accuracy.get(wanted);
    s.overlap = overlap_of(wanted);
  }

  void check_restitution(const Value& restitution) const {
    const Method method = scene_.solver.method;
    if (!has_restitution(method))
      refuse(restitution, {method_},
             fmt::format("has no meaning with method = \"{}\", {}: dem, vts and sp have a coefficient of restitution",
                         word(method),
                         method == Method::p2 ? "whose contacts bounce by their stiffness and damping"
                                              : "whose contacts do not bounce"));
  }

  // Settings of the solver that do not go together: the place is that of `value`, unless an override brought in another
  // one of them.
  [[noreturn]] static void refuse(const Value& value, std::initializer_list<Value> others, const std::string& what) {
    const Value* at = &value;
    for (const Value& other : others)
      at = &at->or_override(other);
    const bool replace = at != &value;
    throw SceneError(fmt::format("{} {}{}", at->label(value.path()), what,
                                 replace ? "; --set 'solver={..}' replaces the whole table" : ""));
  }

  static std::string describe(const Solver& s) {
    std::string out = fmt::format("method = \"{}\"", word(s.method));
    if (!iterations_of(s.method).empty())
      out += fmt::format(", iteration = \"{}\"", word(s.iteration));
    if (memory_optional(s.method, s.iteration))
      out += fmt::format(", contact_memory = {}", s.contact_memory);
    return out;
  }

  std::optional<Iteration> read_iteration(const Value& method, const Value& iteration) const {
    if (!iteration)
      return {};
    Iteration wanted{};
    iteration.get(wanted);
    const auto allowed = iterations_of(scene_.solver.method);
    if (allowed.empty())
      refuse(iteration, {method}, "has no meaning with method = \"dem\": it is a setting of p2, pbd, vts and sp");
    if (std::find(allowed.begin(), allowed.end(), wanted) == allowed.end()) {
      std::vector<std::string_view> words;
      for (const Iteration i : allowed)
        words.push_back(word(i));
      refuse(iteration, {method},
             fmt::format("= \"{}\" is not an iteration of method = \"{}\"; allowed: {}", word(wanted),
                         word(scene_.solver.method), fmt::join(words, ", ")));
    }
    return wanted;
  }

  std::optional<bool> read_memory(const Value& method, const Value& iteration, const Value& memory) const {
    if (!memory)
      return {};
    const Solver& s = scene_.solver;
    bool wanted = false;
    memory.get(wanted);
    if (!memory_optional(s.method, s.iteration) && wanted != s.contact_memory)
      refuse(
          memory, {method, iteration},
          s.method == Method::pbd
              ? "cannot be true with method = \"pbd\", whose friction bounds the displacements of each "
                "substep and forgets them: p2, vts and sp have a contact memory"
          : s.method == Method::dem
              ? "cannot be false with method = \"dem\", whose friction is a spring, which is the memory: leave it out"
              : "cannot be true with iteration = \"pja\", which starts each substep from no impulse: improved_jacobi, "
                "jacobi, mass_splitting and gauss_seidel have a contact memory");
    return wanted;
  }

  void read_material(Table t) {
    Material m;
    const Value preset = t["preset"], name = preset ? t["name"] : t.need("name"), density = t["density"],
                stiffness = t["stiffness"], damping = t["damping"], adhesion = t["adhesion"],
                strength = t["tensile_strength"], rolling = t["rolling_friction"], inertia = t["inertia"],
                modulus = t["young_modulus"], poisson = t["poisson_ratio"], restitution = t["restitution"],
                color = t["color"], finish = t["finish"], wetness = t["wetness"];
    const Friction friction(t);
    t.finish();
    if (scene_.materials.size() == materials_most)
      t.fail(fmt::format("is one material too many: a scene has at most {}", materials_most));
    read_preset(preset, m);
    name.get(m.name);
    check_name(name ? name : preset, m.name, scene_.materials, "material");
    density.get(m.density);
    friction.get(m.friction_static, m.friction_kinetic);
    stiffness.get(m.stiffness);
    damping.get(m.damping);
    modulus.get(m.young_modulus);
    poisson.get(m.poisson_ratio);
    adhesion.get(m.adhesion);
    if (adhesion && strength)
      refuse(strength, {adhesion}, "has no meaning beside adhesion, from which it follows: leave one out");
    double tensile_strength = 0.0;
    if (strength.get(tensile_strength); strength)
      m.adhesion = adhesion_for(tensile_strength);
    rolling.get(m.rolling_friction);
    inertia.get(m.inertia);
    restitution.get(m.restitution);
    if (restitution)
      check_restitution(restitution);
    if (restitution && damping)
      refuse(restitution, {damping}, "has no meaning beside damping, which says the same in N s/m: leave one out");
    if (damping)
      m.restitution.reset();  // that of a preset
    check_contact(t, m, adhesion ? adhesion : strength ? strength : preset, modulus, poisson, stiffness, damping);
    glm::dvec3 rgb(m.color);
    color.get(rgb);
    if (color)
      m.color = glm::vec3(rgb);
    else if (!preset && uncolored_++ > 0)
      m.color = shared::color_apart(uncolored_ - 1);
    finish.get(m.finish);
    wetness.get(m.wetness);
    scene_.materials.push_back(std::move(m));
  }

  static void read_preset(const Value& preset, Material& m) {
    if (!preset)
      return;
    std::string word;
    preset.get(word);
    std::vector<std::string> names;
    for (const Preset& p : material_presets()) {
      names.emplace_back(p.name);
      if (p.name == word) {
        m.name = p.name;
        m.density = p.density;
        m.friction_static = m.friction_kinetic = p.friction;
        m.rolling_friction = p.rolling_friction;
        if (p.restitution > 0.0)
          m.restitution = p.restitution;
        m.adhesion = adhesion_for(p.tensile_strength);
        m.color = p.color;
        m.finish = p.finish;
        m.wetness = p.wetness;
        return;
      }
    }
    preset.fail(fmt::format("must be one of {}, not \"{}\"{}", fmt::join(names, ", "), word,
                            reading::did_you_mean(word, names)));
  }

  void read_grains(Table t) {
    GrainGroup g;
    const Value material = t.need("material"), radius = t["radius"], velocity = t["velocity"],
                velocity_random = t["velocity_random"], spin = t["spin"], spin_random = t["spin_random"],
                sampling = t["sampling"], spacing = t["spacing"], jitter = t["jitter"], count = t["count"],
                fixed = t["fixed"], clump = t["clump"], fill = t.need("fill");
    t.finish();
    g.material = material_of(material, scene_.materials);
    if (radius) {
      const Radii r = read_radius(radius);
      g.radius_min = r.min;
      g.radius_max = r.max;
    }
    velocity.get(g.velocity);
    velocity_random.get(g.velocity_random);
    spin.get(g.spin);
    spin_random.get(g.spin_random);
    sampling.get(g.sampling);
    spacing.get(g.spacing);
    jitter.get(g.jitter);
    count.get(g.count);
    fixed.get(g.fixed);
    if (g.fixed)
      for (const Value* v : {&velocity, &velocity_random, &spin, &spin_random})
        if (*v)
          v->or_override(fixed).fail("has no meaning for fixed grains, which stay where they are");
    g.clump = read_clump(clump, scene_.solver, folder());
    const double reach = form_of(g.clump).reach;
    const PlacedShape placed = read_shape(fill, FillUse::grains, folder(), scene_);
    g.shape = placed.shape;
    g.where = (count ? count : placed.at).place();
    if (says_places(g.shape))
      for (const Value* v : {&sampling, &spacing, &jitter, &count})
        if (*v)
          v->fail(fmt::format("has no meaning for fill.{}: allowed with shapes that are filled",
                              std::holds_alternative<FileFill>(g.shape) ? "file" : "points"));
    if (const auto* file = std::get_if<FileFill>(&g.shape))
      take_file(g, *file, placed.at, radius, clump);
    else if (!radius)
      t.fail("lacks the key radius; it needs one");
    if (g.sampling != Sampling::lattice)
      for (const Value* v : {&spacing, &jitter})
        if (*v)
          v->fail("has no meaning here: allowed with sampling = \"lattice\"");
    check_shape(placed, radius, reach * g.radius_max);
    if (!says_places(g.shape) && !g.count) {
      const double least = g.radius_min, most = g.radius_max;
      const double mean_cube = (least * least + most * most) * (least + most) / 4;
      const double each =
          std::pow(reach, 3) * (g.sampling == Sampling::lattice ? std::pow(2 * most * g.spacing, 3)
                                                                : 4 / 0.37 * std::numbers::pi / 3 * mean_cube);
      const double spheres = spheres_of(g.clump);
      check_number(placed.at.or_override(radius),
                   spheres * Space(g.shape, scene_.domain, reach * most).volume() / each);
    }
    radius_max_ = std::max(radius_max_, reach_in_periods(reach) * g.radius_max);
    scene_.grains.push_back(std::move(g));
  }

  // A key is an error where the file already gives that quantity for each grain.
  void take_file(GrainGroup& g, const FileFill& file, const Value& at, const Value& radius, const Value& clump) {
    const std::string path = (folder() / file.file).string();
    const LoadedGrains& grains = *file.loaded;
    if (clump)
      clump.fail("has no meaning for fill.file: its grains are spheres");
    if (grains.radii.empty() && !radius)
      at.fail(fmt::format("cannot be used: {} says no radii: give the radius of its grains as radius", path));
    if (!grains.radii.empty()) {
      if (radius)
        radius.fail("has no meaning here: fill.file says the radius of each grain");
      const RadiusRange r = radii_of(grains);
      if (r.max > 100 * r.min)
        at.fail(fmt::format("cannot be used: the radii in {} are {:.6g} to {:.6g} m: the greatest may be at most 100 "
                            "times the least",
                            path, r.min, r.max));
      g.radius_min = r.min;
      g.radius_max = r.max;
    }
    if (file.materials.empty() &&
        std::ranges::adjacent_find(grains.types, std::ranges::not_equal_to()) != grains.types.end())
      scene_.warnings.push_back(
          fmt::format("{}: {} has grains of several types, which all become {}: fill.materials would name a material "
                      "for each",
                      at.place(), path, scene_.materials[g.material].name));
    check_number(at, static_cast<double>(grains.size()));
  }

  void read_matched(Table t) {
    ShapeSpec s;
    GrainGroup& g = s.grains;
    const Value name = t.need("name"), material = t.need("material"), radius = t.need("radius"),
                velocity = t["velocity"], spin = t["spin"], stiffness = t["stiffness"], fill = t.need("fill");
    t.finish();
    name.get(s.name);
    check_name(name, s.name, scene_.shapes, "shape-matched body");
    g.material = material_of(material, scene_.materials);
    radius.get(g.radius_max);
    g.radius_min = g.radius_max;
    velocity.get(g.velocity);
    spin.get(s.spin);
    stiffness.get(s.stiffness);
    const PlacedShape placed = read_shape(fill, FillUse::particles, folder(), scene_);
    g.shape = placed.shape;
    g.where = placed.at.place();
    check_shape(placed, radius, g.radius_max);
    if (!std::holds_alternative<PointsFill>(g.shape))
      check_number(placed.at.or_override(radius), Space(g.shape, scene_.domain, g.radius_max).volume() /
                                                      (4 / 0.37 * std::numbers::pi / 3 * std::pow(g.radius_max, 3)));
    radius_max_ = std::max(radius_max_, g.radius_max);
    scene_.shapes.push_back(std::move(s));
  }

  // A clump meets no image of itself: periods of 12 of these are twice as long as it is.
  static double reach_in_periods(double reach) { return std::max(1.0, reach / 3.0); }

  void read_emitter(Table t) {
    Emitter e;
    const Value material = t.need("material"), radius = t.need("radius"), velocity = t["velocity"],
                rate = t.need("rate"), start = t["start"], stop = t["stop"], count = t["count"], clump = t["clump"],
                shape = t.need("shape");
    t.finish();
    e.material = material_of(material, scene_.materials);
    const Radii r = read_radius(radius);
    e.radius_min = r.min;
    e.radius_max = r.max;
    velocity.get(e.velocity);
    rate.get(e.rate);
    start.get(e.start);
    e.stop = std::max(scene_.end, e.start);
    stop.get(e.stop);
    if (stop && e.stop < e.start)
      stop.or_override(start).fail(
          fmt::format("makes the emitter stop at {} s, before its start at {} s: stop must be later", e.stop, e.start));
    e.stop = std::max(std::min(e.stop, scene_.end), e.start);
    count.get(e.count);
    e.clump = read_clump(clump, scene_.solver, folder());
    const double reach = form_of(e.clump).reach;
    const PlacedShape placed = read_shape(shape, FillUse::emitted, folder(), scene_);
    e.shape = placed.shape;
    e.where = (count ? count : rate).place();
    check_shape(placed, radius, reach * r.max);
    const double emitted = e.rate * (e.stop - e.start);
    check_number(rate, spheres_of(e.clump) * (e.count ? std::min<double>(emitted, *e.count) : emitted));
    radius_max_ = std::max(radius_max_, reach_in_periods(reach) * r.max);
    scene_.emitters.push_back(std::move(e));
  }

  // domain.rough: [[grains]] in front of all others, which are placed around them.
  void read_rough_floor() {
    bool rough = false;
    rough_.get(rough);
    if (!rough)
      return;
    const Domain& d = scene_.domain;
    if (d.axis[2] != Axis::wall)
      rough_.fail("needs a floor: allowed with domain.z = \"wall\"");
    for (const int a : {0, 1})
      if (d.axis[a] == Axis::open)
        rough_.fail(fmt::format("needs sides, and domain.{} is open: allowed with \"wall\" and \"periodic\"", "xy"[a]));
    GrainGroup floor;
    const auto like = [&](const auto& source) {
      floor.material = source.material;
      floor.radius_min = floor.radius_max = 0.5 * (source.radius_min + source.radius_max);
    };
    if (const auto moves = std::ranges::find(scene_.grains, false, &GrainGroup::fixed); moves != scene_.grains.end())
      like(*moves);
    else if (!scene_.emitters.empty())
      like(scene_.emitters.front());
    else
      rough_.fail("has no grains to be as large as: add [[grains]] that move, or [[emitter]]");
    // Shaken out of its lattice: on a regular layer, equal grains grow a crystal, whose heap is 7 degrees steeper. The
    // widest gap between four of them lets no ball of 0.77 radii through.
    floor.spacing = 1.25;
    floor.jitter = 1.0;
    const double height = 2.0 * floor.radius_max * floor.spacing;
    floor.shape = BoxFill{d.min, {d.max.x, d.max.y, d.min.z + height}};
    floor.sampling = Sampling::lattice;
    floor.fixed = true;
    floor.where = rough_.place();
    check_number(rough_, (d.max.x - d.min.x) * (d.max.y - d.min.y) / (height * height));
    scene_.grains.insert(scene_.grains.begin(), std::move(floor));
  }

  void read_camera(Table t) {
    Camera& c = scene_.camera;
    const Value eye = t["eye"], target = t["target"], fov = t["fov"], aperture = t["aperture"], focus = t["focus"],
                shutter = t["shutter"];
    t.finish();
    aperture.get(c.aperture);
    focus.get(c.focus);
    shutter.get(c.shutter);
    eye.get(c.eye);
    target.get(c.target);
    if (c.eye && c.target && *c.eye == *c.target)
      target.or_override(eye).fail("must differ from the other end of the view: eye and target are the same point");
    fov.get(c.fov);
  }

  void read_color_range(const Value& range) {
    glm::dvec2& ends = scene_.output.color_range;
    const std::vector<Value> given = range.elements();
    if (given.size() != 2)
      range.fail("must be [min, max]");
    for (int a = 0; a < 2; ++a)
      given[a].get(ends[a]);
    if (ends.x >= ends.y)
      range.fail("must have min below max");
    if (scene_.output.color_by == ColorBy::force && ends.x <= 0.0)
      range.fail("must begin above 0: forces have a logarithmic scale");
  }

  void read_output(Table t) {
    const Value color_by = t["color_by"], speed_max = t["speed_max"], color_range = t["color_range"],
                level = t["level"], quality = t["quality"];
    t.finish();
    quality.get(scene_.output.quality);
    color_by.get(scene_.output.color_by);
    speed_max.get(scene_.output.speed_max);
    if (color_range)
      read_color_range(color_range);
    if (level && !scene_.upsampling)
      level.fail("has no meaning here: allowed in a scene with [upsampling], which has two levels");
    level.get(scene_.output.level);
  }

  // The shape lies within walls and periods, and has room for a grain.
  void check_shape(const PlacedShape& placed, const Value& radius, double radius_max) const {
    const Domain& d = scene_.domain;
    auto inside = [&](const Value& at, const Bounds& b) {
      for (int a = 0; a < 3; ++a)
        if (const double slack = 1e-9 * (d.max[a] - d.min[a]);
            d.axis[a] != Axis::open && (b.min[a] < d.min[a] - slack || b.max[a] > d.max[a] + slack))
          at.or_override(domain_min_)
              .or_override(domain_max_)
              .or_override(axis_[a])
              .fail(fmt::format("puts grains outside the domain: they reach from {:.9g} to {:.9g} m in {}, allowed is "
                                "{:.9g} to {:.9g} m",
                                b.min[a], b.max[a], "xyz"[a], d.min[a], d.max[a]));
    };
    if (std::holds_alternative<FileFill>(placed.shape))
      return;  // checked by its lines
    if (const auto* points = std::get_if<PointsFill>(&placed.shape)) {
      const std::vector<Value> at = placed.at.elements();
      for (std::size_t i = 0; i < at.size(); ++i)
        inside(at[i], {points->points[i], points->points[i]});
      return;
    }
    inside(placed.at, bounds(placed.shape));
    if (!Space(placed.shape, d, radius_max).fits(radius_max))
      placed.at.or_override(radius).fail(fmt::format("makes a geometry that holds no grain: a grain of radius {} m is "
                                                     "{} m wide; give a larger geometry or a smaller "
                                                     "radius",
                                                     radius_max, 2 * radius_max));
  }

  void check_exceptions(const Value& upsampling, const Value& soil) {
    check_soil(soil);
    if (upsampling && has_clumps(scene_))
      upsampling.fail("is refused: " + say(limitation_of(Capability::clumps, Capability::upsampling)));
    if (upsampling && scene_.worlds > 1)
      upsampling.or_override(worlds_).fail("is refused: " +
                                           say(limitation_of(Capability::worlds, Capability::upsampling)));
    if (scene_.solver.incremental_rebuild && scene_.solver.neighbours == Neighbours::sorted) {
      if (scene_.worlds > 1)
        warn_of(incremental_, Capability::worlds, Capability::incremental_rebuild);
      if (!scene_.cloths.empty())
        warn_of(incremental_, Capability::cloth, Capability::incremental_rebuild);
    }
    if (scene_.solver.sleep) {
      if (!scene_.cloths.empty())
        warn_of(sleep_, Capability::cloth, Capability::sleep);
      if (has_clumps(scene_))
        warn_of(sleep_, Capability::clumps, Capability::sleep);
      if (!scene_.shapes.empty())
        warn_of(sleep_, Capability::shapes, Capability::sleep);
    }
  }

  void check_soil(const Value& soil) const {
    const auto refuse_soil = [&](Capability other) {
      soil.fail("is refused: " + say(limitation_of(Capability::soil, other)));
    };
    if (!soil)
      return;
    if (scene_.solver.method != Method::dem)
      refuse_soil(Capability::iterated_methods);
    if (!scene_.solver.sleep)
      refuse_soil(Capability::without_sleep);
    if (!scene_.cloths.empty())
      refuse_soil(Capability::cloth);
    if (!scene_.shapes.empty())
      refuse_soil(Capability::shapes);
    if (has_clumps(scene_))
      refuse_soil(Capability::clumps);
    if (scene_.upsampling)
      refuse_soil(Capability::upsampling);
  }

  // A key that a scene gives has no effect beside what it has.
  void warn_of(const Value& key, Capability with, Capability asked) {
    if (key)
      scene_.warnings.push_back(
          fmt::format("{} = true has no effect: {}", key.label(key.path()), say(limitation_of(with, asked))));
  }

  void check_number(const Value& at, double more) {
    grains_ += more;
    if (grains_ > static_cast<double>(grains_most))
      at.fail(fmt::format("brings the scene to about {:.3g} grains: the limit is {}", grains_, grains_most));
  }

  // The neighbour grid needs three cells on a periodic axis, each a diameter and the search margin wide.
  void check_periods() const {
    const Domain& d = scene_.domain;
    const double least = shared::period_least * 1.0001 * radius_max_;
    for (int a = 0; a < 3; ++a)
      if (d.axis[a] == Axis::periodic && d.max[a] - d.min[a] < least)
        axis_[a]
            .or_override(domain_min_)
            .or_override(domain_max_)
            .fail(fmt::format(
                "makes {0} periodic over {1:.6g} m, which is too short: allowed is {2:.6g} m or more, 12 radii of "
                "the largest grain, since neighbour search needs three cells on the axis",
                "xyz"[a], d.max[a] - d.min[a], least));
  }

  // Grains are nowhere so far out that their places are too coarse for their contacts.
  void check_places() const {
    const Furthest furthest = furthest_of(scene_);
    if (const Value& end = furthest.domain_max.value_or(true) ? domain_max_ : domain_min_; furthest.domain_max && end)
      if (const auto coarse = coarse_places(scene_, furthest, spacing_most))
        end.element(furthest.axis).fail(*coarse);
    check_spacing(scene_);
  }

  toml::table document_;
  Errors errors_;
  Table root_;
  Scene scene_;
  Value domain_min_ = none_, domain_max_ = none_, worlds_ = none_, incremental_ = none_, method_ = none_,
        sleep_ = none_, domain_restitution_ = none_, domain_adhesion_ = none_, contact_ = none_, rough_ = none_;
  std::array<Value, 3> axis_{none_, none_, none_};
  double radius_max_ = 0, grains_ = 0;
  std::uint32_t uncolored_ = 0;  // materials without a colour or a preset so far
  static inline const Value none_{nullptr, "", {}};
};

}  // namespace

Scene parse_scene(const std::string& text, const std::string& name, const std::vector<std::string>& overrides) {
  std::vector<std::string> warnings;
  toml::table document = reading::read_document(text, name, overrides, warnings);
  return Loader(std::move(document), name, std::move(warnings)).load();
}

Scene build_scene(const SceneTable& tables, const std::string& name, const std::vector<std::string>& overrides) {
  std::vector<std::string> warnings;
  toml::table document = reading::read_document(tables, overrides, warnings);
  return Loader(std::move(document), name, std::move(warnings)).load();
}

Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    throw SceneError(file.string() + ": no such file");
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad())
    throw SceneError(file.string() + ": cannot be read");
  return parse_scene(text, file.string(), overrides);
}

}  // namespace talus
