// The table of a robot: one from a file, which brings its bodies, or names for bodies of the scene and their joints.
#include "engine/scene/load_robot.h"
#include "engine/scene/bodies.h"
#include "shaders/shared/types.h"
#include <algorithm>
#include <fmt/format.h>

namespace talus::reading {

namespace {

class RobotOfBodies {
public:
  RobotOfBodies(const Value& links, const Scene& scene, RobotSpec& robot)
      : links_(links), scene_(scene), robot_(robot) {}

  void read() {
    const BodyNames names(scene_);
    std::vector<std::pair<Value, std::string>> followed;
    for (Table t : links_.tables()) {
      const Value body = t.need("body"), joint = t["joint"], mimic = t["mimic"];
      t.finish();
      std::string name;
      body.get(name);
      const std::optional<std::size_t> found = names.find(name);
      if (!found)
        body.fail(fmt::format("= \"{}\" is not a body of this scene: give the name of a [[body]]", name));
      if (std::ranges::find(robot_.links, name) != robot_.links.end())
        body.fail(fmt::format("= \"{}\" is a link of this robot already", name));
      robot_.links.push_back(name);
      if (joint)
        read_link_joint(joint, mimic, scene_.bodies[*found], followed);
      else if (mimic)
        mimic.fail("has no meaning without joint: a joint follows another one");
    }
    for (const auto& [at, leader] : followed) {
      const auto found = std::ranges::find(robot_.joints, leader, &RobotJoint::name);
      if (found == robot_.joints.end() || found->mimic)
        at.fail(fmt::format("= \"{}\" is not a joint of the robot that follows no other; there are: {}", leader,
                            fmt::join(leaders(), ", ")));
    }
  }

private:
  void read_link_joint(const Value& at, const Value& mimic, const BodySpec& body,
                       std::vector<std::pair<Value, std::string>>& followed) {
    RobotJoint joint;
    at.get(joint.name);
    joint.body = body.name;
    check_name(at, joint.name, robot_.joints, "joint of the robot");
    const auto* hung = std::get_if<Joint>(&body.motion);
    if (!hung || (hung->type != JointType::revolute && hung->type != JointType::prismatic))
      at.fail(fmt::format("= \"{}\" is of body {}, which has no revolute or prismatic joint", joint.name, body.name));
    if (mimic) {
      Table t = mimic.table();
      const Value leader = t.need("joint"), multiplier = t["multiplier"], offset = t["offset"];
      t.finish();
      RobotMimic& m = joint.mimic.emplace();
      leader.get(m.joint);
      multiplier.get(m.multiplier);
      offset.get(m.offset);
      followed.emplace_back(leader, m.joint);
    }
    robot_.joints.push_back(std::move(joint));
  }

  std::vector<std::string> leaders() const {
    std::vector<std::string> names;
    for (const RobotJoint& joint : robot_.joints)
      if (!joint.mimic)
        names.push_back(joint.name);
    return names;
  }

  const Value& links_;
  const Scene& scene_;
  RobotSpec& robot_;
};

}  // namespace

void read_robot(Table t, Scene& scene, std::unordered_set<std::string>& names) {
  const Value name = t.need("name"), links = t["links"];
  const RobotFileKeys keys(t);
  t.finish();
  RobotSpec robot;
  std::vector<BodySpec> bodies;
  name.get(robot.name);
  check_name(name, robot.name, scene.robots, "robot");
  if (keys.file && links)
    links.or_override(keys.file).fail("and file exclude each other: a robot is of a file, or of bodies of the scene");
  if (!keys.file && !links)
    t.fail("has no links: give the file of a URDF, or bodies of the scene as links = [{ body = \"NAME\" }, ..]");
  if (links) {
    keys.refuse("has no meaning beside links, whose bodies say it themselves: allowed beside file");
    RobotOfBodies(links, scene, robot).read();
  } else {
    FileRobot from = read_robot_file(keys, robot.name, scene);
    robot.links = std::move(from.links);
    robot.joints = std::move(from.joints);
    bodies = std::move(from.bodies);
    std::ranges::move(from.warnings, std::back_inserter(scene.warnings));
  }
  for (const BodySpec& body : bodies)
    if (!names.insert(body.name).second)
      t.fail(fmt::format("has a link whose body would be called \"{}\", as another body of the scene is: names must "
                         "differ",
                         body.name));
  if (scene.bodies.size() + bodies.size() > shared::bodies_most)
    t.fail(fmt::format("brings the scene to {} bodies: it has at most {}", scene.bodies.size() + bodies.size(),
                       shared::bodies_most));
  std::ranges::move(bodies, std::back_inserter(scene.bodies));
  scene.robots.push_back(std::move(robot));
}

}  // namespace talus::reading
