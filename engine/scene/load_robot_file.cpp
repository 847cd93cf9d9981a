// A robot from a URDF file: the bodies of its links and the joints that they hang on, in degrees and m as all joints of
// a scene.
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/load_robot.h"
#include "engine/scene/mass.h"
#include "engine/scene/robot_dynamics.h"
#include "engine/scene/urdf.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>

namespace talus::reading {

namespace {

// Without -0, which the text of a scene has as 0.
glm::dvec3 plain(const glm::dvec3& v) {
  return v + 0.0;
}

// IEC 61966-2-1.
double linear_of_srgb(double c) {
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

JointType type_of(UrdfJointType type) {
  return type == UrdfJointType::fixed       ? JointType::fixed
         : type == UrdfJointType::prismatic ? JointType::prismatic
                                            : JointType::revolute;
}

constexpr std::size_t no_number = ~std::size_t{0};
constexpr double value_most = 1e6;                      // degrees or m, as a joint's value and limits in a scene
constexpr double speed_least = 1e-9, speed_most = 1e9;  // per s

// Limits beyond what a scene can say are none.
double least_of(double min) {
  return min < -value_most ? -Joint::none : min + 0.0;
}
double most_of(double max) {
  return max > value_most ? Joint::none : max + 0.0;
}
double speed_limit_of(double speed) {
  return speed <= speed_most ? std::max(speed, speed_least) : Joint::none;
}

// The limits of a joint are in degrees or m, and per s.
struct JointLimits {
  double min = -Joint::none, max = Joint::none, speed = Joint::none;
};

// value = multiplier * value of the leader + offset, in degrees or m.
struct Following {
  std::size_t leader = 0;  // index into Urdf::joints
  double multiplier = 1.0, offset = 0.0;

  double of(double value) const { return multiplier == 0.0 ? offset : multiplier * value + offset; }
};

class RobotFile {
public:
  RobotFile(const RobotFileKeys& keys, const std::string& name, const Scene& scene)
      : keys_(keys), name_(name), scene_(scene) {}

  FileRobot read() {
    std::string file;
    keys_.file.get(file);
    const std::filesystem::path folder = std::filesystem::path(scene_.source).parent_path();
    urdf_file_ = folder / file;
    try {
      urdf_ = load_urdf(urdf_file_);
    } catch (const UrdfError& e) {
      keys_.file.fail(fmt::format("cannot be used: {}", e.what()));
    }
    leave_out();
    std::string path;
    for (const auto& [name, at] :
         keys_.packages.entries("a table of paths by name, as in packages = { arm = \"robots/arm\" }")) {
      at.get(path);
      folders_[name] = folder / path;
    }
    if (keys_.material)
      own_material_ = material_of(keys_.material, scene_.materials);
    if (keys_.as)
      keys_.as.get(as_given_.emplace());
    keys_.cell.get(cell_size_);
    if (keys_.cell && as_given_ && *as_given_ != MeshAs::sdf)
      keys_.cell.or_override(keys_.as).fail(
          "has no meaning here: allowed with as = \"sdf\", whose grid's cells it sizes");
    if (as_given_ == MeshAs::particles && !own_material_)
      keys_.as.fail("= \"particles\" needs a material, which the boundary particles have: give material beside it");
    glm::dvec3 position(0.0), rotation(0.0);
    keys_.position.get(position);
    keys_.rotation.get(rotation);
    keys_.visual.get(draws_visual_);
    find_limits();
    read_values();
    read_drive();
    make_bodies({position, rotation_of(rotation)});
    put_on_surface();
    if (motors_.drive != RobotDrive::prescribed)
      let_go();
    ignore_neighbours();
    return std::move(robot_);
  }

private:
  // Takes links out of the robot, and all that hang on them.
  void leave_out() {
    std::vector<bool> gone(urdf_.links.size());
    if (!keys_.leave_out)
      return;
    for (const Value& at : keys_.leave_out.elements()) {
      const std::size_t link = link_of(at);
      if (!urdf_.links[link].joint)
        at.fail(fmt::format("= \"{}\" is the root link, on which all others hang", urdf_.links[link].name));
      gone[link] = true;
    }
    for (const std::size_t l : links_from_root(urdf_))
      if (const auto& joint = urdf_.links[l].joint)
        gone[l] = gone[l] || gone[urdf_.joints[*joint].parent];
    std::vector<std::size_t> link_numbers, joint_numbers;  // of those that stay, by their numbers in the file
    std::size_t links = 0, joints = 0;
    for (std::size_t l = 0; l < urdf_.links.size(); ++l)
      link_numbers.push_back(gone[l] ? no_number : links++);
    for (const UrdfJoint& joint : urdf_.joints)
      joint_numbers.push_back(gone[joint.child] ? no_number : joints++);
    for (const UrdfJoint& joint : urdf_.joints)
      if (!gone[joint.child] && joint.mimic && joint_numbers[joint.mimic->joint] == no_number)
        keys_.leave_out.fail(fmt::format("takes away joint {}, which joint {} follows",
                                         urdf_.joints[joint.mimic->joint].name, joint.name));
    std::erase_if(urdf_.joints, [&](const UrdfJoint& joint) { return gone[joint.child]; });
    for (UrdfJoint& joint : urdf_.joints) {
      joint.parent = link_numbers[joint.parent];
      joint.child = link_numbers[joint.child];
      if (joint.mimic)
        joint.mimic->joint = joint_numbers[joint.mimic->joint];
    }
    std::size_t at = 0;
    std::erase_if(urdf_.links, [&](const UrdfLink&) { return gone[at++]; });
    for (UrdfLink& link : urdf_.links)
      if (link.joint)
        link.joint = joint_numbers[*link.joint];
    urdf_.root = link_numbers[urdf_.root];
  }

  // The number of the link that a scene names.
  std::size_t link_of(const Value& at) const {
    std::string name;
    at.get(name);
    const auto found = std::ranges::find(urdf_.links, name, &UrdfLink::name);
    if (found == urdf_.links.end()) {
      std::vector<std::string> names;
      for (const UrdfLink& link : urdf_.links)
        names.push_back(link.name);
      at.fail(fmt::format("= \"{}\" is not a link of the robot; there are: {}", name, fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - urdf_.links.begin());
  }

  void put_on_surface() {
    if (!keys_.on_surface)
      return;
    for (const Value& at : keys_.on_surface.elements()) {
      const std::size_t link = link_of(at);
      if (!body_of_link_[link])
        at.fail(fmt::format("= \"{}\" has no collision geometry", urdf_.links[link].name));
      BodySpec& body = robot_.bodies[*body_of_link_[link]];
      body.ground = GroundContact::surface;
      check_on_surface(at, body, scene_);
    }
  }

  void read_drive() {
    keys_.drive.get(motors_.drive);
    keys_.base.get(root_on_);
    if (motors_.drive == RobotDrive::prescribed && root_on_ == RobotBase::free)
      keys_.base.or_override(keys_.drive)
          .fail("= \"free\" leaves the root link to what pushes it, where drive = \"prescribed\" gives "
                "links no masses; allowed: drive = \"position\", \"speed\" or \"passive\"");
    if (motors_.drive != RobotDrive::position) {
      for (const Value* v : {&keys_.stiffness, &keys_.damping})
        if (*v)
          v->fail("has no meaning here: allowed with drive = \"position\", whose motors have it");
    } else if (!keys_.stiffness) {
      keys_.drive.fail(
          "= \"position\" needs a stiffness beside it, by which the motors pull towards the joints' values");
    }
    if (keys_.armature && motors_.drive == RobotDrive::prescribed)
      keys_.armature.or_override(keys_.drive)
          .fail(
              "has no meaning with drive = \"prescribed\", which moves links whatever their inertia; allowed: drive = "
              "\"position\", \"speed\" or \"passive\"");
    motors_.armature = read_by_joint(keys_.armature, "armature = { boom = 0.1 }");
    motors_.stiffness = read_by_joint(keys_.stiffness, "stiffness = { boom = 1e5 }");
    // Where the links' inertia allows, a deviation fades in this time.
    constexpr double fading = 0.1;  // s
    motors_.damping = motors_.stiffness;
    for (double& damping : motors_.damping)
      damping *= fading;
    if (keys_.damping)
      motors_.damping = read_by_joint(keys_.damping, "damping = { boom = 1e4 }");
    pushed_ =
        motors_.drive == RobotDrive::prescribed ? std::vector<bool>(urdf_.links.size()) : pushed_links(urdf_, root_on_);
  }

  // One number for all joints, or one for each that moves.
  std::vector<double> read_by_joint(const Value& at, const std::string& form) const {
    std::vector<double> numbers(urdf_.joints.size());
    if (!at.is_table()) {
      double number = 0.0;
      at.get(number);
      std::ranges::fill(numbers, number);
      return numbers;
    }
    std::vector<std::string> missing;
    for (const UrdfJoint& joint : urdf_.joints)
      if (moves(joint))
        missing.push_back(joint.name);
    const std::vector<std::string> known = missing;
    for (const auto& [name, number] : at.entries("a number, or a table of numbers by joint, as in " + form)) {
      const auto found = std::ranges::find(urdf_.joints, name, &UrdfJoint::name);
      if (found == urdf_.joints.end() || !moves(*found))
        number.fail(fmt::format("is not a joint of the robot that moves{}; there are: {}", did_you_mean(name, known),
                                fmt::join(known, ", ")));
      number.get(numbers[static_cast<std::size_t>(found - urdf_.joints.begin())]);
      std::erase(missing, name);
    }
    if (!missing.empty())
      at.fail(
          fmt::format("says nothing of {}: give one number for all joints, or one for each", fmt::join(missing, ", ")));
    return numbers;
  }

  void let_go() {
    try {
      make_dynamic(robot_.bodies, urdf_, body_of_link_, pushed_, motors_);
    } catch (const UrdfError& e) {
      keys_.file.fail(fmt::format("cannot be used: {}:{}", urdf_file_.string(), e.what()));
    }
    for (const BodySpec& body : robot_.bodies)
      if (is_dynamic(body))
        try {
          check_dynamic_parts(body, false);
        } catch (const SceneError& e) {
          keys_.as.or_override(keys_.file).fail(fmt::format("cannot be used: {}", e.what()));
        }
  }

  [[noreturn]] void fail_at(int line, const std::string& what) const {
    keys_.file.fail(fmt::format("cannot be used: {}:{}: {}", urdf_file_.string(), line, what));
  }

  // Limits in degrees or m. Joints that follow others bound these, so that all stay within theirs and arrive together.
  void find_limits() {
    limits_.resize(urdf_.joints.size());
    followings_.resize(urdf_.joints.size());
    for (std::size_t j = 0; j < urdf_.joints.size(); ++j) {
      const UrdfJoint& joint = urdf_.joints[j];
      const double unit = unit_of(type_of(joint.type));
      JointLimits& limits = limits_[j];
      limits = {joint.lower ? *joint.lower / unit : -Joint::none, joint.upper ? *joint.upper / unit : Joint::none,
                joint.velocity ? *joint.velocity / unit : Joint::none};
      if (!joint.mimic)
        continue;
      const UrdfJoint::Mimic& mimic = *joint.mimic;
      const double leader_unit = unit_of(type_of(urdf_.joints[mimic.joint].type));
      const Following& f = followings_[j].emplace(
          Following{mimic.joint, mimic.multiplier * leader_unit / unit + 0.0, mimic.offset / unit + 0.0});
      if (std::abs(f.multiplier) > value_most || std::abs(f.offset) > value_most)
        fail_at(joint.line,
                fmt::format("joint {} follows with a multiplier of {} and an offset of {} in degrees and m: "
                            "allowed is {} to {}",
                            joint.name, f.multiplier, f.offset, -value_most, value_most));
    }
    for (std::size_t j = 0; j < urdf_.joints.size(); ++j)
      if (const auto& following = followings_[j])
        bound(limits_[following->leader], *following, j);
    for (std::size_t j = 0; j < urdf_.joints.size(); ++j)
      if (const auto& following = followings_[j]) {
        const JointLimits& leader = limits_[following->leader];
        const double a = following->of(leader.min), b = following->of(leader.max);
        limits_[j] = {std::min(a, b), std::max(a, b),
                      following->multiplier == 0.0 ? Joint::none : std::abs(following->multiplier) * leader.speed};
      }
    for (std::size_t j = 0; j < urdf_.joints.size(); ++j)
      if (limits_[j].min > value_most || limits_[j].max < -value_most)
        fail_at(urdf_.joints[j].line,
                fmt::format("joint {} has limits of {} and {} degrees or m: allowed is {} to {}", urdf_.joints[j].name,
                            limits_[j].min, limits_[j].max, -value_most, value_most));
  }

  void bound(JointLimits& leader, const Following& following, std::size_t j) const {
    const UrdfJoint& joint = urdf_.joints[j];
    const JointLimits& own = limits_[j];
    const auto fail = [&] {
      fail_at(joint.line, fmt::format("joint {} follows joint {}, which leaves it outside its limits everywhere",
                                      joint.name, urdf_.joints[following.leader].name));
    };
    const double m = following.multiplier;
    if (m == 0.0) {
      if (following.offset < own.min || following.offset > own.max)
        fail();
      return;
    }
    const double a = (own.min - following.offset) / m, b = (own.max - following.offset) / m;
    // Not where rounding alone puts it within.
    const auto slack = [](double end) { return 1e-12 * (1.0 + std::abs(end)); };
    if (const double least = std::min(a, b); least > leader.min + slack(least))
      leader.min = least;
    if (const double most = std::max(a, b); most < leader.max - slack(most))
      leader.max = most;
    if (leader.min > leader.max)
      fail();
    leader.speed = std::min(leader.speed, own.speed / std::abs(m));
  }

  void read_values() {
    values_.resize(urdf_.joints.size());
    for (std::size_t j = 0; j < urdf_.joints.size(); ++j)
      values_[j] = {std::clamp(0.0, limits_[j].min, limits_[j].max), ""};
    bool tracks = false;
    for (const auto& [name, at] : keys_.joints.entries("a table of values by joint, as in joints = { boom = 20 }")) {
      const auto found = std::ranges::find(urdf_.joints, name, &UrdfJoint::name);
      std::vector<std::string> known;
      for (const UrdfJoint& joint : urdf_.joints)
        if (moves(joint) && !joint.mimic)
          known.push_back(joint.name);
      if (found == urdf_.joints.end())
        at.fail(fmt::format("is not a joint of the robot{}; there are: {}", did_you_mean(name, known),
                            fmt::join(known, ", ")));
      if (!moves(*found))
        at.fail(fmt::format("is a fixed joint; those that move are: {}", fmt::join(known, ", ")));
      if (found->mimic)
        at.fail(fmt::format("follows joint {}: give a value to that one", urdf_.joints[found->mimic->joint].name));
      const auto j = static_cast<std::size_t>(found - urdf_.joints.begin());
      values_[j] = {read_joint_value(at, range_of_value(type_of(found->type)), keys_.between), at.label(at.path())};
      tracks = tracks || std::holds_alternative<Track>(values_[j].value);
    }
    if (!tracks)
      keys_.between.refuse("joints = { NAME = [[time, value], ..] }");
    for (std::size_t j = 0; j < urdf_.joints.size(); ++j)
      if (const auto& following = followings_[j]) {
        values_[j] = followed(values_[following->leader], *following);
        if (!in_range(values_[j].value))
          fail_at(urdf_.joints[j].line,
                  fmt::format("joint {} follows joint {} to a value beyond {}", urdf_.joints[j].name,
                              urdf_.joints[following->leader].name, value_most));
      }
  }

  struct SaidValue {
    JointValue value;
    std::string where;  // empty: the scene does not say it
  };
  static SaidValue followed(SaidValue value, const Following& following) {
    if (double* number = std::get_if<double>(&value.value))
      *number = following.of(*number);
    else if (auto* formula = std::get_if<Formula>(&value.value))
      formula->text = fmt::format("({})*({})+({})", following.multiplier, formula->text, following.offset);
    else
      for (Track::Key& key : std::get<Track>(value.value).keys)
        key.value = following.of(key.value);
    return value;
  }

  static bool in_range(const JointValue& value) {
    const auto fits = [](double number) { return std::abs(number) <= value_most; };
    if (const double* number = std::get_if<double>(&value))
      return fits(*number);
    const auto* track = std::get_if<Track>(&value);
    return !track || std::ranges::all_of(track->keys, fits, &Track::Key::value);
  }

  // A link without collision geometry is no body where its joint is fixed, and its children are in the frame of the
  // body that it would be fixed to. Behind a joint that moves, or with a mass that something pushes, it is a body
  // without parts. So is the root link on which others are pushed, so that joints hold these to a body, whose loads
  // tell what the motors exert.
  bool is_body(std::size_t l) const {
    const UrdfLink& link = urdf_.links[l];
    if (!link.collisions.empty() || (link.joint && moves(urdf_.joints[*link.joint])))
      return true;
    return pushed_[l] ? link.inertial && link.inertial->mass > 0.0
                      : l == urdf_.root && motors_.drive != RobotDrive::prescribed;
  }

  void make_bodies(const Pose& root) {
    struct Frame {
      std::string body;  // empty: the world
      Pose pose;         // of the link in it
    };
    std::vector<Frame> frames(urdf_.links.size());
    body_of_link_.resize(urdf_.links.size());
    bool touched = false;
    for (const std::size_t l : links_from_root(urdf_)) {
      const UrdfLink& link = urdf_.links[l];
      const UrdfJoint* joint = link.joint ? &urdf_.joints[*link.joint] : nullptr;
      Frame frame{"", root};
      if (joint) {
        frame = frames[joint->parent];
        frame.pose = frame.pose * joint->origin;
      }
      touched = touched || !link.collisions.empty();
      if (!is_body(l)) {
        frames[l] = frame;
        continue;
      }
      if (pushed_[l] && frame.body.empty() && root_on_ == RobotBase::free)
        check_free(l, joint);
      BodySpec body = body_of(link);
      body.parent = frame.body;
      body.parent_where = fmt::format("{}:{}: link {}", urdf_file_.string(), link.line, link.name);
      if (joint && (moves(*joint) || !frame.body.empty())) {
        body.motion = joint_of(*link.joint, frame.pose);
      } else {
        body.position = plain(frame.pose.position);
        body.rotation = angles_of(frame.pose.rotation);
      }
      if (joint && moves(*joint))
        robot_.joints.push_back({joint->name, body.name, mimic_of(*link.joint)});
      frames[l] = {body.name, {}};
      robot_.links.push_back(body.name);
      body_of_link_[l] = robot_.bodies.size();
      robot_.bodies.push_back(std::move(body));
    }
    if (!touched)
      keys_.file.fail(fmt::format("cannot be used: {} has no link with collision geometry, which grains could touch",
                                  urdf_file_.string()));
  }

  // A free base is one body, which all others hang on.
  void check_free(std::size_t l, const UrdfJoint* joint) const {
    const UrdfLink& link = urdf_.links[l];
    if (joint && moves(*joint))
      fail_at(joint->line,
              fmt::format("joint {} hangs on nothing: a free base needs a root link with <inertial>", joint->name));
    if (!robot_.bodies.empty())
      fail_at(link.line,
              fmt::format("link {} hangs on nothing, as {} does: a free base needs a root link with <inertial>",
                          link.name, robot_.bodies.front().name));
  }

  std::optional<RobotMimic> mimic_of(std::size_t j) const {
    const auto& following = followings_[j];
    if (!following)
      return {};
    return RobotMimic{urdf_.joints[following->leader].name, following->multiplier, following->offset};
  }

  Joint joint_of(std::size_t j, const Pose& frame) const {
    const UrdfJoint& from = urdf_.joints[j];
    Joint joint;
    joint.type = type_of(from.type);
    joint.origin = plain(frame.position);
    joint.rotation = angles_of(frame.rotation);
    joint.where = values_[j].where.empty() ? fmt::format("{}:{}: joint {}", urdf_file_.string(), from.line, from.name)
                                           : values_[j].where;
    if (!moves(from))
      return joint;
    joint.axis = plain(from.axis);
    joint.value = values_[j].value;
    joint.min = least_of(limits_[j].min);
    joint.max = most_of(limits_[j].max);
    joint.speed = speed_limit_of(limits_[j].speed);
    return joint;
  }

  BodySpec body_of(const UrdfLink& link) {
    BodySpec body;
    body.name = fmt::format("{}/{}", name_, link.name);
    body.material = own_material_;
    if (link.color)
      body.color =
          glm::vec3(linear_of_srgb(link.color->x), linear_of_srgb(link.color->y), linear_of_srgb(link.color->z));
    for (const UrdfGeometry& collision : link.collisions) {
      BodyPart part;
      part.position = plain(collision.pose.position);
      part.rotation = angles_of(collision.pose.rotation);
      part.shape = std::visit([&](const auto& shape) { return shape_of(shape, collision, link); }, collision.geometry);
      body.parts.push_back(std::move(part));
    }
    if (draws_visual_)
      read_visual(link, body);
    if (body.parts.size() > shared::parts_most)
      fail_at(link.line, fmt::format("link {} has {} collision geometries, too many for one body, which has at most {}",
                                     link.name, body.parts.size(), shared::parts_most));
    return body;
  }

  // A link is drawn as its visual geometry says where all of it can be, and else as what collides.
  void read_visual(const UrdfLink& link, BodySpec& body) {
    std::string why = link.not_drawn;
    for (const UrdfGeometry& visual : link.visuals) {
      if (!why.empty())
        break;
      BodyPart part;
      part.position = plain(visual.pose.position);
      part.rotation = angles_of(visual.pose.rotation);
      if (const auto* mesh = std::get_if<UrdfMesh>(&visual.geometry)) {
        try {
          part.shape = visual_mesh(*mesh, link);
        } catch (const std::runtime_error& e) {
          why = fmt::format("{}:{}: {}", urdf_file_.string(), visual.line, e.what());
        }
      } else {
        part.shape = std::visit([&](const auto& shape) { return shape_of(shape, visual, link); }, visual.geometry);
      }
      body.visual.push_back(std::move(part));
    }
    if (why.empty())
      return;
    body.visual.clear();
    robot_.warnings.push_back(fmt::format(
        "{}: the visual geometry of link {} cannot be used, and it is drawn as what collides", why, link.name));
  }

  MeshPart visual_mesh(const UrdfMesh& mesh, const UrdfLink& link) {
    const std::filesystem::path path = find_urdf_file(mesh.uri, urdf_file_, folders_);
    MeshPart part;
    part.scale = mesh.scale;
    part.up = UpAxis::z;
    part.where = fmt::format("{}: visual mesh of link {}", urdf_file_.string(), link.name);
    part.file = from_scene(path);
    auto& loaded = visual_meshes_[{path.lexically_normal().string(), mesh.scale}];
    if (!loaded)
      loaded = std::make_shared<LoadedMesh>(
          load_mesh(path, {.scale = mesh.scale, .up = part.up, .hole = 0.0, .solid = false}));
    part.loaded = loaded;
    return part;
  }

  PartShape shape_of(const UrdfBox& box, const UrdfGeometry&, const UrdfLink&) const { return BoxPart{box.size}; }
  PartShape shape_of(const UrdfSphere& s, const UrdfGeometry&, const UrdfLink&) const { return SpherePart{s.radius}; }
  PartShape shape_of(const UrdfCylinder& c, const UrdfGeometry&, const UrdfLink&) const {
    return ConePart{c.radius, c.radius, c.length};
  }
  PartShape shape_of(const UrdfMesh& mesh, const UrdfGeometry& collision, const UrdfLink& link) {
    MeshPart part;
    part.scale = mesh.scale;
    part.up = UpAxis::z;  // the axes of the file are those of the link
    part.where = fmt::format("{}:{}: mesh of link {}", urdf_file_.string(), collision.line, link.name);
    std::filesystem::path path;
    try {
      path = find_urdf_file(mesh.uri, urdf_file_, folders_);
    } catch (const std::runtime_error& e) {
      fail_at(collision.line, fmt::format("mesh of link {}: {}", link.name, e.what()));
    }
    part.file = from_scene(path);
    auto& loaded = meshes_[{path.lexically_normal().string(), mesh.scale}];
    if (!loaded) {
      MeshOptions options{.scale = mesh.scale, .up = part.up};
      options.solid = as_given_ == MeshAs::sdf;  // what has no inside still has triangles to meet
      try {
        loaded = std::make_shared<LoadedMesh>(load_mesh(path, options));
      } catch (const MeshError& e) {
        fail_at(collision.line, fmt::format("mesh of link {}: {}", link.name, e.what()));
      }
    }
    part.loaded = loaded;
    part.as = as_given_.value_or(loaded->closed ? MeshAs::sdf : MeshAs::triangles);
    if (part.as == MeshAs::sdf)
      part.cell = cell_size_;
    return part;
  }

  // As a scene names a file: from its folder, unless the table names the URDF file or the package by a path from the
  // root.
  std::string from_scene(const std::filesystem::path& path) const {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(scene_.source).parent_path();
    const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
    const std::filesystem::path base =
        std::filesystem::absolute(folder.empty() ? "." : folder, error).lexically_normal();
    std::string file;
    keys_.file.get(file);
    const std::filesystem::path relative = whole.lexically_proximate(base);
    return std::filesystem::path(file).is_absolute() ? whole.string() : relative.generic_string();
  }

  // Links that a joint connects, and those that overlap where the robot starts, pass through each other.
  void ignore_neighbours() {
    Scene alone;
    alone.source = scene_.source;
    alone.bodies = robot_.bodies;
    const std::vector<Pose> poses = initial_poses(alone);
    std::vector<Bounds> boxes;
    for (std::size_t b = 0; b < robot_.bodies.size(); ++b)
      boxes.push_back(bounds_of(robot_.bodies[b], poses[b]));
    const std::string where = keys_.file.label(keys_.file.path());
    for (std::size_t a = 0; a < robot_.bodies.size(); ++a)
      for (std::size_t b = a + 1; b < robot_.bodies.size(); ++b)
        if (robot_.bodies[b].parent == robot_.bodies[a].name || robot_.bodies[a].parent == robot_.bodies[b].name ||
            (glm::all(glm::lessThanEqual(boxes[a].min, boxes[b].max)) &&
             glm::all(glm::lessThanEqual(boxes[b].min, boxes[a].max)) &&
             (reaches_into(a, b, poses) || reaches_into(b, a, poses)))) {
          robot_.bodies[a].ignores.push_back(robot_.bodies[b].name);
          robot_.bodies[a].ignores_where = where;
        }
  }

  // Does a point of the surface of a body lie deeper in another one than where one stands on the other?
  bool reaches_into(std::size_t body, std::size_t other, const std::vector<Pose>& poses) const {
    constexpr double points_per_reach = 4.0, slack = 1e-3;
    constexpr std::size_t points_most = 512;
    const double reach = reach_of(robot_.bodies[body]);
    if (!(reach > 0.0) || std::ranges::any_of(robot_.bodies[body].parts, is_boundary))
      return false;
    const std::vector<ContactPoint> points = contact_points(robot_.bodies[body], reach / points_per_reach, points_most);
    double far = 0.0;
    for (const ContactPoint& point : points)
      far = std::max(far, point.radius);
    const Solid solid = solid_of(robot_.bodies[other], poses[other], far);
    return std::ranges::any_of(points, [&](const ContactPoint& point) {
      return point.radius - sample(solid, (poses[body] * Pose{point.place}).position).distance > slack * reach;
    });
  }

  const RobotFileKeys& keys_;
  const std::string& name_;
  const Scene& scene_;
  FileRobot robot_;
  Urdf urdf_;
  std::filesystem::path urdf_file_;
  UrdfPackages folders_;
  std::optional<std::uint32_t> own_material_;
  std::optional<MeshAs> as_given_;
  double cell_size_ = 0.0;  // m; 0: as MeshPart::cell
  RobotMotors motors_{RobotDrive::prescribed, {}, {}, {}};
  RobotBase root_on_ = RobotBase::fixed;
  // Of each link of the file.
  std::vector<bool> pushed_;
  std::vector<std::optional<std::size_t>> body_of_link_;  // index into FileRobot::bodies
  // Of each joint of the file.
  std::vector<JointLimits> limits_;
  std::vector<std::optional<Following>> followings_;
  std::vector<SaidValue> values_;
  std::map<std::pair<std::string, double>, std::shared_ptr<const LoadedMesh>> meshes_,
      visual_meshes_;  // by path and scale
  bool draws_visual_ = true;
};

}  // namespace

RobotFileKeys::RobotFileKeys(Table& t)
    : file(t["file"]), packages(t["packages"]), leave_out(t["leave_out"]), on_surface(t["on_surface"]),
      position(t["position"]), rotation(t["rotation"]), material(t["material"]), as(t["as"]), cell(t["cell"]),
      joints(t["joints"]), between{t["interpolation"], t["repeat"]}, drive(t["drive"]), base(t["base"]),
      stiffness(t["stiffness"]), damping(t["damping"]), armature(t["armature"]), visual(t["visual"]) {}

void RobotFileKeys::refuse(std::string_view why) const {
  for (const Value* v :
       {&packages, &leave_out, &on_surface, &position, &rotation, &material, &as, &cell, &joints,
        &between.interpolation, &between.repeat, &drive, &base, &stiffness, &damping, &armature, &visual})
    if (*v)
      v->fail(std::string(why));
}

FileRobot read_robot_file(const RobotFileKeys& keys, const std::string& name, const Scene& scene) {
  return RobotFile(keys, name, scene).read();
}

}  // namespace talus::reading
