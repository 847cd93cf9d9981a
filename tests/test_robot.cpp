// Robots: what is read of URDF files, the bodies that a scene makes of them, their commands and the torques of their
// joints.
#include "engine/geometry/mesh.h"
#include "engine/io/body_meshes.h"
#include "engine/io/report.h"
#include "engine/scene/bodies.h"
#include "engine/scene/kinematics.h"
#include "engine/scene/mass.h"
#include "engine/scene/text.h"
#include "engine/scene/urdf.h"
#include "engine/simulation/robot.h"
#include "scratch.h"
#include "simulate.h"
#include "wrong.h"
#include <glm/ext/matrix_transform.hpp>
#include <nlohmann/json.hpp>

using namespace talus;
using namespace talus_tests;

namespace {

// One of each type of joint, a follower of each kind, links without geometry in the chain and at its end.
const std::string arm_urdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <material name="red"><color rgba="1 0 0.5 1"/></material>
  <link name="world"/>
  <joint name="stand" type="fixed">
    <parent link="world"/><child link="base"/>
    <origin xyz="0 0 0.2" rpy="0 0 0.5"/>
  </joint>
  <link name="base">
    <visual><geometry><capsule radius="1"/></geometry><material name="red"/></visual>
    <collision><origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/><geometry><box size="0.3 0.2 0.1"/></geometry></collision>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="column"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 0 2"/>
    <limit effort="5" velocity="3.14159265358979"/>
    <dynamics damping="0.7" friction="0.2"/>
  </joint>
  <link name="column"/>
  <joint name="spacer" type="fixed"><parent link="column"/><child link="plate"/><origin xyz="0.1 0 0" rpy="0 1.5707963267948966 0"/></joint>
  <link name="plate"/>
  <joint name="elbow" type="revolute">
    <parent link="plate"/><child link="fore"/>
    <origin xyz="0.2 0 0.1" rpy="0.3 -0.4 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="1"/>
  </joint>
  <link name="fore">
    <inertial>
      <origin xyz="0.1 0 0"/><mass value="2.5"/>
      <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="3"/>
    </inertial>
    <collision><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <joint name="reach" type="prismatic">
    <parent link="fore"/><child link="finger"/>
    <origin xyz="0 0 0.2"/>
    <limit lower="0" upper="0.04" effort="10" velocity="0.1"/>
  </joint>
  <link name="finger"><collision><geometry><box size="0.02 0.02 0.1"/></geometry></collision></link>
  <joint name="reach_too" type="prismatic">
    <parent link="fore"/><child link="finger_too"/>
    <origin xyz="0 0 0.2"/><axis xyz="-1 0 0"/>
    <limit lower="0" upper="0.03" effort="10" velocity="0.2"/>
    <mimic joint="reach" multiplier="0.5" offset="0.01"/>
  </joint>
  <link name="finger_too"><collision><geometry><box size="0.02 0.02 0.1"/></geometry></collision></link>
  <joint name="knob" type="revolute">
    <parent link="fore"/><child link="knob_link"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="10" velocity="9"/>
    <mimic joint="reach_too" multiplier="20"/>
  </joint>
  <link name="knob_link"/>
  <joint name="tool" type="fixed"><parent link="finger"/><child link="tip"/></joint>
  <link name="tip"/>
  <transmission name="t"><type>x</type></transmission>
  <gazebo reference="base"><material>Gazebo/Red</material></gazebo>
</robot>
)";

std::string one_link(const std::string& within) {
  return "<robot name=\"r\">\n<link name=\"a\">\n" + within + "\n</link>\n</robot>\n";
}
std::string collision(const std::string& geometry) {
  return one_link("<collision><geometry>" + geometry + "</geometry></collision>");
}
// Links a and b with geometry, and what is between them, from line 4 on.
std::string two_links(const std::string& joint) {
  const std::string box = "<collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision>";
  return "<robot name=\"r\">\n<link name=\"a\">" + box + "</link>\n<link name=\"b\">" + box + "</link>\n" + joint +
         "\n</robot>\n";
}
std::string between(const std::string& type, const std::string& more) {
  return "<joint name=\"j\" type=\"" + type + "\">\n<parent link=\"a\"/>\n<child link=\"b\"/>\n" + more + "\n</joint>";
}
const std::string limit = "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";

std::string urdf_error(const std::string& text) {
  try {
    parse_urdf(text, "r.urdf");
  } catch (const UrdfError& e) {
    return e.what();
  }
  return "no error";
}

// A folder with arm.urdf, and a scene in it.
class ArmFolder {
public:
  ArmFolder() { write_text(scratch / "arm.urdf", arm_urdf); }
  Scene scene(const std::string& keys, const std::string& before = "") const {
    return parse_scene(before + "[time]\ndt = 0.01\nend = 2\n[[robot]]\nname = \"arm\"\n" + keys,
                       (scratch / "s.toml").string());
  }
  Scene arm(const std::string& keys = "") const { return scene("file = \"arm.urdf\"\n" + keys); }
  std::string error(const std::string& keys) const {
    return error_of([&] { arm(keys); });
  }
  Scratch scratch;
};

const BodySpec& robot_body(const Scene& scene, const std::string& name) {
  const auto found = std::ranges::find(scene.bodies, name, &BodySpec::name);
  REQUIRE(found != scene.bodies.end());
  return *found;
}
const Joint& robot_joint(const Scene& scene, const std::string& name) {
  return std::get<Joint>(robot_body(scene, name).motion);
}

glm::dmat4 transform(const glm::dvec3& xyz, double roll, double pitch, double yaw) {
  glm::dmat4 m = glm::translate(glm::dmat4(1.0), xyz);
  m = glm::rotate(m, yaw, {0, 0, 1});
  m = glm::rotate(m, pitch, {0, 1, 0});
  return glm::rotate(m, roll, {1, 0, 0});
}
double apart(const Pose& pose, const glm::dmat4& expected) {
  const glm::dmat3 turned = glm::mat3_cast(pose.rotation), wanted(expected);
  double most = glm::length(pose.position - glm::dvec3(expected[3]));
  for (int c = 0; c < 3; ++c)
    most = std::max(most, glm::length(turned[c] - wanted[c]));
  return most;
}

}  // namespace

TEST_CASE("A URDF file is read as it says, in the order of its links", "[robot]") {
  const Urdf robot = parse_urdf(arm_urdf, "arm.urdf");
  CHECK(robot.name == "arm");
  REQUIRE(robot.links.size() == 9);
  REQUIRE(robot.joints.size() == 8);
  CHECK(robot.links[robot.root].name == "world");
  std::vector<std::string> order;
  for (const std::size_t l : links_from_root(robot))
    order.push_back(robot.links[l].name);
  CHECK(order == std::vector<std::string>{"world", "base", "column", "plate", "fore", "finger", "tip", "finger_too",
                                          "knob_link"});
  const UrdfLink& base = robot.links[1];
  CHECK(base.line == 9);
  REQUIRE(base.collisions.size() == 2);
  CHECK(base.collisions[0].line == 11);
  CHECK(std::get<UrdfBox>(base.collisions[0].geometry).size == glm::dvec3(0.3, 0.2, 0.1));
  CHECK(apart(base.collisions[0].pose, transform({0, 0, 0.1}, 0.1, 0.2, 0.3)) < 1e-15);
  CHECK(std::get<UrdfSphere>(base.collisions[1].geometry).radius == 0.1);
  REQUIRE(base.color);
  CHECK(*base.color == glm::dvec4(1.0, 0.0, 0.5, 1.0));
  CHECK_FALSE(robot.links[4].color);
  const UrdfLink& fore = robot.links[4];
  CHECK(std::get<UrdfCylinder>(fore.collisions[0].geometry).length == 0.4);
  REQUIRE(fore.inertial);
  CHECK(fore.inertial->mass == 2.5);
  CHECK(fore.inertial->pose.position == glm::dvec3(0.1, 0, 0));
  CHECK(fore.inertial->inertia == glm::dmat3(1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 3));

  const UrdfJoint &turn = robot.joints[1], &elbow = robot.joints[3], &reach = robot.joints[4];
  CHECK(turn.type == UrdfJointType::continuous);
  CHECK(turn.axis == glm::dvec3(0, 0, 1));
  CHECK_FALSE(turn.lower);
  CHECK(turn.velocity == 3.14159265358979);
  CHECK(turn.effort == 5.0);
  CHECK(turn.damping == 0.7);
  CHECK(turn.friction == 0.2);
  CHECK(elbow.type == UrdfJointType::revolute);
  CHECK(elbow.lower == -1.0);
  CHECK(elbow.upper == 2.0);
  CHECK(robot.links[elbow.parent].name == "plate");
  CHECK(reach.type == UrdfJointType::prismatic);
  CHECK(reach.axis == glm::dvec3(1, 0, 0));  // what URDF says where there is none
  REQUIRE(robot.joints[5].mimic);
  CHECK(robot.joints[5].mimic->joint == 4);
  CHECK(robot.joints[5].mimic->multiplier == 0.5);
  CHECK(robot.joints[5].mimic->offset == 0.01);
  REQUIRE(robot.joints[6].mimic);  // through the one that it follows
  CHECK(robot.joints[6].mimic->joint == 4);
  CHECK(robot.joints[6].mimic->multiplier == 10.0);
  CHECK(robot.joints[6].mimic->offset == 0.2);
}

TEST_CASE("What is wrong with a URDF file is said with its line", "[robot]") {
  struct Wrong {
    std::string text, says;
  };
  const std::vector<Wrong> cases{
      {"<robot>\n<link name=\"a\">\n</robot>", "r.urdf:3: is no XML: "},
      {"<sdf/>", "r.urdf:1: is no URDF: it has no element <robot>"},
      {"<robot name=\"r\">\n</robot>", "r.urdf:1: the robot has no <link>"},
      {"<robot xmlns:xacro=\"x\">\n<xacro:macro name=\"m\"/>\n</robot>",
       "r.urdf:2: <xacro:macro> is of xacro, whose macros Talus does not expand"},
      {"<robot>\n<link name=\"${name}\"/>\n</robot>", "r.urdf:2: <link> is of xacro"},
      {"<robot>\n<link/>\n</robot>", "r.urdf:2: a link has no name"},
      {"<robot>\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>",
       "r.urdf:3: the name \"a\" is taken by the link of line 2"},
      {"<robot>\n<material name=\"m\"><color rgba=\"1 2 0 1\"/></material>\n<link name=\"a\"/>\n</robot>",
       "r.urdf:2: material m: rgba has 2: allowed is 0 to 1"},
      {collision("<capsule radius=\"1\"/>"), "r.urdf:3: link a: <capsule> is a geometry that Talus does not take"},
      {collision(""), "r.urdf:3: link a: <geometry> is empty; allowed: box, sphere, cylinder, mesh"},
      {one_link("<collision/>"), "r.urdf:3: link a: <collision> has no <geometry>"},
      {collision("<box size=\"1 2\"/>"), "r.urdf:3: link a: size of <box> must be 3 numbers, not \"1 2\""},
      {collision("<box size=\"1 2 zwei\"/>"), "r.urdf:3: link a: size of <box> has \"zwei\", which is not a finite"},
      {collision("<box size=\"1 2 0\"/>"), "r.urdf:3: link a: size of <box> has 0: allowed is 1e-06 to"},
      {collision("<sphere/>"), "r.urdf:3: link a: radius of <sphere> must be a number, not \"\""},
      {collision("<cylinder radius=\"1\" length=\"nan\"/>"), "r.urdf:3: link a: length of <cylinder> has \"nan\""},
      {collision("<mesh/>"), "r.urdf:3: link a: <mesh> has no filename"},
      {collision("<mesh filename=\"m.stl\" scale=\"1 1 2\"/>"), "r.urdf:3: link a: scale of <mesh> is [1, 1, 2]"},
      {collision("<mesh filename=\"m.stl\" scale=\"-1 -1 -1\"/>"), "r.urdf:3: link a: scale of <mesh> is [-1"},
      {one_link("<inertial>\n<mass value=\"1\"/></inertial>"), "r.urdf:2: urdfdom cannot read it: Inertial element"},
      {two_links(between("planar", "")), "r.urdf:4: joint j is planar, which Talus does not have; allowed: revolute"},
      {two_links(between("floating", "")), "r.urdf:4: joint j is floating"},
      {two_links(between("hinge", "")), "r.urdf:4: joint j has the type \"hinge\"; allowed: revolute"},
      {two_links("<joint name=\"j\" type=\"fixed\">\n<child link=\"b\"/></joint>"),
       "r.urdf:4: joint j names no parent"},
      {two_links("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>\n<child link=\"bb\"/></joint>"),
       "r.urdf:5: joint j: its child \"bb\" is not a link of the robot"},
      {two_links(between("fixed", "") + "\n<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/>\n<child "
                                        "link=\"b\"/></joint>"),
       "r.urdf:10: joint k: link b has a parent by joint j already"},
      {two_links(""), "r.urdf:3: links a and b both have no parent"},
      {two_links(between("fixed", "")), "no error"},
      {"<robot>\n<link name=\"\xff\"/>\n</robot>", "r.urdf:1: is not UTF-8"},
      {two_links(between("fixed", "") + "<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child "
                                        "link=\"a\"/></joint>"),
       "r.urdf:2: link a is its own ancestor"},
      {two_links(between("revolute", "")), "r.urdf:4: joint j is revolute and has no <limit>"},
      {two_links(between("revolute", "<limit effort=\"1\"/>")), "r.urdf:7: joint j: <limit> lacks velocity"},
      {two_links(between("prismatic", "<limit lower=\"2\" upper=\"1\" effort=\"1\" velocity=\"1\"/>")),
       "r.urdf:7: joint j: <limit> has lower 2 above upper 1"},
      {two_links(between("revolute", limit + "\n<axis xyz=\"0 0 0\"/>")), "r.urdf:8: joint j: xyz of <axis> is 0 long"},
      {two_links(between("revolute", limit + "\n<origin rpy=\"1 2\"/>")), "r.urdf:8: joint j: rpy of <origin> must be"},
      {two_links(between("revolute", limit + "\n<mimic joint=\"i\"/>")),
       "r.urdf:8: joint j is to follow joint \"i\", which the robot does not have"},
      {two_links(between("revolute", limit + "\n<mimic joint=\"j\"/>")), "r.urdf:8: joint j follows itself"},
      {two_links(between("revolute", limit + "\n<dynamics/>")), "r.urdf:4: urdfdom cannot read it: joint dynamics"},
  };
  for (const Wrong& wrong : cases) {
    CAPTURE(wrong.text);
    CHECK_THAT(urdf_error(wrong.text), Catch::StartsWith(wrong.says));
  }
}

TEST_CASE("Files of a URDF are found by packages, from the root and from its folder", "[robot]") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "ws/arm_description/urdf");
  std::filesystem::create_directories(scratch / "ws/grip_description");
  const std::filesystem::path urdf = scratch / "ws/arm_description/urdf/arm.urdf";
  const auto find = [&](const std::string& uri, const UrdfPackages& packages = {}) {
    return find_urdf_file(uri, urdf, packages).lexically_normal();
  };
  CHECK(find("meshes/a.stl") == scratch / "ws/arm_description/urdf/meshes/a.stl");
  CHECK(find("../meshes/a.stl") == scratch / "ws/arm_description/meshes/a.stl");
  CHECK(find("file:///opt/a.stl") == "/opt/a.stl");
  CHECK(find("package://arm_description/meshes/a.stl") == scratch / "ws/arm_description/meshes/a.stl");
  CHECK(find("package://grip_description/g.stl") == scratch / "ws/grip_description/g.stl");
  CHECK(find("package://arm_description/a.stl", {{"arm_description", "/other"}}) == "/other/a.stl");
  CHECK_THROWS_WITH(find("package://none_description/a.stl"),
                    Catch::Contains("is of the package none_description, which is no folder above the file"));
  CHECK_THROWS_WITH(find("package://arm_description"), Catch::Contains("must be package://NAME/PATH"));
  CHECK_THROWS_WITH(find("http://x/a.stl"), Catch::Contains("begins with http://; allowed: package://, file://"));
}

TEST_CASE("Links become bodies on the joints of the file", "[robot]") {
  const ArmFolder folder;
  const Scene scene = folder.arm("position = [0.5, 0, 0]\nrotation = [0, 0, 90]\n");
  std::vector<std::string> names;
  for (const BodySpec& body : scene.bodies)
    names.push_back(body.name);
  // Links without geometry are folded, but for those behind a joint that moves.
  CHECK(names == std::vector<std::string>{"arm/base", "arm/column", "arm/fore", "arm/finger", "arm/finger_too",
                                          "arm/knob_link"});
  REQUIRE(scene.robots.size() == 1);
  CHECK(scene.robots[0].links == names);
  std::vector<std::string> joints;
  for (const RobotJoint& joint : scene.robots[0].joints)
    joints.push_back(joint.name);
  CHECK(joints == std::vector<std::string>{"turn", "elbow", "reach", "reach_too", "knob"});

  CHECK(robot_body(scene, "arm/base").parent.empty());
  CHECK(robot_body(scene, "arm/base").parts.size() == 2);
  REQUIRE(robot_body(scene, "arm/base").color);
  CHECK(glm::length(*robot_body(scene, "arm/base").color - glm::vec3(1.0f, 0.0f, 0.2140411f)) < 1e-6f);
  CHECK(robot_body(scene, "arm/column").parts.empty());
  CHECK(robot_body(scene, "arm/fore").parent == "arm/column");
  CHECK(robot_joint(scene, "arm/column").type == JointType::revolute);
  CHECK(robot_joint(scene, "arm/column").speed == Approx(180.0));
  CHECK(robot_joint(scene, "arm/column").max == Joint::none);
  const Joint& elbow = robot_joint(scene, "arm/fore");
  CHECK(elbow.min == Approx(-180 / pi_));
  CHECK(elbow.max == Approx(360 / pi_));
  CHECK(robot_joint(scene, "arm/finger").type == JointType::prismatic);
}

TEST_CASE("Links are where the product of the transforms of a URDF file says", "[robot]") {
  const ArmFolder folder;
  const double turn = 0.7, elbow = -0.9, reach = 0.033;  // rad, rad, m
  const Scene scene = folder.arm(
      fmt::format("position = [0.5, -1, 2]\nrotation = [10, 20, 30]\njoints = {{ turn = {}, elbow = {}, reach = "
                  "{} }}\n",
                  glm::degrees(turn), glm::degrees(elbow), reach));
  const auto poses = initial_poses(scene);
  const glm::dmat4 root = transform({0.5, -1, 2}, glm::radians(10.0), glm::radians(20.0), glm::radians(30.0));
  const glm::dmat4 base = root * transform({0, 0, 0.2}, 0, 0, 0.5);
  const glm::dmat4 column = glm::rotate(base * transform({0, 0, 0.3}, 0, 0, 0), turn, {0, 0, 1});
  const glm::dmat4 plate = column * transform({0.1, 0, 0}, 0, pi_ / 2, 0);
  const glm::dmat4 fore = glm::rotate(plate * transform({0.2, 0, 0.1}, 0.3, -0.4, 0.5), elbow, {0, 1, 0});
  const glm::dmat4 finger = glm::translate(fore * transform({0, 0, 0.2}, 0, 0, 0), {reach, 0, 0});
  const glm::dmat4 too = glm::translate(fore * transform({0, 0, 0.2}, 0, 0, 0), {-(0.5 * reach + 0.01), 0, 0});
  const glm::dmat4 knob = glm::rotate(fore, 20 * (0.5 * reach + 0.01), {0, 0, 1});
  const glm::dmat4 all[] = {base, column, fore, finger, too, knob};
  REQUIRE(poses.size() == std::size(all));
  for (std::size_t l = 0; l < poses.size(); ++l) {
    CAPTURE(scene.bodies[l].name);
    CHECK(apart(poses[l], all[l]) < 1e-12);
  }
}

TEST_CASE("Values of joints are numbers, formulas and keys over time, and followers go along", "[robot]") {
  const ArmFolder folder;
  const auto at = [](const Scene& scene, const std::string& body, double time) {
    const Kinematics kinematics(scene);
    return kinematics.joint_value(*BodyNames(scene).find(body), time);
  };
  const Scene moving =
      folder.arm("joints = { turn = \"10*t\", elbow = [[0, 0], [1, 20]], reach = [[0, 0], [1, 0.02]] }\n"
                 "interpolation = \"linear\"\n");
  CHECK(at(moving, "arm/column", 1.5) == Approx(15.0));
  CHECK(at(moving, "arm/fore", 0.5) == Approx(10.0));
  CHECK(at(moving, "arm/finger", 0.5) == Approx(0.01));
  CHECK(at(moving, "arm/finger_too", 0.5) == Approx(0.015));
  CHECK(at(moving, "arm/knob_link", 0.5) == Approx(glm::degrees(20 * 0.015)));
  const Scene formula = folder.arm("joints.reach = \"0.01+0.01*sin(t)\"\n");
  CHECK(at(formula, "arm/finger_too", 1.0) == Approx(0.5 * (0.01 + 0.01 * std::sin(1.0)) + 0.01));
  // Without a value: 0, or the limit nearest to it.
  CHECK(at(folder.arm(), "arm/fore", 0.0) == 0.0);
  write_text(folder.scratch / "bent.urdf",
             two_links(between("revolute", "<limit lower=\"-3\" upper=\"-0.5\" effort=\"1\" velocity=\"0\"/>")));
  const Scene bent = folder.scene("file = \"bent.urdf\"\n");
  CHECK(at(bent, "arm/b", 0.0) == Approx(glm::degrees(-0.5)));
  CHECK(robot_joint(bent, "arm/b").speed == Joint::none);  // 0 stands for none
  // The leader keeps within the limits of its followers, 0.03 = 0.5 value + 0.01 and 3 = 10 value + 0.2.
  CHECK(robot_joint(moving, "arm/finger").max == Approx(0.04));
  CHECK(robot_joint(moving, "arm/finger").min == Approx(0.0));
  CHECK(robot_joint(moving, "arm/finger_too").min == Approx(0.01));
  CHECK(robot_joint(moving, "arm/finger_too").max == Approx(0.03));
  CHECK(robot_joint(moving, "arm/finger_too").speed == Approx(0.05));
}

TEST_CASE("Wrong tables of robots are named with their place", "[robot]") {
  const ArmFolder folder;
  const auto error = [&](const std::string& keys) { return folder.error(keys); };
  CHECK_THAT(error("joints = { tunr = 3 }\n"),
             Catch::Contains("s.toml:7:") && Catch::Contains("robot.arm.joints.tunr is not a joint of the robot; did "
                                                             "you mean turn?; there are: turn, elbow, reach"));
  CHECK_THAT(error("joints = { stand = 3 }\n"), Catch::Contains("is a fixed joint; those that move are: turn"));
  CHECK_THAT(error("joints = { knob = 3 }\n"), Catch::Contains("follows joint reach: give a value to that one"));
  CHECK_THAT(error("joints = 3\n"), Catch::Contains("must be a table of values by joint"));
  CHECK_THAT(error("joints.turn = true\n"), Catch::Contains("robot.arm.joints.turn must be a number"));
  CHECK_THAT(error("repeat = true\n"), Catch::Contains("has no meaning here"));
  CHECK_THAT(error("joints.elbow = 500\n"), Catch::Contains("robot.arm.joints.elbow: the joint's value is 500"));
  CHECK_THAT(error("as = \"particles\"\n"), Catch::Contains("needs a material"));
  CHECK_THAT(error("as = \"triangles\"\ncell = 0.01\n"), Catch::Contains("cell has no meaning here"));
  CHECK_THAT(error("links = [{ body = \"a\" }]\n"), Catch::Contains("and file exclude each other"));
  CHECK_THAT(error_of([&] { folder.scene(""); }), Catch::Contains("has no links: give the file of a URDF"));
  CHECK_THAT(error_of([&] { folder.scene("file = \"none.urdf\"\n"); }),
             Catch::Contains("robot.arm.file cannot be used: ") && Catch::Contains("none.urdf: does not exist"));
  CHECK_THAT(error("[[robot]]\nname = \"arm\"\nfile = \"arm.urdf\"\n"), Catch::Contains("is taken by another robot"));
  CHECK_THAT(error("[[body]]\nname = \"arm/fore\"\nsphere.radius = 1\n"),
             Catch::Contains("would be called \"arm/fore\", as another body of the scene is"));

  const auto of_text = [&](const std::string& text) {
    write_text(folder.scratch / "r.urdf", text);
    return error_of([&] { folder.scene("file = \"r.urdf\"\n"); });
  };
  CHECK_THAT(of_text(collision("<mesh filename=\"package://p/m.stl\"/>")),
             Catch::Contains("r.urdf:3: mesh of link a: package://p/m.stl is of the package p"));
  CHECK_THAT(of_text(collision("<mesh filename=\"m.fbx\"/>")),
             Catch::Contains("r.urdf:3: mesh of link a: ") && Catch::Contains(".stl"));
  CHECK_THAT(of_text(one_link("")), Catch::Contains("has no link with collision geometry"));
  CHECK_THAT(of_text(two_links(between("revolute", limit + "<mimic joint=\"k\" offset=\"5\"/>") +
                               "\n<link name=\"c\"/><joint name=\"k\" type=\"revolute\"><parent link=\"b\"/><child "
                               "link=\"c\"/>" +
                               limit + "</joint>")),
             Catch::Contains("r.urdf:4: joint j follows joint k, which leaves it outside its limits everywhere"));
}

TEST_CASE("Meshes of a robot are met by what they are, from the folder of the scene", "[robot][mesh]") {
  const ArmFolder folder;
  std::filesystem::create_directories(folder.scratch / "bot/meshes");
  const std::string closed = "v 0 0 0\nv 200 0 0\nv 0 200 0\nv 0 0 200\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  write_text(folder.scratch / "bot/meshes/closed.obj", closed);
  write_text(folder.scratch / "bot/meshes/open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto mesh = [](const std::string& file, const std::string& scale) {
    return "<collision><geometry><mesh filename=\"" + file + "\"" + scale + "/></geometry></collision>";
  };
  write_text(
      folder.scratch / "bot/bot.urdf",
      one_link(mesh("package://bot/meshes/closed.obj", " scale=\"0.001 0.001 0.001\"") + mesh("meshes/open.obj", "")));
  const Scene scene = folder.scene("file = \"bot/bot.urdf\"\ncell = 0.01\n");
  const auto& parts = robot_body(scene, "arm/a").parts;
  REQUIRE(parts.size() == 2);
  const auto &solid = std::get<MeshPart>(parts[0].shape), &sheet = std::get<MeshPart>(parts[1].shape);
  CHECK(solid.file == "bot/meshes/closed.obj");
  CHECK(solid.as == MeshAs::sdf);
  CHECK(solid.cell == 0.01);
  CHECK(bounds(solid.loaded->mesh).max.x == Approx(0.2));
  CHECK(sheet.as == MeshAs::triangles);
  CHECK(std::get<MeshPart>(
            robot_body(folder.scene("file = \"bot/bot.urdf\"\nas = \"triangles\"\n"), "arm/a").parts[0].shape)
            .as == MeshAs::triangles);
  write_text(folder.scratch / "far.urdf", one_link(mesh("package://p/closed.obj", "")));
  const Scene far = folder.scene("file = \"far.urdf\"\npackages = { p = \"bot/meshes\" }\n");
  CHECK(std::get<MeshPart>(robot_body(far, "arm/a").parts[0].shape).file == "bot/meshes/closed.obj");
  CHECK(to_toml(parse_scene(to_toml(scene), scene.source)) == to_toml(scene));
}

TEST_CASE("Links that a joint connects or that overlap at the start ignore each other", "[robot]") {
  const ArmFolder folder;
  const Scene scene = folder.arm();
  const auto ignores = [&](const std::string& a, const std::string& b) {
    const auto has = [&](const std::string& one, const std::string& other) {
      const auto& all = robot_body(scene, one).ignores;
      return std::ranges::find(all, other) != all.end();
    };
    return has(a, b) || has(b, a);
  };
  CHECK(ignores("arm/base", "arm/column"));
  CHECK(ignores("arm/fore", "arm/finger"));
  CHECK(ignores("arm/finger", "arm/finger_too"));  // they start 1 cm apart and are 2 cm wide
  CHECK_FALSE(ignores("arm/base", "arm/finger"));
  const Scene open = folder.arm("joints.reach = 0.04\n");  // 7 cm apart
  const auto& all = robot_body(open, "arm/finger").ignores;
  CHECK(std::ranges::find(all, "arm/finger_too") == all.end());
}

TEST_CASE("A scene with robots comes back from its text", "[robot]") {
  const ArmFolder folder;
  const Scene scene = folder.arm("joints = { turn = \"10*t\", elbow = [[0, 0], [1, 20]], reach = 0.01 }\n");
  const std::string text = to_toml(scene);
  const Scene again = parse_scene(text, scene.source);
  CHECK(to_toml(again) == text);
  REQUIRE(again.robots.size() == 1);
  CHECK(again.robots[0].links == scene.robots[0].links);
  REQUIRE(again.robots[0].joints.size() == 5);
  REQUIRE(again.robots[0].joints[4].mimic);
  CHECK(again.robots[0].joints[4].mimic->multiplier == scene.robots[0].joints[4].mimic->multiplier);

  const auto wrong = [](const std::string& links) {
    return error_of([&] {
      parse_scene(
          "[[body]]\nname = \"a\"\nsphere.radius = 0.1\n[[body]]\nname = \"b\"\nsphere.radius = 0.1\njoint.type "
          "= \"revolute\"\n[[robot]]\nname = \"r\"\nlinks = [" +
              links + "]\n",
          "s.toml");
    });
  };
  CHECK(wrong("{ body = \"a\" }, { body = \"b\", joint = \"j\" }") == "no error");
  CHECK_THAT(wrong("{ body = \"c\" }"), Catch::Contains("= \"c\" is not a body of this scene"));
  CHECK_THAT(wrong("{ body = \"a\" }, { body = \"a\" }"), Catch::Contains("is a link of this robot already"));
  CHECK_THAT(wrong("{ body = \"a\", joint = \"j\" }"), Catch::Contains("which has no revolute or prismatic joint"));
  CHECK_THAT(wrong("{ body = \"b\", mimic = { joint = \"j\" } }"), Catch::Contains("has no meaning without joint"));
  CHECK_THAT(wrong("{ body = \"b\", joint = \"j\", mimic = { joint = \"k\" } }"),
             Catch::Contains("= \"k\" is not a joint of the robot that follows no other"));
}

TEST_CASE("The visual geometry of a robot is drawn, and what collides is touched", "[robot]") {
  Scratch scratch;
  // A tetrahedron in inches, with an axis up that has no effect on a link.
  write_text(scratch / "cover.dae", R"(<COLLADA><asset><unit meter="0.0254"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array>0 0 0 10 0 0 0 10 0 0 0 20</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene><node><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes></COLLADA>)");
  const auto scene_of = [&](const std::string& visuals, const std::string& keys = "") {
    write_text(scratch / "r.urdf",
               "<robot name=\"r\"><link name=\"a\">\n" + visuals +
                   "<collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link></robot>");
    return parse_scene(
        "[domain]\nmin = [-1, -1, -1]\nmax = [1, 1, 1]\n[[material]]\nname = \"m\"\n[[grains]]\nmaterial = "
        "\"m\"\nradius = 0.05\nfill.points = [[0.02, 0, 0.2]]\n[[robot]]\nname = \"r\"\nfile = \"r.urdf\"\n" +
            keys,
        (scratch / "s.toml").string());
  };
  const auto drawn = [](const Scene& scene) { return bounds(exported_mesh(robot_body(scene, "r/a"), scene.domain)); };
  const std::string mesh = "<visual><origin xyz=\"0 0 0.1\"/><geometry><mesh filename=\"cover.dae\" scale=\"2 2 "
                           "2\"/></geometry></visual>",
                    box = "<visual><geometry><box size=\"0.2 0.3 0.4\"/></geometry></visual>";
  const Scene both = scene_of(mesh + box), plain = scene_of(mesh + box, "visual = false\n");
  CHECK(both.warnings.empty());
  CHECK(robot_body(both, "r/a").parts == robot_body(plain, "r/a").parts);
  CHECK(glm::distance(drawn(both).min, glm::dvec3(-0.1, -0.15, -0.2)) < 1e-6);
  CHECK(glm::distance(drawn(both).max, glm::dvec3(0.508, 0.508, 1.116)) < 1e-6);
  CHECK(drawn(plain).max.z == Approx(0.1).epsilon(1e-3));
  CHECK(to_toml(parse_scene(to_toml(both), both.source)) == to_toml(both));
  CHECK(glm::distance(drawn(parse_scene(to_toml(both), both.source)).max, drawn(both).max) < 1e-6);
  Simulation one(both, on_cpu), other(plain, on_cpu);
  one.advance(200);
  other.advance(200);
  CHECK(one.state_hash() == other.state_hash());
  CHECK(one.grains()[0].position.z < 0.17);  // it has met the sphere, within what is drawn
  other.save(scratch / "state.talus");
  CHECK_NOTHROW(one.resume(scratch / "state.talus"));

  const auto warned = [&](const std::string& visuals) {
    const Scene scene = scene_of(visuals);
    REQUIRE(scene.warnings.size() == 1);
    CHECK(drawn(scene).max.z == Approx(0.1).epsilon(1e-3));
    return scene.warnings[0];
  };
  CHECK_THAT(warned(box + "<visual><geometry><mesh filename=\"none.dae\"/></geometry></visual>"),
             Catch::Contains("r.urdf:2: ") && Catch::Contains("none.dae: does not exist") &&
                 Catch::Contains("the visual geometry of link a cannot be used, and it is drawn as what collides"));
  CHECK_THAT(warned("<visual><geometry><capsule radius=\"1\" length=\"1\"/></geometry></visual>"),
             Catch::Contains("<capsule> is a geometry that Talus does not take from URDF"));
}

TEST_CASE("A body without parts is a frame that nothing touches", "[robot][bodies]") {
  const std::string frame = "[[body]]\nname = \"frame\"\nparts = []\nvelocity = [0, 0, 0.1]\n";
  const std::string grain =
      "[[material]]\nname = \"m\"\n[[grains]]\nmaterial = \"m\"\nradius = 0.05\nfill.points = [[0, "
      "0, 0.5]]\n";
  const std::string held =
      "[[body]]\nname = \"held\"\nparent = \"frame\"\nposition = [0.5, 0, 0]\nsphere.radius = 0.1\n";
  const Scene scene = parse_scene(grain + frame + held, "s.toml");
  CHECK(to_toml(parse_scene(to_toml(scene), "s.toml")) == to_toml(scene));
  Simulation with(scene, on_cpu),
      without(parse_scene(grain + "[[body]]\nname = \"held\"\nposition = [0.5, 0, 0]\nvelocity "
                                  "= [0, 0, 0.1]\nsphere.radius = 0.1\n",
                          "s.toml"),
              on_cpu);
  with.advance(50);
  without.advance(50);
  CHECK(with.state_hash() == without.state_hash());
  CHECK(with.body_state(with.body("held")).pose.position.z == Approx(0.1 * 50 * scene.dt));
  const Marked massive("[[body]]\nname = \"frame\"\nmass = 1\nparts = @[]\n");
  CHECK_THAT(massive.error,
             Catch::StartsWith(massive.place) && Catch::Contains("leaves a body with mass or density no"));
}

TEST_CASE("Robots are commanded by the names of joints, and followers go along", "[robot][motion]") {
  const ArmFolder folder;
  Simulation simulation(folder.arm(), on_cpu);
  Robot robot(simulation, "arm");
  CHECK(robot.joints() == std::vector<std::string>{"turn", "elbow", "reach"});
  CHECK(robot.links().size() == 6);
  robot.move({{"elbow", 20.0}, {"reach", 0.03}});
  simulation.advance(20);  // 0.2 s at 0.1 m/s
  CHECK(robot.positions()[2] == Approx(0.02));
  CHECK(simulation.joint_state(simulation.body("arm/finger_too")).value == Approx(0.02));
  CHECK(robot.velocities()[2] == Approx(0.1));
  simulation.advance(100);
  CHECK(robot.positions() == std::vector<double>{0.0, 20.0, 0.03});
  CHECK(simulation.joint_state(simulation.body("arm/finger_too")).value == 0.5 * 0.03 + 0.01);
  robot.drive({{"turn", 90.0}, {"reach", -0.05}});
  simulation.advance(20);
  CHECK(robot.positions()[0] == Approx(18.0));
  CHECK(robot.velocities()[0] == Approx(90.0));
  CHECK(simulation.joint_state(simulation.body("arm/finger_too")).value == Approx(0.5 * robot.positions()[2] + 0.01));
  robot.move({{"reach", 0.04}});  // where the limits are, to the last bit
  CHECK_THROWS_WITH(robot.move({{"elbow", 1.0}, {"reach", 0.05}}),
                    Catch::Contains("joint reach of robot arm cannot reach "
                                    "0.05"));
  CHECK_THROWS_WITH(robot.move({{"wrist", 1.0}}),
                    Catch::Contains("has no joint \"wrist\" to command; there are: turn"));
  CHECK_THROWS_WITH(robot.move({{"knob", 1.0}}), Catch::Contains("has no joint \"knob\" to command"));
  CHECK_THROWS_WITH(robot.drive({{"turn", std::nan("")}}), Catch::Contains("must be finite"));
  CHECK_THROWS_WITH(Robot(simulation, "leg"), Catch::Contains("there is no robot \"leg\"; there are: arm"));
  CHECK_THROWS_WITH(Robot(simulation, "arm", 1), Catch::Contains("there is no world 1"));
  simulation.advance(50);
  CHECK(robot.positions()[1] == 20.0);  // a command that cannot be commands nothing
}

TEST_CASE("Torques of joints are those of the weight that lies on the links", "[robot][loads]") {
  // An arm along x in two levels, with a tray at its end, 1 m from the first joint and 0.4 m from the second, which a
  // ball rests in; a slide along z carries both.
  const std::string urdf = R"(<robot name="lift">
  <link name="rail"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="lift" type="prismatic"><parent link="rail"/><child link="upper"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="upper"/>
  <joint name="shoulder" type="revolute"><parent link="upper"/><child link="arm"/><axis xyz="0 -1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="arm"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.5 0.04 0.04"/></geometry></collision></link>
  <joint name="elbow" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.6 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="hand"><collision><origin xyz="0.3 0 0"/><geometry><box size="0.5 0.04 0.04"/></geometry></collision></link>
  <joint name="wrist" type="fixed"><parent link="hand"/><child link="tray"/><origin xyz="0.4 0 0.1"/></joint>
  <link name="tray">
    <collision><geometry><box size="0.1 0.1 0.04"/></geometry></collision>
    <collision><origin xyz="0.04 0 0.03"/><geometry><box size="0.02 0.1 0.04"/></geometry></collision>
    <collision><origin xyz="-0.04 0 0.03"/><geometry><box size="0.02 0.1 0.04"/></geometry></collision>
    <collision><origin xyz="0 0.04 0.03"/><geometry><box size="0.1 0.02 0.04"/></geometry></collision>
    <collision><origin xyz="0 -0.04 0.03"/><geometry><box size="0.1 0.02 0.04"/></geometry></collision>
  </link>
</robot>)";
  const Scratch scratch;
  write_text(scratch / "lift.urdf", urdf);
  const Scene scene = parse_scene(
      "[domain]\nmin = [-1, -1, 0]\nmax = [2, 1, 2]\n[time]\ndt = 0.004\n[[material]]\nname = \"m\"\ndensity = 2000\n"
      "[[grains]]\nmaterial = \"m\"\nradius = 0.028\nfill.points = [[1.0, 0, 0.6485]]\n"
      "[[robot]]\nname = \"lift\"\nfile = \"lift.urdf\"\n",
      (scratch / "s.toml").string());
  Simulation simulation(scene, on_cpu);
  simulation.advance(500);
  const double weight = mass_of(0.028, 2000.0) * g;
  const std::vector<double> torques = Robot(simulation, "lift").torques();
  REQUIRE(torques.size() == 3);
  CHECK(torques[0] == Approx(-weight).epsilon(1e-3));
  CHECK(torques[1] == Approx(-weight * 1.0).epsilon(1e-2));  // about -y, by a weight that pulls the arm down
  CHECK(torques[2] == Approx(weight * 0.4).epsilon(2e-2));
  const auto report = nlohmann::json::parse(report_json(simulation, {}));
  CHECK(report["robots"][0]["name"] == "lift");
  CHECK(report["robots"][0]["joints"][1]["name"] == "shoulder");
  CHECK(report["robots"][0]["joints"][1]["torque"].get<double>() == torques[1]);
}

namespace {

// A post, and an arm of 2 kg and 0.8 m along x on a hinge about y, with an effort limit of 20 N m, whose pin has a
// friction of 0.1 N m; at its end two fingers of 0.1 kg that slide along y, the second as far as the first, the other
// way.
const std::string swing_urdf = R"(<robot name="swing">
  <link name="post"><collision><origin xyz="-0.2 0 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="hinge" type="revolute"><parent link="post"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="20" velocity="9"/><dynamics damping="0.0" friction="0.1"/></joint>
  <link name="arm">
    <inertial><origin xyz="0.4 0 0"/><mass value="2"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.107" iyz="0" izz="0.107"/></inertial>
    <collision><origin xyz="0.4 0 0"/><geometry><box size="0.8 0.05 0.05"/></geometry></collision>
  </link>
  <joint name="grip" type="prismatic"><parent link="arm"/><child link="left"/><origin xyz="0.85 0.05 0"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="10" velocity="1"/></joint>
  <link name="left"><inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <collision><geometry><box size="0.06 0.02 0.02"/></geometry></collision></link>
  <joint name="grip_too" type="prismatic"><parent link="arm"/><child link="right"/><origin xyz="0.85 -0.05 0"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.04" effort="10" velocity="1"/><mimic joint="grip"/></joint>
  <link name="right"><inertial><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <collision><geometry><box size="0.06 0.02 0.02"/></geometry></collision></link>
  <joint name="at" type="fixed"><parent link="arm"/><child link="flange"/></joint>
  <link name="flange"><inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
</robot>)";
// N m, the weights of arm and fingers about the hinge where the arm is level.
constexpr double swing_moment = 2 * g * 0.4 + 2 * 0.1 * g * 0.85;

std::string with_text(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

// The same without fingers.
std::string pendulum_urdf() {
  return swing_urdf.substr(0, swing_urdf.find("  <joint name=\"grip\"")) + "</robot>";
}

class SwingFolder {
public:
  explicit SwingFolder(const std::string& urdf = swing_urdf) { write_text(scratch / "swing.urdf", urdf); }
  Scene scene(const std::string& keys, const std::string& domain = "min = [-2, -2, -2]\nmax = [2, 2, 2]") const {
    return parse_scene("[domain]\n" + domain +
                           "\n[time]\ndt = 0.002\nend = 9\n[[robot]]\nname = \"swing\"\nfile = \"swing.urdf\"\n" + keys,
                       (scratch / "s.toml").string());
  }
  std::string error(const std::string& keys) const {
    return error_of([&] { scene(keys); });
  }
  Scratch scratch;
};

}  // namespace

TEST_CASE("Motors hold the links of a robot at their joints' values, and give by the weight over their stiffness",
          "[robot][linkages]") {
  const SwingFolder folder;
  const double stiffness = 200.0;
  const Scene scene = folder.scene("drive = \"position\"\nstiffness = { hinge = 200, grip = 1e4, grip_too = 1e4 }\n"
                                   "joints = { hinge = 30, grip = 0.01 }\n");
  CHECK(is_dynamic(robot_body(scene, "swing/arm")));
  CHECK(scene.bodies.size() == 4);  // a frame without mass is none
  CHECK_FALSE(is_dynamic(robot_body(scene, "swing/post")));
  CHECK(mass_of(robot_body(scene, "swing/arm")).mass == 2.0);
  Simulation simulation(scene, on_cpu);
  Robot robot(simulation, "swing");
  CHECK(robot.positions()[0] == Approx(30.0));
  robot.move({{"hinge", 0.0}, {"grip", 0.03}});
  simulation.advance(2000);  // 4 s
  // It comes down to where it stays, which pin friction may leave 0.1 N m short.
  const double sag = glm::degrees(swing_moment / stiffness), stuck = glm::degrees(0.1 / stiffness);
  CHECK(robot.positions()[0] == Approx(sag).margin(1.05 * stuck));
  CHECK(robot.efforts()[0] == Approx(-swing_moment * std::cos(glm::radians(sag))).epsilon(3e-3));
  CHECK(robot.positions()[1] == Approx(0.03).margin(1e-4));
  CHECK(simulation.joint_state(simulation.body("swing/right")).value == Approx(0.03).margin(1e-4));
  CHECK(std::abs(robot.velocities()[0]) < 1e-2);
  CHECK_THROWS_WITH(robot.drive({{"hinge", 1.0}}),
                    Catch::Contains("joint hinge of robot swing has no motor that holds a speed"));
  const auto report = nlohmann::json::parse(report_json(simulation, {}));
  CHECK(report["robots"][0]["joints"][0]["effort"].get<double>() == robot.efforts()[0]);
  // A torque that bears the weight beside the motor leaves it nothing to do.
  robot.push({{"hinge", -swing_moment}});
  simulation.advance(2000);
  CHECK(robot.positions()[0] == Approx(0.0).margin(1.05 * stuck));
}

TEST_CASE("Every pass agrees with its reference where motors drive a robot among grains", "[device][robot][lockstep]") {
  const SwingFolder folder;
  Scene scene = folder.scene("drive = \"position\"\nstiffness = 300\njoints = { hinge = \"40*t\" }\n",
                             "min = [-0.4, -0.4, -0.6]\nmax = [1.2, 0.4, 0.6]");
  scene.materials.push_back({"m"});
  GrainGroup group;
  group.radius_min = group.radius_max = 0.04;
  group.shape = BoxFill{{0.0, -0.3, -0.5}, {1.0, 0.3, -0.1}};
  scene.grains.push_back(group);
  Simulation simulation(scene, in_lockstep());
  REQUIRE_NOTHROW(simulation.advance(8));
  CHECK(Robot(simulation, "swing").positions()[0] > 0.0);
}

TEST_CASE("A robot's motor exerts no more than the effort limit of the file", "[robot][linkages]") {
  const double weight = 2 * g * 0.4;
  for (const double effort : {0.8 * weight, 1.5 * weight}) {
    const SwingFolder folder(with_text(pendulum_urdf(), "effort=\"20\"", fmt::format("effort=\"{}\"", effort)));
    Simulation simulation(folder.scene("drive = \"speed\"\n"), on_cpu);
    Robot robot(simulation, "swing");
    simulation.advance(250);
    if (effort > weight) {
      CHECK(robot.positions()[0] == Approx(0.0).margin(1e-3));
      robot.drive({{"hinge", -30.0}});
      simulation.advance(500);
      CHECK(robot.velocities()[0] == Approx(-30.0).epsilon(1e-3));
      // The arm lags by speed^2 / (2 a): a is its angular acceleration by the motor's torque less weight and friction.
      const double speed = glm::radians(30.0), inertia = 0.107 + 2 * 0.4 * 0.4;
      const double lag = speed * speed / (2 * (effort - weight - 0.1) / inertia);
      CHECK(robot.positions()[0] == Approx(-30.0 + glm::degrees(lag)).margin(0.05));
      CHECK_THROWS_WITH(robot.move({{"hinge", 1.0}}), Catch::Contains("has no motor that holds a value"));
    } else {
      CHECK(robot.positions()[0] > 5.0);  // it falls
      CHECK(robot.efforts()[0] == Approx(-(effort + 0.1)).epsilon(1e-3));
    }
  }
}

TEST_CASE("A passive robot's arm swings with the period of a physical pendulum", "[robot][linkages]") {
  const SwingFolder folder(with_text(pendulum_urdf(), "friction=\"0.1\"", "friction=\"0\""));
  // By gravity the arm hangs at 90 degrees about +y; it starts 6 degrees from there.
  const double armature = GENERATE(0.0, 0.6);
  Simulation simulation(folder.scene(fmt::format("drive = \"passive\"\njoints.hinge = 84\narmature = {}\n", armature)),
                        on_cpu);
  Robot robot(simulation, "swing");
  std::vector<double> crossings;  // s
  double before = robot.positions()[0];
  for (int step = 1; step <= 1600; ++step) {
    simulation.advance(1);
    const double now = robot.positions()[0];
    if (before < 90.0 && now >= 90.0)
      crossings.push_back(0.002 * (step - (now - 90.0) / (now - before)));
    before = now;
  }
  REQUIRE(crossings.size() >= 2);
  // T = 2 pi sqrt(I / (m g l)) (1 + a^2 / 16), for an amplitude of a rad.
  const double inertia = 0.107 + 2 * 0.4 * 0.4 + armature, amplitude = glm::radians(6.0);
  const double period = 2 * glm::pi<double>() * std::sqrt(inertia / (2 * g * 0.4)) * (1 + amplitude * amplitude / 16);
  CHECK(crossings[1] - crossings[0] == Approx(period).epsilon(1e-3));
  CHECK_THROWS_WITH(robot.move({{"hinge", 1.0}}), Catch::Contains("has no motor that holds a value"));
  CHECK_THROWS_WITH(robot.drive({{"hinge", 1.0}}), Catch::Contains("has no motor that holds a speed"));
}

TEST_CASE("A joint that follows another one is geared to it where no motor holds its value", "[robot][linkages]") {
  const SwingFolder folder;
  SECTION("and goes where the other one's motor drives that") {
    const Scene scene = folder.scene("drive = \"speed\"\n");
    const auto& right = std::get<Joint>(robot_body(scene, "swing/right").motion);
    REQUIRE(right.gear);
    CHECK(right.gear->body == "swing/left");
    CHECK_FALSE(right.motor);
    CHECK(to_toml(parse_scene(to_toml(scene), scene.source)) == to_toml(scene));
    Simulation simulation(scene, on_cpu);
    Robot robot(simulation, "swing");
    robot.drive({{"grip", 0.05}});
    simulation.advance(200);
    CHECK(robot.positions()[1] == Approx(0.02).margin(1e-4));
    CHECK(simulation.joint_state(simulation.body("swing/right")).value == Approx(robot.positions()[1]).margin(1e-6));
    simulation.advance(300);  // to the limit of both
    CHECK(simulation.joint_state(simulation.body("swing/right")).value == Approx(0.04).margin(1e-5));
  }
  SECTION("and adds its inertia to that of the other one where commands push") {
    Scene scene = folder.scene("drive = \"passive\"\n");
    scene.domain.gravity = {0.0, 0.0, 0.0};
    Simulation simulation(scene, on_cpu);
    Robot robot(simulation, "swing");
    robot.push({{"grip", 0.02}});
    simulation.advance(250);
    CHECK(robot.velocities()[1] == Approx(0.02 * 0.5 / 0.2).epsilon(1e-3));
    CHECK(robot.efforts()[1] == Approx(0.02).epsilon(1e-3));
    CHECK(std::abs(robot.velocities()[0]) < 1e-4);  // fingers move both ways
  }
}

TEST_CASE("A robot on a free base falls as one, whatever its joints do", "[robot][linkages]") {
  // A root link without mass, as many files have one.
  const SwingFolder folder(with_text(
      swing_urdf, "<link name=\"post\">",
      "<link name=\"foot\"/><joint name=\"on\" type=\"fixed\"><parent link=\"foot\"/><child link=\"post\"/></joint>\n"
      "<link name=\"post\"><inertial><mass value=\"3\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" "
      "izz=\"0.1\"/></inertial>"));
  const Scene scene = folder.scene("drive = \"position\"\nbase = \"free\"\nstiffness = 500\n",
                                   "x = \"open\"\ny = \"open\"\nz = \"open\"");
  CHECK(scene.bodies.size() == 4);
  Simulation simulation(scene, on_cpu);
  Robot(simulation, "swing").move({{"hinge", 60.0}, {"grip", 0.04}});
  const auto center = [&] {
    glm::dvec3 sum(0.0);
    double mass = 0.0;
    for (std::uint32_t b = 0; b < 4; ++b) {
      const MassProperties m = mass_of(scene.bodies[b]);
      sum += m.mass * (simulation.body_state(b).pose * Pose{m.center}).position;
      mass += m.mass;
    }
    return sum / mass;
  };
  const glm::dvec3 start = center();
  simulation.advance(250);
  const glm::dvec3 moved = center() - start;
  CHECK(moved.z == Approx(-0.5 * g * 0.25).epsilon(5e-3));
  CHECK(std::hypot(moved.x, moved.y) < 1e-4);
  CHECK(Robot(simulation, "swing").positions()[0] == Approx(60.0).margin(1.0));
  CHECK(to_toml(parse_scene(to_toml(scene), scene.source)) == to_toml(scene));
}

TEST_CASE("Links of a file are left out with all that hangs on them", "[robot]") {
  const SwingFolder folder;
  const Scene scene = folder.scene("leave_out = [\"left\", \"right\"]\njoints.hinge = 20\n");
  REQUIRE(scene.robots.size() == 1);
  CHECK(scene.robots[0].links == std::vector<std::string>{"swing/post", "swing/arm"});
  REQUIRE(scene.robots[0].joints.size() == 1);
  CHECK(scene.robots[0].joints[0].name == "hinge");
  CHECK(folder.scene("leave_out = [\"arm\"]\n").bodies.size() == 1);
  CHECK(folder.scene("leave_out = [\"right\", \"flange\"]\n").robots[0].joints.size() == 2);
  CHECK_THAT(folder.error("leave_out = [\"left\"]\n"),
             Catch::Contains("leave_out takes away joint grip, which joint grip_too follows"));
  CHECK_THAT(folder.error("leave_out = [\"hand\"]\n"),
             Catch::Contains("= \"hand\" is not a link of the robot; there are: post, arm"));
  CHECK_THAT(folder.error("leave_out = [\"post\"]\n"), Catch::Contains("is the root link"));
}

TEST_CASE("Links of a file feel the ground by its surface", "[robot][terramechanics]") {
  const SwingFolder folder;
  CHECK_THAT(folder.error("on_surface = [\"arm\"]\n"), Catch::Contains("needs [soil] with [soil.terramechanics]"));
  const std::string ground = "[[material]]\nname = \"sand\"\n[soil]\nmaterial = \"sand\"\nradius = 0.05\nheight = "
                             "0.2\n[soil.terramechanics]\nfrictional_modulus = 1e6\n"
                             "friction_angle = 30\nshear_displacement = 0.01\n";
  const Scene scene = folder.scene("on_surface = [\"arm\"]\n" + ground);
  REQUIRE(scene.bodies.size() > 1);
  for (const BodySpec& body : scene.bodies)
    CHECK((body.ground == GroundContact::surface) == (body.name == "swing/arm"));
  CHECK_THAT(folder.error("on_surface = [\"hand\"]\n" + ground), Catch::Contains("is not a link of the robot"));
}

TEST_CASE("Wrong drives of a robot are named with their place", "[robot]") {
  const SwingFolder folder;
  const auto error = [&](const std::string& keys) { return folder.error(keys); };
  CHECK_THAT(error("drive = \"position\"\n"),
             Catch::Contains("s.toml:10:") && Catch::Contains("needs a stiffness beside it"));
  CHECK_THAT(error("drive = \"torque\"\n"), Catch::Contains("prescribed, position, speed, passive"));
  CHECK_THAT(error("armature = 1\n"), Catch::Contains("has no meaning with drive = \"prescribed\""));
  CHECK_THAT(error("drive = \"position\"\nstiffness = 9\narmature = { hinge = 3 }\n"),
             Catch::Contains("says nothing of grip, grip_too"));
  CHECK_THAT(error("base = \"free\"\n"), Catch::Contains("leaves the root link to what pushes it"));
  CHECK_THAT(error("stiffness = 3\n"), Catch::Contains("has no meaning here: allowed with drive = \"position\""));
  CHECK_THAT(error("drive = \"position\"\nstiffness = { hing = 3 }\n"),
             Catch::Contains("is not a joint of the robot that moves; did you mean hinge?"));
  CHECK_THAT(error("drive = \"position\"\nstiffness = { hinge = 3 }\n"),
             Catch::Contains("says nothing of grip, grip_too"));
  CHECK_THAT(error("drive = \"position\"\nstiffness = -1\n"), Catch::Contains("robot.swing.stiffness"));
  CHECK_THAT(error("drive = \"position\"\nstiffness = 9\nbase = \"free\"\n"),
             Catch::Contains("swing.urdf:2: link post is moved by what pushes it and has no <inertial>"));
  const SwingFolder pendulum(pendulum_urdf());
  CHECK(pendulum.error("drive = \"passive\"\n") == "no error");
  CHECK_THAT(pendulum.error("drive = \"speed\"\njoints.hinge = \"20*t\"\n"),
             Catch::Contains("robot.swing.joints.hinge is a value over time, which drive = \"speed\" does not hold"));
  CHECK(pendulum.error("drive = \"position\"\nstiffness = 100\njoints.hinge = \"20*t\"\n") == "no error");
  Simulation prescribed(pendulum.scene(""), on_cpu);
  CHECK_THROWS_WITH(Robot(prescribed, "swing").push({{"hinge", 1.0}}),
                    Catch::Contains("has its value whatever pushes it"));
  CHECK_THAT(
      SwingFolder(with_text(swing_urdf, "iyy=\"0.107\"", "iyy=\"0\"")).error("drive = \"position\"\nstiffness = 100\n"),
      Catch::Contains("link arm has a mass of 2 kg and the principal moments") && Catch::Contains("which no body has"));
}
