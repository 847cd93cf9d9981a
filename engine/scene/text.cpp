#include "engine/scene/text.h"
#include "engine/scene/grain_file.h"
#include "engine/scene/settings.h"
#include "engine/scene/words.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace talus {

namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (u < 0x20 || u == 0x7f)
      out += fmt::format("\\u{:04X}", u);
    else
      out += c;
  }
  return out + '"';
}

std::string vec(const auto& v) {
  return fmt::format("[{}, {}, {}]", v.x, v.y, v.z);
}

std::string list(const std::vector<glm::dvec3>& places) {
  std::string out;
  for (const glm::dvec3& p : places)
    out += vec(p) + ", ";
  return out;
}

std::string radius(double min, double max) {
  return min == max ? fmt::format("{}", min) : fmt::format("[{}, {}]", min, max);
}

struct PartText {
  bool met = true;  // by grains, and not filled with them

  std::string operator()(const PlanePart&) const { return "plane = {}"; }
  std::string operator()(const BoxPart& p) const { return fmt::format("box = {{ size = {} }}", vec(p.size)); }
  std::string operator()(const SpherePart& p) const { return fmt::format("sphere = {{ radius = {} }}", p.radius); }
  std::string operator()(const CapsulePart& p) const {
    return fmt::format("capsule = {{ radius = {}, height = {} }}", p.radius, p.height);
  }
  std::string operator()(const ConePart& p) const {
    return fmt::format("cone = {{ radius = {}, top_radius = {}, height = {} }}", p.radius, p.top_radius, p.height);
  }
  std::string operator()(const TorusPart& p) const {
    return fmt::format("torus = {{ radius = {}, tube_radius = {} }}", p.radius, p.section);
  }
  std::string operator()(const MeshPart& p) const {
    std::string out = p.gear ? fmt::format("gear = {{ module = {}, teeth = {}, helix_angle = {}, pressure_angle = {}, "
                                           "width = {}, bore_radius = {}, samples = {}",
                                           p.gear->module, p.gear->teeth, p.gear->helix_angle, p.gear->pressure_angle,
                                           p.gear->width, p.gear->bore_radius, p.gear->samples)
                             : fmt::format("mesh = {{ file = {}, scale = {}", quoted(p.file), p.scale);
    if (p.up)
      out += fmt::format(", up = \"{}\"", word(*p.up));
    if (!met)
      return out + " }";
    out += fmt::format(", as = \"{}\"", word(p.as));
    if (p.as == MeshAs::sdf && p.cell > 0.0)
      out += fmt::format(", cell = {}", p.cell);
    if (p.as == MeshAs::particles && p.radius > 0.0)
      out += fmt::format(", radius = {}", p.radius);
    return out + " }";
  }
};

std::string surface_text(const SoilSurface& s) {
  std::string out = fmt::format("surface = {{ file = {}", quoted(s.file));
  const auto corner = [&](std::string_view key, const std::optional<glm::dvec2>& at) {
    if (at)
      out += fmt::format(", {} = [{}, {}]", key, at->x, at->y);
  };
  corner("min", s.min);
  corner("max", s.max);
  if (s.black && s.white)
    out += fmt::format(", black = {}, white = {}", *s.black, *s.white);
  else
    out += fmt::format(", scale = {}, offset = {}", s.scale, s.offset);
  if (s.fill)
    out += fmt::format(", fill = {}", *s.fill);
  return out + fmt::format(", interpolation = \"{}\" }}\n", word(s.resampling));
}

std::string parts_text(const std::vector<BodyPart>& parts, bool met) {
  std::string out = "parts = [\n";
  for (const BodyPart& p : parts)
    out +=
        fmt::format("  {{ {}, position = {}, rotation = {}, subtract = {}{} }},\n", std::visit(PartText{met}, p.shape),
                    vec(p.position), vec(p.rotation), p.subtract, p.after_fill ? ", after_fill = true" : "");
  return out + "]";
}

std::string visual_text(const std::vector<BodyPart>& parts) {
  std::string out = "visual = [\n";
  for (const BodyPart& p : parts)
    out += fmt::format("  {{ {}, position = {}, rotation = {} }},\n", std::visit(PartText{false}, p.shape),
                       vec(p.position), vec(p.rotation));
  return out + "]\n";
}

struct ShapeText {
  const std::vector<Material>& materials;

  std::string operator()(const BoxFill& s) const {
    return fmt::format("box = {{ min = {}, max = {} }}", vec(s.min), vec(s.max));
  }
  std::string operator()(const SphereFill& s) const {
    return fmt::format("sphere = {{ center = {}, radius = {} }}", vec(s.center), s.radius);
  }
  std::string operator()(const CylinderFill& s) const {
    return fmt::format("cylinder = {{ base = {}, radius = {}, height = {} }}", vec(s.base), s.radius, s.height);
  }
  std::string operator()(const PointsFill& s) const { return "points = [" + list(s.points) + "]"; }
  std::string operator()(const FileFill& s) const {
    std::string out = fmt::format("file = {}\nfill.scale = {}", quoted(s.file), s.scale);
    if (s.frame)
      out += fmt::format("\nfill.frame = {}", *s.frame);
    std::vector<std::string> names;
    for (const std::uint32_t m : s.materials)
      names.push_back(quoted(materials.at(m).name));
    if (!names.empty())
      out += fmt::format("\nfill.materials = [{}]", fmt::join(names, ", "));
    return out;
  }
  std::string operator()(const SolidFill& s) const { return parts_text(s.parts, false); }
};

std::string value_text(const JointValue& value) {
  if (const auto* number = std::get_if<double>(&value))
    return fmt::format("{}", *number);
  if (const auto* formula = std::get_if<Formula>(&value))
    return quoted(formula->text);
  const Track& track = std::get<Track>(value);
  std::string out = "[";
  for (const Track::Key& key : track.keys)
    out += fmt::format("[{}, {}], ", key.time, key.value);
  return out + fmt::format("], interpolation = \"{}\", repeat = {}", word(track.interpolation), track.repeat);
}

// What acts along the axis of a joint of dynamic bodies, each with a comma before it.
std::string motor_text(const Motor& m) {
  std::string out = ", motor = { ";
  if (m.target)
    out += fmt::format("target = {}, stiffness = {}, damping = {}, strength = {}, ", value_text(*m.target), m.stiffness,
                       m.damping, m.strength);
  else if (m.strength != 0.0 || m.torque == 0.0)
    out += fmt::format("speed = {}, strength = {}, ", value_text(m.speed), m.strength);
  return out + fmt::format("torque = {} }}", m.torque);
}
std::string spring_text(const JointSpring& s) {
  if (s.stiffness == 0.0 && s.damping == 0.0)
    return "";
  return fmt::format(", spring = {{ stiffness = {}, damping = {}, rest = {} }}", s.stiffness, s.damping, s.rest);
}

// The keys of a body that move it, one a line.
struct MotionText {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const Keyframes& k) const {
    std::string out = "keyframes = [\n";
    for (const Keyframe& frame : k.frames) {
      out += fmt::format("  {{ time = {}", frame.time);
      if (frame.position)
        out += ", position = " + vec(*frame.position);
      if (frame.rotation)
        out += ", rotation = " + vec(*frame.rotation);
      out += " },\n";
    }
    return out + fmt::format("]\ninterpolation = \"{}\"\nrepeat = {}\n", word(k.interpolation), k.repeat);
  }
  std::string operator()(const Functions& f) const {
    const auto three = [](const std::array<Formula, 3>& v) {
      return fmt::format("[{}, {}, {}]", quoted(v[0].text), quoted(v[1].text), quoted(v[2].text));
    };
    return fmt::format("motion = {{ position = {}, rotation = {} }}\n", three(f.position), three(f.rotation));
  }
  std::string operator()(const Joint& j) const {
    std::string out = fmt::format("joint = {{ type = \"{}\", origin = {}, rotation = {}", word(j.type), vec(j.origin),
                                  vec(j.rotation));
    if (j.type == JointType::fixed)
      return out + " }\n";
    out += ", axis = " + vec(j.axis);
    if (j.friction != 0.0)
      out += fmt::format(", friction = {}", j.friction);
    if (j.armature != 0.0)
      out += fmt::format(", armature = {}", j.armature);
    if (j.start_speed != 0.0)
      out += fmt::format(", start_speed = {}", j.start_speed);
    if (j.motor)
      out += motor_text(*j.motor);
    out += spring_text(j.spring);
    if (j.gear)
      out += fmt::format(", gear = {{ body = {}, multiplier = {}, offset = {} }}", quoted(j.gear->body),
                         j.gear->multiplier, j.gear->offset);
    for (const auto& [key, limit] :
         {std::pair("min", j.min), {"max", j.max}, {"speed", j.speed}, {"acceleration", j.acceleration}})
      if (std::isfinite(limit))
        out += fmt::format(", {} = {}", key, limit);
    if (j.type == JointType::ball)
      return out + " }\n";
    out += ", value = " + value_text(j.value);
    return out + " }\n";
  }
};

std::string clump(const Clump& clump) {
  if (!clump.name().empty())
    return quoted(clump.name());
  if (clump.mesh())
    return fmt::format("{{ mesh = {}, spheres = {} }}", quoted(clump.mesh()->file), clump.spheres().size());
  std::vector<std::string> spheres;
  for (const glm::dvec4& s : clump.spheres())
    spheres.push_back(fmt::format("[{}, {}, {}, {}]", s.x, s.y, s.z, s.w));
  return fmt::format("[{}]", fmt::join(spheres, ", "));
}

}  // namespace

std::string to_toml(const Scene& scene) {
  std::string out;
  auto line = [&](std::string_view key, const auto& value) { out += fmt::format("{} = {}\n", key, value); };
  auto word_line = [&](std::string_view key, std::string_view value) { line(key, quoted(std::string(value))); };

  out += "[scene]\n";
  line("title", quoted(scene.title));
  line("seed", scene.seed);
  line("worlds", scene.worlds);

  out += "[time]\n";
  line("dt", scene.dt);
  line("end", scene.end);

  out += "[domain]\n";
  line("min", vec(scene.domain.min));
  line("max", vec(scene.domain.max));
  for (int a = 0; a < 3; ++a)
    word_line(std::string_view("xyz").substr(a, 1), word(scene.domain.axis[a]));
  line("gravity", vec(scene.domain.gravity));
  if (scene.domain.friction_static)
    line("friction_static", *scene.domain.friction_static);
  if (scene.domain.friction_kinetic)
    line("friction_kinetic", *scene.domain.friction_kinetic);
  if (scene.domain.adhesion)
    line("adhesion", *scene.domain.adhesion);
  if (scene.domain.rolling_friction)
    line("rolling_friction", *scene.domain.rolling_friction);
  if (scene.domain.restitution)
    line("restitution", *scene.domain.restitution);

  out += "[solver]\n";
  const Solver& solver = scene.solver;
  word_line("method", word(solver.method));
  if (!iterations_of(solver.method).empty())
    word_line("iteration", word(solver.iteration));
  line("contact_memory", solver.contact_memory);
  if (solver.substeps == 0)
    word_line("substeps", "auto");
  else
    line("substeps", solver.substeps);
  // Written only where it differs from the default, so that checkpoints of versions without it stay valid.
  if (solver.contact != ContactLaw::linear)
    word_line("contact", word(solver.contact));
  each_setting(solver, [&](const Setting& setting, const auto& value) {
    if (!setting.read)
      return;
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
      word_line(setting.key, word(value));
    else
      line(setting.key, value);
  });

  for (const Material& m : scene.materials) {
    out += "[[material]]\n";
    line("name", quoted(m.name));
    line("density", m.density);
    line("friction_static", m.friction_static);
    line("friction_kinetic", m.friction_kinetic);
    if (solver.contact == ContactLaw::linear) {
      line("stiffness", m.stiffness);
      if (m.damping)
        line("damping", *m.damping);
    } else {
      if (m.young_modulus)
        line("young_modulus", *m.young_modulus);
      line("poisson_ratio", m.poisson_ratio);
    }
    line("adhesion", m.adhesion);
    if (m.rolling_friction)
      line("rolling_friction", *m.rolling_friction);
    line("inertia", m.inertia);
    if (m.restitution)
      line("restitution", *m.restitution);
    line("color", vec(m.color));
    // Written only where they differ from the default, so that checkpoints of versions without them stay valid.
    if (m.finish != Finish::sand)
      word_line("finish", word(m.finish));
    if (m.wetness > 0.0)
      line("wetness", m.wetness);
  }

  for (const GrainGroup& g : scene.grains) {
    out += "[[grains]]\n";
    line("material", quoted(scene.materials.at(g.material).name));
    if (const auto* file = std::get_if<FileFill>(&g.shape); !file || file->loaded->radii.empty())
      line("radius", radius(g.radius_min, g.radius_max));
    if (!g.fixed) {
      line("velocity", vec(g.velocity));
      line("velocity_random", g.velocity_random);
      if (g.spin != glm::dvec3(0.0))  // so that checkpoints of scenes without it are read by builds with and without it
        line("spin", vec(g.spin));
      if (g.spin_random > 0.0)
        line("spin_random", g.spin_random);
    }
    if (!says_places(g.shape))
      word_line("sampling", word(g.sampling));
    if (g.sampling == Sampling::lattice) {
      line("spacing", g.spacing);
      line("jitter", g.jitter);
    }
    if (g.count)
      line("count", *g.count);
    if (g.fixed)
      line("fixed", g.fixed);
    if (g.clump)
      line("clump", clump(*g.clump));
    out += "fill." + std::visit(ShapeText{scene.materials}, g.shape) + "\n";
  }

  for (const ShapeSpec& s : scene.shapes) {
    out += "[[shape_matched_body]]\n";
    line("name", quoted(s.name));
    line("material", quoted(scene.materials.at(s.grains.material).name));
    line("radius", s.grains.radius_max);
    line("velocity", vec(s.grains.velocity));
    line("spin", vec(s.spin));
    line("stiffness", s.stiffness);
    out += "fill." + std::visit(ShapeText{scene.materials}, s.grains.shape) + "\n";
  }

  for (const ClothSpec& c : scene.cloths) {
    out += "[[cloth]]\n";
    line("name", quoted(c.name));
    line("material", quoted(scene.materials.at(c.material).name));
    if (const auto* grid = std::get_if<ClothGrid>(&c.sheet)) {
      out += fmt::format("grid = {{ size = [{}, {}], cells = [{}, {}] }}\n", grid->size.x, grid->size.y, grid->cells.x,
                         grid->cells.y);
      line("shear", c.shear);
    } else
      out += PartText{false}(std::get<MeshPart>(c.sheet)) + "\n";
    line("position", vec(c.position));
    line("rotation", vec(c.rotation));
    line("velocity", vec(c.velocity));
    line("density", c.density);
    line("thickness", c.thickness);
    line("stretch", c.stretch);
    line("bend", c.bend);
    if (!c.pins.empty())
      out += "pins = [" + list(c.pins) + "]\n";
    if (c.pin_box)
      out += fmt::format("pin_box = {{ min = {}, max = {} }}\n", vec(c.pin_box->min), vec(c.pin_box->max));
    line("self_contact", c.touches_itself);
    if (c.color)
      line("color", vec(*c.color));
  }

  for (const Emitter& e : scene.emitters) {
    out += "[[emitter]]\n";
    line("material", quoted(scene.materials.at(e.material).name));
    line("radius", radius(e.radius_min, e.radius_max));
    line("velocity", vec(e.velocity));
    line("rate", e.rate);
    line("start", e.start);
    line("stop", e.stop);
    if (e.count)
      line("count", *e.count);
    if (e.clump)
      line("clump", clump(*e.clump));
    out += "shape." + std::visit(ShapeText{scene.materials}, e.shape) + "\n";
  }

  for (const BodySpec& b : scene.bodies) {
    out += "[[body]]\n";
    line("name", quoted(b.name));
    if (b.material)
      line("material", quoted(scene.materials.at(*b.material).name));
    line("position", vec(b.position));
    line("rotation", vec(b.rotation));
    if (b.mass)
      line("mass", *b.mass);
    if (b.density)
      line("density", *b.density);
    if (b.center)
      line("center_of_mass", vec(*b.center));
    if (b.inertia)
      out += fmt::format("inertia = [{}]\n", fmt::join(*b.inertia, ", "));
    if (!b.parent.empty())
      line("parent", quoted(b.parent));
    if (std::holds_alternative<std::monostate>(b.motion)) {
      line("velocity", vec(b.velocity));
      line("spin", vec(b.spin));
    } else if (b.spin != glm::dvec3(0.0)) {  // on a ball joint
      line("spin", vec(b.spin));
    }
    if (!b.ignores.empty()) {
      out += "ignores = [";
      for (std::size_t i = 0; i < b.ignores.size(); ++i)
        out += (i > 0 ? ", " : "") + quoted(b.ignores[i]);
      out += "]\n";
    }
    out += std::visit(MotionText{}, b.motion);
    line("load_filter", b.load_filter);
    if (b.color)
      line("color", vec(*b.color));
    if (b.finish)
      word_line("finish", word(*b.finish));
    if (b.show != Show::solid)
      word_line("show", word(b.show));
    if (b.ground != GroundContact::grains)
      word_line("ground", word(b.ground));
    out += parts_text(b.parts, true) + "\n";
    if (!b.visual.empty())
      out += visual_text(b.visual);
  }

  for (const JointSpec& spec : scene.joints) {
    const Joint& j = spec.joint;
    out += "[[joint]]\n";
    line("name", quoted(spec.name));
    out += fmt::format("bodies = [{}{}]\n", quoted(spec.body), spec.parent.empty() ? "" : ", " + quoted(spec.parent));
    word_line("type", word(j.type));
    line("origin", vec(j.origin));
    line("rotation", vec(j.rotation));
    if (j.type == JointType::fixed)
      continue;
    line("axis", vec(j.axis));
    line("friction", j.friction);
    if (j.armature != 0.0)
      line("armature", j.armature);
    for (const auto& [key, limit] : {std::pair("min", j.min), {"max", j.max}})
      if (std::isfinite(limit))
        line(key, limit);
    if (const std::string spring = spring_text(j.spring); !spring.empty())
      out += spring.substr(2) + "\n";
  }

  for (const RobotSpec& r : scene.robots) {
    out += "[[robot]]\n";
    line("name", quoted(r.name));
    out += "links = [\n";
    for (const std::string& link : r.links) {
      out += fmt::format("  {{ body = {}", quoted(link));
      if (const auto joint = std::ranges::find(r.joints, link, &RobotJoint::body); joint != r.joints.end()) {
        out += fmt::format(", joint = {}", quoted(joint->name));
        if (joint->mimic)
          out += fmt::format(", mimic = {{ joint = {}, multiplier = {}, offset = {} }}", quoted(joint->mimic->joint),
                             joint->mimic->multiplier, joint->mimic->offset);
      }
      out += " },\n";
    }
    out += "]\n";
  }

  for (const SinkSpec& s : scene.sinks) {
    out += "[[sink]]\n";
    line("name", quoted(s.name));
    if (s.material)
      line("material", quoted(scene.materials.at(*s.material).name));
    line("position", vec(s.position));
    line("rotation", vec(s.rotation));
    out += parts_text(s.parts, false) + "\n";
  }

  if (scene.upsampling) {
    const Upsampling& u = *scene.upsampling;
    out += "[upsampling]\n";
    line("radius", radius(u.radius_min, u.radius_max));
    if (u.step > 0.0)
      line("step", u.step);
    else
      word_line("step", "auto");
    line("packing", u.packing);
    line("friction", u.friction);
    word_line("advection", word(u.advection));
  }

  if (scene.soil) {
    const Soil& s = *scene.soil;
    out += "[soil]\n";
    line("material", quoted(scene.materials.at(s.material).name));
    line("radius", radius(s.radius_min, s.radius_max));
    line("min", fmt::format("[{}, {}]", s.min.x, s.min.y));
    line("max", fmt::format("[{}, {}]", s.max.x, s.max.y));
    if (s.cell > 0.0)
      line("cell", s.cell);
    if (s.surface && !s.surface->formula.empty())
      line("height", quoted(s.surface->formula));
    else if (s.surface)
      out += surface_text(*s.surface);
    else
      line("height", s.height);
    line("angle_of_repose", s.repose);
    line("margin", s.margin);
    line("compaction", s.compaction);
    line("swell", s.swell);
    if (!s.parts.empty())
      out += parts_text(s.parts, false) + "\n";
    if (const auto& t = s.terramechanics) {
      out += "[soil.terramechanics]\n";
      line("cohesive_modulus", t->cohesive);
      line("frictional_modulus", t->frictional);
      line("exponent", t->exponent);
      if (t->width)
        line("width", *t->width);
      line("cohesion", t->cohesion);
      line("friction_angle", t->friction_angle);
      line("shear_displacement", t->shear);
      line("rebound", t->rebound);
      line("slip_sinkage", t->slip_sinkage);
      if (t->dig_depth)
        line("dig_depth", *t->dig_depth);
    }
    for (const SoilLayer& layer : s.layers) {
      out += "[[soil.layer]]\n";
      line("material", quoted(scene.materials.at(layer.material).name));
      if (layer.varying)
        line("thickness", quoted(layer.varying->formula));
      else
        line("thickness", layer.thickness);
      if (layer.repose)
        line("angle_of_repose", *layer.repose);
    }
  }

  out += "[camera]\n";
  if (scene.camera.eye)
    line("eye", vec(*scene.camera.eye));
  if (scene.camera.target)
    line("target", vec(*scene.camera.target));
  line("fov", scene.camera.fov);
  if (scene.camera.aperture > 0.0)
    line("aperture", scene.camera.aperture);
  if (scene.camera.focus)
    line("focus", *scene.camera.focus);
  if (scene.camera.shutter > 0.0)
    line("shutter", scene.camera.shutter);

  for (const DepthCameraSpec& c : scene.depth_cameras) {
    out += "[[depth_camera]]\n";
    line("name", quoted(c.name));
    if (c.body)
      line("body", quoted(scene.bodies.at(*c.body).name));
    line("position", vec(c.position));
    if (c.target)
      line("target", vec(*c.target));
    else
      line("rotation", vec(c.rotation));
    out += fmt::format("size = [{}, {}]\n", c.size.x, c.size.y);
    word_line("projection", word(c.projection));
    if (c.projection == Projection::perspective)
      line("fov", c.fov);
    else
      line("width", c.width);
    line("near", c.near);
    line("far", c.far);
    word_line("values", word(c.values));
  }

  out += "[output]\n";
  if (scene.output.quality != Quality::good)
    word_line("quality", word(scene.output.quality));
  word_line("color_by", word(scene.output.color_by));
  line("speed_max", scene.output.speed_max);
  if (const glm::dvec2 range = scene.output.color_range; range.x < range.y)
    line("color_range", fmt::format("[{}, {}]", range.x, range.y));
  if (scene.upsampling)
    word_line("level", word(scene.output.level));
  return out;
}

}  // namespace talus
