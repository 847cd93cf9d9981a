// urdfdom reads the file, and tells neither lines nor all that is wrong: it passes over links that it cannot read,
// links with two parents, and loops. So each element is looked at before, in the XML as pugixml has it, and urdfdom
// gets no more than what Talus uses.
#include "engine/scene/urdf.h"
#include "engine/base/read_double.h"
#include "engine/base/read_file.h"
#include "engine/scene/nearest.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <console_bridge/console.h>
#include <fmt/format.h>
#include <mutex>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <urdf_parser/urdf_parser.h>

namespace talus {

namespace {

constexpr std::uintmax_t urdf_bytes_most = std::uintmax_t{64} << 20;
constexpr double length_least = 1e-6, length_most = 1e6;  // m, as a scene's
constexpr std::string_view urdf_types = "revolute, continuous, prismatic, fixed";
constexpr std::string_view urdf_geometries = "box, sphere, cylinder, mesh";

using Nodes = std::unordered_map<std::string, pugi::xml_node>;  // by name

// RFC 3629.
bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned first = byte(i), second = byte(i + 1);
    const std::size_t more = first < 0x80                    ? 0
                             : first >= 0xc2 && first < 0xe0 ? 1
                             : first >= 0xe0 && first < 0xf0 ? 2
                                                             : 3;
    if (first >= 0xf5 || (first >= 0x80 && first < 0xc2) || (first == 0xe0 && second < 0xa0) ||
        (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
      return false;
    for (std::size_t k = 1; k <= more; ++k)
      if ((byte(i + k) & 0xc0) != 0x80)
        return false;
    i += more + 1;
  }
  return true;
}

int line_at(std::string_view text, std::ptrdiff_t offset) {
  const std::size_t end = std::min(text.size(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)));
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, end), '\n'));
}

// What urdfdom says. Its messages go to one handler of the process.
class UrdfdomErrors : public console_bridge::OutputHandler {
public:
  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR)
      said_ += (said_.empty() ? "" : "; ") + text;
  }
  const std::string& said() const { return said_; }

private:
  std::string said_;
};

// Null where it says an error.
urdf::ModelInterfaceSharedPtr read_by_urdfdom(const std::string& text, std::string& said) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  UrdfdomErrors errors;
  console_bridge::useOutputHandler(&errors);
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& e) {
    errors.log(e.what(), console_bridge::CONSOLE_BRIDGE_LOG_ERROR, "", 0);
  }
  console_bridge::restorePreviousOutputHandler();
  said = errors.said();
  return said.empty() ? model : nullptr;
}

glm::dvec3 vector_of(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

Pose pose_of(const urdf::Pose& pose) {
  double x, y, z, w;
  pose.rotation.getQuaternion(x, y, z, w);
  return {vector_of(pose.position), glm::normalize(glm::dquat(w, x, y, z))};
}

class UrdfReader {
public:
  UrdfReader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  Urdf read() {
    if (!is_utf8(text_))
      fail(1, "is not UTF-8, the encoding that Talus reads");
    const pugi::xml_parse_result result =
        document_.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
      fail(line_at(text_, result.offset), fmt::format("is no XML: {}", result.description()));
    root_ = document_.child("robot");
    if (!root_)
      fail(1, "is no URDF: it has no element <robot>");
    refuse_xacro(root_);
    named("material", materials_);
    named("link", links_);
    named("joint", joints_);
    if (links_.empty())
      fail(root_, "the robot has no <link>");
    for (const auto& [name, material] : materials_)
      check_color(material);
    for (const pugi::xml_node link : root_.children("link"))
      check_link(link);
    for (const pugi::xml_node joint : root_.children("joint"))
      check_joint(joint);
    check_tree();
    std::string said;
    model_ = read_by_urdfdom(what_is_used(), said);
    if (!model_)
      fail(line_of_name_in(said), fmt::format("urdfdom cannot read it: {}", said));
    return robot();
  }

private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw UrdfError(fmt::format("{}:{}: {}", file_, line, what));
  }
  [[noreturn]] void fail(const pugi::xml_node& at, const std::string& what) const { fail(line_of(at), what); }
  int line_of(const pugi::xml_node& node) const { return line_at(text_, node.offset_debug()); }

  void refuse_xacro(const pugi::xml_node& node) const {
    const auto is_of_xacro = [](const pugi::xml_attribute& attribute) {
      const std::string_view value = attribute.value();
      return value.find("${") != value.npos || value.find("$(") != value.npos;
    };
    for (pugi::xml_node at = node; at; at = next_element(at, node))
      if (std::string_view(at.name()).starts_with("xacro:") || std::ranges::any_of(at.attributes(), is_of_xacro))
        fail(at, fmt::format("<{}> is of xacro, whose macros Talus does not expand: run `xacro {} > robot.urdf` and "
                             "name that file",
                             at.name(), file_));
  }
  // Depth first, without recursion: a file may be nested deeply.
  static pugi::xml_node next_element(pugi::xml_node at, const pugi::xml_node& top) {
    if (at.first_child())
      return at.first_child();
    while (at != top && !at.next_sibling())
      at = at.parent();
    return at == top ? pugi::xml_node() : at.next_sibling();
  }

  void named(const char* kind, Nodes& nodes) const {
    for (const pugi::xml_node node : root_.children(kind)) {
      const std::string name = node.attribute("name").value();
      if (name.empty())
        fail(node, fmt::format("a {} has no name", kind));
      if (const auto [first, added] = nodes.emplace(name, node); !added)
        fail(node, fmt::format("the name \"{}\" is taken by the {} of line {}: names must differ", name, kind,
                               line_of(first->second)));
    }
  }

  // So many finite numbers of an attribute. who: what has them.
  template <std::size_t count>
  std::array<double, count> numbers(const pugi::xml_node& node, const char* attribute, const std::string& who) const {
    std::array<double, count> found{};
    std::istringstream words(node.attribute(attribute).value());
    std::size_t n = 0;
    for (std::string word; words >> word; ++n) {
      double number = 0.0;
      const char *begin = word.data() + word.starts_with('+'), *end = word.data() + word.size();
      const auto read = read_double(begin, end, number);
      if (read.ec != std::errc() || read.ptr != end || !std::isfinite(number))
        fail(node, fmt::format("{}: {} of <{}> has \"{}\", which is not a finite number", who, attribute, node.name(),
                               word.substr(0, 40)));
      if (n < count)
        found[n] = number;
    }
    if (n != count)
      fail(node, fmt::format("{}: {} of <{}> must be {}, not \"{}\"", who, attribute, node.name(),
                             count == 1 ? std::string("a number") : fmt::format("{} numbers", count),
                             std::string_view(node.attribute(attribute).value()).substr(0, 80)));
    return found;
  }
  // A length, or the scale of one.
  void check_length(double length, const pugi::xml_node& node, const char* attribute, const std::string& who) const {
    if (!(length >= length_least && length <= length_most))
      fail(node, fmt::format("{}: {} of <{}> has {}: allowed is {} to {}", who, attribute, node.name(), length,
                             length_least, length_most));
  }

  void check_origin(const pugi::xml_node& holder, const std::string& who) const {
    const pugi::xml_node origin = holder.child("origin");
    for (const char* attribute : {"xyz", "rpy"})
      if (origin.attribute(attribute))
        for (const double number : numbers<3>(origin, attribute, who))
          if (std::abs(number) > length_most)
            fail(origin, fmt::format("{}: {} of <origin> has {}: allowed is {} to {}", who, attribute, number,
                                     -length_most, length_most));
  }

  void check_color(const pugi::xml_node& material) const {
    const pugi::xml_node color = material.child("color");
    if (!color.attribute("rgba"))
      return;
    const std::string who = fmt::format("material {}", material.attribute("name").value());
    for (const double share : numbers<4>(color, "rgba", who))
      if (share < 0.0 || share > 1.0)
        fail(color, fmt::format("{}: rgba has {}: allowed is 0 to 1", who, share));
  }

  void check_geometry(const pugi::xml_node& geometry, const std::string& who) const {
    pugi::xml_node shape = geometry.first_child();
    while (shape && shape.type() != pugi::node_element)
      shape = shape.next_sibling();
    const std::string kind = shape.name();
    if (kind == "box") {
      for (const double edge : numbers<3>(shape, "size", who))
        check_length(edge, shape, "size", who);
    } else if (kind == "sphere" || kind == "cylinder") {
      check_length(numbers<1>(shape, "radius", who)[0], shape, "radius", who);
      if (kind == "cylinder")
        check_length(numbers<1>(shape, "length", who)[0], shape, "length", who);
    } else if (kind == "mesh") {
      check_mesh(shape, who);
    } else {
      fail(shape ? shape : geometry, kind.empty()
                                         ? fmt::format("{}: <geometry> is empty; allowed: {}", who, urdf_geometries)
                                         : fmt::format("{}: <{}> is a geometry that Talus does not take from "
                                                       "URDF; allowed: {}",
                                                       who, kind, urdf_geometries));
    }
  }

  void check_mesh(const pugi::xml_node& mesh, const std::string& who) const {
    if (std::string_view(mesh.attribute("filename").value()).empty())
      fail(mesh, fmt::format("{}: <mesh> has no filename", who));
    if (!mesh.attribute("scale"))
      return;
    const auto scale = numbers<3>(mesh, "scale", who);
    if (!(scale[0] >= length_least && scale[0] <= length_most) || scale[1] != scale[0] || scale[2] != scale[0])
      fail(mesh,
           fmt::format("{}: scale of <mesh> is [{}, {}, {}]: Talus scales a mesh by one number from {} to {} along "
                       "all axes, so scale the file itself",
                       who, scale[0], scale[1], scale[2], length_least, length_most));
  }

  void check_link(const pugi::xml_node& link) const {
    const std::string who = fmt::format("link {}", link.attribute("name").value());
    check_origin(link.child("inertial"), who);
    for (const pugi::xml_node collision : link.children("collision")) {
      check_origin(collision, who);
      if (!collision.child("geometry"))
        fail(collision, fmt::format("{}: <collision> has no <geometry>", who));
      check_geometry(collision.child("geometry"), who);
    }
    for (const pugi::xml_node visual : link.children("visual"))
      check_color(visual.child("material"));
  }

  // What collides must be sound. What is drawn alone need not: a robot without it is one still.
  std::string why_not_drawn(const pugi::xml_node& visual) const {
    try {
      const std::string who = fmt::format("link {}", visual.parent().attribute("name").value());
      check_origin(visual, who);
      if (!visual.child("geometry"))
        fail(visual, fmt::format("{}: <visual> has no <geometry>", who));
      check_geometry(visual.child("geometry"), who);
      return "";
    } catch (const UrdfError& e) {
      return e.what();
    }
  }

  void check_joint(const pugi::xml_node& joint) {
    const std::string name = joint.attribute("name").value(), type = joint.attribute("type").value(),
                      who = fmt::format("joint {}", name);
    if (type == "planar" || type == "floating")
      fail(joint, fmt::format("{} is {}, which Talus does not have; allowed: {}", who, type, urdf_types));
    if (type != "revolute" && type != "continuous" && type != "prismatic" && type != "fixed")
      fail(joint, fmt::format("{} has the type \"{}\"; allowed: {}", who, type, urdf_types));
    check_origin(joint, who);
    for (const char* end : {"parent", "child"}) {
      const pugi::xml_node at = joint.child(end);
      const std::string link = at.attribute("link").value();
      if (link.empty())
        fail(at ? at : joint, fmt::format("{} names no {} link", who, end));
      if (!links_.contains(link))
        fail(at, fmt::format("{}: its {} \"{}\" is not a link of the robot{}", who, end, link,
                             reading::did_you_mean(link, names_of(links_))));
    }
    const std::string child = joint.child("child").attribute("link").value();
    if (const auto [first, added] = parent_joint_.emplace(child, joint); !added)
      fail(joint.child("child"), fmt::format("{}: link {} has a parent by joint {} already: links form a tree", who,
                                             child, first->second.attribute("name").value()));
    if (type == "fixed")
      return;
    if (const pugi::xml_node axis = joint.child("axis"); axis.attribute("xyz")) {
      const auto xyz = numbers<3>(axis, "xyz", who);
      const double length = std::hypot(xyz[0], xyz[1], xyz[2]);
      if (!(length >= length_least && length <= length_most))
        fail(axis,
             fmt::format("{}: xyz of <axis> is {} long: allowed is {} to {}", who, length, length_least, length_most));
    }
    check_limit(joint, type, who);
    check_mimic(joint, who);
  }

  void check_limit(const pugi::xml_node& joint, const std::string& type, const std::string& who) const {
    const pugi::xml_node limit = joint.child("limit");
    if (!limit) {
      if (type != "continuous")
        fail(joint, fmt::format("{} is {} and has no <limit>: give one, or make it continuous", who, type));
      return;
    }
    for (const char* needed : {"effort", "velocity"}) {
      if (!limit.attribute(needed))
        fail(limit, fmt::format("{}: <limit> lacks {}", who, needed));
      numbers<1>(limit, needed, who);
    }
    std::array<double, 2> ends{};
    for (std::size_t e = 0; const char* end : {"lower", "upper"}) {
      if (limit.attribute(end))
        ends[e] = numbers<1>(limit, end, who)[0];
      ++e;
    }
    if (type != "continuous" && ends[0] > ends[1])
      fail(limit, fmt::format("{}: <limit> has lower {} above upper {}", who, ends[0], ends[1]));
  }

  void check_mimic(const pugi::xml_node& joint, const std::string& who) const {
    const pugi::xml_node mimic = joint.child("mimic");
    if (!mimic)
      return;
    const std::string other = mimic.attribute("joint").value();
    const auto found = joints_.find(other);
    if (found == joints_.end())
      fail(mimic, fmt::format("{} is to follow joint \"{}\", which the robot does not have{}", who, other,
                              reading::did_you_mean(other, names_of(joints_))));
    if (std::string_view(found->second.attribute("type").value()) == "fixed")
      fail(mimic, fmt::format("{} is to follow joint {}, which is fixed", who, other));
    for (const char* number : {"multiplier", "offset"})
      if (mimic.attribute(number))
        numbers<1>(mimic, number, who);
  }

  void check_tree() const {
    std::string root;
    for (const pugi::xml_node link : root_.children("link")) {
      const std::string name = link.attribute("name").value();
      if (parent_joint_.contains(name))
        continue;
      if (!root.empty())
        fail(link, fmt::format("links {} and {} both have no parent: a robot has one root, so give the other one a "
                               "joint",
                               root, name));
      root = name;
    }
    // Up from each link: more steps than there are links lead round a loop.
    for (const pugi::xml_node link : root_.children("link")) {
      std::string at = link.attribute("name").value();
      std::size_t steps = 0;
      for (auto up = parent_joint_.find(at); up != parent_joint_.end(); up = parent_joint_.find(at)) {
        at = up->second.child("parent").attribute("link").value();
        if (++steps > links_.size())
          fail(link, fmt::format("link {} is its own ancestor: links form a tree", link.attribute("name").value()));
      }
    }
  }

  // The materials that have a colour, the links, and the joints.
  std::string what_is_used() const {
    pugi::xml_document used;
    pugi::xml_node robot = used.append_child("robot");
    robot.append_attribute("name") = root_.attribute("name") ? root_.attribute("name").value() : "robot";
    for (const pugi::xml_node material : root_.children("material"))
      add_material(robot, material);
    for (const pugi::xml_node link : root_.children("link")) {
      pugi::xml_node to = robot.append_child("link");
      to.append_copy(link.attribute("name"));
      if (link.child("inertial"))
        to.append_copy(link.child("inertial"));
      for (const pugi::xml_node visual : link.children("visual"))
        add_visual(to, visual);
      for (const pugi::xml_node collision : link.children("collision"))
        to.append_copy(collision);
    }
    for (const pugi::xml_node joint : root_.children("joint")) {
      pugi::xml_node to = robot.append_child("joint");
      for (const char* attribute : {"name", "type"})
        to.append_copy(joint.attribute(attribute));
      std::vector<const char*> children{"origin", "parent", "child"};
      if (std::string_view(joint.attribute("type").value()) != "fixed")
        children.insert(children.end(), {"axis", "limit", "dynamics", "mimic"});
      for (const char* child : children)
        if (joint.child(child) && (std::string_view(child) != "axis" || joint.child(child).attribute("xyz")))
          to.append_copy(joint.child(child));  // urdfdom takes an axis without xyz for 0 0 0, not for none
    }
    std::ostringstream out;
    used.save(out, "", pugi::format_raw);
    return out.str();
  }
  void add_visual(pugi::xml_node to, const pugi::xml_node& visual) const {
    pugi::xml_node copy = to.append_child("visual");
    if (why_not_drawn(visual).empty()) {
      copy.append_copy(visual.child("origin"));
      copy.append_copy(visual.child("geometry"));
    } else {  // in its place, for its material
      copy.append_child("geometry").append_child("sphere").append_attribute("radius") = "1";
    }
    const pugi::xml_node material = visual.child("material");
    if (material.attribute("name") && !add_material(copy, material))
      copy.append_child("material").append_copy(material.attribute("name"));
  }
  static bool add_material(pugi::xml_node to, const pugi::xml_node& material) {
    if (!material.child("color").attribute("rgba"))
      return false;
    pugi::xml_node copy = to.append_child("material");
    copy.append_copy(material.attribute("name"));
    copy.append_copy(material.child("color"));
    return true;
  }

  // Of the last link or joint that a message of urdfdom names: in brackets or quotes.
  int line_of_name_in(const std::string& said) const {
    for (std::size_t end = said.size(); end-- > 0;)
      if (said[end] == ']' || said[end] == '\'') {
        const std::size_t begin = said.find_last_of(said[end] == ']' ? '[' : '\'', end > 0 ? end - 1 : 0);
        if (begin == said.npos || begin >= end)
          continue;
        const std::string name = said.substr(begin + 1, end - begin - 1);
        for (const Nodes* nodes : {&links_, &joints_})
          if (const auto found = nodes->find(name); found != nodes->end())
            return line_of(found->second);
      }
    return line_of(root_);
  }

  static std::vector<std::string> names_of(const Nodes& nodes) {
    std::vector<std::string> names;
    for (const auto& [name, node] : nodes)
      names.push_back(name);
    std::ranges::sort(names);
    return names;
  }

  Urdf robot() const {
    Urdf out;
    out.name = root_.attribute("name").value();
    std::unordered_map<std::string, std::size_t> link_numbers, joint_numbers;
    for (const pugi::xml_node node : root_.children("link")) {
      link_numbers.emplace(node.attribute("name").value(), out.links.size());
      out.links.push_back(link_of(node));
    }
    for (const pugi::xml_node node : root_.children("joint")) {
      joint_numbers.emplace(node.attribute("name").value(), out.joints.size());
      UrdfJoint joint = joint_of(node);
      joint.parent = link_numbers.at(node.child("parent").attribute("link").value());
      joint.child = link_numbers.at(node.child("child").attribute("link").value());
      out.links[joint.child].joint = out.joints.size();
      out.joints.push_back(std::move(joint));
    }
    for (std::size_t l = 0; l < out.links.size(); ++l)
      if (!out.links[l].joint)
        out.root = l;
    for (UrdfJoint& joint : out.joints)
      joint.mimic = mimic_of(joint.name, joint_numbers);
    return out;
  }

  UrdfLink link_of(const pugi::xml_node& node) const {
    const urdf::LinkConstSharedPtr link = model_->getLink(node.attribute("name").value());
    UrdfLink out;
    out.name = link->name;
    out.line = line_of(node);
    auto collision_node = node.child("collision");
    for (const urdf::CollisionSharedPtr& collision : link->collision_array) {
      out.collisions.push_back(geometry_of(*collision->geometry, collision->origin, line_of(collision_node)));
      collision_node = collision_node.next_sibling("collision");
    }
    auto visual_node = node.child("visual");
    for (const urdf::VisualSharedPtr& visual : link->visual_array) {
      if (visual->material && !out.color) {
        const urdf::Color& c = visual->material->color;
        out.color = glm::dvec4(c.r, c.g, c.b, c.a);
      }
      if (const std::string why = why_not_drawn(visual_node); why.empty())
        out.visuals.push_back(geometry_of(*visual->geometry, visual->origin, line_of(visual_node)));
      else if (out.not_drawn.empty())
        out.not_drawn = why;
      visual_node = visual_node.next_sibling("visual");
    }
    if (link->inertial) {
      const urdf::Inertial& i = *link->inertial;
      out.inertial = UrdfInertial{i.mass, pose_of(i.origin),
                                  glm::dmat3(i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz)};
    }
    return out;
  }

  static UrdfGeometry geometry_of(const urdf::Geometry& shape, const urdf::Pose& origin, int line) {
    UrdfGeometry out{UrdfBox{}, pose_of(origin), line};
    if (shape.type == urdf::Geometry::BOX)
      out.geometry = UrdfBox{vector_of(static_cast<const urdf::Box&>(shape).dim)};
    else if (shape.type == urdf::Geometry::SPHERE)
      out.geometry = UrdfSphere{static_cast<const urdf::Sphere&>(shape).radius};
    else if (shape.type == urdf::Geometry::CYLINDER)
      out.geometry = UrdfCylinder{static_cast<const urdf::Cylinder&>(shape).radius,
                                  static_cast<const urdf::Cylinder&>(shape).length};
    else
      out.geometry =
          UrdfMesh{static_cast<const urdf::Mesh&>(shape).filename, static_cast<const urdf::Mesh&>(shape).scale.x};
    return out;
  }

  UrdfJoint joint_of(const pugi::xml_node& node) const {
    const urdf::JointConstSharedPtr joint = model_->getJoint(node.attribute("name").value());
    UrdfJoint out;
    out.name = joint->name;
    out.line = line_of(node);
    out.type = joint->type == urdf::Joint::REVOLUTE     ? UrdfJointType::revolute
               : joint->type == urdf::Joint::CONTINUOUS ? UrdfJointType::continuous
               : joint->type == urdf::Joint::PRISMATIC  ? UrdfJointType::prismatic
                                                        : UrdfJointType::fixed;
    out.origin = pose_of(joint->parent_to_joint_origin_transform);
    if (out.type == UrdfJointType::fixed)
      return out;
    out.axis = glm::normalize(vector_of(joint->axis));
    if (const auto& limits = joint->limits) {
      if (out.type != UrdfJointType::continuous) {
        out.lower = limits->lower;
        out.upper = limits->upper;
      }
      if (limits->velocity > 0.0)  // many files say 0 for none
        out.velocity = limits->velocity;
      if (limits->effort > 0.0)
        out.effort = limits->effort;
    }
    if (joint->dynamics) {
      out.damping = joint->dynamics->damping;
      out.friction = joint->dynamics->friction;
    }
    return out;
  }

  // Through joints that follow another one themselves.
  std::optional<UrdfJoint::Mimic> mimic_of(const std::string& joint,
                                           const std::unordered_map<std::string, std::size_t>& numbers) const {
    UrdfJoint::Mimic all;
    std::size_t steps = 0;
    std::string at = joint;
    for (auto mimic = model_->getJoint(at)->mimic; mimic; mimic = model_->getJoint(at)->mimic) {
      all.offset += all.multiplier * mimic->offset;
      all.multiplier *= mimic->multiplier;
      at = mimic->joint_name;
      if (++steps > numbers.size())
        fail(joints_.at(joint).child("mimic"), fmt::format("joint {} follows itself", joint));
    }
    all.joint = numbers.at(at);
    return steps > 0 ? std::optional(all) : std::nullopt;
  }

  const std::string& text_;
  const std::string& file_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  Nodes materials_, links_, joints_;
  Nodes parent_joint_;  // by the name of the child
  urdf::ModelInterfaceSharedPtr model_;
};

// NAME itself, or in it, from the folder of the file upwards.
std::optional<std::filesystem::path> package_above(const std::string& name, const std::filesystem::path& urdf) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(urdf, error).lexically_normal().parent_path();
  for (;; folder = folder.parent_path()) {
    if (folder.filename() == name)
      return folder;
    if (std::filesystem::is_directory(folder / name, error))
      return folder / name;
    if (folder == folder.parent_path())
      return {};
  }
}

}  // namespace

Urdf parse_urdf(const std::string& text, const std::string& file) {
  return UrdfReader(text, file).read();
}

Urdf load_urdf(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_file(file, urdf_bytes_most);
  } catch (const std::runtime_error& e) {
    throw UrdfError(fmt::format("{}: {}", file.string(), e.what()));
  }
  return parse_urdf(text, file.string());
}

std::vector<std::size_t> links_from_root(const Urdf& robot) {
  std::vector<std::vector<std::size_t>> children(robot.links.size());
  for (const UrdfJoint& joint : robot.joints)
    children[joint.parent].push_back(joint.child);
  std::vector<std::size_t> order, open{robot.root};
  while (!open.empty()) {
    const std::size_t link = open.back();
    open.pop_back();
    order.push_back(link);
    open.insert(open.end(), children[link].rbegin(), children[link].rend());
  }
  return order;
}

std::filesystem::path find_urdf_file(const std::string& uri, const std::filesystem::path& urdf,
                                     const UrdfPackages& packages) {
  constexpr std::string_view package = "package://", file = "file://";
  if (uri.starts_with(file))
    return uri.substr(file.size());
  if (!uri.starts_with(package)) {
    if (const std::size_t colon = uri.find("://"); colon != uri.npos)
      throw std::runtime_error(
          fmt::format("{} begins with {}; allowed: {}, {} and paths", uri, uri.substr(0, colon + 3), package, file));
    return urdf.parent_path() / uri;
  }
  const std::string rest = uri.substr(package.size()), name = rest.substr(0, rest.find('/'));
  const std::string path = rest.size() > name.size() ? rest.substr(name.size() + 1) : "";
  if (name.empty() || path.empty())
    throw std::runtime_error(fmt::format("{} must be package://NAME/PATH", uri));
  if (const auto given = packages.find(name); given != packages.end())
    return given->second / path;
  if (const auto found = package_above(name, urdf))
    return *found / path;
  throw std::runtime_error(fmt::format("{} is of the package {}, which is no folder above the file and lies in none: "
                                       "say where it is, as in packages = {{ {} = \"PATH\" }}",
                                       uri, name, name));
}

}  // namespace talus
